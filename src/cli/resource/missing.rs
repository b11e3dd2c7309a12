//! Names of objects that cannot exist or do not.

use crate::cli::error::CliError;
use crate::cluster::{Cluster, Place};
use crate::kinds;

/// Rejects a name that cannot be part of a path: client-go refuses to send such a request.
pub(super) fn check_name(name: &str) -> Result<(), CliError> {
    let why: Vec<String> = match name {
        "." | ".." => vec![format!("may not be '{name}'")],
        name => {
            let found = ["/", "%"].into_iter().filter(|part| name.contains(part));
            found
                .map(|part| format!("may not contain '{part}'"))
                .collect()
        }
    };
    if why.is_empty() {
        return Ok(());
    }
    let why = why.join(" ");
    let text = format!("invalid resource name {name:?}: [{why}]");
    Err(CliError::text(text))
}

/// Returns the error about the namespace if that does not exist either.
pub(super) fn missing(cluster: &Cluster, namespace: &str, error: CliError) -> CliError {
    // As in kubectl, `default` is assumed to exist, which saves the second request.
    let special = !namespace.is_empty() && namespace != "default";
    let namespaces = kinds::find("", "v1", "Namespace").filter(|_| special && error.is_not_found());
    let Some(kind) = namespaces else {
        return error;
    };
    match cluster
        .get(&Place::new(kind, ""), namespace)
        .map_err(CliError::from)
    {
        Err(e) if e.is_not_found() => e,
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parts_of_a_path() {
        let refused = |name: &str| check_name(name).map_err(|e| e.to_string());
        assert_eq!(refused("a.b"), Ok(()));
        let both = "invalid resource name \"a/b%c\": [may not contain '/' may not contain '%']";
        assert_eq!(refused("a/b%c").unwrap_err(), both);
    }
}
