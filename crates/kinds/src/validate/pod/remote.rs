//! Volume sources on other machines: NFS, iSCSI, Fibre Channel, and those of CSI and Flexvolume drivers.

use super::super::common::{required_name, required_text};
use super::super::errors::Errors;
use super::super::path::Path;
use super::super::{go, names};
use crate::api::json::{Value, json};
use crate::tree::{entries, field, flag, has, int, len, opt_int, text};

const LONG_PORTAL: &str = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if \
    iscsi.initiatorName is specified.";

/// The object that has a volume source; some rules of a source differ between the two.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Holder<'a> {
    Pod,
    /// A PersistentVolume, with its name.
    PersistentVolume(&'a str),
}

/// Validates the name of a CSI driver. The caller checks that there is one.
pub(crate) fn csi_driver_name(path: &Path<'_>, name: &str, errors: &mut Errors) {
    if name.len() > 63 {
        errors.too_long(path, 63);
    }
    errors.invalid_each(path, name, names::dns1123_subdomain(&name.to_lowercase()));
}

/// Validates a CSI volume. A missing driver is reported with the source.
pub(super) fn csi(path: &Path<'_>, source: &Value, holder: Holder<'_>, errors: &mut Errors) {
    match holder {
        Holder::Pod => inline_csi(path, source, errors),
        Holder::PersistentVolume(_) => persistent_csi(path, source, errors),
    }
}

fn inline_csi(path: &Path<'_>, source: &Value, errors: &mut Errors) {
    let driver = text(source, "driver");
    if !driver.is_empty() {
        csi_driver_name(&path.child("driver"), driver, errors);
    }
    let name = "nodePublishSecretRef";
    if !has(source, name) {
        return;
    }
    match text(field(source, name), "name") {
        "" => errors.required(&path.child(name).child("name"), ""),
        // Upstream's path of an invalid name lacks the reference.
        secret => {
            let wrong = names::dns1123_subdomain(secret);
            errors.invalid_each(&path.child("name"), secret, wrong);
        }
    }
}

fn persistent_csi(path: &Path<'_>, source: &Value, errors: &mut Errors) {
    // The name of the driver is not checked. The simulated drivers provide volumes for every provisioner, and
    // provisioners older than CSI have names with a slash, such as `rancher.io/local-path`.
    required_text(path, source, "volumeHandle", errors);
    // Upstream has no rule for the secret of the staging call.
    for name in [
        "controllerPublishSecretRef",
        "controllerExpandSecretRef",
        "nodePublishSecretRef",
        "nodeExpandSecretRef",
    ] {
        if has(source, name) {
            let (path, secret) = (path.child(name), field(source, name));
            required_name(&path, secret, "name", names::dns1123_subdomain, errors);
            required_name(&path, secret, "namespace", names::dns1123_label, errors);
        }
    }
}

/// Validates the options of a Flexvolume driver, whose keys must not be those of Kubernetes itself.
pub(super) fn flex_volume(path: &Path<'_>, source: &Value, errors: &mut Errors) {
    let path = path.child("options");
    for (key, _) in entries(source, "options") {
        let domain = key.split_once('/').map_or(key, |(domain, _)| domain);
        let domain = format!(".{}", domain.to_lowercase());
        if domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io") {
            let detail = "kubernetes.io and k8s.io namespaces are reserved";
            errors.invalid_shown(&path.key(key), &go::quoted(key), detail);
        }
    }
}

/// Validates an NFS volume.
pub(super) fn nfs(path: &Path<'_>, source: &Value, errors: &mut Errors) {
    required_text(path, source, "server", errors);
    required_text(path, source, "path", errors);
    let exported = text(source, "path");
    // A missing path is not absolute either, so it has two errors.
    if !exported.starts_with('/') {
        let detail = "must be an absolute path";
        errors.invalid_shown(&path.child("path"), &go::quoted(exported), detail);
    }
}

/// Validates a Fibre Channel volume, which is found by its ports or by its own identifier.
pub(super) fn fibre_channel(path: &Path<'_>, source: &Value, errors: &mut Errors) {
    let targets = path.child("targetWWNs");
    let (by_target, by_id) = (len(source, "targetWWNs") > 0, len(source, "wwids") > 0);
    if !by_target && !by_id {
        let detail = "must specify either targetWWNs or wwids, but not both";
        errors.required(&targets, detail);
    }
    if by_target && by_id {
        let detail = "targetWWNs and wwids can not be specified simultaneously";
        errors.invalid(&targets, field(source, "targetWWNs"), detail);
    }
    if !by_target {
        return;
    }
    let path = path.child("lun");
    match opt_int(source, "lun") {
        None => errors.required(&path, "lun is required if targetWWNs is specified"),
        Some(lun) => unit_number(&path, lun, errors),
    }
}

/// Validates the number of a logical unit.
fn unit_number(path: &Path<'_>, lun: i64, errors: &mut Errors) {
    if !(0..=255).contains(&lun) {
        errors.invalid(path, &json!(lun), &names::range(0, 255));
    }
}

/// Validates an iSCSI volume.
pub(super) fn iscsi(path: &Path<'_>, source: &Value, holder: Holder<'_>, errors: &mut Errors) {
    required_text(path, source, "targetPortal", errors);
    if let Holder::PersistentVolume(name) = holder
        && has_long_portal(name, source)
    {
        // Upstream spells the field in lower case here, and `initiatorname` below.
        let (path, portal) = (path.child("targetportal"), text(source, "targetPortal"));
        errors.invalid_shown(&path, &go::quoted(portal), LONG_PORTAL);
    }
    if required_text(path, source, "iqn", errors) {
        iscsi_name(&path.child("iqn"), text(source, "iqn"), holder, errors);
    }
    unit_number(&path.child("lun"), int(source, "lun"), errors);
    let discovery = flag(source, "chapAuthDiscovery") || flag(source, "chapAuthSession");
    // CHAP needs credentials, which come from a Secret.
    if discovery && !has(source, "secretRef") {
        errors.required(&path.child("secretRef"), "");
    }
    if matches!(holder, Holder::PersistentVolume(_)) && has(source, "secretRef") {
        let secret = field(source, "secretRef");
        required_text(&path.child("secretRef"), secret, "name", errors);
    }
    if has(source, "initiatorName") {
        let path = path.child("initiatorname");
        iscsi_name(&path, text(source, "initiatorName"), holder, errors);
    }
}

/// Limits the combined length of name and portal for a Pod's volume with an initiator.
pub(super) fn iscsi_portal(path: &Path<'_>, volume: &Value, errors: &mut Errors) {
    let name = text(volume, "name");
    if has_long_portal(name, field(volume, "iscsi")) {
        errors.invalid_shown(path, &go::quoted(name), LONG_PORTAL);
    }
}

/// Returns true if a volume has an initiator, and its name and portal, which together name an interface on the node,
/// are too long.
fn has_long_portal(name: &str, source: &Value) -> bool {
    let length = name.len() + 1 + text(source, "targetPortal").len();
    has(source, "initiatorName") && length > 64
}

/// Validates the name of an iSCSI initiator or target.
fn iscsi_name(path: &Path<'_>, name: &str, holder: Holder<'_>, errors: &mut Errors) {
    let kinds = ["iqn", "eui", "naa"];
    let kind = kinds.iter().find(|kind| name.starts_with(**kind));
    let detail = match (kind, holder) {
        (None, Holder::Pod) => "must be valid format starting with iqn, eui, or naa",
        (Some(kind), _) if is_iscsi_name(kind, &name[3..]) => return,
        _ => "must be valid format",
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

#[cfg(test)]
mod tests {
    use super::super::volume;
    use super::*;

    const PERSISTENT: Holder<'static> = Holder::PersistentVolume("pv");

    fn told(holder: Holder<'_>, volume: &Value) -> Vec<String> {
        let mut errors = Errors::default();
        volume::source(&Path::root("v"), volume, holder, &mut errors);
        let told = errors.iter().map(|e| format!("{}: {}", e.field, e.message));
        told.collect()
    }

    #[test]
    fn sources_of_both_holders_have_the_servers_errors() {
        let absolute = "v.nfs.path: Invalid value: \"\": must be an absolute path";
        let both = "targetWWNs and wwids can not be specified simultaneously";
        let reserved = |key: &str| {
            format!(
                "v.flexVolume.options[{key}]: Invalid value: \"{key}\": kubernetes.io and k8s.io namespaces are \
                 reserved"
            )
        };
        for (volume, wanted) in [
            (
                json!({"nfs": {"server": "a"}}),
                vec!["v.nfs.path: Required value".to_owned(), absolute.to_owned()],
            ),
            (
                json!({"fc": {}}),
                vec![
                    "v.fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both"
                        .to_owned(),
                ],
            ),
            (
                json!({"fc": {"targetWWNs": ["a"], "wwids": ["b"]}}),
                vec![
                    format!("v.fc.targetWWNs: Invalid value: [\"a\"]: {both}"),
                    "v.fc.lun: Required value: lun is required if targetWWNs is specified".to_owned(),
                ],
            ),
            (
                json!({"fc": {"targetWWNs": ["a"], "lun": 256}}),
                vec!["v.fc.lun: Invalid value: 256: must be between 0 and 255, inclusive".to_owned()],
            ),
            (json!({"fc": {"wwids": ["b"], "lun": 256}}), vec![]),
            (
                json!({"flexVolume": {"driver": "d", "options": {
                    "a.K8s.io": "", "example.com/kubernetes.io": "", "kubernetes.io/x": "", "xkubernetes.io/x": ""}}}),
                vec![reserved("a.K8s.io"), reserved("kubernetes.io/x")],
            ),
            (
                json!({"gcePersistentDisk": {"pdName": ""}}),
                vec!["v.persistentDisk.pdName: Required value".to_owned()],
            ),
        ] {
            assert_eq!(told(Holder::Pod, &volume), wanted);
            assert_eq!(told(PERSISTENT, &volume), wanted);
        }
    }

    #[test]
    fn the_secret_of_an_inline_driver_has_a_name() {
        let told = |name: &str| {
            let source = json!({"driver": "d.example", "nodePublishSecretRef": {"name": name}});
            told(Holder::Pod, &json!({"csi": source}))
        };
        assert_eq!(told("s"), [""; 0]);
        assert_eq!(
            told(""),
            ["v.csi.nodePublishSecretRef.name: Required value"]
        );
        let wanted = "v.csi.name: Invalid value: \"A_\": a lowercase RFC 1123 subdomain";
        assert!(told("A_")[0].starts_with(wanted));
    }

    #[test]
    fn an_iscsi_disk_of_a_persistent_volume_has_its_own_rules() {
        let source = json!({"iscsi": {"targetPortal": "a".repeat(70), "iqn": "bad", "initiatorName": "bad", "lun": 256,
            "chapAuthSession": false, "secretRef": {"name": ""}}});
        let portal = "a".repeat(70);
        assert_eq!(
            told(PERSISTENT, &source),
            [
                format!("v.iscsi.targetportal: Invalid value: \"{portal}\": {LONG_PORTAL}"),
                "v.iscsi.iqn: Invalid value: \"bad\": must be valid format".to_owned(),
                "v.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive".to_owned(),
                "v.iscsi.secretRef.name: Required value".to_owned(),
                "v.iscsi.initiatorname: Invalid value: \"bad\": must be valid format".to_owned(),
            ]
        );
        let form = "Invalid value: \"bad\": must be valid format starting with iqn, eui, or naa";
        assert_eq!(
            told(Holder::Pod, &source),
            [
                format!("v.iscsi.iqn: {form}"),
                "v.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive".to_owned(),
                format!("v.iscsi.initiatorname: {form}"),
            ]
        );
    }

    #[test]
    fn the_first_source_depends_on_the_holder() {
        let both = json!({"local": {"path": "/a"}, "csi": {}});
        let one = "v.csi: Forbidden: may not specify more than 1 volume type";
        assert_eq!(told(PERSISTENT, &both), [one]);
        let both = json!({"glusterfs": {"endpoints": "e", "path": "p"}, "nfs": {"server": "a", "path": "/"}});
        let one =
            |name: &str| format!("v.{name}: Forbidden: may not specify more than 1 volume type");
        assert_eq!(told(PERSISTENT, &both), [one("nfs")]);
        assert_eq!(told(Holder::Pod, &both), [one("glusterfs")]);
    }
}
