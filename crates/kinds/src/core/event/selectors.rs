//! The fields of an Event for field selectors.

use crate::api::json::Value;
use crate::tree::{field, text};

/// Returns the source of an Event: its component, or else the controller that reported it.
pub(crate) fn value(event: &Value, selector: &str) -> Option<String> {
    if selector != "source" {
        return None;
    }
    let component = text(field(event, "source"), "component");
    let source = match component {
        "" => text(event, "reportingComponent"),
        component => component,
    };
    Some(source.to_owned())
}
