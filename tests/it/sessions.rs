//! Runs recorded terminal sessions through the real binary.
//!
//! `testdata/sessions/*.txt` has the output of a real cluster; `testdata/sessions/README.md` describes the format and
//! the text that is not compared. `progress.tsv` has the number of passing blocks of each file, which may only
//! increase. `testdata/matrix` has more steps with the output of a real kubectl on `ctl serve`; all of them pass.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use ctl::sys::clock::Stopwatch;
use regex::Regex;

use crate::etcd::server::Etcd;
use crate::support::race::write_file;
use crate::support::webhook::Webhook;
use crate::support::{can_run, note, write_program};

/// The time for which a block that waits for the controllers is repeated.
const SETTLE: Duration = Duration::from_secs(15);

macro_rules! sessions {
    ($($name:ident => $file:literal,)*) => {
        const FILES: &[&str] = &[$($file),*];
        $(#[test] fn $name() { run_file($file); })*
    };
}

sessions! {
    first_steps => "01-first-steps",
    output_formats => "02-output-formats",
    selecting => "03-selecting",
    scaling => "04-scale",
    rollouts => "05-rollouts",
    rolling_numbers => "06-rolling-numbers",
    apply => "07-apply",
    apply_files => "08-apply-files",
    server_side_apply => "09-server-side-apply",
    diff_replace_edit => "10-diff-replace-edit",
    patch => "11-patch",
    label_annotate => "12-label-annotate",
    set => "13-set",
    create_workloads => "14-create-workloads",
    create_others => "15-create-others",
    run_expose_autoscale => "16-run-expose-autoscale",
    errors_of_requests => "17-errors-requests",
    errors_of_validation => "18-errors-validation",
    describe => "19-describe",
    wait => "20-wait",
    jobs => "21-jobs",
    stateful_sets => "22-statefulsets",
    daemon_sets => "23-daemonsets",
    services => "24-services",
    namespaces => "25-namespaces",
    ownership => "26-ownership",
    custom_resources => "27-custom-resources",
    nodes => "28-nodes",
    taints => "29-taints",
    limits => "30-limits",
    budgets => "31-budgets",
    config => "32-config",
    discovery => "33-discovery",
    admission_policies => "34-admission-policies",
    webhooks => "35-webhooks",
    storage => "36-storage",
    resource_claims => "37-resource-claims",
    identity => "38-identity",
    conversions => "39-conversions",
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/sessions")
}

/// A command and its recorded output.
#[derive(Debug, Default)]
struct Block {
    command: String,
    settles: bool,
    layout: bool,
    unordered: bool,
    lines: Vec<String>,
    code: i32,
}

#[test]
fn every_recorded_session_is_run() {
    for (folder, files) in [(folder(), FILES), (matrix(), MATRIX)] {
        let mut found: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .filter_map(|name| Some(name.strip_suffix(".txt")?.to_owned()))
            .collect();
        found.sort();
        assert_eq!(found, files);
    }
}

/// More steps in the format of sessions.
const MATRIX: &[&str] = &["01-containers", "02-operations", "03-misuse"];

fn matrix() -> PathBuf {
    folder().with_file_name("matrix")
}

#[test]
fn container_sessions_match_kubectl() {
    run_matrix(MATRIX[0]);
}

#[test]
fn cluster_sessions_match_kubectl() {
    run_matrix(MATRIX[1]);
}

#[test]
fn misuse_is_reported_as_by_kubectl() {
    run_matrix(MATRIX[2]);
}

fn run_matrix(name: &str) {
    let Some((passed, total, told)) = by_env(|way| run(&matrix().join(name), way)) else {
        return;
    };
    assert_eq!(passed, total, "{name}\n{told}");
}

/// The way in which the commands of a session reach their cluster.
#[derive(Clone, Copy)]
enum Way<'a> {
    /// Commands of the program, on a directory.
    Directory,
    /// Commands of the program, on a store of this name.
    Store(&'a str),
    /// Commands of this kubectl, which calls `ctl serve`.
    Served(&'a Path),
}

/// Runs a file and compares the number of passing blocks with the listed one.
fn run_file(name: &str) {
    by_env(|way| run_file_by(name, way));
}

/// Runs the function with the program itself or, for `.ci/clients`, with a real kubectl, which must give equal results.
fn by_env<T>(run: impl FnOnce(Way<'_>) -> T) -> T {
    match std::env::var_os("CTL_TEST_KUBECTL") {
        Some(kubectl) => run(Way::Served(Path::new(&kubectl))),
        None => run(Way::Directory),
    }
}

/// Checks that the recorded sessions pass on etcd, too.
#[test]
fn sessions_are_the_same_on_etcd() {
    // Only a few run by default, because each waits for its cluster to settle, some for minutes.
    let few = ["01-first-steps", "04-scale", "26-ownership", "35-webhooks"];
    let all = std::env::var_os("CTL_TEST_FULL").is_some();
    for name in FILES.iter().filter(|name| all || few.contains(name)) {
        // Each session has its own etcd, because revisions are etcd's and a session expects a new cluster.
        let Some((etcd, _client)) = Etcd::plain() else {
            return;
        };
        let store = format!("etcd://{}/registry", etcd.address);
        run_file_by(name, Way::Store(&store));
    }
}

fn run_file_by(name: &str, way: Way<'_>) {
    let Some((passed, total, told)) = run(&folder().join(name), way) else {
        return;
    };
    let listed = listed(name);
    assert!(
        passed >= listed,
        "{name}: {passed} of {total} blocks pass, {listed} are listed\n{told}"
    );
    if passed > listed {
        note(&format!(
            "{name}: {passed} of {total} blocks pass, only {listed} are listed in progress.tsv"
        ));
    }
    if std::env::var_os("CTL_TEST_TELL").is_some() {
        note(&format!("{name}\t{passed}\t{total}\n{told}"));
    }
}

/// Runs a session. Returns the number of passing blocks, the number of all blocks, and the differences of the others.
/// Returns `None` without a shell.
fn run(path: &Path, way: Way<'_>) -> Option<(usize, usize, String)> {
    if !can_run(&["bash", "-c", "true"]) {
        note("no bash: the recorded sessions are not run");
        return None;
    }
    let mut blocks = parse(&fs::read_to_string(path.with_extension("txt")).unwrap());
    if matches!(way, Way::Served(_)) {
        // kubectl prints the labels of `label --list` in the random order of Go's maps.
        let lists = blocks.iter_mut().filter(|b| b.command.contains(" --list"));
        lists.for_each(|block| block.unordered = true);
    }
    let session = Session::new(way);
    let _webhook = path.ends_with("35-webhooks").then(|| session.webhook());
    let (mut passed, mut told) = (0, String::new());
    for block in &blocks {
        match session.check(block) {
            Ok(()) => passed += 1,
            Err(difference) => {
                writeln!(told, "$ {}\n{difference}", block.command).unwrap();
            }
        }
    }
    Some((passed, blocks.len(), told))
}

/// Returns the listed number of passing blocks of a file.
fn listed(name: &str) -> usize {
    let table = fs::read_to_string(folder().join("progress.tsv")).unwrap();
    let row = table.lines().find_map(|line| {
        let mut cells = line.split('\t');
        (cells.next() == Some(name)).then(|| cells.next().unwrap().parse().unwrap())
    });
    row.unwrap_or_else(|| panic!("{name} is not in progress.tsv"))
}

/// Reads a session.
fn parse(text: &str) -> Vec<Block> {
    let here = Regex::new(r"<<-?'?(\w+)'?").unwrap();
    let code = Regex::new(r"^\[exit (\d+)\]$").unwrap();
    let mut blocks: Vec<Block> = Vec::new();
    let (mut layout, mut unordered) = (false, false);
    let (mut open, mut document) = (false, None::<String>);
    for line in text.lines() {
        if let Some(end) = document.clone() {
            let block = blocks.last_mut().unwrap();
            block.command.push('\n');
            block.command.push_str(line);
            if line.trim() == end {
                document = None;
            }
            continue;
        }
        let settles = line.strip_prefix("$~ ");
        if let Some(command) = settles.or_else(|| line.strip_prefix("$ ")) {
            document = here.captures(command).map(|c| c[1].to_owned());
            blocks.push(Block {
                command: command.to_owned(),
                settles: settles.is_some(),
                layout: std::mem::take(&mut layout),
                unordered: std::mem::take(&mut unordered),
                ..Block::default()
            });
            open = true;
        } else if line.starts_with('#') {
            open = false;
        } else if line == "@layout" || line == "@unordered" {
            layout |= line == "@layout";
            unordered |= line == "@unordered";
            open = false;
        } else if let (true, Some(block)) = (open, blocks.last_mut()) {
            if let Some(found) = code.captures(line) {
                block.code = found[1].parse().unwrap();
                open = false;
            } else {
                block
                    .lines
                    .push(line.strip_prefix('\\').unwrap_or(line).to_owned());
            }
        }
    }
    for block in &mut blocks {
        while block.lines.last().is_some_and(String::is_empty) {
            block.lines.pop();
        }
    }
    blocks
}

/// A new cluster with five nodes, a folder with the manifests, and controllers if the session needs them.
struct Session {
    dir: tempfile::TempDir,
    controllers: Option<Child>,
}

impl Session {
    fn new(way: Way<'_>) -> Self {
        let dir = tempfile::Builder::new()
            .prefix("session-")
            .tempdir()
            .unwrap();
        let program = Path::new(env!("CARGO_BIN_EXE_ctl"));
        let (kubectl, store) = match way {
            Way::Directory => (program, None),
            Way::Store(store) => (program, Some(store)),
            Way::Served(kubectl) => (kubectl, None),
        };
        fs::create_dir(dir.path().join("bin")).unwrap();
        symlink(kubectl, dir.path().join("bin/kubectl")).unwrap();
        copy(&folder().join("manifests"), &dir.path().join("work"));
        let mut session = Self {
            dir,
            controllers: None,
        };
        let init = ["cluster", "init", "--nodes", "5", "--pods", "running"];
        let store = store.into_iter().flat_map(|store| ["--store", store]);
        let mut made = session.command(program);
        let made = made.args(init).args(store).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        session.controllers = Some(match way {
            Way::Directory | Way::Store(_) => session.start(&["controllers"]),
            Way::Served(_) => session.serve(),
        });
        session
    }

    /// Starts a command of the program that runs until the session ends.
    fn start(&self, args: &[&str]) -> Child {
        let log = File::create(self.dir.path().join("controllers.log")).unwrap();
        let mut command = self.command(env!("CARGO_BIN_EXE_ctl"));
        let quiet = command.args(args).stdin(Stdio::null());
        let quiet = quiet.stdout(log.try_clone().unwrap()).stderr(log);
        quiet.spawn().unwrap()
    }

    /// Serves the cluster to a kubectl that finds its kubeconfig in its home.
    fn serve(&self) -> Child {
        let kubeconfig = self.dir.path().join(".kube/config");
        fs::create_dir(kubeconfig.parent().unwrap()).unwrap();
        let to = kubeconfig.to_str().unwrap();
        let listen = ["serve", "--controllers", "--listen", "127.0.0.1:0"];
        let child = self.start(&[&listen[..], &["--kubeconfig", to]].concat());
        let start = Stopwatch::start();
        let log = self.dir.path().join("controllers.log");
        while !fs::read_to_string(&log).unwrap().contains("Serving ") {
            assert!(start.elapsed() < SETTLE, "the server does not start");
            std::thread::sleep(Duration::from_millis(10));
        }
        child
    }

    /// Starts an admission webhook with its files, in place of the program that the recording starts with `python3`.
    fn webhook(&self) -> Webhook {
        let work = self.dir.path().join("work");
        let log = work.join("hook.log");
        let webhook = Webhook::new("127.0.0.1", move |line| {
            let file = OpenOptions::new().create(true).append(true).open(&log);
            writeln!(file.unwrap(), "{line}").unwrap();
        });
        let file = |name: &str, text: &str| write_file(&work.join(name), text);
        file("hook.port", &webhook.port.to_string());
        file("hook-ca.crt", &webhook.authority);
        let python = self.dir.path().join("bin/python3");
        write_program(&python, "#!/bin/bash\necho $$ > hook.pid\nexec sleep 60\n");
        webhook
    }

    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let dir = self.dir.path();
        let mut path = OsString::from(dir.join("bin"));
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", path)
            .env("HOME", dir)
            .env("CTL_STATE", dir.join("state"))
            .env("NO_COLOR", "1")
            .env("TERM", "dumb")
            .env("LC_ALL", "C.UTF-8")
            .current_dir(dir.join("work"));
        command
    }

    /// Runs a block, repeatedly if it waits for the controllers. Returns the difference of its output.
    fn check(&self, block: &Block) -> Result<(), String> {
        let wanted = normalized(&block.lines.join("\n"), block);
        let settle = if block.settles && self.controllers.is_some() {
            SETTLE
        } else {
            Duration::ZERO
        };
        let start = Stopwatch::start();
        let mut pause = Duration::from_millis(10);
        loop {
            let (out, code) = self.run(&block.command);
            let own = format!("{}/", self.dir.path().display());
            let got = normalized(&out.replace(&own, "/tmp/session/"), block);
            if got == wanted && code == block.code {
                return Ok(());
            }
            if start.elapsed() >= settle {
                let indent = |lines: &[String]| lines.join("\n    ");
                return Err(format!(
                    "  expected [exit {}]\n    {}\n  got [exit {code}]\n    {}",
                    block.code,
                    indent(&wanted),
                    indent(&got)
                ));
            }
            // Pauses are short at first to find a quick result soon, and longer later to leave the machine to other
            // tests.
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(300));
        }
    }

    /// Returns both outputs of a command and its exit code.
    fn run(&self, command: &str) -> (String, i32) {
        let path = self.dir.path().join("out");
        drop(fs::remove_file(&path));
        let out = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .unwrap();
        // Without controllers, the awaited state never comes.
        let limit = if self.controllers.is_some() {
            "60"
        } else {
            "5"
        };
        let mut shell = self.command("timeout");
        let ran = shell
            .args([limit, "bash", "-c", command])
            .stdin(Stdio::null())
            .stdout(out.try_clone().unwrap())
            .stderr(out)
            .status()
            .unwrap();
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        (text, ran.code().unwrap_or(-1))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(controllers) = &mut self.controllers {
            drop(controllers.kill());
            drop(controllers.wait());
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Text that varies between runs, and its replacement.
fn volatile() -> &'static [(Regex, &'static str)] {
    static RULES: OnceLock<Vec<(Regex, &str)>> = OnceLock::new();
    RULES.get_or_init(|| {
        let rules = [
            (r"(/[\w.-]+)*/(LIVE|MERGED)-\d+/", "<tmp>/$2/"),
            (
                r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
                "<uid>",
            ),
            (r#""?\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\b"?"#, "<time>"),
            (r"\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [+-]\d{4}\b", "<time>"),
            (
                r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}",
                "<time>",
            ),
            (r#"((?:resourceVersion"?|Resource Version): *)"?\d+"?"#, "$1<rv>"),
            (r#"(pod-template-hash[=:] ?"?)[a-z0-9]{6,10}\b"#, "$1<hash>"),
            (
                r#"(controller-revision-hash[=:] ?"?)([a-z0-9.-]+-)?[a-z0-9]{6,10}\b"#,
                "$1<hash>",
            ),
            (
                r"-[a-z0-9]{6,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b",
                "-<hash>-<id>",
            ),
            (r"-[bcdfghjklmnpqrstvwxz2456789]{6,10}\b", "-<hash>"),
            (r"-[bcdfghjklmnpqrstvwxz2456789]{5}\b", "-<id>"),
            (AGE, "<age>"),
            (r"<invalid>", "<age>"),
            (r"\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b", "<ip>"),
            (
                r#"(:|nodePort"?: ?|NodePort: .* )(3[0-2]\d{3})\b"#,
                "$1<port>",
            ),
            (r"\bnode-\d\b", "<node>"),
            (r"/tmp/[A-Za-z0-9._/-]+", "<tmp>"),
        ];
        let rules = rules.map(|(rule, name)| (Regex::new(rule).unwrap(), name));
        rules.into_iter().collect()
    })
}

/// Matches ages and durations. The group `short` is not a duration if CPUs follow.
const AGE: &str = r"\b(?:\d+y)?(?:\d+d)?(?:\d+h)?(?:\d+m)?\d+(?:\.\d+)?(?:s|ms|us)\b|\b\d+y(?:\d+d)?\b|\b(?P<short>\d\d?[dhm](?:\d+[hms])?)\b";

/// Returns the lines that are compared.
fn normalized(text: &str, block: &Block) -> Vec<String> {
    let mut lines: Vec<String> = text
        .trim_end_matches('\n')
        .split('\n')
        .map(|line| {
            let line = volatile()
                .iter()
                .fold(line.to_owned(), |line, rule| replaced(&line, rule));
            let line = line.trim_end().to_owned();
            if block.layout { line } else { folded(&line) }
        })
        .collect();
    if block.unordered {
        lines.sort();
    }
    lines
}

fn replaced(line: &str, (rule, name): &(Regex, &'static str)) -> String {
    if rule.as_str() != AGE {
        return rule.replace_all(line, *name).into_owned();
    }
    let age = |found: &regex::Captures<'_>| {
        let whole = found.get(0).unwrap();
        let about_cpus = line[whole.end()..]
            .trim_start_matches(' ')
            .starts_with("CPU");
        match found.name("short").is_some() && about_cpus {
            true => whole.as_str().to_owned(),
            false => (*name).to_owned(),
        }
    };
    rule.replace_all(line, age).into_owned()
}

/// Returns the line with each run of spaces after its indentation as a single space.
fn folded(line: &str) -> String {
    let inner = line.trim_start_matches(' ');
    let mut out = line[..line.len() - inner.len()].to_owned();
    let mut spaces = 0;
    for c in inner.chars() {
        if c == ' ' {
            spaces += 1;
            continue;
        }
        if spaces > 0 {
            out.push(' ');
        }
        spaces = 0;
        out.push(c);
    }
    out
}

#[test]
fn comparison_normalizes_hashes_ages_and_addresses() {
    let block = Block::default();
    let one = |line: &str| normalized(line, &block).remove(0);
    assert_eq!(
        one("web-6d4cf56db6-bcdfg   1/1  Running 0 12s"),
        one("web-79c8bdf6d5-zx2v4  1/1   Running 0 3m4s")
    );
    assert_eq!(one("  a   b"), "  a b");
    assert_eq!(one("AGE 4m 10.96.3.4 node-3"), "AGE <age> <ip> <node>");
    assert_eq!(one("cpu 10m CPU"), "cpu 10m CPU");
    assert_eq!(one("a-7d4cf56db6-bcdfg"), "a-<hash>-<id>");
    let layout = Block {
        layout: true,
        ..Block::default()
    };
    assert_eq!(normalized("a   b  ", &layout), ["a   b"]);
}
