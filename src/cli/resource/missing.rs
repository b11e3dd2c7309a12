//! Rejects names and namespaces of objects that cannot exist, do not exist, or are not the requested ones.

use super::info::Info;
use crate::cli::error::CliError;
use crate::cluster::{Cluster, Place};
use crate::kinds;

/// Rejects a name that cannot be part of a path, because client-go does not send such a request.
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

/// Rejects an object that no request can refer to.
pub(super) fn check_place(info: &Info) -> Result<(), CliError> {
    check_name(&info.name)?;
    if !info.kind.namespaced || !info.namespace.is_empty() {
        return Ok(());
    }
    let (group, version, plural) = (info.kind.group, info.kind.version, info.kind.plural);
    Err(CliError::text(format!(
        "no namespace set on resource {group}/{version}, Resource={plural} {:?}",
        info.name
    )))
}

/// Rejects an object in a file whose namespace differs from that of the command line.
pub(super) fn inside(info: Info, asked: Option<&str>) -> Result<Info, CliError> {
    let own = &info.namespace;
    // Only a namespace on the command line conflicts; that of the context is a default.
    match asked.filter(|asked| !own.is_empty() && own != asked) {
        None => Ok(info),
        Some(asked) => Err(CliError::text(format!(
            "the namespace from the provided object \"{own}\" does not match the namespace \"{asked}\". You must pass \
             '--namespace={own}' to perform this operation."
        ))),
    }
}

/// Returns the error about the namespace instead if the namespace does not exist either.
pub(crate) fn missing(cluster: &Cluster, namespace: &str, error: CliError) -> CliError {
    // As in kubectl, `default` is assumed to exist, which saves a second request.
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
