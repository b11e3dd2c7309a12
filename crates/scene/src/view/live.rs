//! The data that a live page reads from its server.

use super::html::state;
use crate::api::json::{Value, json};
use crate::present::{Event, Present, Step, Stop};

/// Returns a cluster at one revision. Contains times rather than ages: an idle cluster then sends nothing, and the
/// page computes the ages.
pub fn present(present: &Present) -> Value {
    let rows = present.entries.iter().map(|entry| {
        let mut value = state(&entry.status, &entry.node, entry.rollout);
        value["u"] = entry.uid.as_str().into();
        value["label"] = entry.label().into();
        value["namespace"] = entry.namespace.as_str().into();
        value["depth"] = json!(entry.depth);
        if let Some(created) = entry.created {
            value["t"] = json!(created.as_second());
        }
        value
    });
    let nodes = present.nodes.iter().map(|node| {
        let mut value = state(&node.status, "", None);
        value["label"] = node.name.as_str().into();
        value
    });
    let namespaces = present.entries.first().map(|first| &first.namespace);
    let mut all = present.entries.iter();
    json!({
        "revision": present.revision,
        "time": present.time.as_second(),
        "virtual": present.is_virtual,
        // The namespace is redundant if all objects share one.
        "namespaces": all.any(|entry| Some(&entry.namespace) != namespaces),
        "rows": rows.collect::<Vec<_>>(),
        "nodes": nodes.collect::<Vec<_>>(),
        "events": present.events.iter().map(event).collect::<Vec<_>>(),
    })
}

fn event(event: &Event) -> Value {
    let mut value = json!({
        "warning": event.is_warning,
        "reason": event.reason.as_str(),
        "object": event.object.as_str(),
        "message": event.message.as_str(),
    });
    if let Some(time) = event.time {
        value["t"] = json!(time.as_second());
    }
    value
}

/// Returns commits of the history. In the page, the first ones of a connection replace those of an earlier connection.
pub fn stops(stops: &[Stop], is_first: bool) -> Value {
    let frames = stops.iter().map(|stop| {
        let mut value = json!({
            "time": stop.time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            "revision": stop.revision,
            "by": stop.writer.as_str(),
            "rule": stop.rule.as_str(),
        });
        if let Some(mark) = &stop.mark {
            value["mark"] = mark.as_str().into();
        }
        value
    });
    json!({"first": is_first, "frames": frames.collect::<Vec<_>>()})
}

/// Returns the controllers' next steps.
pub fn queue(steps: &[Step]) -> Value {
    let steps = steps.iter().map(|step| {
        let mut value = json!({
            "controller": step.controller.as_str(),
            "key": step.key.as_str(),
            "what": step.what.as_str(),
        });
        if let Some(at) = step.at {
            value["t"] = json!(at.as_second());
        }
        value
    });
    Value::from(steps.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{a_scene, now};

    #[test]
    fn live_rows_use_the_field_names_of_a_recording() {
        let mut own = Present::default().with_scene(a_scene(), Vec::new());
        own.entries[1].created = Some(now());
        let value = present(&own);
        assert_eq!(value["rows"][0]["label"], "deployment/web");
        assert_eq!(value["rows"][0]["c"], "1/2");
        let pod = &value["rows"][1];
        assert_eq!(
            (&pod["depth"], &pod["s"], &pod["t"]),
            (&json!(1), &json!("failing"), &json!(now().as_second()))
        );
        assert_eq!(pod["y"], "a <b>\"hostile\"</b> & ]]> # reason\u{1b}");
        assert_eq!(value["namespaces"], false);
        // A server-sent event is a single line, which no name or message may end.
        own.entries[1].status.reason = "a\nb\r\nevent: x\u{2028}".to_owned();
        let text = present(&own).to_string();
        assert!(!text.contains(['\n', '\r']), "{text}");
    }
}
