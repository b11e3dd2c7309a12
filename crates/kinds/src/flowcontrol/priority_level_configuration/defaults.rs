//! The defaults of a PriorityLevelConfiguration.

use crate::api::json::Value;
use crate::tree::{child, ensure, set_default};

/// Sets the defaults of a PriorityLevelConfiguration.
pub(crate) fn apply(object: &mut Value) {
    let spec = ensure(object, "spec");
    if let Some(exempt) = child(spec, "exempt") {
        set_default(exempt, "nominalConcurrencyShares", 0);
        set_default(exempt, "lendablePercent", 0);
    }
    let Some(limited) = child(spec, "limited") else {
        return;
    };
    set_default(limited, "nominalConcurrencyShares", 30);
    set_default(limited, "lendablePercent", 0);
    if let Some(queuing) = child(ensure(limited, "limitResponse"), "queuing") {
        set_default(queuing, "queues", 64);
        set_default(queuing, "handSize", 8);
        set_default(queuing, "queueLengthLimit", 50);
    }
}
