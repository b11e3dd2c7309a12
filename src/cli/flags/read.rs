//! Parses the flags and words of one command.

use std::ffi::{OsStr, OsString};

use clap::{Arg, ArgAction, Command};

use super::find::{self, CommandWords};
use super::value::Type;
use super::{Line, full_path};
use crate::api::go::quoted;
use crate::cli::error::CliError;
use crate::cli::{redact, suggest};

/// A flag with its value for clap; `None` if it is given without a value.
type Set<'a> = (&'a Arg, Option<OsString>);

struct Reader<'a> {
    stages: &'a [&'a Command],
    args: std::iter::Zip<std::vec::IntoIter<usize>, std::vec::IntoIter<OsString>>,
    /// The position of the last argument that was read.
    place: usize,
    /// The values of flags, each of which ends its argument: position, flag, and value.
    values: Vec<(usize, String, String)>,
    /// The positions of the words.
    words: Vec<usize>,
    line: Line,
    set: Vec<Set<'a>>,
    /// A suggestion for an unknown flag.
    hint: Option<String>,
}

/// Parses the arguments of the command. `args` is the whole line.
pub(super) fn flags(
    stages: &[&Command],
    program: &str,
    found: &CommandWords,
    args: &[OsString],
) -> Result<Line, CliError> {
    let mut reader = Reader {
        stages,
        args: found.places.clone().into_iter().zip(found.rest.clone()),
        place: 0,
        values: Vec::new(),
        words: Vec::new(),
        line: Line::default(),
        set: Vec::new(),
        hint: None,
    };
    if let Err(text) = reader.read() {
        let path = full_path(program, &found.path);
        let error = match found.path.first().map(String::as_str) {
            // `kubectl diff` reports errors in its flags itself, because exit code 1 means differences.
            Some("diff") => CliError::usage(&path, text),
            Some("options") => CliError::text(format!("{text}\nRun '{path}' without flags.")),
            // kubectl's errors in flags have this text; errors in words refer to `-h`.
            _ => CliError::text(format!("{text}\nSee '{path} --help' for usage.")),
        };
        return Err(error.hinted(reader.hint));
    }
    reader.line.shown = reader.shown(&found.path, args);
    Ok(reader.finish(program, &found.path))
}

/// The profiles that kubectl can record. `ctl` accepts but does not record them.
const PROFILES: [&str; 8] = [
    "none",
    "cpu",
    "heap",
    "goroutine",
    "threadcreate",
    "block",
    "mutex",
    "allocs",
];

/// Rejects a profile that kubectl does not know.
pub(super) fn check_profile(line: &Line) -> Result<(), CliError> {
    let mut typed = line.typed.iter().rev();
    let last = typed.find(|(flag, _)| flag == "profile");
    match last.and_then(|(_, value)| value.as_deref()) {
        // Some commands have a flag of their own with this name.
        Some(name) if !PROFILES.contains(&name) && !line.own.iter().any(|own| own == "profile") => {
            Err(CliError::text(format!("unknown profile '{name}'")))
        }
        _ => Ok(()),
    }
}

/// Rejects a line that lacks a required flag of the command.
pub(super) fn check_required(command: &Command, line: &Line) -> Result<(), CliError> {
    let flags = command.get_arguments().filter(|a| a.is_required_set());
    let mut missing: Vec<&str> = flags
        .filter_map(Arg::get_long)
        .filter(|name| !line.given.iter().any(|g| g == name))
        .collect();
    // cobra sorts them by name.
    missing.sort_unstable();
    if missing.is_empty() {
        return Ok(());
    }
    let missing = missing.join("\", \"");
    let text = format!("required flag(s) \"{missing}\" not set");
    // kubectl prints these remarks while it reads the flags, which is before this check.
    Err(match line.notes.is_empty() {
        true => CliError::Text(text),
        false => CliError::Bare(format!("{}\nerror: {text}", line.notes.join("\n"))),
    })
}

impl<'a> Reader<'a> {
    fn read(&mut self) -> Result<(), String> {
        while let Some(arg) = self.next() {
            let text = arg.to_string_lossy().into_owned();
            if text == "--" {
                self.line.dash = Some(self.line.words.len());
                while let Some(word) = self.next() {
                    self.word(word);
                }
            } else if let Some(long) = text.strip_prefix("--") {
                self.long(long)?;
            } else if text.len() > 1 && text.starts_with('-') {
                self.shorts(&text[1..])?;
            } else {
                self.word(arg);
            }
            if self.line.help {
                break;
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Option<OsString> {
        let (place, arg) = self.args.next()?;
        self.place = place;
        Some(arg)
    }

    fn word(&mut self, word: OsString) {
        self.words.push(self.place);
        self.line.words.push(word);
    }

    /// Returns the original line without its secrets.
    fn shown(&self, path: &[String], args: &[OsString]) -> Vec<String> {
        let text = |arg: &OsString| arg.to_string_lossy().into_owned();
        let mut shown: Vec<String> = args.iter().map(text).collect();
        let words: Vec<String> = self.line.words.iter().map(text).collect();
        let command = redact::Command {
            path,
            words: &words,
        };
        for (place, flag, value) in &self.values {
            let arg = &mut shown[*place];
            // A value always ends its argument, in `--flag=VALUE` as well as in `-fVALUE`.
            arg.truncate(arg.len() - value.len());
            arg.push_str(&command.flag(flag, value));
        }
        for (at, place) in self.words.iter().enumerate() {
            shown[*place] = command.word(at, &words[at]).into_owned();
        }
        shown
    }

    fn long(&mut self, text: &str) -> Result<(), String> {
        // pflag rejects `---x` and `--=x` with this text.
        if text.starts_with('-') || text.starts_with('=') {
            return Err(format!("bad flag syntax: --{text}"));
        }
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(OsString::from(value))),
            None => (text, None),
        };
        let Some(flag) = find::by_name(self.stages, name) else {
            // A command may have a flag of this name, so its flags are looked up first.
            if name == "help" {
                self.line.help = true;
                return Ok(());
            }
            let name = name.replace('_', "-");
            self.hint = suggest::hint(&format!("--{name}"), find::long_names(self.stages));
            return Err(format!("unknown flag: --{name}"));
        };
        let value = match value {
            None if find::is_complete(flag) => None,
            None => match self.next() {
                Some(next) => Some(next),
                None => return Err(format!("flag needs an argument: --{name}")),
            },
            given => given,
        };
        self.set(flag, value)
    }

    fn shorts(&mut self, letters: &str) -> Result<(), String> {
        let mut rest = letters;
        while let Some(letter) = rest.chars().next() {
            let whole = rest;
            rest = &rest[letter.len_utf8()..];
            let Some(flag) = find::by_short(self.stages, letter) else {
                if letter == 'h' {
                    self.line.help = true;
                    return Ok(());
                }
                return Err(format!("unknown shorthand flag: '{letter}' in -{whole}"));
            };
            // pflag takes a lone `=` after a letter as the value.
            let value = if rest.len() > 1 && rest.starts_with('=') {
                Some(OsString::from(&rest[1..]))
            } else if find::is_complete(flag) {
                self.set(flag, None)?;
                continue;
            } else if !rest.is_empty() {
                Some(OsString::from(rest))
            } else if let Some(next) = self.next() {
                Some(next)
            } else {
                return Err(format!("flag needs an argument: '{letter}' in -{whole}"));
            };
            self.set(flag, value)?;
            return Ok(());
        }
        Ok(())
    }

    fn set(&mut self, flag: &'a Arg, value: Option<OsString>) -> Result<(), String> {
        let long = flag.get_long().unwrap_or_default().to_owned();
        let typed = value
            .as_ref()
            .map(|value| value.to_string_lossy().into_owned());
        if let Some(value) = &typed {
            self.values.push((self.place, long.clone(), value.clone()));
        }
        self.line.typed.push((long.clone(), typed));
        let value = match value {
            None => None,
            Some(value) => Some(checked(flag, value)?),
        };
        // As in pflag, the last of repeated flags wins, except for lists, which collect their values.
        if !find::adds_up(flag) {
            self.set
                .retain(|(other, _)| other.get_id() != flag.get_id());
        }
        if flag.is_hide_set() && long == "record" {
            let note = "Flag --record has been deprecated, --record will be removed in the future";
            self.line.notes.push(note.to_owned());
        }
        if flag.is_hide_set() && long == "cpu-percent" {
            let note = "Flag --cpu-percent has been deprecated, Use --cpu with percentage or \
                        resource quantity format (e.g., '70%' for utilization or '500m' for \
                        milliCPU).";
            self.line.notes.push(note.to_owned());
        }
        self.set.push((flag, value));
        if !flag.is_global_set() {
            self.line.own.push(long.clone());
        }
        if !self.line.given.contains(&long) {
            self.line.given.push(long);
        }
        Ok(())
    }

    fn finish(mut self, program: &str, path: &[String]) -> Line {
        let mut plain = vec![OsString::from(program)];
        plain.extend(path.iter().map(OsString::from));
        plain.extend(
            self.set
                .iter()
                .filter_map(|(flag, value)| token(flag, value.as_deref())),
        );
        if !self.line.words.is_empty() {
            // Words follow `--`, so that clap does not take them for flags.
            plain.push("--".into());
            plain.extend(self.line.words.iter().cloned());
        }
        self.line.plain = plain;
        self.line
    }
}

/// Returns a value in clap's form, or the error.
fn checked(flag: &Arg, value: OsString) -> Result<OsString, String> {
    let Some(text) = value.to_str() else {
        return Ok(value);
    };
    match Type::from_flag(flag).check(text) {
        Ok(plain) => Ok(plain.into()),
        Err(why) => {
            let long = flag.get_long().unwrap_or_default();
            let name = match flag.get_short() {
                Some(short) => format!("-{short}, --{long}"),
                None => format!("--{long}"),
            };
            Err(format!(
                "invalid argument {} for {} flag: {why}",
                quoted(text),
                quoted(&name)
            ))
        }
    }
}

/// Returns a flag in clap's form. A switch that is off is omitted.
fn token(flag: &Arg, value: Option<&OsStr>) -> Option<OsString> {
    let mut token = OsString::from("--");
    token.push(flag.get_long()?);
    if matches!(flag.get_action(), ArgAction::SetTrue) {
        // clap's switches take no value, so `--flag=false` is expressed by omitting the flag.
        return value.is_none_or(|v| v == "true").then_some(token);
    }
    let value = match value {
        None if Type::from_flag(flag) == Type::Bool => OsStr::new("true"),
        None => return Some(token),
        Some(value) => value,
    };
    // An empty list is no value for clap; for a required flag, the command rejects it itself.
    if value.is_empty() && flag.get_value_delimiter().is_some() && !flag.is_required_set() {
        return None;
    }
    token.push("=");
    token.push(value);
    Some(token)
}
