//! Tests a machine whose clock jumps: revisions still increase by one, and nothing is ordered by time.

use std::path::Path;

use crate::support::race::{assert_gap_free, logged_revisions};
use crate::support::{World, collect, config_map, finish, key, note};

const JUMPS: [&str; 10] = [
    "2026-06-01T12:00:00Z",
    "2026-06-01T13:00:00Z",
    "2026-06-01T12:00:00Z",
    "2026-05-31T12:00:00Z",
    "2026-06-01T12:00:00Z",
    "1970-01-01T00:00:00Z",
    "2100-12-31T23:59:59Z",
    "2026-06-01T11:00:00Z",
    "1970-01-01T00:00:01Z",
    "2026-06-01T12:00:00.5Z",
];

fn system_world() -> World {
    let world = World::new();
    let _ = world
        .run(&["cluster", "init", "--clock", "system", "--seed", "7"])
        .ok();
    world
}

#[test]
fn revisions_increase_by_one_across_clock_jumps() {
    let mut world = system_world();
    for (number, time) in JUMPS.iter().enumerate() {
        world.set("CTL_TEST_CLOCK", time);
        let revision = (number + 2).to_string();
        assert_eq!(world.put("a", &revision).ok().trim(), revision, "at {time}");
        assert_eq!(world.value("a"), Some(revision), "at {time}");
    }
    assert_gap_free(&logged_revisions(&world));
    // The log keeps the order of the commits and their original times.
    let log = world.run(&["raw", "log"]).ok();
    let times: Vec<&str> = log.lines().map(|l| l.split('\t').next().unwrap()).collect();
    assert_eq!(times, JUMPS);
    let watched = world
        .run(&["raw", "watch", "--from", "1", "--until", "11"])
        .ok();
    let seen: Vec<u64> = watched
        .lines()
        .map(|l| l.split('\t').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(assert_gap_free(&seen), (2, 11));
    assert_eq!(
        world.fsck().lines().count(),
        1,
        "no file looks edited because of its time"
    );
}

#[test]
fn hand_edit_is_imported_across_clock_jumps() {
    let mut world = system_world();
    for (number, time) in JUMPS.iter().enumerate() {
        world.set("CTL_TEST_CLOCK", time);
        let _ = world.put("a", &format!("put {number}")).ok();
        let path = crate::support::edits::file_of(&world, "a");
        let text = std::fs::read_to_string(&path).unwrap();
        let edited = text.replace(&format!("put {number}"), &format!("edit {number}"));
        assert_ne!(text, edited);
        crate::support::edits::rename_over(&path, edited.as_bytes());
        world.set("CTL_TEST_CLOCK", JUMPS[(number + 3) % JUMPS.len()]);
        assert_eq!(
            world.value("a"),
            Some(format!("edit {number}")),
            "at {time}"
        );
    }
    let _ = world.fsck();
}

#[test]
fn old_leader_stays_fenced_after_the_clock_moves_back() {
    let mut world = system_world();
    world.set("CTL_TEST_CLOCK", JUMPS[6]);
    let old = world.run(&["raw", "lead"]).ok();
    world.set("CTL_TEST_CLOCK", JUMPS[5]);
    let new = world.run(&["raw", "lead"]).ok();
    let number = |text: &str| text.trim().parse::<u64>().unwrap();
    assert!(number(&new) > number(&old));
    let put = |epoch: &str| {
        let key = key("a");
        world.run_with(
            &["raw", "put", &key, "--epoch", epoch.trim()],
            &config_map("x"),
        )
    };
    assert!(put(&old).fails().contains("another leader"));
    let _ = put(&new).ok();
    let _ = world.fsck();
}

#[test]
fn changed_boot_time_does_not_count_as_a_reboot() {
    let world = system_world();
    let _ = world.put("a", "1").ok();
    let before = std::fs::read(world.path(".ctl/head")).unwrap();
    let mut last = 2;
    for offset in ["86400", "3155760000"] {
        let mut command = world.command_for(Path::new("unshare"));
        command.args(["-T", "--boottime", offset, env!("CARGO_BIN_EXE_ctl")]);
        command.args(["raw", "put", &key("a")]);
        let ran = finish(command, &config_map(offset));
        if ran.code == 0 {
            note(&format!("T21: unshare -T --boottime {offset}: ran"));
            last += 1;
            assert_eq!(ran.ok().trim(), last.to_string());
        } else {
            // Only a privileged user may set the boot time; without it, only the head is checked below.
            note(&format!(
                "T21: unshare -T --boottime {offset}: not allowed here"
            ));
            assert!(ran.err.contains("unshare") || ran.code == 127, "{ran:?}");
        }
    }
    let boot = |head: &[u8]| {
        String::from_utf8_lossy(head)
            .split(' ')
            .nth(1)
            .unwrap()
            .to_owned()
    };
    let after = std::fs::read(world.path(".ctl/head")).unwrap();
    assert_eq!(boot(&before), boot(&after));
    let mut command = world.command();
    command
        .args(["raw", "revision"])
        .stdout(std::process::Stdio::piped());
    assert_eq!(
        collect(command.spawn().unwrap()).ok().trim(),
        last.to_string()
    );
    let _ = world.fsck();
}
