//! Volumes of pod specs, and the sources they share with persistent volumes.

use std::collections::{BTreeSet, HashMap};

use super::super::common::{descending_path, no_backsteps, one_of, required_text};
use super::super::errors::Errors;
use super::super::path::Path;
use super::super::{claim, go, names};
use super::env;
use crate::api::json::{Value, json};
use crate::pod::resources::quantity;
use crate::tree::{field, has, int, len, list, opt_int, text};

/// The volume sources, in the order in which the API server checks them.
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
    "local",
    "image",
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
        if source(&path, volume, &mut own) == 0 {
            own.required(&path, "must specify a volume type");
        }
        iscsi_portal(&path.child("name"), volume, &mut own);
        let driver = text(field(volume, "csi"), "driver");
        csi_driver(&path.child("csi"), driver, &mut own);
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

/// Limits the combined length of name and portal for a volume with an initiator: together they name an interface on
/// the node.
fn iscsi_portal(path: &Path<'_>, volume: &Value, errors: &mut Errors) {
    let (name, source) = (text(volume, "name"), field(volume, "iscsi"));
    let length = name.len() + 1 + text(source, "targetPortal").len();
    if has(source, "initiatorName") && length > 64 {
        let detail = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if \
            iscsi.initiatorName is specified.";
        errors.invalid_shown(path, &go::quoted(name), detail);
    }
}

/// Validates the name of the claim that an ephemeral volume creates.
fn claim_name(path: &Path<'_>, owner: &str, name: &str, errors: &mut Errors) {
    let claim = format!("{owner}-{name}");
    for wrong in names::dns1123_subdomain(&claim) {
        let detail = format!("PVC name {claim:?}: {wrong}");
        // Upstream reports the name below the source.
        let path = path.child("ephemeral");
        errors.invalid_shown(&path.child("name"), &go::quoted(name), &detail);
    }
}

/// Validates the source of `volume`; returns the number of sources.
pub(crate) fn source(path: &Path<'_>, volume: &Value, errors: &mut Errors) -> usize {
    // By its members, because a volume has few: a search for each source took 1 % of the creation of a Pod.
    let members = volume.as_object().into_iter().flatten();
    let set = members.filter(|(_, value)| !value.is_null());
    let mut found: Vec<usize> = set
        .filter_map(|(name, _)| SOURCES.iter().position(|source| name == source))
        .collect();
    found.sort_unstable();
    for (at, name) in found.iter().map(|at| SOURCES[*at]).enumerate() {
        let path = path.child(name);
        // Only the first source is validated; each further one is only reported as one too many.
        if at > 0 {
            errors.forbidden(&path, "may not specify more than 1 volume type");
        } else {
            one_source(&path, name, field(volume, name), errors);
        }
    }
    found.len()
}

fn one_source(path: &Path<'_>, name: &str, source: &Value, errors: &mut Errors) {
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
        "nfs" => nfs(path, source, errors),
        "iscsi" => iscsi(path, source, errors),
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

/// Validates the driver name of an inline CSI volume. A missing name is reported with the source.
fn csi_driver(path: &Path<'_>, name: &str, errors: &mut Errors) {
    if name.is_empty() {
        return;
    }
    csi_driver_name(&path.child("driver"), name, errors);
}

/// Validates the name of a CSI driver. The caller checks that there is one.
pub(crate) fn csi_driver_name(path: &Path<'_>, name: &str, errors: &mut Errors) {
    if name.len() > 63 {
        errors.too_long(path, 63);
    }
    errors.invalid_each(path, name, names::dns1123_subdomain(&name.to_lowercase()));
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

fn nfs(path: &Path<'_>, source: &Value, errors: &mut Errors) {
    required_text(path, source, "server", errors);
    if required_text(path, source, "path", errors) && !text(source, "path").starts_with('/') {
        let detail = "must be an absolute path";
        errors.invalid(&path.child("path"), field(source, "path"), detail);
    }
}

fn iscsi(path: &Path<'_>, source: &Value, errors: &mut Errors) {
    required_text(path, source, "targetPortal", errors);
    if required_text(path, source, "iqn", errors) {
        iscsi_name(&path.child("iqn"), text(source, "iqn"), errors);
    }
    let lun = int(source, "lun");
    if !(0..=255).contains(&lun) {
        errors.invalid(&path.child("lun"), &json!(lun), &names::range(0, 255));
    }
    let discovery = has(source, "chapAuthDiscovery") || has(source, "chapAuthSession");
    // CHAP needs credentials, which come from a Secret.
    if discovery && !has(source, "secretRef") {
        errors.required(&path.child("secretRef"), "");
    }
    if has(source, "initiatorName") {
        // Upstream spells the field in lower case here.
        let path = path.child("initiatorname");
        iscsi_name(&path, text(source, "initiatorName"), errors);
    }
}

/// Validates the name of an iSCSI initiator or target.
fn iscsi_name(path: &Path<'_>, name: &str, errors: &mut Errors) {
    let kinds = ["iqn", "eui", "naa"];
    let detail = match kinds.iter().find(|kind| name.starts_with(**kind)) {
        None => "must be valid format starting with iqn, eui, or naa",
        Some(kind) if is_iscsi_name(kind, &name[3..]) => return,
        Some(_) => "must be valid format",
    };
    errors.invalid_shown(path, &go::quoted(name), detail);
}

/// Returns true if the part after the type matches the type: `.2019-03.com.example:disk` for `iqn`, digits for the
/// others.
fn is_iscsi_name(kind: &str, rest: &str) -> bool {
    let digits =
        |text: &str, count: usize| text.len() == count && text.bytes().all(|b| b.is_ascii_digit());
    let plain = |text: &str, count: usize| {
        let mut chars = text.chars();
        chars.next().is_some()
            && text.len() == count + 1
            && chars.all(|c| c.is_ascii_alphanumeric())
    };
    match kind {
        "eui" => plain(rest, 16),
        "naa" => plain(rest, 32),
        _ => {
            // The date is a month in which the naming authority owned its domain name.
            let parts = rest.strip_prefix('.').and_then(|rest| rest.split_once('.'));
            parts.is_some_and(|(date, rest)| {
                let date = date.split_once('-');
                let dated = date.is_some_and(|(year, month)| digits(year, 4) && digits(month, 2));
                let name = rest.split_once(':').is_some_and(|(authority, name)| {
                    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
                    let special = |c: char| {
                        matches!(c, ',' | ';' | '*' | '&' | '$' | '|') || c.is_whitespace()
                    };
                    !authority.is_empty()
                        && authority.chars().all(fine)
                        && !name.is_empty()
                        && !name.contains(special)
                });
                dated && name
            })
        }
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
        let path = path.index(index);
        required_text(&path, item, "key", errors);
        if required_text(&path, item, "path", errors) {
            file_path(&path.child("path"), text(item, "path"), errors);
        }
        mode(&path, item, "mode", errors);
    }
}

/// Validates a path in a volume. It must stay inside the volume and must not look like one of the kubelet's own
/// files.
pub(crate) fn file_path(path: &Path<'_>, text: &str, errors: &mut Errors) {
    let before = errors.len();
    descending_path(path, text, errors);
    // The kubelet replaces projected files atomically through the symlink `..data`.
    if errors.len() == before && text.starts_with("..") {
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
    // All sources share one directory, so no two may write the same file.
    let mut taken = BTreeSet::new();
    let sources = path.child("sources");
    for (index, projection) in list(source, "sources").iter().enumerate() {
        let at = sources.index(index);
        let mut count = 0;
        for name in [
            "secret",
            "configMap",
            "downwardAPI",
            "serviceAccountToken",
            "clusterTrustBundle",
            "podCertificate",
        ] {
            let part = field(projection, name);
            if part.is_null() {
                continue;
            }
            count += 1;
            match name {
                "secret" | "configMap" => {
                    required_text(&at.child(name), part, "name", errors);
                    items(&at.child(name).child("items"), part, errors);
                }
                "downwardAPI" => {
                    for item in list(part, "items") {
                        downward_file(&at.child(name), item, errors);
                    }
                }
                "serviceAccountToken" => token(path, &at.child(name), part, errors),
                _ => {}
            }
            let conflict = field(part, "name");
            for place in paths(part) {
                if !taken.insert(place) {
                    errors.invalid(path, conflict, "conflicting duplicate paths");
                }
            }
        }
        if count > 1 {
            errors.forbidden(&at, "may not specify more than 1 volume type per source");
        }
    }
}

/// Returns the paths that one source of a projected volume writes.
fn paths(part: &Value) -> impl Iterator<Item = &str> {
    let items = list(part, "items").iter().map(|item| text(item, "path"));
    items
        // A service account token has a single path instead of items.
        .chain([text(part, "path")])
        .filter(|path| !path.is_empty())
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
    match text(token, "path") {
        // Upstream reports a missing path at the volume rather than at the token.
        "" => errors.required(&volume.child("path"), ""),
        place => file_path(&path.child("path"), place, errors),
    }
}

fn ephemeral(path: &Path<'_>, source: &Value, errors: &mut Errors) {
    let path = path.child("volumeClaimTemplate");
    if !has(source, "volumeClaimTemplate") {
        return errors.required(&path, "");
    }
    let spec = field(field(source, "volumeClaimTemplate"), "spec");
    claim::claim_spec(&path.child("spec"), spec, errors);
}

#[cfg(test)]
mod tests {
    use super::super::spec::pod_spec;
    use super::*;

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
