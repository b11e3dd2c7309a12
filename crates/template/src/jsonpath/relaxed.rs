//! The relaxed paths of custom columns and `--sort-by`, where braces and the first dot are optional.

/// Converts a path to a template: `name`, `.name`, `{name}` and `{.name}` all become `{.name}`.
///
/// # Errors
/// Returns an error if the path contains other braces.
pub fn relaxed(path: &str) -> Result<String, String> {
    if path.is_empty() {
        return Ok(String::new());
    }
    let inner = path
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'));
    let inner = inner.unwrap_or(path);
    let inner = match inner.strip_prefix('.') {
        // A path that is just a dot stays as it is.
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
