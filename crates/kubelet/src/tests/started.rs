//! Tests that a running container keeps what it read at its start.

use ctl_shell::Captured;

use super::stand::Stand;
use crate::api::json::json;
use crate::cluster::LogTarget;
use crate::cluster::testing::place;
use crate::exec::Session;

/// Returns the output of a command in the container.
fn output(stand: &Stand, script: &str) -> String {
    let pod = stand.cluster.get(&place("pods"), "p").unwrap();
    let target = LogTarget {
        pod,
        container: "c".to_owned(),
        node: "n".to_owned(),
    };
    let mut session = Session::enter(&stand.cluster, target).unwrap();
    let mut terminal = Captured::default();
    let words = ["sh", "-c", script].map(str::to_owned);
    session.run(&words, &mut terminal).unwrap();
    String::from_utf8(terminal.out).unwrap()
}

#[test]
fn variables_and_parts_of_volumes_are_those_of_the_start() {
    let stand = Stand::new(json!({}));
    let map = |mode: &str| {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"},
        "data": {"mode": mode}})
    };
    stand.create("configmaps", &map("one"));
    let volumes = json!([{"name": "v", "configMap": {"name": "m"}}]);
    let key = json!({"configMapKeyRef": {"name": "m", "key": "mode"}});
    let container = json!({
        "env": [{"name": "MODE", "valueFrom": key}],
        "volumeMounts": [
            {"name": "v", "mountPath": "/all"},
            {"name": "v", "mountPath": "/part", "subPath": "mode"},
        ],
    });
    stand.pod(json!({"volumes": volumes}), container);
    stand.settle(None);
    let script = "echo $MODE; cat /part; echo; cat /all/mode";
    assert_eq!(output(&stand, script), "one\none\none");
    // At the same time on the cluster's clock.
    stand.patch("configmaps", "m", &map("two"));
    stand.patch("configmaps", "m", &map("three"));
    assert_eq!(output(&stand, script), "one\none\nthree");
    // A restart reads everything again.
    let crash = json!({"metadata": {"annotations": {"ctl.dev/crash": "1@0"}}});
    stand.patch("pods", "p", &crash);
    stand.settle(None);
    assert_eq!(output(&stand, script), "three\nthree\nthree");
    stand.patch("configmaps", "m", &json!({"data": {"mode": "four"}}));
    assert_eq!(output(&stand, script), "three\nthree\nfour");
}
