//! `ctl set subject`.

use std::collections::BTreeSet;

use clap::Args;

use super::{CommonArgs, LabelArgs, ResultRules};
use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::resource::Info;
use crate::kinds::client::Grant;

/// Update the user, group, or service account in a RoleBinding or ClusterRoleBinding
///
/// Examples:
///   ctl set subject rolebinding readers --user=ann --group=devs
///   ctl set subject clusterrolebinding all --serviceaccount=default:robot
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct SubjectArgs {
    /// TYPE NAME or TYPE/NAME
    words: Vec<String>,
    /// User to add to the binding
    #[arg(long, value_name = "NAME")]
    user: Vec<String>,
    /// Group to add to the binding
    #[arg(long, value_name = "NAME")]
    group: Vec<String>,
    /// Service account to add to the binding, as NAMESPACE:NAME
    #[arg(long, value_name = "NAME")]
    serviceaccount: Vec<String>,
    #[command(flatten)]
    labels: LabelArgs,
    #[command(flatten)]
    common: CommonArgs,
}

pub(super) fn run(args: &SubjectArgs, context: &Context) -> Outcome {
    args.common.check_modes(context)?;
    let cluster = args.common.cluster(context)?;
    let found = args
        .common
        .find(&args.words, &args.labels, cluster.as_ref(), context)?;
    args.common.check(&args.words, &args.labels)?;
    if args.user.is_empty() && args.group.is_empty() && args.serviceaccount.is_empty() {
        let text = "you must specify at least one value of user, group or serviceaccount";
        return Err(CliError::text(text));
    }
    let subjects = subjects(args, &found, context)?;
    let change = &mut |info: &Info, _: &mut Vec<CliError>| {
        if info.kind.grants_by() != Some(Grant::Subjects) {
            let text = "setting subjects is only supported for RoleBinding/ClusterRoleBinding";
            return Err(CliError::text(text));
        }
        let mut object = info.object.clone();
        let mut all = object["subjects"].as_array().cloned().unwrap_or_default();
        for subject in &subjects {
            // A subject is added only once, so repeating the command changes nothing.
            if !all.contains(subject) {
                all.push(subject.clone());
            }
        }
        object["subjects"] = json!(all);
        Ok(object)
    };
    let rules = ResultRules {
        done: "subjects updated",
        failed: "failed to patch subjects to rolebinding: ",
        always: false,
    };
    args.common
        .change(found, cluster.as_ref(), context, &rules, change)
}

/// Returns the names in a flag, sorted and without duplicates.
fn names(given: &[String]) -> BTreeSet<&str> {
    given.iter().map(String::as_str).collect()
}

fn subjects(args: &SubjectArgs, found: &[Info], context: &Context) -> Result<Vec<Value>, CliError> {
    const GROUP: &str = "rbac.authorization.k8s.io";
    let named = |kind: &str, given: &[String]| -> Vec<Value> {
        let subject = |name| json!({"kind": kind, "apiGroup": GROUP, "name": name});
        names(given).into_iter().map(subject).collect()
    };
    let mut subjects = named("User", &args.user);
    subjects.extend(named("Group", &args.group));
    let default = context.namespace()?;
    for account in names(&args.serviceaccount) {
        let refuse = |text: &str| Err(CliError::text(text));
        let parts: Vec<&str> = account.split(':').collect();
        let (namespace, name) = match parts.as_slice() {
            [namespace, name] if !name.is_empty() => (*namespace, *name),
            _ => return refuse("serviceaccount must be <namespace>:<name>"),
        };
        let everywhere =
            |info: &Info| !info.kind.namespaced && info.kind.grants_by() == Some(Grant::Subjects);
        // A ClusterRoleBinding has no namespace to use for `:NAME`.
        if namespace.is_empty() && found.iter().any(everywhere) {
            return refuse(
                "serviceaccount must be <namespace>:<name>, namespace must be specified",
            );
        }
        let namespace = match namespace {
            "" => default.as_str(),
            named => named,
        };
        subjects.push(json!({"kind": "ServiceAccount", "namespace": namespace, "name": name}));
    }
    Ok(subjects)
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    #[test]
    fn new_subjects_follow_existing_ones_sorted_by_name() {
        let shell = Shell::new();
        let _ = shell.out("create rolebinding r --role=reader --user=zoe");
        let out = shell.out(
            "set subject rolebinding/r --user=bob --user=ann --user=zoe --serviceaccount=:robot --group=a,b",
        );
        assert_eq!(
            out,
            "rolebinding.rbac.authorization.k8s.io/r subjects updated\n"
        );
        let group = "rbac.authorization.k8s.io";
        assert_eq!(
            shell.json("get rolebinding r")["subjects"],
            json!([
                {"apiGroup": group, "kind": "User", "name": "zoe"},
                {"apiGroup": group, "kind": "User", "name": "ann"},
                {"apiGroup": group, "kind": "User", "name": "bob"},
                {"apiGroup": group, "kind": "Group", "name": "a,b"},
                {"kind": "ServiceAccount", "name": "robot", "namespace": "default"},
            ])
        );
        assert_eq!(shell.out("set subject rolebinding/r --user=ann"), "");
    }

    #[test]
    fn set_subject_requires_a_binding_and_a_namespaced_account() {
        let shell = Shell::new();
        shell.all(&[
            "create clusterrolebinding all --clusterrole=view",
            "create rolebinding r --role=reader",
            "create configmap c",
        ]);
        shell.refuses(&[
            (
                "set subject rolebinding/r",
                "you must specify at least one value of user, group or serviceaccount",
            ),
            (
                "set subject rolebinding/r --serviceaccount=robot",
                "serviceaccount must be <namespace>:<name>",
            ),
            (
                "set subject clusterrolebinding/all --serviceaccount=:robot",
                "serviceaccount must be <namespace>:<name>, namespace must be specified",
            ),
            (
                "set subject configmap/c --user=ann",
                "configmaps/c setting subjects is only supported for RoleBinding/ClusterRoleBinding",
            ),
        ]);
    }
}
