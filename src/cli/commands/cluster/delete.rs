//! `ctl cluster delete`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use super::init::directory;
use crate::api::json::json;
use crate::cli::context::Context;
use crate::cli::options::AnswerArgs;
use crate::cluster::Cluster;

/// Remove a cluster with its directory and its whole history
///
/// Example: ctl cluster delete ci
#[derive(Args, Debug)]
pub(crate) struct DeleteArgs {
    /// The cluster's name; the current one without it
    name: Option<String>,
    #[command(flatten)]
    answer: AnswerArgs,
}

pub(crate) fn run(args: &DeleteArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let path = directory(args.name.as_deref(), context)?;
    Cluster::destroy(&path)?;
    let place = path.display();
    let data = json!({"directory": place.to_string(), "done": "deleted"});
    let sentence = format_args!("cluster in {place} deleted");
    args.answer.tell(context, sentence, &data)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn the_directory_goes_and_what_is_no_cluster_stays() {
        let shell = Shell::new();
        let _ = shell.fails("cluster delete -o odd");
        assert!(shell.state().exists());
        assert_eq!(shell.out("cluster delete"), "cluster in @/state deleted\n");
        assert!(!shell.state().exists());
        shell.refuses(&[(
            "cluster delete",
            "no cluster in @/state; `ctl cluster init` makes one",
        )]);
        shell.write("state/mine.txt", "kept");
        let _ = shell.fails("cluster delete");
        assert!(shell.path("state/mine.txt").exists());
    }
}
