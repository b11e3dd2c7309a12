//! `ctl config set` and `unset`: one property by its path, such as `contexts.dev.namespace`.

use super::file::{File, List};
use crate::api::json::{Value, json};
use crate::cli::client_config::bad_base64;
use crate::cli::error::CliError;

const CLUSTER: &[&str] = &[
    "server",
    "tls-server-name",
    "insecure-skip-tls-verify",
    "certificate-authority",
    "certificate-authority-data",
    "proxy-url",
    "disable-compression",
];
const CONTEXT: &[&str] = &["cluster", "user", "namespace"];
const USER: &[&str] = &[
    "client-certificate",
    "client-certificate-data",
    "client-key",
    "client-key-data",
    "token",
    "tokenFile",
    "act-as",
    "act-as-uid",
    "act-as-groups",
    "username",
    "password",
];
/// Structs of a user whose fields cannot be set.
const STRUCTS: &[&str] = &["auth-provider", "exec"];
const SWITCHES: &[&str] = &["insecure-skip-tls-verify", "disable-compression"];

/// The target of a path.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Current,
    Colors,
    Whole(List),
    Named(List, String),
    Field(List, String, &'static str),
}

fn read(path: &str) -> Result<Step, CliError> {
    if path.is_empty() {
        return Err(CliError::text("you must specify a property"));
    }
    if path == "current-context" {
        return Ok(Step::Current);
    }
    if path == "preferences.colors" {
        return Ok(Step::Colors);
    }
    let (head, rest) = path.split_once('.').unwrap_or((path, ""));
    let (list, fields) = match head {
        "clusters" => (List::Clusters, CLUSTER),
        "contexts" => (List::Contexts, CONTEXT),
        "users" => (List::Users, USER),
        _ => {
            let text = format!("unable to parse {path} after [] at api.Config");
            return Err(CliError::text(text));
        }
    };
    if rest.is_empty() {
        return Ok(Step::Whole(list));
    }
    // Names may have dots in them: a name ends where a field begins.
    let parts: Vec<&str> = rest.split('.').collect();
    let known = |part: &&str| fields.iter().copied().find(|field| field == part);
    let found = parts.iter().enumerate().skip(1);
    let mut found = found.filter_map(|(at, part)| Some((at, known(part)?)));
    let inner = parts.iter().skip(1).rev().skip(1);
    let is_inner = list == List::Users && inner.into_iter().any(|part| STRUCTS.contains(part));
    match found.next() {
        _ if is_inner => Err(CliError::text(format!(
            "unable to parse one or more field values of {path}"
        ))),
        None => Ok(Step::Named(list, rest.to_owned())),
        Some((at, field)) if at + 1 == parts.len() => {
            let name = parts[..at].join(".");
            Ok(Step::Field(list, name, field))
        }
        Some(_) => Err(CliError::text(format!(
            "unable to parse one or more field values of {path}"
        ))),
    }
}

/// Sets a property.
pub(super) fn set(
    file: &mut File,
    path: &str,
    value: &str,
    raw_bytes: bool,
) -> Result<(), CliError> {
    // kubectl rejects an empty value instead of treating it as `unset`.
    if value.is_empty() {
        return Err(CliError::text("you cannot use set to unset a property"));
    }
    match read(path)? {
        Step::Current => {
            file.tree["current-context"] = json!(value);
            Ok(())
        }
        Step::Colors => {
            file.tree["preferences"] = json!({"colors": switch(value)?});
            Ok(())
        }
        Step::Field(list, name, field) => {
            let value = typed(field, value, raw_bytes)?;
            if let Some(entry) = file.entry(list, &name) {
                entry.insert(in_file(field).to_owned(), value);
            }
            Ok(())
        }
        Step::Whole(list) | Step::Named(list, _) => Err(CliError::text(format!(
            "can't set a map to a value: map[{}]",
            file.names(list).join(" ")
        ))),
    }
}

/// Returns the name of a property in the file, which differs for impersonation.
fn in_file(field: &str) -> &str {
    match field.strip_prefix("act-") {
        Some(name) => name,
        None => field,
    }
}

fn switch(value: &str) -> Result<bool, CliError> {
    match value {
        // The spellings that Go's `strconv.ParseBool` accepts.
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(false),
        _ => {
            let text = format!("strconv.ParseBool: parsing {value:?}: invalid syntax");
            Err(CliError::text(text))
        }
    }
}

fn typed(field: &str, value: &str, raw_bytes: bool) -> Result<Value, CliError> {
    use base64::Engine as _;
    let base64 = base64::engine::general_purpose::STANDARD;
    if SWITCHES.contains(&field) {
        return Ok(json!(switch(value)?));
    }
    if field == "act-as-groups" {
        // `kubectl config set` knows only slices of bytes; for a list of strings it fails with this text.
        return Err(CliError::text("unrecognized slice type. string"));
    }
    if field.ends_with("-data") {
        if raw_bytes {
            // Without --set-raw-bytes the value is expected to be encoded already.
            return Ok(json!(base64.encode(value)));
        }
        if let Some(bad) = bad_base64(value) {
            return Err(CliError::text(format!(
                "error decoding input value: illegal base64 data at input byte {bad}"
            )));
        }
        return Ok(json!(value.replace(['\r', '\n'], "")));
    }
    Ok(json!(value))
}

/// Removes a property.
pub(super) fn unset(file: &mut File, path: &str) -> Result<(), CliError> {
    match read(path)? {
        Step::Current => file.tree["current-context"] = json!(""),
        Step::Whole(list) => file.tree[list.words().0] = Value::Null,
        Step::Colors => file.tree["preferences"] = json!({}),
        // A missing entry is removed already: kubectl deletes a key of a map, which cannot fail.
        Step::Named(list, name) => drop(file.remove(list, &name)),
        Step::Field(list, name, field) => {
            if file.get(list, &name).is_none() {
                return Err(CliError::text(format!(
                    "current map key `{name}` is invalid"
                )));
            }
            if let Some(entry) = file.entry(list, &name) {
                entry.remove(in_file(field));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn property_paths_accept_names_with_dots() {
        let field = |n: &str| Step::Field(List::Clusters, n.to_owned(), "server");
        assert_eq!(read("clusters.a.b.server").unwrap(), field("a.b"));
        assert_eq!(read("current-context").unwrap(), Step::Current);
        assert_eq!(
            read("users.x.y").unwrap(),
            Step::Named(List::Users, "x.y".to_owned())
        );
        let refused = |path: &str| read(path).unwrap_err().told().0;
        assert_eq!(
            refused("nope.x"),
            "unable to parse nope.x after [] at api.Config"
        );
        assert_eq!(
            refused("users.a.exec.command"),
            "unable to parse one or more field values of users.a.exec.command"
        );
        assert_eq!(
            refused("contexts.a.namespace.x"),
            "unable to parse one or more field values of contexts.a.namespace.x"
        );
    }

    #[test]
    fn property_values_are_parsed_by_type() {
        assert_eq!(typed("disable-compression", "T", false).unwrap(), true);
        assert!(typed("disable-compression", "yes", false).is_err());
        assert_eq!(typed("client-key-data", "abc", true).unwrap(), "YWJj");
        assert!(typed("client-key-data", "%", false).is_err());
    }
}
