//! A scene as data, for programs.

use crate::api::json::{Value, json};
use crate::scene::{Node, Scene};

/// Returns a scene as a JSON object.
pub fn of(scene: &Scene) -> Value {
    let items: Vec<Value> = scene.roots.iter().map(node).collect();
    json!({
        "revision": scene.revision,
        "time": scene.time.to_string(),
        "items": items,
    })
}

fn node(node: &Node) -> Value {
    let status = &node.status;
    let mut value = json!({
        "kind": node.kind.as_str(),
        "name": node.name.as_str(),
        "state": status.state.word(),
        "status": status.word.as_str(),
        "age": node.age.as_str(),
    });
    // Empty fields are omitted, as in Kubernetes' objects.
    for (name, text) in [
        ("namespace", &node.namespace),
        ("node", &node.node),
        ("reason", &status.reason),
        ("next", &status.next),
    ] {
        if !text.is_empty() {
            value[name] = text.as_str().into();
        }
    }
    // Two numbers rather than `1/2`, so that programs need not parse text.
    if let Some((ready, desired)) = status.ready {
        value["ready"] = json!(ready);
        value["desired"] = json!(desired);
    }
    if !node.children.is_empty() {
        let children: Vec<Value> = node.children.iter().map(self::node).collect();
        value["children"] = json!(children);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::a_scene;

    #[test]
    fn data_contains_everything_in_the_tree() {
        let value = of(&a_scene());
        let root = &value["items"][0];
        assert_eq!(root["kind"], "Deployment");
        assert_eq!((&root["ready"], &root["desired"]), (&json!(1), &json!(2)));
        let pod = &root["children"][0];
        assert_eq!(pod["state"], "failing");
        assert_eq!(pod["reason"], "a <b>\"hostile\"</b> & ]]> # reason\u{1b}");
        assert_eq!(pod.get("node"), None);
    }
}
