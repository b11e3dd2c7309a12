//! New Pods of one template: a ReplicaSet creates hundreds that differ only in their names.
//!
//! The first of them is decoded, admitted, defaulted and validated. The next one is a copy with its own name, uid and
//! token volume, if everything else that decides on a new Pod is the same. The requests of one plan share the memory of
//! their body, so the comparison takes no time, and the Pods share what the first one got.

use std::cell::RefCell;

use crate::access;
use crate::api::json::{Value, json};
use crate::kinds::Kind;
use crate::kinds::shape::Decoded;
use crate::kinds::tree::{field, items, list, text};
use crate::objects;
use crate::request::Place;
use crate::request::options::FieldValidation;
use crate::request::response::ApiError;
use crate::rules::policies;
use crate::store::{Key, Range, Stored, View};
use crate::verbs::write::Origin;

thread_local! {
    /// The last body of each thread. One is enough, because the Pods of a plan follow each other.
    static READ: RefCell<Option<Read>> = const { RefCell::new(None) };
    static MADE: RefCell<Option<StoredPod>> = const { RefCell::new(None) };
}

/// A body with the result of its decoding.
struct Read {
    sent: Value,
    validation: FieldValidation,
    decoded: Decoded,
    warnings: Vec<String>,
}

/// Returns true if the name of a new object is generated, as for the Pods of a controller.
fn is_unnamed_pod(kind: &Kind, object: &Value) -> bool {
    kind.is_pod()
        && objects::meta(object, "name").is_empty()
        && !objects::meta(object, "generateName").is_empty()
}

/// Decodes the body of a new object with its warnings, or returns those of the last one if it is the same.
pub(super) fn decoded(
    kind: &Kind,
    sent: &Value,
    validation: FieldValidation,
    decode: impl FnOnce() -> Result<(Decoded, Vec<String>), ApiError>,
) -> Result<(Decoded, Vec<String>), ApiError> {
    if !is_unnamed_pod(kind, sent) {
        return decode();
    }
    let known = READ.with_borrow(|last| {
        let last = last.as_ref()?;
        // The body is kept, so its address cannot be that of another one.
        let same = last.validation == validation && last.sent.is_shared_with(sent);
        same.then(|| (last.decoded.clone(), last.warnings.clone()))
    });
    if let Some(known) = known {
        return Ok(known);
    }
    let (decoded, warnings) = decode()?;
    READ.set(Some(Read {
        sent: sent.clone(),
        validation,
        decoded: decoded.clone(),
        warnings: warnings.clone(),
    }));
    Ok((decoded, warnings))
}

/// Everything that decides on a new Pod besides its own name and uid.
struct Inputs {
    sent: Value,
    namespace: String,
    manager: String,
    now: String,
    labeled: bool,
    without_accounts: bool,
    account: Option<Stored>,
    classes: Vec<Stored>,
}

impl Inputs {
    /// Returns the inputs of a new Pod; `None` if it may depend on more than these.
    fn read(
        view: &dyn View,
        place: &Place,
        object: &Value,
        origin: &Origin<'_>,
        now: &str,
    ) -> Result<Option<Self>, ApiError> {
        let author = origin.author;
        let spec = field(object, "spec");
        let Some(by) = origin.by.filter(|by| by.subresource.is_empty()) else {
            return Ok(None);
        };
        // Each of these names a further object, or is rare.
        let names_more = ["priorityClassName", "runtimeClassName"];
        let is_plain = is_unnamed_pod(place.kind, object)
            && access::is_master(author.user)
            && names_more.iter().all(|name| text(spec, name).is_empty());
        if !is_plain || policies::may_change(view)? {
            return Ok(None);
        }
        let namespace = Some(place.namespace.as_str());
        if !view
            .list(&Range::resource("limitranges", namespace))?
            .is_empty()
        {
            return Ok(None);
        }
        let account = match text(spec, "serviceAccountName") {
            "" => "default",
            name => name,
        };
        let account = Key::new("serviceaccounts", namespace, account).ok();
        Ok(Some(Self {
            sent: object.clone(),
            namespace: place.namespace.clone(),
            manager: by.manager.to_owned(),
            now: now.to_owned(),
            labeled: origin.labeled,
            without_accounts: author.without_accounts,
            account: account.map(|key| view.get(&key)).transpose()?.flatten(),
            classes: view.list(&Range::resource("priorityclasses.scheduling.k8s.io", None))?,
        }))
    }

    /// Returns true if the body itself has a volume of this name.
    fn has_volume(&self, name: &str) -> bool {
        let mut own = list(field(&self.sent, "spec"), "volumes").iter();
        own.any(|volume| text(volume, "name") == name)
    }

    fn are(&self, other: &Self) -> bool {
        // By content and not by revision: another cluster of the process may have the same revisions.
        let same =
            |(own, other): (&Stored, &Stored)| own.key == other.key && own.json == other.json;
        let all = |own: &[Stored], other: &[Stored]| {
            own.len() == other.len() && own.iter().zip(other).all(same)
        };
        self.sent.is_shared_with(&other.sent)
            && self.namespace == other.namespace
            && self.manager == other.manager
            && self.now == other.now
            && self.labeled == other.labeled
            && self.without_accounts == other.without_accounts
            && all(self.account.as_slice(), other.account.as_slice())
            && all(&self.classes, &other.classes)
    }
}

/// A new Pod, as it was stored.
struct StoredPod {
    inputs: Inputs,
    volume: String,
    pod: Value,
}

/// The names that the server gives to a new Pod.
pub(super) struct Names<'a> {
    pub(super) name: &'a str,
    pub(super) uid: &'a str,
    /// The volume with its token.
    pub(super) volume: &'a str,
}

/// A Pod that is about to be made, if the next ones may be copies of it.
pub(super) struct Template(Option<Inputs>);

impl Template {
    /// Returns what decides on a new object, before it gets its name.
    pub(super) fn read(
        view: &dyn View,
        place: &Place,
        object: &Value,
        origin: &Origin<'_>,
        now: &str,
    ) -> Result<Self, ApiError> {
        if !is_unnamed_pod(place.kind, object) {
            return Ok(Self(None));
        }
        Ok(Self(Inputs::read(view, place, object, origin, now)?))
    }

    /// Returns a copy of the last new Pod with other names, if the Pod to make differs in nothing else.
    pub(super) fn copy(&self, names: &Names<'_>) -> Option<Value> {
        let inputs = self
            .0
            .as_ref()
            .filter(|own| !own.has_volume(names.volume))?;
        MADE.with_borrow(|made| {
            let made = made.as_ref().filter(|made| made.inputs.are(inputs))?;
            Some(made.named(names))
        })
    }

    /// Keeps a new Pod for the next one.
    pub(super) fn keep(self, names: &Names<'_>, pod: &Value) {
        // A volume of that name in the body would be renamed as well.
        let inputs = self.0.filter(|own| !own.has_volume(names.volume));
        if let Some(inputs) = inputs {
            MADE.set(Some(StoredPod {
                inputs,
                volume: names.volume.to_owned(),
                pod: pod.clone(),
            }));
        }
    }
}

impl StoredPod {
    fn named(&self, names: &Names<'_>) -> Value {
        let mut pod = self.pod.clone();
        let metadata = &mut pod["metadata"];
        metadata["name"] = json!(names.name);
        metadata["uid"] = json!(names.uid);
        let spec = &mut pod["spec"];
        self.rename(spec, "volumes", names.volume);
        for containers in ["initContainers", "containers"] {
            for container in items(spec, containers) {
                self.rename(container, "volumeMounts", names.volume);
            }
        }
        pod
    }

    /// Renames the token volume in a list. A list without it keeps its shared memory.
    fn rename(&self, value: &mut Value, name: &str, volume: &str) {
        let is_token = |item: &Value| text(item, "name") == self.volume;
        if list(value, name).iter().any(is_token) {
            items(value, name)
                .filter(|item| is_token(item))
                .for_each(|item| item["name"] = json!(volume));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{in_memory, place};
    use crate::{Cluster, Request, WriteOptions};

    /// Returns the body of a Pod of a template in memory of its own.
    fn body(spec: &Value) -> Value {
        let pod = json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"generateName": "web-", "labels": {"app": "web"}}, "spec": spec});
        serde_json::from_str(&pod.to_string()).unwrap()
    }

    /// Creates Pods in one batch; returns them.
    fn create(cluster: &Cluster, bodies: impl IntoIterator<Item = Value>) -> Vec<Value> {
        let requests = bodies
            .into_iter()
            .map(|body| Request::create(place("pods"), body));
        let requests: Vec<Request> = requests.collect();
        let done = cluster.batch("test", None, &requests).unwrap();
        done.into_iter().map(|done| done.unwrap().object).collect()
    }

    fn tolerations(pod: &Value) -> &Value {
        &pod["spec"]["tolerations"]
    }

    /// Makes the same Pods of shared bodies and of separate ones, after a change of the cluster.
    fn compare(spec: &Value, change: &dyn Fn(&Cluster)) {
        let (shared, separate) = (in_memory(), in_memory());
        let one = body(spec);
        for round in 0..2 {
            let copies = create(&shared, (0..3).map(|_| one.clone()));
            let alone = create(&separate, (0..3).map(|_| body(spec)));
            assert_eq!(copies, alone, "round {round} of {spec}");
            let all = |cluster: &Cluster| cluster.stored().list(&Range::all(), None).unwrap().items;
            let bytes = |cluster: &Cluster| -> Vec<_> {
                all(cluster)
                    .into_iter()
                    .map(|s| (s.key, s.revision, s.json))
                    .collect()
            };
            assert_eq!(bytes(&shared), bytes(&separate), "round {round} of {spec}");
            assert!(!tolerations(&alone[1]).is_shared_with(tolerations(&alone[0])));
            change(&shared);
            change(&separate);
        }
    }

    #[test]
    fn pods_of_a_shared_body_equal_pods_that_are_made_alone() {
        let container = json!({"name": "c", "image": "nginx"});
        let mounted = json!({"name": "m", "image": "nginx", "volumeMounts": [
            {"name": "own", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}]});
        let volumes = json!([{"name": "own", "emptyDir": {}}]);
        let specs = [
            json!({"containers": [container]}),
            json!({"containers": [container, mounted], "initContainers": [{"name": "i", "image": "busybox"}],
                "volumes": volumes}),
            json!({"containers": [mounted], "volumes": volumes}),
            json!({"containers": [container], "automountServiceAccountToken": false}),
            json!({"containers": [container], "priorityClassName": "system-node-critical"}),
        ];
        for spec in &specs {
            compare(spec, &|_| {});
        }
    }

    #[test]
    fn objects_that_decide_on_a_new_pod_apply_to_the_next_copy() {
        let spec = json!({"containers": [{"name": "c", "image": "nginx"}]});
        let patch = |resource: &str, name: &str, patch: &Value| {
            let (resource, name, patch) = (resource.to_owned(), name.to_owned(), patch.clone());
            move |cluster: &Cluster| {
                let how = (crate::PatchType::Merge, &patch);
                let options = WriteOptions::default();
                cluster
                    .patch(&place(&resource), &name, how, false, &options)
                    .unwrap();
            }
        };
        let create = |resource: &str, object: Value| {
            let resource = resource.to_owned();
            move |cluster: &Cluster| {
                // The second round finds it there.
                let _ = cluster.create(&place(&resource), &object, &WriteOptions::default());
            }
        };
        let off = json!({"automountServiceAccountToken": false});
        compare(&spec, &patch("serviceaccounts", "default", &off));
        let class = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
            "metadata": {"name": "high"}, "value": 9, "globalDefault": true});
        compare(&spec, &create("priorityclasses", class));
        let range = json!({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l"},
            "spec": {"limits": [{"type": "Container", "default": {"cpu": "1"}}]}});
        compare(&spec, &create("limitranges", range));
    }

    #[test]
    fn copies_share_the_parts_that_the_first_pod_got() {
        let cluster = in_memory();
        let one = body(&json!({"containers": [{"name": "c", "image": "nginx"}]}));
        let pods = create(&cluster, [one.clone(), one.clone(), one]);
        assert!(tolerations(&pods[2]).is_shared_with(tolerations(&pods[0])));
        let names: std::collections::BTreeSet<&str> =
            pods.iter().map(|pod| objects::meta(pod, "name")).collect();
        assert_eq!(names.len(), 3);
    }
}
