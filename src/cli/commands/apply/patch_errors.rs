//! Reports a patch that cannot be computed, as kubectl does.

use crate::api::json::Value;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::resource::Info;
use crate::kinds::last_applied;
use crate::print::json::one_line;

/// Returns the error about a patch that cannot be computed from a configuration and a live object. Prints kubectl's
/// warnings first, because kubectl tries the server's schemas before it gives up.
pub(in crate::cli::commands) fn patch_error(
    context: &Context,
    info: &Info,
    modified: &Value,
    live: &Value,
    why: &str,
) -> CliError {
    // Custom resources use merge patches, which need no schema.
    if info.kind.custom.is_some() {
        return CliError::text(why);
    }
    for schema in ["openapi v3 spec", "openapi spec"] {
        let text = format!("warning: error calculating patch from {schema}: {why}");
        context.ui.note(&text);
    }
    let original = last_applied::of(live).unwrap_or_default();
    let [modified, current] = [modified, live].map(one_line);
    CliError::text(format!(
        "creating patch with:\noriginal:\n{original}\nmodified:\n{modified}\n\ncurrent:\n{current}\n\nfor: {why}"
    ))
}
