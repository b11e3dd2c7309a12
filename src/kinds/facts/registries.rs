//! The lists of kinds agree with each other.

use serde_json::json;

use crate::kinds::registry::all;
use crate::kinds::{columns, fields, shape, validate};

#[test]
fn every_kind_prints_as_many_cells_as_it_has_columns() {
    let now = super::server::NOW.parse().unwrap();
    for kind in all().filter(|kind| kind.served && !kind.columns.is_empty()) {
        let mut object = json!({"apiVersion": kind.api_version(), "kind": kind.kind,
            "metadata": {"name": "x"}});
        shape::settle(kind, &mut object);
        let cells = columns::cells(kind, &object, now);
        assert_eq!(cells.len(), kind.columns.len(), "{}", kind.qualified_kind());
    }
}

#[test]
fn every_kind_refuses_an_object_without_a_name() {
    for kind in all().filter(|kind| kind.served && kind.verbs.contains(&"create")) {
        let mut object = json!({"apiVersion": kind.api_version(), "kind": kind.kind,
            "metadata": {}});
        shape::settle(kind, &mut object);
        let causes = validate::create(kind, &object);
        assert!(
            causes.iter().any(|cause| cause.field == "metadata.name"),
            "{}",
            kind.qualified_kind()
        );
    }
}

#[test]
fn every_field_selector_has_a_value() {
    for kind in all() {
        for selector in kind.field_selectors {
            let value = fields::value(kind, &json!({"metadata": {}}), selector);
            assert!(value.is_some(), "{} {selector}", kind.qualified_kind());
        }
    }
}
