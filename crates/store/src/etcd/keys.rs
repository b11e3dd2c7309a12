//! The keys in etcd: an object has kube-apiserver's key, ctl's own data has a separate prefix.

use super::shares::HostKey;
use crate::key::{Key, Range};

/// Groups of built-in resources that kube-apiserver stores under their plural name alone. Every other resource with a
/// group is at `GROUP/PLURAL`, as custom resources are.
const SHORT: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "configmaps",
            "events",
            "limitranges",
            "namespaces",
            "persistentvolumeclaims",
            "persistentvolumes",
            "pods",
            "podtemplates",
            "resourcequotas",
            "secrets",
            "serviceaccounts",
        ],
    ),
    (
        "admissionregistration.k8s.io",
        &[
            "mutatingadmissionpolicies",
            "mutatingadmissionpolicybindings",
            "mutatingwebhookconfigurations",
            "validatingadmissionpolicies",
            "validatingadmissionpolicybindings",
            "validatingwebhookconfigurations",
        ],
    ),
    (
        "apps",
        &[
            "controllerrevisions",
            "daemonsets",
            "deployments",
            "replicasets",
            "statefulsets",
        ],
    ),
    ("autoscaling", &["horizontalpodautoscalers"]),
    ("batch", &["cronjobs", "jobs"]),
    ("certificates.k8s.io", &["certificatesigningrequests"]),
    ("coordination.k8s.io", &["leases"]),
    ("discovery.k8s.io", &["endpointslices"]),
    (
        "flowcontrol.apiserver.k8s.io",
        &["flowschemas", "prioritylevelconfigurations"],
    ),
    (
        "networking.k8s.io",
        &[
            "ingressclasses",
            "ipaddresses",
            "networkpolicies",
            "servicecidrs",
        ],
    ),
    ("node.k8s.io", &["runtimeclasses"]),
    ("policy", &["poddisruptionbudgets"]),
    (
        "rbac.authorization.k8s.io",
        &[
            "clusterrolebindings",
            "clusterroles",
            "rolebindings",
            "roles",
        ],
    ),
    (
        "resource.k8s.io",
        &[
            "deviceclasses",
            "resourceclaims",
            "resourceclaimtemplates",
            "resourceslices",
        ],
    ),
    ("scheduling.k8s.io", &["priorityclasses"]),
    (
        "storage.k8s.io",
        &[
            "csidrivers",
            "csinodes",
            "csistoragecapacities",
            "storageclasses",
            "volumeattachments",
            "volumeattributesclasses",
        ],
    ),
];

/// Resources under another name than their own, for historical reasons.
const RENAMED: &[(&str, &str)] = &[
    ("endpoints", "services/endpoints"),
    ("ingresses.networking.k8s.io", "ingress"),
    ("nodes", "minions"),
    ("replicationcontrollers", "controllers"),
    ("services", "services/specs"),
];

/// Keys of kube-apiserver that are not objects of the API.
const NO_OBJECTS: &[&str] = &["health", "masterleases", "peerserverleases", "ranges"];

/// A key of etcd under the prefix of a cluster.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum EtcdKey {
    /// An object.
    Object(Key),
    /// The record of the last commit.
    Head,
    /// The key that fences off leaders and lost requests.
    Epoch,
    /// The settings.
    Settings,
    /// A host, or a share of the namespaces.
    Host(HostKey),
    /// A key that does not affect the state of the store.
    Other,
}

/// The prefixes of one cluster.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    objects: String,
    own: String,
}

impl Keys {
    /// Returns the keys of the cluster `prefix`, such as `registry`.
    pub(super) fn new(prefix: &str) -> Self {
        let prefix = prefix.trim_matches('/');
        Self {
            objects: format!("/{prefix}/"),
            // A dot sorts directly before a slash, so that one watch covers both; kube-apiserver ignores this prefix.
            own: format!("/{prefix}.ctl/"),
        }
    }

    /// Returns the prefix of the cluster, such as `/registry`.
    pub(super) fn prefix(&self) -> &str {
        self.objects.trim_end_matches('/')
    }

    /// Returns the prefix of the keys of objects.
    pub(super) fn objects(&self) -> &str {
        &self.objects
    }

    /// Returns the keys of the clusters whose objects would include this cluster.
    pub(super) fn outer(&self) -> impl Iterator<Item = Self> {
        let prefix = self.prefix();
        let ends = prefix.match_indices('/').skip(1).map(|(at, _)| at);
        let inside = ends.map(|at| &prefix[..at]);
        // `/a.ctl/head` belongs to the cluster `/a`, so a cluster `/a.ctl` would be inside its own data.
        let beside = prefix.split_inclusive('/').scan(0, |end, part| {
            *end += part.len();
            Some(prefix[..*end].trim_end_matches('/'))
        });
        inside
            .chain(beside.filter_map(|part| part.strip_suffix(".ctl")))
            .map(Self::new)
    }

    /// Returns the prefix of the cluster that has this key of ctl's own data, if its objects would belong to this cluster.
    pub(super) fn inner<'k>(&self, key: &'k [u8]) -> Option<&'k str> {
        let prefix = std::str::from_utf8(key).ok()?.strip_suffix(".ctl/head")?;
        prefix.starts_with(&self.objects).then_some(prefix)
    }

    /// Returns the first key and the end of the range of everything.
    pub(super) fn whole(&self) -> (Vec<u8>, Vec<u8>) {
        let end = ctl_etcd::prefix_end(self.objects.as_bytes());
        (self.own.clone().into_bytes(), end)
    }

    /// Returns a key of ctl's own data.
    pub(super) fn own(&self, name: &str) -> String {
        format!("{}{name}", self.own)
    }

    /// Returns the key of an object.
    pub(super) fn object(&self, key: &Key) -> String {
        let place = self.resource(key.resource());
        match key.namespace() {
            Some(namespace) => format!("{place}{namespace}/{}", key.name()),
            None => format!("{place}{}", key.name()),
        }
    }

    /// Returns the prefix of the objects of a resource.
    fn resource(&self, resource: &str) -> String {
        let objects = &self.objects;
        if let Some((_, name)) = RENAMED.iter().find(|(own, _)| *own == resource) {
            return format!("{objects}{name}/");
        }
        match resource.split_once('.') {
            Some((plural, group)) if !is_short(group, plural) => {
                format!("{objects}{group}/{plural}/")
            }
            Some((plural, _)) => format!("{objects}{plural}/"),
            None => format!("{objects}{resource}/"),
        }
    }

    /// Returns the prefixes in etcd of the objects of a range and of the records of its removals. A range that is
    /// neither a resource nor a namespace of one is everything.
    pub(super) fn range(&self, range: &Range) -> (String, String) {
        let parts: Vec<&str> = range.as_str().split('/').collect();
        let removals = self.own("removed/");
        match parts[..] {
            [resource, ""] => (self.resource(resource), format!("{removals}{resource}/")),
            // Objects without a namespace are directly below their resource.
            [resource, crate::CLUSTER_SCOPE, ""] => (
                self.resource(resource),
                format!("{removals}{resource}/{}/", crate::CLUSTER_SCOPE),
            ),
            [resource, namespace, ""] => (
                format!("{}{namespace}/", self.resource(resource)),
                format!("{removals}{resource}/{namespace}/"),
            ),
            _ => (self.objects.clone(), removals),
        }
    }

    /// Returns the meaning of a key.
    pub(super) fn read(&self, key: &[u8]) -> EtcdKey {
        let Ok(text) = std::str::from_utf8(key) else {
            return EtcdKey::Other;
        };
        if let Some(own) = text.strip_prefix(&self.own) {
            return match own {
                HEAD => EtcdKey::Head,
                EPOCH => EtcdKey::Epoch,
                SETTINGS => EtcdKey::Settings,
                _ => HostKey::read(own).map_or(EtcdKey::Other, EtcdKey::Host),
            };
        }
        let object = text.strip_prefix(&self.objects).and_then(object_of);
        object.map_or(EtcdKey::Other, EtcdKey::Object)
    }
}

/// The record of the last commit.
pub(super) const HEAD: &str = "head";
/// The key that every transaction compares.
pub(super) const EPOCH: &str = "epoch";
/// The settings as YAML.
pub(super) const SETTINGS: &str = "settings";
/// The record of a commit that removes objects in many places.
pub(super) const REMOVED_MANY: &str = "removed-many";

fn is_short(group: &str, plural: &str) -> bool {
    let mut groups = SHORT.iter().filter(|(own, _)| *own == group);
    groups.any(|(_, plurals)| plurals.contains(&plural))
}

/// Parses the part of a key after the prefix of objects.
fn object_of(rest: &str) -> Option<Key> {
    let (first, behind) = rest.split_once('/')?;
    if NO_OBJECTS.contains(&first) {
        return None;
    }
    let renamed = |name: &str| {
        let mut names = RENAMED.iter().filter(|(_, other)| *other == name);
        names.next().map(|(own, _)| (*own).to_owned())
    };
    let two = behind.split_once('/');
    // The longer of two names first: `services/specs` and a group with its plural.
    if let Some((second, names)) = two {
        let longer = renamed(&format!("{first}/{second}"));
        let grouped = || first.contains('.').then(|| format!("{second}.{first}"));
        if let Some(resource) = longer.or_else(grouped) {
            return key_of(&resource, names);
        }
    }
    // Kinds of the built-in groups have unique plurals, so the name alone identifies the group.
    let short = SHORT.iter().find(|(_, plurals)| plurals.contains(&first));
    let resource = renamed(first).or_else(|| {
        short.map(|(group, _)| match *group {
            "" => first.to_owned(),
            group => format!("{first}.{group}"),
        })
    });
    // An unknown name without a group is a resource of the core group of a newer version.
    key_of(&resource.unwrap_or_else(|| first.to_owned()), behind)
}

fn key_of(resource: &str, names: &str) -> Option<Key> {
    match names.split_once('/') {
        Some((namespace, name)) => Key::new(resource, Some(namespace), name).ok(),
        None => Key::new(resource, None, names).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys of a real kube-apiserver 1.36.2.
    const FACTS: &str = include_str!("../../../../testdata/facts/etcd-keys.tsv");

    #[test]
    fn objects_have_the_keys_of_kube_apiserver() {
        let keys = Keys::new("registry");
        let mut count = 0;
        for line in FACTS.lines().filter(|l| !l.starts_with('#')) {
            let mut columns = line.split('\t');
            let (Some(kind), Some(version), Some(prefix)) =
                (columns.next(), columns.next(), columns.next())
            else {
                panic!("{line}");
            };
            // Custom resources, leases of servers and bitmaps of ports are only described in prose.
            if kind.starts_with('(') || kind == "RangeAllocation" {
                continue;
            }
            let EtcdKey::Object(key) = keys.read(format!("{prefix}a/b").as_bytes()) else {
                panic!("{line}");
            };
            assert_eq!(keys.object(&key), format!("{prefix}a/b"), "{line}");
            let group = version.rsplit_once('/').map_or("", |(group, _)| group);
            let own = key
                .resource()
                .split_once('.')
                .map_or("", |(_, group)| group);
            assert_eq!(own, group, "{line}");
            let plural = key.resource().split('.').next().unwrap_or_default();
            let start: String = kind.to_lowercase().chars().take(4).collect();
            assert!(plural.starts_with(&start), "{line}: {plural}");
            count += 1;
        }
        assert!(count > 50);
    }

    #[test]
    fn a_key_is_read_back_as_it_was_written() {
        let keys = Keys::new("/a/b/");
        for text in [
            "nodes/_cluster/n",
            "services/default/web",
            "endpoints/default/web",
            "events/default/web.1",
            "widgets.example.com/default/w",
            "clusterroles.rbac.authorization.k8s.io/_cluster/system:node",
            "events.events.k8s.io/default/e",
        ] {
            let key = Key::parse(text).unwrap();
            let stored = keys.object(&key);
            assert!(stored.starts_with("/a/b/"), "{stored}");
            assert_eq!(
                keys.read(stored.as_bytes()),
                EtcdKey::Object(key),
                "{stored}"
            );
        }
        for other in [
            "/a/b/ranges/serviceips",
            "/a/c/pods/x/y",
            "/a/b.ctl/beats/x",
            "/a/b.other/head",
        ] {
            assert_eq!(keys.read(other.as_bytes()), EtcdKey::Other, "{other}");
        }
        assert_eq!(keys.read(b"/a/b.ctl/head"), EtcdKey::Head);
        let (first, end) = keys.whole();
        for inside in ["/a/b.ctl/head", "/a/b/pods/x/y"] {
            assert!(first.as_slice() <= inside.as_bytes() && inside.as_bytes() < end.as_slice());
        }
    }

    #[test]
    fn clusters_inside_each_other_are_found() {
        let outer = |prefix| {
            let keys = Keys::new(prefix);
            let prefixes = keys.outer().map(|k| k.prefix().to_owned());
            prefixes.collect::<Vec<_>>()
        };
        assert_eq!(outer("/registry"), [""; 0]);
        assert_eq!(outer("/a/b/c"), ["/a", "/a/b"]);
        assert_eq!(outer("/a.ctl"), ["/a"]);
        assert_eq!(outer("/a.ctl/b"), ["/a.ctl", "/a"]);
        let keys = Keys::new("a");
        assert_eq!(keys.inner(b"/a/b.ctl/head"), Some("/a/b"));
        assert_eq!(keys.inner(b"/ab.ctl/head"), None);
        assert_eq!(keys.inner(b"/a/pods/default/p"), None);
    }

    #[test]
    fn range_maps_to_a_key_prefix_or_the_root() {
        let keys = Keys::new("r");
        let of = |range: Range| keys.range(&range).0;
        assert_eq!(of(Range::resource("nodes", None)), "/r/minions/");
        assert_eq!(
            of(Range::resource("nodes", Some(crate::CLUSTER_SCOPE))),
            "/r/minions/"
        );
        assert_eq!(of(Range::resource("pods", Some("a"))), "/r/pods/a/");
        assert_eq!(of(Range::prefix("pods/a/x")), "/r/");
        assert_eq!(of(Range::all()), "/r/");
    }
}
