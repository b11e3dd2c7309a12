//! A shell for tests of the commands. It runs command lines in this process, each shell on its own cluster, and returns
//! their output.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, OnceLock};

use tempfile::TempDir;

use super::commands::Outcome;
use super::fork::Fork;
use super::global_args::GlobalArgs;
use super::state_dir::Target;
use super::ui::Ui;
use super::{run_on_fork, understood};
use crate::api::json::Value;
use crate::cluster::testing::open;
use crate::cluster::{ClockMode, Cluster, Settings};
use crate::sys::entropy::Seed;

/// A cluster, a kubeconfig, and files in a directory that is deleted with the shell.
pub(crate) struct Shell {
    directory: TempDir,
    root: fn(clap::Command) -> clap::Command,
    /// The cluster in memory that the lines run on instead of one in the directory.
    fork: Option<Arc<Fork>>,
}

/// The result of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandOutput {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: u8,
}

/// Returns the directory of a new cluster, which shells copy.
fn pattern() -> &'static Path {
    static PATTERN: OnceLock<TempDir> = OnceLock::new();
    // The cluster is bootstrapped once per process: a test copies the files instead of bootstrapping.
    let made = PATTERN.get_or_init(|| {
        let directory = scratch();
        let settings = Settings {
            clock: ClockMode::Virtual,
            ..Settings::new(Seed(7))
        };
        let path = directory.path().join("state");
        let (cluster, _) = Cluster::init(&path, open(), settings).unwrap();
        cluster.bootstrap().unwrap();
        directory
    });
    made.path()
}

/// Creates a directory in memory, so that hundreds of syncs do not wait for a busy disk. TMPDIR selects another place.
fn scratch() -> TempDir {
    let in_memory = std::env::var_os("TMPDIR").is_none();
    let memory = in_memory.then(|| tempfile::tempdir_in("/dev/shm").ok());
    memory
        .flatten()
        .unwrap_or_else(|| tempfile::tempdir().unwrap())
}

fn copy(from: &Path, to: &Path) {
    use std::os::unix::fs::DirBuilderExt as _;
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(to).unwrap();
    for entry in from.read_dir().unwrap() {
        let (from, to) = {
            let entry = entry.unwrap();
            (entry.path(), to.join(entry.file_name()))
        };
        match from.is_dir() {
            true => copy(&from, &to),
            false => drop(std::fs::copy(&from, &to).unwrap()),
        }
    }
}

impl Shell {
    /// Returns a shell with a new cluster and a virtual clock.
    pub(crate) fn new() -> Self {
        let shell = Self::empty();
        copy(&pattern().join("state"), &shell.state());
        shell
    }

    /// Returns a shell without a cluster.
    pub(crate) fn empty() -> Self {
        let shell = Self {
            directory: scratch(),
            root: |root| root,
            fork: None,
        };
        // A kubeconfig that a flag names must exist.
        shell.write("config", "");
        shell
    }

    /// Returns a shell with a cluster in memory and a virtual clock. The clusters share everything that none of them
    /// changes.
    pub(crate) fn in_memory() -> Self {
        static PATTERN: OnceLock<Cluster> = OnceLock::new();
        Self::on_fork_of(PATTERN.get_or_init(crate::cluster::testing::in_memory))
    }

    /// Returns a shell with a fork of a cluster in memory. Its editor is the script `edit.sh` among its files.
    pub(crate) fn on_fork_of(pattern: &Cluster) -> Self {
        let shell = Self::empty();
        let target = Target {
            directory: shell.state(),
            namespace: "default".to_owned(),
            user: "admin".to_owned(),
        };
        let fork = Fork {
            cluster: pattern.fork(None).unwrap(),
            program: "kubectl".to_owned(),
            global: GlobalArgs::default(),
            target,
            ui: Ui::captured().0,
            runner: run_on_fork,
            timeout: None,
            input: Mutex::default(),
            refused: Mutex::default(),
            editor: Some(format!("sh {}", shell.path("edit.sh").display())),
            schedule: None,
        };
        Self {
            fork: Some(Arc::new(fork)),
            ..shell
        }
    }

    /// Returns the cluster in memory.
    pub(crate) fn cluster(&self) -> &Cluster {
        &self.fork.as_ref().unwrap().cluster
    }

    /// Returns a shell with a cluster created by `cluster init`, whose names are equal in each run.
    pub(crate) fn seeded() -> Self {
        let shell = Self::empty();
        shell.all(&["cluster init --clock virtual --seed 7"]);
        shell
    }

    /// Runs lines with flags that otherwise only the environment of a process enables.
    pub(crate) fn with(self, root: fn(clap::Command) -> clap::Command) -> Self {
        Self { root, ..self }
    }

    /// Returns the cluster's directory.
    pub(crate) fn state(&self) -> PathBuf {
        self.path("state")
    }

    /// Returns the path of a file next to the cluster.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file next to the cluster.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::File::create(path)
            .unwrap()
            .write_all(content.as_ref())
            .unwrap();
    }

    /// Runs a line. `@` stands for the directory of the files, and quotes group words.
    pub(crate) fn run(&self, line: &str) -> CommandOutput {
        let here = self.directory.path().to_str().unwrap();
        let words = words(line)
            .into_iter()
            .map(|w| w.replace("@/", &format!("{here}/")));
        let (ui, captured) = Ui::captured();
        let code = match &self.fork {
            Some(fork) => run_on_fork(fork, &words.map(OsString::from).collect::<Vec<_>>(), &ui),
            None => self.run_in_directory(words, &ui),
        };
        let code = code.unwrap_or_else(|e| ui.fail(&e));
        // The number of an ExitCode cannot be read, but ExitCodes can be compared.
        let code = (0..=u8::MAX).find(|c| ExitCode::from(*c) == code).unwrap();
        let captured = captured.lock().unwrap().clone();
        // The path of the scratch directory differs in each run.
        let (out, err) = (
            captured.out.replace(here, "@"),
            captured.err.replace(here, "@"),
        );
        CommandOutput { out, err, code }
    }

    fn run_in_directory(&self, words: impl Iterator<Item = String>, ui: &Ui) -> Outcome {
        // The program has kubectl's name, so that expected messages can be compared with recorded ones.
        let mut args: Vec<OsString> = vec!["kubectl".into()];
        for (flag, file) in [("state", "state"), ("kubeconfig", "config")] {
            // These are flags, because tests run in threads, which share the environment.
            args.push(format!("--{flag}={}", self.path(file).display()).into());
        }
        args.extend(words.map(OsString::from));
        let root = (self.root)(<super::Cli as clap::CommandFactory>::command());
        understood(root, "kubectl", &args[1..], &args, ui)
    }

    /// Runs a line that must succeed without warnings, and returns its output.
    #[track_caller]
    pub(crate) fn out(&self, line: &str) -> String {
        let said = self.run(line);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{line}: {said:?}");
        said.out
    }

    /// Runs a line that must fail with the general exit code, and returns its message.
    #[track_caller]
    pub(crate) fn fails(&self, line: &str) -> String {
        let said = self.run(line);
        assert_eq!(said.code, 1, "{line}: {said:?}");
        said.err.trim_end().to_owned()
    }

    /// Runs a line and returns its output as JSON.
    #[track_caller]
    pub(crate) fn json(&self, line: &str) -> Value {
        let out = self.out(&format!("{line} -o json"));
        serde_json::from_str(&out).unwrap_or_else(|e| panic!("{line}: {e}: {out}"))
    }

    /// Returns the object that a line would create.
    #[track_caller]
    pub(crate) fn made(&self, line: &str) -> Value {
        match line.split_once(" -- ") {
            Some((flags, words)) => {
                let out = self.out(&format!("{flags} --dry-run=client -o json -- {words}"));
                serde_json::from_str(&out).unwrap()
            }
            None => self.json(&format!("{line} --dry-run=client")),
        }
    }

    /// Runs lines that must succeed, regardless of their output.
    #[track_caller]
    pub(crate) fn all(&self, lines: &[&str]) {
        for line in lines {
            let said = self.run(line);
            assert_eq!(said.code, 0, "{line}: {said:?}");
        }
    }

    /// Runs lines that must fail with these messages, without a leading `error: `.
    #[track_caller]
    pub(crate) fn refuses(&self, all: &[(&str, &str)]) {
        for (line, why) in all {
            let said = self.fails(line);
            let said = said.strip_prefix("error: ").unwrap_or(&said);
            assert_eq!(said, *why, "{line}");
        }
    }
}

/// Splits a line into words as a shell does, but supports only quotes.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut open) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (open, c) {
            (Some(quote), c) if c == quote => open = None,
            (None, '\'' | '"') => {
                open = Some(c);
                // `''` is an empty word, not the absence of one.
                word.get_or_insert_default();
            }
            (None, ' ' | '\n') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[test]
fn test_shell_splits_a_line_and_captures_output() {
    assert_eq!(words("a 'b  \"c' d='' "), ["a", "b  \"c", "d="]);
    let shell = Shell::new();
    assert_eq!(shell.out("create ns blue"), "namespace/blue created\n");
    let error = "Error from server (AlreadyExists): namespaces \"blue\" already exists";
    assert_eq!(shell.fails("create ns blue"), error);
    assert_eq!(shell.run("get ns blue --exit-codes --nope").code, 1);
    let path = shell.fails("create -f @/missing.yaml");
    assert!(path.contains("\"@/missing.yaml\""), "{path}");
}
