//! Converts Events between the core group and `events.k8s.io`.

use crate::api::json::Value;
use crate::tree::{set, take};

/// The field names in the core group and in `events.k8s.io`.
const EVENT_FIELDS: &[(&str, &str)] = &[
    ("involvedObject", "regarding"),
    ("message", "note"),
    // The new names indicate that only recorders of the core group set these fields.
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

/// Renames the fields of an Event from the other group.
pub(crate) fn convert(event: &mut Value, target: &str) {
    match target {
        "v1" => rename(event, EVENT_FIELDS.iter().map(|(old, new)| (*new, *old))),
        _ => rename(event, EVENT_FIELDS.iter().copied()),
    }
}

fn rename<'a>(object: &mut Value, names: impl Iterator<Item = (&'a str, &'a str)>) {
    for (from, to) in names {
        if let Some(value) = take(object, from) {
            set(object, to, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::convert::{convert, stored_as};
    use crate::{find, shape};

    #[test]
    fn events_convert_losslessly_between_api_groups() {
        let old = find("", "v1", "Event").unwrap();
        let new = find("events.k8s.io", "v1", "Event").unwrap();
        assert!(std::ptr::eq(stored_as(new), old));
        let mut event = json!({"apiVersion": "v1", "kind": "Event", "message": "m",
            "involvedObject": {"kind": "Pod", "name": "p"}, "source": {"component": "kubelet"}});
        shape::normalize(old, &mut event);
        let before = event.clone();
        convert(&mut event, new);
        assert_eq!(event["note"], "m");
        assert_eq!(event["regarding"]["name"], "p");
        assert_eq!(event["deprecatedSource"]["component"], "kubelet");
        convert(&mut event, old);
        assert_eq!(event, before);
    }
}
