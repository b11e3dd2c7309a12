//! `ctl cluster list`.

use std::collections::BTreeSet;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::api::json::{Value, json};
use crate::cli::commands::clock;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::StructuredOutputArgs;
use crate::cli::state_dir::clusters_directory;
use crate::cli::state_dir::is_cluster;
use crate::cluster::{Cluster, Range};
use crate::print::tabwriter::TABLE;

/// List the clusters in the user's data directory and the current one
///
/// Example: ctl cluster list
#[derive(Args, Debug)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

/// The columns after the mark of the current cluster, named like the fields of the structured output.
const COLUMNS: [&str; 6] = ["name", "clock", "nodes", "objects", "revision", "directory"];

pub(crate) fn run(args: &ListArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let current = context.directory()?;
    let mut all = Vec::new();
    for path in directories(&current) {
        all.push(seen(&path, path == current, context)?);
    }
    if all.is_empty() && args.answer.is_human() {
        context
            .ui
            .note("No clusters yet: the first command creates one.");
        return Ok(ExitCode::SUCCESS);
    }
    // The table is for people; `-o json` also has the reason why a cluster cannot be opened.
    let head = iter::once("CURRENT".to_owned()).chain(COLUMNS.map(str::to_uppercase));
    let rows = iter::once(head.collect()).chain(all.iter().map(row));
    let lines: Vec<String> = rows.map(|row: Vec<String>| row.join("\t")).collect();
    let table = TABLE.apply(&lines.join("\n"));
    args.answer.print(context, table, &Value::from(all))?;
    Ok(ExitCode::SUCCESS)
}

fn directories(current: &Path) -> BTreeSet<PathBuf> {
    let named = clusters_directory()
        .ok()
        .and_then(|dir| std::fs::read_dir(dir).ok());
    let found = named
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    // The current cluster may be in any directory; the set removes the duplicate if it is a named one.
    found
        .chain([current.to_path_buf()])
        .filter(|path| is_cluster(path))
        .collect()
}

/// Returns the description of a cluster, or the reason why it cannot be opened.
fn seen(path: &Path, current: bool, context: &Context) -> Result<Value, CliError> {
    let directory = path.display().to_string();
    let opened = Cluster::open(path, context.open()?).and_then(|cluster| {
        cluster
            .stored()
            .list(&Range::all(), None)
            .map(|list| (cluster, list))
    });
    Ok(match opened {
        Ok((cluster, list)) => {
            let settings = cluster.settings();
            json!({
                "current": current, "name": settings.name, "clock": clock::name(settings.clock),
                "nodes": settings.nodes, "objects": list.items.len(), "revision": list.revision,
                "directory": directory,
            })
        }
        // One broken cluster must not keep the others from being listed.
        Err(e) => json!({
            "current": current, "directory": directory, "error": e.to_string(),
        }),
    })
}

fn row(seen: &Value) -> Vec<String> {
    let mark = if seen["current"] == true { "*" } else { "" };
    let cell = |column: &str| match (&seen[column], &seen["error"]) {
        (Value::String(place), Value::String(why)) if column == "directory" => {
            format!("{place}: {why}")
        }
        (Value::String(text), _) => text.to_string(),
        (Value::Null, _) => "-".to_owned(),
        (other, _) => other.to_string(),
    };
    iter::once(mark.to_owned())
        .chain(COLUMNS.map(cell))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn list_marks_the_current_cluster_and_prints_read_errors() {
        let shell = Shell::new();
        let out = shell.out("cluster list");
        let line = out.lines().find(|line| line.contains("@/state")).unwrap();
        assert!(
            line.split_whitespace().next() == Some("*") && line.contains("virtual"),
            "{out}"
        );
        let all = shell.json("cluster list");
        let own = all
            .as_array()
            .unwrap()
            .iter()
            .find(|c| c["current"] == true)
            .unwrap();
        assert!(own["objects"].as_u64().unwrap() > 5, "{own}");
        let broken = json!({"current": true, "directory": "d", "error": "why"});
        assert_eq!(row(&broken), ["*", "-", "-", "-", "-", "-", "d: why"]);
    }
}
