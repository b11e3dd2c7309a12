//! Tests a definition and its objects as recorded from the real API server.

use super::*;
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::{columns, find, shape};

fn boats() -> CustomKind {
    let crew = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"}, "rank": {"type": "string", "default": "hand"}}});
    let spec = json!({"type": "object", "required": ["length"], "properties": {
        "length": {"type": "integer", "minimum": 1, "maximum": 400},
        "colour": {"type": "string", "enum": ["red", "white", "blue"], "default": "white"},
        "name": {"type": "string", "pattern": "^[A-Z]", "maxLength": 10},
        "replicas": {"type": "integer", "default": 1},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "crew": {"type": "array", "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"], "items": crew},
        "extra": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}});
    let status = json!({"type": "object", "properties": {"port": {"type": "string"}}});
    let schema = json!({"type": "object", "required": ["spec"],
        "properties": {"spec": spec, "status": status}});
    let mut definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "boats.sea.example.com"},
        "spec": {
            "group": "sea.example.com", "scope": "Namespaced",
            "names": {"plural": "boats", "kind": "Boat", "shortNames": ["bt"]},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "subresources": {"status": {},
                    "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
                "additionalPrinterColumns": [
                    {"name": "Length", "type": "integer", "jsonPath": ".spec.length"},
                    {"name": "Crew", "type": "string", "jsonPath": ".spec.crew[*].name"}],
                "schema": {"openAPIV3Schema": schema},
            }],
        },
    });
    let kind = find("apiextensions.k8s.io", "v1", "CustomResourceDefinition").unwrap();
    shape::normalize(kind, &mut definition);
    CustomKind::from_definition(&definition).remove(0)
}

fn boat(name: &str, spec: Value) -> Value {
    json!({"apiVersion": "sea.example.com/v1", "kind": "Boat",
        "metadata": {"name": name, "namespace": "default"}, "spec": spec})
}

fn refused(object: &Value) -> String {
    let kind = boats();
    let object = read(&kind, object).unwrap().object;
    Status::invalid("", "Boat", "bad", create(&kind, &object)).message
}

#[test]
fn definition_provides_names_scope_and_subresources() {
    let kind = boats();
    assert_eq!(kind.singular, "boat");
    assert_eq!(kind.list_kind, "BoatList");
    assert_eq!(kind.api_version(), "sea.example.com/v1");
    assert!(kind.namespaced && kind.has_status);
    assert_eq!(kind.scale.unwrap().spec_replicas, ".spec.replicas");
}

#[test]
fn unknown_fields_are_pruned_and_defaults_set() {
    let kind = boats();
    let spec = json!({"length": 12, "sails": 3, "crew": [{"name": "ann"}], "extra": {"any": [1]}});
    let decoded = read(&kind, &boat("gull", spec)).unwrap();
    assert_eq!(decoded.unknown, ["spec.sails"]);
    assert_eq!(
        decoded.object["spec"],
        json!({"colour": "white", "crew": [{"name": "ann", "rank": "hand"}],
            "extra": {"any": [1]}, "length": 12, "replicas": 1})
    );
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    let cells = columns::custom(&kind.columns, &decoded.object, now);
    assert_eq!(cells, [json!("gull"), json!(12), json!("ann")]);
}

#[test]
fn metadata_and_bodies_that_are_no_objects_are_refused() {
    let refused = read(&boats(), &json!([])).unwrap_err();
    let why = "cannot be handled as a Boat: json: cannot unmarshal array into Go value of type map[string]interface {}";
    assert!(refused.message.ends_with(why), "{}", refused.message);
    let mut object = boat("gull", json!({"length": 12}));
    for (metadata, shown) in [(json!([]), "array"), (json!("gull"), "string")] {
        object["metadata"] = metadata;
        let refused = read(&boats(), &object).unwrap_err();
        assert_eq!(
            refused.message,
            format!(
                "Boat in version \"v1\" cannot be handled as a Boat: json: cannot unmarshal {shown} into Go value of \
                 type v1.ObjectMeta"
            )
        );
    }
}

#[test]
fn unknown_metadata_of_embedded_objects_is_pruned_and_reported() {
    for preserves in [true, false] {
        let mut kind = boats();
        let embedded = json!({"type": "object", "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": preserves});
        kind.schema["properties"]["spec"]["properties"]["template"] = embedded.clone();
        kind.schema["properties"]["spec"]["properties"]["more"] =
            json!({"type": "array", "items": embedded});
        let inner = json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "z", "unknownSub": "1", "labels": {"a": "b"}}});
        let mut object = boat(
            "gull",
            json!({"length": 12, "template": inner, "more": [inner]}),
        );
        object["metadata"]["unknownMeta"] = json!("u");
        object["spec"]["zzz"] = json!(1);
        object["aaa"] = json!(1);
        let decoded = read(&kind, &object).unwrap();
        assert_eq!(
            decoded.unknown,
            [
                "metadata.unknownMeta",
                "aaa",
                "spec.zzz",
                "spec.more[0].metadata.unknownSub",
                "spec.template.metadata.unknownSub"
            ]
        );
        let kept = json!({"name": "z", "labels": {"a": "b"}});
        assert_eq!(decoded.object["spec"]["template"]["metadata"], kept);
        assert_eq!(decoded.object["spec"]["more"][0]["metadata"], kept);
    }
}

#[test]
fn the_schema_rejects_with_the_servers_texts() {
    let spec = json!({"length": 0, "colour": "green", "name": "lower",
        "tags": ["a", "b", "c"], "crew": [{"rank": "none"}]});
    let all = refused(&boat("bad", spec));
    for part in [
        "spec.crew[0].name: Required value",
        "spec.length: Invalid value: 0: spec.length in body should be greater than or equal to 1",
        "spec.name: Invalid value: \"lower\": spec.name in body should match '^[A-Z]'",
        "spec.tags: Too many: 3: must have at most 2 items",
        "spec.colour: Unsupported value: \"green\": supported values: \"red\", \"white\", \"blue\"",
    ] {
        assert!(all.contains(part), "{part} is not in {all}");
    }
    assert_eq!(
        refused(&boat("bad", json!({"length": "long"}))),
        "Boat \"bad\" is invalid: spec.length: Invalid value: \"string\": spec.length in body must be of \
         type integer: \"string\""
    );
    let mut bare = boat("bad", json!({}));
    crate::tree::take(&mut bare, "spec");
    assert_eq!(
        refused(&bare),
        "Boat \"bad\" is invalid: spec: Required value"
    );
}

#[test]
fn items_of_a_keyed_list_are_unique() {
    let spec = json!({"length": 5, "crew": [{"name": "a"}, {"name": "a"}]});
    assert_eq!(
        refused(&boat("bad", spec)),
        "Boat \"bad\" is invalid: spec.crew[1]: Duplicate value: {\"name\":\"a\"}"
    );
}

#[test]
fn status_and_spec_updates_are_separate() {
    let kind = boats();
    let mut old = boat("gull", json!({"length": 12}));
    prepare_create(&kind, &mut old);
    let mut new = old.clone();
    new["spec"]["length"] = json!(13);
    new["status"] = json!({"port": "Bergen"});
    let mut written = new.clone();
    prepare_update(&kind, &mut written, &old);
    assert_eq!(written["metadata"]["generation"], 2);
    assert_eq!(written.get("status"), None);
    prepare_status(&mut new, &old);
    assert_eq!(new["metadata"]["generation"], 1);
    assert_eq!(new["spec"]["length"], 12);
    assert_eq!(new["status"]["port"], "Bergen");
}

/// Returns a kind whose spec has these properties and these rules.
fn ruled(properties: Value, rules: Value) -> &'static CustomKind {
    let spec =
        json!({"type": "object", "properties": properties, "x-kubernetes-validations": rules});
    rafts(spec).custom.unwrap()
}

/// Returns a kind whose spec has this schema.
fn rafts(spec: Value) -> &'static crate::Kind {
    let definition = json!({
        "metadata": {"name": "rafts.sea.example.com"},
        "spec": {
            "group": "sea.example.com", "scope": "Namespaced",
            "names": {"plural": "rafts", "singular": "raft", "kind": "Raft", "listKind": "RaftList"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}],
        },
    });
    &kinds_of(&definition)[0]
}

fn raft(spec: Value) -> Value {
    json!({"apiVersion": "sea.example.com/v1", "kind": "Raft",
        "metadata": {"name": "r", "namespace": "default"}, "spec": spec})
}

fn texts(causes: Vec<crate::api::status::Cause>) -> Vec<String> {
    causes.iter().map(ToString::to_string).collect()
}

#[test]
fn rules_reject_objects_with_the_servers_texts() {
    let number = json!({"type": "integer"});
    let properties = json!({"min": number, "max": number, "x-y": number,
        "names": {"type": "array", "items": {"type": "string",
            "x-kubernetes-validations": [{"rule": "self.startsWith('n')"}]}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}}});
    let kind = ruled(
        properties,
        json!([
            {"rule": "!has(self.min) || self.min <= self.max", "message": "min is over max"},
            {"rule": "!has(self.max) || self.max < 100", "messageExpression": "'max is ' + string(self.max)"},
            {"rule": "!has(self.x__dash__y) || self.x__dash__y > 0", "fieldPath": ".x-y",
                "reason": "FieldValueForbidden", "message": "must be positive"},
            {"rule": "!has(self.labels) || self.labels.all(k, size(k) < 4)"},
        ]),
    );
    assert!(create(kind, &raft(json!({"min": 1, "max": 2}))).is_empty());
    for (spec, wrong) in [
        (
            json!({"min": 3, "max": 2}),
            "spec: Invalid value: min is over max",
        ),
        (json!({"max": 200}), "spec: Invalid value: max is 200"),
        (json!({"x-y": 0}), "spec.x-y: Forbidden: must be positive"),
        (
            json!({"labels": {"long-key": ""}}),
            "spec: Invalid value: failed rule: !has(self.labels) || self.labels.all(k, size(k) < 4)",
        ),
        (
            json!({"names": ["na", "me"]}),
            "spec.names[1]: Invalid value: failed rule: self.startsWith('n')",
        ),
        (
            json!({"min": 1}),
            "spec: Invalid value: no such key: max evaluating rule: min is over max",
        ),
    ] {
        assert_eq!(texts(create(kind, &raft(spec))), [wrong]);
    }
    assert_eq!(
        texts(create(kind, &raft(json!({"min": "a"})))),
        [
            "spec.min: Invalid value: \"string\": spec.min in body must be of type integer: \"string\"",
            "<nil>: Invalid value: null: some validation rules were not checked because the object was \
             invalid; correct the existing errors to complete validation",
        ]
    );
}

#[test]
fn numbers_that_no_int64_holds_are_floats_as_in_go() {
    const LARGE: u64 = 10_000_000_000_000_000_000;
    let properties = json!({"n": {"type": "integer"}, "m": {"type": "number", "maximum": 10}});
    let kind = ruled(properties, json!([]));
    let told = |spec: Value| texts(create(kind, &raft(spec)));
    assert!(told(json!({"n": 2.0, "m": 3})).is_empty());
    assert_eq!(
        told(json!({"m": LARGE})),
        ["spec.m: Invalid value: 1e+19: spec.m in body should be less than or equal to 10"]
    );
    for number in [json!(1e20), json!(LARGE), json!(1.5)] {
        assert_eq!(
            told(json!({"n": number}))[0],
            "spec.n: Invalid value: \"number\": spec.n in body must be of type integer: \"number\""
        );
    }
}

#[test]
fn numbers_fit_their_format_and_are_multiples() {
    let properties = json!({"i": {"type": "integer", "format": "int32"},
        "f": {"type": "number", "format": "float"}, "m": {"type": "number", "multipleOf": 0.1}});
    let kind = ruled(properties, json!([]));
    let told = |spec: Value| texts(create(kind, &raft(spec)));
    assert!(told(json!({"i": 2_147_483_647, "f": 1e30, "m": 0.3})).is_empty());
    let wanted = "spec.m: Invalid value: 0.35: spec.m in body should be a multiple of 0.1";
    assert_eq!(told(json!({"m": 0.35})), [wanted]);
    for (spec, of) in [
        (
            json!({"i": 3_000_000_000_u64}),
            "integer with format int32 in spec.i",
        ),
        (json!({"f": 1e40}), "number with format float in spec.f"),
    ] {
        let wanted = format!("<nil>: Invalid value: \"\": Checked value must be of type {of}");
        assert_eq!(told(spec), [wanted]);
    }
}

#[test]
fn alternative_with_the_most_checks_is_reported() {
    let alternatives = json!([{"required": ["x", "z"]}, {"required": ["q"]},
        {"properties": {"n": {"minimum": 2}, "m": {"minimum": 2}}, "required": ["y"]}]);
    let properties = json!({"a": {"type": "object", "anyOf": alternatives,
        "properties": {"n": {"type": "integer"}}}});
    let kind = ruled(properties, json!([]));
    let fields = |spec: Value| {
        let causes = create(kind, &raft(spec));
        causes
            .into_iter()
            .map(|cause| cause.field)
            // The choice as a whole, and the rules that were not checked, have no path.
            .filter(|field| field != "<nil>")
            .collect::<Vec<_>>()
    };
    assert_eq!(fields(json!({"a": {}})), ["spec.a.x", "spec.a.z"]);
    assert_eq!(fields(json!({"a": {"n": 2}})), ["spec.a.y"]);
}

#[test]
fn boolean_for_additional_properties_is_no_schema() {
    let item = json!({"type": "object", "properties": {"k": {"type": "string"}}});
    let properties = json!({
        "t": {"type": "object", "additionalProperties": true},
        "f": {"type": "object", "additionalProperties": false},
        "l": {"type": "array", "x-kubernetes-preserve-unknown-fields": true, "items": item}});
    let kind = ruled(properties, json!([]));
    let open = json!({"a": 1, "b": {"c": 2}, "d": [{"e": 1}, 5]});
    let spec = json!({"t": open, "f": {"a": 1}, "l": [{"q": 1}]});
    let decoded = read(kind, &raft(spec)).unwrap();
    assert_eq!(decoded.unknown, ["spec.t.b.c", "spec.t.d[0].e"]);
    let kept = json!({"a": 1, "b": {}, "d": [{}, 5]});
    assert_eq!(
        decoded.object["spec"],
        json!({"t": kept, "f": {"a": 1}, "l": [{"q": 1}]})
    );
    let wanted = "spec.f: Invalid value: \"\": spec.f.a in body is a forbidden property";
    assert_eq!(texts(create(kind, &decoded.object)), [wanted]);
}

#[test]
fn an_apply_checks_the_declared_fields_of_an_object_with_preserved_unknown_ones() {
    let spec = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
        "n": {"type": "integer"},
        "s": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}}});
    let shape = crate::schema::patch_shape(rafts(spec)).unwrap();
    for (spec, wrong) in [
        (json!({"other": {"a": [1, 1]}, "n": 1, "s": ["a"]}), None),
        (
            json!({"n": "x"}),
            Some(".spec.n: expected numeric (int or float), got string"),
        ),
        (
            json!({"s": ["a", "a"]}),
            Some(".spec.s: duplicate entries for key [=\"a\"]"),
        ),
    ] {
        let told = crate::api::patch::apply::mistyped(&raft(spec), &shape);
        assert_eq!(told.as_deref(), wrong);
    }
}

#[test]
fn no_rule_is_evaluated_for_a_value_outside_an_enum() {
    let color = json!({"type": "string", "enum": ["red", "green"]});
    let kind = ruled(
        json!({"color": color}),
        json!([{"rule": "self.color != 'blue'"}]),
    );
    let told = texts(create(kind, &raft(json!({"color": "blue"}))));
    assert_eq!(
        told,
        [
            "spec.color: Unsupported value: \"blue\": supported values: \"red\", \"green\"",
            "<nil>: Invalid value: null: some validation rules were not checked because the object was \
             invalid; correct the existing errors to complete validation",
        ]
    );
}

#[test]
fn null_in_a_field_counts_as_absent_for_rules() {
    let properties = json!({"a": {"type": "string", "nullable": true}});
    let kind = ruled(properties, json!([{"rule": "!has(self.a)"}]));
    assert!(create(kind, &raft(json!({"a": null}))).is_empty());
}

#[test]
fn transition_rules_compare_new_and_old_values() {
    let port = json!({"type": "object", "properties": {"name": {"type": "string"},
        "port": {"type": "integer", "x-kubernetes-validations":
            [{"rule": "self >= oldSelf", "message": "only grows"}]}}});
    let properties = json!({
        "size": {"type": "integer", "x-kubernetes-validations": [
            {"rule": "self == oldSelf", "message": "is immutable"},
            {"rule": "self < 10", "message": "is small"}]},
        "ports": {"type": "array", "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"], "items": port}});
    let rules = json!([{"rule": "oldSelf.hasValue() || self.size == 1", "optionalOldSelf": true,
        "message": "begins at 1"}]);
    let kind = ruled(properties, rules);
    let old =
        raft(json!({"size": 1, "ports": [{"name": "a", "port": 1}, {"name": "b", "port": 2}]}));
    assert!(create(kind, &old).is_empty());
    assert_eq!(
        texts(create(kind, &raft(json!({"size": 2})))),
        ["spec: Invalid value: begins at 1"]
    );
    let new =
        raft(json!({"size": 12, "ports": [{"name": "b", "port": 1}, {"name": "a", "port": 5}]}));
    assert_eq!(
        texts(update(kind, &new, &old)),
        [
            "spec.ports[0].port: Invalid value: only grows",
            "spec.size: Invalid value: is immutable",
            "spec.size: Invalid value: is small",
        ]
    );
    let big = raft(json!({"size": 12}));
    let labeled = json!({"a": "b"});
    let mut next = big.clone();
    next["metadata"]["labels"] = labeled;
    assert!(
        update(kind, &next, &big).is_empty(),
        "what was wrong before may stay"
    );
}

#[test]
fn a_definition_with_invalid_rules_is_rejected() {
    let kind = find("apiextensions.k8s.io", "v1", "CustomResourceDefinition").unwrap();
    let refused = |rule: Value| {
        let spec = json!({"type": "object", "properties": {"n": {"type": "integer"},
            "list": {"type": "array", "items": {"type": "string", "x-kubernetes-validations": [rule]}}}});
        let mut definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "rafts.sea.example.com"},
            "spec": {"group": "sea.example.com", "scope": "Namespaced",
                "names": {"plural": "rafts", "kind": "Raft"},
                "versions": [{"name": "v1", "served": true, "storage": true,
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]},
            "status": {"storedVersions": ["v1"]},
        });
        shape::normalize(kind, &mut definition);
        texts(crate::validate::create(kind, &definition))
    };
    let at = "spec.validation.openAPIV3Schema.properties[spec].properties[list].items.x-kubernetes-validations[0]";
    assert_eq!(refused(json!({"rule": "self.size() > 0"})), [""; 0]);
    for (rule, wrong) in [
        (
            json!({"rule": " "}),
            ".rule: Required value: rule is not specified",
        ),
        (
            json!({"rule": "self"}),
            "cel expression must evaluate to a bool",
        ),
        (
            json!({"rule": "self == '' ? true : dyn(self)"}),
            "cel expression must evaluate to a bool",
        ),
        (
            json!({"rule": "self + 1 == 2"}),
            "compilation failed: ERROR: <input>:1:6: found no matching overload for '_+_' applied to '(string, int)'\n | self + 1 == 2\n | .....^",
        ),
        (
            json!({"rule": "self == oldSelf"}),
            "oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[spec].properties[list]",
        ),
        (
            json!({"rule": "true", "optionalOldSelf": true}),
            ".optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule",
        ),
        (
            json!({"rule": "true", "reason": "Nonsense"}),
            ".reason: Unsupported value: \"Nonsense\"",
        ),
        (
            json!({"rule": "true", "messageExpression": "1"}),
            "messageExpression must evaluate to a string",
        ),
        (
            json!({"rule": "true ||\n false"}),
            ".message: Required value: message must be specified if rule contains line breaks",
        ),
    ] {
        let found = refused(rule.clone());
        assert!(
            found
                .iter()
                .any(|text| text.starts_with(at) && text.contains(wrong)),
            "{rule}: {found:?}"
        );
    }
}

#[test]
fn objects_are_served_in_several_versions() {
    let version = |name: &str, storage: bool, properties: Value| {
        json!({"name": name, "served": name != "v0", "storage": storage, "deprecated": name == "v1beta1",
            "schema": {"openAPIV3Schema": {"type": "object", "properties":
                {"spec": {"type": "object", "properties": properties}}}}})
    };
    let text = json!({"type": "string"});
    let definition = json!({
        "metadata": {"name": "rafts.lake.example.com"},
        "spec": {"group": "lake.example.com", "scope": "Cluster",
            "names": {"plural": "rafts", "singular": "raft", "kind": "Raft", "listKind": "RaftList"},
            "versions": [
                version("v1beta1", false, json!({"a": text, "old": text})),
                version("v1", true, json!({"a": text, "b": {"type": "string", "default": "x"}})),
                version("v0", false, json!({"a": text}))]},
    });
    let kinds = kinds_of(&definition);
    assert!(std::ptr::eq(kinds, kinds_of(&definition)), "made once");
    assert!(kinds[1].preferred && !kinds[0].preferred && !kinds[2].served);
    let stored = crate::convert::stored_as(&kinds[0]);
    assert_eq!(stored.version, "v1");
    let warnings = crate::warnings::of(&kinds[0], &json!({}));
    assert_eq!(
        warnings,
        ["lake.example.com/v1beta1 Raft is deprecated; use lake.example.com/v1 Raft"]
    );
    let mut object = json!({"apiVersion": "lake.example.com/v1beta1", "kind": "Raft",
        "metadata": {"name": "r"}, "spec": {"a": "1", "old": "2"}});
    crate::convert::convert(&mut object, stored);
    assert_eq!(object["apiVersion"], "lake.example.com/v1");
    assert_eq!(object["spec"], json!({"a": "1"}));
    crate::convert::convert(&mut object, &kinds[1]);
    assert_eq!(object["spec"], json!({"a": "1", "b": "x"}));
}
