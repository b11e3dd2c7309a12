//! `ctl create rolebinding` and `ctl create clusterrolebinding`.

use clap::Args;

use super::common::{NewArgs, name, require};
use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;

const GROUP: &str = "rbac.authorization.k8s.io";

/// Create a RoleBinding
///
/// Example: ctl create rolebinding readers --role=reader --user=ann --group=devs
#[derive(Args, Debug)]
pub(super) struct RolebindingArgs {
    /// NAME
    words: Vec<String>,
    /// Role to grant
    #[arg(long, value_name = "NAME")]
    role: Option<String>,
    /// ClusterRole to grant in the namespace
    #[arg(long, value_name = "NAME")]
    clusterrole: Option<String>,
    #[command(flatten)]
    subjects: SubjectArgs,
    #[command(flatten)]
    new: NewArgs,
}

/// Create a ClusterRoleBinding
///
/// Example: ctl create clusterrolebinding all-read --clusterrole=view --group=devs
#[derive(Args, Debug)]
pub(super) struct ClusterrolebindingArgs {
    /// NAME
    words: Vec<String>,
    /// ClusterRole to grant
    #[arg(long, value_name = "NAME", required = true)]
    clusterrole: String,
    #[command(flatten)]
    subjects: SubjectArgs,
    #[command(flatten)]
    new: NewArgs,
}

#[derive(Args, Debug)]
struct SubjectArgs {
    /// User to bind to the role
    #[arg(long, value_name = "NAME")]
    user: Vec<String>,
    /// Group to bind to the role
    #[arg(long, value_name = "NAME")]
    group: Vec<String>,
    /// Service account to bind to the role, as NAMESPACE:NAME
    #[arg(long, value_name = "NAMESPACE:NAME")]
    serviceaccount: Vec<String>,
}

pub(super) fn run(args: &RolebindingArgs, context: &Context) -> Outcome {
    let name = name(&args.words, context)?;
    args.new.check()?;
    require(name)?;
    let given = |text: &Option<String>| text.clone().filter(|t| !t.is_empty());
    let role = match (given(&args.clusterrole), given(&args.role)) {
        (Some(name), None) => RoleRef {
            kind: "ClusterRole",
            name,
        },
        (None, Some(name)) => RoleRef { kind: "Role", name },
        // `roleRef` requires exactly one role, and there is no sensible default.
        _ => {
            let text = "exactly one of clusterrole or role must be specified";
            return Err(CliError::text(text));
        }
    };
    let object = args.subjects.binding("RoleBinding", name, &role)?;
    args.new
        .create(object, "failed to create rolebinding: ", context)
}

pub(super) fn run_cluster(args: &ClusterrolebindingArgs, context: &Context) -> Outcome {
    let name = name(&args.words, context)?;
    args.new.check()?;
    let role = RoleRef {
        kind: "ClusterRole",
        name: args.clusterrole.clone(),
    };
    let object = args.subjects.binding("ClusterRoleBinding", name, &role)?;
    args.new
        .create(object, "failed to create clusterrolebinding: ", context)
}

/// The role that a binding grants.
struct RoleRef {
    kind: &'static str,
    name: String,
}

impl SubjectArgs {
    fn binding(&self, kind: &str, name: &str, role: &RoleRef) -> Result<Value, CliError> {
        let of = |kind: &'static str| move |name: &String| json!({"apiGroup": GROUP, "kind": kind, "name": name});
        let mut subjects: Vec<Value> = self.user.iter().map(of("User")).collect();
        subjects.extend(self.group.iter().map(of("Group")));
        for account in &self.serviceaccount {
            let parts: Vec<&str> = account.split(':').collect();
            let [namespace, name @ ..] = parts.as_slice() else {
                continue;
            };
            // There are exactly two parts, because names of namespaces and accounts contain no colon.
            let ([name], false) = (name, parts.iter().any(|part| part.is_empty())) else {
                let text = "serviceaccount must be <namespace>:<name>";
                return Err(CliError::text(text));
            };
            // Service accounts belong to the core group, so their subjects have no `apiGroup`.
            let subject = json!({"kind": "ServiceAccount", "name": name, "namespace": namespace});
            subjects.push(subject);
        }
        let mut binding = json!({
            "apiVersion": format!("{GROUP}/v1"),
            "kind": kind,
            "metadata": {"name": name},
            "roleRef": {"apiGroup": GROUP, "kind": role.kind, "name": role.name},
        });
        if !subjects.is_empty() {
            binding["subjects"] = json!(subjects);
        }
        Ok(binding)
    }
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    #[test]
    fn subjects_are_ordered_users_groups_service_accounts() {
        let shell = Shell::empty();
        let made = shell.made(
            "create rolebinding readers --clusterrole=view --serviceaccount=n:robot --group=devs --user=ann --user=bob",
        );
        let group = "rbac.authorization.k8s.io";
        assert_eq!(
            made["subjects"],
            json!([
                {"apiGroup": group, "kind": "User", "name": "ann"},
                {"apiGroup": group, "kind": "User", "name": "bob"},
                {"apiGroup": group, "kind": "Group", "name": "devs"},
                {"kind": "ServiceAccount", "name": "robot", "namespace": "n"},
            ])
        );
        let role = json!({"apiGroup": group, "kind": "ClusterRole", "name": "view"});
        assert_eq!(made["roleRef"], role);
        let made = shell.made("create rolebinding readers --role=reader -n blue");
        assert_eq!(made["roleRef"]["kind"], "Role");
        assert_eq!(made["metadata"]["namespace"], "blue");
        assert!(made["subjects"].is_null());
    }

    #[test]
    fn clusterrolebinding_has_no_namespace_and_requires_a_role() {
        let shell = Shell::new();
        let made =
            shell.made("create clusterrolebinding all --clusterrole=view --user=ann -n blue");
        assert_eq!(made["metadata"], json!({"name": "all"}));
        let out = shell.out("create clusterrolebinding all --clusterrole=view --user=ann");
        assert_eq!(
            out,
            "clusterrolebinding.rbac.authorization.k8s.io/all created\n"
        );
        shell.refuses(&[
            (
                "create clusterrolebinding all --user=ann",
                "required flag(s) \"clusterrole\" not set",
            ),
            (
                "create clusterrolebinding all --clusterrole=view",
                "failed to create clusterrolebinding: clusterrolebindings.rbac.authorization.k8s.io \
                 \"all\" already exists",
            ),
        ]);
    }

    #[test]
    fn one_role_is_needed_and_accounts_have_a_namespace() {
        let shell = Shell::empty();
        let one = "exactly one of clusterrole or role must be specified";
        let account = "serviceaccount must be <namespace>:<name>";
        shell.refuses(&[
            ("create rolebinding r --user=a", one),
            ("create rolebinding r --role=a --clusterrole=b", one),
            ("create rolebinding r --role=a --serviceaccount=b", account),
            ("create rolebinding r --role=a --serviceaccount=b:", account),
            ("create rolebinding r --role=a --serviceaccount=:b", account),
            (
                "create rolebinding r --role=a --serviceaccount=b:c:d",
                account,
            ),
        ]);
    }
}
