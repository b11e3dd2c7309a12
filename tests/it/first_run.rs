//! Tests the first command in a directory, killed at every file-system call, and many commands at once.
//!
//! Afterwards there is one cluster with one seed, or none, and the next command creates it.

use std::collections::BTreeSet;

use crate::support::state::leftovers;
use crate::support::{CommandOutput, World, collect, config_map, count, key, note};

/// Returns the seed in `cluster.yaml`, or `None` if the file is missing.
fn seed(world: &World) -> Option<String> {
    let text = std::fs::read_to_string(world.path("cluster.yaml")).ok()?;
    let line = text.lines().find(|l| l.starts_with("seed: ")).unwrap();
    Some(line.split(' ').nth(1).unwrap().to_owned())
}

const INIT: &[&str] = &["cluster", "init", "--clock", "virtual", "--seed", "7"];

/// Kills a command that creates a cluster at every call. Returns the number of calls.
fn killed_at_every_call(
    first: &[&str],
    input: &str,
    next: &dyn Fn(&World) -> CommandOutput,
) -> usize {
    for n in 1.. {
        let world = World::new();
        let ran = world.run_env(&[("CTL_FAULT", &format!("kill:any:{n}"))], first, input);
        let place = format!("{first:?} killed at {n}");
        assert!([0, 137].contains(&ran.code), "{place}: {ran:?}");
        let born = seed(&world);
        let opened = next(&world);
        assert_eq!(opened.code, 0, "{place}: {opened:?}");
        let now = seed(&world);
        assert!(now.is_some(), "{place}");
        assert!(
            born.is_none() || born == now,
            "{place}: {born:?}, then {now:?}"
        );
        let _ = world.put("next", "1").ok();
        assert_eq!(seed(&world), now, "{place}");
        assert!(leftovers(&world.state()).is_empty(), "{place}");
        assert_eq!(world.value("next").as_deref(), Some("1"), "{place}");
        let other = ["cluster", "init", "--seed", "8"];
        assert!(world.run(&other).ok().contains("unchanged"), "{place}");
        assert_eq!(seed(&world), now, "{place}");
        world.fsck_without_remarks();
        if ran.code == 0 {
            return n - 1;
        }
    }
    unreachable!("a sweep has an end")
}

#[test]
fn killed_init_leaves_a_complete_cluster_or_none() {
    let by_init = killed_at_every_call(INIT, "", &|world| world.run(INIT));
    let by_read = killed_at_every_call(INIT, "", &|world| world.run(&["raw", "list"]));
    note(&format!("{by_init} and {by_read} kills"));
    assert!(by_init > 20 && by_read > 20);
}

#[test]
fn killed_first_command_leaves_a_complete_cluster_or_none() {
    let (put, object) = (["raw", "put", "configmaps/default/a"], config_map("1"));
    let kills = killed_at_every_call(&put, &object, &|world| world.put("b", "1"));
    note(&format!("{kills} kills"));
    assert!(kills > 40);
}

#[test]
fn concurrent_first_commands_create_one_cluster() {
    for round in 0..count(2, 20) {
        let world = World::new();
        let mut children = Vec::new();
        for number in 0..32 {
            let mut command = world.command();
            let name = key(&format!("o{number}"));
            let (seed, patch) = (number.to_string(), config_map("1"));
            if number % 2 == 0 {
                command.args(["cluster", "init", "--clock", "virtual", "--seed", &seed]);
            } else {
                let batch = format!("put {name} {patch}");
                let input = world.outside(&format!("input-{number}"));
                crate::support::state::write_file(&input, batch.as_bytes());
                command.args(["raw", "batch"]);
                command.stdin(std::fs::File::open(input).unwrap());
            }
            let pipe = std::process::Stdio::piped;
            children.push(command.stdout(pipe()).stderr(pipe()).spawn().unwrap());
        }
        let ran: Vec<CommandOutput> = children.into_iter().map(collect).collect();
        let failed: Vec<_> = ran.iter().filter(|r| r.code != 0).collect();
        assert!(failed.is_empty(), "round {round}: {failed:?}");
        let created = ran.iter().filter(|r| r.out.contains("created")).count();
        assert!(
            created <= 1,
            "round {round}: {created} of them say that they made it"
        );
        let revisions: BTreeSet<&str> = ran
            .iter()
            .skip(1)
            .step_by(2)
            .map(|r| r.out.trim())
            .collect();
        assert_eq!(revisions.len(), 16, "round {round}: {revisions:?}");
        assert_eq!(world.list().lines().count(), 17, "round {round}");
        let seed = seed(&world).unwrap();
        let again = world.run(&["cluster", "init"]).ok();
        assert!(again.contains("unchanged"), "{again}");
        assert_eq!(self::seed(&world), Some(seed));
        world.fsck_without_remarks();
    }
}
