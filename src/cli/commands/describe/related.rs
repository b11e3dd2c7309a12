//! Reads the related objects that a description shows.

use jiff::tz::TimeZone;

use crate::api::json::Value;
use crate::cli::error::CliError;
use crate::cluster::{ApiError, Cluster, ListOptions, Place};
use crate::kinds::tree::{field, text};
use crate::kinds::{self, Kind};
use crate::print::describe::{Related, RelatedKind, needs};

/// The namespace of node leases.
const NODE_LEASES: &str = "kube-node-lease";

/// Reads the objects that the description of an object needs.
pub(super) fn related(
    cluster: &Cluster,
    kind: &Kind,
    object: &Value,
    show_events: bool,
) -> Result<Related, CliError> {
    let mut related = Related::at(cluster.now()?, TimeZone::system());
    let metadata = field(object, "metadata");
    let (namespace, name) = (text(metadata, "namespace"), text(metadata, "name"));
    let reader = Reader { cluster };
    for need in needs(kind.group, kind.kind) {
        let mut read = || -> Result<(), CliError> {
            match need {
                RelatedKind::Events if show_events => {
                    // If listing is forbidden, the description has no events.
                    related.events = Some(Vec::new());
                    related.events = Some(events(&reader, kind, object)?);
                }
                RelatedKind::Events => {}
                // One list serves all selectors: only the describer knows which of them apply.
                RelatedKind::Pods | RelatedKind::PodsOrError => {
                    related.pods = reader.all("", "v1", "Pod", namespace)?;
                }
                RelatedKind::PodsOfNode => {
                    let fields =
                        // As in kubectl's field selector, ended Pods are excluded because they hold none of the node's
                        // resources.
                        format!("spec.nodeName={name},status.phase!=Succeeded,status.phase!=Failed");
                    related.pods = reader.some("", "v1", "Pod", "", &fields)?;
                }
                RelatedKind::ReplicaSets => {
                    related.replica_sets = reader.all("apps", "v1", "ReplicaSet", namespace)?;
                }
                RelatedKind::EndpointSlices => {
                    let group = "discovery.k8s.io";
                    related.endpoint_slices =
                        reader.all(group, "v1", "EndpointSlice", namespace)?;
                }
                RelatedKind::Services => {
                    related.services = reader.all("", "v1", "Service", namespace)?
                }
                RelatedKind::Quotas => {
                    related.quotas = reader.all("", "v1", "ResourceQuota", name)?
                }
                RelatedKind::LimitRanges => {
                    related.limit_ranges = reader.all("", "v1", "LimitRange", name)?;
                }
                RelatedKind::Lease => related.lease = reader.lease(name)?,
                RelatedKind::ResourceSlices => {
                    let fields = format!("spec.nodeName={name}");
                    let group = "resource.k8s.io";
                    let all = reader.some(group, "v1", "ResourceSlice", "", &fields)?;
                    related.resource_slices = all;
                }
            }
            Ok(())
        };
        match read() {
            Err(CliError::Server(status)) if may_be_left_out(*need) => {
                related.refused.push((*need, status.message.clone()));
            }
            read => read?,
        }
    }
    Ok(related)
}

/// Returns true if kubectl omits what it cannot read instead of failing.
fn may_be_left_out(need: RelatedKind) -> bool {
    !matches!(
        need,
        RelatedKind::Pods | RelatedKind::Quotas | RelatedKind::LimitRanges
    )
}

/// Returns the events about an object.
fn events(reader: &Reader<'_>, kind: &Kind, object: &Value) -> Result<Vec<Value>, CliError> {
    let metadata = field(object, "metadata");
    let (namespace, name) = (text(metadata, "namespace"), text(metadata, "name"));
    let about = |uid: &str| {
        // An event about a container refers to its Pod, but to another field path.
        let of_kind = match kind.is_pod() {
            true => String::new(),
            false => format!(",involvedObject.kind={}", kind.kind),
        };
        let uid = match uid {
            "" => String::new(),
            uid => format!(",involvedObject.uid={uid}"),
        };
        format!("involvedObject.name={name},involvedObject.namespace={namespace}{of_kind}{uid}")
    };
    let find = |uid: &str| reader.some("", "v1", "Event", namespace, &about(uid));
    let mirrored = "kubernetes.io/config.mirror";
    let uid = match text(field(metadata, "annotations"), mirrored) {
        // Events about a static Pod have the uid of its manifest, which the mirror annotation holds.
        uid if kind.is_pod() && !uid.is_empty() => uid,
        _ => text(metadata, "uid"),
    };
    let mut events = find(uid)?;
    if kind.hosts_pods() {
        // A kubelet writes events about its node with the name of the node as the uid.
        events.extend(find(name)?);
    }
    Ok(events)
}

struct Reader<'c> {
    cluster: &'c Cluster,
}

impl Reader<'_> {
    fn all(
        &self,
        group: &str,
        version: &str,
        kind: &str,
        namespace: &str,
    ) -> Result<Vec<Value>, CliError> {
        self.some(group, version, kind, namespace, "")
    }

    /// Returns the objects of a built-in kind that match a field selector.
    fn some(
        &self,
        group: &str,
        version: &str,
        kind: &str,
        namespace: &str,
        fields: &str,
    ) -> Result<Vec<Value>, CliError> {
        // A kind that is not compiled in has no objects, so the description is correct without them.
        let Some(kind) = kinds::find(group, version, kind) else {
            return Ok(Vec::new());
        };
        let options = ListOptions {
            fields: fields.to_owned(),
            ..ListOptions::default()
        };
        Ok(self
            .cluster
            .select(&Place::new(kind, namespace), &options)?
            .items)
    }

    /// Returns the Lease of a node, or the reason why there is none.
    fn lease(&self, node: &str) -> Result<Result<Value, String>, CliError> {
        let Some(kind) = kinds::find("coordination.k8s.io", "v1", "Lease") else {
            return Ok(Err(String::new()));
        };
        match self.cluster.get(&Place::new(kind, NODE_LEASES), node) {
            Ok(lease) => Ok(Ok(lease)),
            Err(ApiError::Status(status)) => Ok(Err(status.message.clone())),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn describe_shows_related_objects() {
        let shell = Shell::empty();
        shell.all(&[
            "cluster init --nodes 1 --clock virtual --seed 7",
            "create deployment web --image=nginx --port=80",
            "expose deployment web",
            "settle",
        ]);
        shell.write(
            "claim.yaml",
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c}\nspec: {accessModes: [ReadWriteOnce], resources: \
             {requests: {storage: 1Gi}}}\n",
        );
        let deployment = shell.out("describe deployment web");
        assert!(
            deployment.contains("NewReplicaSet:   web-")
                && deployment.contains("ScalingReplicaSet"),
            "{deployment}"
        );
        let node = shell.out("describe node node-0");
        assert!(
            node.contains("Non-terminated Pods:          (1 in total)"),
            "{node}"
        );
        let service = shell.out("describe service web");
        assert!(
            service
                .lines()
                .any(|l| l.starts_with("Endpoints:") && l.ends_with(":80")),
            "{service}"
        );
        // A user who may not list anything still gets the object.
        shell.write(
            "role.yaml",
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: o}\n\
             rules: [{apiGroups: ['*'], resources: ['*'], verbs: [get]}]\n",
        );
        shell.all(&[
            "create -f @/role.yaml",
            "create clusterrolebinding o --clusterrole=o --user=o",
            "create ingress i --rule=h/=web:80",
            "create job j --image=i",
        ]);
        let set = shell.out("get rs -o jsonpath={.items[0].metadata.name}");
        let pods = "pods is forbidden: User \"o\" cannot list resource \"pods\" in API group \"\" in the namespace \"default\"\n";
        let slices = "web:80 (<error: endpointslices.discovery.k8s.io is forbidden: User \"o\" cannot list resource";
        for (what, part) in [
            ("deployment web", "Events:         <none>\n"),
            (
                &format!("rs {set}"),
                &format!("error in fetching pods: {pods}"),
            ),
            (
                "node node-0",
                "Pods:                         not authorized\nEvents:                       <none>\n",
            ),
            ("service web", "Endpoints:                <none>\n"),
            ("ingress i", slices),
            ("job j", "Events:            <none>\n"),
        ] {
            let told = shell.out(&format!("describe {what} --as=o"));
            assert!(
                told.contains(part) && !told.contains("NewReplicaSet:"),
                "{told}"
            );
        }
        let _ = shell.out("create -f @/claim.yaml");
        let refused = format!("Error from server (Forbidden): {}", pods.trim_end());
        assert_eq!(shell.fails("describe pvc c --as=o"), refused);
        let quiet = shell.out("describe deployment web --show-events=false");
        assert!(!quiet.contains("ScalingReplicaSet"), "{quiet}");
    }
}
