//! The preparation of a ServiceAccount, and the warnings about it.

use crate::api::json::{Value, json};
use crate::strategy::annotations;
use crate::tree::{has, items, text};

const ENFORCE: &str = "kubernetes.io/enforce-mountable-secrets";

/// Reduces the references to Secrets to names, because they are all in the namespace of the account.
pub(super) fn names_of_secrets(account: &mut Value) {
    for secret in items(account, "secrets") {
        *secret = json!({"name": text(secret, "name")});
    }
}

/// Adds the warning for the annotation that restricts which Secrets Pods may use.
pub(super) fn warnings(account: &Value, warnings: &mut Vec<String>) {
    if has(annotations(account), ENFORCE) {
        warnings.push(format!(
            "metadata.annotations[{ENFORCE}]: deprecated in v1.32+; prefer separate namespaces to isolate \
             access to mounted secrets"
        ));
    }
}

/// Returns true if an update adds the annotation.
pub(super) fn newly_enforces(_: &Value, old: &Value) -> bool {
    !has(annotations(old), ENFORCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_an_account_are_names() {
        let mut account = json!({"secrets": [{"name": "a", "kind": "Secret", "namespace": "b"}]});
        names_of_secrets(&mut account);
        assert_eq!(account, json!({"secrets": [{"name": "a"}]}));
    }
}
