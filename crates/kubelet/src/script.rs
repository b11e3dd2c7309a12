//! The outcome of a container's command, if its text determines it: exit code, duration and output.
//!
//! Supports `true`, `false`, `sleep N`, `tail -f`, `exit N`, `echo`, tests in brackets and one-shot commands such as
//! `wget`, alone or in a shell script with `;`, `&&`, `||`, `if` and several lines, using the container's variables.
//! The outcome of anything else is unknown.

use std::collections::BTreeMap;

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

/// An `if` that is still open.
#[derive(Clone, Copy)]
struct Branch {
    /// False if the whole `if` is skipped.
    outer: bool,
    /// True if a branch has been taken.
    taken: bool,
    /// True if the commands at this point are executed.
    active: bool,
}

/// The state of a shell between two commands.
#[derive(Default)]
struct Shell {
    branches: Vec<Branch>,
    /// The exit code of the last command.
    last: i64,
    skip: bool,
    stop_on_error: bool,
}

impl Shell {
    fn is_active(&self) -> bool {
        self.branches.last().is_none_or(|branch| branch.active)
    }

    /// Handles the leading keywords of a command that structure the script, and returns the rest; `None` if the
    /// structure is unknown.
    fn enter<'w, 'a>(&mut self, mut words: &'w [&'a str]) -> Option<&'w [&'a str]> {
        while let Some((first, rest)) = words.split_first() {
            match *first {
                "if" => {
                    let outer = self.is_active();
                    self.branches.push(Branch {
                        outer,
                        taken: false,
                        active: outer,
                    });
                    self.skip = false;
                }
                "then" => {
                    let met = self.last == 0;
                    let branch = self.branches.last_mut()?;
                    branch.active = branch.active && met;
                    branch.taken |= branch.active;
                    self.skip = false;
                }
                "elif" | "else" => {
                    let branch = self.branches.last_mut()?;
                    branch.active = branch.outer && !branch.taken;
                    self.skip = false;
                }
                "fi" => {
                    let branch = self.branches.pop()?;
                    // An `if` that executed no branch succeeds.
                    if branch.outer && !branch.taken {
                        self.last = 0;
                    }
                    self.skip = false;
                }
                "for" | "while" | "until" | "case" | "{" | "(" => return None,
                _ => return Some(words),
            }
            words = rest;
        }
        Some(words)
    }
}

fn shell(script: &str, variables: &Variables<'_>) -> Option<Run> {
    let (mut run, mut shell) = (Run::default(), Shell::default());
    for (joint, command) in split(script) {
        shell.skip = match joint {
            Joint::Then => false,
            // `&&` after a skipped command also skips: `a && b && c` stops at the first failure.
            Joint::And => shell.skip || shell.last != 0,
            Joint::Or => shell.last == 0,
        };
        let words: Vec<String> = command
            .split_whitespace()
            .map(|word| (word, expanded(word, variables)))
            // Without quotes, an empty value is not a word.
            .filter(|(word, value)| !value.is_empty() || word.starts_with(['"', '\'']))
            .map(|(_, value)| value)
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let words = shell.enter(&words)?;
        let Some(first) = words.first() else { continue };
        if shell.skip || !shell.is_active() {
            continue;
        }
        match base(first) {
            "exit" => {
                // As in a shell, `exit` without an argument keeps the exit code of the last command.
                let code = words
                    .get(1)
                    .map_or(Some(shell.last), |code| code.parse().ok());
                // Exit codes have eight bits.
                run.code = Some(code? & 0xff);
                return Some(run);
            }
            "set" => shell.stop_on_error |= words.get(1).is_some_and(|flag| flag.contains('e')),
            // `exec` replaces the process, but does not change the outcome.
            "exec" => shell.last = simple(words.get(1..)?, &mut run)?,
            _ => shell.last = simple(words, &mut run)?,
        }
        if run.seconds.is_infinite() {
            return Some(run);
        }
        // A condition may fail without ending the script.
        let in_condition = shell.branches.last().is_some_and(|b| b.active && !b.taken);
        if shell.stop_on_error && shell.last != 0 && !in_condition {
            break;
        }
    }
    run.code = Some(shell.last);
    Some(run)
}

/// Expands the variables in a word and removes its quotes. As in a shell, an unset variable is empty.
fn expanded(word: &str, variables: &Variables<'_>) -> String {
    if word.starts_with('\'') {
        return unquoted(word).to_owned();
    }
    let value = |name: &str| variables.get(name).copied().unwrap_or_default();
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

fn unquoted(word: &str) -> &str {
    let quoted = |q| word.strip_prefix(q).and_then(|w: &str| w.strip_suffix(q));
    quoted('"').or_else(|| quoted('\'')).unwrap_or(word)
}

/// How a command is joined to the previous one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Joint {
    Then,
    And,
    Or,
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
            ';' | '\n' => Some(Joint::Then),
            '&' if chars.peek() == Some(&'&') => Some(Joint::And),
            '|' if chars.peek() == Some(&'|') => Some(Joint::Or),
            _ => None,
        };
        match next {
            Some(next) => {
                if matches!(next, Joint::And | Joint::Or) {
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
        assert_eq!(sh("while true; do date; sleep 1; done"), None);
        assert_eq!(sh("echo 'a; exit 9'"), Some((Some(0), 0.0)));
        assert_eq!(of(&["sh"]), None);
        assert_eq!(of(&[]), None);
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
