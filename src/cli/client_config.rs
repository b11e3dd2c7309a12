//! Parses and formats kubeconfig files. Must not know: which file a command uses, and for what.

mod structs;

use std::io;
use std::path::Path;

use super::error::CliError;
use crate::api::go::json_kind;
use crate::api::json::{Value, json};
use crate::api::yaml::{self, Mode};

/// Returns the error about a kubeconfig that cannot be read.
pub(crate) fn unloaded(file: &Path, why: &str) -> CliError {
    let file = file.display();
    CliError::text(format!("error loading config file \"{file}\": {why}"))
}

/// Returns the error about the file of a kubeconfig that cannot be read.
pub(crate) fn unreadable(file: &Path, error: &io::Error) -> CliError {
    let why = CliError::unread(&file.display().to_string(), error);
    unloaded(file, &why.to_string())
}

/// Parses a kubeconfig. Errors are those of client-go.
pub(crate) fn tree_of(text: &str) -> Result<Value, String> {
    let parsed = yaml::parse_one(text.as_bytes(), Mode::Lenient).map_err(|e| {
        // client-go converts the text itself and adds no prefix to the parser's error.
        let prefix = "error converting YAML to JSON: ";
        e.message
            .strip_prefix(prefix)
            .unwrap_or(&e.message)
            .to_owned()
    })?;
    let mut tree = match parsed.unwrap_or_default() {
        Value::Null => json!({}),
        tree => tree,
    };
    let type_name = match &tree {
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        _ => "array",
    };
    let Some(root) = tree.as_object_mut() else {
        return Err(format!(
            "couldn't get version/kind; json parse error: json: cannot unmarshal {type_name} into Go value of type \
             struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}"
        ));
    };
    for field in ["apiVersion", "kind"] {
        let value = root.get(field).unwrap_or(&Value::Null);
        if !value.is_null() && !value.is_string() {
            return Err(format!(
                "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go struct field .{field} of \
                 type string",
                json_kind(value)
            ));
        }
    }
    let named = |field: &str, default: &'static str| match root.get(field).and_then(Value::as_str) {
        None | Some("") => default.to_owned(),
        Some(own) => own.to_owned(),
    };
    let (kind, version) = (named("kind", "Config"), named("apiVersion", "v1"));
    if (kind.as_str(), version.as_str()) != ("Config", "v1") {
        return Err(format!(
            "no kind {kind:?} is registered for version {version:?} in scheme \
             \"k8s.io/client-go/tools/clientcmd/api/latest/latest.go:50\""
        ));
    }
    // Hand-written files often lack these two fields, which kubectl also fills in.
    root.insert("apiVersion".to_owned(), json!("v1"));
    root.insert("kind".to_owned(), json!("Config"));
    structs::read(&tree)
}

/// Returns a kubeconfig with the fields that kubectl writes.
pub(crate) fn written(tree: &Value) -> Result<Value, String> {
    structs::written(tree)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_that_cannot_be_read_has_the_error_of_go() {
        let said = |kind| unreadable(Path::new("f"), &io::Error::from(kind)).to_string();
        let start = "error loading config file \"f\": ";
        assert_eq!(
            said(io::ErrorKind::IsADirectory),
            format!("{start}read f: is a directory")
        );
        assert_eq!(
            said(io::ErrorKind::PermissionDenied),
            format!("{start}open f: permission denied")
        );
    }

    #[test]
    fn unreadable_kubeconfigs_get_the_errors_of_client_go() {
        let scheme = "in scheme \"k8s.io/client-go/tools/clientcmd/api/latest/latest.go:50\"";
        for (text, error) in [
            ("foo: [", "yaml: line 1: did not find expected node content".to_owned()),
            ("apiVersion: v2", format!("no kind \"Config\" is registered for version \"v2\" {scheme}")),
            (
                "kind: 5",
                "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of \
                 type string"
                    .to_owned(),
            ),
            ("kind: Foo", format!("no kind \"Foo\" is registered for version \"v1\" {scheme}")),
            (
                "- a",
                "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct \
                 { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }"
                    .to_owned(),
            ),
        ] {
            assert_eq!(tree_of(text).unwrap_err(), error);
        }
        assert!(tree_of("# nothing\n").is_ok() && tree_of("a: b\na: c\n").is_ok());
    }
}
