//! Tests two machines that roll out together on etcd while one process is killed repeatedly.

use std::collections::BTreeSet;

use rustix::process::Signal;

use crate::etcd::server::Etcd;
use crate::etcd::{NAMESPACES, PATIENCE, controllers, deploy, machine, until_hosts, until_ready};
use crate::support::race::{Random, eventually, seed, signal};
use crate::support::{World, count, note};

/// The number of Pods: two in each namespace.
const PODS: usize = 2 * NAMESPACES;

/// Starts a rollout in each namespace.
fn roll_out(world: &World, image: &str) {
    for number in 0..NAMESPACES {
        let namespace = format!("n{number}");
        let container = format!("c={image}");
        let args = [
            "set",
            "image",
            "deployment/web",
            &container,
            "-n",
            &namespace,
        ];
        let _ = world.run(&args).ok();
    }
}

/// Returns the number of Pods with an image, and the number of all Pods.
fn pods(world: &World, image: &str) -> (usize, usize) {
    let path = "jsonpath={range .items[*]}{.spec.containers[0].image} {end}";
    let told = world.run(&["get", "pods", "-A", "-o", path]).ok();
    let images: Vec<&str> = told.split_whitespace().collect();
    (
        images.iter().filter(|one| **one == image).count(),
        images.len(),
    )
}

#[test]
fn rollout_completes_despite_repeated_host_kills() {
    let Some((etcd, client)) = Etcd::plain() else {
        return;
    };
    let (one, two) = (machine(&etcd), machine(&etcd));
    let first = controllers(&one, "first");
    let mut second = controllers(&two, "second");
    until_hosts(&client, 2);
    deploy(&one, "web");
    until_ready(&one, "web");
    let mut random = Random::new(seed(1));
    let kills = count(3, 50);
    for kill in 0..kills {
        let image = format!("shop:{}", kill + 2);
        roll_out(&one, &image);
        // The kill comes at a random point of the rollout: once this number of Pods has the new image.
        let begun = random.below(PODS);
        let has_begun = || pods(&one, &image).0 >= begun;
        assert!(
            eventually(PATIENCE, has_begun),
            "{image}: {:?}",
            pods(&one, &image)
        );
        signal(&second.0, Signal::KILL);
        second = controllers(&two, "second");
        let is_done = || pods(&one, &image) == (PODS, PODS);
        assert!(
            eventually(PATIENCE, is_done),
            "{image}: {:?}",
            pods(&one, &image)
        );
    }
    until_ready(&two, "web");
    drop((first, second));
    // There is one ReplicaSet for each rollout in the history, and one address for each Pod.
    let path = "jsonpath={range .items[*]}{.metadata.namespace}/{.spec.template.spec.containers[0].image} {end}";
    let told = two.run(&["get", "replicasets", "-A", "-o", path]).ok();
    let sets: Vec<&str> = told.split_whitespace().collect();
    let distinct: BTreeSet<&str> = sets.iter().copied().collect();
    assert_eq!(
        sets.len(),
        distinct.len(),
        "a ReplicaSet was made twice: {sets:?}"
    );
    let told = two
        .run(&["get", "pods", "-A", "-o", "jsonpath={..podIP}"])
        .ok();
    let addresses: BTreeSet<&str> = told.split_whitespace().collect();
    assert_eq!(addresses.len(), PODS, "one address each");
    note(&format!("{kills} kills of one of two hosts"));
}
