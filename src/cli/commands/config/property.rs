//! `ctl config set` and `unset`: one property by its path, such as `contexts.dev.namespace`.

use super::file::{File, List};
use crate::api::go_base64;
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
/// The structs of a user. They can be removed, but their fields cannot be set.
const STRUCTS: &[&str] = &["auth-provider", "exec"];
/// The maps of a user, and of any entry. They can be removed, but not set.
const USER_MAPS: &[&str] = &["extensions", "act-as-user-extra"];
const MAPS: &[&str] = &["extensions"];
const SWITCHES: &[&str] = &["insecure-skip-tls-verify", "disable-compression"];

/// The target of a property path.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Current,
    /// The kind or version of the file, which are constant.
    Header,
    Preferences,
    Colors,
    /// A struct of a user.
    Part(String, &'static str),
    /// A map of an entry.
    Map(List, String, &'static str),
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
    match path {
        "preferences.colors" => return Ok(Step::Colors),
        "preferences" => return Ok(Step::Preferences),
        "kind" | "apiVersion" => return Ok(Step::Header),
        _ => {}
    }
    let (head, rest) = match path.split_once('.') {
        Some((head, rest)) => (head, Some(rest)),
        None => (path, None),
    };
    let (list, fields) = match head {
        "clusters" => (List::Clusters, CLUSTER),
        "contexts" => (List::Contexts, CONTEXT),
        "users" => (List::Users, USER),
        "current-context" | "kind" | "apiVersion" => return Err(unparsed(path)),
        _ if path.starts_with("preferences.colors.") => return Err(unparsed(path)),
        _ => {
            let text = format!("unable to parse {path} after [] at api.Config");
            return Err(CliError::text(text));
        }
    };
    let Some(rest) = rest else {
        return Ok(Step::Whole(list));
    };
    // Names may contain dots, so a name ends before the first part that is a field.
    let parts: Vec<&str> = rest.split('.').collect();
    let known = |part: &&str| fields.iter().copied().find(|field| field == part);
    let found = parts.iter().enumerate().skip(1);
    let mut found = found.filter_map(|(at, part)| Some((at, known(part)?)));
    let inner = parts.iter().skip(1).rev().skip(1);
    let is_inner = list == List::Users && inner.into_iter().any(|part| STRUCTS.contains(part));
    let last = |words: &[&'static str]| {
        let (name, last) = rest.rsplit_once('.')?;
        let word = words.iter().copied().find(|word| *word == last)?;
        Some((name.to_owned(), word))
    };
    let maps = match list {
        List::Users => USER_MAPS,
        List::Clusters | List::Contexts => MAPS,
    };
    if let (Some((name, part)), List::Users) = (last(STRUCTS), list) {
        return Ok(Step::Part(name, part));
    }
    if let (Some((name, map)), false) = (last(maps), is_inner) {
        return Ok(Step::Map(list, name, map));
    }
    match found.next() {
        _ if is_inner => Err(unparsed(path)),
        None => Ok(Step::Named(list, rest.to_owned())),
        Some((at, field)) if at + 1 == parts.len() => {
            let name = parts[..at].join(".");
            Ok(Step::Field(list, name, field))
        }
        Some(_) => Err(unparsed(path)),
    }
}

/// Returns the error about a path that leads into a field without fields.
fn unparsed(path: &str) -> CliError {
    CliError::text(format!(
        "unable to parse one or more field values of {path}"
    ))
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
        Step::Header => Ok(()),
        Step::Preferences => {
            let colors = file.tree["preferences"]["colors"] == true;
            Err(CliError::text(format!(
                "unable to locate path config.navigationStep{{stepValue:\"\", stepType:reflect.Type(nil)}} under {{{colors} \
                 map[]}}"
            )))
        }
        Step::Part(..) => Err(no_value(file, List::Users)),
        Step::Map(..) => Err(CliError::text("can't set a map to a value: map[]")),
        Step::Whole(list) | Step::Named(list, _) => Err(no_value(file, list)),
    }
}

/// Returns the error about setting a map to a value.
fn no_value(file: &File, list: List) -> CliError {
    let names = file.names(list).join(" ");
    CliError::text(format!("can't set a map to a value: map[{names}]"))
}

/// Returns the name of a property in the file. The names of impersonation properties differ.
fn in_file(field: &str) -> &str {
    match field.strip_prefix("act-") {
        Some(name) => name,
        None => field,
    }
}

fn switch(value: &str) -> Result<bool, CliError> {
    match value {
        // These are the spellings that Go's `strconv.ParseBool` accepts.
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
        // `kubectl config set` supports only slices of bytes and fails with this text for a list of strings.
        return Err(CliError::text("unrecognized slice type. string"));
    }
    if field.ends_with("-data") {
        if raw_bytes {
            // Without --set-raw-bytes the value must already be encoded.
            return Ok(json!(base64.encode(value)));
        }
        if let Err(why) = go_base64::decode(value) {
            let text = format!("error decoding input value: {why}");
            return Err(CliError::text(text));
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
        Step::Colors | Step::Preferences => file.tree["preferences"] = json!({}),
        Step::Header => {}
        // A missing entry is no error, because kubectl deletes a key of a map.
        Step::Named(list, name) => drop(file.remove(list, &name)),
        Step::Part(name, part) => return remove(file, List::Users, &name, part),
        Step::Map(list, name, field) | Step::Field(list, name, field) => {
            return remove(file, list, &name, in_file(field));
        }
    }
    Ok(())
}

/// Removes a field of an entry.
fn remove(file: &mut File, list: List, name: &str, field: &str) -> Result<(), CliError> {
    if file.get(list, name).is_none() {
        let text = format!("current map key `{name}` is invalid");
        return Err(CliError::text(text));
    }
    if let Some(entry) = file.entry(list, name) {
        entry.remove(field);
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
        for path in ["clusters.", "users."] {
            assert!(matches!(read(path).unwrap(), Step::Named(_, name) if name.is_empty()));
        }
        let exec = Step::Part("a.b".to_owned(), "exec");
        assert_eq!(read("users.a.b.exec").unwrap(), exec);
        let map = Step::Map(List::Contexts, "a.b".to_owned(), "extensions");
        assert_eq!(read("contexts.a.b.extensions").unwrap(), map);
        let refused = |path: &str| read(path).unwrap_err().message().0;
        assert_eq!(
            refused("nope.x"),
            "unable to parse nope.x after [] at api.Config"
        );
        assert_eq!(
            refused("users.a.exec.command"),
            "unable to parse one or more field values of users.a.exec.command"
        );
        assert_eq!(
            refused("kind.x"),
            "unable to parse one or more field values of kind.x"
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
