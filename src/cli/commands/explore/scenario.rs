//! The scenario that is explored: commands, or a test case.

use std::sync::Arc;
use std::time::Duration;

use crate::cli::commands::assert::{FAILS, VIOLATED};
use crate::cli::commands::test::explored::{Explored, cases};
use crate::cli::commands::test::words::split;
use crate::cli::context::Context;
use crate::cli::error::{CliError, FAILURE, system_words};
use crate::cli::fork::{Fork, everything};
use crate::cli::run_on_fork;
use crate::cluster::{Cluster, Revision};
use crate::runtime::explore::{Baseline, End, Scenario, Shared, SharedObjects, State};
use crate::runtime::{Config, Manager};
use crate::sys::bounded;
use crate::sys::clock::Stopwatch;

/// A command with the input that it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli::commands) struct Line {
    pub(in crate::cli::commands) words: Vec<String>,
    pub(in crate::cli::commands) input: Option<String>,
}

/// The steps of a scenario.
pub(in crate::cli::commands) enum Steps<'a> {
    /// Commands that run on a copy of the cluster.
    Commands(Vec<Line>),
    /// A test case that runs on its own cluster.
    Case(Box<Explored<'a>>),
}

/// A scenario with the cluster it begins on.
pub(in crate::cli::commands) struct Prepared<'a> {
    context: &'a Context,
    pub(in crate::cli::commands) name: String,
    pub(in crate::cli::commands) steps: Steps<'a>,
    /// The arguments of `ctl assert` that are checked after the steps.
    pub(in crate::cli::commands) conditions: Vec<String>,
    base: Arc<Cluster>,
    before: Baseline,
    known: Arc<SharedObjects>,
    begin: Revision,
    timeout: Duration,
    /// The namespace of the commands, if it differs from that of the context.
    namespace: Option<String>,
}

impl<'a> Prepared<'a> {
    /// Returns a scenario of commands that begins on this cluster.
    pub(in crate::cli::commands) fn commands(
        context: &'a Context,
        name: String,
        lines: Vec<Line>,
        conditions: Vec<String>,
        start: &Fork,
    ) -> Result<Self, CliError> {
        // Pending changes of the controllers are not part of the scenario, so the cluster is settled first.
        let _ = start.settle(None)?;
        let base = Arc::new(start.cluster.fork(None)?);
        let steps = Steps::Commands(lines);
        let timeout = start.timeout.unwrap_or(Duration::MAX);
        let namespace = start.global.namespace.clone();
        let own = Self::new(context, name, steps, conditions, base, timeout)?;
        Ok(Self { namespace, ..own })
    }

    /// Returns a scenario of a test case.
    pub(in crate::cli::commands) fn case(
        context: &'a Context,
        case: Explored<'a>,
        conditions: Vec<String>,
        timeout: Duration,
    ) -> Result<Self, CliError> {
        let (name, base) = (case.name().to_owned(), case.base()?);
        let steps = Steps::Case(Box::new(case));
        Self::new(context, name, steps, conditions, base, timeout)
    }

    fn new(
        context: &'a Context,
        name: String,
        steps: Steps<'a>,
        conditions: Vec<String>,
        base: Arc<Cluster>,
        timeout: Duration,
    ) -> Result<Self, CliError> {
        let mut manager = Manager::new(&base, everything(), &|_| Config::default());
        manager.load()?;
        Ok(Self {
            known: Arc::new(manager.known()),
            context,
            name,
            steps,
            conditions,
            before: Baseline::read(&base)?,
            begin: base.stored().revision()?,
            base,
            timeout,
            namespace: None,
        })
    }

    /// Runs the scenario. Also returns its cluster.
    pub(in crate::cli::commands) fn play(
        &self,
        schedule: &Shared,
    ) -> Result<(Arc<Fork>, End), CliError> {
        let spent = Stopwatch::start();
        let schedule = &schedule.knowing(&self.known);
        let (fork, mut violation) = match &self.steps {
            Steps::Case(case) => case.run(schedule)?,
            Steps::Commands(lines) => {
                let cluster = self.base.fork(None)?;
                let timeout = Some(self.timeout);
                let context = self.context;
                let mut fork = context.scheduled(cluster, run_on_fork, timeout, schedule)?;
                if self.namespace.is_some() {
                    fork.global.namespace.clone_from(&self.namespace);
                }
                let fork = Arc::new(fork);
                let why = self.run(lines, &fork, schedule)?;
                (fork, why)
            }
        };
        // A command that waits fails at its timeout.
        let mut is_late = violation.is_some() && spent.elapsed() >= self.timeout;
        let settling = Stopwatch::start();
        let outcome = fork.settle(None)?;
        is_late |= settling.elapsed() >= self.timeout;
        if violation.is_none() && !self.conditions.is_empty() {
            violation = self.judge(&fork, schedule)?;
        }
        let state = State::read(&fork.cluster, &self.before, &outcome)?;
        let end = End {
            state,
            violation,
            is_late,
        };
        Ok((fork, end))
    }

    /// Runs commands up to the first failure, and returns its reason.
    fn run(
        &self,
        lines: &[Line],
        fork: &Arc<Fork>,
        schedule: &Shared,
    ) -> Result<Option<String>, CliError> {
        for line in lines {
            let ran = match &line.input {
                Some(input) => fork.run_with(&line.words, input.clone()),
                None => fork.run(&line.words),
            };
            if ran.code == 0 {
                continue;
            }
            let text = format!("{}{}", ran.out, ran.err).trim_end().to_owned();
            let text = format!("`{}` fails\n{text}", line.words.join(" "));
            let asserts = line.words.iter().any(|word| word == "assert");
            // A failure without any deviation was not caused by a schedule.
            if schedule.made().is_empty() && !(asserts && ran.code == FAILURE) {
                return Err(CliError::Bare(text));
            }
            return Ok(Some(text));
        }
        Ok(None)
    }

    /// Evaluates the conditions. Returns the first that does not hold.
    fn judge(&self, fork: &Arc<Fork>, schedule: &Shared) -> Result<Option<String>, CliError> {
        let since = format!("--since={}", self.begin);
        let mut words = vec!["assert".to_owned(), since];
        words.extend(self.conditions.iter().cloned());
        let ran = fork.run(&words);
        let text = format!("{}{}", ran.out, ran.err);
        match ran.code {
            0 => Ok(None),
            FAILURE => {
                // The chain of causes is omitted: it belongs to one run, which `ctl replay` shows completely.
                Ok(text.lines().find_map(|line| {
                    [FAILS, VIOLATED].iter().find_map(|fails| {
                        let (claim, details) = line.split_once(fails)?;
                        let details = details.trim_start_matches([':', ' ']);
                        Some(format!("{claim}{fails}\n{details}"))
                    })
                }))
            }
            // A fault may prevent an object, but an object that is missing without any deviation is misspelled.
            _ if schedule.made().is_empty() => Err(CliError::Bare(text.trim_end().to_owned())),
            _ => Ok(Some(text.trim_end().to_owned())),
        }
    }
}

impl Scenario for Prepared<'_> {
    fn run(&self, schedule: &Shared) -> Result<End, String> {
        let played = self.play(schedule);
        played
            .map(|(_, end)| end)
            .map_err(|e| e.message().0.trim_end().to_owned())
    }
}

/// The scenarios that the arguments after `--` name.
pub(super) enum ScenarioSource<'a> {
    Cases(Vec<Explored<'a>>),
    Commands(String, Vec<Line>),
}

/// Reads the arguments after `--`: a test case, a script, or a command.
pub(super) fn given<'a>(
    words: &[String],
    context: &'a Context,
    timeout: Duration,
) -> Result<ScenarioSource<'a>, CliError> {
    let [path] = words else {
        return Ok(ScenarioSource::Commands(
            words.join(" "),
            vec![line(words.to_vec())?],
        ));
    };
    let place = std::path::Path::new(path);
    let is_yaml = place
        .extension()
        .is_some_and(|end| end == "yaml" || end == "yml");
    if place.is_dir() || is_yaml {
        return Ok(ScenarioSource::Cases(cases(path, context, timeout)?));
    }
    if !place.is_file() {
        return Ok(ScenarioSource::Commands(
            path.clone(),
            vec![line(words.to_vec())?],
        ));
    }
    let text = file_text(path)?;
    let mut lines = Vec::new();
    for (number, typed) in text.lines().enumerate() {
        let typed = typed.trim();
        if typed.is_empty() || typed.starts_with('#') {
            continue;
        }
        let at = |e: String| CliError::text(format!("{path}:{}: {e}", number + 1));
        let words = split(typed, &|_| None).map_err(at)?;
        if !Fork::supports(&words) {
            let text = format!("`{typed}` does not work on a copy of the cluster in memory");
            return Err(at(text));
        }
        lines.push(line(words)?);
    }
    Ok(ScenarioSource::Commands(path.clone(), lines))
}

fn file_text(path: &str) -> Result<String, CliError> {
    let text = bounded::read_text(path, bounded::MANIFESTS);
    text.map_err(|e| CliError::text(format!("open {path}: {}", system_words(&e))))
}

/// Returns a command with the contents of the files that it applies, so that it can be repeated anywhere.
fn line(mut words: Vec<String>) -> Result<Line, CliError> {
    let mut input: Option<String> = None;
    let mut at = 0;
    while at < words.len() {
        let word = words[at].clone();
        let next = words.get(at + 1).cloned();
        let joined = word
            .strip_prefix("--filename=")
            .or_else(|| word.strip_prefix("-f=").or_else(|| word.strip_prefix("-f")))
            .filter(|path| !path.is_empty());
        let (path, count) = match (word.as_str(), joined, next) {
            ("-f" | "--filename", _, Some(path)) => (path, 2),
            (_, Some(path), _) => (path.to_owned(), 1),
            _ => ("-".to_owned(), 0),
        };
        if count == 0 || path == "-" || !std::path::Path::new(&path).is_file() {
            // The contents of a directory or a URL are not copied: they must exist when the schedule is replayed.
            at += count.max(1);
            continue;
        }
        let text = file_text(&path)?;
        input = Some(match input {
            Some(before) => format!("{before}\n---\n{text}"),
            None => {
                words.insert(at, "--filename=-".to_owned());
                at += 1;
                text
            }
        });
        words.drain(at..at + count);
    }
    Ok(Line { words, input })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn files_of_a_command_become_its_input() {
        let shell = Shell::empty();
        for name in ["a", "b"] {
            shell.write(name, format!("{name}: 1"));
        }
        let directory = shell.path("").display().to_string();
        let directory = directory.trim_end_matches('/');
        let words = |text: &str| {
            let text = text.replace('@', directory);
            text.split(' ').map(str::to_owned).collect::<Vec<_>>()
        };
        for (typed, left, input) in [
            ("apply -f @/a", "apply --filename=-", Some("a: 1")),
            (
                "apply -f @/a --filename=@/b -n x",
                "apply --filename=- -n x",
                Some("a: 1\n---\nb: 1"),
            ),
            ("apply -f@/b", "apply --filename=-", Some("b: 1")),
            ("apply -f @/none", "apply -f @/none", None),
            ("get pods", "get pods", None),
        ] {
            let line = line(words(typed)).unwrap();
            assert_eq!(line.words, words(left), "{typed}");
            assert_eq!(line.input.as_deref(), input, "{typed}");
        }
    }
}
