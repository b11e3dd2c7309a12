use clap::Parser;

use super::*;
use crate::cli::testing::Shell;

#[derive(Debug, Parser)]
struct Root {
    #[arg(short, long, global = true)]
    namespace: Option<String>,
    #[command(subcommand)]
    command: Sub,
}

#[derive(Debug, clap::Subcommand)]
enum Sub {
    Get {
        words: Vec<String>,
        #[arg(short, long)]
        output: Option<String>,
        #[arg(short, long)]
        watch: bool,
        #[arg(short = 'A', long)]
        all_namespaces: bool,
        #[arg(long, default_value_t = true, action = clap::ArgAction::Set)]
        wait: bool,
        #[arg(long, default_missing_value = "client", num_args = 0..=1, require_equals = true)]
        dry_run: Option<String>,
        #[arg(short = 'L', long, value_delimiter = ',')]
        label_columns: Vec<String>,
        #[arg(long)]
        replicas: Option<i32>,
        #[arg(long)]
        timeout: Option<Span>,
    },
    Group {
        #[command(subcommand)]
        command: Option<Inner>,
    },
}

#[derive(Debug, clap::Subcommand)]
enum Inner {
    Add {
        #[arg(long, required = true)]
        image: String,
    },
}

fn line(args: &str) -> Result<String, String> {
    let args: Vec<OsString> = args.split_whitespace().map(OsString::from).collect();
    let root = <Root as clap::CommandFactory>::command();
    let line = parse(&root, "kubectl", &args).map_err(|e| e.in_one_line())?;
    let plain: Vec<_> = line.plain.iter().map(|w| w.to_string_lossy()).collect();
    if !line.help {
        let parsed = Root::try_parse_from(&line.plain);
        assert!(parsed.is_ok(), "{plain:?}: {parsed:?}");
    }
    Ok(plain.join(" "))
}

#[test]
fn flags_are_parsed_at_any_position_and_spelling() {
    let cases = [
        ("get pods -n x", "get --namespace=x -- pods"),
        ("-n x get pods -n=y", "get --namespace=y -- pods"),
        ("get -oyaml pods a", "get --output=yaml -- pods a"),
        ("get -o=yaml pods", "get --output=yaml -- pods"),
        (
            "get --all_namespaces -w=false pods",
            "get --all-namespaces -- pods",
        ),
        ("get -Aw pods", "get --all-namespaces --watch -- pods"),
        ("get --watch=true --wait=f", "get --watch --wait=false"),
        ("get --wait", "get --wait=true"),
        ("get --dry-run pods", "get --dry-run -- pods"),
        ("get --dry-run=server", "get --dry-run=server"),
        (
            "get -L a,b -L c --label-columns=",
            "get --label-columns=a,b --label-columns=c",
        ),
        (
            "get --replicas 0x10 --timeout -1m30s",
            "get --replicas=16 --timeout=-1m30s",
        ),
        ("get a -- -b --c", "get -- a -b --c"),
        ("get - -o name", "get --output=name -- -"),
        ("group add --image=a", "group add --image=a"),
    ];
    for (typed, plain) in cases {
        assert_eq!(line(typed).unwrap(), format!("kubectl {plain}"), "{typed}");
    }
}

#[test]
fn parse_errors_match_kubectl() {
    let get = "\nSee 'kubectl get --help' for usage.";
    let cases = [
        ("get --nonsense", format!("unknown flag: --nonsense{get}")),
        ("get -z", format!("unknown shorthand flag: 'z' in -z{get}")),
        ("get -Az", format!("unknown shorthand flag: 'z' in -z{get}")),
        (
            "get pods -o",
            format!("flag needs an argument: 'o' in -o{get}"),
        ),
        (
            "get --output",
            format!("flag needs an argument: --output{get}"),
        ),
        ("get --=x", format!("bad flag syntax: --=x{get}")),
        (
            "get --replicas=lots",
            format!(
                "invalid argument \"lots\" for \"--replicas\" flag: strconv.ParseInt: parsing \
                 \"lots\": invalid syntax{get}"
            ),
        ),
        (
            "get --replicas=3000000000",
            format!(
                "invalid argument \"3000000000\" for \"--replicas\" flag: strconv.ParseInt: \
                 parsing \"3000000000\": value out of range{get}"
            ),
        ),
        (
            "get -w=maybe",
            format!(
                "invalid argument \"maybe\" for \"-w, --watch\" flag: strconv.ParseBool: parsing \
                 \"maybe\": invalid syntax{get}"
            ),
        ),
        (
            "get --timeout=5",
            format!(
                "invalid argument \"5\" for \"--timeout\" flag: time: missing unit in duration \
                 \"5\"{get}"
            ),
        ),
        (
            "frobnicate",
            "unknown command \"frobnicate\" for \"kubectl\"".to_owned(),
        ),
        (
            "gett",
            "unknown command \"gett\" for \"kubectl\"\n\nDid you mean this?\n\tget\n".to_owned(),
        ),
        (
            "--odd=1 frobnicate",
            "Error: flags cannot be placed before plugin name: --odd=1".to_owned(),
        ),
        (
            "group nope",
            "unknown command \"nope\"\nSee 'kubectl group -h' for help and examples".to_owned(),
        ),
        ("group add", "required flag(s) \"image\" not set".to_owned()),
    ];
    for (typed, text) in cases {
        assert_eq!(line(typed).unwrap_err(), text, "{typed}");
    }
}

#[test]
fn help_flag_is_recognized_at_any_position() {
    let root = <Root as clap::CommandFactory>::command();
    for typed in ["get --help", "get pods -h", "group add -h", "-h"] {
        let args: Vec<OsString> = typed.split_whitespace().map(OsString::from).collect();
        assert!(parse(&root, "kubectl", &args).unwrap().help, "{typed}");
    }
}

#[test]
fn the_place_of_the_double_dash_is_known() {
    let root = <Root as clap::CommandFactory>::command();
    let args = ["get", "pod", "--", "date", "-u"].map(OsString::from);
    let line = parse(&root, "kubectl", &args).unwrap();
    assert_eq!((line.dash, line.words.len()), (Some(1), 3));
}

#[test]
fn durations_are_parsed_like_go() {
    let nanos = |text: &str| text.parse::<Span>();
    assert_eq!(nanos("1h2m3.5s").unwrap().duration().as_millis(), 3_723_500);
    assert_eq!(nanos("0").unwrap(), Span::default());
    assert_eq!(nanos("-2m").unwrap(), Span::seconds(-120));
    assert!(nanos("-2m").unwrap().is_negative());
    assert_eq!(nanos("").unwrap_err(), "time: invalid duration \"\"");
    assert_eq!(nanos("x").unwrap_err(), "time: invalid duration \"x\"");
    assert_eq!(
        nanos("5d").unwrap_err(),
        "time: unknown unit \"d\" in duration \"5d\""
    );
}

#[test]
fn times_are_printed_as_kubectl_prints_them() {
    for text in [
        "0s", "1s", "1.5s", "1m0s", "1h5m0s", "250ms", "-2s", "1h0m0.5s",
    ] {
        assert_eq!(text.parse::<Span>().unwrap().to_string(), text);
    }
}

#[test]
fn unknown_profiles_are_refused_before_the_command() {
    let shell = Shell::new();
    shell.refuses(&[
        ("get odd --profile=", "unknown profile ''"),
        ("set --profile=odd", "unknown profile 'odd'"),
        ("scale deploy x --profile=odd", "unknown profile 'odd'"),
        ("--profile=heap --profile=odd", "unknown profile 'odd'"),
        (
            "odd --profile=odd",
            "unknown command \"odd\" for \"kubectl\"",
        ),
    ]);
    for line in [
        "get pods --profile=odd --profile heap",
        "get --help --profile=odd",
    ] {
        assert_eq!(shell.run(line).code, 0, "{line}");
    }
}
