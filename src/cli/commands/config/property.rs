//! `ctl config set` and `unset`: one property by its path, such as `contexts.dev.namespace`.

use super::file::{File, List};
use crate::api::json::{Value, json};
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
const SWITCHES: &[&str] = &["insecure-skip-tls-verify", "disable-compression"];

/// Where a path leads.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Current,
    Whole(List),
    Named(List, String),
    Field(List, String, &'static str),
}

fn read(path: &str) -> Result<Step, CliError> {
    let unknown = || {
        CliError::text(format!(
            "unable to locate path {path:?} in the configuration"
        ))
    };
    if path == "current-context" {
        return Ok(Step::Current);
    }
    let (head, rest) = path.split_once('.').unwrap_or((path, ""));
    let (list, fields) = match head {
        "clusters" => (List::Clusters, CLUSTER),
        "contexts" => (List::Contexts, CONTEXT),
        "users" => (List::Users, USER),
        _ => return Err(unknown()),
    };
    if rest.is_empty() {
        return Ok(Step::Whole(list));
    }
    // Names may have dots in them: a name ends where a field begins.
    let parts = rest.rsplit_once('.');
    if let Some((name, last)) = parts
        && let Some(field) = fields.iter().copied().find(|f| *f == last)
    {
        return Ok(Step::Field(list, name.to_owned(), field));
    }
    Ok(Step::Named(list, rest.to_owned()))
}

/// Sets a property.
pub(super) fn set(
    file: &mut File,
    path: &str,
    value: &str,
    raw_bytes: bool,
) -> Result<(), CliError> {
    match read(path)? {
        Step::Current => {
            file.tree["current-context"] = json!(value);
            Ok(())
        }
        Step::Field(list, name, field) => {
            let value = typed(field, value, raw_bytes)?;
            if let Some(entry) = file.entry(list, &name) {
                entry.insert(field.to_owned(), value);
            }
            Ok(())
        }
        Step::Whole(_) | Step::Named(..) => Err(CliError::text(format!(
            "unable to set {path:?}: it is not a single value"
        ))),
    }
}

fn typed(field: &str, value: &str, raw_bytes: bool) -> Result<Value, CliError> {
    use base64::Engine as _;
    let base64 = base64::engine::general_purpose::STANDARD;
    if SWITCHES.contains(&field) {
        let read = match value {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => true,
            "0" | "f" | "F" | "FALSE" | "false" | "False" => false,
            _ => {
                let text = format!("strconv.ParseBool: parsing {value:?}: invalid syntax");
                return Err(CliError::text(text));
            }
        };
        return Ok(json!(read));
    }
    if field == "act-as-groups" {
        return Ok(json!(value.split(',').collect::<Vec<_>>()));
    }
    if field.ends_with("-data") {
        if raw_bytes {
            return Ok(json!(base64.encode(value)));
        }
        if base64.decode(value).is_err() {
            return Err(CliError::text(format!(
                "error decoding base64 of {field}: --set-raw-bytes takes the value as it is"
            )));
        }
    }
    Ok(json!(value))
}

/// Takes a property away.
pub(super) fn unset(file: &mut File, path: &str) -> Result<(), CliError> {
    let missing = || CliError::text(format!("current map key `{path}` is invalid"));
    match read(path)? {
        Step::Current => file.tree["current-context"] = json!(""),
        Step::Whole(list) => file.tree[list.words().0] = Value::Null,
        Step::Named(list, name) => {
            if !file.remove(list, &name) {
                return Err(missing());
            }
        }
        Step::Field(list, name, field) => {
            if file.get(list, &name).is_none() {
                return Err(missing());
            }
            if let Some(entry) = file.entry(list, &name) {
                entry.remove(field);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_fields_also_where_names_have_dots() {
        let field = |n: &str| Step::Field(List::Clusters, n.to_owned(), "server");
        assert_eq!(read("clusters.a.b.server").unwrap(), field("a.b"));
        assert_eq!(read("current-context").unwrap(), Step::Current);
        assert_eq!(
            read("users.x.y").unwrap(),
            Step::Named(List::Users, "x.y".to_owned())
        );
        assert!(read("nope.x").is_err());
    }

    #[test]
    fn values_have_types() {
        assert_eq!(typed("disable-compression", "T", false).unwrap(), true);
        assert!(typed("disable-compression", "yes", false).is_err());
        assert_eq!(typed("client-key-data", "abc", true).unwrap(), "YWJj");
        assert!(typed("client-key-data", "%", false).is_err());
    }
}
