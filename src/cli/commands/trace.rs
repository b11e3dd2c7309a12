//! `ctl trace`.

use clap::Args;

use super::Outcome;
use super::controllers::ControllerSelection;
use super::step::walk;
use crate::cli::context::Context;
use crate::cli::options::StructuredOutputArgs;

/// Run the controllers until nothing is left to do, and show every reconcile that wrote something
///
/// Works like `ctl settle`, one reconcile at a time, and shows each as `ctl step` does: the change that made the
/// key due, the rules of the plan with their reasons, and the commits. On the system clock, it ends at the first
/// timer. With -o json, the output is a stream of the objects that `ctl step` prints.
///
/// Examples:
///   ctl scale deployment web --replicas=5 && ctl trace
///   ctl trace --only deployment,replicaset
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct TraceArgs {
    #[command(flatten)]
    which: ControllerSelection,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

pub(crate) fn run(args: &TraceArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    walk(&args.which, None, &args.answer, context)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn every_reconcile_up_to_the_settled_cluster_is_shown() {
        let shell = Shell::empty();
        let _ = shell.out("cluster init --clock virtual --seed 7");
        let _ = shell.out("create deployment web --image=i");
        let out = shell.out("trace");
        for head in [
            "deployment default/web\n",
            "replicaset default/web-",
            "\nscheduler\n",
            "kubelet default/web-",
        ] {
            assert!(out.contains(head), "{head:?} is not in\n{out}");
        }
        let said = shell.run("settle");
        assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
        assert!(shell.out("trace").starts_with("nothing is due\n"));
    }
}
