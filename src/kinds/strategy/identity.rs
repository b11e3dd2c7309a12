//! Whether a write names the object it means: name, namespace, uid, resource version.

use crate::api::json::Value;
use crate::api::status::Status;
use crate::kinds::kind::Kind;
use crate::kinds::tree::{field, text};

/// Checks a new object against the request's namespace (empty for none).
///
/// # Errors
/// The object carries a resource version (500), or another namespace than the request (400).
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
/// Another name or namespace than the request (400), a resource version that is none (500) or is not
/// the stored one, or another uid (409).
pub fn check_update(
    kind: &Kind,
    object: &Value,
    old: &Value,
    name: &str,
    namespace: &str,
) -> Result<(), Status> {
    check_namespace(object, namespace)?;
    let (metadata, stored) = (field(object, "metadata"), field(old, "metadata"));
    let own = text(metadata, "name");
    if !own.is_empty() && own != name {
        return Err(Status::bad_request(format!(
            "the name of the object ({own}) does not match the name on the URL ({name})"
        )));
    }
    let resource = kind.qualified_resource();
    let (uid, stored_uid) = (text(metadata, "uid"), text(stored, "uid"));
    if !uid.is_empty() && uid != stored_uid {
        let key = storage_key(kind, namespace, name);
        return Err(Status::conflict(
            &resource,
            name,
            &format!(
                "StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, \
                 AdditionalErrorMsg: Precondition failed: UID in precondition: {uid}, \
                 UID in object meta: {stored_uid}"
            ),
        ));
    }
    let version = text(metadata, "resourceVersion");
    if !version.is_empty() && version.parse::<u64>().is_err() {
        return Err(Status::internal(format!(
            "strconv.ParseUint: parsing {version:?}: invalid syntax"
        )));
    }
    if !version.is_empty() && version != text(stored, "resourceVersion") {
        return Err(Status::conflict(
            &resource,
            name,
            "the object has been modified; please apply your changes to the latest version and try again",
        ));
    }
    Ok(())
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

fn storage_key(kind: &Kind, namespace: &str, name: &str) -> String {
    let parts = ["/registry", kind.group, kind.plural, namespace, name];
    let used: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    used.join("/")
}
