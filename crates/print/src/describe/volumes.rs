//! The sources of volumes in Pods and PersistentVolumes.

use super::meta::{go_list, plain, shortened};
use super::related::{NONE, UNSET};
use super::storage::claim;
use super::writer::Writer;
use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::kinds::pod::resources::quantity;
use crate::kinds::tree::{as_text, entries, field, flag, has, int, list, text, texts};

/// The format of a field.
#[derive(Clone, Copy)]
enum Show {
    Text,
    Number,
    Flag,
    List,
    Map,
    /// A reference to a Secret in the same namespace.
    Local,
    /// A reference to a Secret in any namespace.
    Anywhere,
    /// A text; `<none>` if it is missing.
    OrNone,
    /// A text; `<unset>` if it is missing.
    OrUnset,
}

use Show::{Anywhere, Flag, List, Local, Map, Number, OrNone, OrUnset, Text};

/// A source: its field, its description, and the title, name and format of the fields that kubectl prints.
type Source = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str, Show)],
);

const FS_TYPE: (&str, &str, Show) = ("FSType:", "fsType", Text);
const READ_ONLY: (&str, &str, Show) = ("ReadOnly:", "readOnly", Flag);

const ISCSI: &[(&str, &str, Show)] = &[
    ("TargetPortal:", "targetPortal", Text),
    ("IQN:", "iqn", Text),
    ("Lun:", "lun", Number),
    // kubectl prints this title without a colon.
    ("ISCSIInterface", "iscsiInterface", Text),
    FS_TYPE,
    READ_ONLY,
    ("Portals:", "portals", List),
    ("DiscoveryCHAPAuth:", "chapAuthDiscovery", Flag),
    ("SessionCHAPAuth:", "chapAuthSession", Flag),
    ("SecretRef:", "secretRef", Local),
    ("InitiatorName:", "initiatorName", OrNone),
];

/// Sources of both Pods and PersistentVolumes.
// The order matters: as in kubectl's `switch`, the first one is shown of several sources, which validation rejects.
const SOURCES: &[Source] = &[
    (
        "hostPath",
        "HostPath (bare host directory volume)",
        &[("Path:", "path", Text), ("HostPathType:", "type", OrNone)],
    ),
    (
        "gcePersistentDisk",
        "GCEPersistentDisk (a Persistent Disk resource in Google Compute Engine)",
        &[
            ("PDName:", "pdName", Text),
            FS_TYPE,
            ("Partition:", "partition", Number),
            READ_ONLY,
        ],
    ),
    (
        "awsElasticBlockStore",
        "AWSElasticBlockStore (a Persistent Disk resource in AWS)",
        &[
            ("VolumeID:", "volumeID", Text),
            FS_TYPE,
            ("Partition:", "partition", Number),
            READ_ONLY,
        ],
    ),
    (
        "gitRepo",
        "GitRepo (a volume that is pulled from git when the pod is created)",
        &[
            ("Repository:", "repository", Text),
            ("Revision:", "revision", Text),
        ],
    ),
    (
        "secret",
        "Secret (a volume populated by a Secret)",
        &[
            ("SecretName:", "secretName", Text),
            ("Optional:", "optional", Flag),
        ],
    ),
    (
        "configMap",
        "ConfigMap (a volume populated by a ConfigMap)",
        &[("Name:", "name", Text), ("Optional:", "optional", Flag)],
    ),
    (
        "nfs",
        "NFS (an NFS mount that lasts the lifetime of a pod)",
        &[
            ("Server:", "server", Text),
            ("Path:", "path", Text),
            READ_ONLY,
        ],
    ),
    (
        "iscsi",
        "ISCSI (an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod)",
        ISCSI,
    ),
    (
        "glusterfs",
        "Glusterfs (a Glusterfs mount on the host that shares a pod's lifetime)",
        &[
            ("EndpointsName:", "endpoints", Text),
            ("Path:", "path", Text),
            READ_ONLY,
        ],
    ),
    (
        "persistentVolumeClaim",
        "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
        &[("ClaimName:", "claimName", Text), READ_ONLY],
    ),
    (
        "rbd",
        "RBD (a Rados Block Device mount on the host that shares a pod's lifetime)",
        &[
            ("CephMonitors:", "monitors", List),
            ("RBDImage:", "image", Text),
            FS_TYPE,
            ("RBDPool:", "pool", Text),
            ("RadosUser:", "user", Text),
            ("Keyring:", "keyring", Text),
            ("SecretRef:", "secretRef", Local),
            READ_ONLY,
        ],
    ),
    (
        "quobyte",
        "Quobyte (a Quobyte mount on the host that shares a pod's lifetime)",
        &[
            ("Registry:", "registry", Text),
            ("Volume:", "volume", Text),
            READ_ONLY,
        ],
    ),
    (
        "azureDisk",
        "AzureDisk (an Azure Data Disk mount on the host and bind mount to the pod)",
        &[
            ("DiskName:", "diskName", Text),
            ("DiskURI:", "diskURI", Text),
            // kubectl has a blank after this colon.
            ("Kind: ", "kind", Text),
            FS_TYPE,
            ("CachingMode:", "cachingMode", Text),
            READ_ONLY,
        ],
    ),
    (
        "vsphereVolume",
        "vSphereVolume (a Persistent Disk resource in vSphere)",
        &[
            ("VolumePath:", "volumePath", Text),
            FS_TYPE,
            ("StoragePolicyName:", "storagePolicyName", Text),
        ],
    ),
    (
        "cinder",
        "Cinder (a Persistent Disk resource in OpenStack)",
        &[
            ("VolumeID:", "volumeID", Text),
            FS_TYPE,
            READ_ONLY,
            ("SecretRef:", "secretRef", Local),
        ],
    ),
    (
        "photonPersistentDisk",
        "PhotonPersistentDisk (a Persistent Disk resource in photon platform)",
        &[("PdID:", "pdID", Text), FS_TYPE],
    ),
    (
        "portworxVolume",
        "PortworxVolume (a Portworx Volume resource)",
        &[("VolumeID:", "volumeID", Text)],
    ),
    (
        "scaleIO",
        "ScaleIO (a persistent volume backed by a block device in ScaleIO)",
        &[
            ("Gateway:", "gateway", Text),
            ("System:", "system", Text),
            ("Protection Domain:", "protectionDomain", Text),
            ("Storage Pool:", "storagePool", Text),
            ("Storage Mode:", "storageMode", Text),
            ("VolumeName:", "volumeName", Text),
            FS_TYPE,
            READ_ONLY,
        ],
    ),
    (
        "local",
        "LocalVolume (a persistent volume backed by local storage on a node)",
        &[("Path:", "path", Text)],
    ),
    (
        "cephfs",
        "CephFS (a CephFS mount on the host that shares a pod's lifetime)",
        &[
            ("Monitors:", "monitors", List),
            ("Path:", "path", Text),
            ("User:", "user", Text),
            ("SecretFile:", "secretFile", Text),
            ("SecretRef:", "secretRef", Local),
            READ_ONLY,
        ],
    ),
    (
        "storageos",
        "StorageOS (a StorageOS Persistent Disk resource)",
        &[
            ("VolumeName:", "volumeName", Text),
            ("VolumeNamespace:", "volumeNamespace", Text),
            FS_TYPE,
            READ_ONLY,
        ],
    ),
    (
        "azureFile",
        "AzureFile (an Azure File Service mount on the host and bind mount to the pod)",
        &[
            ("SecretName:", "secretName", Text),
            ("ShareName:", "shareName", Text),
            READ_ONLY,
        ],
    ),
    (
        "flexVolume",
        "FlexVolume (a generic volume resource that is provisioned/attached using an exec based plugin)",
        &[
            ("Driver:", "driver", Text),
            FS_TYPE,
            ("SecretRef:", "secretRef", Local),
            READ_ONLY,
            ("Options:", "options", Map),
        ],
    ),
    (
        "flocker",
        "Flocker (a Flocker volume mounted by the Flocker agent)",
        &[
            ("DatasetName:", "datasetName", Text),
            ("DatasetUUID:", "datasetUUID", Text),
        ],
    ),
    (
        "image",
        "Image (a container image or OCI artifact)",
        &[
            ("Reference:", "reference", Text),
            ("PullPolicy:", "pullPolicy", Text),
        ],
    ),
];

/// Fields printed only for PersistentVolumes: the source, the field before which they appear, and the field itself.
const OF_PERSISTENT: &[(&str, &str, (&str, &str, Show))] = &[
    (
        "glusterfs",
        "path",
        ("EndpointsNamespace:", "endpointsNamespace", OrUnset),
    ),
    (
        "azureFile",
        "shareName",
        ("SecretNamespace:", "secretNamespace", Text),
    ),
];

/// Writes the volumes of a Pod or Pod template.
pub(super) fn volumes(w: &mut Writer, volumes: &[Value], space: &str) {
    if volumes.is_empty() {
        return w.field(0, &format!("{space}Volumes"), NONE);
    }
    w.line(0, format!("{space}Volumes:"));
    for volume in volumes {
        // kubectl indents templates by one more space, but only the names of volumes.
        let indent = if space.is_empty() { "" } else { " " };
        w.line(1, format!("{indent}{}:", text(volume, "name")));
        // A source from a newer API version is `<unknown>` rather than an error, so that old programs can describe new
        // objects.
        if !special(w, volume) && !plain_source(w, volume, false) {
            w.line(1, "<unknown>");
        }
    }
}

/// Writes the source of a PersistentVolume.
pub(super) fn persistent(w: &mut Writer, spec: &Value) {
    let csi = field(spec, "csi");
    if !csi.is_null() {
        w.field(
            2,
            "Type",
            "CSI (a Container Storage Interface (CSI) volume source)",
        );
        w.field(2, "Driver", text(csi, "driver"));
        w.field(2, "FSType", text(csi, "fsType"));
        w.field(2, "VolumeHandle", text(csi, "volumeHandle"));
        w.field(2, "ReadOnly", flag(csi, "readOnly"));
        attributes(w, csi);
    } else if has(spec, "fc") {
        fibre_channel(w, field(spec, "fc"));
    } else if !plain_source(w, spec, true) {
        w.line(1, "<unknown>");
    }
}

fn plain_source(w: &mut Writer, holder: &Value, persistent: bool) -> bool {
    let Some((name, kind, fields)) = SOURCES.iter().find(|(name, ..)| has(holder, name)) else {
        return false;
    };
    let source = field(holder, name);
    w.field(2, "Type", kind);
    for (title, key, show) in *fields {
        // A PersistentVolume has no namespace, so its Secrets and Endpoints need one of their own.
        let extra = OF_PERSISTENT
            .iter()
            .find(|(of, before, _)| persistent && of == name && before == key);
        if let Some((_, _, (title, key, show))) = extra {
            w.line(2, format!("{title}\t{}", shown(source, key, *show)));
        }
        let show = match show {
            Local if persistent => Anywhere,
            show => *show,
        };
        w.line(2, format!("{title}\t{}", shown(source, key, show)));
    }
    true
}

fn shown(source: &Value, key: &str, show: Show) -> String {
    let value = field(source, key);
    match show {
        Text => plain(value),
        Number => int(source, key).to_string(),
        Flag => flag(source, key).to_string(),
        List => go_list(texts(source, key)),
        Map => {
            let pairs: Vec<String> = entries(source, key)
                .map(|(k, v)| format!("{k}:{}", as_text(v)))
                .collect();
            format!("map[{}]", pairs.join(" "))
        }
        // Go's `%v` of a nil pointer and of a generated struct, with which kubectl prints these values.
        Local | Anywhere if value.is_null() => "nil".to_owned(),
        Local => format!("&LocalObjectReference{{Name:{},}}", text(value, "name")),
        Anywhere => format!(
            "&SecretReference{{Name:{},Namespace:{},}}",
            text(value, "name"),
            text(value, "namespace")
        ),
        OrNone if value.is_null() => NONE.to_owned(),
        OrUnset if value.is_null() => UNSET.to_owned(),
        OrNone | OrUnset => plain(value),
    }
}

/// Writes a Pod source that needs more than a list of fields. Returns true if it did.
fn special(w: &mut Writer, volume: &Value) -> bool {
    let is = |name: &str| has(volume, name);
    if is("emptyDir") {
        let source = field(volume, "emptyDir");
        w.field(
            2,
            "Type",
            "EmptyDir (a temporary directory that shares a pod's lifetime)",
        );
        w.field(2, "Medium", text(source, "medium"));
        let limit = quantity(field(source, "sizeLimit"));
        // kubectl prints a limit of zero as unset: to the kubelet, neither is a limit.
        match limit > Quantity::ZERO {
            true => w.field(2, "SizeLimit", limit),
            false => w.field(2, "SizeLimit", UNSET),
        }
    } else if is("projected") {
        projected(w, field(volume, "projected"));
    } else if is("downwardAPI") {
        w.field(
            2,
            "Type",
            "DownwardAPI (a volume populated by information about the pod)",
        );
        w.line(2, "Items:");
        for item in list(field(volume, "downwardAPI"), "items") {
            let path = text(item, "path");
            for (reference, name) in [("fieldRef", "fieldPath"), ("resourceFieldRef", "resource")] {
                if has(item, reference) {
                    w.line(
                        3,
                        format!("{} -> {path}", text(field(item, reference), name)),
                    );
                }
            }
        }
    } else if is("ephemeral") {
        w.field(
            2,
            "Type",
            "EphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)",
        );
        let template = field(field(volume, "ephemeral"), "volumeClaimTemplate");
        if !template.is_null() {
            // The template is described like a claim without a name or state; the claim gets both with the Pod.
            w.nested(2, |w| claim(w, template, None));
        }
    } else if is("csi") {
        let source = field(volume, "csi");
        w.field(
            2,
            "Type",
            "CSI (a Container Storage Interface (CSI) volume source)",
        );
        w.field(2, "Driver", text(source, "driver"));
        w.field(2, "FSType", text(source, "fsType"));
        w.field(2, "ReadOnly", flag(source, "readOnly"));
        attributes(w, source);
    } else if is("fc") {
        fibre_channel(w, field(volume, "fc"));
    } else {
        return false;
    }
    true
}

fn projected(w: &mut Writer, projected: &Value) {
    w.field(
        2,
        "Type",
        "Projected (a volume that contains injected data from multiple sources)",
    );
    for source in list(projected, "sources") {
        let named = |w: &mut Writer, title: &str, name: &str| {
            let source = field(source, name);
            w.field(2, title, text(source, "name"));
            w.field(2, "Optional", flag(source, "optional"));
        };
        if has(source, "secret") {
            named(w, "SecretName", "secret");
        } else if has(source, "downwardAPI") {
            w.field(2, "DownwardAPI", true);
        } else if has(source, "configMap") {
            named(w, "ConfigMapName", "configMap");
        } else if has(source, "serviceAccountToken") {
            let seconds = int(field(source, "serviceAccountToken"), "expirationSeconds");
            w.field(2, "TokenExpirationSeconds", seconds);
        }
    }
}

fn fibre_channel(w: &mut Writer, source: &Value) {
    w.field(2, "Type", "FC (a Fibre Channel disk)");
    w.field(
        2,
        "TargetWWNs",
        texts(source, "targetWWNs").collect::<Vec<_>>().join(", "),
    );
    w.field(2, "LUN", shown(source, "lun", OrNone));
    w.field(2, "FSType", text(source, "fsType"));
    w.field(2, "ReadOnly", flag(source, "readOnly"));
}

/// Writes the attributes of a CSI volume. As in kubectl, each is indented by its level.
fn attributes(w: &mut Writer, source: &Value) {
    let pairs: Vec<String> = entries(source, "volumeAttributes")
        // Attributes come from drivers and may contain whole documents; kubectl truncates them at 140 characters.
        .map(|(key, value)| shortened(&format!("{key}={}", as_text(value)), 140))
        .collect();
    w.start(2, "VolumeAttributes:\t");
    if pairs.is_empty() {
        return w.put("<none>\n");
    }
    for (at, pair) in pairs.iter().enumerate() {
        if at > 0 {
            w.start(2, "");
            w.start(2, "\t");
        }
        w.line(2, pair);
    }
}
