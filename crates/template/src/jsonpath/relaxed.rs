//! The relaxed paths of custom columns and `--sort-by`, in which braces and the first dot are optional.

/// Returns the path as a template: `name`, `.name`, `{name}` and `{.name}` all become `{.name}`.
///
/// # Errors
/// The path contains other braces.
pub fn relaxed(path: &str) -> Result<String, String> {
    if path.is_empty() {
        return Ok(String::new());
    }
    let inner = path
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'));
    let inner = inner.unwrap_or(path);
    let inner = match inner.strip_prefix('.') {
        // A lone dot is its own path.
        Some("") | None => inner,
        Some(rest) => rest,
    };
    if inner.is_empty() || inner.contains(['{', '}']) {
        return Err(
            "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or \
             '{.name1.name2}'"
                .to_owned(),
        );
    }
    Ok(format!("{{.{inner}}}"))
}
