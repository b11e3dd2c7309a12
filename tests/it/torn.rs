//! Tests files that end too early: a record that the real program tears at every byte, and a journal or a head cut at
//! every length.

use std::path::Path;

use crate::support::state::{Snapshot, cut, journal_of, nodes};
use crate::support::user_actions::{small, user_action};
use crate::support::{CommandOutput, World, config_map, count, finish, key, note};

/// The exit code of a program that SIGXFSZ ended.
const TOO_LARGE: i32 = 153;

/// The effect of a file-size limit on the program: killed by the signal, or an error because the signal is ignored.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Signal {
    Fatal,
    Ignored,
}

/// Runs a command that cannot make any file longer than `limit`.
fn limited(world: &World, signal: Signal, limit: u64, args: &[&str], input: &str) -> CommandOutput {
    let script = match signal {
        Signal::Fatal => "",
        Signal::Ignored => "trap '' XFSZ; ",
    };
    let script = format!(r#"{script}exec prlimit --core=0 --fsize={limit} -- "$@""#);
    let mut command = world.command_for(Path::new("sh"));
    command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_ctl")]);
    command.args(args);
    finish(command, input)
}

/// The parts of a torn commit.
struct Tear {
    args: Vec<String>,
    input: String,
}

fn tears() -> Vec<Tear> {
    let tear = |args: &[&str], input: String| Tear {
        args: args.iter().map(|a| (*a).to_owned()).collect(),
        input,
    };
    let batch = format!(
        "put {} {}\ndelete {}\nput {} {}\n",
        key("a"),
        config_map("torn"),
        key("b"),
        key("new"),
        config_map("torn")
    );
    vec![
        tear(&["raw", "put", &key("new")], config_map("torn")),
        tear(&["raw", "batch"], batch),
        tear(&["raw", "delete", &key("a")], String::new()),
    ]
}

#[test]
fn a_record_torn_at_any_byte_leaves_the_state_before() {
    let world = small();
    let gold = Snapshot::of(&world.state());
    let before = world.list();
    let (journal, size) = journal_of(&world.state());
    let mut cuts = 0;
    for tear in tears() {
        let args: Vec<&str> = tear.args.iter().map(String::as_str).collect();
        gold.restore();
        let _ = world.run_with(&args, &tear.input).ok();
        let after = world.list();
        let length = journal_of(&world.state()).1 - size;
        for signal in [Signal::Fatal, Signal::Ignored] {
            for k in (0..=length)
                .step_by(count(29, 1))
                .chain([length - 1, length])
            {
                gold.restore();
                let place = format!("{args:?}, {signal:?}, {k} of {length} bytes");
                let ran = limited(&world, signal, size + k, &args, &tear.input);
                check_tear(&ran, signal, (k, length), &place);
                let tail = journal.metadata().unwrap().len() - size;
                let left = if signal == Signal::Fatal || k == length {
                    k
                } else {
                    0
                };
                assert_eq!(tail, left, "{place}");
                let expected = if k == length { &after } else { &before };
                assert_eq!(world.list(), *expected, "{place}");
                let _ = world.put("next", &k.to_string()).ok();
                assert_eq!(world.value("next"), Some(k.to_string()), "{place}");
                world.fsck_without_remarks();
                cuts += 1;
            }
        }
    }
    note(&format!("{cuts} cuts"));
    assert!(cuts >= count(60, 2000), "only {cuts} cuts");
}

fn check_tear(ran: &CommandOutput, signal: Signal, (k, length): (u64, u64), place: &str) {
    match signal {
        _ if k == length => assert_eq!(ran.code, 0, "{place}: {ran:?}"),
        Signal::Fatal => assert_eq!((ran.code, ran.out.as_str()), (TOO_LARGE, ""), "{place}"),
        Signal::Ignored => {
            let said = ran.clone().fails();
            assert!(said.contains("not applied"), "{place}: {said}");
            assert_eq!((said.lines().count(), ran.out.as_str()), (1, ""), "{place}");
        }
    }
}

/// Checks that reads are rejected with the file and the position, and that they change nothing.
fn must_be_refused(world: &World, place: &str) {
    let was = nodes(&world.state());
    for args in [
        &["raw", "list"][..],
        &["raw", "get", "configmaps/default/a"],
    ] {
        let said = world.run(args).fails();
        assert!(said.contains("is damaged at byte"), "{place}: {said}");
        assert_eq!(said.lines().count(), 1, "{place}: {said}");
    }
    let said = world.put("x", "1").fails();
    assert!(said.contains("is damaged at byte"), "{place}: {said}");
    let mut now = nodes(&world.state());
    // The writer stores its name in `holder` before it reads.
    let holder = now.remove(".ctl/holder");
    let mut was = was;
    assert!(was.remove(".ctl/holder").is_some() == holder.is_some());
    assert_eq!(was, now, "{place}");
}

#[test]
fn journal_truncated_below_the_published_end_is_rejected() {
    let world = small();
    let gold = Snapshot::of(&world.state());
    let (journal, size) = journal_of(&world.state());
    for length in (0..size).step_by(count(97, 1)).chain([size - 1]) {
        gold.restore();
        cut(&journal, length);
        must_be_refused(&world, &format!("journal cut to {length}"));
    }
}

#[test]
fn truncated_journal_is_repaired_with_the_tree() {
    let world = small();
    let gold = Snapshot::of(&world.state());
    let (journal, size) = journal_of(&world.state());
    let before = contents(&world);
    for length in (0..size).step_by(count(397, 23)) {
        gold.restore();
        cut(&journal, length);
        let place = format!("journal cut to {length}");
        let found = world.run(&["fsck"]);
        assert_eq!(found.code, 1, "{place}: {found:?}");
        assert!(
            found.out.contains("is damaged at byte"),
            "{place}: {found:?}"
        );
        let said = world.run(&["fsck", "--repair"]).ok();
        assert!(
            said.contains("the damaged file is kept as"),
            "{place}: {said}"
        );
        assert_eq!(contents(&world), before, "{place}: {said}");
        let kept = nodes(&world.state());
        let name = format!("{}.damaged-", journal.file_name().unwrap().display());
        let mut kept = kept.iter().filter(|(path, _)| path.contains(&name));
        let kept = kept.next().unwrap();
        assert_eq!(kept.1.bytes.len() as u64, length, "{place}");
        let _ = world.put("next", "1").ok();
        // The revisions of newer files count, so they are not assigned again.
        let said = world.fsck();
        let mut remarks = said.lines().rev().skip(1);
        assert!(
            remarks.all(|l| l.ends_with("were skipped")),
            "{place}: {said}"
        );
    }
}

/// Returns keys and objects without their revisions, because a repair assigns new ones to objects from the tree.
fn contents(world: &World) -> Vec<String> {
    let list = world.list();
    let lines = list.lines().skip(1).map(|l| l.split_once('\t').unwrap().1);
    lines.map(str::to_owned).collect()
}

#[test]
fn truncated_head_is_rebuilt() {
    let world = small();
    let gold = Snapshot::of(&world.state());
    let expected = world.list();
    let head = world.path(".ctl/head");
    for length in (0..256).step_by(count(51, 1)) {
        gold.restore();
        cut(&head, length);
        assert_eq!(world.list(), expected, "head cut to {length}");
        let _ = world.put("next", "1").ok();
        world.fsck_without_remarks();
    }
}

#[test]
fn truncated_journal_and_head_lose_no_object_silently() {
    let world = small();
    let gold = Snapshot::of(&world.state());
    let objects = world
        .list()
        .lines()
        .skip(1)
        .map(str::to_owned)
        .collect::<Vec<_>>();
    let (journal, size) = journal_of(&world.state());
    let (mut refused, mut whole) = (0, 0);
    for length in (0..=size).step_by(count(61, 1)).chain([size]) {
        gold.restore();
        cut(&journal, length);
        cut(&world.path(".ctl/head"), length % 256);
        let ran = world.run(&["raw", "list"]);
        if ran.code == 0 {
            let lost = objects.iter().find(|o| !ran.out.contains(o.as_str()));
            assert_eq!(lost, None, "both cut to {length}: {}", ran.out);
            whole += 1;
        } else {
            let said = ran.fails();
            assert!(said.contains("is damaged"), "both cut to {length}: {said}");
            refused += 1;
        }
    }
    note(&format!("{refused} refused, {whole} whole"));
    assert!(refused > 0 && whole > 0);
}

#[test]
fn deleted_internal_file_loses_no_object_silently() {
    let world = small();
    // The index is written only if the journal exceeds one mebibyte.
    let big = config_map(&"x".repeat(1_200_000));
    let _ = world.run_with(&["raw", "put", &key("big")], &big).ok();
    let _ = user_action("merge").run_env(&world, &[]).ok();
    let gold = Snapshot::of(&world.state());
    let expected = world.list();
    let (journal, _) = journal_of(&world.state());
    let files: Vec<String> = nodes(&world.state())
        .into_iter()
        .filter(|(path, node)| path.starts_with(".ctl/") && !node.is_dir)
        .map(|(path, _)| path)
        .collect();
    assert!(
        files.len() >= 8 && files.contains(&".ctl/index".to_owned()),
        "{files:?}"
    );
    for file in files {
        gold.restore();
        std::fs::remove_file(world.path(&file)).unwrap();
        if world.path(&file) == journal {
            must_be_refused(&world, &format!("{file} deleted"));
            continue;
        }
        assert_eq!(world.list(), expected, "{file} deleted");
        let _ = world.put("next", "1").ok();
        world.fsck_without_remarks();
    }
}
