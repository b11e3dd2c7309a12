//! Predicts the outcome of a command without running it: a script runs at once, and everything that it would find
//! outside of it is unknown.
//!
//! A loop that comes back to the same state never ends. Programs that do one thing succeed, because a fake container
//! has neither a network nor the files of its image. As soon as the outcome depends on something unknown, so is the
//! whole of it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::arguments::flags;
use crate::run::{Run, Shell, Source};
use crate::{Machine, Stream, Terminal};

/// The outcome of a command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The exit code; `None` if the command runs until it is stopped.
    pub code: Option<i32>,
    /// How long the command runs, in seconds.
    pub seconds: f64,
    /// The output of both streams.
    pub output: Vec<u8>,
    /// The files that the command creates and removes, in order.
    pub files: Vec<FileChange>,
}

/// The creation or removal of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileChange {
    /// When it happens, in seconds after the start.
    pub at: f64,
    /// The path.
    pub path: String,
    /// False if the file is removed.
    pub is_there: bool,
}

/// The state of a prediction.
#[derive(Debug, Default)]
pub(crate) struct Prediction {
    is_unknown: bool,
    /// The seconds that have passed.
    passed: f64,
    /// The time at which the last job in the background ends.
    jobs: f64,
    files: BTreeSet<String>,
    changes: Vec<FileChange>,
}

/// The states in which the rounds of a loop began: variables, arguments, and the length of the input.
pub(crate) type LoopStates = BTreeSet<(BTreeMap<String, String>, Vec<String>, usize)>;

/// Commands that work in a prediction as they do in a shell.
const OWN: &[&str] = &[
    ":", "basename", "break", "continue", "dirname", "echo", "eval", "exec", "exit", "export",
    "false", "local", "printf", "read", "return", "seq", "set", "shift", "sleep", "touch", "trap",
    "true", "unset", "wait",
];

/// Programs that succeed, with an unknown output.
const QUIET: &[&str] = &[
    "awk", "chmod", "chown", "cp", "curl", "cut", "date", "dig", "hostname", "id", "jq", "ln",
    "ls", "mkdir", "mv", "nslookup", "printenv", "ps", "pwd", "sed", "tr", "uname", "wget",
    "which", "whoami",
];

/// Programs that print a part of their input.
const FILTERS: &[&str] = &["grep", "head", "sort", "tail", "tee", "uniq", "wc"];

/// A terminal without input.
#[derive(Default)]
struct Recorder(Vec<u8>);

impl Terminal for Recorder {
    fn write(&mut self, _: Stream, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn read(&mut self) -> Option<Vec<u8>> {
        None
    }

    fn sleep(&mut self, _: Duration) -> bool {
        true
    }
}

/// Predicts the outcome of a program on a machine that finds commands with `find`.
pub(crate) fn outcome(
    machine: &mut Machine,
    words: &[String],
    find: fn(&str) -> Option<Run>,
) -> Option<Outcome> {
    words.first()?;
    let mut recorder = Recorder::default();
    let mut shell = Shell::new(machine, &mut recorder, find);
    shell.prediction = Some(Prediction::default());
    let code = shell.program(words);
    let code = shell.exit.unwrap_or(code);
    shell.note_files();
    let known = shell.prediction.take().filter(|known| !known.is_unknown)?;
    Some(Outcome {
        // Exit codes have eight bits.
        code: known.passed.is_finite().then_some(code & 0xff),
        seconds: known.passed,
        output: recorder.0,
        files: known.changes,
    })
}

impl Shell<'_> {
    /// Ends a prediction whose outcome is unknown.
    pub(crate) fn give_up(&mut self) {
        if let Some(known) = &mut self.prediction {
            known.is_unknown = true;
            self.exit = Some(0);
        }
    }

    /// Returns true if a prediction has ended as a whole.
    pub(crate) fn is_over(&self) -> bool {
        let known = self.prediction.as_ref();
        known.is_some_and(|known| known.is_unknown || known.passed.is_infinite())
    }

    /// Lets the time of a prediction pass; returns false outside of one.
    pub(crate) fn pass(&mut self, time: Duration) -> bool {
        self.note_files();
        let Some(known) = &mut self.prediction else {
            return false;
        };
        known.passed += match time {
            Duration::MAX => f64::INFINITY,
            time => time.as_secs_f64(),
        };
        // Nothing after this can happen any more.
        if known.passed.is_infinite() {
            self.exit = Some(0);
        }
        true
    }

    /// Returns true if the next round of a loop begins like an earlier one, so that the loop never ends.
    pub(crate) fn is_endless(&mut self, seen: &mut LoopStates) -> bool {
        if self.prediction.is_none() {
            return false;
        }
        let left = match &self.input {
            Source::Terminal => 0,
            Source::Bytes(bytes) => bytes.len(),
        };
        let state = (self.machine.variables.clone(), self.arguments.clone(), left);
        !seen.insert(state) && self.pass(Duration::MAX)
    }

    /// Records the files that were created or removed since the last call.
    pub(crate) fn note_files(&mut self) {
        let Some(known) = &mut self.prediction else {
            return;
        };
        let files: BTreeSet<String> = self
            .machine
            .files
            .iter()
            .map(|(path, _)| path.to_owned())
            .collect();
        for path in files.symmetric_difference(&known.files) {
            known.changes.push(FileChange {
                at: known.passed,
                path: path.clone(),
                is_there: files.contains(path),
            });
        }
        known.files = files;
    }

    /// Returns the seconds that have passed in a prediction.
    pub(crate) fn passed(&self) -> f64 {
        self.prediction.as_ref().map_or(0.0, |known| known.passed)
    }

    /// Goes back to a time at which something else began, such as a job in the background. Returns when that ends.
    pub(crate) fn go_back(&mut self, start: f64) -> f64 {
        let Some(known) = &mut self.prediction else {
            return 0.0;
        };
        let end = std::mem::replace(&mut known.passed, start);
        if !known.is_unknown {
            self.exit = None;
        }
        end
    }

    /// Notes that a job in the background, which began at a time, has ended.
    pub(crate) fn end_job(&mut self, start: f64) {
        let end = self.go_back(start);
        if let Some(known) = &mut self.prediction {
            known.jobs = known.jobs.max(end);
        }
    }

    /// Waits for the jobs in the background.
    pub(crate) fn wait(&mut self, jobs: &[String]) -> i32 {
        // A job that never ends makes the script wait forever.
        let left = self
            .prediction
            .as_ref()
            .map_or(0.0, |known| known.jobs - known.passed);
        // The exit codes of jobs are not kept.
        if !jobs.is_empty() && left.is_finite() {
            self.give_up();
        }
        let left = Duration::try_from_secs_f64(left.max(0.0)).unwrap_or(Duration::MAX);
        self.pass(left);
        0
    }
}

impl Shell<'_> {
    /// Predicts a program by its name, and returns its exit code.
    pub(crate) fn predicted(&mut self, name: &str, arguments: &[String]) -> i32 {
        let has_flag = |flag| flags(arguments).0.contains(flag);
        match name {
            _ if OWN.contains(&name) => self.own(name, arguments),
            "test" | "[" | "[[" => self.test(arguments),
            "cat" => self.cat(arguments),
            "cd" => {
                self.machine.directory = self.path(arguments.first().map_or("/root", |name| name));
                0
            }
            "command" if !has_flag('v') => self.program(arguments),
            "env" if !arguments.is_empty() => self.own(name, arguments),
            "rm" => {
                for name in flags(arguments).1 {
                    let path = self.path(name);
                    self.machine.files.remove(&path);
                }
                0
            }
            // Other files than those that a script has written are unknown.
            "ash" | "bash" | "dash" | "sh" if has_script(arguments) => self.own("sh", arguments),
            "tail" if has_flag('f') || has_flag('F') => self.sleep(Duration::MAX),
            "timeout" => self.timeout(arguments),
            // Known input has a known output.
            _ if FILTERS.contains(&name) && matches!(self.input, Source::Bytes(_)) => {
                self.own(name, arguments)
            }
            "tee" | "command" | "env" => self.quiet(),
            _ if FILTERS.contains(&name) && name != "grep" => self.quiet(),
            // Without these flags, both programs run until they are stopped.
            "nc" if has_flag('z') => self.quiet(),
            "ping" if has_flag('c') => self.quiet(),
            _ if QUIET.contains(&name) => self.quiet(),
            _ => {
                self.give_up();
                0
            }
        }
    }

    fn own(&mut self, name: &str, arguments: &[String]) -> i32 {
        (self.find)(name).map_or(0, |run| run(self, arguments))
    }

    /// Succeeds with an unknown output.
    fn quiet(&mut self) -> i32 {
        if self.is_captured() {
            self.give_up();
        }
        0
    }

    fn cat(&mut self, arguments: &[String]) -> i32 {
        let names = flags(arguments).1;
        let is_known = |name: &&str| self.machine.files.is_file(&self.path(name));
        match names.iter().all(is_known) {
            true => self.own("cat", arguments),
            false => self.quiet(),
        }
    }

    fn test(&mut self, arguments: &[String]) -> i32 {
        let inner = match arguments.split_last() {
            Some((last, inner)) if matches!(last.as_str(), "]" | "]]") => inner,
            _ => arguments,
        };
        for pair in inner.windows(2) {
            let is_of_file = pair[0].len() == 2
                && pair[0].starts_with('-')
                && !matches!(pair[0].as_str(), "-z" | "-n" | "-a" | "-o");
            let path = self.path(&pair[1]);
            let files = &self.machine.files;
            // Only what the script itself has written is known to be there.
            if is_of_file && !files.is_file(&path) && !files.is_directory(&path) {
                self.give_up();
            }
        }
        self.own("test", inner)
    }

    fn timeout(&mut self, arguments: &[String]) -> i32 {
        /// The exit code of a command that was stopped.
        const STOPPED: i32 = 124;
        let after = arguments.iter().position(|word| !word.starts_with('-'));
        let Some((time, words)) = after.and_then(|at| arguments[at..].split_first()) else {
            self.give_up();
            return 0;
        };
        let Ok(limit) = time.trim_end_matches('s').parse::<f64>() else {
            self.give_up();
            return 0;
        };
        // The program runs to its end first, because that is a matter of arithmetic here.
        let start = self.passed();
        let code = self.program(words);
        match self.passed() > start + limit {
            true => {
                let _ = self.go_back(start + limit);
                STOPPED
            }
            false => code,
        }
    }
}

/// Returns true if a shell gets its script as an argument.
fn has_script(arguments: &[String]) -> bool {
    let is_flag = |word: &String| word.starts_with('-');
    let ends = |word: &String| is_flag(word) && word.ends_with('c');
    arguments.first().is_some_and(is_flag) && arguments.iter().any(ends)
}
