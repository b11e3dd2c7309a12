//! The list of broken rules, one constructor per class of rule, in the words of Kubernetes.

use super::go;
use super::path::Path;
use crate::api::json::Value;
use crate::api::status::{Cause, CauseReason};

/// The rules that an object breaks, in the order in which they were found.
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
    /// The length of all messages together.
    bytes: usize,
}

/// Messages beyond this many bytes are left out: each of very many errors may show a long value.
const MOST_BYTES: usize = 4 << 20;

impl Errors {
    /// The field must be set.
    pub fn required(&mut self, path: &Path<'_>, detail: &str) {
        self.push(CauseReason::Required, path, join("Required value", detail));
    }

    /// The value is malformed or contradicts another.
    pub fn invalid(&mut self, path: &Path<'_>, value: &Value, detail: &str) {
        self.invalid_shown(path, &go::shown(value), detail);
    }

    /// The text is malformed: one error for each message.
    pub fn invalid_each(&mut self, path: &Path<'_>, text: &str, details: Vec<String>) {
        for detail in details {
            self.invalid_shown(path, &go::quoted(text), &detail);
        }
    }

    /// As [`Self::invalid`], with the value as it is to be shown.
    pub fn invalid_shown(&mut self, path: &Path<'_>, shown: &str, detail: &str) {
        let message = join(&format!("Invalid value: {shown}"), detail);
        self.push(CauseReason::Invalid, path, message);
    }

    /// The field is wrong in a way that has nothing to do with its value.
    pub fn invalid_without_value(&mut self, path: &Path<'_>, detail: &str) {
        let message = format!("Invalid value: {detail}");
        self.push(CauseReason::Invalid, path, message);
    }

    /// The value has the wrong type.
    pub fn type_invalid(&mut self, path: &Path<'_>, shown: &str, detail: &str) {
        let message = join(&format!("Invalid value: {shown}"), detail);
        self.push(CauseReason::TypeInvalid, path, message);
    }

    /// The value is not one of `supported`, which are listed in the order given.
    pub fn not_supported(&mut self, path: &Path<'_>, value: &Value, supported: &[&str]) {
        self.not_supported_shown(path, &go::shown(value), supported);
    }

    /// As [`Self::not_supported`], with the value as it is to be shown.
    pub fn not_supported_shown(&mut self, path: &Path<'_>, shown: &str, supported: &[&str]) {
        let values: Vec<_> = supported.iter().map(|v| format!("\"{v}\"")).collect();
        let message = format!(
            "Unsupported value: {shown}: supported values: {}",
            values.join(", ")
        );
        self.push(CauseReason::NotSupported, path, message);
    }

    /// The value is used before.
    pub fn duplicate(&mut self, path: &Path<'_>, shown: &str) {
        let message = format!("Duplicate value: {shown}");
        self.push(CauseReason::Duplicate, path, message);
    }

    /// The field may not be set or changed.
    pub fn forbidden(&mut self, path: &Path<'_>, detail: &str) {
        self.push(CauseReason::Forbidden, path, join("Forbidden", detail));
    }

    /// The value refers to nothing.
    pub fn not_found(&mut self, path: &Path<'_>, name: &str, detail: &str) {
        let message = join(&format!("Not found: {}", go::quoted(name)), detail);
        self.push(CauseReason::NotFound, path, message);
    }

    /// The value is longer than `max` bytes.
    pub fn too_long(&mut self, path: &Path<'_>, max: usize) {
        let message = format!("Too long: may not be more than {max} bytes");
        self.push(CauseReason::TooLong, path, message);
    }

    /// The list has more than `max` items.
    pub fn too_many(&mut self, path: &Path<'_>, count: usize, max: usize) {
        let message = format!("Too many: {count}: must have at most {max} items");
        self.push(CauseReason::TooMany, path, message);
    }

    /// Returns the rules that are broken so far.
    pub fn iter(&self) -> impl Iterator<Item = &Cause> {
        self.causes.iter()
    }

    /// Appends the errors of another validation.
    pub fn extend(&mut self, other: Self) {
        self.causes.extend(other.causes);
        self.bytes += other.bytes;
    }

    /// Returns true if more errors would be left out.
    pub fn is_full(&self) -> bool {
        self.bytes > MOST_BYTES
    }

    /// Appends the errors of a validation of one field's value, whose paths begin in that value.
    pub fn extend_below(&mut self, path: &Path<'_>, other: Self) {
        self.causes.extend(other.causes.into_iter().map(|cause| {
            let field = match cause.field.as_str() {
                // Combinations of schemas are told without a path.
                "" | "<nil>" => path.to_string(),
                below if below.starts_with('[') => format!("{path}{below}"),
                below => format!("{path}.{below}"),
            };
            Cause { field, ..cause }
        }));
    }

    /// Sorts the broken rules by their text.
    pub fn sort(&mut self) {
        let told = |cause: &Cause| format!("{}: {}", cause.field, cause.message);
        // Cached: the text of an error is as long as the value it shows.
        self.causes.sort_by_cached_key(told);
    }

    /// Returns the number of rules that are broken so far.
    pub fn len(&self) -> usize {
        self.causes.len()
    }

    /// Returns true if no rule is broken so far.
    pub fn is_empty(&self) -> bool {
        self.causes.is_empty()
    }

    /// Returns the rules that are broken.
    pub fn into_causes(self) -> Vec<Cause> {
        self.causes
    }

    fn push(&mut self, reason: CauseReason, path: &Path<'_>, message: String) {
        // The check precedes the message, so one message of any length is always kept.
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
