//! Notes for the audit log, taken while a request is served: annotations and the body.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::api::json::Value;
use crate::kinds::tree::{field, text};
use crate::sys::threads::locked;

/// Notes about one request. Copies share the same notes.
#[derive(Clone, Debug)]
pub struct Notes(Arc<Mutex<AuditNotes>>);

#[derive(Debug, Default)]
struct AuditNotes {
    keeps_body: bool,
    body: Option<Value>,
    name: Option<String>,
    /// Annotations of authorization.
    authorization: BTreeMap<String, String>,
    /// Annotations of admission, which the next decision on the request replaces.
    admission: BTreeMap<String, String>,
}

impl PartialEq for Notes {
    fn eq(&self, other: &Self) -> bool {
        // By identity: two requests with equal notes are still two requests.
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Notes {
    /// Creates empty notes, which store the body of the request if `keeps_body`.
    pub(crate) fn new(keeps_body: bool) -> Self {
        Self(Arc::new(Mutex::new(AuditNotes {
            keeps_body,
            ..AuditNotes::default()
        })))
    }

    /// Records the body of the request.
    pub fn sent(&self, body: &Value) {
        let mut noted = locked(&self.0);
        let name = text(field(body, "metadata"), "name");
        // Recorded at every level: the path of a create does not contain the name that `objectRef` shows.
        noted.name = (!name.is_empty()).then(|| name.to_owned());
        if noted.keeps_body {
            noted.body = Some(body.clone());
        }
    }

    /// Records the decision of the authorizer with its reason.
    pub fn authorized(&self, allowed: bool, reason: &str) {
        let decision = if allowed { "allow" } else { "forbid" };
        let mut noted = locked(&self.0);
        for (name, value) in [("decision", decision), ("reason", reason)] {
            let key = format!("authorization.k8s.io/{name}");
            noted.authorization.insert(key, value.to_owned());
        }
    }

    /// Records an annotation of admission; the first value of a key counts, as on the API server.
    pub(crate) fn annotate(&self, key: String, value: String) {
        locked(&self.0).admission.entry(key).or_insert(value);
    }

    /// Begins a decision: discards annotations of an earlier one.
    pub(crate) fn begin(&self) {
        locked(&self.0).admission.clear();
    }

    /// Returns all annotations.
    pub(super) fn annotations(&self) -> BTreeMap<String, String> {
        let noted = locked(&self.0);
        // Two maps, because only the annotations of admission are discarded when a decision is repeated.
        let all = noted.authorization.iter().chain(&noted.admission);
        all.map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }

    pub(super) fn body(&self) -> Option<Value> {
        locked(&self.0).body.clone()
    }

    /// Returns the name in the body.
    pub(super) fn object_name(&self) -> Option<String> {
        locked(&self.0).name.clone()
    }
}
