//! The values in etcd: objects, and the record of a commit.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::api::json;
use crate::interface::{Cause, CausingChange, ChangeReason, Op, Revision};
use crate::key::Key;
use crate::memory::state::ForeignCommit;

/// The beginning of a value in protobuf.
const PROTOBUF: &[u8] = b"k8s\0";

/// The record of a commit, in the same transaction as its objects. Only the last one is a key: the earlier ones are its
/// earlier versions.
#[derive(Debug, Default, Deserialize, Serialize)]
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
    /// The objects of the triggers, empty for those without: first that of the commit, then those of `whys`. Separate,
    /// because earlier versions read `whys` and write none of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) objects: Vec<String>,
}

impl Head {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        // A struct of texts and numbers always has a JSON.
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// Adds the reasons of the commit and of its objects.
    pub(super) fn because(mut self, cause: &Cause, ops: &[Op]) -> Self {
        let revision = |change: &CausingChange| change.revision;
        let mut name = |change: Option<&CausingChange>| {
            let object = change.and_then(|change| change.object.as_ref());
            let object = object.map_or_else(String::new, Key::to_string);
            self.objects.push(object);
            change.map(revision)
        };
        self.trigger = name(cause.trigger.as_ref());
        let why = |op: &Op| {
            let why = op.why.as_ref()?;
            let trigger = name(why.trigger.as_ref());
            Some((op.key.to_string(), trigger, why.rule.clone()))
        };
        self.whys = ops.iter().filter_map(why).collect();
        // Commits of commands have no trigger.
        if self.objects.iter().all(String::is_empty) {
            self.objects.clear();
        }
        self
    }

    /// Returns the commit that the record is about.
    pub(super) fn into_commit(self) -> ForeignCommit {
        let mut objects = self.objects.into_iter();
        let mut named = |revision: Option<Revision>| {
            let object = objects.next().and_then(|key| Key::parse(&key).ok());
            revision.map(|revision| CausingChange { revision, object })
        };
        let trigger = named(self.trigger);
        let why = |(key, trigger, rule): (String, _, _)| {
            let trigger = named(trigger);
            let key = Key::parse(&key).ok()?;
            Some((key, ChangeReason { trigger, rule }))
        };
        ForeignCommit {
            time: self.time,
            epoch: self.epoch,
            cause: Cause {
                writer: self.writer,
                trigger,
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
    use crate::interface::Expect;

    #[test]
    fn causes_name_their_object_and_records_without_objects_stay_readable() {
        let key = |name: &str| Key::new("pods", Some("default"), name).unwrap();
        let change = |revision, name: &str| CausingChange {
            revision,
            object: Some(key(name)),
        };
        let cause = Cause {
            trigger: Some(change(7, "b")),
            ..Cause::new("scheduler", "bind")
        };
        let reason = |trigger| ChangeReason {
            trigger,
            rule: "r".to_owned(),
        };
        let put = |name: &str| Op::put(key(name), *b"{}", Expect::Any);
        let reasons = [reason(None), reason(Some(change(7, "c")))];
        let [first, second] = reasons.clone();
        let ops = [put("a").because(first), put("d"), put("c").because(second)];
        let written = Head::default().because(&cause, &ops).to_bytes();
        let read = Head::read(&written).unwrap().into_commit();
        assert_eq!(read.cause.trigger, cause.trigger);
        let whys: Vec<ChangeReason> = read.whys.into_iter().map(|(_, why)| why).collect();
        assert_eq!(whys, reasons);
        let without = br#"{"id":1,"time":"2026-01-01T00:00:00Z","epoch":0,"writer":"w","trigger":7,"rule":"r",
            "whys":[["pods/default/a",6,"own"]]}"#;
        let read = Head::read(without).unwrap().into_commit();
        assert_eq!(read.cause.trigger, Some(7.into()));
        assert_eq!(read.whys[0].1.trigger, Some(6.into()));
    }

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
