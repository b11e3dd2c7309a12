//! Tests the keys of a cluster under faults: a printed token is always valid, at whichever call the command that
//! created the key failed.

use crate::support::{CommandOutput, World, count, note};

/// Requests a token with a fault, in a cluster that has no key yet.
fn asked(order: &str) -> (World, CommandOutput) {
    let world = World::fresh();
    let ran = world.run_env(&[("CTL_FAULT", order)], &["create", "token", "default"], "");
    (world, ran)
}

/// Checks that a token authenticates its account in the next process.
fn check(world: &World, token: &str, order: &str) {
    let token = format!("--token={}", token.trim());
    let said = world.run(&[&token, "auth", "whoami"]);
    let name = "system:serviceaccount:default:default";
    assert!(
        said.code == 0 && said.out.contains(name),
        "{order}: {said:?}"
    );
}

#[test]
fn printed_token_is_valid_despite_faults_and_kills() {
    let world = World::fresh();
    let log = world.outside("calls");
    let counted = [("CTL_FAULT_COUNT", log.to_str().unwrap())];
    let token = ["create", "token", "default"];
    let _ = world.run_env(&counted, &token, "").ok();
    let calls = std::fs::read_to_string(&log).unwrap().lines().count();
    let (mut printed, mut refused) = (0, 0);
    for fault in ["eio", "enospc", "kill"] {
        // The full run covers all calls; each attempt creates a key.
        for call in (1..=calls).step_by(count(4, 1)) {
            let order = format!("{fault}:any:{call}");
            let (world, ran) = asked(&order);
            match ran.code {
                0 => {
                    check(&world, &ran.out, &order);
                    printed += 1;
                }
                _ => {
                    assert_eq!(ran.out, "", "{order}");
                    refused += 1;
                }
            }
            // The next command creates the key, or finds it.
            let next = world.run(&token).ok();
            check(&world, &next, &order);
        }
    }
    note(&format!(
        "keys: {printed} tokens printed, {refused} refused"
    ));
    assert!(
        printed > 0 && refused > 0,
        "{printed} printed, {refused} refused"
    );
}

#[test]
fn key_without_a_successful_fsync_signs_no_token() {
    // The directory entry of the key's file is not durable yet.
    let (world, ran) = asked("eio:fsync:1+");
    assert!(ran.code != 0 && ran.out.is_empty(), "{ran:?}");
    assert!(ran.err.contains("fsync"), "{ran:?}");
    let next = world.run(&["create", "token", "default"]).ok();
    check(&world, &next, "fsync");
}
