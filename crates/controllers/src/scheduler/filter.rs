//! The filter of the scheduler: the nodes on which a Pod can run, and the reasons against the others.

use std::borrow::Cow;
use std::sync::Arc;

use super::affinity::Places;
use super::devices::Devices;
use super::pod_info::{Needs, PodInfo};
use super::refusal::Refusal;
use super::spread::Skews;
use super::state::Node;
use super::volume::Volumes;
use super::volume_limits::VolumeLimits;
use super::world::World;
use crate::kinds::pod::node_rules::Taint;

/// The values computed once per Pod before the nodes are filtered.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) volumes: Volumes,
    volume_limits: VolumeLimits,
    pub(super) devices: Devices,
    places: Places,
    skews: Skews,
    /// True if one of these may refuse a node.
    selects: bool,
}

/// The reason why no node can be feasible.
#[derive(Debug)]
pub(super) enum Hopeless {
    Volumes(String),
    Devices(String),
}

impl Prepared {
    /// # Errors
    /// The reason why no node can be feasible.
    pub(super) fn new(pod_info: &PodInfo, world: &World<'_>) -> Result<Self, Hopeless> {
        let volumes = Volumes::new(pod_info, world).map_err(Hopeless::Volumes)?;
        let devices = Devices::new(pod_info, world).map_err(Hopeless::Devices)?;
        let (places, skews) = (Places::new(pod_info, world), Skews::new(pod_info, world));
        let needs = &pod_info.needs;
        let has_volumes = !(needs.claims.is_empty() && needs.disks.is_empty());
        Ok(Self {
            selects: has_volumes || pod_info.has_devices || places.select() || skews.select(),
            volume_limits: VolumeLimits::new(pod_info, world),
            volumes,
            devices,
            places,
            skews,
        })
    }

    /// Returns true if the rest of the cluster is a reason against a node.
    pub(super) fn refuses(&self, pod_info: &PodInfo, node: usize, world: &World<'_>) -> bool {
        // Most Pods have none of these requirements, and hundreds of nodes are tried for each: that took a third of the
        // time of their placing.
        let refuses = |node| {
            self.refusal(pod_info, world.state.at(node), &[], world)
                .is_some()
        };
        debug_assert!(self.selects || !refuses(node), "a requirement is missing");
        self.selects && refuses(node)
    }

    /// Returns the reason against a node that follows from the rest of the cluster.
    pub(super) fn refusal(
        &self,
        pod_info: &PodInfo,
        node: &Node,
        gone: &[Arc<PodInfo>],
        world: &World<'_>,
    ) -> Option<Refusal> {
        // The order of kube-scheduler's plugins, because the first one that refuses names the reason.
        self.volumes
            .conflict(pod_info, node, gone)
            .or_else(|| self.volume_limits.refusal(node, gone, world))
            .or_else(|| self.volumes.refusal(node))
            .or_else(|| self.skews.refusal(pod_info, node, gone))
            .or_else(|| self.places.refusal(pod_info, node, gone, world))
            .or_else(|| self.devices.refusal(node))
    }
}

/// Hypothetical changes of a node's Pods while it is filtered.
#[derive(Clone, Copy, Default)]
pub(super) struct DryRun<'a> {
    /// The victims that preemption would evict.
    pub(super) evicted: &'a [Arc<PodInfo>],
    /// The Pods of no lower priority that are nominated to run here.
    pub(super) nominated: &'a [Arc<PodInfo>],
}

/// Returns the reason why a Pod cannot run on a node, if it cannot.
pub(super) fn refusal(
    pod_info: &PodInfo,
    node: &Node,
    prepared: &Prepared,
    dry_run: DryRun<'_>,
    world: &World<'_>,
) -> Option<Refusal> {
    alone(&pod_info.needs, node, dry_run)
        .or_else(|| prepared.refusal(pod_info, node, dry_run.evicted, world))
}

/// Checks the parts that depend only on the node and its Pods.
pub(super) fn alone(needs: &Needs, node: &Node, dry_run: DryRun<'_>) -> Option<Refusal> {
    // An affinity to `metadata.name` limits the nodes before any other filter runs.
    if let Some(names) = needs.nodes.named()
        && !names.contains(&node.name.as_str())
    {
        return Some(Refusal::for_good(
            "node(s) didn't satisfy plugin(s) [NodeAffinity]",
        ));
    }
    // A toleration of the cordon taint lets DaemonSet Pods in.
    if node.unschedulable && !needs.nodes.tolerates(&Taint::cordon()) {
        return Some(Refusal::for_good("node(s) were unschedulable"));
    }
    // PreferNoSchedule only lowers the score.
    let repels = |t: &&Taint| matches!(t.effect.as_str(), "NoSchedule" | "NoExecute");
    if node
        .taints
        .iter()
        .filter(repels)
        .any(|t| !needs.nodes.tolerates(t))
    {
        return Some(Refusal::for_good("node(s) had untolerated taint(s)"));
    }
    if !needs.nodes.accepts(&node.name, &node.labels) {
        return Some(Refusal::for_good(
            "node(s) didn't match Pod's node affinity/selector",
        ));
    }
    if !needs.ports.is_empty() {
        let stay = node
            .pods
            .values()
            .filter(|p| !dry_run.evicted.iter().any(|e| e.uid == p.uid));
        let mut taken = stay.chain(dry_run.nominated).flat_map(|p| &p.needs.ports);
        if taken.any(|port| needs.ports.iter().any(|own| own.clashes(port))) {
            return Some(Refusal::for_now(
                "node(s) didn't have free ports for the requested pod ports",
            ));
        }
    }
    resources(needs, node, dry_run)
}

fn resources(needs: &Needs, node: &Node, dry_run: DryRun<'_>) -> Option<Refusal> {
    let DryRun { evicted, nominated } = dry_run;
    let wants = &needs.amounts;
    let sum = |of: &dyn Fn(&PodInfo) -> i64| {
        nominated.iter().map(|p| of(p)).sum::<i64>() - evicted.iter().map(|p| of(p)).sum::<i64>()
    };
    let count = |pods: usize| i64::try_from(pods).unwrap_or(i64::MAX);
    let mut reasons: Vec<Cow<'static, str>> = Vec::new();
    let mut might = true;
    let pods = count(node.pods.len() + nominated.len() + 1) - count(evicted.len());
    if pods > node.has_pods {
        reasons.push("Too many pods".into());
    }
    let mut check = |name: &str, want: i64, used: i64, has: i64| {
        // A Pod that requests nothing fits on an overcommitted node.
        if want > 0 && want + used > has {
            reasons.push(format!("Insufficient {name}").into());
            // Evicting Pods cannot help if the node is too small for this Pod alone.
            might &= want <= has;
        }
    };
    let (used, has) = (&node.used, &node.has);
    check(
        "cpu",
        wants.cpu,
        used.cpu + sum(&|p| p.needs.amounts.cpu),
        has.cpu,
    );
    let memory = used.memory + sum(&|p| p.needs.amounts.memory);
    check("memory", wants.memory, memory, has.memory);
    let storage = used.storage + sum(&|p| p.needs.amounts.storage);
    check("ephemeral-storage", wants.storage, storage, has.storage);
    for (name, want) in &wants.other {
        let of = |p: &PodInfo| p.needs.amounts.other.get(name).copied().unwrap_or(0);
        let used = used.other.get(name).copied().unwrap_or(0) + sum(&of);
        check(name, *want, used, has.other.get(name).copied().unwrap_or(0));
    }
    (!reasons.is_empty()).then_some(Refusal { reasons, might })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::{Value, json};
    use crate::kinds::find_by_api_version;
    use crate::runtime::{Cache, Change, Object};
    use crate::scheduler::state::State;

    #[test]
    fn only_a_pod_with_requirements_about_the_cluster_is_compared_with_it() {
        let term = json!({"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "web"}}});
        let rule = |kind: &str| {
            let terms = json!([term.clone()]);
            json!({"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": terms}}})
        };
        let spread = |when: &str| {
            json!({"topologySpreadConstraints": [
                {"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": when, "labelSelector": {}},
            ]})
        };
        let object = |pod: Value| Object::new(find_by_api_version("v1", "Pod").unwrap(), pod);
        let selects = |spec: Value, other: Value| {
            let mut state = State::default();
            let node = json!({"metadata": {"name": "n", "labels": {"zone": "z"}}});
            let node = Object::new(find_by_api_version("v1", "Node").unwrap(), node);
            let mut other = json!({"metadata": {"name": "o", "uid": "o", "namespace": "default"}, "spec": other});
            other["spec"]["nodeName"] = json!("n");
            for object in [node, object(other)] {
                let (before, after) = (None, Some(object));
                state.observe(&Change { before, after });
            }
            let pod = object(
                json!({"metadata": {"name": "p", "uid": "p", "namespace": "default",
                "labels": {"app": "web"}}, "spec": spec}),
            );
            let pod_info = state.pod_info(&pod);
            let cache = Cache::default();
            let world = World::new(&mut state, &cache);
            Prepared::new(&pod_info, &world).unwrap().selects
        };
        let plain = || json!({"containers": [{"resources": {"requests": {"cpu": "1"}}}]});
        for (spec, other, expected) in [
            (plain(), plain(), false),
            (plain(), rule("podAffinity"), false),
            (spread("ScheduleAnyway"), plain(), false),
            (plain(), rule("podAntiAffinity"), true),
            (rule("podAffinity"), plain(), true),
            (rule("podAntiAffinity"), plain(), true),
            (spread("DoNotSchedule"), plain(), true),
            (json!({"volumes": [{"iscsi": {"iqn": "i"}}]}), plain(), true),
            (
                json!({"resourceClaims": [{"name": "c", "resourceClaimName": "c"}]}),
                plain(),
                true,
            ),
        ] {
            assert_eq!(selects(spec.clone(), other), expected, "{spec}");
        }
    }
}
