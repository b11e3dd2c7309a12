//! The values in etcd: objects, and the record of a commit.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::api::json;
use crate::interface::{Cause, ChangeReason};
use crate::key::Key;
use crate::memory::state::ForeignCommit;

/// The beginning of a value in protobuf.
const PROTOBUF: &[u8] = b"k8s\0";

/// The record of a commit, in the same transaction as its objects. Only the last one is a key: the earlier ones are its
/// earlier versions.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Head {
    /// The number that the writer drew for the commit, to find it if the response is lost.
    pub(super) id: u64,
    pub(super) time: Timestamp,
    pub(super) epoch: u64,
    pub(super) writer: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) trigger: Option<u64>,
    pub(super) rule: String,
    /// Objects with a separate cause: key, trigger, rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) whys: Vec<(String, Option<u64>, String)>,
}

impl Head {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        // A struct of texts and numbers always has a JSON.
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// Returns the commit that the record is about.
    pub(super) fn into_commit(self) -> ForeignCommit {
        let why = |(key, trigger, rule): (String, _, _)| {
            let key = Key::parse(&key).ok()?;
            Some((key, ChangeReason { trigger, rule }))
        };
        ForeignCommit {
            time: self.time,
            epoch: self.epoch,
            cause: Cause {
                writer: self.writer,
                trigger: self.trigger,
                rule: self.rule,
            },
            whys: self.whys.into_iter().filter_map(why).collect(),
        }
    }
}

/// Reads an object as ctl or a kube-apiserver wrote it; `None` if the bytes are not an object.
pub(super) fn object(value: Vec<u8>) -> Option<Arc<[u8]>> {
    // ctl's own bytes are compact and sorted. kube-apiserver's encoder of JSON sorts too, but ends with a line feed.
    if value.starts_with(br#"{"apiVersion":"#) && value.ends_with(b"}") {
        return Some(value.into());
    }
    let tree = if value.starts_with(PROTOBUF) {
        ctl_protobuf::decode(&value).ok()?
    } else {
        let tree = json::from_bytes(&value, &[]).ok()?;
        tree.as_object().is_some().then_some(tree)?
    };
    Some(json::to_bytes(&tree, &["metadata", "resourceVersion"]).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn stored_objects_are_read_as_protobuf_or_unsorted_json() {
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "p", "namespace": "default", "uid": "u"},
            "spec": {"containers": [{"image": "i", "name": "c"}]},
        });
        let sorted: Arc<[u8]> = json::to_bytes(&pod, &[]).into();
        let protobuf = ctl_protobuf::encode(&pod).unwrap();
        assert!(protobuf.starts_with(PROTOBUF));
        let read = object(protobuf).unwrap();
        let tree = json::from_bytes(&read, &[]).unwrap();
        assert_eq!(tree["spec"]["containers"][0]["image"], "i");
        assert_eq!(object(sorted.to_vec()).unwrap(), sorted);
        let mut line = sorted.to_vec();
        line.push(b'\n');
        assert_eq!(object(line).unwrap(), sorted);
        let unsorted =
            br#"{"kind":"A","apiVersion":"v1","metadata":{"resourceVersion":"7","name":"a"}}"#;
        let expected = br#"{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}}"#;
        assert_eq!(&*object(unsorted.to_vec()).unwrap(), expected);
        for none in [&b"7"[..], b"", b"k8s\0\xff", b"{"] {
            assert!(object(none.to_vec()).is_none());
        }
    }
}
