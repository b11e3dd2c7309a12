//! Hints by the CPUs of the zones: with `service.kubernetes.io/topology-mode: Auto`, each zone gets endpoints in
//! proportion to the CPUs of its nodes.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::json::{Value, json};
use crate::api::quantity::Quantity;
use crate::cluster::Verb;
use crate::kinds::condition;
use crate::kinds::tree::{items, set, take};
use crate::runtime::{Cache, Change, EventNote, Key, Object, Plan, PlannedWrite};
use crate::service_pods as of;
use crate::views;
use crate::watched;

const ZONE: &str = "topology.kubernetes.io/zone";
const ENABLED: &str = "TopologyAwareHintsEnabled";
const DISABLED: &str = "TopologyAwareHintsDisabled";
/// The share by which the endpoints of a zone may have more traffic than others.
const OVERLOAD: f64 = 0.2;

/// Numbers of endpoints by zone.
type Counts = BTreeMap<String, i64>;

/// The endpoints for the traffic of a zone.
#[derive(Debug)]
struct Allocation {
    desired: f64,
    maximum: i64,
}

/// Returns true if the hints of a Service follow the CPUs of the zones.
pub(super) fn are_automatic(service: &Object) -> bool {
    let old = service.annotation("service.kubernetes.io/topology-aware-hints");
    let mode = old.or_else(|| service.annotation("service.kubernetes.io/topology-mode"));
    matches!(mode, Some("Auto" | "auto"))
}

/// Returns the Services whose hints may follow from a change of a node.
pub(super) fn services_of_node(change: &Change, cache: &Cache) -> Vec<Key> {
    let counts = |node: &Option<Object>| node.as_ref().map(cpus);
    if counts(&change.before) == counts(&change.after) {
        return Vec::new();
    }
    let services = cache.list(watched::services(), "");
    let services = services.filter(|service| are_automatic(service));
    services.map(|service| service.key().clone()).collect()
}

/// Sets the hints of a plan for a Service, whose slices were `old`.
pub(super) fn set_hints(service: &Object, old: &[&Object], cache: &Cache, plan: &mut Plan) {
    let planned: BTreeSet<String> = plan.changes.iter().map(|w| w.name.clone()).collect();
    let unchanged: Vec<&Object> = old
        .iter()
        .filter(|slice| !planned.contains(slice.name()))
        .copied()
        .collect();
    let (was_hinted, writes) = (old.iter().any(|s| is_hinted(s)), plan.changes.len());
    match assign(&unchanged, cache, plan) {
        Ok(()) if was_hinted => {}
        Ok(()) => {
            let message = "Topology Aware Hints has been enabled, addressType: IPv4";
            plan.events
                .push(EventNote::normal(service, ENABLED, message));
        }
        Err(why) => {
            plan.changes.truncate(writes);
            for endpoint in plan.changes.iter_mut().flat_map(endpoints) {
                take(endpoint, "hints");
            }
            for slice in unchanged.into_iter().filter(|slice| is_hinted(slice)) {
                let mut write = update(slice);
                endpoints(&mut write).for_each(|endpoint| drop(take(endpoint, "hints")));
                plan.changes.push(write);
            }
            // A reconcile that changes nothing has no new reason.
            if !plan.changes.is_empty() || !was_told(service, DISABLED, cache) {
                let message = format!("{why}, addressType: IPv4");
                plan.events
                    .push(EventNote::warning(service, DISABLED, message));
            }
        }
    }
}

/// Reports that a Service has no more hints, if it had some because of the CPUs.
pub(super) fn tell_of_end(service: &Object, old: &[&Object], cache: &Cache, plan: &mut Plan) {
    let changes = |slice: &Object| plan.changes.iter().any(|write| write.name == slice.name());
    // Hints go with a change of their slice, and most slices of a large Service do not change.
    let mut changed = old.iter().filter(|slice| changes(slice));
    if changed.any(|slice| is_hinted(slice)) && was_told(service, ENABLED, cache) {
        let message = "Topology Aware Hints has been disabled";
        plan.events
            .push(EventNote::warning(service, DISABLED, message));
    }
}

fn was_told(service: &Object, reason: &str, cache: &Cache) -> bool {
    let mut events = cache.list(watched::events(), service.namespace());
    events.any(|event| views::reason(event) == reason && views::subject(event) == service.uid())
}

fn is_hinted(slice: &Object) -> bool {
    let mut endpoints = views::endpoints(slice).iter();
    endpoints.any(|endpoint| views::endpoint(endpoint).is_hinted())
}

fn is_ready(endpoint: &Value) -> bool {
    views::endpoint(endpoint).is_ready()
}

/// Returns the endpoints that a write leads to.
fn endpoints(write: &mut PlannedWrite) -> impl Iterator<Item = &mut Value> {
    let slice = match &mut write.verb {
        Verb::Create(slice) | Verb::Update(_, slice) => Some(slice),
        _ => None,
    };
    slice
        .into_iter()
        .flat_map(|slice| items(slice, "endpoints"))
}

fn update(slice: &Object) -> PlannedWrite {
    let mut value = slice.to_value();
    // No Pod has changed.
    of::set_trigger_time(&mut value, None);
    PlannedWrite::update(slice, value, "slice-changed: the hints")
}

/// Assigns the endpoints to zones, those of unchanged slices only if that is necessary.
///
/// # Errors
/// The reason why there can be no hints.
fn assign(unchanged: &[&Object], cache: &Cache, plan: &mut Plan) -> Result<(), String> {
    let written = plan.changes.iter_mut().flat_map(endpoints);
    let written = written.filter(|endpoint| is_ready(endpoint)).count();
    let kept = unchanged.iter().flat_map(|slice| views::endpoints(slice));
    let all = written + kept.filter(|endpoint| is_ready(endpoint)).count();
    let allocations = allocations(cache, i64::try_from(all).unwrap_or(i64::MAX))?;
    let mut hinted = Counts::new();
    for slice in unchanged {
        match kept_hints(slice, &hinted, &allocations) {
            Some(own) => own
                .into_iter()
                .for_each(|(zone, n)| *hinted.entry(zone).or_default() += n),
            None => plan.changes.push(update(slice)),
        }
    }
    for endpoint in plan.changes.iter_mut().flat_map(endpoints) {
        take(endpoint, "hints");
        if !is_ready(endpoint) {
            continue;
        }
        let zone = views::endpoint(endpoint).zone().to_owned();
        if zone.is_empty() {
            return Err("One or more endpoints do not have a zone specified".to_owned());
        }
        set(endpoint, "hints", for_zone(&zone));
        *hinted.entry(zone).or_default() += 1;
    }
    redistribute(&allocations, &hinted, plan);
    Ok(())
}

fn for_zone(zone: &str) -> Value {
    json!({"forZones": [{"name": zone}]})
}

/// Returns the hints of a slice that can stay; `None` if it must be written.
fn kept_hints(
    slice: &Object,
    hinted: &Counts,
    allocations: &BTreeMap<String, Allocation>,
) -> Option<Counts> {
    let mut own = Counts::new();
    for endpoint in views::endpoints(slice).iter().filter(|e| is_ready(e)) {
        let zone = views::endpoint(endpoint).hinted_zone()?;
        *own.entry(zone.to_owned()).or_default() += 1;
    }
    let fits = |(zone, number): (&String, &i64)| {
        let before = hinted.get(zone).copied().unwrap_or(0);
        allocations
            .get(zone)
            .is_some_and(|allocation| before + number <= allocation.maximum)
    };
    own.iter().all(fits).then_some(own)
}

/// Returns the CPUs that a node adds to its zone; `None` for a node without a part in the traffic.
fn cpus(node: &Object) -> Option<(String, Quantity)> {
    let roles = [
        "node-role.kubernetes.io/control-plane",
        "node-role.kubernetes.io/master",
    ];
    let labels = views::meta(node).labels();
    let is_excluded = roles.iter().any(|role| labels.get(role).is_some());
    let is_up = condition::status(node, "Ready") == "True" && !is_excluded;
    is_up.then(|| (node.label(ZONE).to_owned(), views::node(node).cpus()))
}

/// # Errors
/// The reason why endpoints cannot be allocated to zones.
fn allocations(cache: &Cache, endpoints: i64) -> Result<BTreeMap<String, Allocation>, String> {
    let mut zones: BTreeMap<String, i64> = BTreeMap::new();
    for (zone, cpus) in cache.list(watched::nodes(), "").filter_map(cpus) {
        // One such node is enough to give up, as upstream.
        if zone.is_empty() || cpus.signum() == 0 {
            zones.clear();
            break;
        }
        *zones.entry(zone).or_default() += cpus.milli();
    }
    let total: i64 = zones.values().sum();
    let numbers = format!("({endpoints} endpoints, {} zones)", zones.len());
    let known = i64::try_from(zones.len()).unwrap_or(i64::MAX);
    match known {
        0 => {
            return Err("Insufficient Node information: allocatable CPU or zone not specified on one or more nodes"
                .to_owned());
        }
        1 => return Err("Nodes only ready in one zone".to_owned()),
        _ if known > endpoints => {
            return Err(format!("Insufficient number of endpoints {numbers}"));
        }
        _ => {}
    }
    let desired = |cpus: i64| cpus as f64 / total as f64 * endpoints as f64;
    let minimum = |cpus: i64| (desired(cpus) * (1.0 / (1.0 + OVERLOAD))).ceil();
    let minimums: f64 = zones.values().map(|cpus| minimum(*cpus)).sum();
    let spare = endpoints as f64 - minimums;
    if spare < 0.0 {
        return Err(format!(
            "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold {numbers}"
        ));
    }
    let allocation = |(zone, cpus): (String, i64)| {
        let allocation = Allocation {
            desired: desired(cpus).max(minimum(cpus)),
            maximum: (minimum(cpus) + spare) as i64,
        };
        (zone, allocation)
    };
    Ok(zones.into_iter().map(allocation).collect())
}

/// Moves written endpoints of zones with too many to zones with too few.
fn redistribute(allocations: &BTreeMap<String, Allocation>, hinted: &Counts, plan: &mut Plan) {
    let (mut giving, mut receiving) = exchange(allocations, hinted);
    for endpoint in plan.changes.iter_mut().flat_map(endpoints) {
        let left = |zones: &Counts| zones.values().any(|n| *n > 0);
        if !left(&giving) || !left(&receiving) {
            return;
        }
        let from = giving
            .get_mut(views::endpoint(endpoint).zone())
            .filter(|n| **n > 0);
        let Some(from) = from.filter(|_| is_ready(endpoint)) else {
            continue;
        };
        if let Some((zone, to)) = receiving.iter_mut().find(|(_, n)| **n > 0) {
            (*from, *to) = (*from - 1, *to - 1);
            set(endpoint, "hints", for_zone(zone));
        }
    }
}

/// Returns the numbers of endpoints that zones give and receive.
fn exchange(allocations: &BTreeMap<String, Allocation>, hinted: &Counts) -> (Counts, Counts) {
    let mut lacks: BTreeMap<&str, f64> = BTreeMap::new();
    for (zone, allocation) in allocations {
        let own = hinted.get(zone).copied().unwrap_or(0) as f64;
        lacks.insert(zone, allocation.desired - own);
    }
    let (mut giving, mut receiving) = (Counts::new(), Counts::new());
    loop {
        let by_lack = |a: &(&&str, &f64), b: &(&&str, &f64)| a.1.total_cmp(b.1);
        let (Some((from, most)), Some((to, least))) =
            (lacks.iter().min_by(by_lack), lacks.iter().max_by(by_lack))
        else {
            break;
        };
        let (gives, needs) = (-most, *least);
        // An endpoint is worth moving if that brings both zones nearer to their shares.
        if gives < 0.5 || needs < 0.5 || gives < 1.0 && needs < 1.0 {
            break;
        }
        let (from, to) = (*from, *to);
        *giving.entry(from.to_owned()).or_default() += 1;
        *receiving.entry(to.to_owned()).or_default() += 1;
        lacks.entry(from).and_modify(|lack| *lack += 1.0);
        lacks.entry(to).and_modify(|lack| *lack -= 1.0);
    }
    (giving, receiving)
}
