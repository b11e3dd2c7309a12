//! Reads objects from clients, which may send anything, and from storage, which holds only valid ones.

pub use super::decoded::Decoded;
use super::kind::Kind;
use super::schema::{self, StoredFields, canonical, decode};
use super::tree::{ensure, field, has, set, take};
use super::{custom, defaults, warnings};
use crate::api::json::Value;
use crate::api::status::Status;

/// Reads an object of a kind: checks its shape, drops unknown fields and sets defaults.
///
/// # Errors
/// Returns the API server's 400 if a value has the wrong type or the object is of another kind.
pub fn read(kind: &Kind, object: &Value) -> Result<Decoded, Status> {
    read_since(kind, object, StoredFields::NOTHING)
}

/// Reads an object that was derived from a valid one. Skips the parts that both share.
///
/// # Errors
/// See [`read`].
pub fn read_since(kind: &Kind, object: &Value, known: StoredFields<'_>) -> Result<Decoded, Status> {
    if let Some(custom) = kind.custom {
        return custom::read(custom, object).map(|decoded| clear_ignored_fields(kind, decoded));
    }
    let unknown = decode::check(kind, object, known)?;
    Ok(decoded(kind, object.clone(), unknown, known))
}

/// Reads an object by value, which saves a copy.
///
/// # Errors
/// See [`read`].
pub fn read_own(kind: &Kind, object: Value) -> Result<Decoded, Status> {
    if let Some(custom) = kind.custom {
        return custom::read(custom, &object).map(|decoded| clear_ignored_fields(kind, decoded));
    }
    let unknown = decode::check(kind, &object, StoredFields::NOTHING)?;
    Ok(decoded(kind, object, unknown, StoredFields::NOTHING))
}

fn decoded(
    kind: &Kind,
    mut object: Value,
    unknown: Vec<String>,
    known: StoredFields<'_>,
) -> Decoded {
    // The body may omit both. If it has them, they are those of the kind: the check has compared them.
    set(&mut object, "apiVersion", kind.api_version());
    set(&mut object, "kind", kind.kind);
    normalize_since(kind, &mut object, known);
    clear_ignored_fields(kind, Decoded { object, unknown })
}

/// Clears the fields that the API server ignores: `selfLink`, and the namespace of a cluster-scoped object, which
/// many charts write.
fn clear_ignored_fields(kind: &Kind, mut decoded: Decoded) -> Decoded {
    let ignored: &[&str] = match kind.namespaced {
        true => &["selfLink"],
        false => &["selfLink", "namespace"],
    };
    for name in ignored {
        if has(field(&decoded.object, "metadata"), name) {
            take(ensure(&mut decoded.object, "metadata"), name);
        }
    }
    decoded
}

/// Converts an object to canonical shape and sets defaults, as every read does. Idempotent.
pub fn normalize(kind: &Kind, object: &mut Value) {
    normalize_since(kind, object, StoredFields::NOTHING);
}

/// Normalizes an object that was derived from a valid one. Skips the parts that both share.
pub fn normalize_since(kind: &Kind, object: &mut Value, known: StoredFields<'_>) {
    if let Some(custom) = kind.custom {
        return custom::normalize(custom, object);
    }
    canonical(kind, object, known);
    let shaped = object.clone();
    set_defaults(kind, object, &shaped, known);
}

/// Sets missing defaults in an object derived from `shaped`, which is canonical, and makes the result canonical.
pub fn normalize_again(kind: &Kind, object: &mut Value, shaped: &Value) {
    if kind.custom.is_some() {
        return normalize(kind, object);
    }
    set_defaults(kind, object, shaped, StoredFields::NOTHING);
}

fn set_defaults(kind: &Kind, object: &mut Value, shaped: &Value, known: StoredFields<'_>) {
    defaults::apply(kind, object, known);
    if object == shaped {
        // Nothing was missing, but the search for it has copied parts of the object. Share the memory again.
        object.clone_from(shaped);
    } else {
        // Defaults may have added structs, some of whose fields the API server always writes.
        canonical(kind, object, shaped.into());
    }
}

/// Converts an object to canonical shape without setting defaults, as before validation.
pub fn canonical(kind: &Kind, object: &mut Value, known: StoredFields<'_>) {
    if kind.custom.is_some() {
        custom::canonical_metadata(object);
    } else if let Some(schema) = schema::of_kind(kind.group, kind.version, kind.kind) {
        canonical::apply(schema, object, known);
    }
}

impl Decoded {
    /// Returns the warnings for lenient field validation: unknown fields first, then those of [`warnings`].
    pub fn warnings(&self, kind: &Kind) -> Vec<String> {
        let unknown = self.unknown_fields().into_iter();
        unknown.chain(warnings::of(kind, &self.object)).collect()
    }

    /// Returns the warnings for unknown fields, which a request gets even if it is rejected later.
    pub fn unknown_fields(&self) -> Vec<String> {
        let unknown = self.unknown.iter();
        unknown.map(|path| decode::unknown_field(path)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::find;

    #[test]
    fn an_object_outside_of_namespaces_has_none() {
        let read = |group, kind| {
            let known = find(group, "v1", kind).unwrap();
            let metadata = json!({"name": "a", "namespace": "b", "selfLink": "/a"});
            let object =
                json!({"apiVersion": known.api_version(), "kind": kind, "metadata": metadata});
            read_own(known, object.clone()).unwrap();
            let read = read(known, &object).unwrap();
            assert_eq!(read.object["metadata"]["selfLink"], Value::Null);
            read.object["metadata"]["namespace"].clone()
        };
        assert_eq!(
            read("rbac.authorization.k8s.io", "ClusterRole"),
            Value::Null
        );
        assert_eq!(read("", "Namespace"), Value::Null);
        assert_eq!(read("", "ConfigMap"), "b");
    }

    #[test]
    fn the_spec_of_a_stored_object_has_its_defaults() {
        let pod = json!({"containers": [{"name": "a", "image": "b"}]});
        let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": pod});
        let workload = json!({"selector": {"matchLabels": {"a": "b"}}, "template": template});
        let job = json!({"template": template});
        let cron_job = json!({"schedule": "* * * * *", "jobTemplate": {"spec": job}});
        for (group, name, spec) in [
            ("", "Pod", &pod),
            ("apps", "Deployment", &workload),
            ("apps", "ReplicaSet", &workload),
            ("batch", "Job", &job),
            ("batch", "CronJob", &cron_job),
        ] {
            let kind = find(group, "v1", name).unwrap();
            let object = json!({"apiVersion": kind.api_version(), "kind": name,
                "metadata": {"name": "a"}, "spec": spec});
            let stored = read(kind, &object).unwrap().object;
            assert_ne!(stored["spec"], *spec);
            let mut later = stored.clone();
            later["metadata"]["annotations"] = json!({"c": "d"});
            later["metadata"]["labels"] = Value::Null;
            let mut apart = serde_json::from_str(&later.to_string()).unwrap();
            normalize_since(kind, &mut later, (&stored).into());
            normalize(kind, &mut apart);
            assert_eq!(later, apart, "{name}");
            assert!(later["spec"].is_shared_with(&stored["spec"]), "{name}");
        }
    }
}
