//! `ctl set subject`.

use clap::Args;

use super::CommonArgs;
use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::resource::Info;

/// Update the user, group, or service account in a role binding or cluster role binding
///
/// Examples:
///   ctl set subject rolebinding readers --user=ann --group=devs
///   ctl set subject clusterrolebinding all --serviceaccount=default:robot
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct SubjectArgs {
    /// TYPE NAME or TYPE/NAME
    words: Vec<String>,
    /// Users
    #[arg(long, value_name = "NAME")]
    user: Vec<String>,
    /// Groups
    #[arg(long, value_name = "NAME")]
    group: Vec<String>,
    /// Service accounts: NAMESPACE:NAME
    #[arg(long, value_name = "NAME")]
    serviceaccount: Vec<String>,
    #[command(flatten)]
    common: CommonArgs,
}

pub(super) fn run(args: &SubjectArgs, context: &Context) -> Outcome {
    args.common.check(&args.words, context)?;
    let subjects = subjects(args)?;
    if subjects.is_empty() {
        let text = "you must specify at least one value of user, group or serviceaccount";
        return Err(CliError::text(text));
    }
    let change = &mut |info: &Info| {
        if !matches!(info.kind.kind, "RoleBinding" | "ClusterRoleBinding") {
            let text = "setting subjects is only supported for RoleBinding/ClusterRoleBinding";
            return Err(CliError::text(text));
        }
        let mut object = info.object.clone();
        let mut all = object["subjects"].as_array().cloned().unwrap_or_default();
        for subject in &subjects {
            if !all.contains(subject) {
                all.push(subject.clone());
            }
        }
        object["subjects"] = json!(all);
        Ok(object)
    };
    args.common
        .change(&args.words, context, "subjects updated", change)
}

fn subjects(args: &SubjectArgs) -> Result<Vec<Value>, CliError> {
    const GROUP: &str = "rbac.authorization.k8s.io";
    let named = |kind: &str, names: &[String]| -> Vec<Value> {
        let names = names.iter().flat_map(|n| n.split(','));
        names
            .map(|name| json!({"kind": kind, "apiGroup": GROUP, "name": name}))
            .collect()
    };
    let mut subjects = named("User", &args.user);
    subjects.extend(named("Group", &args.group));
    for account in args.serviceaccount.iter().flat_map(|a| a.split(',')) {
        let parts: Vec<&str> = account.split(':').collect();
        let [namespace, name] = parts.as_slice() else {
            let text = "serviceaccount must be <namespace>:<name>";
            return Err(CliError::text(text));
        };
        subjects.push(json!({"kind": "ServiceAccount", "namespace": namespace, "name": name}));
    }
    Ok(subjects)
}
