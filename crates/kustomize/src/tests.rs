//! Kustomizations in memory that are rejected, with their errors. Those that can be built are directories in
//! `testdata/kustomize`, with the output of the real kustomize.

use std::collections::BTreeMap;

use super::*;
use crate::api::json::json;

/// Files by their absolute paths.
#[derive(Default)]
struct Memory(BTreeMap<String, String>);

impl Files for Memory {
    fn locate(&self, path: &str) -> std::result::Result<Place, String> {
        let path = path.trim_end_matches('/');
        if self.0.contains_key(path) {
            return Ok(Place::File(path.to_owned()));
        }
        let below = format!("{path}/");
        if self.0.keys().any(|file| file.starts_with(&below)) {
            return Ok(Place::Directory(path.to_owned()));
        }
        Err(format!("lstat {path}: no such file or directory"))
    }

    fn read(&self, path: &str) -> std::result::Result<Vec<u8>, String> {
        let text = self.0.get(path).ok_or("no such file")?;
        Ok(text.clone().into_bytes())
    }
}

const CONFIG_MAP: &str = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: b}}";

/// Builds `/k/kustomization.yaml`, next to a ConfigMap and further files.
fn built(
    text: &str,
    more: &[(&str, &str)],
) -> (std::result::Result<Vec<Value>, String>, Vec<String>) {
    let mut files = Memory::default();
    let all = [("/k/kustomization.yaml", text), ("/k/c.yaml", CONFIG_MAP)];
    for (path, text) in all.iter().chain(more) {
        files.0.insert((*path).to_owned(), (*text).to_owned());
    }
    let mut warnings = Vec::new();
    let objects = build(&files, "/k", Options::default(), &mut warnings);
    (objects.map_err(|e| e.to_string()), warnings)
}

#[track_caller]
fn refused(text: &str, more: &[(&str, &str)], words: &str) {
    assert_eq!(built(text, more).0.unwrap_err(), words, "{text}");
}

#[test]
fn invalid_kustomization_file_is_rejected() {
    refused("", &[], "kustomization.yaml is empty");
    refused("kind: Kustomization", &[], "kustomization.yaml is empty");
    refused(
        "foo: 1\nresourcess: [a]",
        &[],
        "invalid Kustomization: json: unknown field \"foo\"",
    );
    refused(
        "resources: a",
        &[],
        "invalid Kustomization: json: cannot unmarshal string into Go struct field Kustomization.resources of type []string",
    );
    refused(
        "commonLabels: {a: true}",
        &[],
        "invalid Kustomization: json: cannot unmarshal bool into Go struct field Kustomization.commonLabels of type string",
    );
    refused(
        "resources: [a",
        &[],
        "invalid Kustomization: yaml: line 1: did not find expected ',' or ']'",
    );
    refused(
        "{kind: Foo, apiVersion: v1, resources: [c.yaml]}",
        &[],
        "Failed to read kustomization file under /k:\nkind should be Kustomization or Component\n\
         apiVersion for Foo should be kustomize.config.k8s.io/v1beta1",
    );
    let twice = [("/k/kustomization.yml", "resources: [c.yaml]")];
    refused(
        "resources: [c.yaml]",
        &twice,
        "Found multiple kustomization files under: /k\n",
    );
    let missing = build(
        &Memory::default(),
        "/none",
        Options::default(),
        &mut Vec::new(),
    );
    assert_eq!(
        missing.unwrap_err().to_string(),
        "must build at directory: not a valid directory: evalsymlink failure on '/none' : \
         lstat /none: no such file or directory"
    );
}

#[test]
fn resources_outside_the_root_and_cycles_are_rejected() {
    let outside = [("/o/x.yaml", CONFIG_MAP)];
    refused(
        "resources: [../o/x.yaml]",
        &outside,
        "accumulating resources: accumulation err='accumulating resources from '../o/x.yaml': security; \
         file '/o/x.yaml' is not in or below '/k'': must build at directory: '/o/x.yaml': file is not directory",
    );
    refused(
        "resources: [.]",
        &[],
        "accumulating resources: accumulation err='accumulating resources from '.': '/k' must resolve to a \
         file': cycle detected: candidate root '/k' contains visited root '/k'",
    );
    let round = [("/b/kustomization.yaml", "resources: [../k]")];
    let words = built("resources: [../b]", &round).0.unwrap_err();
    assert!(
        words.ends_with("cycle detected: candidate root '/k' contains visited root '/k'"),
        "{words}"
    );
    refused(
        "resources: [nope.yaml]",
        &[],
        "accumulating resources: accumulation err='accumulating resources from 'nope.yaml': evalsymlink failure \
         on '/k/nope.yaml' : lstat /k/nope.yaml: no such file or directory': must build at directory: not a \
         valid directory: evalsymlink failure on '/k/nope.yaml' : lstat /k/nope.yaml: no such file or directory",
    );
    let words = built("resources: [\"https://example.org/x\"]", &[])
        .0
        .unwrap_err();
    assert!(
        words.contains("is remote, and nothing is loaded from the network"),
        "{words}"
    );
}

#[test]
fn invalid_resource_objects_are_rejected() {
    let from = |text: &str, why: &str| {
        let words = format!(
            "accumulating resources: accumulation err='accumulating resources from 'x.yaml': {why}': \
             must build at directory: '/k/x.yaml': file is not directory"
        );
        refused("resources: [x.yaml]", &[("/k/x.yaml", text)], &words);
    };
    from("hello", "missing Resource metadata");
    from(
        "{apiVersion: v1, metadata: {name: x}}",
        "missing kind in object {{v1 } {{x } map[] map[]}}",
    );
    from(
        "{apiVersion: v1, kind: ConfigMap, metadata: {}}",
        "missing metadata.name in object {{v1 ConfigMap} {{ } map[] map[]}}",
    );
    refused(
        "resources: [x.yaml]",
        &[("/k/x.yaml", "a: b: c")],
        "accumulating resources: accumulating resources from 'x.yaml': MalformedYAMLError: yaml: mapping values \
         are not allowed in this context in File: x.yaml",
    );
    refused(
        "resources: [c.yaml, c.yaml]",
        &[],
        "accumulating resources: accumulation err='merging resources from 'c.yaml': may not add resource with an \
         already registered id: ConfigMap.v1.[noGrp]/c.[noNs]': must build at directory: '/k/c.yaml': file is not \
         directory",
    );
}

#[test]
fn patches_without_a_target_are_rejected() {
    let with = |patch: &str| format!("resources: [c.yaml]\npatches:\n- {patch}\n");
    refused(
        &with("patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: other}}'"),
        &[],
        "no resource matches strategic merge patch \"ConfigMap.v1.[noGrp]/other.[noNs]\": no matches for Id \
         ConfigMap.v1.[noGrp]/other.[noNs]; failed to find unique target for patch \
         ConfigMap.v1.[noGrp]/other.[noNs]",
    );
    refused(
        &with("patch: foo"),
        &[],
        "trouble configuring builtin PatchTransformer with config: `\npatch: foo\n`: unable to parse SM or JSON \
         patch from [patch: \"foo\"]",
    );
    refused(
        &with("{patch: foo, path: a}"),
        &[],
        "trouble configuring builtin PatchTransformer with config: `\npatch: foo\npath: a\n`: patch and path \
         can't be set at the same time\npatch: foo\npath: a\n",
    );
    refused(
        &with("patch: '- {op: remove, path: /x}'"),
        &[],
        "must specify a target for JSON patch [patch: \"- {op: remove, path: /x}\"]",
    );
    refused(
        &with("{target: {kind: ConfigMap}, patch: '- {op: replace, path: /spec/x, value: 1}'}"),
        &[],
        "replace operation does not apply: doc is missing path: /spec/x: missing value",
    );
    for (step, words) in [
        (
            "{op: remove, path: /data/x}",
            "error in remove for path: '/data/x': Unable to remove nonexistent key: x: missing value",
        ),
        (
            "{op: add, path: /x/y, value: 1}",
            "add operation does not apply: doc is missing path: \"/x/y\": missing value",
        ),
        (
            "{op: test, path: /data/a, value: c}",
            "testing value /data/a failed: test failed",
        ),
        (
            "{op: move, from: /data/x, path: /y}",
            "error in move for path: 'x': Unable to remove nonexistent key: x: missing value",
        ),
        ("{op: foo, path: /y}", "Unexpected kind: foo"),
        (
            "{op: add, value: 1}",
            "add operation failed to decode path: missing value",
        ),
    ] {
        let entry = format!("{{target: {{kind: ConfigMap}}, patch: '- {step}'}}");
        refused(&with(&entry), &[], words);
    }
    refused(
        &with(
            "patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {$patch: foo}}'",
        ),
        &[],
        "unknown patch strategy 'foo'",
    );
    refused(
        &with("patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: text}'"),
        &[],
        "wrong node kind: expected MappingNode but got ScalarNode: node contents:\ntext\n",
    );
}

#[test]
fn an_object_that_a_patch_deletes_gets_no_metadata() {
    let patch = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, $patch: delete}";
    for entry in [
        format!("patchesStrategicMerge: ['{patch}']"),
        format!("patches: [{{patch: '{patch}'}}]"),
    ] {
        let metadata = "buildMetadata: [originAnnotations, managedByLabel]";
        let text = format!("resources: [c.yaml]\n{entry}\n{metadata}\n");
        assert_eq!(built(&text, &[]).0.unwrap(), Vec::<Value>::new(), "{entry}");
    }
}

#[test]
fn invalid_generators_are_rejected() {
    let with = |rest: &str| format!("configMapGenerator:\n- {{name: g, {rest}}}\n");
    refused(
        &with("literals: [foo]"),
        &[],
        "loading KV pairs: literal sources [foo]: invalid literal source foo, expected key=value",
    );
    refused(
        &with("files: [nope]"),
        &[],
        "loading KV pairs: file sources: [nope]: evalsymlink failure on '/k/nope' : lstat /k/nope: no such file \
         or directory",
    );
    refused(
        &with("literals: [a=b, a=c]"),
        &[],
        "configmap g illegally repeats the key `a`",
    );
    refused(
        "configMapGenerator: [{literals: [a=b]}]",
        &[],
        "a configmap must have a name",
    );
    refused(
        &with("behavior: merge, literals: [a=b]"),
        &[],
        "merging from generator: id resid.ResId{Gvk:resid.Gvk{Group:\"\", Version:\"v1\", Kind:\"ConfigMap\", \
         isClusterScoped:false}, Name:\"g\", Namespace:\"\"} does not exist; cannot merge or replace",
    );
}

#[test]
fn invalid_replacements_replicas_and_plugins_are_rejected() {
    let replace = |source: &str, field: &str| {
        format!(
            "resources: [c.yaml]\nreplacements:\n- source: {source}\n  targets:\n  - select: {{kind: ConfigMap}}\n    \
             fieldPaths: [{field}]\n"
        )
    };
    refused(
        &replace("{kind: Foo, name: x}", "data.a"),
        &[],
        "nothing selected by Foo.[noVer].[noGrp]/x.[noNs]",
    );
    refused(
        &replace("{kind: ConfigMap}", "data.x"),
        &[],
        "unable to find field \"data.x\" in replacement target",
    );
    refused(
        &replace("{kind: ConfigMap, fieldPath: data.no}", "data.a"),
        &[],
        "fieldPath `data.no` is missing for replacement source ConfigMap.[noVer].[noGrp]/[noName].[noNs]",
    );
    refused(
        "resources: [c.yaml]\nreplicas: [{name: x, count: 3}]",
        &[],
        "resource with name x does not match a config with the following GVK [Deployment.[noVer].[noGrp] \
         StatefulSet.[noVer].[noGrp] ReplicaSet.[noVer].[noGrp] ReplicationController.[noVer].[noGrp]]",
    );
    refused(
        "resources: [c.yaml]\nsortOptions: {order: foo}",
        &[],
        "the field 'sortOptions.order' must be one of [fifo, legacy]",
    );
    for field in ["validators", "crds"] {
        let words = format!("the field '{field}' of a kustomization is not supported");
        refused(
            &format!("resources: [c.yaml]\n{field}: [x.yaml]"),
            &[],
            &words,
        );
    }
}

#[test]
fn generator_and_transformer_files_configure_builtin_plugins() {
    let maker = "{apiVersion: builtin, kind: ConfigMapGenerator, metadata: {name: made}, literals: [a=1], \
                 options: {disableNameSuffixHash: true}}";
    let labels = "{apiVersion: builtin, kind: LabelTransformer, metadata: {name: l}, labels: {z: w}, fieldSpecs: \
                  [{path: metadata/labels, create: true}]}";
    let prefix = "{apiVersion: builtin, kind: PrefixTransformer, metadata: {name: p}, prefix: q-, fieldSpecs: \
                  [{path: metadata/name}]}";
    let steps = format!("{labels}\n---\n{prefix}");
    let (objects, _) = built(
        "RESOURCES: [c.yaml]\nnameprefix: a-\ngenerators: [g.yaml]\ntransformers: [t.yaml]",
        &[("/k/g.yaml", maker), ("/k/t.yaml", &steps)],
    );
    let objects = objects.unwrap();
    let names: Vec<_> = objects
        .iter()
        .map(|o| o["metadata"]["name"].clone())
        .collect();
    // The kustomization's own prefix is the innermost one.
    assert_eq!(names, ["q-a-c", "q-a-made"]);
    assert!(objects.iter().all(|o| o["metadata"]["labels"]["z"] == "w"));
    let program = "{apiVersion: example.com/v1, kind: Maker, metadata: {name: m}}";
    refused(
        "transformers: [t.yaml]",
        &[("/k/t.yaml", program)],
        "external plugins disabled; unable to load external plugin 'Maker'",
    );
}

#[test]
fn old_fields_work_with_a_warning() {
    let (objects, warnings) = built(
        "bases: [../b]\ncommonLabels: {x: z}",
        &[
            ("/b/kustomization.yaml", "resources: [c.yaml]"),
            ("/b/c.yaml", CONFIG_MAP),
        ],
    );
    assert_eq!(objects.unwrap()[0]["metadata"]["labels"]["x"], "z");
    let words = "Run 'kustomize edit fix' to update your Kustomization automatically.";
    assert_eq!(
        warnings,
        [
            format!("# Warning: 'bases' is deprecated. Please use 'resources' instead. {words}"),
            format!(
                "# Warning: 'commonLabels' is deprecated. Please use 'labels' instead. {words}"
            ),
        ]
    );
}

#[test]
fn components_and_resources_are_not_interchangeable() {
    let component = "{apiVersion: kustomize.config.k8s.io/v1alpha1, kind: Component, namespace: x}";
    let more = [("/b/kustomization.yaml", component)];
    let words = built("resources: [../b]", &more).0.unwrap_err();
    assert!(
        words.ends_with("expected kind != 'Component' for path '/b'"),
        "{words}"
    );
    let more = [("/b/kustomization.yaml", "namespace: x")];
    refused(
        "components: [../b]",
        &more,
        "accumulating components: accumulateDirectory: \"expected kind 'Component' for path '/b' but got \
         'Kustomization'\"",
    );
}

#[test]
fn annotations_of_other_types_become_texts() {
    let patch = r#"
resources: [c.yaml]
patches:
- target: {kind: ConfigMap}
  patch: '[{"op":"add","path":"/metadata/annotations","value":{"a":true,"b":5,"c":null,"d":["x"],"e":"f"}},
    {"op":"add","path":"/data/n","value":7}]'
"#;
    let (built, _) = built(patch, &[]);
    let object = &built.unwrap()[0];
    assert_eq!(
        object["metadata"]["annotations"],
        json!({"a": "true", "b": "5", "c": "null", "d": "", "e": "f"})
    );
    assert_eq!(object["data"]["n"], 7);
}

#[test]
fn null_annotations_are_left_out_and_null_labels_stay() {
    let resource =
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: null, labels: null}}";
    for more in ["", "namePrefix: x-\n", "labels: [{pairs: {}}]\n"] {
        let (objects, _) = built(
            &format!("resources: [a.yaml]\n{more}"),
            &[("/k/a.yaml", resource)],
        );
        let metadata = objects.unwrap()[0]["metadata"].clone();
        assert!(metadata.get("annotations").is_none(), "{more}{metadata}");
        assert!(metadata.get("labels").is_some(), "{more}{metadata}");
    }
}

#[test]
fn a_patch_without_content_is_shown_with_its_target_and_options() {
    let shown =
        "options:\n  allowNameChange: true\ntarget:\n  kind: ConfigMap\n  labelSelector: a=b\n";
    refused(
        "{resources: [c.yaml], patches: [{target: {kind: ConfigMap, labelSelector: a=b}, options: {allowNameChange: true}}]}",
        &[],
        &format!(
            "trouble configuring builtin PatchTransformer with config: `\n{shown}`: must specify one of patch and path in\n\
             {shown}"
        ),
    );
}

#[test]
fn values_of_wrong_types_are_named_by_their_fields() {
    refused(
        "{resources: [c.yaml], images: [{name: x, newTag: 1.0}]}",
        &[],
        "invalid Kustomization: json: cannot unmarshal number into Go struct field Image.images.newTag of type string",
    );
    refused(
        "helmCharts: [{name: x, repo: y}]",
        &[],
        "invalid Kustomization: json: cannot unmarshal bool into Go struct field HelmChart.helmCharts.repo of type string",
    );
    refused(
        "{images: [{newTag: 1.0, foo: 1}]}",
        &[],
        "invalid Kustomization: json: unknown field \"foo\"",
    );
}

#[test]
fn a_repeated_key_of_a_resource_is_rejected_when_it_is_printed() {
    // Recorded from kubectl 1.36.3.
    let head = "apiVersion: v1\nkind: ConfigMap\n";
    let keys = "map[string]interface {}(nil): yaml: unmarshal errors:\n  line";
    let resources = "resources: [c.yaml, d.yaml]";
    for (tail, lines) in [
        (
            "metadata: {name: x}\nmetadata: {name: y}\n",
            " 4: mapping key \"metadata\" already defined at line 3",
        ),
        (
            "metadata: {name: x}\ndata:\n  a: b\n\n  c: d\n  a: c\n  c: e\n",
            " 7: mapping key \"a\" already defined at line 5\n  line 8: mapping key \"c\" already defined at line 6",
        ),
        (
            "metadata: {name: x}\ndata: {b: c, c: d, c: e, c: f}\n",
            " 4: mapping key \"c\" already defined at line 4\n  line 4: mapping key \"c\" already defined at line 4\n  \
             line 4: mapping key \"c\" already defined at line 4",
        ),
    ] {
        let text = head.to_owned() + tail;
        refused(
            resources,
            &[("/k/d.yaml", &text)],
            &format!("{keys}{lines}"),
        );
    }
    let list = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: x}\n  \
                metadata: {name: y}\n";
    refused(
        resources,
        &[("/k/d.yaml", list)],
        &format!("{keys} 4: mapping key \"metadata\" already defined at line 3"),
    );
    let plugin =
        "apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: x}\nprefix: a\nprefix: b\n";
    let why = "PrefixTransformer.builtin.[noGrp]/x.[noNs]: yaml: unmarshal errors:\n  line 5: mapping key \"prefix\" \
               already defined at line 4";
    refused(
        "resources: [c.yaml]\ntransformers: [p.yaml]",
        &[("/k/p.yaml", plugin)],
        &format!("marshalling yaml from res {why}"),
    );
    let generator = plugin.replace("PrefixTransformer", "ConfigMapGenerator");
    let why = why.replace("PrefixTransformer", "ConfigMapGenerator");
    refused(
        "generators: [p.yaml]",
        &[("/k/p.yaml", &generator)],
        &format!(
            "loading generator plugins: failed to load generator: marshalling yaml from res {why}"
        ),
    );
}

#[test]
fn a_generated_name_is_no_name() {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: x-, labels: {a: b}, namespace: n}\n";
    refused(
        "resources: [d.yaml]",
        &[("/k/d.yaml", text)],
        "accumulating resources: accumulation err='accumulating resources from 'd.yaml': missing metadata.name in object \
         {{v1 ConfigMap} {{ n} map[a:b] map[]}}': must build at directory: '/k/d.yaml': file is not directory",
    );
}

#[test]
fn charts_are_refused_with_their_configuration() {
    // Recorded from kubectl 1.36.3.
    for (text, config) in [
        (
            "helmCharts: [{name: x, repo: z}, {name: yy}]",
            "name: x\nrepo: z\n",
        ),
        ("helmCharts: [{name: ''}]", "{}\n"),
        (
            "helmGlobals: {configHome: co}\nhelmCharts: [{name: x, includeCRDs: true, debug: false, apiVersions: []}]",
            "configHome: co\nincludeCRDs: true\nname: x\n",
        ),
        (
            "helmChartInflationGenerator: [{chartName: x, values: v, chartHome: zz}, {chartName: x2, helmHome: hq}]\n\
             helmCharts: [{name: yy}]",
            "chartHome: zz\nconfigHome: hq\nname: yy\n",
        ),
        (
            "helmChartInflationGenerator: [{chartName: x, chartRepoUrl: a, chartRepoName: rn, helmBin: b, values: v, \
             valuesLocal: {a: b}, releaseNamespace: nn}]\nconfigMapGenerator: [{name: x, files: [nope]}]\ngenerators: [nope]",
            "name: x\nrepo: a\nvaluesFile: v\nvaluesInline:\n  a: b\n",
        ),
    ] {
        let why = format!(
            "trouble configuring builtin HelmChartInflationGenerator with config: `\n{config}`: must specify --enable-helm"
        );
        refused(text, &[], &why);
    }
}

#[test]
fn a_var_without_a_value_is_named_with_its_object() {
    let vars = "resources: [c.yaml]\nvars: [{name: SVC, objref: {kind: Deployment, name: s, apiVersion: apps/v1}}, \
                {name: B, objref: {name: s}, fieldref: {fieldpath: spec.a}}]";
    let why = "var '{B [noKind].[noVer].[noGrp] {spec.a}}' cannot be mapped to a field in the set of known resources";
    refused(vars, &[], why);
}

#[test]
fn an_existing_object_is_not_generated_again() {
    for (behavior, shown) in [
        ("create", "create"),
        ("odd", "unspecified"),
        ("''", "unspecified"),
    ] {
        let text =
            format!("resources: [c.yaml]\nconfigMapGenerator: [{{name: c, behavior: {behavior}}}]");
        let why = built(&text, &[]).0.unwrap_err();
        let end =
            format!("exists; can not use behavior: '{shown}', behavior must be merge or replace");
        assert!(why.ends_with(&end), "{why}");
    }
}
