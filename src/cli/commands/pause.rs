//! `ctl pause` and `ctl resume`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use super::controllers::{ControllerSelection, all};
use crate::api::json::json;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::StructuredOutputArgs;

/// Pause controllers, to observe the others or to run your own instead
///
/// A paused controller does not run in any process of the cluster, including `ctl settle`; running processes notice
/// within a second. `ctl resume` ends the pause. Without arguments, ctl pause lists the paused controllers.
///
/// Examples:
///   ctl pause deployment           then change a Deployment and watch its Pods
///   ctl pause replicaset kubelet
///   ctl pause                      the paused controllers
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct PauseArgs {
    /// Controllers, as `ctl controllers --only` names them
    #[arg(value_name = "CONTROLLER")]
    names: Vec<String>,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

/// Resume paused controllers
///
/// Examples:
///   ctl resume deployment
///   ctl resume --all
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ResumeArgs {
    /// Paused controllers
    #[arg(value_name = "CONTROLLER", required_unless_present = "all")]
    names: Vec<String>,
    /// Resume all paused controllers
    #[arg(long, conflicts_with = "names")]
    all: bool,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

pub(crate) fn pause(args: &PauseArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    known(&args.names)?;
    let mut cluster = context.open_as_administrator()?;
    let new = match args.names.as_slice() {
        [] => Vec::new(),
        names => cluster.configure().pause(names)?,
    };
    let paused = cluster.election().paused();
    let sentence = match args.names.as_slice() {
        [] if paused.is_empty() => "no controller is paused".to_owned(),
        [] => paused.join("\n"),
        _ if new.is_empty() => "unchanged".to_owned(),
        _ => format!("paused {}", new.join(", ")),
    };
    args.answer
        .print(context, sentence, &json!({"paused": &*paused}))?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn resume(args: &ResumeArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    known(&args.names)?;
    let mut cluster = context.open_as_administrator()?;
    let names = (!args.all).then_some(args.names.as_slice());
    let gone = cluster.configure().resume(names)?;
    let sentence = match gone.as_slice() {
        [] => "unchanged".to_owned(),
        gone => format!("resumed {}", gone.join(", ")),
    };
    let paused = cluster.election().paused();
    args.answer.print(
        context,
        sentence,
        &json!({"resumed": gone, "paused": &*paused}),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Rejects names of controllers that do not exist.
fn known(names: &[String]) -> Result<(), CliError> {
    all(&ControllerSelection::only(names)).map(drop)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn a_paused_controller_does_nothing_until_it_is_resumed() {
        let shell = Shell::new();
        assert_eq!(shell.out("pause"), "no controller is paused\n");
        assert_eq!(
            shell.out("pause replicaset job job"),
            "paused replicaset, job\n"
        );
        assert_eq!(shell.out("pause replicaset"), "unchanged\n");
        assert_eq!(shell.out("pause"), "job\nreplicaset\n");
        let _ = shell.out("create deployment web --image=i");
        let said = shell.run("settle");
        assert!(said.err.contains("paused: job, replicaset"), "{said:?}");
        let step = shell.out("step job");
        assert_eq!(
            step,
            "nothing is due\npaused: job, replicaset; `ctl resume` resumes them\n"
        );
        assert_eq!(
            shell.out("get replicasets -o jsonpath={.items[*].status.replicas}"),
            "0"
        );
        assert_eq!(shell.out("resume --all"), "resumed job, replicaset\n");
        assert_eq!(shell.out("resume job"), "unchanged\n");
        let _ = shell.out("settle");
        assert_eq!(
            shell.out("get replicasets -o jsonpath={.items[*].status.replicas}"),
            "1"
        );
        let told = shell.fails("pause nobody");
        assert!(
            told.starts_with("error: unknown controller \"nobody\"; choose from "),
            "{told}"
        );
    }
}
