//! Tests that events of attempts are counted from the clock.

use super::stand::Stand;
use crate::api::json::{Value, json};
use crate::cluster::testing::place;
use crate::kinds::moment;

/// Returns the warnings and back-offs with the beginnings of their messages, counts, and last times in seconds.
fn told(stand: &Stand) -> Vec<String> {
    let all = stand.cluster.list(&place("events"), &|_| true, None);
    let events = all.unwrap().items;
    let line = |event: &Value| {
        let last = moment::read(&event["lastTimestamp"]).unwrap();
        let words = event["message"].as_str().unwrap().split(' ').take(3);
        let words: Vec<&str> = words.collect();
        let seconds = moment::since(stand.start, last).as_secs();
        format!("{} x{} {seconds}s", words.join(" "), event["count"])
    };
    let is_own = |event: &&Value| event["involvedObject"]["kind"] == "Pod";
    events.iter().filter(is_own).map(line).collect()
}

#[test]
fn back_off_of_a_crash_is_counted_over_its_time() {
    let stand = Stand::new(json!({}));
    stand.pod(json!({}), json!({"command": ["false"]}));
    stand.settle(None);
    // The second crash, after a restart at once.
    assert_eq!(told(&stand), ["Back-off restarting failed x1 0s"]);
    stand.settle(Some(25));
    // Restarts after 10 s and 30 s: 10, 23.
    assert_eq!(told(&stand), ["Back-off restarting failed x3 23s"]);
    stand.jump(3600);
    stand.settle(None);
    // The rate limit drops the first event of the next back-off.
    assert_eq!(told(&stand), ["Back-off restarting failed x280 3624s"]);
}

#[test]
fn simulated_day_of_crashes_is_counted_with_few_writes() {
    let stand = Stand::new(json!({}));
    stand.pod(json!({}), json!({"command": ["false"]}));
    stand.settle(Some(86_400));
    let lines = told(&stand);
    let count: i64 = lines[0]
        .split(['x', ' '])
        .find_map(|word| word.parse().ok())
        .unwrap();
    // One in 13 s.
    assert!((6500..7000).contains(&count), "{lines:?}");
    let events = stand
        .cluster
        .list(&place("events"), &|_| true, None)
        .unwrap();
    let writes = stand.cluster.stored().revision().unwrap();
    assert!(writes < 2400, "{writes} {:?}", events.items);
}

#[test]
fn missing_sources_are_counted_even_if_they_appear() {
    let stand = Stand::new(json!({"ctl.dev/node-events": "true"}));
    let env =
        json!([{"name": "V", "valueFrom": {"configMapKeyRef": {"name": "gone", "key": "a"}}}]);
    stand.pod(json!({}), json!({"image": "nginx:1", "env": env}));
    stand.settle(None);
    let first = [
        "Pulling image \"nginx:1\" x1 0s",
        "Successfully pulled image x1 0s",
        "Error: configmap \"gone\" x1 0s",
    ];
    assert_eq!(told(&stand), first);
    stand.settle(Some(20));
    let second = [
        first[0],
        first[1],
        "Error: configmap \"gone\" x2 13s",
        "Container image \"nginx:1\" x1 13s",
    ];
    assert_eq!(told(&stand), second);
    stand.jump(60);
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "gone"}, "data": {"a": "1"}});
    stand.create("configmaps", &map);
    stand.settle(None);
    let lines = told(&stand);
    assert_eq!(lines[2], "Error: configmap \"gone\" x7 78s");
    assert_eq!(lines[3], "Container image \"nginx:1\" x7 80s");
    assert_eq!(
        lines[4..],
        ["Container created x1 80s", "Container started x1 80s"]
    );
}

#[test]
fn volumes_and_images_are_counted() {
    let stand = Stand::new(json!({}));
    let volumes = json!([{"name": "v", "configMap": {"name": "gone"}}]);
    stand.pod(json!({"volumes": volumes}), json!({}));
    stand.settle(None);
    assert_eq!(told(&stand), ["MountVolume.SetUp failed for x1 0s"]);
    stand.jump(40);
    stand.settle(None);
    assert_eq!(told(&stand), ["MountVolume.SetUp failed for x6 31s"]);

    let stand = Stand::new(json!({}));
    stand.pod(json!({}), json!({"image": "nginx:404"}));
    stand.settle(Some(85));
    // Pulls at 0, 15, 40 and 85 s; back-offs at 10, 25, 38, 50, 63 and 76 s.
    assert_eq!(
        told(&stand),
        [
            "Pulling image \"nginx:404\" x4 85s",
            "Failed to pull x4 85s",
            "Error: ErrImagePull x4 85s",
            "Back-off pulling image x6 76s",
            "Error: ImagePullBackOff x6 76s",
        ]
    );
}
