//! The list of validation errors, with one constructor per class of error and Kubernetes' messages.

use super::go;
use super::path::Path;
use crate::api::json::Value;
use crate::api::status::{Cause, CauseReason};

/// The validation errors of an object, in the order in which they were found.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kinds::validate::{Errors, Path};
///
/// let mut errors = Errors::default();
/// let spec = Path::root("spec");
/// let ports = spec.child("ports");
/// errors.invalid(&ports.index(0).child("port"), &json!(0), "must be between 1 and 65535, inclusive");
/// assert_eq!(
///     errors.into_causes()[0].to_string(),
///     "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive"
/// );
/// ```
#[derive(Debug, Default)]
pub struct Errors {
    causes: Vec<Cause>,
    /// The total length of the messages.
    bytes: usize,
}

/// Errors are dropped once the messages exceed this many bytes: there may be many, and each may contain a long value.
const MOST_BYTES: usize = 4 << 20;

impl Errors {
    /// Adds an error for a required field that is not set.
    pub fn required(&mut self, path: &Path<'_>, detail: &str) {
        self.push(CauseReason::Required, path, join("Required value", detail));
    }

    /// Adds an error for a value that is malformed or contradicts another field.
    pub fn invalid(&mut self, path: &Path<'_>, value: &Value, detail: &str) {
        self.invalid_shown(path, &go::shown(value), detail);
    }

    /// Adds one error for each message about a malformed string.
    pub fn invalid_each(&mut self, path: &Path<'_>, text: &str, details: Vec<String>) {
        for detail in details {
            self.invalid_shown(path, &go::quoted(text), &detail);
        }
    }

    /// Adds the error of [`Self::invalid`] for a value that is formatted already.
    pub fn invalid_shown(&mut self, path: &Path<'_>, shown: &str, detail: &str) {
        let message = join(&format!("Invalid value: {shown}"), detail);
        self.push(CauseReason::Invalid, path, message);
    }

    /// Adds an error for an invalid field without showing its value.
    pub fn invalid_without_value(&mut self, path: &Path<'_>, detail: &str) {
        let message = format!("Invalid value: {detail}");
        self.push(CauseReason::Invalid, path, message);
    }

    /// Adds an error for a value of the wrong type.
    pub fn type_invalid(&mut self, path: &Path<'_>, shown: &str, detail: &str) {
        let message = join(&format!("Invalid value: {shown}"), detail);
        self.push(CauseReason::TypeInvalid, path, message);
    }

    /// Adds an error for a value outside `supported`, which the message lists in the given order.
    pub fn not_supported(&mut self, path: &Path<'_>, value: &Value, supported: &[&str]) {
        self.not_supported_shown(path, &go::shown(value), supported);
    }

    /// Adds the error of [`Self::not_supported`] for a value that is formatted already.
    pub fn not_supported_shown(&mut self, path: &Path<'_>, shown: &str, supported: &[&str]) {
        let values: Vec<_> = supported.iter().map(|v| format!("\"{v}\"")).collect();
        let message = format!(
            "Unsupported value: {shown}: supported values: {}",
            values.join(", ")
        );
        self.push(CauseReason::NotSupported, path, message);
    }

    /// Adds an error for a repeated value.
    pub fn duplicate(&mut self, path: &Path<'_>, shown: &str) {
        let message = format!("Duplicate value: {shown}");
        self.push(CauseReason::Duplicate, path, message);
    }

    /// Adds an error for a field that must not be set or changed.
    pub fn forbidden(&mut self, path: &Path<'_>, detail: &str) {
        self.push(CauseReason::Forbidden, path, join("Forbidden", detail));
    }

    /// Adds an error for a reference to a missing object.
    pub fn not_found(&mut self, path: &Path<'_>, name: &str, detail: &str) {
        let message = join(&format!("Not found: {}", go::quoted(name)), detail);
        self.push(CauseReason::NotFound, path, message);
    }

    /// Adds an error for a value longer than `max` bytes.
    pub fn too_long(&mut self, path: &Path<'_>, max: usize) {
        let message = format!("Too long: may not be more than {max} bytes");
        self.push(CauseReason::TooLong, path, message);
    }

    /// Adds an error for a list with more than `max` items.
    pub fn too_many(&mut self, path: &Path<'_>, count: usize, max: usize) {
        let message = format!("Too many: {count}: must have at most {max} items");
        self.push(CauseReason::TooMany, path, message);
    }

    /// Returns the errors so far.
    pub fn iter(&self) -> impl Iterator<Item = &Cause> {
        self.causes.iter()
    }

    /// Appends the errors of another validation.
    pub fn extend(&mut self, other: Self) {
        self.causes.extend(other.causes);
        self.bytes += other.bytes;
    }

    /// Returns true if further errors would be omitted.
    pub fn is_full(&self) -> bool {
        self.bytes > MOST_BYTES
    }

    /// Appends the errors of one field's value, whose paths are relative to that value.
    pub fn extend_below(&mut self, path: &Path<'_>, other: Self) {
        self.causes.extend(other.causes.into_iter().map(|cause| {
            let field = match cause.field.as_str() {
                // Errors of combined schemas, such as `anyOf`, have no path.
                "" | "<nil>" => path.to_string(),
                below if below.starts_with('[') => format!("{path}{below}"),
                below => format!("{path}.{below}"),
            };
            Cause { field, ..cause }
        }));
    }

    /// Sorts the errors by path and message.
    pub fn sort(&mut self) {
        let told = |cause: &Cause| format!("{}: {}", cause.field, cause.message);
        // Cache the keys: the text of an error is as long as the value it shows.
        self.causes.sort_by_cached_key(told);
    }

    /// Returns the number of errors so far.
    pub fn len(&self) -> usize {
        self.causes.len()
    }

    /// Returns true if there are no errors so far.
    pub fn is_empty(&self) -> bool {
        self.causes.is_empty()
    }

    /// Returns the errors as the causes of a status.
    pub fn into_causes(self) -> Vec<Cause> {
        self.causes
    }

    fn push(&mut self, reason: CauseReason, path: &Path<'_>, message: String) {
        // Check the size before adding the message, so that at least one message is kept, however long.
        if self.is_full() {
            return;
        }
        self.bytes += message.len();
        self.causes.push(Cause {
            reason,
            field: path.to_string(),
            message,
        });
    }
}

fn join(head: &str, detail: &str) -> String {
    match detail {
        "" => head.to_owned(),
        detail => format!("{head}: {detail}"),
    }
}
