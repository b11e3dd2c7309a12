//! The files of a container: a few from the image, and those of its volumes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ctl_shell::{Files, absolute};

use super::find::Find;
use super::resources;
use super::variables::field_of;
use crate::api::json::Value;
use crate::kinds::tree::{field, list, text, texts};

/// Returns the host name of a Pod.
pub(super) fn hostname(pod: &Value) -> String {
    let own = text(field(pod, "spec"), "hostname");
    let name = match own {
        "" => text(field(pod, "metadata"), "name"),
        own => own,
    };
    // A host name has at most 63 characters.
    name.chars().take(63).collect()
}

pub(super) fn encoded(content: &[u8]) -> String {
    STANDARD.encode(content)
}

pub(super) fn decoded(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// Returns the hosts file that a kubelet writes for a Pod.
fn hosts(pod: &Value, address: &str, name: &str) -> String {
    let mut file = format!(
        "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n\
         fe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n\
         {address}\t{name}\n"
    );
    let aliases = list(field(pod, "spec"), "hostAliases");
    if !aliases.is_empty() {
        file.push_str("\n# Entries added by HostAliases.\n");
    }
    for alias in aliases {
        let names: Vec<&str> = texts(alias, "hostnames").collect();
        file.push_str(&format!("{}\t{}\n", text(alias, "ip"), names.join("\t")));
    }
    file
}

/// Returns the files of a container before any command has run.
pub(super) fn files(pod: &Value, container: &Value, find: &Find<'_>, started: &Find<'_>) -> Files {
    let mut files = Files::default();
    let name = hostname(pod);
    let address = text(field(pod, "status"), "podIP");
    let namespace = text(field(pod, "metadata"), "namespace");
    let search = format!("{namespace}.svc.cluster.local svc.cluster.local cluster.local");
    put(&mut files, "/etc/hostname", format!("{name}\n"));
    put(&mut files, "/etc/hosts", hosts(pod, address, &name));
    put(
        &mut files,
        "/etc/resolv.conf",
        format!("search {search}\nnameserver 10.96.0.10\noptions ndots:5\n"),
    );
    for directory in ["/tmp", "/root", "/var/log", "/bin", "/usr/bin"] {
        // These directories do not exist yet, so this cannot fail.
        let _ = files.make_directory(directory);
    }
    for mount in list(container, "volumeMounts") {
        let volumes = list(field(pod, "spec"), "volumes");
        let volume = volumes
            .iter()
            .find(|own| text(own, "name") == text(mount, "name"));
        let place = absolute("/", text(mount, "mountPath"));
        // Without a `subPath`, the whole volume is mounted.
        let part = text(mount, "subPath");
        // A kubelet updates directories, but not a part that it has mounted by itself.
        let find = if part.is_empty() { find } else { started };
        let content = volume.map_or_else(Vec::new, |volume| contents(volume, pod, container, find));
        let content = mounted(mount, content);
        if part.is_empty() {
            // The directory may exist already, because of another mount above it.
            let _ = files.make_directory(&place);
        }
        for (path, content) in content {
            put(&mut files, &path, content);
        }
    }
    files
}

/// Returns the files of a volume by their paths in the container that mounts it.
fn mounted<T>(mount: &Value, contents: Vec<(String, T)>) -> Vec<(String, T)> {
    let place = absolute("/", text(mount, "mountPath"));
    let part = text(mount, "subPath");
    let path_of = |path: &str| match part {
        "" => Some(absolute(&place, path)),
        // With a `subPath`, that part is mounted at the mount path itself.
        part => match path.strip_prefix(part) {
            Some("") => Some(place.clone()),
            Some(below) if below.starts_with('/') => Some(format!("{place}{below}")),
            _ => None,
        },
    };
    let contents = contents.into_iter();
    contents
        .filter_map(|(path, content)| Some((path_of(&path)?, content)))
        .collect()
}

/// Returns the tokens in the volumes of a container, by their paths in the container.
pub(super) fn tokens<'p>(pod: &'p Value, container: &Value) -> Vec<(String, &'p Value)> {
    let mut found = Vec::new();
    for mount in list(container, "volumeMounts") {
        let volumes = list(field(pod, "spec"), "volumes").iter();
        let mut volumes = volumes.filter(|own| text(own, "name") == text(mount, "name"));
        let sources = list(
            field(volumes.next().unwrap_or(&Value::Null), "projected"),
            "sources",
        );
        let tokens = sources
            .iter()
            .map(|source| field(source, "serviceAccountToken"));
        // A projected volume combines tokens with ConfigMaps and fields of the Pod.
        let tokens = tokens.filter(|token| !token.is_null());
        let own = tokens.map(|token| (text(token, "path").to_owned(), token));
        found.extend(mounted(mount, own.collect()));
    }
    found
}

pub(super) fn put(files: &mut Files, path: &str, content: impl Into<Vec<u8>>) {
    // As on a full disk, a volume that does not fit is truncated.
    let _ = files.write(path, content.into());
}

/// Returns the files of a volume by their paths within it.
fn contents(
    volume: &Value,
    pod: &Value,
    container: &Value,
    find: &Find<'_>,
) -> Vec<(String, Vec<u8>)> {
    let namespace = text(field(pod, "metadata"), "namespace");
    let mut found = Vec::new();
    let mut add = |holder: &Value, secret_name: &str| {
        for (source, resource, name) in [
            ("configMap", "configmaps", "name"),
            ("secret", "secrets", secret_name),
        ] {
            let source = field(holder, source);
            if !source.is_null() {
                let object = find(resource, namespace, text(source, name));
                found.extend(object.iter().flat_map(|object| keys(source, object)));
            }
        }
        for item in list(field(holder, "downwardAPI"), "items") {
            let reference = field(item, "resourceFieldRef");
            let value = match text(field(item, "fieldRef"), "fieldPath") {
                "" => resources::referenced(reference, container, pod, find).unwrap_or_default(),
                path => field_of(pod, path),
            };
            found.push((text(item, "path").to_owned(), value.into_bytes()));
        }
    };
    add(volume, "secretName");
    for source in list(field(volume, "projected"), "sources") {
        add(source, "name");
    }
    found
}

/// Returns the files of a ConfigMap or Secret: all keys, or the selected items under their own paths.
fn keys(source: &Value, object: &Value) -> Vec<(String, Vec<u8>)> {
    let is_secret = text(object, "kind") == "Secret";
    let data = field(object, "data").as_object().into_iter().flatten();
    let binary = field(object, "binaryData")
        .as_object()
        .into_iter()
        .flatten();
    let value = |value: &Value, encoded: bool| {
        let text = value.as_str().unwrap_or_default();
        match encoded {
            true => decoded(text).unwrap_or_default(),
            false => text.as_bytes().to_vec(),
        }
    };
    let data = data.map(|(key, own)| (key.to_string(), value(own, is_secret)));
    let all = data.chain(binary.map(|(key, own)| (key.to_string(), value(own, true))));
    // Items select and rename keys; other keys are omitted.
    let items = list(source, "items");
    if items.is_empty() {
        return all.collect();
    }
    let path = |key: &str| items.iter().find(|item| text(item, "key") == key);
    let chosen = all.filter_map(|(key, value)| Some((text(path(&key)?, "path").to_owned(), value)));
    chosen.collect()
}
