//! Reads the format of kuttl: a directory for each case, with numbered files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::SignedDuration;

use super::case::{Action, Case, Check, FileLine, Group, Object, Script, Step, TIMEOUT, WriteMode};
use super::files::{entries, is_yaml};
use super::own::{objects_of, shown};
use super::words::split;
use crate::api::json::{Value, json};
use crate::api::pattern;
use crate::cli::fork::Fork;

/// The possible names of a suite's settings file.
const SUITE: &[&str] = &["kuttl-test.yaml", "kuttl-test.yml"];

/// The versions of kuttl's kinds.
const VERSIONS: &[&str] = &["kuttl.dev/v1beta1", "kudo.dev/v1alpha1"];

/// The time that an assertion waits by default.
const WAIT: SignedDuration = SignedDuration::from_secs(30);

/// The supported settings of a suite.
#[derive(Clone)]
pub(super) struct Suite {
    wait: SignedDuration,
    namespace: Option<String>,
    /// A regular expression for the names of the cases that are skipped.
    skip: Option<String>,
    /// The steps that run before each case: definitions, manifests and commands.
    before: Vec<Step>,
    /// The directories with the cases.
    pub(super) directories: Vec<PathBuf>,
}

impl Default for Suite {
    fn default() -> Self {
        Self {
            wait: WAIT,
            namespace: None,
            skip: None,
            before: Vec::new(),
            directories: Vec::new(),
        }
    }
}

/// Returns the settings file of a suite, if the directory has one.
pub(super) fn suite_file(directory: &Path) -> Option<PathBuf> {
    let paths = SUITE.iter().map(|name| directory.join(name));
    paths.into_iter().find(|path| path.is_file())
}

/// Returns true if a path is a suite's settings file.
pub(super) fn is_suite(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|n| SUITE.iter().any(|own| n == *own))
}

/// Reads the settings of a suite.
pub(super) fn suite(file: &Path) -> Result<Suite, String> {
    let here = file.parent().unwrap_or(Path::new(""));
    let mut suite = Suite::default();
    for object in objects_of(&file.display().to_string())? {
        let value = &object.value;
        if !is_own(value, "TestSuite") {
            return Err(format!("{}: expected a TestSuite", object.at));
        }
        suite.wait = seconds(&value["timeout"]).unwrap_or(suite.wait);
        suite.namespace = value["namespace"].as_str().map(str::to_owned);
        suite.skip = value["skipTestRegex"].as_str().map(str::to_owned);
        let texts = |name: &str| texts(&value[name]);
        for path in texts("testDirs") {
            // kuttl resolves the path from the working directory, but users expect it to be relative to the file, so
            // both work.
            let beside = here.join(&path);
            suite
                .directories
                .push(if beside.is_dir() { beside } else { path.into() });
        }
        let directories = texts("manifestDirs").into_iter().chain(texts("crdDir"));
        for path in directories.chain(value["crdDir"].as_str().map(str::to_owned)) {
            let beside = here.join(&path);
            let objects = objects_below(&if beside.exists() {
                beside
            } else {
                path.clone().into()
            })?;
            suite.before.push(step(
                format!("apply {path}"),
                &object.at,
                Action::Write(WriteMode::Merge, objects, false),
            ));
        }
        suite
            .before
            .extend(commands(&value["commands"], &object.at, here, &None)?);
    }
    Ok(suite)
}

/// Returns true if a directory is a case. Numbered manifests are common, so outside of a suite only assertions identify
/// a case.
pub(super) fn is_case(entries: &[PathBuf], suite: &Suite) -> bool {
    let of_case = |rest: String| {
        let kind = rest.split('-').next().unwrap_or_default();
        !suite.directories.is_empty() || matches!(kind, "assert" | "errors")
    };
    entries
        .iter()
        .filter(|path| is_yaml(path) || path.is_dir())
        .any(|path| numbered(path).is_some_and(|(_, rest)| of_case(rest)))
}

/// Splits a name such as `01-assert.yaml` into its number and the rest.
fn numbered(path: &Path) -> Option<(u64, String)> {
    let name = path.file_name()?.to_str()?;
    let (number, rest) = name.split_once('-')?;
    let rest = rest
        .strip_suffix(".yaml")
        .or_else(|| rest.strip_suffix(".yml"))
        .unwrap_or(rest);
    let is_plain = !rest.is_empty() && !rest.contains('.');
    is_plain.then(|| Some((number.parse().ok()?, rest.to_owned())))?
}

/// The files that share a number.
#[derive(Default)]
struct Files {
    apply: Vec<Object>,
    step: Vec<Object>,
    asserts: Vec<Object>,
    errors: Vec<Object>,
}

/// Reads a case.
pub(super) fn case(directory: &Path, entries: &[PathBuf], suite: &Suite) -> Result<Case, String> {
    let name = directory
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    // Files sort by number rather than by name: `10-` comes after `9-`.
    let mut numbers: BTreeMap<u64, Files> = BTreeMap::new();
    let mut first = None;
    for path in entries {
        let Some((number, rest)) = numbered(path).filter(|_| is_yaml(path) || path.is_dir()) else {
            continue;
        };
        first.get_or_insert_with(|| path.display().to_string());
        let files = numbers.entry(number).or_default();
        for object in objects_below(path)? {
            let kind = rest.split('-').next().unwrap_or_default();
            let list = match kind {
                "assert" => &mut files.asserts,
                "errors" => &mut files.errors,
                _ if is_own(&object.value, "TestStep") => &mut files.step,
                _ => &mut files.apply,
            };
            list.push(object);
        }
    }
    let at = FileLine {
        file: Arc::from(first.unwrap_or_else(|| directory.display().to_string())),
        line: 1,
    };
    let skipped = match &suite.skip {
        Some(regex) => pattern::compile(regex)
            .map_err(|why| format!("skipTestRegex: {why}"))?
            .is_match(&name),
        None => false,
    };
    let mut case = Case {
        namespace: suite
            .namespace
            .clone()
            .unwrap_or_else(|| namespace_of("kuttl-test", &name)),
        name,
        at: at.clone(),
        nodes: 3,
        skip: skipped.then(|| "skipTestRegex".to_owned()),
        needs_directory: false,
        steps: suite.before.clone(),
        cleanup: Vec::new(),
    };
    for (number, files) in numbers {
        let number = format!("{number:02}");
        steps(
            &number,
            files,
            directory,
            suite,
            &case.namespace.clone(),
            &mut case.steps,
        )?;
    }
    Ok(case)
}

/// Returns a valid name for the namespace of a case.
pub(super) fn namespace_of(prefix: &str, name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let name: String = format!("{prefix}-{name}")
        .chars()
        .map(plain)
        .take(63)
        .collect();
    name.trim_matches('-').to_owned()
}

/// Adds the steps of one number in kuttl's order: deletions, commands, objects, and finally all assertions at once.
fn steps(
    number: &str,
    mut files: Files,
    directory: &Path,
    suite: &Suite,
    namespace: &str,
    steps: &mut Vec<Step>,
) -> Result<(), String> {
    let namespace = Some(namespace.to_owned());
    for object in std::mem::take(&mut files.step) {
        let (value, at) = (&object.value, &object.at);
        if value["unitTest"].as_bool() == Some(true) || value["kubeconfig"].is_string() {
            return Err(format!(
                "{at}: unitTest and kubeconfig of a TestStep are not supported"
            ));
        }
        let deleted: Vec<Object> = value["delete"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|r| reference(r, at))
            .collect();
        if !deleted.is_empty() {
            let action = Action::Delete(deleted, suite.wait, None);
            steps.push(step(format!("{number} delete"), at, action));
        }
        steps.extend(commands(&value["commands"], at, directory, &namespace)?);
        for (field, list) in [
            ("apply", &mut files.apply),
            ("assert", &mut files.asserts),
            ("error", &mut files.errors),
        ] {
            for path in texts(&value[field]) {
                list.extend(objects_below(&directory.join(path))?);
            }
        }
    }
    if let Some(first) = files.apply.first() {
        let (at, names) = (first.at.clone(), names(&files.apply));
        steps.push(step(
            format!("{number} apply {names}"),
            &at,
            Action::Write(WriteMode::Merge, std::mem::take(&mut files.apply), false),
        ));
    }
    steps.extend(asserted(number, files, directory, suite.wait, &namespace)?);
    Ok(())
}

/// Returns the step that checks all assertions of a number at once.
fn asserted(
    number: &str,
    files: Files,
    directory: &Path,
    within: SignedDuration,
    namespace: &Option<String>,
) -> Result<Option<Step>, String> {
    let mut check = Check {
        within,
        ..Check::default()
    };
    let at = files
        .asserts
        .first()
        .or(files.errors.first())
        .map(|o| o.at.clone());
    let mut collected = Vec::new();
    for object in files.asserts {
        let value = &object.value;
        if !is_own(value, "TestAssert") {
            check.expected.push(object);
            continue;
        }
        if let Some(name) = ["resourceRefs", "assertAny", "assertAll"]
            .iter()
            .find(|name| value.get(**name).is_some())
        {
            let at = &object.at;
            return Err(format!("{at}: {name} of a TestAssert is not supported"));
        }
        check.within = seconds(&value["timeout"]).unwrap_or(check.within);
        collected.extend(collectors(
            &value["collectors"],
            &object.at,
            directory,
            namespace,
        )?);
        for command in value["commands"].as_array().into_iter().flatten() {
            check
                .scripts
                .push(script(command, &object.at, directory, namespace)?);
        }
    }
    check.absent = files.errors;
    let Some(at) = at else {
        return Ok(None);
    };
    let all: Vec<Object> = check
        .expected
        .iter()
        .chain(&check.absent)
        .cloned()
        .collect();
    let name = format!("{number} assert {}", names(&all));
    let assert = step(name.clone(), &at, Action::Assert(check));
    // Without collectors the step stays plain, because `--update` handles only plain steps.
    if collected.is_empty() {
        return Ok(Some(assert));
    }
    let group = Group {
        steps: vec![assert],
        catch: collected,
        ..Group::default()
    };
    Ok(Some(step(name, &at, Action::Group(group))))
}

/// Returns the steps that collect details about a failed assertion.
fn collectors(
    value: &Value,
    at: &FileLine,
    directory: &Path,
    namespace: &Option<String>,
) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    for collector in value.as_array().into_iter().flatten() {
        let text = |name: &str| collector[name].as_str();
        let own = text("namespace")
            .map(str::to_owned)
            .or_else(|| namespace.clone());
        let own = own.map(|namespace| format!("--namespace={namespace}"));
        // A collector with a command needs no type.
        let kind = match (text("type"), text("command")) {
            (None, Some(_)) => "command",
            (kind, _) => kind.unwrap_or("pod"),
        };
        let mut words: Vec<String> = match kind {
            "command" => {
                let list = Value::from(vec![collector.clone()]);
                steps.extend(commands(&list, at, directory, namespace)?);
                continue;
            }
            "events" => ["get", "events"].map(str::to_owned).to_vec(),
            "pod" => {
                let selector = text("selector").map(|s| format!("--selector={s}"));
                let words = ["logs".to_owned()].into_iter();
                let words = words.chain(text("pod").map(str::to_owned)).chain(selector);
                let container = text("container").map(|name| format!("--container={name}"));
                let container = container.unwrap_or_else(|| "--all-containers".to_owned());
                let tail = collector["tail"].as_i64().map(|n| format!("--tail={n}"));
                words.chain([container]).chain(tail).collect()
            }
            other => {
                return Err(format!(
                    "{at}: the type of a collector is pod, events or command, not {other:?}"
                ));
            }
        };
        words.extend(own);
        steps.push(step(format!("collect {kind}"), at, Action::Run(words)));
    }
    Ok(steps)
}

fn step(name: String, at: &FileLine, action: Action) -> Step {
    Step::new(&name, at, action)
}

fn names(objects: &[Object]) -> String {
    let names: Vec<String> = objects.iter().map(|o| shown(&o.value)).collect();
    names.join(", ")
}

fn is_own(value: &Value, kind: &str) -> bool {
    value["kind"] == kind
        && VERSIONS
            .iter()
            .any(|version| value["apiVersion"] == *version)
}

fn seconds(value: &Value) -> Option<SignedDuration> {
    value
        .as_i64()
        .filter(|n| *n > 0)
        .map(SignedDuration::from_secs)
}

fn texts(value: &Value) -> Vec<String> {
    let texts = value.as_array().into_iter().flatten();
    texts
        .filter_map(|text| Some(text.as_str()?.to_owned()))
        .collect()
}

/// Returns the object or selector that a reference to delete describes.
fn reference(value: &Value, at: &FileLine) -> Object {
    let metadata = ["name", "namespace", "labels"].into_iter();
    let metadata = metadata.filter_map(|name| Some((name, value.get(name)?.clone())));
    Object::made(
        json!({"apiVersion": value["apiVersion"].clone(), "kind": value["kind"].clone(),
            "metadata": Value::from_iter(metadata)}),
        at,
    )
}

/// Reads the objects of a file, or of all files below a directory.
fn objects_below(path: &Path) -> Result<Vec<Object>, String> {
    if !path.is_dir() {
        return objects_of(&path.display().to_string());
    }
    let mut all = Vec::new();
    for entry in entries(path)? {
        if entry.is_dir() || is_yaml(&entry) {
            all.extend(objects_below(&entry)?);
        }
    }
    Ok(all)
}

fn commands(
    value: &Value,
    at: &FileLine,
    directory: &Path,
    namespace: &Option<String>,
) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    for command in value.as_array().into_iter().flatten() {
        let script = script(command, at, directory, namespace)?;
        let text = command["command"]
            .as_str()
            .or(command["script"].as_str())
            .unwrap_or_default();
        let name = format!("run {}", text.lines().next().unwrap_or_default());
        // A kubectl command needs no process, so the cluster can stay in memory.
        let is_shell = command["script"].is_string();
        let action = match !is_shell
            && !script.may_fail
            && is_program(&script.words)
            && Fork::supports(&script.words)
        {
            true => Action::Run(script.words),
            false => Action::Script(script),
        };
        steps.push(step(name, at, action));
    }
    Ok(steps)
}

fn is_program(words: &[String]) -> bool {
    // Paths are relative to the directory of the case, and only a process can have that working directory.
    let has_files = words.iter().any(|word| {
        word.starts_with("-f")
            || word.starts_with("-k")
            || word.starts_with("--filename")
            || word.starts_with("--kustomize")
    });
    words
        .first()
        .is_some_and(|word| word == "kubectl" || word == "ctl")
        && !has_files
}

fn script(
    command: &Value,
    at: &FileLine,
    directory: &Path,
    namespace: &Option<String>,
) -> Result<Script, String> {
    if command["background"].as_bool() == Some(true) {
        return Err(format!(
            "{at}: commands in the background are not supported"
        ));
    }
    let mut script = match (command["command"].as_str(), command["script"].as_str()) {
        (Some(line), None) => {
            let variable = |name: &str| match name {
                "NAMESPACE" => namespace.clone(),
                "PWD" => Some(directory.display().to_string()),
                // kuttl expands environment variables itself, without a shell.
                _ => std::env::var(name).ok(),
            };
            let mut words = split(line, &variable).map_err(|why| format!("{at}: {why}"))?;
            if command["namespaced"].as_bool() == Some(true) {
                words.extend(
                    namespace
                        .as_ref()
                        .map(|namespace| format!("--namespace={namespace}")),
                );
            }
            Script {
                words,
                ..Script::shell("", directory.to_owned())
            }
        }
        (None, Some(text)) => Script::shell(text, directory.to_owned()),
        _ => return Err(format!("{at}: a command needs command or script")),
    };
    script.timeout = seconds(&command["timeout"]).unwrap_or(TIMEOUT);
    script.may_fail = command["ignoreFailure"].as_bool() == Some(true);
    Ok(script)
}
