//! The outcome of a container's command, if its text determines it: exit code, duration and output.
//!
//! Supports `true`, `false`, `sleep N`, `tail -f`, `exit N`, `echo`, tests in brackets and one-shot commands such as
//! `wget`, alone or in a shell script with `;`, `&&`, `||`, `if`, `case`, loops, arithmetic and several lines, using
//! the container's variables. The outcome of anything else is unknown.
//!
//! The interpreter of `ctl exec` does not serve this: it runs a command of any kind, and cannot tell a loop that never
//! ends from a long one.

use std::collections::BTreeMap;

use ctl_shell::evaluate;

use super::control_flow::{Position, Shell, Step, Values};

/// The outcome of a command.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Run {
    /// The exit code; `None` if the command runs until it is stopped.
    pub(super) code: Option<i64>,
    /// How long the command runs, in seconds.
    pub(super) seconds: f64,
    /// The lines that the command prints.
    pub(super) lines: Vec<String>,
    /// The files that the command creates and removes, in order.
    pub(super) files: Vec<FileChange>,
}

/// The creation or removal of a file by a command.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FileChange {
    /// When it happens, in seconds after the start.
    pub(super) at: f64,
    pub(super) path: String,
    /// False if the file is removed.
    pub(super) is_there: bool,
}

const SHELLS: &[&str] = &["sh", "bash", "ash", "dash"];
const PRINTERS: &[&str] = &[
    "cat", "date", "env", "hostname", "id", "ls", "printf", "pwd", "uname", "whoami",
];

/// Programs that do one thing and exit. They succeed, because a fake container has neither a network nor real files.
const ONE_SHOT: &[&str] = &[
    "chmod", "chown", "cp", "curl", "dig", "ln", "mkdir", "mv", "nslookup", "rm", "touch", "wget",
];

/// The variables of a container.
pub(super) type Variables<'a> = BTreeMap<&'a str, &'a str>;

/// Determines the outcome of a command line; returns `None` if it is unknown.
pub(super) fn run(words: &[&str], variables: &Variables<'_>) -> Option<Run> {
    let name = base(words.first()?);
    if SHELLS.contains(&name) {
        let script = match words.get(1..)? {
            // `sh -c SCRIPT`, or with combined flags such as `-ec`.
            [flags, script, ..] if flags.starts_with('-') && flags.ends_with('c') => script,
            _ => return None,
        };
        return shell(script, variables);
    }
    let mut run = Run::default();
    run.code = Some(simple(words, &mut run)?);
    // `sleep infinity` runs until it is stopped.
    if run.seconds.is_infinite() {
        run.code = None;
    }
    Some(run)
}

/// Returns the name of a program without its directory.
pub(super) fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// The maximum number of commands of a script, so that a long loop cannot block the caller.
const MOST_STEPS: usize = 5000;

impl Shell {
    /// Splits a command into words and expands its variables; `None` if that needs a real shell.
    fn words(&self, command: &str) -> Option<Vec<String>> {
        let replaced = match substituted(command, &self.variables) {
            None if !self.is_active() => command.to_owned(),
            replaced => replaced?,
        };
        let words = replaced.split_whitespace().flat_map(|word| {
            let value = expanded(word, &self.variables);
            match word.starts_with(['"', '\'']) {
                true => vec![value],
                // Without quotes, an empty value is not a word, and spaces separate words.
                false => value.split_whitespace().map(str::to_owned).collect(),
            }
        });
        Some(words.collect())
    }

    /// Executes a command. Returns true if it ends the script.
    fn execute(&mut self, words: &[&str], run: &mut Run) -> Option<bool> {
        match base(words.first()?) {
            "exit" => {
                // As in a shell, `exit` without an argument keeps the exit code of the last command.
                let code = match words.get(1) {
                    Some(code) => code.parse().ok()?,
                    None => self.last,
                };
                self.last = code;
                return Some(true);
            }
            "set" => self.stop_on_error |= words.get(1).is_some_and(|flag| flag.contains('e')),
            // `exec` replaces the process, but does not change the outcome.
            "exec" => self.last = simple(words.get(1..)?, run)?,
            word @ ("break" | "continue") if words.len() == 1 => {
                self.leave_round(word == "break")?;
                return Some(false);
            }
            _ => match assignment(words) {
                Some((name, value)) => {
                    self.variables.insert(name.to_owned(), value.to_owned());
                    self.last = 0;
                }
                None => self.last = simple(words, run)?,
            },
        }
        // A condition may fail without ending the script.
        let in_condition = self.is_in_condition();
        Some(self.stop_on_error && self.last != 0 && !in_condition)
    }
}

fn shell(script: &str, variables: &Variables<'_>) -> Option<Run> {
    let parts = split(script);
    let mut run = Run::default();
    let owned = variables
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let mut shell = Shell::new(owned.collect());
    let mut here = Position::default();
    // A script of more steps is unknown rather than slow.
    for _ in 0..MOST_STEPS {
        let Some((joint, command)) = parts.get(here.part) else {
            run.code = Some(shell.last);
            return Some(run);
        };
        // Another round of a loop may begin within a command.
        if here.word == 0 {
            shell.join(*joint)?;
        }
        let words = shell.words(command)?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let next = Position {
            part: here.part + 1,
            word: 0,
        };
        let step = shell.enter(&words, here)?;
        here = next;
        match step {
            Step::Endless => run.seconds = f64::INFINITY,
            Step::Jump(start) => here = start,
            Step::Command(at) => {
                let rest = words.get(at..)?;
                let runs = !rest.is_empty() && !shell.skip && shell.is_active();
                if runs && shell.execute(rest, &mut run)? {
                    // Exit codes have eight bits.
                    run.code = Some(shell.last & 0xff);
                    return Some(run);
                }
            }
        }
        if run.seconds.is_infinite() {
            return Some(run);
        }
    }
    None
}

/// Returns the name and the value if a command only assigns a variable.
fn assignment<'a>(words: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let [word] = words else { return None };
    let (name, value) = word.split_once('=')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    // The output of a command is unknown.
    let is_known = !value.contains(['$', '`', '"', '\'']);
    (!name.is_empty() && name.chars().all(is_name) && is_known).then_some((name, value))
}

/// Replaces arithmetic and `$(seq ...)` by their results; `None` if they have none.
fn substituted(command: &str, variables: &Values) -> Option<String> {
    // Single quotes would protect the text.
    if command.contains('\'') {
        return Some(command.to_owned());
    }
    let (mut out, mut rest) = (String::new(), command);
    while let Some((before, after)) = rest.split_once("$(") {
        out.push_str(before);
        if let Some(inner) = after.strip_prefix('(') {
            let (text, left) = inner.split_once("))")?;
            let value = |name: &str| variables.get(name).cloned().unwrap_or_default();
            let result = evaluate(&expanded(text, variables), &value).ok()?;
            out.push_str(&result.to_string());
            rest = left;
        } else if let Some(inner) = after.strip_prefix("seq ") {
            let (text, left) = inner.split_once(')')?;
            out.push_str(&sequence(&expanded(text, variables))?);
            rest = left;
        } else {
            // The output of other commands is unknown; whoever reads the word decides if that matters.
            out.push_str("$(");
            rest = after;
        }
    }
    out.push_str(rest);
    Some(out)
}

/// Returns the numbers that `seq` prints.
fn sequence(arguments: &str) -> Option<String> {
    let numbers: Option<Vec<i64>> = arguments
        .split_whitespace()
        .map(|word| word.parse().ok())
        .collect();
    let (first, last) = match numbers?.as_slice() {
        [last] => (1, *last),
        [first, last] => (*first, *last),
        _ => return None,
    };
    // More rounds exceed the limit of steps anyway.
    if last.checked_sub(first)? > MOST_STEPS as i64 {
        return None;
    }
    let all: Vec<String> = (first..=last).map(|number| number.to_string()).collect();
    Some(all.join(" "))
}

/// Expands the variables in a word and removes its quotes. As in a shell, an unset variable is empty.
fn expanded(word: &str, variables: &Values) -> String {
    if word.starts_with('\'') {
        return unquoted(word).to_owned();
    }
    let value = |name: &str| variables.get(name).map_or("", String::as_str);
    let (mut out, mut rest) = (String::new(), unquoted(word));
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        if let Some((name, left)) = after.strip_prefix('{').and_then(|s| s.split_once('}')) {
            let (name, default) = name.split_once(":-").unwrap_or((name, ""));
            let value = value(name);
            out.push_str(if value.is_empty() { default } else { value });
            rest = left;
            continue;
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (name, left) = after.split_at(after.find(|c| !is_name(c)).unwrap_or(after.len()));
        match name {
            // `$(...)` and the like need a real shell, so they stay as they are.
            "" => out.push('$'),
            name => out.push_str(value(name)),
        }
        rest = left;
    }
    out.push_str(rest);
    out
}

/// Returns the exit code of a test such as `[ $INDEX -eq 1 ]`.
fn test(words: &[&str]) -> Option<i64> {
    let holds = match words {
        ["!", rest @ ..] => test(rest)? != 0,
        ["-z", text] => text.is_empty(),
        ["-n", text] => !text.is_empty(),
        [left, "=" | "==", right] => left == right,
        [left, "!=", right] => left != right,
        [left, how, right] => {
            let (left, right) = (left.parse::<i64>().ok()?, right.parse::<i64>().ok()?);
            match *how {
                "-eq" => left == right,
                "-ne" => left != right,
                "-lt" => left < right,
                "-le" => left <= right,
                "-gt" => left > right,
                "-ge" => left >= right,
                _ => return None,
            }
        }
        _ => return None,
    };
    Some(i64::from(!holds))
}

/// Executes a simple command and returns the exit code.
fn simple(words: &[&str], run: &mut Run) -> Option<i64> {
    // Pipes and background jobs would need a real shell. The outcome is unknown, so the container just runs.
    if words.iter().any(|w| matches!(*w, "|" | "&" | "<")) {
        return None;
    }
    note_files(words, run);
    match base(words.first()?) {
        "true" | ":" => Some(0),
        "false" => Some(1),
        "echo" => {
            let skip = if words.get(1) == Some(&"-n") { 2 } else { 1 };
            // Output redirected to a file is not part of the log.
            if !words.iter().any(|w| w.starts_with('>')) {
                run.lines
                    .push(words.get(skip..).unwrap_or_default().join(" "));
            }
            Some(0)
        }
        "sleep" => {
            run.seconds += seconds(words.get(1)?)?;
            Some(0)
        }
        "tail" if words.iter().any(|w| matches!(*w, "-f" | "-F")) => {
            run.seconds = f64::INFINITY;
            Some(0)
        }
        "[" | "[[" => {
            let closing = if words.first() == Some(&"[") {
                "]"
            } else {
                "]]"
            };
            let (last, inner) = words.get(1..)?.split_last()?;
            test(inner).filter(|_| *last == closing)
        }
        "test" => test(words.get(1..)?),
        // Without these flags, both programs run until they are stopped.
        "nc" if words.iter().any(|w| w.starts_with('-') && w.contains('z')) => Some(0),
        "ping" if words.contains(&"-c") => Some(0),
        name if PRINTERS.contains(&name) || ONE_SHOT.contains(&name) => Some(0),
        _ => None,
    }
}

/// Records the files that a command creates or removes.
fn note_files(words: &[&str], run: &mut Run) {
    let at = run.seconds;
    let mut note = |path: &str, is_there| {
        run.files.push(FileChange {
            at,
            path: path.to_owned(),
            is_there,
        });
    };
    let mut rest = words.iter().copied();
    while let Some(word) = rest.next() {
        // `> FILE` and `>FILE`, also with `>>`.
        if let Some(file) = word.strip_prefix('>').map(|f| f.trim_start_matches('>')) {
            let next = if file.is_empty() {
                rest.next()
            } else {
                Some(file)
            };
            next.into_iter().for_each(|file| note(file, true));
        }
    }
    let is_there = match words.first().map(|name| base(name)) {
        Some("touch") => true,
        Some("rm") => false,
        _ => return,
    };
    let named = words.iter().skip(1).filter(|w| !w.starts_with('-'));
    named.for_each(|path| note(path, is_there));
}

fn seconds(text: &str) -> Option<f64> {
    match text {
        "infinity" | "inf" => Some(f64::INFINITY),
        // The notation of annotations includes all suffixes of `sleep`.
        text => crate::kinds::moment::duration(text),
    }
}

pub(super) fn unquoted(word: &str) -> &str {
    let quoted = |q| word.strip_prefix(q).and_then(|w: &str| w.strip_suffix(q));
    quoted('"').or_else(|| quoted('\'')).unwrap_or(word)
}

/// How a command is joined to the previous one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Joint {
    Then,
    And,
    Or,
    /// `;;`, after which the next branch of a `case` begins.
    Next,
}

/// Splits a script into its commands. Operators within quotes do not separate commands.
fn split(script: &str) -> Vec<(Joint, String)> {
    let (mut parts, mut joint, mut part, mut quote) = (Vec::new(), Joint::Then, String::new(), ' ');
    let mut chars = script.chars().peekable();
    while let Some(c) = chars.next() {
        let next = match c {
            // Within quotes, only the closing quote has a meaning.
            _ if quote != ' ' => {
                if c == quote {
                    quote = ' ';
                }
                None
            }
            '"' | '\'' => {
                quote = c;
                None
            }
            ';' if chars.peek() == Some(&';') => Some(Joint::Next),
            ';' | '\n' => Some(Joint::Then),
            '&' if chars.peek() == Some(&'&') => Some(Joint::And),
            '|' if chars.peek() == Some(&'|') => Some(Joint::Or),
            _ => None,
        };
        match next {
            Some(next) => {
                if next != Joint::Then {
                    chars.next();
                }
                parts.push((joint, std::mem::take(&mut part)));
                joint = next;
            }
            None => part.push(c),
        }
    }
    parts.push((joint, part));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> Option<(Option<i64>, f64)> {
        let variables = BTreeMap::from([("JOB_COMPLETION_INDEX", "1")]);
        run(words, &variables).map(|r| (r.code, r.seconds))
    }

    #[test]
    fn script_conditions_use_variables_of_the_container() {
        let sh = |script| of(&["sh", "-c", script]);
        let by_index = "if [ $JOB_COMPLETION_INDEX -eq 1 ]; then exit 3; fi; exit 0";
        assert_eq!(sh(by_index), Some((Some(3), 0.0)));
        let other = "if [ \"$JOB_COMPLETION_INDEX\" = 0 ]; then\n exit 3\nelse\n sleep 2\nfi";
        assert_eq!(sh(other), Some((Some(0), 2.0)));
        let chain = "if [ $JOB_COMPLETION_INDEX -lt 1 ]; then exit 1; elif test ${JOB_COMPLETION_INDEX} -ge 1; then exit 2; fi";
        assert_eq!(sh(chain), Some((Some(2), 0.0)));
        assert_eq!(sh("if false; then exit 1; fi"), Some((Some(0), 0.0)));
        let nested = "if false; then if true; then exit 1; fi; else exit 4; fi";
        assert_eq!(sh(nested), Some((Some(4), 0.0)));
        assert_eq!(
            sh("set -e; if false; then exit 1; fi; exit 5"),
            Some((Some(5), 0.0))
        );
        assert_eq!(
            sh("[ $JOB_COMPLETION_INDEX = 1 ] && exit 6"),
            Some((Some(6), 0.0))
        );
        assert_eq!(sh("[ $OTHER = 1 ] && exit 6"), None);
        assert_eq!(
            sh("[ \"${OTHER:-1}\" = 1 ] && exit 7"),
            Some((Some(7), 0.0))
        );
        assert_eq!(sh("tail -f /dev/null"), Some((None, f64::INFINITY)));
        assert_eq!(
            of(&["tail", "-f", "/dev/null"]),
            Some((None, f64::INFINITY))
        );
        assert_eq!(sh("exit $JOB_COMPLETION_INDEX"), Some((Some(1), 0.0)));
    }

    #[test]
    fn exit_code_and_duration_follow_the_command() {
        let sh = |script| of(&["sh", "-c", script]);
        assert_eq!(of(&["true"]), Some((Some(0), 0.0)));
        assert_eq!(of(&["/bin/false"]), Some((Some(1), 0.0)));
        assert_eq!(of(&["sleep", "30"]), Some((Some(0), 30.0)));
        assert_eq!(of(&["sleep", "infinity"]), Some((None, f64::INFINITY)));
        assert_eq!(of(&["nginx", "-g", "daemon off;"]), None);
        // The Pod of the test that `helm create` generates.
        assert_eq!(of(&["wget", "web:80"]), Some((Some(0), 0.0)));
        assert_eq!(sh("curl -sf http://web || exit 1"), Some((Some(0), 0.0)));
        assert_eq!(of(&["nc", "-zv", "web", "80"]), Some((Some(0), 0.0)));
        assert_eq!(of(&["nc", "-l", "80"]), None);
        assert_eq!(of(&["ping", "web"]), None);
        assert_eq!(sh("exit 3"), Some((Some(3), 0.0)));
        assert_eq!(sh("sleep 5; exit 42"), Some((Some(42), 5.0)));
        assert_eq!(sh("echo a && sleep 1m && false"), Some((Some(1), 60.0)));
        assert_eq!(sh("false && exit 3"), Some((Some(1), 0.0)));
        assert_eq!(sh("false || exit 7"), Some((Some(7), 0.0)));
        assert_eq!(sh("set -e; false; exit 0"), Some((Some(1), 0.0)));
        assert_eq!(sh("false; true"), Some((Some(0), 0.0)));
        assert_eq!(sh("exit 300"), Some((Some(44), 0.0)));
        assert_eq!(sh("echo 'a; exit 9'"), Some((Some(0), 0.0)));
        assert_eq!(of(&["sh"]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn loops_run_to_their_end_or_for_ever() {
        let sh = |script| of(&["sh", "-c", script]);
        let ends = |code, seconds| Some((Some(code), seconds));
        let runs = Some((None, f64::INFINITY));
        assert_eq!(sh("while true; do date; sleep 5; done"), runs);
        assert_eq!(sh("while :\ndo\n  echo a\n  sleep 5\ndone"), runs);
        assert_eq!(sh("until false; do sleep 1; done; exit 3"), runs);
        assert_eq!(sh("if true; then while true; do sleep 1; done; fi"), runs);
        assert_eq!(
            sh("for i in $(seq 3); do echo $i; sleep 1; done; exit 5"),
            ends(5, 3.0)
        );
        let counts = "i=0; while [ $i -lt 3 ]; do i=$((i+1)); sleep 2; done; exit $i";
        assert_eq!(sh(counts), ends(3, 6.0));
        assert_eq!(
            sh("i=0; until [ $i = 2 ]; do i=$(( $i + 1 )); done"),
            ends(0, 0.0)
        );
        assert_eq!(
            sh("for a in 1 2; do for b in 1 2 3; do sleep 1; done; done"),
            ends(0, 6.0)
        );
        assert_eq!(
            sh("while true; do sleep 1; break; done; exit 4"),
            ends(4, 1.0)
        );
        let some = "for i in 1 2 3; do if [ $i = 2 ]; then continue; fi; sleep $i; done; false";
        assert_eq!(sh(some), ends(1, 4.0));
        assert_eq!(sh("while false; do exit 9; done"), ends(0, 0.0));
        assert_eq!(sh("for i in $NONE; do exit 9; done"), ends(0, 0.0));
        assert_eq!(sh("for i in 1 2; do false; done"), ends(1, 0.0));
        assert_eq!(sh("for i in $(ls); do exit 9; done"), None);
        assert_eq!(sh("i=$(cat x); exit 0"), None);
        assert_eq!(sh("i=0; while [ $i -lt 9999 ]; do i=$((i+1)); done"), None);
        assert_eq!(sh("while [ ! -f /x ]; do sleep 1; done"), None);
        let lines = "for i in 1 2 3; do echo line $i; done";
        let printed = run(&["sh", "-c", lines], &Variables::new()).unwrap();
        assert_eq!(printed.lines, ["line 1", "line 2", "line 3"]);
    }

    #[test]
    fn case_takes_the_first_branch_that_fits() {
        let sh = |script| of(&["sh", "-c", script]).and_then(|of| of.0);
        let index =
            "case $JOB_COMPLETION_INDEX in 0) exit 4;; 1|2) exit 5;; *) exit 6;; esac; exit 0";
        assert_eq!(sh(index), Some(5));
        assert_eq!(
            sh("case $JOB_COMPLETION_INDEX in 0) exit 1;; esac; exit 0"),
            Some(0)
        );
        let lines = "case \"abc\" in\n  (\"x\")\n    exit 1\n    ;;\n  a*)\n    false\n    ;;\n  *) exit 2\nesac";
        assert_eq!(sh(lines), Some(1));
        assert_eq!(sh("case $NONE in '') exit 3;; esac"), Some(3));
        assert_eq!(sh("false; case a in b) exit 3;; esac"), Some(0));
        assert_eq!(sh("case a in [a-c]) exit 3;; esac"), None);
        assert_eq!(sh("exit 1;; exit 2"), Some(1));
        assert_eq!(sh("true;; exit 2"), None);
    }

    #[test]
    fn echo_prints_its_arguments() {
        let printed = run(
            &["/bin/sh", "-ec", "echo hello world; echo \"two\"\nexit 0"],
            &Variables::new(),
        );
        assert_eq!(printed.unwrap().lines, ["hello world", "two"]);
    }
}
