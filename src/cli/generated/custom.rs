//! Custom resources for random tests: a kind with a schema, two versions, a status and a scale, and a kind without any
//! of these.

use std::sync::OnceLock;

use super::Sequence;
use super::draw::Random;
use crate::api::json::{Value, json};
use crate::api::yaml::{Mode, parse};
use crate::cluster::testing::{in_memory, place};
use crate::cluster::{Cluster, WriteOptions};

/// The schema of crops, which is equal in both versions.
const CROP: &str = r#"
type: object
properties:
  spec:
    type: object
    x-kubernetes-validations:
    - {rule: "!has(self.least) || self.least <= self.rows", message: least must not exceed rows}
    properties:
      rows: {type: integer, default: 1, minimum: 0}
      least: {type: integer}
      season: {type: string, enum: [spring, autumn], default: spring}
      width: {x-kubernetes-int-or-string: true}
      soil:
        type: object
        default: {}
        properties:
          acidity: {type: number}
          kind: {type: string, default: loam}
      beds:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [name]
        items:
          type: object
          required: [name]
          properties:
            name: {type: string}
            plants: {type: integer, default: 10}
            order: {type: array, items: {type: string}}
      tools: {type: array, x-kubernetes-list-type: set, items: {type: string}}
      order: {type: array, items: {type: string}}
      notes: {type: object, additionalProperties: {type: string}}
      label: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}}
      free: {type: object, x-kubernetes-preserve-unknown-fields: true}
      maybe: {type: string, nullable: true}
  status:
    type: object
    properties:
      rows: {type: integer}
      selector: {type: string}
      phase: {type: string}
"#;

fn definitions() -> [String; 2] {
    let schema = CROP.trim_end().replace('\n', "\n        ");
    let version = |name: &str, storage: bool| {
        format!(
            "
  - name: {name}
    served: true
    storage: {storage}
    subresources:
      status: {{}}
      scale: {{specReplicasPath: .spec.rows, statusReplicasPath: .status.rows, labelSelectorPath: .status.selector}}
    schema:
      openAPIV3Schema:{schema}"
        )
    };
    let head = |plural: &str, singular: &str, kind: &str| {
        format!(
            "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {plural}.farm.example.org}}
spec:
  group: farm.example.org
  scope: Namespaced
  names: {{plural: {plural}, singular: {singular}, kind: {kind}, listKind: {kind}List}}
  versions:"
        )
    };
    let crops = head("crops", "crop", "Crop") + &version("v1", true) + &version("v1beta1", false);
    let fields = head("fields", "field", "Field")
        + "
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}";
    [crops, fields]
}

/// Returns the cluster that sequences begin with: a new one with the definitions.
pub(super) fn cluster() -> &'static Cluster {
    static PATTERN: OnceLock<Cluster> = OnceLock::new();
    PATTERN.get_or_init(|| {
        let cluster = in_memory();
        for definition in definitions() {
            let value = parse(definition.as_bytes(), Mode::Strict).unwrap();
            let place = place("customresourcedefinitions");
            let options = WriteOptions::default();
            cluster.create(&place, &value[0].value, &options).unwrap();
        }
        cluster
    })
}

/// Draws the version of a crop. The second version is converted without a webhook.
pub(super) fn version(random: &mut Random) -> &'static str {
    random.pick(&[
        "farm.example.org/v1",
        "farm.example.org/v1",
        "farm.example.org/v1beta1",
    ])
}

/// Draws the spec of a crop.
pub(super) fn crop(random: &mut Random) -> String {
    let parts = [
        random.pick(&[
            "",
            "rows: 2\n",
            "rows: 3\nleast: 1\n",
            "rows: 0\nleast: 2\n",
        ]),
        random.pick(&["", "season: autumn\n", "season: spring\n"]),
        random.pick(&["", "width: 5\n", "width: 50%\n"]),
        random.pick(&["", "soil: {acidity: 6.5}\n", "soil: {kind: clay}\n"]),
        random.pick(&[
            "",
            "beds: [{name: a}, {name: b, plants: 3}]\n",
            "beds: [{name: b}, {name: c, order: [x, y]}]\n",
        ]),
        random.pick(&["", "tools: [hoe, rake]\n", "tools: [rake]\norder: [b, a]\n"]),
        random.pick(&["", "notes: {a: \"1\"}\n", "notes: {b: x}\nlabel: {c: d}\n"]),
        random.pick(&["", "free: {deep: {list: [1, {a: b}]}}\n", "free: {}\n"]),
    ];
    let spec = parts.concat();
    // The server would drop a spec of null, and then nothing would get defaults.
    match spec.trim_end() {
        "" => "rows: 1".to_owned(),
        spec => spec.to_owned(),
    }
}

/// Draws the content of a field, whose kind has no schema.
pub(super) fn field(random: &mut Random) -> String {
    random
        .pick(&[
            "spec: {size: 3, names: [a, b]}",
            "spec: {size: \"3\", deep: {er: {x: 1}}}\nextra: true",
            "data: {a: 1.5}\nstatus: {ok: true}",
        ])
        .to_owned()
}

/// Draws a command on custom resources.
pub(super) fn command(random: &mut Random) -> String {
    let n = random.below(5);
    let merge = |part: &str, patch: &str| {
        format!(
            "patch crop crop --type=merge{part} -p '{}'",
            patch.replace('N', &n.to_string())
        )
    };
    match random.below(12) {
        0 => merge("", r#"{"spec":{"rows":N}}"#),
        1 => merge("", r#"{"spec":{"season":null,"soil":{"kind":null}}}"#),
        2 => merge("", r#"{"spec":{"beds":[{"name":"b","plants":N}]}}"#),
        3 => merge("", r#"{"spec":{"unknown":N,"free":{"kept":N}}}"#),
        4 => merge("", r#"{"spec":{"least":N}}"#),
        5 => merge(
            " --subresource=status",
            r#"{"status":{"phase":"pN","rows":N},"spec":{"rows":9}}"#,
        ),
        6 => merge(" --subresource=scale", r#"{"spec":{"replicas":N}}"#),
        7 => format!(
            "patch crop crop --type=json -p '[{{\"op\":\"add\",\"path\":\"/spec/tools\",\"value\":[\"t{n}\",\"u\"]}}]'"
        ),
        8 => format!(
            "patch field field --type=merge -p '{{\"spec\":{{\"size\":{n}}},\"status\":{{\"n\":{n}}}}}'"
        ),
        9 => "patch crop crop --type=json -p '[{\"op\":\"remove\",\"path\":\"/spec/beds/0\"}]'"
            .to_owned(),
        10 => format!("label crops.v1beta1.farm.example.org crop step={n} --overwrite"),
        _ => format!(
            "patch customresourcedefinition crops.farm.example.org --type=json -p '[{{\"op\":\"replace\",\"path\":\"/spec/versions/1/served\",\"value\":{}}}]'",
            n > 1
        ),
    }
}

/// Scales a crop. Nothing but its rows changes, and the generation counts the change.
#[track_caller]
pub(super) fn scale(sequence: &mut Sequence<'_>) {
    let n = sequence.random.below(5);
    if sequence.shell.run("get crop crop").code != 0 {
        return;
    }
    let before = sequence.json("get crop crop");
    if sequence
        .run(&format!("scale crop crop --replicas={n}"))
        .code
        != 0
    {
        // The schema's rule forbids fewer rows than `least`.
        let least = before["spec"]["least"].as_u64().unwrap_or_default();
        assert!(least > n as u64, "not scaled: {before}");
        return;
    }
    let after = sequence.json("get crop crop");
    let mut expected = before["spec"].clone();
    expected["rows"] = json!(n);
    assert_eq!(after["spec"], expected, "scaled");
    let generation = |object: &Value| object["metadata"]["generation"].as_u64().unwrap();
    let counted = generation(&before) + u64::from(before["spec"] != expected);
    assert_eq!(
        generation(&after),
        counted,
        "the generation of a scaled crop"
    );
    assert_eq!(
        after["status"], before["status"],
        "scaling writes no status"
    );
}

/// Checks that a crop has the defaults of its schema.
#[track_caller]
pub(super) fn has_its_defaults(object: &Value) {
    let spec = &object["spec"];
    if object["kind"] != "Crop" || !spec.is_object() {
        return;
    }
    for name in ["rows", "season", "soil"] {
        assert!(!spec[name].is_null(), "no {name}: {object}");
    }
    assert!(!spec["soil"]["kind"].is_null(), "no kind of soil: {object}");
    assert!(spec["unknown"].is_null(), "an unknown field: {object}");
}
