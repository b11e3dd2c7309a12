//! Tests that every commit has a reason: a rule, and a chain of causes that ends at a command, a file or the clock.

use std::collections::BTreeSet;
use std::fs;

use ctl::cluster::{Cluster, Open, Past};
use ctl::history::{History, Origin};

use crate::support::World;
use crate::support::race::write_file;

/// Runs a command that may find stuck objects, or Pods that take longer than its timeout.
fn tried(world: &World, args: &[&str]) {
    let ran = world.run(args);
    assert!(ran.code <= 1, "{ran:?}");
}

/// Returns a world in which nearly every controller has work; then hours pass while objects are created, changed and
/// deleted.
fn busy_world() -> World {
    let mut world = World::new();
    world.set("CTL_TEST_BARE", "");
    let init = [
        "cluster", "init", "busy", "--clock", "virtual", "--seed", "7",
    ];
    let _ = world.run(&init).ok();
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/busy.yaml");
    let _ = world.run(&["apply", "-f", manifest]).ok();
    tried(&world, &["settle", "--for", "30m"]);
    let _ = world
        .run(&["create", "deployment", "web", "--image=i", "--replicas=4"])
        .ok();
    tried(&world, &["settle"]);
    let _ = world.run(&["set", "image", "deployment/web", "i=j"]).ok();
    tried(&world, &["settle"]);
    // A file edited by hand begins a chain as a command does; its first changed field is in the spec.
    let file = world.state().join("default/deployments.apps/web.yaml");
    let text = fs::read_to_string(&file).unwrap();
    write_file(&file, text.replacen("replicas: 4", "replicas: 2", 1));
    tried(&world, &["settle"]);
    let drain = ["drain", "node-0", "--ignore-daemonsets", "--force"];
    // The drain waits for Pods that only the controllers remove.
    tried(&world, &[&drain[..], &["--timeout=1s"]].concat());
    tried(&world, &["fault", "node", "node-1", "--down"]);
    tried(&world, &["settle", "--for", "10m"]);
    let _ = world.run(&["clock", "advance", "2h"]).ok();
    tried(&world, &["settle"]);
    let _ = world.run(&["delete", "deployment", "web"]).ok();
    let _ = world
        .run(&["delete", "namespace", "busy", "--wait=false"])
        .ok();
    tried(&world, &["settle", "--for", "2h"]);
    world
}

#[test]
fn every_commit_has_a_rule_and_every_chain_ends_at_a_person_a_file_or_the_clock() {
    let world = busy_world();
    let cluster = Cluster::open(&world.state(), Open::as_writer("test")).unwrap();
    let past = Past {
        after: cluster.stored().oldest().unwrap(),
        ..Past::default()
    };
    let (mut wrong, mut controllers, mut commits) = (Vec::new(), BTreeSet::new(), 0);
    cluster
        .stored()
        .visit(&past, &mut |commit| {
            commits += 1;
            let writer = commit.writer;
            // A command line contains a space; all other writers except these two are controllers.
            let is_first = writer.contains(' ') || writer == "hand-edit" || writer == "clock";
            for change in &commit.changes {
                let caused = change.trigger.is_some_and(|t| t < change.revision);
                if change.rule.is_empty() || (!is_first && !caused) {
                    wrong.push(format!(
                        "{} {writer}: {:?}: {}",
                        change.revision, change.rule, change.key
                    ));
                }
            }
            if commit.rule.is_empty() || (commit.changes.is_empty() && !is_first) {
                wrong.push(format!("{} {writer}: {:?}", commit.revision, commit.rule));
            }
            if !is_first {
                controllers.insert(writer.to_owned());
            }
            Ok(true)
        })
        .unwrap();
    assert!(wrong.is_empty(), "{} of {commits}: {wrong:#?}", wrong.len());
    assert!(controllers.len() > 15, "{controllers:?}");
    let history = History::read(&cluster).unwrap();
    let mut origins = BTreeSet::new();
    for change in history.changes() {
        let chain = history.why_at(change.revision);
        assert!(chain.is_complete(), "{chain:#?}");
        let last = chain.steps.last().unwrap();
        let is_known = last.writer.contains(' ') || last.writer == "hand-edit";
        assert!(is_known, "{last:?}");
        origins.insert(last.origin == Origin::File);
    }
    assert_eq!(origins.len(), 2, "commands and files both begin chains");
}
