//! Checks that a write identifies its object: name, namespace, uid, resource version.

use crate::api::json::Value;
use crate::api::status::{Cause, CauseReason, Status};
use crate::kind::Kind;
use crate::tree::{field, text};

/// Returns true if an update of an absent object of a kind creates it.
pub fn is_created_by_update(kind: &Kind) -> bool {
    kind.hooks.created_by_update
}

/// Checks that an update names the version that it changes, if its kind requires that.
///
/// # Errors
/// Returns a 422 if there is no resource version.
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

/// Checks an update of an object that does not exist.
///
/// # Errors
/// Returns an error if the update is for another name or namespace (400), or for a certain object (409).
pub fn check_absent(
    kind: &Kind,
    object: &Value,
    name: &str,
    namespace: &str,
) -> Result<(), Status> {
    let metadata = field(object, "metadata");
    check_names(object, name, namespace)?;
    // An update with a uid refers to that object, so it must not create another one.
    check_uid(kind, text(metadata, "uid"), "", name, namespace)
}

/// Checks a new object against the request's namespace (empty for none).
///
/// # Errors
/// Returns an error for a resource version (500) or another namespace than the request's (400).
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
/// Returns an error if name or namespace differ from the request's (400), if the resource version is invalid (500) or
/// not the stored one, or if the uid differs (409).
pub fn check_update(
    kind: &Kind,
    object: &Value,
    old: &Value,
    name: &str,
    namespace: &str,
) -> Result<(), Status> {
    let (metadata, stored) = (field(object, "metadata"), field(old, "metadata"));
    // The order is that of the API server: a request that is wrong in several ways gets the first of these
    // errors.
    check_names(object, name, namespace)?;
    let stored_uid = text(stored, "uid");
    check_uid(kind, text(metadata, "uid"), stored_uid, name, namespace)?;
    let version = text(metadata, "resourceVersion");
    if !version.is_empty() && version.parse::<u64>().is_err() {
        return Err(Status::internal(format!(
            "strconv.ParseUint: parsing {version:?}: invalid syntax"
        )));
    }
    // 0 matches any version, like an empty one.
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

fn storage_key(kind: &Kind, namespace: &str, name: &str) -> String {
    let parts = ["/registry", kind.group, kind.plural, namespace, name];
    let used: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    used.join("/")
}
