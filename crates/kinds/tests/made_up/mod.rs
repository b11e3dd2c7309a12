//! A group that Kubernetes does not have. It shows the steps to add a kind: one folder and one line.
//!
//! The folder holds all the code of the kind; nothing else in the program names it. `src/registry.rs` lists the group
//! in tests only, so the tests of the registry and of the facts cover the made-up kind too.

mod gadget;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery.
pub(crate) const KINDS: &[Kind] = &[gadget::KIND];

#[cfg(test)]
mod tests {
    use crate::api::json::{Value, json};
    use crate::strategy::{self, WriteContext};
    use crate::{columns, convert, find, registry, shape, validate};

    const NOW: &str = "2026-01-02T03:04:05Z";

    fn gadget(spec: Value) -> Value {
        json!({"apiVersion": "example.dev/v1", "kind": "Gadget", "spec": spec,
            "metadata": {"name": "g", "namespace": "default", "creationTimestamp": NOW, "uid": "u"}})
    }

    fn created(spec: Value) -> Value {
        let kind = find("example.dev", "v1", "Gadget").unwrap();
        let mut object = shape::read(kind, &gadget(spec)).unwrap().object;
        let write_context = WriteContext {
            now: NOW,
            uid: "u",
            labeled: false,
        };
        strategy::prepare_create(kind, &mut object, &write_context);
        shape::normalize(kind, &mut object);
        object
    }

    #[test]
    fn folder_and_registry_entry_define_a_kind() {
        let kind = find("example.dev", "v1", "Gadget").unwrap();
        assert!(registry::all().any(|listed| std::ptr::eq(listed, kind)));
        let read = shape::read(kind, &gadget(json!({"size": 7, "colour": "red"}))).unwrap();
        assert_eq!(read.unknown, ["spec.colour"]);
        assert_eq!(read.object["spec"], json!({"size": 7, "shape": "round"}));
        assert_eq!(
            read.warnings(kind)[1],
            "spec.size: more than 5 is hard to lift"
        );
        assert!(shape::read(kind, &gadget(json!({"size": "big"}))).is_err());

        let object = created(json!({"size": 7}));
        assert_eq!(object["metadata"]["generation"], 1);
        assert_eq!(object["status"], json!({"phase": "Assembled"}));
        assert_eq!(validate::create(kind, &object), []);
        let cells = columns::cells(kind, &object, NOW.parse().unwrap());
        assert_eq!(json!(cells), json!(["g", 7, "Assembled", "0s"]));
        assert_eq!(cells.len(), kind.columns.len());
        assert!(std::ptr::eq(convert::stored_as(kind), kind));
    }

    #[test]
    fn validation_rules_of_the_folder_are_applied() {
        let kind = find("example.dev", "v1", "Gadget").unwrap();
        let broken = validate::create(kind, &created(json!({"size": -1})));
        assert_eq!(broken[0].field, "spec.size");
        let old = created(json!({"size": 7}));
        let mut new = created(json!({"size": 8}));
        strategy::prepare_update(kind, &mut new, &old);
        assert_eq!(new["metadata"]["generation"], 2);
        new["metadata"]["resourceVersion"] = json!("1");
        let causes = validate::update(kind, &new, &old);
        assert_eq!(causes[0].message, "Forbidden: a gadget does not grow");
    }
}
