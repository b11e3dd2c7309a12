//! Preferences: aliases of commands and defaults of their flags, in the file that kubectl calls kuberc. The default
//! file is next to ctl's own configuration; kubectl's file is read only if it is named.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Command;

use super::error::CliError;
use super::flags::PartialCommandLine;
use super::ui::Ui;
use crate::api::json::Value;
use crate::api::yaml::{self, Mode};
use crate::kinds::tree::{list, text, texts};
use crate::sys::bounded;

/// The supported versions.
const VERSIONS: [&str; 2] = [
    "kubectl.config.k8s.io/v1beta1",
    "kubectl.config.k8s.io/v1alpha1",
];

/// The version of files that ctl writes.
pub(crate) const VERSION: &str = VERSIONS[0];

/// The path of the preferences. `named` is true if a flag or the environment sets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: PathBuf,
    pub(crate) named: bool,
}

/// Returns the path set by a flag or the environment, or else the default one; `None` if preferences are disabled.
pub(crate) fn place(flag: Option<&str>) -> Result<Option<Place>, CliError> {
    let flag = flag.filter(|file| !file.is_empty());
    let chosen = std::env::var("KUBERC").unwrap_or_default();
    let named = match (flag, chosen.as_str()) {
        (Some(_), "off") => {
            return Err(CliError::text(
                "disabling kuberc via KUBERC=off and passing kuberc flag are mutually exclusive",
            ));
        }
        (None, "off") => return Ok(None),
        (Some(file), _) => Some(file),
        (None, "") => None,
        (None, file) => Some(file),
    };
    // kubectl's ~/.kube/kuberc is not the default, because its settings are meant for a real cluster.
    let usual = || Some(dirs::config_dir()?.join("ctl").join("kuberc"));
    let file = match named {
        Some(file) => Some(PathBuf::from(file)),
        None => usual(),
    };
    Ok(file.map(|file| Place {
        file,
        named: named.is_some(),
    }))
}

/// Returns the arguments of a command line with those that the preferences add, or `None` without preferences.
/// Preferences may concern any command, so `root` builds the program with all of them.
pub(crate) fn applied(
    root: &dyn Fn() -> Command,
    args: &[OsString],
    ui: &Ui,
) -> Result<Option<Vec<OsString>>, CliError> {
    let off = std::env::var("KUBECTL_KUBERC").is_ok_and(|v| v == "false");
    // An alias or a default must not change completion or the management of the preferences.
    let first = args
        .first()
        .and_then(|arg| arg.to_str())
        .unwrap_or("kuberc");
    if off || first == "kuberc" || first.starts_with("__") {
        return Ok(None);
    }
    let failed = |e: CliError| {
        let text = format!("error occurred while applying preferences {e}");
        CliError::Bare(text)
    };
    let Some(preferences) = loaded(args, ui).map_err(failed)? else {
        return Ok(None);
    };
    let args = args.to_vec();
    let applied = check(&preferences).and_then(|()| with(&root(), &preferences, args, ui));
    let applied = applied.map_err(|why| failed(CliError::text(why)))?;
    Ok(Some(applied))
}

fn loaded(args: &[OsString], ui: &Ui) -> Result<Option<Value>, CliError> {
    let Some(place) = place(flag_of(args)?.as_deref())? else {
        return Ok(None);
    };
    let file = place.file.display();
    match (read(&place), place.named) {
        (Ok(found), false) => Ok(found),
        (Ok(Some(found)), true) => Ok(Some(found)),
        // An empty file has no preferences, but a named file must exist.
        (Ok(None), true) if place.file.exists() => Ok(None),
        (Ok(None), true) => Err(CliError::text(format!(
            "kuberc error kuberc: open {file}: no such file or directory"
        ))),
        (Err(why), true) => Err(CliError::text(format!("kuberc error kuberc: {why}"))),
        (Err(why), false) => {
            ui.note(&format!("kuberc: no preferences loaded from {file}: {why}"));
            Ok(None)
        }
    }
}

/// Reads a file; returns `None` if it does not exist.
pub(crate) fn read(place: &Place) -> Result<Option<Value>, String> {
    let bytes = match bounded::read(&place.file, bounded::SETTINGS) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(e.to_string()),
    };
    // As in kubectl, the reason is not part of the error: a document for another program is no mistake.
    let invalid = || {
        let file = place.file.display();
        format!("no valid preferences found in {file}, use --v=5 to see details")
    };
    let documents = yaml::parse(&bytes, Mode::Lenient).map_err(|_| invalid())?;
    let mut is_empty = true;
    // A file may hold documents for programs of several versions; the first known one counts.
    for document in documents.into_iter().map(|d| d.value) {
        let (version, kind) = (text(&document, "apiVersion"), text(&document, "kind"));
        if VERSIONS.contains(&version) && kind == "Preference" {
            return Ok(Some(document));
        }
        is_empty &= document.is_null();
    }
    match is_empty {
        true => Ok(None),
        false => Err(invalid()),
    }
}

/// Returns the file that `--kuberc` names.
fn flag_of(args: &[OsString]) -> Result<Option<String>, CliError> {
    let missing = || CliError::text("kuberc file is not found");
    let mut words = args
        .iter()
        .map(|arg| arg.to_string_lossy())
        .take_while(|arg| arg != "--");
    while let Some(word) = words.next() {
        let value = match word.strip_prefix("--kuberc") {
            Some("") => words.next().map(|value| value.into_owned()),
            Some(rest) => match rest.strip_prefix('=') {
                Some(value) => Some(value.to_owned()),
                None => continue,
            },
            None => continue,
        };
        let value = value.filter(|value| !value.is_empty());
        return value.map(Some).ok_or_else(missing);
    }
    Ok(None)
}

/// Returns the items of a list under its current name or its name in the first version.
fn listed<'a>(value: &'a Value, name: &str, old: &str) -> &'a [Value] {
    match list(value, name) {
        [] => list(value, old),
        found => found,
    }
}

fn options(value: &Value) -> &[Value] {
    listed(value, "options", "flags")
}

fn check(preferences: &Value) -> Result<(), String> {
    let aliases = list(preferences, "aliases");
    let defaults = listed(preferences, "defaults", "overrides");
    for (at, alias) in aliases.iter().enumerate() {
        let name = text(alias, "name");
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphabetic()) {
            return Err("invalid alias name, can only include alphabetical characters".to_owned());
        }
        if aliases[..at]
            .iter()
            .any(|other| text(other, "name") == name)
        {
            return Err(format!("duplicate alias name {name}"));
        }
    }
    let mut flags = aliases.iter().chain(defaults).flat_map(options);
    match flags.find(|flag| text(flag, "name").starts_with('-')) {
        None => Ok(()),
        Some(flag) => Err(format!(
            "flag name {} should be in long form without dashes",
            text(flag, "name")
        )),
    }
}

fn with(
    root: &Command,
    preferences: &Value,
    mut args: Vec<OsString>,
    ui: &Ui,
) -> Result<Vec<OsString>, String> {
    let path = PartialCommandLine::at(root, &args).path;
    if !path.is_empty() {
        for default in listed(preferences, "defaults", "overrides") {
            let command: Vec<&str> = text(default, "command").split_whitespace().collect();
            // As in kubectl, a default for an unknown command only warns, so that one file serves several versions.
            if PartialCommandLine::at(root, &words(&command)).path.len() < command.len() {
                let command = text(default, "command");
                ui.note(&format!(
                    "Warning: command {command:?} not found to set kuberc override"
                ));
            } else if path == command {
                let unknown = |flag: &str| {
                    format!(
                        "invalid flag {flag} for command {}",
                        text(default, "command")
                    )
                };
                add(root, options(default), &mut args, &unknown)?;
            }
        }
        return Ok(args);
    }
    // An alias must be the first word, but global flags may precede it.
    let is_word = |arg: &OsString| !arg.to_string_lossy().starts_with('-');
    let Some(at) = args.iter().position(is_word) else {
        return Ok(args);
    };
    let aliases = list(preferences, "aliases").iter();
    let mut meant = aliases.filter(|alias| args[at] == *text(alias, "name"));
    let Some(alias) = meant.next() else {
        return Ok(args);
    };
    let command: Vec<&str> = text(alias, "command").split_whitespace().collect();
    let name = text(alias, "name").to_owned();
    if PartialCommandLine::at(root, &words(&command)).path.len() < command.len()
        || command.is_empty()
    {
        let command = text(alias, "command");
        return Err(format!(
            "command {command:?} not found to set alias {name:?}: [{command}]"
        ));
    }
    let ahead: Vec<&str> = command
        .into_iter()
        .chain(texts(alias, "prependArgs"))
        .collect();
    // The alias is replaced in place, so that flags before it keep their positions.
    args.splice(at..=at, words(&ahead));
    let behind: Vec<&str> = texts(alias, "appendArgs").collect();
    args.extend(words(&behind));
    let unknown = |flag: &str| format!("invalid alias flag {flag} in alias {name}");
    add(root, options(alias), &mut args, &unknown)?;
    Ok(args)
}

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

/// Adds the default values of flags that are not given.
fn add(
    root: &Command,
    options: &[Value],
    args: &mut Vec<OsString>,
    unknown: &dyn Fn(&str) -> String,
) -> Result<(), String> {
    for option in options {
        let name = text(option, "name");
        let command_line = PartialCommandLine::at(root, args);
        let Some(flag) = command_line.flag(name) else {
            return Err(unknown(name));
        };
        // A flag on the command line takes precedence over its default.
        if command_line.flags.iter().all(|(given, _)| given != &flag) {
            // Defaults go first, because after `--` they would be words instead of flags.
            let value = text(option, "default");
            args.insert(0, format!("--{name}={value}").into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::api::json::json;
    use crate::cli::args::Cli;

    fn line(preferences: &Value, typed: &str) -> Result<String, String> {
        let args: Vec<&str> = typed.split(' ').collect();
        check(preferences)?;
        let applied = with(&Cli::command(), preferences, words(&args), &Ui::new())?;
        let applied: Vec<String> = applied
            .iter()
            .map(|arg| arg.to_string_lossy().into_owned())
            .collect();
        Ok(applied.join(" "))
    }

    #[test]
    fn aliases_expand_to_commands_with_arguments_and_flags() {
        let preferences = json!({"aliases": [
            {"name": "getn", "command": "get", "prependArgs": ["nodes"],
             "options": [{"name": "output", "default": "wide"}]},
            {"name": "runx", "command": "run", "appendArgs": ["--", "sleep"],
             "options": [{"name": "image", "default": "shop:1"}]},
            {"name": "st", "command": "rollout status"},
        ]});
        for (typed, meant) in [
            ("getn", "--output=wide get nodes"),
            ("getn node-0 -o json", "get nodes node-0 -o json"),
            ("-n blue getn", "-n blue getn"),
            ("runx alone", "--image=shop:1 run alone -- sleep"),
            ("runx alone --image=i", "run alone --image=i -- sleep"),
            ("st deploy/web", "rollout status deploy/web"),
            ("get pods", "get pods"),
            ("nothing", "nothing"),
        ] {
            // As in kubectl, only the first word that is not a flag may be an alias.
            assert_eq!(line(&preferences, typed).as_deref(), Ok(meant), "{typed}");
        }
    }

    #[test]
    fn defaults_are_for_the_flags_that_are_not_given() {
        let preferences = json!({"overrides": [
            {"command": "delete", "flags": [{"name": "interactive", "default": "true"}]},
            {"command": "set env", "flags": [{"name": "output", "default": "yaml"}]},
        ]});
        for (typed, meant) in [
            ("delete pod x", "--interactive=true delete pod x"),
            ("delete pod x -i=false", "delete pod x -i=false"),
            ("set env deploy/x A=B", "--output=yaml set env deploy/x A=B"),
            ("set image deploy/x a=b", "set image deploy/x a=b"),
        ] {
            assert_eq!(line(&preferences, typed).as_deref(), Ok(meant), "{typed}");
        }
    }

    #[test]
    fn invalid_preferences_are_rejected() {
        let alias = |name: &str, command: &str, flag: &str| {
            json!({"aliases": [{"name": name, "command": command,
                "options": [{"name": flag, "default": "x"}]}]})
        };
        let refused = |preferences: &Value| line(preferences, "x y").unwrap_err();
        assert!(refused(&alias("a-b", "get", "output")).starts_with("invalid alias name"));
        assert_eq!(
            refused(&alias("x", "get", "--output")),
            "flag name --output should be in long form without dashes"
        );
        assert_eq!(
            refused(&alias("x", "get", "odd")),
            "invalid alias flag odd in alias x"
        );
        assert_eq!(
            refused(&alias("x", "fly", "output")),
            "command \"fly\" not found to set alias \"x\": [fly]"
        );
        let twice = json!({"aliases": [{"name": "x"}, {"name": "x"}]});
        assert_eq!(refused(&twice), "duplicate alias name x");
    }

    #[test]
    fn first_document_of_a_known_version_is_used() {
        let home = tempfile::tempdir().unwrap();
        let place = Place {
            file: home.path().join("kuberc"),
            named: true,
        };
        let found = |text: &str| {
            crate::cli::output::write_file(&place.file, text).unwrap();
            read(&place)
        };
        let new = "apiVersion: kubectl.config.k8s.io/v9\nkind: Preference\n";
        let old = "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n";
        assert_eq!(found("").unwrap(), None);
        let both = found(&format!("{new}---\n{old}")).unwrap().unwrap();
        assert_eq!(both["apiVersion"], "kubectl.config.k8s.io/v1beta1");
        for text in [new, "foo", "a: ["] {
            let file = place.file.display();
            let refused = format!("no valid preferences found in {file}, use --v=5 to see details");
            assert_eq!(found(text).unwrap_err(), refused);
        }
    }

    #[test]
    fn the_file_may_be_named_on_the_command_line() {
        let named = |line: &str| {
            let args: Vec<&str> = line.split(' ').collect();
            flag_of(&words(&args)).map_err(|e| e.to_string())
        };
        let file = Ok(Some("here".to_owned()));
        assert_eq!(named("get --kuberc here"), file);
        assert_eq!(named("get --kuberc=here"), file);
        assert_eq!(named("exec x -- --kuberc=here"), Ok(None));
        assert_eq!(
            named("get --kuberc="),
            Err("kuberc file is not found".to_owned())
        );
    }
}
