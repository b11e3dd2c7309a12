//! How objects are named in sentences.

use crate::kinds::Kind;

/// `deployment.apps/web`.
pub(crate) fn type_and_name(kind: &Kind, name: &str) -> String {
    format!("{}/{name}", type_name(kind))
}

/// `deployment.apps`.
pub(crate) fn type_name(kind: &Kind) -> String {
    let lower = kind.kind.to_lowercase();
    match kind.group {
        "" => lower,
        group => format!("{lower}.{group}"),
    }
}
