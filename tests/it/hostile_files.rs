//! Tests files that are not objects, by accident or on purpose: they are kept aside quickly and cheaply, with one
//! warning, while the last good version and all other objects remain available.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use ctl::cluster::{Expect, Key, RawOp};
use ctl::sys::clock::Stopwatch;

use crate::support::edits::{file_of, kept_aside};
use crate::support::race::{eventually, make_old, open_listening, write_file};
use crate::support::{CommandOutput, World, count, finish, in_time, key};

/// The address space, and so the memory, that a command may use: 256 MiB.
const KIB: u32 = 256 << 10;

/// Returns the CPU time that a command may use, in seconds. A quick run allows more, because its program is not
/// optimized. Elapsed time would depend on other work of the machine.
fn limit() -> usize {
    count(4, 1)
}

/// Runs `ctl raw ARGS` under both limits. The system ends a command that exceeds one of them.
fn limited(world: &World, args: &str) -> CommandOutput {
    let mut command = world.command_for(Path::new("sh"));
    let script = format!(
        "ulimit -v {KIB}; ulimit -t {}; exec {} raw {args}",
        limit(),
        env!("CARGO_BIN_EXE_ctl")
    );
    command.args(["-c", &script]);
    finish(command, "")
}

/// A read within this time of a write is too early to judge the file.
const AT_ONCE: Duration = Duration::from_millis(100);

/// The text after the name of a file in a warning.
enum Warning {
    /// The line in the file.
    Line,
    /// No line, because the file was never read.
    File,
}

/// A way to damage the file at a path.
type Spoil = Box<dyn Fn(&Path)>;

fn bytes(content: impl Into<Vec<u8>>) -> Spoil {
    let content = content.into();
    Box::new(move |path| {
        write_file(path, &content);
        make_old(path);
    })
}

fn sparse(size: u64) -> Spoil {
    Box::new(move |path| {
        File::create(path).unwrap().set_len(size).unwrap();
        make_old(path);
    })
}

fn fifo(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}

/// Returns the hostile files in the table, and some more.
fn hostile() -> Vec<(&'static str, Spoil, Warning)> {
    use Warning::{File, Line};
    let head = "apiVersion: v1\nkind: ConfigMap\ndata:\n";
    let text = |body: String| bytes(format!("{head}{body}\n"));
    let elf = std::fs::read(env!("CARGO_BIN_EXE_ctl")).unwrap()[..1 << 20].to_vec();
    let bomb = |levels: usize, width: usize| {
        let mut text = "  a0: &a0 lol\n".to_owned();
        for n in 1..levels {
            let aliases = vec![format!("*a{}", n - 1); width].join(",");
            text += &format!("  a{n}: &a{n} [{aliases}]\n");
        }
        text
    };
    let merges: String = (1..30)
        .map(|n| format!("  m{n}: &m{n} {{<<: [*m{0}, *m{0}], k{n}: 1}}\n", n - 1))
        .collect();
    let anchors: String = (0..100_000).map(|n| format!("k{n}: &a{n} x\n")).collect();
    vec![
        ("empty", bytes(""), Line),
        ("an ELF binary", bytes(elf), Line),
        ("NULs", bytes(vec![0; 4096]), Line),
        ("100 MB", sparse(100_000_000), File),
        ("sparse 10 GB", sparse(10_000_000_000), File),
        ("a FIFO", Box::new(fifo), File),
        (
            "a directory",
            Box::new(|path| std::fs::create_dir(path).unwrap()),
            File,
        ),
        (
            "brackets",
            text(format!("  a: {}", "[".repeat(100_000))),
            Line,
        ),
        (
            "braces",
            text(format!("  a: {}", "{a: ".repeat(50_000))),
            Line,
        ),
        ("an alias bomb", text(bomb(10, 10)), Line),
        (
            "a merge bomb",
            text(format!("  m0: &m0 {{k: 1}}\n{merges}")),
            Line,
        ),
        ("anchors", bytes(format!("{anchors}not: [closed")), Line),
        ("question marks", text("? ".repeat(20_000)), Line),
        (
            "nested sequences",
            text(format!("  a:\n  {}", "- ".repeat(50_000))),
            Line,
        ),
        ("duplicate keys", text("  a: b\n  a: c".to_owned()), Line),
        (
            "bad UTF-8",
            bytes(b"apiVersion: v1\nkind: \xff\xfe\n".to_vec()),
            Line,
        ),
        ("a tab", bytes("apiVersion: v1\n\tkind: x\n"), Line),
        (
            "two documents",
            bytes(format!("{head}  a: b\n---\n{head}")),
            Line,
        ),
        ("a scalar", bytes("hello\n"), File),
        (
            "a quote that never ends",
            text(format!("  a: \"{}", "x".repeat(1 << 20))),
            Line,
        ),
        ("one long line", text("x".repeat(4 << 20)), Line),
    ]
}

#[track_caller]
fn assert_one_warning(what: &str, ran: &CommandOutput, place: &str, warning: &Warning) {
    let said: Vec<&str> = ran.err.lines().collect();
    assert_eq!(said.len(), 1, "{what}: {ran:?}");
    let (_, behind) = said[0]
        .split_once(place)
        .unwrap_or_else(|| panic!("{what}: {ran:?}"));
    let numbered = behind.starts_with(':') && behind[1..].starts_with(|c: char| c.is_ascii_digit());
    assert!(
        numbered || !matches!(warning, Warning::Line),
        "{what}: {ran:?}"
    );
    assert!(said[0].contains("the file is kept as"), "{what}: {ran:?}");
}

#[test]
fn hostile_file_is_rejected_within_resource_limits() {
    let world = World::cluster();
    for name in ["a", "b"] {
        let _ = world.put(name, "good").ok();
    }
    for (number, (what, spoil, warning)) in hostile().iter().enumerate() {
        // The file replaces an object ...
        let victim = file_of(&world, "a");
        std::fs::remove_file(&victim).unwrap();
        spoil(&victim);
        let ran = limited(&world, &format!("get {}", key("a")));
        assert_eq!(ran.code, 0, "{what}: {ran:?}");
        assert!(ran.out.contains(r#""v":"good""#), "{what}: {ran:?}");
        assert_one_warning(what, &ran, "default/configmaps/a.yaml", warning);
        // ... or is a new file.
        let stranger = file_of(&world, &format!("s{number}"));
        spoil(&stranger);
        let ran = limited(&world, "list");
        assert_eq!(ran.clone().ok().lines().count(), 3, "{what}: {ran:?}");
        assert_one_warning(
            what,
            &ran,
            &format!("default/configmaps/s{number}.yaml"),
            warning,
        );
        assert_eq!(world.value("b").as_deref(), Some("good"), "{what}");
        assert_eq!(
            world.run(&["raw", "list"]).err,
            "",
            "{what}: one warning is enough"
        );
    }
    assert_eq!(world.fsck().lines().count(), 1);
}

#[test]
fn truncated_object_file_is_imported_or_kept_aside() {
    let world = World::cluster();
    let filler: String = (0..40)
        .map(|n| format!("value number {n}, long enough "))
        .collect();
    let _ = world.put("a", &filler).ok();
    let _ = world.put("b", "good").ok();
    let (cluster, said) = open_listening(&world, "reader");
    let (a, b) = (
        Key::parse(&key("a")).unwrap(),
        Key::parse(&key("b")).unwrap(),
    );
    let file = file_of(&world, "a");
    let good = cluster.stored().get(&a).unwrap().unwrap();
    let text = std::fs::read(&file).unwrap();
    let step = (text.len() / count(100, text.len())).max(1);
    let (mut taken, mut kept) = (0, 0);
    for cut in (0..text.len()).step_by(step) {
        write_file(&file, &text[..cut]);
        make_old(&file);
        let now = cluster.stored().get(&a).unwrap().unwrap();
        let mut words = std::mem::take(&mut *said.lock().unwrap());
        // A cut within the creation time looks like an edit of a field that the server owns, which is reported.
        words.retain(|word| !word.contains("is owned by the server"));
        if words.is_empty() {
            // A shorter text may also be a complete object, which is then an edit.
            taken += 1;
        } else {
            assert_eq!(words.len(), 1, "cut at {cut}: {words:?}");
            assert!(
                words[0].contains("default/configmaps/a.yaml"),
                "cut at {cut}: {words:?}"
            );
            assert!(
                now.json == good.json,
                "cut at {cut}: the last good version is served"
            );
            kept += 1;
        }
        assert!(cluster.stored().get(&b).unwrap().is_some());
        let again = RawOp {
            key: a.clone(),
            object: Some(serde_json::from_slice(&good.json).unwrap()),
            expect: Expect::Any,
        };
        cluster.stored().commit(&[again], None, "again").unwrap();
        let mut later = std::mem::take(&mut *said.lock().unwrap());
        later.retain(|word| !word.contains("is owned by the server"));
        if words.is_empty() && !later.is_empty() {
            // A process of another test may briefly hold the file open; the file is then checked at the next read.
            (taken, kept) = (taken - 1, kept + 1);
        }
    }
    eprintln!("{taken} cuts taken, {kept} kept");
    assert_eq!(kept_aside(&world).len(), kept);
    assert!(kept > 0);
    let _ = world.fsck();
}

#[test]
fn recently_written_incomplete_file_is_not_judged_yet() {
    let world = World::cluster();
    let _ = world.put("a", "good").ok();
    let (cluster, said) = open_listening(&world, "reader");
    let a = Key::parse(&key("a")).unwrap();
    for half in ["", "apiVersion: v1\nkind: \"Config"] {
        // On a busy machine, a read may come long after the write and is then right to judge the file.
        let at_once = || {
            write_file(&file_of(&world, "a"), half);
            let watch = Stopwatch::start();
            assert!(cluster.stored().get(&a).unwrap().is_some());
            let (took, words) = (watch.elapsed(), std::mem::take(&mut *said.lock().unwrap()));
            assert!(
                words.is_empty() || took > AT_ONCE,
                "its writer may be about to go on: {words:?}"
            );
            words.is_empty()
        };
        assert!((0..10).any(|_| at_once()));
        let judged = || {
            assert!(
                cluster.stored().get(&a).unwrap().is_some(),
                "an empty file is no delete"
            );
            !said.lock().unwrap().is_empty()
        };
        assert!(eventually(in_time(Duration::from_secs(3)), judged));
        said.lock().unwrap().clear();
    }
    assert_eq!(world.value("a").as_deref(), Some("good"));
    let _ = world.fsck();
}
