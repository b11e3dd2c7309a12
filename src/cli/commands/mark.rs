//! `ctl mark`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::api::json::json;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::StructuredOutputArgs;
use crate::history::mark_rule;

/// Give a name to the current point in the history
///
/// Use the name in --at and --revision. A mark is a commit that changes nothing. If several marks have the same
/// name, the name refers to the newest one.
///
/// Examples:
///   ctl mark before-v2
///   ctl get pods --at before-v2           the Pods as they were then
///   ctl diff --revision before-v2..       the changes since
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct MarkArgs {
    /// The name: letters, digits, '-', '_' and single '.', with a letter first
    name: String,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

pub(crate) fn run(args: &MarkArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    // Names begin with a letter, so that `--at 10m` and `--at 42` cannot mean a mark.
    let rule = mark_rule(&args.name).map_err(CliError::text)?;
    let cluster = context.api()?;
    // Hand edits saved before the mark belong before it.
    cluster.files().import_saved(None)?;
    let revision = cluster.stored().mark(&rule)?;
    let sentence = format_args!("marked revision {revision} as {}", args.name);
    let data = json!({"mark": args.name.as_str(), "revision": revision});
    args.answer.print(context, sentence, &data)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn reads_at_a_mark_return_the_earlier_state() {
        let shell = Shell::new();
        shell.all(&["create configmap a --from-literal=v=1"]);
        let out = shell.out("mark before");
        assert!(
            out.starts_with("marked revision ") && out.ends_with(" as before\n"),
            "{out}"
        );
        shell.all(&[
            "patch configmap a -p '{\"data\":{\"v\":\"2\"}}'",
            "create configmap b",
        ]);
        let value = "get configmap a -o jsonpath={.data.v}";
        assert_eq!(shell.out(value), "2");
        assert_eq!(shell.out(&format!("{value} --at before")), "1");
        let named = |at: &str| shell.out(&format!("get configmaps -o name {at}"));
        assert!(named("").contains("configmap/b"));
        assert!(!named("--at before").contains("configmap/b"));
        assert!(
            shell
                .out("describe configmap a --at before")
                .contains("\n1\n")
        );
        let gone = shell.fails("get configmap b --at before");
        assert!(gone.contains("\"b\" not found"), "{gone}");
        shell.refuses(&[
            (
                "get configmaps --at nowhere",
                "\"nowhere\" is not a revision, a time, a duration or a mark in the history",
            ),
            (
                "mark 10m",
                "\"10m\" cannot be the name of a mark: use letters, digits, '-', '_' and single '.', with a letter first",
            ),
        ]);
        let watch = shell.fails("get pods -w --at before");
        assert!(
            watch.contains("--at cannot be used with --watch"),
            "{watch}"
        );
        let far = shell.fails("events --at 99999");
        assert!(far.contains("revision 99999 does not exist yet"), "{far}");
    }
}
