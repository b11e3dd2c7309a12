//! Label and field selectors of lists and watches, as the server reads them.

use serde_json::Value;

use crate::api::selector::{FieldSelector, LabelSelector};
use crate::api::status::Status;
use crate::kinds::{Kind, fields};

/// Which objects of a kind are wanted.
#[derive(Clone, Debug)]
pub struct Selection {
    kind: &'static Kind,
    labels: LabelSelector,
    fields: FieldSelector,
}

impl Selection {
    /// Reads selectors; empty ones select everything.
    ///
    /// # Errors
    /// A bad request where one cannot be read, or names a field that the kind does not support.
    pub fn parse(kind: &'static Kind, labels: &str, fields: &str) -> Result<Self, Status> {
        let labels = match labels {
            "" => LabelSelector::everything(),
            text => LabelSelector::parse(text).map_err(|e| Status::bad_request(e.to_string()))?,
        };
        let fields =
            FieldSelector::parse(fields).map_err(|e| Status::bad_request(e.to_string()))?;
        let unknown = |field: &&str| !kind.field_selectors.contains(field);
        if let Some(field) = fields
            .terms()
            .iter()
            .map(|t| t.field.as_str())
            .find(unknown)
        {
            return Err(Status::bad_request(unsupported(kind, field)));
        }
        Ok(Self {
            kind,
            labels,
            fields,
        })
    }

    /// Whether an object is wanted.
    pub fn matches(&self, object: &Value) -> bool {
        self.labels.matches_object(object)
            && self
                .fields
                .matches(|field| fields::value(self.kind, object, field).unwrap_or_default())
    }
}

/// Kinds with fields of their own have words of their own.
fn unsupported(kind: &Kind, field: &str) -> String {
    let common = |name: &&&str| matches!(**name, "metadata.name" | "metadata.namespace");
    let own = kind.field_selectors.iter().any(|name| !common(&name));
    match (kind.group, kind.kind) {
        ("batch", "Job") => format!("field label \"{field}\" not supported for Job"),
        _ if own => format!("field label not supported: {field}"),
        _ => {
            let known: Vec<_> = kind
                .field_selectors
                .iter()
                .map(|f| format!("\"{f}\""))
                .collect();
            format!(
                "\"{field}\" is not a known field selector: only {}",
                known.join(", ")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::find;
    use serde_json::json;

    fn selection(
        kind: (&str, &str, &str),
        labels: &str,
        fields: &str,
    ) -> Result<Selection, String> {
        let kind = find(kind.0, kind.1, kind.2).unwrap();
        Selection::parse(kind, labels, fields).map_err(|s| s.message)
    }

    const POD: (&str, &str, &str) = ("", "v1", "Pod");

    #[test]
    fn both_selectors_must_match() {
        let pod =
            json!({"metadata": {"name": "a", "labels": {"app": "web"}}, "spec": {"nodeName": "n"}});
        let matches = |labels, fields| selection(POD, labels, fields).unwrap().matches(&pod);
        assert!(matches("", ""));
        assert!(matches("app=web", "spec.nodeName=n,metadata.name!=b"));
        assert!(!matches("app=web", "spec.nodeName=m"));
        assert!(!matches("app!=web", ""));
    }

    #[test]
    fn what_cannot_be_selected_by_is_said_as_the_server_says_it() {
        let refusal = |kind, labels, fields| selection(kind, labels, fields).unwrap_err();
        assert_eq!(
            refusal(POD, "", "spec.foo=1"),
            "field label not supported: spec.foo"
        );
        assert_eq!(
            refusal(("", "v1", "ConfigMap"), "", "data=1"),
            "\"data\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        );
        assert_eq!(
            refusal(POD, "app in web", ""),
            "unable to parse requirement: found 'web' expected: '('"
        );
        assert_eq!(
            refusal(POD, "", "a"),
            "invalid selector: 'a'; can't understand 'a'"
        );
    }
}
