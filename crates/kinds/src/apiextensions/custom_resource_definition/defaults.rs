//! The defaults of a CustomResourceDefinition.

use crate::api::json::Value;
use crate::tree::{child, ensure, set_default, text};

/// Sets the defaults of a CustomResourceDefinition.
pub(crate) fn apply(object: &mut Value) {
    let spec = ensure(object, "spec");
    let names = ensure(spec, "names");
    let kind = text(names, "kind").to_owned();
    if !kind.is_empty() {
        set_default(names, "singular", kind.to_lowercase());
        set_default(names, "listKind", format!("{kind}List"));
    }
    let conversion = ensure(spec, "conversion");
    set_default(conversion, "strategy", "None");
    let config = child(conversion, "webhook").and_then(|hook| child(hook, "clientConfig"));
    if let Some(service) = config.and_then(|config| child(config, "service")) {
        set_default(service, "port", 443);
    }
}
