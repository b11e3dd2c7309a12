//! Go's errors about fields of a kustomization that have a value of the wrong type.

use crate::api::go::json_kind;
use crate::api::json::Value;

/// kustomize's structs, in one or more lines each: the name, then the fields with their types. As in Go's errors, the
/// name of an embedded struct precedes its fields.
const STRUCTS: &str = "\
Kustomization TypeMeta.apiVersion=text TypeMeta.kind=text metadata=ObjectMeta openapi=map namePrefix=text
Kustomization nameSuffix=text namespace=text commonLabels=map labels=[]Label commonAnnotations=map
Kustomization patchesStrategicMerge=[]PatchStrategicMerge patchesJson6902=[]Patch patches=[]Patch
Kustomization images=[]Image imageTags=[]Image replacements=[]ReplacementField replicas=[]Replica vars=[]Var
Kustomization sortOptions=SortOptions resources=texts components=texts crds=texts bases=texts
Kustomization configMapGenerator=[]ConfigMapArgs secretGenerator=[]SecretArgs helmGlobals=HelmGlobals
Kustomization helmCharts=[]HelmChart helmChartInflationGenerator=[]HelmChartArgs
Kustomization generatorOptions=GeneratorOptions configurations=texts generators=texts transformers=texts
Kustomization validators=texts buildMetadata=texts
ObjectMeta name=text namespace=text labels=map annotations=map
Label pairs=map includeSelectors=flag includeTemplates=flag fields=[]FieldSpec
FieldSpec Gvk.group=text Gvk.version=text Gvk.kind=text path=text create=flag
Patch path=text patch=text target=Selector options=PatchArgs
PatchArgs allowNameChange=flag allowKindChange=flag
Selector ResId.Gvk.group=text ResId.Gvk.version=text ResId.Gvk.kind=text ResId.name=text ResId.namespace=text
Selector annotationSelector=text labelSelector=text
Image name=text newName=text tagSuffix=text newTag=text digest=text
ReplacementField path=text Replacement.source=SourceSelector Replacement.sourceValue=text
ReplacementField Replacement.targets=[]*TargetSelector
SourceSelector ResId.Gvk.group=text ResId.Gvk.version=text ResId.Gvk.kind=text ResId.name=text
SourceSelector ResId.namespace=text fieldPath=text options=FieldOptions
FieldOptions delimiter=text index=int encoding=text create=flag
TargetSelector select=Selector reject=[]*Selector fieldPaths=texts options=FieldOptions
Replica name=text count=int64
Var name=text objref=Target fieldref=FieldSelector
Target apiVersion=text Gvk.group=text Gvk.version=text Gvk.kind=text name=text namespace=text
FieldSelector fieldPath=text
SortOptions order=SortOrder legacySortOptions=LegacySortOptions
LegacySortOptions orderFirst=texts orderLast=texts
ConfigMapArgs GeneratorArgs.name=text GeneratorArgs.namespace=text GeneratorArgs.behavior=text
ConfigMapArgs GeneratorArgs.KvPairSources.literals=texts GeneratorArgs.KvPairSources.files=texts
ConfigMapArgs GeneratorArgs.KvPairSources.envs=texts GeneratorArgs.KvPairSources.env=text
ConfigMapArgs GeneratorArgs.options=GeneratorOptions type=text
SecretArgs GeneratorArgs.name=text GeneratorArgs.namespace=text GeneratorArgs.behavior=text
SecretArgs GeneratorArgs.KvPairSources.literals=texts GeneratorArgs.KvPairSources.files=texts
SecretArgs GeneratorArgs.KvPairSources.envs=texts GeneratorArgs.KvPairSources.env=text
SecretArgs GeneratorArgs.options=GeneratorOptions type=text
GeneratorOptions labels=map annotations=map disableNameSuffixHash=flag immutable=flag
HelmGlobals chartHome=text configHome=text
HelmChart name=text version=text repo=text releaseName=text namespace=text additionalValuesFiles=texts
HelmChart valuesFile=text valuesInline=any valuesMerge=text includeCRDs=flag skipHooks=flag apiVersions=texts
HelmChart kubeVersion=text nameTemplate=text skipTests=flag debug=flag devel=flag
HelmChartArgs chartName=text chartVersion=text chartRepoUrl=text chartHome=text chartRepoName=text
HelmChartArgs helmBin=text helmHome=text values=text valuesLocal=any valuesMerge=text releaseName=text
HelmChartArgs releaseNamespace=text extraArgs=texts";

/// Go's names for the types that the table abbreviates.
const TYPES: [(&str, &str); 5] = [
    ("text", "string"),
    ("texts", "[]string"),
    ("flag", "bool"),
    ("map", MAP),
    ("any", ANYTHING),
];

const MAP: &str = "map[string]string";
const ANYTHING: &str = "map[string]interface {}";

/// A field of a struct.
struct Field {
    path: &'static str,
    of_type: String,
}

/// Returns the fields of a struct; empty for any other type.
fn fields(name: &str) -> Vec<Field> {
    let lines = STRUCTS.lines().filter_map(|line| line.split_once(' '));
    let own = lines.filter(|(of, _)| *of == name);
    let fields = own.flat_map(|(_, fields)| fields.split(' '));
    let field = |field: &'static str| {
        let (path, of_type) = field.split_once('=')?;
        let short = TYPES.iter().find(|(short, _)| *short == of_type);
        let of_type = match (short, of_type.rfind([']', '*'])) {
            (Some((_, name)), _) => (*name).to_owned(),
            // Apart from structs, only integer types remain.
            (None, _) if of_type.starts_with("int") => of_type.to_owned(),
            (None, None) => format!("types.{of_type}"),
            (None, Some(at)) => format!("{}types.{}", &of_type[..=at], &of_type[at + 1..]),
        };
        Some(Field { path, of_type })
    };
    fields.filter_map(field).collect()
}

/// Returns the error about the first value in a kustomization that has the wrong type.
pub(super) fn find(kustomization: &Value) -> Option<String> {
    wrong(kustomization, "types.Kustomization", "", "")
}

/// Returns the error about a value that should have a type; `holder` is the struct that contains it, and `path` is its
/// field.
fn wrong(value: &Value, of_type: &str, holder: &str, path: &str) -> Option<String> {
    let item = of_type.strip_prefix("[]");
    let named = of_type.strip_prefix("types.").unwrap_or_default();
    let fields = fields(named);
    let is_number = |value: &Value| value.is_i64() || value.is_u64();
    let fits = match of_type {
        _ if item.is_some() => value.is_array(),
        _ if !fields.is_empty() => value.is_object(),
        MAP | ANYTHING => value.is_object(),
        "bool" => value.is_boolean(),
        "int" | "int64" => is_number(value),
        _ => value.is_string(),
    };
    // Go leaves the field at its zero value.
    if value.is_null() {
        return None;
    }
    if !fits {
        let mut kind = json_kind(value).to_owned();
        if let (Value::Number(number), "int" | "int64") = (value, of_type) {
            kind = format!("number {number}");
        }
        let place = match holder {
            "" => "value".to_owned(),
            _ => format!("struct field {holder}.{path}"),
        };
        return Some(format!(
            "cannot unmarshal {kind} into Go {place} of type {of_type}"
        ));
    }
    match (value, item) {
        (Value::Array(items), Some(item)) => {
            // The names of types do not show pointers.
            let item = item.strip_prefix('*').unwrap_or(item);
            items.iter().find_map(|v| wrong(v, item, holder, path))
        }
        (Value::Object(map), _) if of_type == MAP => {
            map.values().find_map(|v| wrong(v, "string", holder, path))
        }
        (Value::Object(map), _) => map.iter().find_map(|(name, value)| {
            // Go's decoder ignores the case of field names.
            let is_it = |field: &&Field| {
                let last = field.path.rsplit('.').next();
                last.is_some_and(|last| last.eq_ignore_ascii_case(name))
            };
            let field = fields.iter().find(is_it)?;
            let path = match path {
                "" => field.path.to_owned(),
                path => format!("{path}.{}", field.path),
            };
            wrong(value, &field.of_type, named, &path)
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn values_of_wrong_types_have_the_errors_of_go() {
        // Recorded from kubectl 1.36.3.
        for (value, told) in [
            (
                json!({"images": [{"name": "x", "newTag": 1.0}]}),
                "number into Go struct field Image.images.newTag of type string",
            ),
            (
                json!({"helmCharts": [{"name": "x", "repo": true}]}),
                "bool into Go struct field HelmChart.helmCharts.repo of type string",
            ),
            (
                json!({"replacements": [{"targets": [{"reject": [{"kind": 5}]}]}]}),
                "number into Go struct field Selector.replacements.Replacement.targets.reject.ResId.Gvk.kind of type string",
            ),
            (
                json!({"replacements": [{"targets": ["x"]}]}),
                "string into Go struct field ReplacementField.replacements.Replacement.targets of type types.TargetSelector",
            ),
            (
                json!({"replacements": [{"targets": 5}]}),
                "number into Go struct field ReplacementField.replacements.Replacement.targets of type []*types.TargetSelector",
            ),
            (
                json!({"vars": [{"fieldref": {"fieldpath": true}}]}),
                "bool into Go struct field FieldSelector.vars.fieldref.fieldPath of type string",
            ),
            (
                json!({"secretGenerator": [{"literals": "a=b"}]}),
                "string into Go struct field SecretArgs.secretGenerator.GeneratorArgs.KvPairSources.literals of type []string",
            ),
            (
                json!({"replicas": [{"count": 1.5}]}),
                "number 1.5 into Go struct field Replica.replicas.count of type int64",
            ),
            (
                json!({"labels": [{"pairs": {"a": 5}}]}),
                "number into Go struct field Label.labels.pairs of type string",
            ),
            (
                json!({"apiVersion": 5}),
                "number into Go struct field Kustomization.TypeMeta.apiVersion of type string",
            ),
            (
                json!({"patchesStrategicMerge": [{"a": "b"}]}),
                "object into Go struct field Kustomization.patchesStrategicMerge of type types.PatchStrategicMerge",
            ),
            (
                json!({"helmCharts": [{"valuesInline": "x"}]}),
                "string into Go struct field HelmChart.helmCharts.valuesInline of type map[string]interface {}",
            ),
        ] {
            let told = format!("cannot unmarshal {told}");
            assert_eq!(find(&value), Some(told), "{value}");
        }
        assert_eq!(
            find(&json!([])).unwrap(),
            "cannot unmarshal array into Go value of type types.Kustomization"
        );
        let good = json!({"images": [{"name": "x", "newTag": "1"}], "replicas": [{"count": 2}], "metadata": {"name": "x"}});
        assert_eq!(find(&good), None);
    }
}
