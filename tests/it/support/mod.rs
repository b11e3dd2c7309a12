//! The basis of every test through the real binary: a new directory, a clean environment, and a result that must be
//! checked.

pub mod edits;
pub mod http;
pub mod linear;
pub mod mount;
pub mod quiet;
pub mod race;
pub mod ring;
pub mod state;
pub mod third_party;
pub mod user_actions;
pub mod webhook;

use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};

/// A separate state directory, which is removed with the value.
pub struct World {
    dir: tempfile::TempDir,
    env: Vec<(String, String)>,
}

/// The result of a run of the program.
#[must_use = "look at what the program said"]
#[derive(Clone, Debug)]
pub struct CommandOutput {
    pub out: String,
    pub err: String,
    /// The exit code; 128 + N if signal N ended it.
    pub code: i32,
}

impl CommandOutput {
    /// Returns the output of a run that must succeed without other messages.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.out
    }

    /// Checks that a run succeeded or failed in an orderly way.
    #[track_caller]
    pub fn must_not_crash(self) {
        assert!(self.code < 100, "{self:?}");
        assert!(!self.err.contains("panicked"), "{self:?}");
    }

    /// Returns the error text of a run that must fail in an orderly way.
    #[track_caller]
    pub fn fails(self) -> String {
        assert!(self.code != 0 && self.code < 100, "{self:?}");
        assert!(!self.err.contains("panicked"), "{self:?}");
        self.err
    }
}

impl World {
    /// Returns an empty directory, in which the first command creates a cluster.
    pub fn new() -> Self {
        quiet::together();
        Self {
            dir: scratch(),
            env: Vec::new(),
        }
    }

    /// Returns a new cluster on a virtual clock with a fixed seed.
    pub fn cluster() -> Self {
        let world = Self::new();
        let _ = world
            .run(&["cluster", "init", "--clock", "virtual", "--seed", "7"])
            .ok();
        world
    }

    /// Returns a new cluster with the default objects.
    pub fn fresh() -> Self {
        let mut world = Self::new();
        world.set("CTL_TEST_BARE", "");
        let flags = ["--clock", "virtual", "--seed", "7", "--nodes", "2"];
        let _ = world.run(&[&["cluster", "init"], &flags[..]].concat()).ok();
        world
    }

    /// Sets a variable for every later run.
    pub fn set(&mut self, name: &str, value: &str) {
        self.env.retain(|(n, _)| n != name);
        self.env.push((name.to_owned(), value.to_owned()));
    }

    /// Returns the state directory.
    pub fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    /// Returns a path in the state directory.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.state().join(relative)
    }

    /// Waits for the lock of the state directory, and holds it until the descriptor is dropped.
    pub fn lock(&self) -> OwnedFd {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let held = rustix::fs::open(self.state(), flags, Mode::empty()).unwrap();
        rustix::fs::flock(&held, FlockOperation::LockExclusive).unwrap();
        held
    }

    /// Returns a scratch path outside the state directory.
    pub fn outside(&self, relative: &str) -> PathBuf {
        self.dir.path().join(relative)
    }

    /// Returns the command that runs the program on this world.
    pub fn command(&self) -> Command {
        self.command_for(Path::new(env!("CARGO_BIN_EXE_ctl")))
    }

    /// Returns a command for another program (strace, prlimit, sh ...) with the environment of this world.
    pub fn command_for(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.dir.path())
            .env("CTL_STATE", self.state())
            .env("NO_COLOR", "1")
            .env("CTL_TEST_BARE", "1")
            .envs(self.env.iter().map(|(n, v)| (n, v)))
            .current_dir(self.dir.path());
        command
    }

    /// Runs the program without input.
    pub fn run(&self, args: &[&str]) -> CommandOutput {
        self.run_with(args, "")
    }

    /// Runs the program with text on its standard input.
    pub fn run_with(&self, args: &[&str], input: &str) -> CommandOutput {
        let mut command = self.command();
        command.args(args);
        finish(command, input)
    }

    /// Runs the program with additional environment variables.
    pub fn run_env(&self, env: &[(&str, &str)], args: &[&str], input: &str) -> CommandOutput {
        let mut command = self.command();
        command.envs(env.iter().copied()).args(args);
        finish(command, input)
    }

    /// Returns everything that is stored, as an ordinary read shows it.
    #[track_caller]
    pub fn list(&self) -> String {
        self.run(&["raw", "list"]).ok()
    }

    /// Writes a ConfigMap `name` with one value, through `ctl raw put`.
    pub fn put(&self, name: &str, value: &str) -> CommandOutput {
        self.run_with(&["raw", "put", &key(name)], &config_map(value))
    }

    /// Returns the value `v` of a ConfigMap, through `ctl raw get`.
    pub fn value(&self, name: &str) -> Option<String> {
        let ran = self.run(&["raw", "get", &key(name)]);
        if ran.code != 0 {
            assert!(ran.err.contains("not found"), "{ran:?}");
            return None;
        }
        let json: ctl::api::json::Value =
            serde_json::from_str(ran.out.split_once('\t')?.1).unwrap();
        Some(json["data"]["v"].as_str().unwrap_or_default().to_owned())
    }

    /// Returns the replicas of a Deployment's spec.
    #[track_caller]
    pub fn replicas(&self, deployment: &str) -> String {
        let path = "jsonpath={.spec.replicas}";
        self.run(&["get", "deployment", deployment, "-o", path])
            .ok()
    }

    /// Checks the directory and replays every commit.
    #[track_caller]
    pub fn fsck(&self) -> String {
        let ran = self.run(&["fsck", "--history"]);
        assert!(ran.out.contains("no problem"), "{ran:?}");
        ran.ok()
    }

    /// Checks the directory and replays every commit: there must be no errors, and every YAML file must show the stored
    /// state.
    #[track_caller]
    pub fn fsck_without_remarks(&self) {
        let said = self.fsck();
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

/// Returns a directory for one test. It is in memory, because thousands of syncs would wait for a busy disk; in the
/// full run, or if TMPDIR names a directory, it is on the disk.
pub fn scratch() -> tempfile::TempDir {
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix("ctl-test-");
    let in_memory = count(1, 0) == 1 && std::env::var_os("TMPDIR").is_none();
    let memory = in_memory.then(|| builder.tempdir_in("/dev/shm").ok());
    memory
        .flatten()
        .unwrap_or_else(|| builder.tempdir().unwrap())
}

/// Returns the key of a ConfigMap in the namespace `default`.
pub fn key(name: &str) -> String {
    format!("configmaps/default/{name}")
}

/// Returns a ConfigMap's JSON with the data value `v`.
pub fn config_map(value: &str) -> String {
    ctl::api::json::json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"v": value}})
        .to_string()
}

/// Runs a command to its end with text on its standard input.
pub fn finish(mut command: Command, input: &str) -> CommandOutput {
    let child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    // A program that ends before it has read its input closes the pipe, which is allowed.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    collect(child)
}

/// Waits for a child to end.
pub fn collect(child: Child) -> CommandOutput {
    use std::os::unix::process::ExitStatusExt as _;
    let limit = Deadline::of(&child);
    let output = child.wait_with_output().unwrap();
    drop(limit);
    let code = output
        .status
        .code()
        .unwrap_or_else(|| 128 + output.status.signal().unwrap_or(0));
    CommandOutput {
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
        code,
    }
}

/// Kills a child that does not end in time, as long as this value exists: a program that hangs must fail its test
/// instead of the whole run.
pub struct Deadline {
    _ended: Sender<()>,
}

impl Deadline {
    pub fn of(child: &Child) -> Self {
        let (ended, end) = channel();
        let process = Pid::from_child(child);
        std::thread::spawn(move || {
            let limit = Duration::from_secs(count(600, 1800) as u64);
            if end.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                let killed = kill_process(process, Signal::KILL);
                note(&format!(
                    "a program did not end within {limit:?} and is killed: {killed:?}"
                ));
            }
        });
        Self { _ended: ended }
    }
}

/// Returns the repetitions of a sweep: `full` with `CTL_TEST_FULL=1` (the counts in docs/reliability.md), or else
/// `quick`.
pub fn count(quick: usize, full: usize) -> usize {
    let is_full = std::env::var_os("CTL_TEST_FULL").is_some_and(|v| v == "1");
    if is_full { full } else { quick }
}

/// Returns a time limit of docs/reliability.md, which applies to full runs. Quick runs share the machine with other
/// work and get five times as long.
pub fn in_time(limit: Duration) -> Duration {
    limit * u32::try_from(count(5, 1)).unwrap()
}

/// Returns true if a program is installed and succeeds as this user on this machine.
pub fn can_run(command: &[&str]) -> bool {
    let mut command_line = Command::new(command[0]);
    command_line.args(&command[1..]).stdin(Stdio::null());
    let ended = command_line.stdout(Stdio::null()).stderr(Stdio::null());
    ended.status().is_ok_and(|status| status.success())
}

/// Makes an executable script.
///
/// A separate process writes it: a child that another test starts at the same time would inherit our descriptor, and a
/// program that is open for writing cannot be run.
pub fn write_program(path: &Path, text: &str) {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "cat > \"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(path);
    let _ = finish(shell, text).ok();
}

/// Prints a note: a count, or a feature that this machine lacks.
#[expect(clippy::print_stderr, reason = "the tests have no other voice")]
pub fn note(text: &str) {
    eprintln!("{text}");
}
