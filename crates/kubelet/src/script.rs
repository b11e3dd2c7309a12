//! The outcome of a container's command, as far as its text determines it: exit code, duration, and
//! output.
//!
//! Understood are `true`, `false`, `sleep N`, `exit N`, `echo` and a few commands that only print,
//! alone or in a line for a shell, joined by `;`, `&&`, `||` and line ends. Everything else is unknown.

/// The outcome of a command.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Run {
    /// Its exit code; none where it runs until it is stopped.
    pub(super) code: Option<i64>,
    /// How many seconds it runs.
    pub(super) seconds: f64,
    /// The lines that it prints.
    pub(super) lines: Vec<String>,
}

const SHELLS: &[&str] = &["sh", "bash", "ash", "dash"];
const PRINTERS: &[&str] = &[
    "cat", "date", "env", "hostname", "id", "ls", "printf", "pwd", "uname", "whoami",
];

/// Runs a command line; none where it is unknown what it does.
pub(super) fn run(words: &[&str]) -> Option<Run> {
    let name = base(words.first()?);
    if SHELLS.contains(&name) {
        let script = match words.get(1..)? {
            // `sh -c SCRIPT`, also with combined flags such as `-ec`.
            [flags, script, ..] if flags.starts_with('-') && flags.ends_with('c') => script,
            _ => return None,
        };
        return shell(script);
    }
    let mut run = Run::default();
    run.code = Some(simple(words, &mut run)?);
    // `sleep infinity`: it ends when it is stopped.
    if run.seconds.is_infinite() {
        run.code = None;
    }
    Some(run)
}

/// The program without its directory.
fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

fn shell(script: &str) -> Option<Run> {
    let (mut run, mut last, mut skip, mut stop_on_error) = (Run::default(), 0, false, false);
    for (joint, command) in split(script) {
        skip = match joint {
            Joint::Then => false,
            // `&&` after a skipped command skips as well; `a && b && c` stops at the first failure.
            Joint::And => skip || last != 0,
            Joint::Or => last == 0,
        };
        let words: Vec<&str> = command.split_whitespace().map(unquoted).collect();
        let Some(first) = words.first() else { continue };
        if skip {
            continue;
        }
        match base(first) {
            "exit" => {
                // `exit` alone keeps the code of the last command, as a shell does.
                let code = words.get(1).map_or(Some(last), |code| code.parse().ok());
                // Exit codes have eight bits.
                run.code = Some(code? & 0xff);
                return Some(run);
            }
            "set" => stop_on_error |= words.get(1).is_some_and(|flag| flag.contains('e')),
            // `exec` changes which process runs, not what it does.
            "exec" => last = simple(words.get(1..)?, &mut run)?,
            _ => last = simple(&words, &mut run)?,
        }
        if run.seconds.is_infinite() {
            return Some(run);
        }
        if stop_on_error && last != 0 {
            break;
        }
    }
    run.code = Some(last);
    Some(run)
}

/// One command without joints; returns its exit code.
fn simple(words: &[&str], run: &mut Run) -> Option<i64> {
    // Pipes and background jobs would need a real shell: unknown, so the container just runs.
    if words.iter().any(|w| matches!(*w, "|" | "&" | "<")) {
        return None;
    }
    match base(words.first()?) {
        "true" | ":" => Some(0),
        "false" => Some(1),
        "echo" => {
            let skip = if words.get(1) == Some(&"-n") { 2 } else { 1 };
            // Output into a file is not in the log.
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
        name if PRINTERS.contains(&name) => Some(0),
        _ => None,
    }
}

fn seconds(text: &str) -> Option<f64> {
    match text {
        "infinity" | "inf" => Some(f64::INFINITY),
        // The same notation as in annotations, and `sleep`'s own suffixes are a part of it.
        text => crate::kinds::moment::duration(text),
    }
}

fn unquoted(word: &str) -> &str {
    let quoted = |q| word.strip_prefix(q).and_then(|w: &str| w.strip_suffix(q));
    quoted('"').or_else(|| quoted('\'')).unwrap_or(word)
}

/// How a command is joined to the one before it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Joint {
    Then,
    And,
    Or,
}

/// The commands of a script; quotes keep joints together.
fn split(script: &str) -> Vec<(Joint, String)> {
    let (mut parts, mut joint, mut part, mut quote) = (Vec::new(), Joint::Then, String::new(), ' ');
    let mut chars = script.chars().peekable();
    while let Some(c) = chars.next() {
        let next = match c {
            // Inside of quotes only the closing one means anything.
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
        run(words).map(|r| (r.code, r.seconds))
    }

    #[test]
    fn commands_come_to_what_they_say() {
        let sh = |script| of(&["sh", "-c", script]);
        assert_eq!(of(&["true"]), Some((Some(0), 0.0)));
        assert_eq!(of(&["/bin/false"]), Some((Some(1), 0.0)));
        assert_eq!(of(&["sleep", "30"]), Some((Some(0), 30.0)));
        assert_eq!(of(&["sleep", "infinity"]), Some((None, f64::INFINITY)));
        assert_eq!(of(&["nginx", "-g", "daemon off;"]), None);
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
    fn what_is_echoed_is_printed() {
        let printed = run(&["/bin/sh", "-ec", "echo hello world; echo \"two\"\nexit 0"]);
        assert_eq!(printed.unwrap().lines, ["hello world", "two"]);
    }
}
