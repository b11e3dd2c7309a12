//! `ctl annotate`.

use clap::Args;

use super::Outcome;
use super::pairs::{self, Changes, CommonArgs, Editing, Map};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::ResultPrinter;
use crate::cli::resource::Info;

/// Add, change or remove annotations
///
/// Examples:
///   ctl annotate deploy web note='read me'
///   ctl annotate pods --all note=new --overwrite
///   ctl annotate deploy web note-
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct AnnotateArgs {
    /// TYPE NAME or TYPE/NAME, then KEY=VALUE or KEY- for each annotation
    words: Vec<String>,
    #[command(flatten)]
    common: CommonArgs,
    /// List the annotations
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(args: &AnnotateArgs, context: &Context) -> Outcome {
    let map = Map {
        noun: "annotation",
        field: "annotations",
        manager: "kubectl-annotate",
        parse,
        edit,
    };
    pairs::run(&map, &args.words, args.list, &args.common, context)
}

fn parse(pairs: &[String]) -> Result<Changes, CliError> {
    let mut changes = Changes::default();
    let mut wrong: Vec<&str> = Vec::new();
    for pair in pairs {
        match (pair.split_once('='), pair.strip_suffix('-')) {
            (Some((key, value)), _) => {
                // The last value of a repeated key wins. Unlike a label's, a value may contain `=`.
                changes.set.retain(|(k, _)| k != key);
                changes.set.push((key.to_owned(), value.to_owned()));
            }
            (None, Some(key)) if !key.is_empty() => changes.removed.push(key.to_owned()),
            _ => wrong.push(pair),
        }
    }
    if !wrong.is_empty() {
        let wrong = wrong.join(", ");
        return Err(CliError::text(format!(
            "invalid annotation format: {wrong}"
        )));
    }
    let both = |key: &&String| changes.set.iter().any(|(k, _)| k == *key);
    let twice: Vec<&str> = changes
        .removed
        .iter()
        .filter(both)
        .map(String::as_str)
        .collect();
    if !twice.is_empty() {
        return Err(CliError::text(format!(
            "can not both modify and remove the following annotation(s) in the same command: {}",
            twice.join(", ")
        )));
    }
    Ok(changes)
}

fn edit(
    map: &Editing<'_>,
    info: &Info,
    printer: &ResultPrinter<'_>,
) -> Result<(Info, &'static str), CliError> {
    let taken = map.changes.taken(&info.object, "annotations");
    if !map.common.overwrite && !taken.is_empty() {
        let taken = taken
            .iter()
            .map(|(k, old)| format!("'{k}' already has a value ({old})"));
        return Err(CliError::text(format!(
            "--overwrite is false but found the following declared annotation(s): {}",
            taken.collect::<Vec<_>>().join("; ")
        )));
    }
    // `--local` and `--dry-run=client` send no request and only print the result.
    let Some(cluster) = map.cluster else {
        let changed = map.changes.apply(&info.object, "annotations");
        let changed = Changes::shown(changed, "annotations");
        return Ok((info.with(changed), "annotated"));
    };
    // The change cause is recorded first, so that a `kubernetes.io/change-cause` on the command line prevails.
    let recorded = map.common.record.mark(map.context, info.object.clone());
    let changed = map.changes.apply(&recorded, "annotations");
    Ok((map.send(cluster, info, &changed, printer)?, "annotated"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn annotation_value_follows_the_first_equals_sign() {
        let parsed = |pairs: &[&str]| {
            let pairs: Vec<String> = pairs.iter().map(|p| (*p).to_owned()).collect();
            parse(&pairs)
        };
        let changes = parsed(&["a=b=c", "d-"]).unwrap();
        assert_eq!(changes.set, [("a".to_owned(), "b=c".to_owned())]);
        assert_eq!(changes.removed, ["d"]);
        assert_eq!(
            parsed(&["a", "-"]).unwrap_err().to_string(),
            "invalid annotation format: a, -"
        );
        assert!(
            parsed(&["a=1", "a-"])
                .unwrap_err()
                .to_string()
                .ends_with("command: a")
        );
    }

    #[test]
    fn existing_annotation_changes_only_with_overwrite() {
        let shell = Shell::new();
        let _ = shell.out("create configmap c");
        assert_eq!(
            shell.out("annotate cm c note='read me'"),
            "configmap/c annotated\n"
        );
        assert_eq!(
            shell.out("annotate cm c note='read me'"),
            "configmap/c annotated\n"
        );
        shell.refuses(&[
            (
                "annotate cm c note=other",
                "--overwrite is false but found the following declared annotation(s): 'note' already has a value \
                 (read me)",
            ),
            ("annotate cm c", "at least one annotation update is required"),
            (
                "annotate cm c a=b other",
                "all resources must be specified before annotation changes: other",
            ),
            ("annotate cm c a=b a-", "can not both modify and remove the following annotation(s) in the same command: a"),
        ]);
        assert_eq!(
            shell.out("annotate cm c note=other --overwrite"),
            "configmap/c annotated\n"
        );
        for format in ["", " -o yaml", " -o name"] {
            let line = format!("annotate cm c --list{format}");
            assert_eq!(shell.out(&line), "note=other\n", "{line}");
        }
        assert_eq!(
            shell.out("annotate cm c note- --dry-run=client"),
            "configmap/c annotated (dry run)\n"
        );
        let none = shell.out("annotate cm c note- --dry-run=client -o yaml");
        assert!(none.contains("  annotations: {}\n"), "{none}");
        let _ = shell.out("annotate cm c note-");
        assert_eq!(shell.out("annotate cm c --list"), "");
    }
}
