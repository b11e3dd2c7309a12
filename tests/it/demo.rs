//! Tests `ctl demo`: its output matches its description, has colors on a terminal, and the shown cluster remains. The
//! picture in the README shows one of its runs.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{World, finish};
use crate::terminal::on_terminal;

fn world() -> World {
    let mut world = World::new();
    let scratch = world.outside("tmp");
    fs::create_dir(&scratch).unwrap();
    world.set("TMPDIR", scratch.to_str().unwrap());
    world.set("CTL_TEST_BARE", "");
    world.set("NO_COLOR", "");
    world
}

/// Returns the output of the demo. Its directory is shown as one in /tmp.
fn demo(world: &World, flags: &[&str]) -> String {
    let ran = world.run(&[&["demo"], flags].concat());
    assert_eq!(ran.err, "", "{}", ran.out);
    let scratch = world.outside("tmp");
    ran.ok().replace(scratch.to_str().unwrap(), "/tmp")
}

#[test]
fn demo_shows_rollout_rollback_and_pod_replacement() {
    let world = world();
    let text = demo(&world, &[]);
    assert!(!text.contains('\u{1b}'), "a pipe gets plain text: {text}");
    let mut rest = text.as_str();
    for expected in [
        "$ ctl create -f nginx.yaml\ndeployment.apps/nginx created\n",
        "deployment.apps/nginx   3/3 ",
        "$ ctl scale deployment nginx --replicas 5\n",
        "$ ctl set image deployment/nginx nginx=nginx:1.28\n",
        "   3         3         0 ",
        "   4         4         4 ",
        "   5         5         5 ",
        "   0         0         0 ",
        "$ ctl rollout undo deployment/nginx\n",
        "$ ctl delete pod nginx-",
        "$ ctl get pods\n",
        "# The cluster stays in /tmp/ctl-demo-1. To explore it:",
    ] {
        let at = rest.find(expected);
        let at = at.unwrap_or_else(|| panic!("{expected:?} is not where it should be:\n{text}"));
        rest = &rest[at + expected.len()..];
    }
    let killed = text.split("$ ctl delete pod ").nth(1).unwrap();
    let killed = killed.split(' ').next().unwrap();
    let (_, pods) = text.rsplit_once("$ ctl get pods\n").unwrap();
    assert!(!pods.contains(killed), "{killed} is replaced:\n{text}");
    assert_eq!(pods.matches(" Running ").count(), 5, "{text}");
    let next: Vec<&str> = rest.lines().filter_map(|l| l.strip_prefix("$ ")).collect();
    assert_eq!(next.len(), 3, "{rest}");
    let script = next.join("\n");
    let directory = world.outside("tmp/ctl-demo-1");
    let script = script.replace("/tmp/ctl-demo-1", directory.to_str().unwrap());
    let mut shell = world.command_for(Path::new("bash"));
    shell.args(["-ec", &script]);
    let said = finish(shell, "").ok();
    assert!(
        said.contains("Image:") && said.contains("image: nginx:1.27"),
        "{said}"
    );
    // A second run uses another directory and prints the same output.
    let again = demo(&world, &[]);
    assert_eq!(again.replace("ctl-demo-2", "ctl-demo-1"), text);
}

#[test]
fn the_demo_is_in_colors_on_a_terminal() {
    let world = world();
    let (text, code) = on_terminal(&world, &["demo"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("\u{1b}[1m$ ctl settle\u{1b}[0m\n"), "{text}");
    assert!(text.contains("\u{1b}[32mRunning\u{1b}[0m"), "{text}");
    let (plain, _) = on_terminal(&world, &["demo", "--color", "never"]);
    // On a slow machine `settle` shows its progress and erases the line; this sequence is not a color.
    let plain = plain.replace("\u{1b}[K", "");
    assert!(!plain.contains('\u{1b}'), "{plain}");
}

/// The parts of the demo that fit in the picture, each identified by the beginning of its remark.
const SHOWN: &[&str] = &[
    "# A cluster is",
    "# Create a Deployment",
    "# Roll out a new image",
];

const WIDTH: usize = 84;
const COLUMN: f32 = 8.43;
const ROW: usize = 19;

/// Returns the color of an escape code that the program writes.
fn color(code: &str) -> &'static str {
    match code {
        "1" => "font-weight=\"bold\" fill=\"#f0f3f6\"",
        "2" => "fill=\"#7d8590\"",
        "31" => "fill=\"#ff7b72\"",
        "32" => "fill=\"#56d364\"",
        "33" => "fill=\"#e3b341\"",
        "36" => "fill=\"#79c0ff\"",
        _ => panic!("a color without a picture: {code}"),
    }
}

/// Returns a line as text with colored spans.
fn spans(line: &str) -> String {
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    let mut parts = line.split("\u{1b}[");
    let mut svg = escaped(parts.next().unwrap_or_default());
    for part in parts {
        let (code, text) = part.split_once('m').unwrap();
        match code {
            "0" => write!(svg, "</tspan>{}", escaped(text)).unwrap(),
            _ => write!(svg, "<tspan {}>{}", color(code), escaped(text)).unwrap(),
        }
    }
    svg
}

/// Returns the lines of the parts that are shown, with three dots in place of omitted parts.
fn excerpt(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut gap = false;
    for part in text.split("\n\n\u{1b}[36m").skip(1) {
        if SHOWN.iter().any(|begin| part.starts_with(begin)) {
            if !lines.is_empty() {
                lines.push("");
                lines.extend(
                    gap.then_some(["\u{1b}[2m...\u{1b}[0m", ""])
                        .into_iter()
                        .flatten(),
                );
            }
            lines.extend(part.lines());
            gap = false;
        } else {
            gap = true;
        }
    }
    lines
}

/// Returns a picture of a terminal that shows these lines.
fn picture(lines: &[String]) -> String {
    let (width, height) = (
        (WIDTH as f32 * COLUMN) as usize + 40,
        lines.len() * ROW + 62,
    );
    // Browsers need the style for the spaces between columns, and other programs need `xml:space`.
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\">\n\
         <title>ctl demo: a Deployment is created and rolled out</title>\n\
         <style>text,tspan{{white-space:pre}}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#0d1117\"/>\n\
         <circle cx=\"22\" cy=\"20\" r=\"6\" fill=\"#ff5f57\"/>\n\
         <circle cx=\"42\" cy=\"20\" r=\"6\" fill=\"#febc2e\"/>\n\
         <circle cx=\"62\" cy=\"20\" r=\"6\" fill=\"#28c840\"/>\n\
         <g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace\" \
         font-size=\"14\" fill=\"#c9d1d9\" xml:space=\"preserve\">\n"
    );
    for (number, line) in lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
    {
        let y = 56 + number * ROW;
        writeln!(svg, "<text x=\"20\" y=\"{y}\">{}</text>", spans(line)).unwrap();
    }
    svg + "</g>\n</svg>\n"
}

#[test]
fn readme_picture_matches_the_demo() {
    let text = demo(&world(), &["--color", "always"]);
    let shown = excerpt(&text);
    assert!(shown.len() > 30, "{text}");
    let lines: Vec<String> = shown
        .iter()
        .map(|line| match line.strip_prefix("# ") {
            Some(rest) => format!("\u{1b}[36m# {rest}"),
            None => (*line).to_owned(),
        })
        .collect();
    let made = picture(&lines);
    let file: PathBuf = [env!("CARGO_MANIFEST_DIR"), "docs", "demo.svg"]
        .iter()
        .collect();
    if std::env::var_os("CTL_UPDATE").is_some() {
        crate::support::state::write_file(&file, made.as_bytes());
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    // Generated name suffixes depend on all earlier random draws of the cluster.
    let plain = |text: &str| {
        text.lines()
            .map(crate::documents::plain)
            .collect::<Vec<_>>()
    };
    let is_current = plain(&made) == plain(&committed);
    assert!(is_current, "CTL_UPDATE=1 cargo test picture");
}
