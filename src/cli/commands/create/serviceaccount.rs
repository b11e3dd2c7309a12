//! `ctl create serviceaccount`.

use clap::Args;

use super::common::{NewArgs, name, require};
use crate::api::json::json;
use crate::cli::commands::Outcome;
use crate::cli::context::Context;

/// Create a ServiceAccount
///
/// Example: ctl create serviceaccount robot
#[derive(Args, Debug)]
pub(super) struct ServiceaccountArgs {
    /// NAME
    words: Vec<String>,
    #[command(flatten)]
    new: NewArgs,
}

pub(super) fn run(args: &ServiceaccountArgs, context: &Context) -> Outcome {
    let name = name(&args.words, context)?;
    args.new.check()?;
    require(name)?;
    let object = json!({
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": name},
    });
    args.new
        .create(object, "failed to create serviceaccount: ", context)
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    #[test]
    fn serviceaccount_is_created_in_the_requested_namespace() {
        let shell = Shell::new();
        let made = shell.made("create serviceaccount robot");
        assert_eq!(made["metadata"], json!({"name": "robot"}));
        let made = shell.made("create sa robot -n blue");
        assert_eq!(
            made["metadata"],
            json!({"name": "robot", "namespace": "blue"})
        );
        assert_eq!(
            shell.out("create sa robot"),
            "serviceaccount/robot created\n"
        );
        let made = shell.json("get sa robot --show-managed-fields");
        assert_eq!(made["metadata"]["namespace"], "default");
        shell.refuses(&[
            (
                "create sa robot",
                "failed to create serviceaccount: serviceaccounts \"robot\" already exists",
            ),
            (
                "create sa robot -n blue",
                "failed to create serviceaccount: namespaces \"blue\" not found",
            ),
        ]);
    }

    #[test]
    fn create_records_the_field_manager() {
        let shell = Shell::new();
        shell.write("set.yaml", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: b}\nautomountServiceAccountToken: true\n");
        let _ = shell.out("create -f @/set.yaml --field-manager=me");
        let made = shell.json("get sa b --show-managed-fields");
        assert_eq!(made["metadata"]["managedFields"][0]["manager"], "me");
        assert_eq!(made["metadata"]["managedFields"][0]["operation"], "Update");
    }
}
