//! Kustomizations: a directory with a `kustomization.yaml` as one stream of manifests.

use super::error::CliError;

/// The manifests of a directory.
pub(crate) fn render(directory: &str) -> Result<String, CliError> {
    Err(CliError::text(format!(
        "kustomizations are not read yet: {directory}"
    )))
}
