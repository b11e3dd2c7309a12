//! Tests revisions and epochs from the outside: a journal, a head, files, settings and requests with numbers near the
//! maximum, and a `.ctl` that is older than the files.

use std::path::{Path, PathBuf};

use base64::Engine as _;

use crate::support::state::write_file;
use crate::support::{CommandOutput, World, can_run};

/// The largest revision and epoch, and larger numbers at which other programs overflow.
const LAST: u64 = (1 << 53) - 1;
const LAST_EPOCH: u64 = (1 << 63) - 1;
const EDGES: [u64; 6] = [LAST, LAST + 1, 1 << 54, LAST_EPOCH, 1 << 63, u64::MAX];

fn checksum(parts: &[&[u8]]) -> u32 {
    parts
        .iter()
        .fold(0, |crc, part| crc32c::crc32c_append(crc, part))
}

/// Writes a journal without objects that begins at a revision and an epoch.
fn forge_journal(world: &World, revision: u64, epoch: u64) {
    let payload = format!(
        r#"{{"rev":{revision},"time":"2026-01-01T00:00:00Z","writer":"ctl","rule":"base","epoch":{epoch},"more":false,"ops":[]}}"#
    );
    let header = format!("B 1 {} ", payload.len());
    let crc = checksum(&[&[0; 4], header.as_bytes(), payload.as_bytes()]);
    let line = format!("{header}{crc:08x} {payload}\n");
    for name in ["head", "index"] {
        drop(std::fs::remove_file(world.path(".ctl").join(name)));
    }
    write_file(&world.path(".ctl/journal/0000000001"), line.as_bytes());
}

/// Replaces a word of the head and updates the checksum.
fn forge_head(world: &World, place: usize, number: u64) {
    let path = world.path(".ctl/head");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    words.pop();
    words[place] = number.to_string();
    let line = words.join(" ");
    let line = format!("{line} {:08x}", checksum(&[line.as_bytes()]));
    write_file(&path, format!("{line:255}\n").as_bytes());
}

fn generations(world: &World) -> Vec<String> {
    let mut names: Vec<String> = world
        .path(".ctl/journal")
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Repairs a cluster that was rejected, and writes to it.
#[track_caller]
fn must_be_mended(world: &World, place: &str) {
    let check = world.run(&["fsck"]);
    assert!(
        check.code == 1 && check.out.contains("1 problem"),
        "{place}: {check:?}"
    );
    let mended = world.run(&["fsck", "--repair"]);
    assert_eq!(mended.code, 0, "{place}: {mended:?}");
    must_work(world, place);
}

#[track_caller]
fn must_work(world: &World, place: &str) {
    let ran = world.put("after", "1");
    assert_eq!(ran.code, 0, "{place}: {ran:?}");
    assert_eq!(world.value("after").as_deref(), Some("1"), "{place}");
    assert_eq!(world.value("a").as_deref(), Some("1"), "{place}");
    let said = world.run(&["fsck"]).ok();
    assert!(said.contains("no problem"), "{place}: {said}");
    assert!(
        generations(world).len() < 6,
        "{place}: {:?}",
        generations(world)
    );
}

fn with_a() -> World {
    let world = World::cluster();
    let _ = world.put("a", "1").ok();
    world
}

#[test]
fn forged_journal_numbers_are_detected_and_repaired() {
    for edge in EDGES {
        for (revision, epoch) in [(edge, 0), (9, edge)] {
            let world = with_a();
            forge_journal(&world, revision, epoch);
            let place = format!("revision {revision}, epoch {epoch}");
            let ran = world.put("b", "1");
            let last = if epoch == edge { LAST_EPOCH } else { LAST };
            if edge > last {
                let said = ran.fails();
                let wanted = ".ctl/journal/0000000001 is damaged at byte 0";
                assert!(said.contains(wanted), "{place}: {said}");
                assert_eq!(generations(&world).len(), 1, "{place}");
                must_be_mended(&world, &place);
            } else if epoch == edge {
                assert_eq!(ran.code, 0, "{place}: {ran:?}");
                assert!(world.run(&["raw", "list"]).ok().contains("/b\t"));
            } else {
                let said = ran.fails();
                assert!(
                    said.contains("has used all revisions up to"),
                    "{place}: {said}"
                );
                assert_eq!(world.run(&["raw", "revision"]).ok(), format!("{LAST}\n"));
                assert!(generations(&world).len() < 4, "{:?}", generations(&world));
                drop(world.run(&["fsck"]));
            }
        }
    }
}

#[test]
fn forged_head_numbers_are_detected_or_ignored() {
    // The places are the generation, inode, offset, projected, sequence number, revision, and epoch.
    for place in [2, 3, 4, 5, 6, 8, 9] {
        for edge in EDGES {
            let world = with_a();
            forge_head(&world, place, edge);
            let name = format!("word {place} is {edge}");
            let ran = world.run(&["raw", "list"]);
            if ran.code == 0 {
                must_work(&world, &name);
                continue;
            }
            assert!(
                ran.clone().fails().contains(" is damaged at byte "),
                "{name}: {ran:?}"
            );
            must_be_mended(&world, &name);
        }
    }
}

#[test]
fn resource_version_of_a_file_has_a_limit() {
    for edge in EDGES.into_iter().chain([1 << 52, (1 << 52) + 1]) {
        for rebuilt in [false, true] {
            let world = with_a();
            let path = world.path("default/configmaps/a.yaml");
            let text = std::fs::read_to_string(&path).unwrap();
            let other = format!("resourceVersion: \"{edge}\"");
            write_file(
                &path,
                text.replace("resourceVersion: \"2\"", &other).as_bytes(),
            );
            if rebuilt {
                std::fs::remove_dir_all(world.path(".ctl")).unwrap();
            }
            let place = format!("a file of {edge}, rebuilt: {rebuilt}");
            must_work(&world, &place);
            let revision: u64 = world.run(&["raw", "revision"]).ok().trim().parse().unwrap();
            let believed = rebuilt && edge <= 1 << 52;
            assert_eq!(revision > edge, believed || edge < 9, "{place}: {revision}");
        }
    }
}

#[test]
fn extreme_history_settings_keep_the_history() {
    for edge in EDGES {
        let world = with_a();
        let path = world.path("cluster.yaml");
        let text = std::fs::read_to_string(&path).unwrap();
        write_file(
            &path,
            text.replace("history: 64 ", &format!("history: {edge} "))
                .as_bytes(),
        );
        for _ in 0..3 {
            let _ = world.run(&["raw", "compact"]).ok();
        }
        assert_eq!(generations(&world).len(), 4, "{edge}");
        must_work(&world, &format!("history of {edge} MiB"));
    }
}

#[test]
fn requests_for_extreme_revisions_are_rejected() {
    let world = World::fresh();
    let refused = |ran: CommandOutput, what: &str| assert!(!ran.fails().is_empty(), "{what}");
    for edge in EDGES {
        let token = format!(r#"{{"v":"meta.k8s.io/v1","rv":{edge},"start":"a\u0000"}}"#);
        let token = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(token);
        for query in [
            format!("resourceVersion={edge}"),
            format!("resourceVersion={edge}&resourceVersionMatch=Exact"),
            format!("resourceVersion={edge}&watch=1&timeoutSeconds=1"),
            format!("continue={token}&limit=1"),
        ] {
            let path = format!("/api/v1/nodes?{query}");
            refused(world.run(&["get", "--raw", &path]), &path);
        }
        let version = format!("--resource-version={edge}");
        refused(
            world.run(&["annotate", "node", "node-0", "a=b", &version]),
            &version,
        );
    }
}

fn copy(from: &Path, to: &Path) {
    let (from, to) = (from.display().to_string(), to.display().to_string());
    assert!(can_run(&["cp", "-a", &from, &to]));
}

/// Returns a cluster whose files are newer than its `.ctl`, and the last assigned revision. The `.ctl` is a copy, or
/// the original directory, which had been moved away for a while.
fn older_ctl(is_copy: bool) -> (World, u64) {
    let world = with_a();
    let _ = world.put("gone", "1").ok();
    let _ = world.put("same", "1").ok();
    let (now, saved): (PathBuf, PathBuf) = (world.path(".ctl"), world.outside("saved"));
    if is_copy {
        copy(&now, &saved);
    } else {
        std::fs::rename(&now, &saved).unwrap();
        copy(&saved, &now);
    }
    let _ = world.put("a", "2").ok();
    let _ = world.put("new", "1").ok();
    let _ = world
        .run(&["raw", "delete", "configmaps/default/gone"])
        .ok();
    let _ = world.put("a", "3").ok();
    let last = world.run(&["raw", "revision"]).ok().trim().parse().unwrap();
    std::fs::remove_dir_all(&now).unwrap();
    std::fs::rename(&saved, &now).unwrap();
    (world, last)
}

#[test]
fn outdated_journal_is_reported_and_reuses_no_revision() {
    for is_copy in [false, true] {
        for first in [
            &["raw", "list"][..],
            &["raw", "get", "configmaps/default/a"],
            &["fsck", "--repair"],
        ] {
            let (world, last) = older_ctl(is_copy);
            let place = format!("copy: {is_copy}, first {first:?}, last {last}");
            if !is_copy {
                let check = world.run(&["fsck"]);
                let wanted =
                    format!("a.yaml: the file has revision {last}, but the journal ends at 4");
                assert!(
                    check.code == 1 && check.out.contains(&wanted),
                    "{place}: {check:?}"
                );
            }
            let ran = world.run(first);
            let wanted = format!(
                "default/configmaps/a.yaml has revision {last}, but the journal ends at 4: .ctl is older"
            );
            assert!(
                ran.code == 0 && ran.err.contains(&wanted),
                "{place}: {ran:?}"
            );
            assert_eq!(world.value("a").as_deref(), Some("3"), "{place}");
            assert_eq!(world.value("new").as_deref(), Some("1"), "{place}");
            assert_eq!(world.value("same").as_deref(), Some("1"), "{place}");
            let _ = world.put("after", "1").ok();
            let log = world.run(&["raw", "list"]).ok();
            let revisions = log
                .lines()
                .skip(1)
                .map(|l| l.split('\t').next().unwrap().parse::<u64>().unwrap());
            let given: Vec<u64> = revisions.filter(|r| *r > 4).collect();
            assert!(
                given.len() >= 3 && given.iter().all(|r| *r > last),
                "{place}: {given:?}"
            );
            let said = world.run(&["fsck", "--history"]).ok();
            assert!(said.contains("no problem"), "{place}: {said}");
        }
    }
}
