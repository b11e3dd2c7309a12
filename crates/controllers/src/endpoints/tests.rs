use super::*;
use crate::harness::{ControllerHarness, content, lines};
use crate::kinds::tree::text;
use crate::runtime::{Change, Key};

fn pod(name: &str, ip: &str, ready: bool) -> Value {
    json!({
        "metadata": {"name": name, "labels": {"app": "web"}},
        "spec": {"nodeName": "node-0", "containers": [{"ports": [{"name": "http", "containerPort": 80}]}]},
        "status": {"phase": "Running", "podIP": ip, "conditions": [
            {"type": "Ready", "status": if ready { "True" } else { "False" }},
        ]},
    })
}

fn service(target: Value) -> Value {
    json!({"metadata": {"name": "web", "labels": {"l": "1"}}, "spec": {
        "selector": {"app": "web"}, "ports": [{"port": 8080, "targetPort": target, "protocol": "TCP"}],
    }})
}

#[test]
fn addresses_follow_the_pods_of_the_service() {
    let mut harness = ControllerHarness::new(Endpoints);
    harness.put("v1", "Service", service(json!("http")));
    harness.put("v1", "Pod", pod("b", "10.0.0.10", true));
    harness.put("v1", "Pod", pod("a", "10.0.0.9", true));
    harness.put("v1", "Pod", pod("c", "10.0.0.3", false));
    harness.put("v1", "Pod", pod("d", "", true));
    let plan = harness.plan("default", "web");
    assert_eq!(lines(&plan), ["create endpoints web: endpoints"]);
    let object = content(&plan.changes[0]);
    let ips = |name: &str| -> Vec<&str> {
        list(&object["subsets"][0], name)
            .iter()
            .map(|a| text(a, "ip"))
            .collect()
    };
    assert_eq!(ips("addresses"), ["10.0.0.10", "10.0.0.9"]);
    assert_eq!(ips("notReadyAddresses"), ["10.0.0.3"]);
    assert_eq!(
        object["subsets"][0]["ports"],
        json!([{"port": 80, "protocol": "TCP"}])
    );
    assert_eq!(
        object["metadata"]["labels"],
        json!({"l": "1", "endpoints.kubernetes.io/managed-by": "endpoint-controller"})
    );
    harness.put("v1", "Endpoints", object.clone());
    assert_eq!(harness.plan("default", "web"), Plan::done());
    let mut going = pod("a", "10.0.0.9", true);
    going["metadata"]["deletionTimestamp"] = json!("2026-01-02T12:00:00Z");
    let going = harness.put("v1", "Pod", going);
    assert_eq!(harness.keys(&going).len(), 1);
    let plan = harness.plan("default", "web");
    assert_eq!(lines(&plan), ["update endpoints web: endpoints"]);
}

#[test]
fn ready_addresses_are_cut_last() {
    let mut harness = ControllerHarness::new(Endpoints);
    harness.put("v1", "Service", service(json!(80)));
    for n in 0..1000 {
        let address = format!("10.0.{}.{}", n / 250, n % 250 + 1);
        harness.put("v1", "Pod", pod(&format!("p{n}"), &address, false));
    }
    harness.put("v1", "Pod", pod("ready", "10.9.9.9", true));
    let plan = harness.plan("default", "web");
    let object = content(&plan.changes[0]);
    let subset = &object["subsets"][0];
    assert_eq!(text(&list(subset, "addresses")[0], "ip"), "10.9.9.9");
    assert_eq!(list(subset, "notReadyAddresses").len(), 999);
    assert_eq!(object["metadata"]["annotations"][OVER], "truncated");
}

#[test]
fn annotations_and_labels_of_users_stay_until_the_next_change() {
    let mut harness = ControllerHarness::new(Endpoints);
    harness.put("v1", "Service", service(json!("http")));
    let plan = harness.plan("default", "web");
    let mut own = content(&plan.changes[0]).clone();
    let before = harness.put("v1", "Endpoints", own.clone());
    own["metadata"]["annotations"]["mine"] = json!("kept");
    own["metadata"]["labels"]["mine"] = json!("lost");
    let after = harness.put("v1", "Endpoints", own);
    let change = Change {
        before: Some(before),
        after: Some(after),
    };
    let mut watches = harness.controller.watches().into_iter();
    let own = watches.find(|w| w.kind == Some(watched::endpoints()));
    assert_eq!((own.unwrap().keys)(&change, &harness.cache), []);
    harness.put("v1", "Pod", pod("a", "10.0.0.9", true));
    let plan = harness.plan("default", "web");
    let metadata = &content(&plan.changes[0])["metadata"];
    assert_eq!(metadata["annotations"]["mine"], "kept");
    assert_eq!(metadata["labels"].get("mine"), None);
}

#[test]
fn endpoints_are_empty_without_pods_and_absent_without_selector() {
    let mut harness = ControllerHarness::new(Endpoints);
    harness.put("v1", "Service", service(json!(80)));
    let plan = harness.plan("default", "web");
    assert!(content(&plan.changes[0])["subsets"].is_null());
    harness.put(
        "v1",
        "Service",
        json!({"metadata": {"name": "manual"}, "spec": {"ports": []}}),
    );
    assert_eq!(harness.plan("default", "manual"), Plan::done());
}

#[test]
fn only_managed_endpoints_are_deleted_with_their_service() {
    let mut harness = ControllerHarness::new(Endpoints);
    let ours = json!({"metadata": {"name": "a", "labels": {MANAGED_BY: "endpoint-controller"}}});
    harness.put("v1", "Endpoints", ours);
    harness.put("v1", "Endpoints", json!({"metadata": {"name": "b"}}));
    assert_eq!(
        lines(&harness.plan("default", "a")),
        ["delete endpoints a: endpoints-gone"]
    );
    assert_eq!(harness.plan("default", "b"), Plan::done());
}

fn backend(name: &str, app: &str, address: &str) -> Value {
    json!({"metadata": {"name": name, "labels": {"app": app}},
        "status": {"podIP": address}})
}

fn selecting(name: &str, app: &str) -> Value {
    json!({"metadata": {"name": name}, "spec": {"selector": {"app": app}}})
}

fn behind(harness: &ControllerHarness<Endpoints>, name: &str) -> Vec<String> {
    let key = Key::new("default", name);
    let all = harness.cache.tally::<Backends>();
    all.of(&key).map(|pod| pod.name().to_owned()).collect()
}

#[test]
fn endpoints_are_sorted_by_address() {
    let mut harness = ControllerHarness::new(Endpoints);
    harness.put("v1", "Pod", backend("a", "web", "10.0.0.10"));
    harness.put("v1", "Service", selecting("s", "web"));
    let b = harness.put("v1", "Pod", backend("b", "web", "10.0.0.9"));
    harness.put("v1", "Pod", backend("c", "web", ""));
    harness.put("v1", "Pod", backend("d", "db", "10.0.0.1"));
    // As texts, so 10 comes before 9.
    assert_eq!(behind(&harness, "s"), ["a", "b"]);
    assert_eq!(behind(&harness, "t"), [""; 0]);
    harness.put("v1", "Pod", backend("c", "web", "10.0.0.11"));
    harness.put("v1", "Pod", backend("a", "web", "10.0.0.2"));
    assert_eq!(behind(&harness, "s"), ["c", "a", "b"]);
    let mut over = backend("a", "web", "10.0.0.2");
    over["status"]["phase"] = json!("Failed");
    harness.put("v1", "Pod", over);
    harness.remove(&b);
    assert_eq!(behind(&harness, "s"), ["c"]);
    let s = harness.put("v1", "Service", selecting("s", "db"));
    assert_eq!(behind(&harness, "s"), ["d"]);
    harness.remove(&s);
    assert_eq!(behind(&harness, "s"), [""; 0]);
}

/// A number below `limit` that depends on the words only.
fn drawn(words: &[&str], limit: usize) -> usize {
    let bytes = crate::runtime::Seed(7).draw(words);
    usize::from(u16::from_le_bytes([bytes[0], bytes[1]])) % limit
}

/// A Pod with random readiness, address and port.
fn random_pod(name: &str, round: &str, ready: usize) -> Value {
    let draw = |what: &str, limit| drawn(&[what, name, round], limit);
    // The address of a Pod does not depend on the round, as most changes are of something else.
    let parts = [4, 12, 250].map(|limit| drawn(&["address", name, &limit.to_string()], limit));
    let address = format!("10.{}.{}.{}", parts[0], parts[1], parts[2]);
    let mut pod = pod(name, &address, draw("ready", 100) < ready);
    let port = 80 + drawn(&["port", name], 3);
    pod["spec"]["containers"][0]["ports"][0]["containerPort"] = json!(port);
    if draw("terminating", 20) == 0 {
        pod["metadata"]["deletionTimestamp"] = json!("2026-01-02T12:00:00Z");
    }
    pod
}

/// Returns the names of the listed Pods, by visiting and sorting all of them.
fn by_sorting(harness: &ControllerHarness<Endpoints>, all_ready: bool) -> Vec<[Vec<String>; 2]> {
    let named = |pod: &Object, service: &Object| of::ports(service, pod)[0]["port"].to_string();
    let key = Key::new("default", "web");
    let service = harness.cache.by_key(watched::services(), &key).unwrap();
    let mut pods: Vec<&Object> = harness.cache.list(watched::pods(), "").collect();
    pods.retain(|pod| all_ready || !pod.is_terminating());
    pods.sort_by_key(|pod| (of::address(pod).to_owned(), pod.uid().to_owned()));
    let is_ready = |pod: &&Object| all_ready || is_ready(pod);
    let ready = pods.iter().filter(|pod| is_ready(pod)).count();
    let others = pods.len() - ready;
    let mut left = [ready.min(MOST), others.min(MOST.saturating_sub(ready))];
    let rooms = left;
    let mut subsets: BTreeMap<String, [Vec<String>; 2]> = BTreeMap::new();
    for pod in pods {
        let lists = subsets.entry(named(pod, service)).or_default();
        lists[usize::from(!is_ready(&pod))].push(pod.name().to_owned());
    }
    let mut subsets: Vec<_> = subsets.into_values().collect();
    for lists in &mut subsets {
        for (at, all) in [ready, others].into_iter().enumerate() {
            let share = (lists[at].len() * rooms[at]).div_ceil(all.max(1));
            lists[at].truncate(share.min(left[at]));
            left[at] -= lists[at].len();
        }
    }
    subsets
}

fn listed(object: &Value) -> Vec<[Vec<String>; 2]> {
    let names = |subset: &Value, name: &str| {
        let names = list(subset, name).iter();
        names
            .map(|a| text(views::address(a).target(), "name").to_owned())
            .collect()
    };
    let subsets = list(object, "subsets").iter();
    let both = subsets.map(|s| ["addresses", "notReadyAddresses"].map(|name| names(s, name)));
    both.collect()
}

#[test]
fn the_listed_pods_are_the_first_of_a_sorted_list_of_all() {
    for (target, all_ready, count, ready) in [
        (json!(80), false, 1300, 95),
        (json!(80), false, 1300, 30),
        (json!(80), false, 500, 50),
        (json!(80), true, 1300, 50),
        (json!("http"), false, 1400, 90),
        (json!("http"), false, 1300, 40),
        (json!("http"), true, 1300, 40),
    ] {
        let mut harness = ControllerHarness::new(Endpoints);
        let mut service = service(target);
        service["spec"]["publishNotReadyAddresses"] = json!(all_ready);
        harness.put("v1", "Service", service);
        for n in 0..count {
            let name = format!("p{n}");
            harness.put("v1", "Pod", random_pod(&name, "", ready));
        }
        let plan = harness.plan("default", "web");
        let object = content(&plan.changes[0]).clone();
        assert_eq!(listed(&object), by_sorting(&harness, all_ready));
        // The entries that stay are reused; a plan without them leads to the same ones.
        let old = harness.put("v1", "Endpoints", object.clone());
        for n in (0..count).step_by(7) {
            let name = format!("p{n}");
            harness.put("v1", "Pod", random_pod(&name, "again", ready));
        }
        let plan = harness.plan("default", "web");
        let change = plan.changes.first();
        let object = change.map_or(object, |write| content(write).clone());
        assert_eq!(listed(&object), by_sorting(&harness, all_ready));
        harness.remove(&old);
        let new = content(&harness.plan("default", "web").changes[0]).clone();
        assert_eq!(object["subsets"], new["subsets"]);
    }
}

#[test]
fn an_entry_that_was_edited_is_replaced() {
    let mut harness = ControllerHarness::new(Endpoints);
    harness.put("v1", "Service", service(json!(80)));
    harness.put("v1", "Pod", pod("a", "10.0.0.1", true));
    let plan = harness.plan("default", "web");
    let right = content(&plan.changes[0]).clone();
    for (at, edit) in [
        ("/hostname", json!("x")),
        ("/nodeName", json!("other")),
        ("/ip", json!("10.0.0.0")),
        ("/targetRef/uid", json!("other")),
        ("/targetRef/resourceVersion", json!("1")),
    ] {
        let mut edited = right.clone();
        let (parent, name) = at.rsplit_once('/').unwrap();
        let entry = &mut edited["subsets"][0]["addresses"][0];
        entry.pointer_mut(parent).unwrap()[name] = edit;
        harness.put("v1", "Endpoints", edited);
        let plan = harness.plan("default", "web");
        assert_eq!(
            content(&plan.changes[0])["subsets"],
            right["subsets"],
            "{at}"
        );
    }
}
