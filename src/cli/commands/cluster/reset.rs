//! `ctl cluster reset`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use super::init::{about, existing};
use super::inventory::{self, ConfirmArgs};
use crate::api::json::json;
use crate::cli::context::Context;
use crate::cli::options::StructuredOutputArgs;
use crate::cluster;

/// Delete all objects and the history of a cluster, and keep its settings
///
/// Deletes what ctl created except the settings. It keeps and lists other files, as `ctl cluster delete` does. On a
/// terminal, it asks for confirmation.
///
/// Examples:
///   ctl cluster reset          the current cluster
///   ctl cluster reset ci -y    the cluster ci, without confirmation
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ResetArgs {
    /// The cluster's name; the current one without it
    name: Option<String>,
    #[command(flatten)]
    confirm: ConfirmArgs,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

pub(crate) fn run(args: &ResetArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let path = existing(args.name.as_deref(), context)?;
    let found = cluster::inventory(&path)?;
    if !args.confirm.ask(context, "reset", &path, &found)? {
        return Ok(ExitCode::SUCCESS);
    }
    let (cluster, found) = cluster::reset(&path, context.open()?)?;
    // Like a new cluster, a reset one gets its nodes, namespaces and default objects.
    context.fill(&cluster)?;
    let name = &cluster.settings().name;
    let told = inventory::describe_leftovers(&path, &found);
    let sentence = format!("cluster {name:?} in {} reset{told}", path.display());
    let mut data = about(&cluster, "reset")?;
    data["edited"] = json!(found.edited);
    data["left"] = json!(found.others);
    args.answer.print(context, sentence, &data)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn reset_deletes_objects_and_history_and_keeps_settings() {
        let shell = Shell::new();
        let _ = shell.out("create configmap mine");
        let before = shell.json("cluster list");
        assert_eq!(
            shell.out("cluster reset"),
            "cluster \"ctl\" in @/state reset\n"
        );
        assert_eq!(shell.out("get cm mine --ignore-not-found"), "");
        assert_eq!(shell.out("get ns default -o name"), "namespace/default\n");
        let after = shell.json("cluster list");
        let of = |all: &crate::api::json::Value, field: &str| {
            let own = all
                .as_array()
                .unwrap()
                .iter()
                .find(|c| c["current"] == true);
            own.unwrap()[field].clone()
        };
        assert_eq!(
            (of(&after, "clock"), of(&after, "nodes")),
            (of(&before, "clock"), of(&before, "nodes"))
        );
        assert!(of(&after, "revision").as_u64() < of(&before, "revision").as_u64());
    }
}
