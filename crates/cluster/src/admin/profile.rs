//! Profiles: the nodes' facts and the objects that a cluster has besides those of every fresh cluster.
//!
//! A profile is a YAML file with patches of the nodes, which take turns, and with objects to create.

use std::net::Ipv4Addr;

use thiserror::Error;

use crate::api::json::{Value, json};
use crate::api::yaml::{self, Mode};
use crate::cluster::Cluster;
use crate::kinds::find;
use crate::kinds::tree::{field, list, text};
use crate::request::options::WriteOptions;
use crate::request::part::Part;
use crate::request::response::ApiError;
use crate::request::{PatchType, Place, Request, Verb};

const BUILT_IN: [(&str, &str); 3] = [
    ("eks", include_str!("../../profiles/eks.yaml")),
    ("kind", include_str!("../../profiles/kind.yaml")),
    ("minikube", include_str!("../../profiles/minikube.yaml")),
];

/// The bits of an address that count the Pods of a node.
const NODE_BITS: u32 = 8;

/// The contents of a profile.
///
/// ```
/// use ctl_cluster::{Profile, ProfileError};
///
/// assert!(Profile::names().eq(["eks", "kind", "minikube"]));
/// let error: ProfileError = Profile::read("clusterCIDR: 10.0.0.0").unwrap_err();
/// assert!(error.to_string().contains("must be a range of IPv4 addresses"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    nodes: Vec<Value>,
    objects: Vec<Value>,
    /// The addresses of all Pods.
    pods: Option<PodRange>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PodRange {
    first: u32,
    nodes: u32,
}

/// The reason why a file is not a profile.
#[derive(Debug, Error)]
pub enum ProfileError {
    /// It is not YAML.
    #[error("{0}")]
    Yaml(#[from] yaml::YamlError),
    /// A field has no meaning.
    #[error("unknown field {0:?}: a profile has clusterCIDR, nodes and objects")]
    Unknown(String),
    /// The range of the Pods' addresses is not a range.
    #[error(
        "clusterCIDR: {0:?} must be a range of IPv4 addresses of /24 or larger, such as 10.244.0.0/16"
    )]
    Range(String),
    /// An object is of no known kind.
    #[error("objects: no kind {kind:?} in {api_version:?}")]
    Kind {
        /// The API version.
        api_version: String,
        /// The kind.
        kind: String,
    },
}

impl Profile {
    /// Returns the names of the built-in profiles.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// Returns the text of a built-in profile.
    pub fn built_in(name: &str) -> Option<&'static str> {
        let found = BUILT_IN.iter().find(|(own, _)| *own == name);
        found.map(|(_, text)| *text)
    }

    /// Reads a profile.
    ///
    /// # Errors
    /// The first mistake in the text.
    pub fn read(source: &str) -> Result<Self, ProfileError> {
        let file = yaml::parse_one(source.as_bytes(), Mode::Strict)?.unwrap_or_else(|| json!({}));
        let known = ["clusterCIDR", "nodes", "objects"];
        let mut names = file.as_object().into_iter().flatten().map(|(name, _)| name);
        // A misspelled field would otherwise leave the cluster quietly unlike the profile.
        if let Some(name) = names.find(|name| !known.contains(&name.as_str())) {
            return Err(ProfileError::Unknown(name.to_string()));
        }
        let objects = list(&file, "objects").to_vec();
        for object in &objects {
            kind_of(object)?;
        }
        let range = text(&file, "clusterCIDR");
        let wrong = || ProfileError::Range(range.to_owned());
        Ok(Self {
            nodes: list(&file, "nodes").to_vec(),
            objects,
            pods: match range.is_empty() {
                true => None,
                false => Some(pod_range(range).ok_or_else(wrong)?),
            },
        })
    }

    /// Returns the patch of a node by its number.
    fn node(&self, number: u32) -> Value {
        // Fewer patches than nodes are repeated, so that a profile describes zones without knowing the number of
        // nodes.
        let turn = usize::try_from(number).unwrap_or(0);
        let own = self.nodes.get(turn % self.nodes.len().max(1));
        let mut patch = own.cloned().unwrap_or_else(|| json!({}));
        // A node beyond the range gets none, as from kube-controller-manager.
        if let Some(range) = self.pods.filter(|range| number < range.nodes) {
            let cidr = Ipv4Addr::from(range.first + (number << NODE_BITS));
            let cidr = format!("{cidr}/{}", 32 - NODE_BITS);
            patch["spec"]["podCIDR"] = json!(cidr);
            patch["spec"]["podCIDRs"] = json!([cidr]);
        }
        patch
    }
}

fn kind_of(object: &Value) -> Result<&'static crate::Kind, ProfileError> {
    let (api_version, kind) = (text(object, "apiVersion"), text(object, "kind"));
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    find(group, version, kind).ok_or_else(|| ProfileError::Kind {
        api_version: api_version.to_owned(),
        kind: kind.to_owned(),
    })
}

fn pod_range(cidr: &str) -> Option<PodRange> {
    let (address, length) = cidr.split_once('/')?;
    let address: Ipv4Addr = address.parse().ok()?;
    let length: u32 = length.parse().ok()?;
    let bits = (32 - NODE_BITS).checked_sub(length).filter(|b| *b < 24)?;
    let first = u32::from(address);
    // Bits of the host in a network address are a typo.
    let aligned = first.trailing_zeros() >= bits + NODE_BITS;
    aligned.then_some(PodRange {
        first,
        nodes: 1 << bits,
    })
}

impl Profile {
    /// Applies the profile to a new cluster, in one commit.
    ///
    /// # Errors
    /// The API's error if a patch or an object of the profile is rejected.
    pub fn equip(&self, cluster: &Cluster) -> Result<(), ApiError> {
        let mut requests = Vec::new();
        if let Some(nodes) = find("", "v1", "Node") {
            for number in 0..cluster.settings().nodes {
                let patch = self.node(number);
                let parts = [
                    (
                        Part::Whole,
                        json!({"metadata": field(&patch, "metadata"), "spec": field(&patch, "spec")}),
                    ),
                    (Part::Status, json!({"status": field(&patch, "status")})),
                ];
                for (part, mut patch) in parts {
                    // A merge patch with null would remove existing fields of the node.
                    if let Some(map) = patch.as_object_mut() {
                        map.retain(|_, value| !value.is_null());
                    }
                    let verb = Verb::Patch {
                        part,
                        how: PatchType::Merge,
                        patch,
                    };
                    let place = Place::new(nodes, "");
                    requests.push(Request::new(place, format!("node-{number}"), verb));
                }
            }
        }
        for object in &self.objects {
            if let Ok(kind) = kind_of(object) {
                let place = Place::new(kind, text(field(object, "metadata"), "namespace"));
                requests.push(Request::create(place, object.clone()));
            }
        }
        // One rule for all, so that the history shows the profile as one commit.
        let options = WriteOptions {
            rule: "profile".to_owned(),
            ..WriteOptions::default()
        };
        let requests: Vec<Request> = requests
            .into_iter()
            .map(|request| request.with(options.clone()))
            .collect();
        for answer in cluster.all(&requests)? {
            answer?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{fresh, place};

    #[test]
    fn built_in_profiles_create_classes_and_node_fields() {
        for (name, class, nodes) in [
            ("kind", "standard", "110"),
            ("minikube", "standard", "110"),
            ("eks", "gp3", "29"),
        ] {
            let cluster = fresh();
            let profile = Profile::read(Profile::built_in(name).unwrap()).unwrap();
            profile.equip(&cluster).unwrap();
            let class = cluster.get(&place("storageclasses"), class).unwrap();
            let default = "storageclass.kubernetes.io/is-default-class";
            assert_eq!(class["metadata"]["annotations"][default], "true");
            let node = cluster.get(&place("nodes"), "node-2").unwrap();
            assert_eq!(node["status"]["allocatable"]["pods"], nodes, "{name}");
            assert_eq!(node["status"]["nodeInfo"]["kubeletVersion"], "v1.36.2");
            match name {
                "eks" => {
                    let zone = &node["metadata"]["labels"]["topology.kubernetes.io/zone"];
                    assert_eq!(zone, "us-west-2c");
                }
                _ => assert_eq!(node["spec"]["podCIDR"], "10.244.2.0/24"),
            }
        }
    }

    #[test]
    fn pod_cidrs_are_consecutive_until_the_range_ends() {
        let profile = Profile::read("clusterCIDR: 10.244.0.0/23").unwrap();
        let range = |number| text(field(&profile.node(number), "spec"), "podCIDR").to_owned();
        assert_eq!(range(0), "10.244.0.0/24");
        assert_eq!(range(1), "10.244.1.0/24");
        assert_eq!(range(2), "");
        for wrong in [
            "10.244.0.0",
            "10.244.0.0/25",
            "10.244.1.0/16",
            "x/16",
            "10.0.0.0/0",
        ] {
            let text = format!("clusterCIDR: {wrong}");
            assert!(Profile::read(&text).is_err(), "{wrong}");
        }
    }

    #[test]
    fn unknown_fields_and_kinds_in_a_profile_are_errors() {
        let told = |text: &str| Profile::read(text).unwrap_err().to_string();
        assert!(told("node: []").contains("unknown field \"node\""));
        assert!(told("objects: [{apiVersion: v1, kind: Rocket}]").contains("\"Rocket\""));
    }
}
