//! `ctl why`.

mod missing;

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::api::json::{Value, from_bytes, json};
use crate::api::status::Status;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::history::{Times, fitted, names, object, past};
use crate::cli::options::StructuredOutputArgs;
use crate::cluster::{Cluster, Key};
use crate::history::{Chain, End, FieldPath, History, HistoryStart, Names, Step, last_change_of};

/// The number of steps shown at the beginning and at the end of a long chain.
const ENDS: usize = 6;

/// Show the chain of causes of an object, back to a command, an edited file or the clock
///
/// The first step is the last change of the object, or its deletion; each further step is the change
/// that triggered the one above. With --field, the first step is the change that gave a field its
/// value.
///
/// Examples:
///   ctl why pod/web-7f9-x2x                     the causes of a Pod
///   ctl why deploy/web --field spec.replicas    the command that set a field
///   ctl why deploy/web --not Available          the reasons why it is not available
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct WhyArgs {
    /// The object: TYPE/NAME, or TYPE and NAME
    #[arg(value_name = "TYPE/NAME", required = true)]
    words: Vec<String>,
    // An attribute instead of a comment, because rustdoc would take the brackets for a link.
    #[arg(
        long,
        value_name = "PATH",
        conflicts_with = "not",
        help = "The field that the chain begins with, such as spec.replicas or status.conditions[Ready].status"
    )]
    field: Option<String>,
    /// Show why the object lacks this condition instead, such as Available or Ready
    #[arg(long, value_name = "CONDITION")]
    not: Option<String>,
    /// Show every step of a long chain
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

pub(crate) fn run(args: &WhyArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let cluster = past(context)?;
    let (info, key) = object(context, &cluster, &args.words)?;
    if let Some(condition) = &args.not {
        return missing::run(&cluster, &info, condition, &args.answer, context);
    }
    cluster.files().import_saved(Some(&key))?;
    let (history, chain) = match &args.field {
        None => {
            let history = History::with_causes_of(&cluster, &key)?;
            let chain = history.why(&key);
            (history, chain)
        }
        Some(field) => {
            let path: FieldPath = field.parse().map_err(CliError::text)?;
            // Revision 0 has no commit, so the chain is empty and `unknown` explains why.
            let at = last_change_of(&cluster, &key, &path)?.unwrap_or_default();
            let history = History::with_causes_at(&cluster, at, &key)?;
            let chain = history.why_at(at, key.as_str());
            (history, chain)
        }
    };
    if chain.steps.is_empty() {
        return unknown(args, &cluster, &key, &info.shown(), history.begins());
    }
    let names = names(context, &cluster)?;
    let sentence = format_chain(&chain, args.all, &names, &cluster)?;
    let sentence = fitted(&sentence, context.ui.columns());
    args.answer
        .print(context, sentence.trim_end(), &data(&chain, &key))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the error that explains why the chain is empty.
fn unknown(
    args: &WhyArgs,
    cluster: &Cluster,
    key: &Key,
    shown: &str,
    begins: HistoryStart,
) -> Outcome {
    // An existing object that predates the history is not missing; only its origin is no longer retained.
    let there = cluster.stored().get(key)?;
    let Some(there) = there else {
        return Err(Status::not_found(key.resource(), key.name()).into());
    };
    let what = match &args.field {
        None => shown.to_owned(),
        Some(field) => {
            let path: FieldPath = field.parse().map_err(CliError::text)?;
            let object = from_bytes(&there.json, &[]).unwrap_or_default();
            if path.find(&object).is_none() {
                return Err(CliError::text(format!("{shown} has no field {field}")));
            }
            format!("field {field} of {shown}")
        }
    };
    Err(CliError::text(format!(
        "the history has no change of {what}: {begins:#}"
    )))
}

/// Formats a chain as text, each step with its reason on its own line.
pub(super) fn format_chain(
    chain: &Chain,
    all: bool,
    names: &Names,
    cluster: &Cluster,
) -> Result<String, CliError> {
    let times = chain.steps.iter().map(|step| step.time);
    let times = Times::for_commits(times, cluster.now()?);
    let (count, mut lines) = (chain.steps.len(), Vec::new());
    let first = chain.steps.first().map_or(0, |step| step.revision);
    // The first step is the latest, so its revision is the longest number.
    let width = first.to_string().len();
    for (at, step) in chain.steps.iter().enumerate() {
        // Hiding a single step would save no line.
        let is_inner = at >= ENDS && at < count - ENDS && count > 2 * ENDS + 1;
        if is_inner && !all {
            if at == ENDS {
                let left = count - 2 * ENDS;
                lines.push(format!(
                    "{:width$}  ... {left} more steps (--all shows them)",
                    ""
                ));
            }
            continue;
        }
        let time = times.shown(step.time);
        let indent = width + 2 + time.chars().count() + 2;
        let author = step.origin.author(&step.writer);
        let (object, action) = (names.object(&step.key), step.action.participle());
        let revision = step.revision;
        lines.push(format!(
            "{revision:>width$}  {time}  {author} {action} {object}"
        ));
        lines.push(format!("{:indent$}{}", "", step.reason()));
        let before = chain.steps.get(at + 1);
        lines.extend(
            before
                .and_then(|before| passed(step, before))
                .map(|text| format!("{:indent$}{text}", "")),
        );
    }
    if let End::Forgotten(begins) = chain.end {
        lines.push(format!("{:width$}  {begins}", ""));
    }
    Ok(lines.join("\n"))
}

/// Returns the time since the step that triggered this one if it is long, because the step was then waiting for a
/// timer.
fn passed(step: &Step, before: &Step) -> Option<String> {
    let span = step.time.duration_since(before.time);
    let span = jiff::SignedDuration::from_secs(span.as_secs());
    (span.as_secs() > 0).then(|| format!("({span:#} after the step below)"))
}

/// Returns a chain as structured output.
pub(super) fn data(chain: &Chain, key: &Key) -> Value {
    let step = |step: &Step| {
        json!({"revision": step.revision, "time": step.time.to_string(),
            "writer": step.writer.as_str(), "origin": step.origin.name(),
            "rule": step.rule.as_str(), "object": step.key.as_str(),
            "change": step.action.participle()})
    };
    let steps: Vec<Value> = chain.steps.iter().map(step).collect();
    json!({"object": key.as_str(), "steps": steps, "complete": chain.is_complete()})
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::new();
        shell.all(&[
            "create deployment web --image=i",
            "settle",
            "set image deployment/web i=j",
            "scale deployment web --replicas=3",
            "settle",
        ]);
        shell
    }

    fn writers(shell: &Shell, line: &str) -> Vec<String> {
        let chain = shell.json(line);
        assert_eq!(chain["complete"], true, "{chain}");
        let steps = chain["steps"].as_array().unwrap().iter();
        steps
            .map(|step| step["writer"].as_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn a_pod_leads_back_to_the_command_through_every_controller() {
        let shell = shell();
        let pod = shell
            .out("get pods -o name")
            .lines()
            .next()
            .unwrap()
            .to_owned();
        let writers = writers(&shell, &format!("why {pod}"));
        let (last, controllers) = writers.split_last().unwrap();
        assert!(controllers.starts_with(&["kubelet".to_owned(), "scheduler".to_owned()]));
        assert!(
            controllers.contains(&"replicaset".to_owned()),
            "{controllers:?}"
        );
        assert!(last.starts_with("kubectl "), "{last}");
        let out = shell.out(&format!("why {pod}"));
        assert!(out.contains(&format!("scheduler updated {pod}\n")), "{out}");
        assert!(
            out.trim_end().ends_with("--replicas=3") || out.contains("i=j"),
            "{out}"
        );
    }

    #[test]
    fn a_field_leads_back_to_the_command_that_set_it() {
        let shell = shell();
        let field = |path: &str| writers(&shell, &format!("why deploy/web --field {path}"));
        let [scaled] = &field("spec.replicas")[..] else {
            panic!("{:?}", field("spec.replicas"))
        };
        assert!(
            scaled.ends_with("scale deployment web --replicas=3"),
            "{scaled}"
        );
        let image = field("spec.template.spec.containers[0].image");
        assert!(
            image[0].ends_with("set image deployment/web i=j"),
            "{image:?}"
        );
        assert!(field("status.readyReplicas").len() > 3);
        shell.refuses(&[
            (
                "why deploy/web --field spec.none",
                "deployment.apps/web has no field spec.none",
            ),
            (
                "why deploy/web --field spec..x",
                "\"spec..x\" has an empty name",
            ),
        ]);
    }

    #[test]
    fn why_explains_a_deletion_and_rejects_unknown_objects() {
        let shell = shell();
        shell.all(&["delete deployment web", "settle"]);
        let out = shell.out("why deploy/web");
        assert!(out.contains("deleted deployment.apps/web"), "{out}");
        let gone = shell.fails("why deploy/other");
        assert_eq!(
            gone,
            "Error from server (NotFound): deployments.apps \"other\" not found"
        );
    }
}
