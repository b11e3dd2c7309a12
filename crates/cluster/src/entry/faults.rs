//! Injected failures and delays of requests: the rules of the cluster's settings, which apply to every request of every
//! caller.
//!
//! A rule applies by a draw from its seed, the request, and the number of earlier draws on this cluster: the same
//! commands get the same faults, and a retry is another draw.
//!
//! Must not know: the callers, and their reaction to a rejection.

use jiff::SignedDuration;

use crate::api::duration;
use crate::api::status::Status;
use crate::context::Context;
use crate::request::Request;
use crate::store::{ApiFault, Batch, Cause, ClockMode, StoreError};
use crate::sys::entropy::Seed;
use crate::sys::signal;

/// The codes that a rule may return.
pub const FAULT_CODES: [u16; 8] = [401, 403, 404, 409, 429, 500, 503, 504];

/// The verbs that a rule may be about.
pub const FAULT_VERBS: [&str; 7] = [
    "get", "list", "watch", "create", "update", "patch", "delete",
];

/// The effect of the fault rules on a request.
#[derive(Default)]
struct FaultEffect {
    refusal: Option<Status>,
    latency: SignedDuration,
    /// The rule that causes the latency.
    rule: String,
}

/// Applies the rules to requests that are under way together: each is refused or not, and all wait as long as the
/// slowest.
pub(super) fn meet(
    context: &Context,
    epoch: Option<u64>,
    requests: &[Request],
) -> Result<Vec<Option<Status>>, StoreError> {
    let faults = context.store.faults();
    if faults.is_empty() {
        return Ok(Vec::new());
    }
    // Numbers are reserved for the whole batch at once, so that concurrent batches draw different ones.
    let first = context.store.draw(requests.len() as u64);
    let mut slowest = FaultEffect::default();
    let mut refusals = Vec::with_capacity(requests.len());
    for (number, request) in (first..).zip(requests) {
        let mut met = met(context, &faults, request, number);
        refusals.push(met.refusal.take());
        if met.latency > slowest.latency {
            slowest = met;
        }
    }
    delay(context, epoch, &slowest)?;
    Ok(refusals)
}

fn met(context: &Context, faults: &[ApiFault], asked: &Request, number: u64) -> FaultEffect {
    let mut met = FaultEffect::default();
    for fault in faults.iter().filter(|fault| is_about(fault, asked)) {
        if !hits(context, fault, asked, number) {
            continue;
        }
        let latency = fault.latency.as_deref().and_then(duration::parse);
        if let Some(latency) = latency.filter(|l| l.is_positive()) {
            met.latency = met.latency.saturating_add(latency);
            fault.name.clone_into(&mut met.rule);
        }
        let resource = asked.place.kind.qualified_resource();
        let why = format!("fault {}", fault.name);
        let code = fault.code.unwrap_or_default();
        met.refusal = Status::trouble(code, &resource, &asked.name, &why);
        if met.refusal.is_some() {
            break;
        }
    }
    met
}

fn hits(context: &Context, fault: &ApiFault, asked: &Request, number: u64) -> bool {
    if fault.rate >= 1.0 {
        return true;
    }
    // A draw depends on the request and not on time, so a recorded session gets the same faults again.
    let seed = fault.seed.map_or(context.seed(), Seed);
    let resource = asked.place.kind.qualified_resource();
    let words = [
        "fault",
        &fault.name,
        asked.verb.name(),
        &resource,
        asked.verb.subresource(),
        &asked.place.namespace,
        &asked.name,
        &number.to_string(),
    ];
    let [a, b, c, d, ..] = seed.draw(&words);
    f64::from(u32::from_be_bytes([a, b, c, d])) < fault.rate * 4_294_967_296.0
}

/// Lets the latency of a response pass. A virtual clock is moved, which takes no real time.
fn delay(context: &Context, epoch: Option<u64>, met: &FaultEffect) -> Result<(), StoreError> {
    if !met.latency.is_positive() {
        return Ok(());
    }
    if context.settings.clock == ClockMode::System {
        signal::sleep(met.latency.unsigned_abs());
        return Ok(());
    }
    let later = context.store.now()?.checked_add(met.latency);
    let batch = Batch {
        epoch,
        at: later.ok(),
        ..Batch::default()
    };
    let cause = Cause::new(&context.writer, format!("latency: fault {}", met.rule));
    match context.store.commit(&cause, batch) {
        // A leader that was replaced while it waited must not continue.
        Err(fenced @ StoreError::Fenced { .. }) => Err(fenced),
        // A reader without the right to write does not move the clock, which belongs to the whole cluster.
        _ => Ok(()),
    }
}

/// Returns true if a rule is about a request. A resource without a part is about all of its parts.
fn is_about(fault: &ApiFault, asked: &Request) -> bool {
    let about = |resource: &String| {
        let (resource, part) = resource.split_once('/').unwrap_or((resource, ""));
        let kind = asked.place.kind;
        let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
        (plural, group) == (kind.plural, kind.group)
            && (part.is_empty() || part == asked.verb.subresource())
    };
    let verb = |verb: &String| verb == asked.verb.name();
    (fault.verbs.is_empty() || fault.verbs.iter().any(verb))
        && (fault.resources.is_empty() || fault.resources.iter().any(about))
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::api::json::json;
    use crate::request::response::ApiError;
    use crate::testing::{Scratch, fresh, place, pod};
    use crate::{Cluster, Part, PatchType, Verb, WriteOptions};

    fn fault(verbs: &[&str], resources: &[&str], code: u16, rate: f64) -> ApiFault {
        let words = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect();
        ApiFault {
            verbs: words(verbs),
            resources: words(resources),
            code: Some(code).filter(|code| *code > 0),
            rate,
            ..ApiFault::default()
        }
    }

    fn with(faults: impl IntoIterator<Item = ApiFault>) -> Scratch {
        let mut scratch = fresh();
        for fault in faults {
            scratch.cluster.configure().set_fault(fault).unwrap();
        }
        scratch
    }

    fn code<T>(answer: Result<T, ApiError>) -> u16 {
        answer.map_or_else(|e| e.status().map_or(1, |s| s.code), |_| 0)
    }

    #[test]
    fn fault_rule_applies_only_to_its_verbs_and_resources() {
        let cluster = with([
            fault(&["get", "create"], &["configmaps"], 503, 1.0),
            fault(&[], &["pods/status"], 429, 1.0),
            fault(&["list"], &["deployments.apps"], 504, 1.0),
            fault(&["patch"], &["pods"], 409, 1.0),
        ]);
        let options = WriteOptions::default();
        let (maps, pods) = (place("configmaps"), place("pods"));
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
        assert_eq!(code(cluster.get(&maps, "kube-root-ca.crt")), 503);
        assert_eq!(code(cluster.create(&maps, &map, &options)), 503);
        assert_eq!(code(cluster.list(&maps, &|_| true, None)), 0);
        let made = cluster.create(&pods, &pod("a"), &options).unwrap().object;
        assert_eq!(
            code(cluster.replace(&pods, "a", &made, Part::Status, &options)),
            429
        );
        assert_eq!(code(cluster.update(&pods, "a", &made, &options)), 0);
        let patch = (PatchType::Merge, &json!({}));
        assert_eq!(code(cluster.patch(&pods, "a", patch, false, &options)), 409);
        let list = |resource: &str| code(cluster.list(&place(resource), &|_| true, None));
        assert_eq!((list("deployments"), list("replicasets")), (504, 0));
        assert_eq!(
            code(cluster.watch(&place("deployments"), &Default::default())),
            0
        );
    }

    #[test]
    fn fault_rules_apply_to_each_request_of_a_batch() {
        let cluster = with([fault(&["create"], &["pods/binding"], 500, 1.0)]);
        let binding =
            json!({"metadata": {"name": "a"}, "target": {"kind": "Node", "name": "node-1"}});
        let requests = [
            Request::create(place("pods"), pod("a")),
            Request::new(place("pods"), "a", Verb::Bind(binding)),
            Request::create(place("pods"), pod("b")),
        ];
        let answers = cluster.batch("tester", None, &requests).unwrap();
        let codes: Vec<u16> = answers.into_iter().map(code).collect();
        assert_eq!(codes, [0, 500, 0]);
    }

    #[test]
    fn every_code_has_the_servers_text_and_its_retry_class() {
        for (code, reason) in [
            (401, "Unauthorized"),
            (403, "Forbidden"),
            (404, "NotFound"),
            (409, "Conflict"),
            (429, "TooManyRequests"),
            (500, "InternalError"),
            (503, "ServiceUnavailable"),
            (504, "Timeout"),
        ] {
            assert!(FAULT_CODES.contains(&code));
            let cluster = with([fault(&["get"], &[], code, 1.0)]);
            let status = cluster.get(&place("pods"), "a").unwrap_err();
            let status = status.status().unwrap();
            assert_eq!((status.code, status.reason), (code, reason));
            let wait = status.details.as_ref().unwrap().retry_after_seconds;
            assert_eq!(wait, u32::from(code == 429));
        }
    }

    /// Returns true for each of many reads that is rejected.
    fn pattern(cluster: &Cluster) -> Vec<bool> {
        let one = |_| cluster.get(&place("namespaces"), "default").is_err();
        (0..400).map(one).collect()
    }

    #[test]
    fn fault_rate_is_deterministic_for_a_seed() {
        let of = |seed| {
            let rule = ApiFault {
                seed,
                ..fault(&["get"], &["namespaces"], 500, 0.3)
            };
            pattern(&with([rule]))
        };
        let own = of(None);
        assert_eq!(own, of(None));
        assert_eq!(own, of(Some(7)), "the cluster's seed is 7");
        assert_ne!(own, of(Some(8)));
        let refused = own.iter().filter(|refused| **refused).count();
        assert!((90..150).contains(&refused), "{refused} of 400");
        assert_eq!(pattern(&with([fault(&[], &[], 500, 0.0)])), [false; 400]);
    }

    #[test]
    fn fault_latency_advances_the_virtual_clock() {
        let slow = |latency: &str, code| ApiFault {
            latency: Some(latency.to_owned()),
            ..fault(&["get", "create"], &["pods", "namespaces"], code, 1.0)
        };
        let cluster = with([slow("2s", 0), slow("1h", 504), slow("1h", 500)]);
        let before = cluster.now().unwrap();
        assert_eq!(code(cluster.get(&place("namespaces"), "default")), 504);
        let passed = cluster.now().unwrap().duration_since(before);
        assert_eq!(passed, SignedDuration::from_secs(3602));
        // Requests that are made together wait together.
        let cluster = with([slow("2s", 0)]);
        let make = |name| Request::create(place("pods"), pod(name));
        let before = cluster.now().unwrap();
        let answers = cluster
            .batch("tester", None, &[make("a"), make("b")])
            .unwrap();
        assert!(answers.iter().all(Result::is_ok));
        let passed = cluster.now().unwrap().duration_since(before);
        assert_eq!(passed, SignedDuration::from_secs(2));
    }

    #[test]
    fn named_fault_rules_can_be_replaced_and_removed() {
        let mut scratch = fresh();
        let open = || Cluster::open(scratch.directory.path(), crate::testing::open());
        let other = open().unwrap();
        let get = |cluster: &Cluster| code(cluster.get(&place("namespaces"), "default"));
        assert_eq!(get(&other), 0);
        let cluster = &mut scratch.cluster;
        assert_eq!(
            cluster
                .configure()
                .set_fault(fault(&["get"], &[], 500, 1.0))
                .unwrap(),
            "1"
        );
        assert_eq!(
            cluster
                .configure()
                .set_fault(fault(&["list"], &[], 500, 1.0))
                .unwrap(),
            "2"
        );
        assert_eq!(get(&other), 500);
        let named = ApiFault {
            name: "1".to_owned(),
            ..fault(&["get"], &[], 503, 1.0)
        };
        cluster.configure().set_fault(named).unwrap();
        assert_eq!((get(&other), cluster.stored().faults().len()), (503, 2));
        assert_eq!(cluster.configure().clear_faults(Some("1")).unwrap(), ["1"]);
        assert_eq!(get(&other), 0);
        assert_eq!(
            cluster.configure().clear_faults(Some("1")).unwrap(),
            [""; 0]
        );
        assert_eq!(cluster.configure().clear_faults(None).unwrap(), ["2"]);
        assert!(other.stored().faults().is_empty());
    }
}
