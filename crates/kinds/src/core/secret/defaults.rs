//! The defaults of a Secret.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::api::json::Value;
use crate::tree::{as_text, ensure, set, set_default, take};

/// Sets the defaults of a Secret: encodes the strings in `stringData` and adds them to the data, overwriting existing
/// keys.
pub(crate) fn apply(object: &mut Value) {
    set_default(object, "type", "Opaque");
    // The field is write-only and never stored.
    let Some(Value::Object(plain)) = take(object, "stringData") else {
        return;
    };
    let data = ensure(object, "data");
    for (key, value) in plain {
        set(data, &key, STANDARD.encode(as_text(&value)));
    }
}
