//! Volumes of pod specs, and the sources they share with persistent volumes.

use std::collections::{BTreeSet, HashMap};

use super::super::common::{descending_path, no_backsteps, one_of, required_text};
use super::super::errors::Errors;
use super::super::path::Path;
use super::super::{claim, go, meta, names};
use super::env;
use super::remote::{self, Holder};
use crate::api::json::{Value, json};
use crate::pod::resources::quantity;
use crate::tree::{field, has, int, len, list, opt_int, text};

/// The volume sources of Pods, in the order in which the API server checks them.
const SOURCES: &[&str] = &[
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "flocker",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    "cephfs",
    "quobyte",
    "downwardAPI",
    "fc",
    "flexVolume",
    "configMap",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
];

/// The sources of PersistentVolumes, in the order in which the API server checks them.
const PERSISTENT_SOURCES: &[&str] = &[
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
];

/// The sources of a projected volume, in the order in which the API server checks them.
const PROJECTIONS: [&str; 6] = [
    "secret",
    "configMap",
    "downwardAPI",
    "serviceAccountToken",
    "clusterTrustBundle",
    "podCertificate",
];

/// The required fields of each source.
const REQUIRED: &[(&str, &[&str])] = &[
    ("gitRepo", &["repository"]),
    ("gcePersistentDisk", &["pdName"]),
    ("awsElasticBlockStore", &["volumeID"]),
    ("glusterfs", &["endpoints", "path"]),
    ("persistentVolumeClaim", &["claimName"]),
    ("rbd", &["monitors", "image"]),
    ("cinder", &["volumeID"]),
    ("cephfs", &["monitors"]),
    ("quobyte", &["registry", "volume"]),
    ("flexVolume", &["driver"]),
    ("azureFile", &["secretName", "shareName"]),
    ("vsphereVolume", &["volumePath"]),
    ("photonPersistentDisk", &["pdID"]),
    ("portworxVolume", &["volumeID"]),
    ("azureDisk", &["diskName", "diskURI"]),
    ("storageos", &["volumeName"]),
    ("scaleIO", &["gateway", "system", "volumeName"]),
    ("csi", &["driver"]),
    ("image", &["reference"]),
];

const HOST_PATH_TYPES: &[&str] = &[
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
];

/// Validates the volumes of the Pod called `owner` (empty in a template) and returns the valid ones by name.
pub(crate) fn volumes<'a>(
    path: &Path<'_>,
    owner: &str,
    spec: &'a Value,
    errors: &mut Errors,
) -> HashMap<&'a str, &'a Value> {
    let mut valid = HashMap::new();
    let all = list(spec, "volumes");
    // The claim of an ephemeral volume belongs to that volume alone, so no other volume may use it.
    let made: BTreeSet<String> = all
        .iter()
        .filter(|volume| has(volume, "ephemeral") && !owner.is_empty())
        .map(|volume| format!("{owner}-{}", text(volume, "name")))
        .collect();
    for (index, volume) in all.iter().enumerate() {
        let path = path.index(index);
        let mut own = Errors::default();
        if source(&path, volume, Holder::Pod, &mut own) == 0 {
            own.required(&path, "must specify a volume type");
        }
        remote::iscsi_portal(&path.child("name"), volume, &mut own);
        let name = text(volume, "name");
        if has(volume, "ephemeral") && !owner.is_empty() && !name.is_empty() {
            claim_name(&path, owner, name, &mut own);
        }
        if required_text(&path, volume, "name", &mut own) {
            own.invalid_each(&path.child("name"), name, names::dns1123_label(name));
            if valid.contains_key(name) {
                own.duplicate(&path.child("name"), &go::quoted(name));
            }
        }
        if own.is_empty() {
            valid.insert(name, volume);
        }
        errors.extend(own);
        let claim = text(field(volume, "persistentVolumeClaim"), "claimName");
        if made.contains(claim) {
            let path = path.child("persistentVolumeClaim");
            errors.invalid_shown(
                &path.child("claimName"),
                &go::quoted(claim),
                "must not reference a PVC that gets created for an ephemeral volume",
            );
        }
    }
    valid
}

/// Validates the name of the claim that an ephemeral volume creates.
fn claim_name(path: &Path<'_>, owner: &str, name: &str, errors: &mut Errors) {
    let claim = format!("{owner}-{name}");
    for wrong in names::dns1123_subdomain(&claim) {
        let detail = format!("PVC name {claim:?}: {wrong}");
        errors.invalid_shown(&path.child("name"), &go::quoted(name), &detail);
    }
}

/// Validates the source of `volume`, a volume of a Pod or the spec of a PersistentVolume. Returns the number of
/// sources.
pub(crate) fn source(
    path: &Path<'_>,
    volume: &Value,
    holder: Holder<'_>,
    errors: &mut Errors,
) -> usize {
    let sources = match holder {
        Holder::Pod => SOURCES,
        Holder::PersistentVolume(_) => PERSISTENT_SOURCES,
    };
    // By its members, because a volume has few: a search for each source took 1 % of the creation of a Pod.
    let members = volume.as_object().into_iter().flatten();
    let set = members.filter(|(_, value)| !value.is_null());
    let mut found: Vec<usize> = set
        .filter_map(|(name, _)| sources.iter().position(|source| name == source))
        .collect();
    found.sort_unstable();
    for (at, name) in found.iter().map(|at| sources[*at]).enumerate() {
        // Only the first source is validated; each further one is only reported as one too many.
        if at > 0 {
            let detail = "may not specify more than 1 volume type";
            // Upstream misspells two of the paths.
            let shown = match name {
                "cephfs" => "cephFS",
                "downwardAPI" => "downwarAPI",
                name => name,
            };
            errors.forbidden(&path.child(shown), detail);
            continue;
        }
        // Upstream's path of this source has another name.
        let path = path.child(match name {
            "gcePersistentDisk" => "persistentDisk",
            name => name,
        });
        one_source(&path, name, field(volume, name), holder, errors);
    }
    found.len()
}

fn one_source(
    path: &Path<'_>,
    name: &str,
    source: &Value,
    holder: Holder<'_>,
    errors: &mut Errors,
) {
    let required = REQUIRED.iter().find(|(source, _)| *source == name);
    for name in required.map_or(&[][..], |(_, names)| names) {
        // Some required fields are lists, such as the monitors of Ceph.
        if text(source, name).is_empty() && len(source, name) == 0 {
            errors.required(&path.child(name), "");
        }
    }
    match name {
        "emptyDir" if quantity(field(source, "sizeLimit")).signum() < 0 => errors.forbidden(
            &path.child("sizeLimit"),
            "SizeLimit field must be a valid resource quantity",
        ),
        "hostPath" => host_path(path, source, errors),
        "gitRepo" => descending_path(&path.child("directory"), text(source, "directory"), errors),
        "secret" => {
            required_text(path, source, "secretName", errors);
            modes_and_items(path, source, errors);
        }
        "configMap" => {
            required_text(path, source, "name", errors);
            modes_and_items(path, source, errors);
        }
        "nfs" => remote::nfs(path, source, errors),
        "iscsi" => remote::iscsi(path, source, holder, errors),
        "fc" => remote::fibre_channel(path, source, errors),
        "flexVolume" => remote::flex_volume(path, source, errors),
        "csi" => remote::csi(path, source, holder, errors),
        "downwardAPI" => {
            default_mode(path, source, errors);
            for item in list(source, "items") {
                downward_file(path, item, errors);
            }
        }
        "projected" => projected(path, source, errors),
        "ephemeral" => ephemeral(path, source, errors),
        "local" if required_text(path, source, "path", errors) => {
            no_backsteps(&path.child("path"), text(source, "path"), errors);
        }
        "image" => {
            let policies = &["Always", "IfNotPresent", "Never"];
            one_of(path, source, "pullPolicy", policies, errors);
        }
        _ => {}
    }
}

fn host_path(path: &Path<'_>, source: &Value, errors: &mut Errors) {
    if !required_text(path, source, "path", errors) {
        return;
    }
    no_backsteps(&path.child("path"), text(source, "path"), errors);
    if !HOST_PATH_TYPES.contains(&text(source, "type")) {
        errors.not_supported(&path.child("type"), field(source, "type"), HOST_PATH_TYPES);
    }
}

fn mode(path: &Path<'_>, holder: &Value, name: &str, errors: &mut Errors) {
    if let Some(mode) = opt_int(holder, name).filter(|mode| !(0..=0o777).contains(mode)) {
        errors.invalid(
            &path.child(name),
            &json!(mode),
            "must be a number between 0 and 0777 (octal), both inclusive",
        );
    }
}

fn default_mode(path: &Path<'_>, source: &Value, errors: &mut Errors) {
    mode(path, source, "defaultMode", errors);
}

fn modes_and_items(path: &Path<'_>, source: &Value, errors: &mut Errors) {
    default_mode(path, source, errors);
    items(&path.child("items"), source, errors);
}

fn items(path: &Path<'_>, source: &Value, errors: &mut Errors) {
    for (index, item) in list(source, "items").iter().enumerate() {
        key_file(&path.index(index), item, errors);
    }
}

/// Validates the file for one key of a ConfigMap or Secret.
fn key_file(path: &Path<'_>, item: &Value, errors: &mut Errors) {
    required_text(path, item, "key", errors);
    if required_text(path, item, "path", errors) {
        file_path(&path.child("path"), text(item, "path"), errors);
    }
    mode(path, item, "mode", errors);
}

/// Validates a path in a volume. It must stay inside the volume and must not look like one of the kubelet's own
/// files.
fn file_path(path: &Path<'_>, text: &str, errors: &mut Errors) {
    descending_path(path, text, errors);
    // The kubelet replaces projected files atomically through the symlink `..data`. Upstream means not to report the
    // path a second time, but it excludes only those that begin with `../`.
    if text.starts_with("..") && !text.starts_with("../") {
        errors.invalid_shown(path, &go::quoted(text), "must not start with '..'");
    }
}

fn downward_file(path: &Path<'_>, item: &Value, errors: &mut Errors) {
    if required_text(path, item, "path", errors) {
        file_path(&path.child("path"), text(item, "path"), errors);
    }
    let (by_field, by_resource) = (has(item, "fieldRef"), has(item, "resourceFieldRef"));
    if by_field {
        env::volume_field_reference(&path.child("fieldRef"), field(item, "fieldRef"), errors);
    }
    match (by_field, by_resource) {
        // Upstream passes the word `resource` as the invalid value.
        (true, true) => errors.invalid_shown(
            path,
            "\"resource\"",
            "fieldRef and resourceFieldRef can not be specified simultaneously",
        ),
        (false, true) => {
            let reference = field(item, "resourceFieldRef");
            env::resource_reference(&path.child("resourceFieldRef"), reference, true, errors);
        }
        (false, false) => {
            errors.required(path, "one of fieldRef and resourceFieldRef is required");
        }
        (true, false) => {}
    }
    mode(path, item, "mode", errors);
}

fn projected(path: &Path<'_>, source: &Value, errors: &mut Errors) {
    default_mode(path, source, errors);
    let mut files = Files {
        path,
        taken: BTreeSet::new(),
    };
    let sources = path.child("sources");
    for (index, projection) in list(source, "sources").iter().enumerate() {
        let at = sources.index(index);
        let present: Vec<&str> = PROJECTIONS
            .into_iter()
            .filter(|name| has(projection, name))
            .collect();
        for name in &present {
            let part = field(projection, name);
            projection_source(&mut files, &at.child(name), name, part, errors);
        }
        if present.len() > 1 {
            errors.forbidden(&at, "may not specify more than 1 volume type per source");
        }
    }
}

/// The files of the projected volume at a path. All its sources share one directory, so no two may write the same
/// file.
struct Files<'a> {
    path: &'a Path<'a>,
    taken: BTreeSet<&'a str>,
}

impl<'a> Files<'a> {
    /// Adds a file. A conflict with an earlier one is an error that shows `owner`.
    fn add(&mut self, file: &'a str, owner: &str, errors: &mut Errors) {
        if !file.is_empty() && !self.taken.insert(file) {
            let detail = "conflicting duplicate paths";
            errors.invalid_shown(self.path, &go::quoted(owner), detail);
        }
    }
}

fn projection_source<'a>(
    files: &mut Files<'a>,
    at: &Path<'_>,
    name: &str,
    part: &'a Value,
    errors: &mut Errors,
) {
    match name {
        "secret" | "configMap" => {
            required_text(at, part, "name", errors);
            let items = at.child("items");
            for (index, item) in list(part, "items").iter().enumerate() {
                key_file(&items.index(index), item, errors);
                files.add(text(item, "path"), text(part, "name"), errors);
            }
        }
        "downwardAPI" => {
            for item in list(part, "items") {
                downward_file(at, item, errors);
                files.add(text(item, "path"), text(item, "path"), errors);
            }
        }
        // Upstream does not compare the file of a token with the others.
        "serviceAccountToken" => token(files.path, at, part, errors),
        _ => files.add(text(part, "path"), text(part, "path"), errors),
    }
}

/// Validates the lifetime of the service account token that a volume or a CSI driver requests.
pub(crate) fn token_lifetime(path: &Path<'_>, token: &Value, errors: &mut Errors) {
    let seconds = int(token, "expirationSeconds");
    let wrong = match seconds {
        // The kubelet renews a token before it expires and needs time for retries.
        ..600 => "may not specify a duration less than 10 minutes",
        4_294_967_297.. => "may not specify a duration larger than 2^32 seconds",
        _ => return,
    };
    errors.invalid(&path.child("expirationSeconds"), &json!(seconds), wrong);
}

fn token(volume: &Path<'_>, path: &Path<'_>, token: &Value, errors: &mut Errors) {
    token_lifetime(path, token, errors);
    // Upstream reports the path of the token as that of the volume.
    let path = volume.child("path");
    match text(token, "path") {
        "" => errors.required(&path, ""),
        place => file_path(&path, place, errors),
    }
}

fn ephemeral(path: &Path<'_>, source: &Value, errors: &mut Errors) {
    let path = path.child("volumeClaimTemplate");
    if !has(source, "volumeClaimTemplate") {
        return errors.required(&path, "");
    }
    let template = field(source, "volumeClaimTemplate");
    meta::of_template(&path.child("metadata"), field(template, "metadata"), errors);
    claim::claim_spec(&path.child("spec"), field(template, "spec"), errors);
}

#[cfg(test)]
mod tests {
    use super::super::spec::pod_spec;
    use super::*;

    /// Returns the errors of the source of one volume of a Pod.
    fn told(volume: &Value) -> Vec<String> {
        let mut errors = Errors::default();
        source(&Path::root("v"), volume, Holder::Pod, &mut errors);
        let told = errors.iter().map(|e| format!("{}: {}", e.field, e.message));
        told.collect()
    }

    #[test]
    fn files_of_a_volume_stay_in_it_and_have_one_source() {
        let file = |path: &str| json!({"key": "k", "path": path});
        let at = "v.configMap.items[0].path: Invalid value";
        for (path, wanted) in [
            (
                "..",
                &["must not contain '..'", "must not start with '..'"][..],
            ),
            ("../a", &["must not contain '..'"][..]),
            ("..a", &["must not start with '..'"][..]),
            ("a/..", &["must not contain '..'"][..]),
        ] {
            let volume = json!({"configMap": {"name": "c", "items": [file(path)]}});
            let wanted = wanted
                .iter()
                .map(|wanted| format!("{at}: \"{path}\": {wanted}"));
            assert_eq!(told(&volume), wanted.collect::<Vec<_>>());
        }
        let token =
            |path: &str| json!({"serviceAccountToken": {"expirationSeconds": 600, "path": path}});
        let volume = json!({"projected": {"sources": [token("../x"), token("t"), token("t")]}});
        assert_eq!(
            told(&volume),
            ["v.projected.path: Invalid value: \"../x\": must not contain '..'"]
        );
        let labels =
            json!({"path": "p", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.labels"}});
        let sources = json!([
            {"secret": {"name": "s", "items": [file("p")]}},
            {"downwardAPI": {"items": [labels]}},
            {"configMap": {"name": "c", "items": [file("p"), {"key": "", "path": "q"}]}},
        ]);
        assert_eq!(
            told(&json!({"projected": {"sources": sources}})),
            [
                "v.projected: Invalid value: \"p\": conflicting duplicate paths",
                "v.projected: Invalid value: \"c\": conflicting duplicate paths",
                "v.projected.sources[2].configMap.items[1].key: Required value",
            ]
        );
    }

    #[test]
    fn a_template_for_a_claim_has_only_labels_and_annotations() {
        let metadata = json!({"name": "q", "namespace": "z", "uid": "u", "creationTimestamp": null, "generation": 0,
            "labels": {"a": "b c"}, "annotations": {"a": "b"}});
        let template = json!({"metadata": metadata, "spec": {}});
        let told = told(&json!({"ephemeral": {"volumeClaimTemplate": template}}));
        let at = "v.ephemeral.volumeClaimTemplate";
        let wanted = [
            format!("{at}.metadata.labels: Invalid value: \"b c\""),
            format!("{at}.metadata.name: Forbidden: cannot be set"),
            format!("{at}.metadata.namespace: Forbidden: cannot be set"),
            format!("{at}.metadata.uID: Forbidden: cannot be set"),
            format!("{at}.spec.accessModes: Required value"),
            format!("{at}.spec.resources[storage]: Required value"),
        ];
        assert_eq!(told.len(), wanted.len(), "{told:#?}");
        for (told, wanted) in told.iter().zip(wanted) {
            assert!(told.starts_with(&wanted), "{told}");
        }
    }

    #[test]
    fn a_volume_with_an_error_does_not_exist_for_its_mounts() {
        let told = |volumes: Value| {
            let spec = json!({
                "volumes": volumes, "restartPolicy": "Always", "dnsPolicy": "ClusterFirst",
                "containers": [{"name": "c", "image": "i", "imagePullPolicy": "Always",
                    "terminationMessagePolicy": "File", "volumeMounts": [{"name": "v", "mountPath": "/x"}]}],
            });
            let mut errors = Errors::default();
            pod_spec(&Path::root("spec"), "web", &spec, &mut errors);
            let told = errors.iter().map(|e| format!("{}: {}", e.field, e.message));
            told.collect::<Vec<_>>()
        };
        let empty = json!({"name": "v", "emptyDir": {}});
        assert_eq!(told(json!([empty])), [""; 0]);
        assert_eq!(
            told(json!([{"name": "v", "configMap": {}}])),
            [
                "spec.volumes[0].configMap.name: Required value",
                "spec.containers[0].volumeMounts[0].name: Not found: \"v\"",
            ]
        );
        // The first of two volumes with the same name is valid, unless it has an error of its own.
        let twice = ["spec.volumes[1].name: Duplicate value: \"v\""];
        assert_eq!(told(json!([empty, empty])), twice);
        let first = ["spec.volumes[0].configMap.name: Required value"];
        assert_eq!(told(json!([{"name": "v", "configMap": {}}, empty])), first);
        let claim = json!({"name": "d", "persistentVolumeClaim": {"claimName": "web-v"}});
        let spec = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
        let made = json!({"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": spec}}});
        assert_eq!(
            told(json!([claim, made])),
            [
                "spec.volumes[0].persistentVolumeClaim.claimName: Invalid value: \"web-v\": must not reference a \
              PVC that gets created for an ephemeral volume"
            ]
        );
    }
}
