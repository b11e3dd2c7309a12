//! The file of a schedule: the scenario, the initial cluster, the decisions, and the problem.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::scenario::{Line, Prepared, Steps};
use crate::api::json::{Value, from_bytes, json};
use crate::cli::commands::test::explored::cases;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::output::write_private_file;
use crate::cli::run_on_fork;
use crate::cluster;
use crate::runtime::explore::{Decision, FoundProblem, Problem};
use crate::sys::scratch::ScratchDir;

/// The version and the kind of the document.
const API_VERSION: &str = "ctl.dev/v1";
const KIND: &str = "Schedule";

/// A schedule that was read from a file.
pub(in crate::cli::commands) struct Recipe<'a> {
    pub(in crate::cli::commands) scenario: Prepared<'a>,
    pub(in crate::cli::commands) decisions: Vec<Decision>,
    /// The directory with the scenario's files, kept as long as the scenario may run.
    _files: Option<ScratchDir>,
}

/// Returns the lines about a problem.
pub(in crate::cli::commands) fn lines(problem: &Problem) -> Vec<String> {
    match problem {
        Problem::Differs(lines) => lines.clone(),
        Problem::Violates(text) => text.lines().map(str::to_owned).collect(),
    }
}

/// Writes the file of a problem. `start` is the exported cluster that the commands begin with; none for a new cluster.
pub(super) fn write(
    path: &Path,
    scenario: &Prepared<'_>,
    found: &FoundProblem,
    start: Option<&[u8]>,
    namespace: &str,
) -> Result<(), CliError> {
    let decisions = serde_json::to_vec(&found.shortest).map_err(|e| CliError::text(e.to_string()));
    let decisions = from_bytes(&decisions?, &[]).unwrap_or_default();
    let steps = match &scenario.steps {
        Steps::Commands(lines) => {
            let commands = lines
                .iter()
                .map(|line| json!({"words": line.words.clone(), "input": line.input.clone()}));
            json!({"commands": commands.collect::<Vec<_>>(), "namespace": namespace,
                "cluster": start.map(|bytes| STANDARD.encode(bytes))})
        }
        Steps::Case(case) => {
            json!({"case": case.name(), "file": case.file(), "files": case.files()?})
        }
    };
    let document = json!({
        "apiVersion": API_VERSION, "kind": KIND, "name": scenario.name.as_str(),
        "seed": found.seeds.first().copied(), "problem": lines(&found.problem),
        "conditions": scenario.conditions.clone(), "decisions": decisions, "scenario": steps,
    });
    // Only the owner can read the file, because the cluster in it has Secrets.
    write_private_file(path, &format!("{document}\n"))
        .map_err(|e| CliError::text(format!("{}: {e}", path.display())))
}

/// Reads the file of a schedule.
pub(in crate::cli::commands) fn read<'a>(
    bytes: &[u8],
    context: &'a Context,
    timeout: Duration,
) -> Result<Recipe<'a>, CliError> {
    // A file in another format is most likely the wrong file, so the parser's own message would not help.
    let document = from_bytes(bytes, &[]).unwrap_or_default();
    if document["apiVersion"] != API_VERSION || document["kind"] != KIND {
        return Err(CliError::text(
            "is neither a schedule of `ctl explore` nor a file of `ctl export`",
        ));
    }
    let decisions = serde_json::from_str(&document["decisions"].to_string());
    let decisions: Vec<Decision> =
        decisions.map_err(|e| CliError::text(format!("decisions: {e}")))?;
    let conditions = texts(&document["conditions"]);
    let steps = &document["scenario"];
    let files = ScratchDir::new("ctl-replay-")?;
    let scenario = match steps["file"].as_str() {
        Some(file) => {
            let path = unpacked(&files, file, &steps["files"])?;
            let name = steps["case"].as_str().unwrap_or_default();
            let mut all = cases(&path.display().to_string(), context, timeout)?;
            all.retain(|case| case.name() == name);
            let case = all.into_iter().next();
            let case = case.ok_or_else(|| CliError::text(format!("there is no case {name:?}")))?;
            Prepared::case(context, case, conditions, timeout)?
        }
        None => {
            let start = match steps["cluster"].as_str() {
                Some(text) => restored(&files, text, context)?,
                None => context.new_in_memory()?,
            };
            let mut start = context.fork_of(start, run_on_fork, Some(timeout))?;
            if let (Some(own), Some(namespace)) =
                (Arc::get_mut(&mut start), steps["namespace"].as_str())
            {
                own.global.namespace = Some(namespace.to_owned());
            }
            let list = steps["commands"].as_array();
            let lines = list
                .into_iter()
                .flat_map(|list| list.iter())
                .map(|line| Line {
                    words: texts(&line["words"]),
                    input: line["input"].as_str().map(str::to_owned),
                });
            let name = document["name"].as_str().unwrap_or_default().to_owned();
            Prepared::commands(context, name, lines.collect(), conditions, &start)?
        }
    };
    Ok(Recipe {
        scenario,
        decisions,
        _files: Some(files),
    })
}

fn texts(list: &Value) -> Vec<String> {
    let list = list.as_array().into_iter().flat_map(|list| list.iter());
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Restores an export as a cluster in memory.
fn restored(
    files: &ScratchDir,
    text: &str,
    context: &Context,
) -> Result<cluster::Cluster, CliError> {
    let bytes = STANDARD.decode(text);
    let bytes = bytes.map_err(|e| CliError::text(format!("cluster: {e}")))?;
    let directory = files.path().join("cluster");
    let restored = cluster::restore(&bytes[..], &directory, context.open()?)?;
    let (revision, now) = restored.stored().moment()?;
    Ok(restored.stored().as_of(revision, now)?)
}

/// Writes the files of a case into a directory. Returns the path of the file with the case.
fn unpacked(files: &ScratchDir, file: &str, all: &Value) -> Result<PathBuf, CliError> {
    let below = files.path().join("case");
    for (name, text) in all.as_object().into_iter().flat_map(|map| map.iter()) {
        let inside = Path::new(&**name)
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)));
        // The file may come from an untrusted source, and must not write outside the directory.
        if !inside {
            return Err(CliError::text(format!("{name}: is outside of the case")));
        }
        let path = below.join(&**name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        write_private_file(&path, text.as_str().unwrap_or_default())?;
    }
    Ok(below.join(file))
}
