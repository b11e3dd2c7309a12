//! Checks that a write matches its object: name, namespace, uid, resource version.

use crate::api::json::Value;
use crate::api::status::{Cause, CauseReason, Status};
use crate::kind::Kind;
use crate::tree::{field, text};

/// Returns true if an update creates a missing object of the kind.
pub fn is_created_by_update(kind: &Kind) -> bool {
    kind.hooks.created_by_update
}

/// Requires a resource version in updates of kinds that do not allow unconditional updates.
///
/// # Errors
/// Returns a 422 if the required resource version is missing.
pub fn check_conditional(kind: &Kind, object: &Value, name: &str) -> Result<(), Status> {
    let conditional = kind.custom.is_some() || kind.hooks.conditional;
    let version = text(field(object, "metadata"), "resourceVersion");
    if !conditional || !matches!(version, "" | "0") {
        return Ok(());
    }
    let cause = Cause {
        reason: CauseReason::Invalid,
        field: "metadata.resourceVersion".to_owned(),
        message: "Invalid value: 0: must be specified for an update".to_owned(),
    };
    Err(Status::invalid(kind.group, kind.plural, name, vec![cause]))
}

/// Checks an update whose object does not exist.
///
/// # Errors
/// Returns an error if name or namespace differ from those of the request (400), or if the update names a uid (409).
pub fn check_absent(
    kind: &Kind,
    object: &Value,
    name: &str,
    namespace: &str,
) -> Result<(), Status> {
    let metadata = field(object, "metadata");
    check_names(object, name, namespace)?;
    // An update with a uid refers to one particular object, so it must not create another.
    check_uid(kind, text(metadata, "uid"), "", name, namespace)
}

/// Checks a new object against the namespace of the request, which is empty if there is none.
///
/// # Errors
/// Returns an error if the object has a resource version (500) or a namespace other than the request's (400).
pub fn check_create(object: &Value, namespace: &str) -> Result<(), Status> {
    check_namespace(object, namespace)?;
    if !text(field(object, "metadata"), "resourceVersion").is_empty() {
        return Err(Status::internal(
            "resourceVersion should not be set on objects to be created",
        ));
    }
    Ok(())
}

/// Checks an update against the request's name and namespace, and against the stored object.
///
/// # Errors
/// Returns an error if the name or namespace differs from the request's (400), if the resource version is malformed
/// (500) or not the stored one (409), or if the uid differs (409).
pub fn check_update(
    kind: &Kind,
    object: &Value,
    old: &Value,
    name: &str,
    namespace: &str,
) -> Result<(), Status> {
    let (metadata, stored) = (field(object, "metadata"), field(old, "metadata"));
    // Checks in the order of the API server: a request that is wrong in several ways gets the first of these errors.
    check_names(object, name, namespace)?;
    let stored_uid = text(stored, "uid");
    check_uid(kind, text(metadata, "uid"), stored_uid, name, namespace)?;
    let version = text(metadata, "resourceVersion");
    if !version.is_empty() && version.parse::<u64>().is_err() {
        return Err(Status::internal(format!(
            "strconv.ParseUint: parsing {version:?}: invalid syntax"
        )));
    }
    // Like an empty version, 0 matches any stored version.
    if !matches!(version, "" | "0") && version != text(stored, "resourceVersion") {
        return Err(Status::conflict(
            &kind.qualified_resource(),
            name,
            "the object has been modified; please apply your changes to the latest version and try again",
        ));
    }
    Ok(())
}

fn check_names(object: &Value, name: &str, namespace: &str) -> Result<(), Status> {
    check_namespace(object, namespace)?;
    match text(field(object, "metadata"), "name") {
        "" => Ok(()),
        own if own == name => Ok(()),
        own => Err(Status::bad_request(format!(
            "the name of the object ({own}) does not match the name on the URL ({name})"
        ))),
    }
}

fn check_uid(
    kind: &Kind,
    uid: &str,
    stored: &str,
    name: &str,
    namespace: &str,
) -> Result<(), Status> {
    if uid.is_empty() || uid == stored {
        return Ok(());
    }
    // Upstream checks the uid in its storage layer, so the error names the key in etcd.
    let key = storage_key(kind, namespace, name);
    let why = format!(
        "StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, \
         AdditionalErrorMsg: Precondition failed: UID in precondition: {uid}, \
         UID in object meta: {stored}"
    );
    Err(Status::conflict(&kind.qualified_resource(), name, &why))
}

fn check_namespace(object: &Value, namespace: &str) -> Result<(), Status> {
    let own = text(field(object, "metadata"), "namespace");
    if !own.is_empty() && own != namespace {
        return Err(Status::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    Ok(())
}

/// The groups whose resources kube-apiserver stores under their group, besides those of custom resources.
const KEPT_BY_GROUP: [&str; 2] = ["apiextensions.k8s.io", "apiregistration.k8s.io"];

/// The resources that were renamed after their keys.
const RENAMED: [(&str, &str); 5] = [
    ("endpoints", "services/endpoints"),
    ("ingresses.networking.k8s.io", "ingress"),
    ("nodes", "minions"),
    ("replicationcontrollers", "controllers"),
    ("services", "services/specs"),
];

/// Returns the key under which kube-apiserver stores an object, whatever the store of this cluster is.
fn storage_key(kind: &Kind, namespace: &str, name: &str) -> String {
    let group = match kind.custom.is_some() || KEPT_BY_GROUP.contains(&kind.group) {
        true => kind.group,
        false => "",
    };
    let own = kind.qualified_resource();
    let renamed = RENAMED.iter().find(|(resource, _)| *resource == own);
    let resource = renamed.map_or(kind.plural, |(_, key)| *key);
    let parts = ["/registry", group, resource, namespace, name];
    let used: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    used.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find_by_api_version;

    #[test]
    fn key_is_the_one_of_kube_apiserver() {
        for (version, kind, namespace, key) in [
            ("apps/v1", "Deployment", "n", "/registry/deployments/n/a"),
            ("v1", "Service", "n", "/registry/services/specs/n/a"),
            ("v1", "Node", "", "/registry/minions/a"),
            (
                "networking.k8s.io/v1",
                "Ingress",
                "n",
                "/registry/ingress/n/a",
            ),
            (
                "apiregistration.k8s.io/v1",
                "APIService",
                "",
                "/registry/apiregistration.k8s.io/apiservices/a",
            ),
        ] {
            let kind = find_by_api_version(version, kind).unwrap();
            assert_eq!(storage_key(kind, namespace, "a"), key);
        }
    }
}
