//! Selection of objects of a kind by their labels and by some of their fields.

use std::cell::Cell;

use crate::api::json::Value;
use crate::api::selector::{FieldSelector, LabelSelector};
use crate::api::status::Status;
use crate::kinds::{Kind, fields};
use crate::read::stored_fields;
use crate::store::Key;

/// A selection of objects of one kind.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_cluster::{Place, Selection, find_kind};
///
/// let pods = Place::new(find_kind("v1", "Pod").unwrap(), "default");
/// let selection = Selection::parse(pods.kind, "app=web", "spec.nodeName=node-1").unwrap();
/// let pod = json!({"metadata": {"name": "a", "labels": {"app": "web"}}, "spec": {"nodeName": "node-1"}});
/// assert!(selection.matches(&pod));
/// ```
#[derive(Clone, Debug)]
pub struct Selection {
    kind: &'static Kind,
    labels: LabelSelector,
    fields: FieldSelector,
}

impl Selection {
    /// Returns all objects of a kind.
    pub fn everything(kind: &'static Kind) -> Self {
        Self {
            kind,
            labels: LabelSelector::everything(),
            fields: FieldSelector::default(),
        }
    }

    /// Parses two selectors in their text form, as in `-l` and `--field-selector`.
    ///
    /// # Errors
    /// The server's 400 for a selector that cannot be read, or a field that the kind does not offer.
    pub fn parse(kind: &'static Kind, labels: &str, fields: &str) -> Result<Self, Status> {
        let labels = LabelSelector::parse(labels).map_err(|e| {
            let text = e.to_string();
            Status::bad_request(text)
        })?;
        let fields =
            FieldSelector::parse(fields).map_err(|e| Status::bad_request(e.to_string()))?;
        Self::for_kind(kind, labels, fields)
    }

    /// Returns the selection of two selectors.
    ///
    /// # Errors
    /// The server's 400 for a field that the kind does not offer.
    pub fn for_kind(
        kind: &'static Kind,
        labels: LabelSelector,
        fields: FieldSelector,
    ) -> Result<Self, Status> {
        // Checked here once, so that a typo is an error and not an empty list.
        for term in fields.terms() {
            if !kind.field_selectors.contains(&term.field.as_str()) {
                return Err(Status::bad_request(unsupported(kind, &term.field)));
            }
        }
        Ok(Self {
            kind,
            labels,
            fields,
        })
    }

    /// Returns true if it is all objects.
    pub fn is_everything(&self) -> bool {
        self.labels.is_everything() && self.fields.is_everything()
    }

    /// Returns true if an object is selected.
    pub fn matches(&self, object: &Value) -> bool {
        self.labels.matches_object(object) && self.matches_fields(object)
    }

    fn matches_fields(&self, object: &Value) -> bool {
        let value = |field: &str| fields::value(self.kind, object, field).unwrap_or_default();
        self.fields.matches(value)
    }

    /// Returns true if an object may be selected, by its key and its stored bytes.
    pub(crate) fn may_match(&self, key: &Key, json: &[u8]) -> bool {
        let named = |field: &str, value: &str| {
            self.fields
                .exact(field)
                .is_none_or(|wanted| wanted == value)
        };
        // The key alone excludes all other objects of a `get NAME`-like selection without touching their bytes.
        if !named("metadata.name", key.name())
            || !named("metadata.namespace", key.namespace().unwrap_or_default())
        {
            return false;
        }
        self.labels.is_everything()
            || match stored_fields::labels(json) {
                Ok(labels) => {
                    // A label that cannot be read without parsing counts as a match: the caller parses and checks
                    // again.
                    let odd = Cell::new(false);
                    let get = |name: &str| {
                        labels
                            .get(name)
                            .unwrap_or_else(|stored_fields::NotCanonical| {
                                odd.set(true);
                                None
                            })
                    };
                    self.labels.matches(get) || odd.get()
                }
                Err(stored_fields::NotCanonical) => true,
            }
    }
}

/// Returns the error for a field that a kind does not offer, in the wording of that kind.
fn unsupported(kind: &Kind, field: &str) -> String {
    match kind.kind {
        _ if kind.custom.is_some() => format!("field label not supported: {field}"),
        "ReplicationController" => {
            format!("field label {field:?} not supported for ReplicationController")
        }
        // Each kind's conversion function in kube-apiserver has its own wording.
        "Job" => format!("field label {field:?} not supported for batchv1.Job"),
        "ResourceSlice" => format!(
            "field label not supported for {}, Kind=ResourceSlice: {field}",
            kind.api_version()
        ),
        "CertificateSigningRequest"
        | "Event"
        | "Namespace"
        | "Node"
        | "Pod"
        | "Secret"
        | "Service" => {
            format!("field label not supported: {field}")
        }
        _ => format!(
            "{field:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::kinds::find;

    fn kind(group: &str, name: &str) -> &'static Kind {
        find(group, "v1", name).unwrap()
    }

    #[test]
    fn invalid_selectors_are_rejected_with_the_recorded_texts() {
        let (pods, maps) = (kind("", "Pod"), kind("", "ConfigMap"));
        for (kind, labels, fields, message) in [
            (
                pods,
                "a b",
                "",
                "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
            ),
            (
                pods,
                "a=b=c",
                "",
                "found '=', expected: ',' or 'end of string'",
            ),
            (
                pods,
                "a>x",
                "",
                "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' \
                 operators, the value must be an integer",
            ),
            (
                pods,
                "",
                "spec.foo=1",
                "field label not supported: spec.foo",
            ),
            (
                maps,
                "",
                "data=1",
                "\"data\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
            ),
            (
                pods,
                "",
                "abc",
                "invalid selector: 'abc'; can't understand 'abc'",
            ),
            (
                kind("batch", "Job"),
                "",
                "spec.x=1",
                "field label \"spec.x\" not supported for batchv1.Job",
            ),
        ] {
            let status = Selection::parse(kind, labels, fields).unwrap_err();
            assert_eq!((status.code, &*status.message), (400, message));
        }
    }

    #[test]
    fn may_match_never_excludes_a_matching_object() {
        let pods = kind("", "Pod");
        let object = json!({"metadata": {"labels": {"app": "web", "tier": "a"}, "name": "p",
            "namespace": "default"}, "spec": {"nodeName": "n"}});
        let json = serde_json::to_vec(&object).unwrap();
        let key = Key::new("pods", Some("default"), "p").unwrap();
        for (labels, fields, matches, may) in [
            ("", "", true, true),
            ("app=web", "", true, true),
            ("app!=web", "", false, false),
            ("tier in (a,b),!old", "", true, true),
            ("old", "", false, false),
            ("", "metadata.name=p", true, true),
            ("", "metadata.name!=p", false, true),
            ("", "metadata.name=q", false, false),
            ("", "metadata.namespace=other", false, false),
            ("app", "spec.nodeName=m", false, true),
            ("app", "spec.nodeName=n,status.phase=", true, true),
        ] {
            let selection = Selection::parse(pods, labels, fields).unwrap();
            assert_eq!(selection.matches(&object), matches, "{labels} {fields}");
            assert_eq!(selection.may_match(&key, &json), may, "{labels} {fields}");
        }
    }
}
