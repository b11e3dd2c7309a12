//! `ctl create namespace`.

use clap::Args;

use super::common::{NewArgs, name, require};
use crate::api::json::json;
use crate::cli::commands::Outcome;
use crate::cli::context::Context;

/// Create a namespace
///
/// Example: ctl create namespace blue
#[derive(Args, Debug)]
pub(super) struct NamespaceArgs {
    /// NAME
    words: Vec<String>,
    #[command(flatten)]
    new: NewArgs,
}

pub(super) fn run(args: &NamespaceArgs, context: &Context) -> Outcome {
    let name = name(&args.words, context)?;
    args.new.check()?;
    require(name)?;
    let object = json!({
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name},
        // These fields of kubectl's struct lack `omitempty`, so a client-side dry run prints them.
        "spec": {},
        "status": {},
    });
    args.new.create(object, "", context)
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    #[test]
    fn duplicate_namespace_is_rejected() {
        let shell = Shell::new();
        assert_eq!(
            shell.out("create ns blue -n red"),
            "namespace/blue created\n"
        );
        let labels = &shell.json("get ns blue")["metadata"]["labels"];
        assert_eq!(*labels, json!({"kubernetes.io/metadata.name": "blue"}));
        shell.refuses(&[
            (
                "create namespace blue",
                "Error from server (AlreadyExists): namespaces \"blue\" already exists",
            ),
            (
                "create namespace a --dry-run=odd --validate=odd",
                "Invalid dry-run value (odd). Must be \"none\", \"server\", or \"client\".",
            ),
            (
                "create namespace a b",
                "exactly one NAME is required, got 2\nSee 'kubectl create namespace -h' for help and examples",
            ),
        ]);
        let wrong = shell.fails("create namespace Blue");
        assert!(
            wrong.starts_with(
                "The Namespace \"Blue\" is invalid: metadata.name: Invalid value: \"Blue\": "
            ),
            "{wrong}"
        );
    }

    #[test]
    fn a_dry_run_makes_neither_a_namespace_nor_a_cluster() {
        let shell = Shell::empty();
        let made = shell.made("create namespace blue -n red --save-config");
        assert_eq!(made["metadata"]["name"], "blue");
        assert!(made["metadata"]["namespace"].is_null());
        let annotation =
            &made["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"];
        assert_eq!(
            *annotation,
            "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"blue\"},\"spec\":{},\"status\":{}}\n"
        );
        assert!(!shell.state().exists());
        let shell = Shell::new();
        let out = shell.out("create namespace blue --dry-run=server");
        assert_eq!(out, "namespace/blue created (server dry run)\n");
        assert_eq!(shell.out("get ns blue --ignore-not-found"), "");
    }
}
