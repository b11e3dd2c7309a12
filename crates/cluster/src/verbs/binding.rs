//! `/binding`: a Pod gets its node.

use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::commit::step::{Decided, Decision, Step};
use crate::entry::Admitted;
use crate::kinds::admission::policy::Operation;
use crate::kinds::tree::{ensure, entries, field, has, len, set, text};
use crate::kinds::validate::go;
use crate::kinds::{shape, strategy};
use crate::objects;
use crate::objects::seconds;
use crate::request::Place;
use crate::request::response::ApiError;
use crate::rules::policies::{self, SubresourceBody};
use crate::store::{Expect, View};
use crate::verbs::condition::set_condition;
use crate::verbs::current::current;

/// Labels of its node that a Pod gets when it is bound.
const TOPOLOGY: [&str; 2] = [
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
];

/// Returns the step of a binding that is sent to `/binding` of its Pod.
pub(crate) fn bind_step<'s>(at: Admitted<'s>, binding: &'s Value) -> Result<Step<'s>, ApiError> {
    let pod = Pod {
        place: at.place().clone(),
        name: at.name(),
    };
    step(at, pod, binding)
}

/// Returns the step of a binding that is created in the collection `bindings` and names its Pod by its own name.
pub(crate) fn created_step<'s>(at: Admitted<'s>, binding: &'s Value) -> Result<Step<'s>, ApiError> {
    at.options().check("CreateOptions")?;
    let (kind, namespace) = (at.place().kind, &at.place().namespace);
    shape::read(kind, binding)?;
    strategy::check_create(binding, namespace)?;
    let pods = crate::kinds::find("", "v1", "Pod").ok_or_else(super::not_served)?;
    let pod = Pod {
        place: Place::new(pods, namespace),
        name: objects::meta(binding, "name"),
    };
    Ok(step(at, pod, binding)?.writes(pods))
}

/// The Pod that a binding is for.
struct Pod<'s> {
    place: Place,
    name: &'s str,
}

fn step<'s>(at: Admitted<'s>, pod: Pod<'s>, binding: &'s Value) -> Result<Step<'s>, ApiError> {
    let Pod { place, name } = pod;
    // Before the decision too, because an invalid key has no Pod.
    check(name, binding)?;
    let key = objects::key(&place, name)?;
    let decide = move |view: &dyn View| {
        let (revision, old) =
            current(view, &key, &at)?.ok_or_else(|| objects::not_found(place.kind, name))?;
        let mut warnings = Vec::new();
        let posted = SubresourceBody {
            name,
            subresource: "binding",
            operation: Operation::Create,
            body: binding,
        };
        // Webhooks and policies may change the binding, such as its labels, which the Pod gets.
        let check = |binding: &Value| check(name, binding);
        let binding =
            policies::part_created(view, &place, at.author(), posted, &check, &mut warnings)?;
        let new = bound(view, &old, &binding)?;
        Ok(Decided {
            warnings,
            ..Decision::Put(key.clone(), Expect::At(revision), new).into()
        })
    };
    Ok(Step::new(at, "bind", decide))
}

/// Returns the problems of the binding itself.
fn check(name: &str, binding: &Value) -> Result<(), Status> {
    if objects::meta(binding, "name") != name {
        return Err(Status::bad_request(
            "name in URL does not match name in Binding object",
        ));
    }
    let target = field(binding, "target");
    let mut wrong = Vec::new();
    let kind = text(target, "kind");
    if !matches!(kind, "" | "Node") {
        let kind = go::quoted(kind);
        wrong.push(format!(
            "target.kind: Unsupported value: {kind}: supported values: \"Node\", \"<empty>\""
        ));
    }
    if text(target, "name").is_empty() {
        wrong.push("target.name: Required value".to_owned());
    }
    match wrong.as_slice() {
        [] => Ok(()),
        // kube-apiserver returns the error list unwrapped here, and an untyped error becomes a 500.
        [one] => Err(Status::internal(one)),
        many => Err(Status::internal(format!("[{}]", many.join(", ")))),
    }
}

/// Returns the Pod bound to its node.
fn bound(view: &dyn View, old: &Value, binding: &Value) -> Result<Value, ApiError> {
    let name = objects::meta(old, "name");
    let refuse = |why: String| Err(Status::conflict("pods/binding", name, &why).into());
    let uid = objects::meta(binding, "uid");
    if !uid.is_empty() && uid != objects::meta(old, "uid") {
        let own = objects::meta(old, "uid");
        return refuse(format!(
            "Precondition failed: UID in precondition: {uid}, UID in object meta: {own}"
        ));
    }
    if has(field(old, "metadata"), "deletionTimestamp") {
        return refuse(format!(
            "pod {name} is being deleted, cannot be assigned to a host"
        ));
    }
    let node = text(field(old, "spec"), "nodeName");
    if !node.is_empty() {
        let node = go::quoted(node);
        return refuse(format!("pod {name} is already assigned to node {node}"));
    }
    // Gates block every scheduler, also a user who binds manually.
    if len(field(old, "spec"), "schedulingGates") > 0 {
        return refuse(format!("pod {name} has non-empty .spec.schedulingGates"));
    }
    let node = text(field(binding, "target"), "name");
    let mut new = old.clone();
    set(ensure(&mut new, "spec"), "nodeName", node);
    let metadata = ensure(&mut new, "metadata");
    for (key, value) in entries(field(binding, "metadata"), "annotations") {
        set(ensure(metadata, "annotations"), key, value.clone());
    }
    let there = objects::labels(view, "nodes", "", node);
    let topology = TOPOLOGY
        .iter()
        .filter_map(|key| Some((*key, there.get(*key)?)));
    for (key, value) in entries(field(binding, "metadata"), "labels").chain(topology) {
        let labels = ensure(metadata, "labels");
        // `PodTopologyLabelsAdmission` copies the labels but never overwrites those of the Pod.
        if !has(labels, key) {
            set(labels, key, value.clone());
        }
    }
    // The nomination is fulfilled or void; left in place it would reserve room on a node.
    if let Some(status) = new["status"].as_object_mut() {
        status.remove("nominatedNodeName");
    }
    let condition = json!({"type": "PodScheduled", "status": "True"});
    set_condition(&mut new, &condition, &seconds(view));
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{fresh, place, pod};
    use crate::{Part, WriteOptions};

    fn binding(pod: &str, target: Value) -> Value {
        json!({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod}, "target": target})
    }

    #[test]
    fn a_pod_is_bound_once() {
        let cluster = fresh();
        let (place, options) = (place("pods"), WriteOptions::default());
        let mut promised = cluster.create(&place, &pod("p"), &options).unwrap().object;
        promised["status"]["nominatedNodeName"] = json!("node-1");
        cluster
            .replace(&place, "p", &promised, Part::Status, &options)
            .unwrap();
        let to = |node: &str| binding("p", json!({"kind": "Node", "name": node}));
        let bound = cluster
            .subresources()
            .bind(&place, "p", &to("node-0"), &options)
            .unwrap()
            .object;
        assert_eq!(bound["spec"]["nodeName"], "node-0");
        assert!(bound["status"].get("nominatedNodeName").is_none());
        assert_eq!(bound["metadata"]["generation"], 1);
        assert_eq!(
            bound["status"]["conditions"][0],
            json!({"type": "PodScheduled",
            "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-01-01T00:00:00Z"})
        );
        assert_eq!(
            cluster
                .subresources()
                .bind(&place, "p", &to("node-1"), &options)
                .unwrap_err()
                .to_string(),
            "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node \
             \"node-0\""
        );
    }

    #[test]
    fn a_binding_that_is_created_binds_its_pod() {
        let cluster = fresh();
        let (pods, bindings) = (place("pods"), place("bindings"));
        let options = WriteOptions::default();
        cluster.create(&pods, &pod("p"), &options).unwrap();
        let new = |name: &str, target: Value| {
            let answer = cluster.create(&bindings, &binding(name, target), &options);
            answer.map(|_| ()).map_err(|e| e.to_string())
        };
        let refused = [
            ("q", json!({"name": "node-0"}), "pods \"q\" not found"),
            ("p", json!({}), "target.name: Required value"),
        ];
        for (name, target, why) in refused {
            assert_eq!(new(name, target), Err(why.to_owned()));
        }
        new("p", json!({"kind": "Node", "name": "node-0"})).unwrap();
        let bound = cluster.get(&pods, "p").unwrap();
        assert_eq!(bound["spec"]["nodeName"], "node-0");
        assert_eq!(bound["status"]["conditions"][0]["type"], "PodScheduled");
        let again = "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node \
            \"node-0\"";
        assert_eq!(new("p", json!({"name": "node-1"})), Err(again.to_owned()));
        // Several in one commit take another way to the step.
        cluster.create(&pods, &pod("r"), &options).unwrap();
        let one = binding("r", json!({"name": "node-0"}));
        let several = [crate::Request::create(bindings, one)];
        let answers = cluster.batch_in_order("test", None, &several, &[]).unwrap();
        assert!(
            answers
                .iter()
                .all(|answer| answer.as_ref().is_some_and(Result::is_ok))
        );
        assert_eq!(
            cluster.get(&pods, "r").unwrap()["spec"]["nodeName"],
            "node-0"
        );
    }

    #[test]
    fn incomplete_bindings_are_rejected() {
        let cluster = fresh();
        let (place, options) = (place("pods"), WriteOptions::default());
        let mut gated = pod("p");
        gated["spec"]["schedulingGates"] = json!([{"name": "a.b/c"}]);
        cluster.create(&place, &gated, &options).unwrap();
        let refused = |name: &str, binding: &Value| {
            cluster
                .subresources()
                .bind(&place, name, binding, &options)
                .unwrap_err()
                .to_string()
        };
        for (name, target, words) in [
            (
                "p",
                json!({"kind": "Foo", "name": "n"}),
                "target.kind: Unsupported value: \"Foo\": supported values: \"Node\", \"<empty>\"",
            ),
            ("p", json!({"kind": "Node"}), "target.name: Required value"),
            (
                "p",
                json!({"name": "n"}),
                "Operation cannot be fulfilled on pods/binding \"p\": pod p \
                has non-empty .spec.schedulingGates",
            ),
            ("q", json!({"name": "n"}), "pods \"q\" not found"),
        ] {
            assert_eq!(refused(name, &binding(name, target)), words);
        }
        let other = binding("other", json!({"name": "n"}));
        assert_eq!(
            refused("p", &other),
            "name in URL does not match name in Binding object"
        );
    }
}
