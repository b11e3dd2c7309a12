//! Reads the format of ctl's own test files.

use std::path::Path;
use std::sync::Arc;

use jiff::SignedDuration;

use super::case::{Action, Case, Check, FileLine, Object, Script, Step};
use super::files::text_of;
use super::words::split;
use crate::api::json::Value;
use crate::api::yaml::{self, Document, Mode, PathStep};
use crate::cli::durations::span;
use crate::cli::timeline;

/// The version of the format.
pub(super) const API_VERSION: &str = "ctl.dev/v1";

/// The prefix of every version of the format.
pub(super) const GROUP: &str = "ctl.dev/";

/// The kind of a document that is a case.
pub(super) const KIND: &str = "Test";

/// The actions of a step; each step has exactly one.
const ACTIONS: &[&str] = &[
    "apply", "run", "settle", "for", "fault", "assert", "absent", "script",
];

/// The fields of `assert` that become arguments of `ctl assert`.
const CLAIMS: &[&str] = &["always", "never", "eventually", "then"];

/// Returns true if a document is a case of this format.
pub(super) fn is_case(value: &Value) -> bool {
    value["apiVersion"] == API_VERSION && value["kind"] == KIND
}

/// Returns an error if a document has the group of this format but an unknown version or kind: a case that a typo
/// causes to be skipped would look as if it had passed.
pub(super) fn mistaken(value: &Value) -> Option<String> {
    let (version, kind) = (value["apiVersion"].as_str()?, value["kind"].as_str()?);
    (version.starts_with(GROUP) && !is_case(value))
        .then(|| format!("unknown {kind} of {version}; a test case is a {KIND} of {API_VERSION}"))
}

/// A function that turns the text at a path into an action with its name.
type ReadText<'r> = &'r dyn Fn(&str, &[PathStep]) -> Result<(String, Action), String>;

/// A document and the context that it is read in.
struct Reader<'a> {
    file: &'a Arc<str>,
    directory: &'a Path,
    document: &'a Document,
}

/// Reads the cases of a file.
pub(super) fn read(
    documents: &[Document],
    file: &Arc<str>,
    directory: &Path,
) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for document in documents {
        let reader = Reader {
            file,
            directory,
            document,
        };
        cases.push(reader.case()?);
    }
    Ok(cases)
}

fn key(name: &str) -> PathStep {
    PathStep::Key(name.to_owned())
}

fn below(path: &[PathStep], step: PathStep) -> Vec<PathStep> {
    [path, &[step]].concat()
}

impl Reader<'_> {
    fn at(&self, path: &[PathStep]) -> FileLine {
        FileLine::at(self.file, self.document, path)
    }

    fn wrong<T>(&self, path: &[PathStep], text: impl std::fmt::Display) -> Result<T, String> {
        Err(format!("{}: {text}", self.at(path)))
    }

    /// Rejects unknown fields.
    fn only(&self, value: &Value, path: &[PathStep], known: &[&str]) -> Result<(), String> {
        let Some(map) = value.as_object() else {
            return self.wrong(path, format!("expected a map with {}", known.join(", ")));
        };
        // Ignoring an unknown field would silently skip its check.
        match map.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => self.wrong(
                &below(path, key(name)),
                format!(
                    "unknown field {:?}; known are {}",
                    name.as_str(),
                    known.join(", ")
                ),
            ),
        }
    }

    fn case(&self) -> Result<Case, String> {
        let value = &self.document.value;
        self.only(value, &[], &["apiVersion", "kind", "metadata", "spec"])?;
        let spec = &value["spec"];
        let path = [key("spec")];
        let known = ["nodes", "namespace", "skip", "steps", "cleanup"];
        self.only(spec, &path, &known)?;
        // The name is optional and defaults to the name of the file, because most files have one case.
        let stem = Path::new(&**self.file).file_stem().unwrap_or_default();
        let stem = stem.to_string_lossy();
        let stem = stem.strip_suffix(".test").unwrap_or(&stem);
        let nodes = match &spec["nodes"] {
            Value::Null => 3,
            given => match given.as_u64().and_then(|n| u32::try_from(n).ok()) {
                Some(nodes) if nodes <= 10_000 => nodes,
                _ => {
                    return self.wrong(
                        &[key("spec"), key("nodes")],
                        "nodes is a number up to 10000",
                    );
                }
            },
        };
        // Ignoring a value of the wrong type would silently change the case.
        let text = |value: &Value, path: &[&str]| match value.is_null() {
            true => Ok(None),
            false => {
                let path: Vec<PathStep> = path.iter().map(|name| key(name)).collect();
                self.text(value, &path).map(Some)
            }
        };
        let name = text(&value["metadata"]["name"], &["metadata", "name"])?;
        let namespace = text(&spec["namespace"], &["spec", "namespace"])?;
        Ok(Case {
            name: name.unwrap_or_else(|| stem.to_owned()),
            at: self.at(&[]),
            namespace: namespace.unwrap_or_else(|| "default".to_owned()),
            nodes,
            skip: text(&spec["skip"], &["spec", "skip"])?,
            needs_directory: false,
            steps: self.steps(&spec["steps"], &below(&path, key("steps")), true)?,
            cleanup: self.steps(&spec["cleanup"], &below(&path, key("cleanup")), false)?,
        })
    }

    fn steps(&self, value: &Value, path: &[PathStep], needed: bool) -> Result<Vec<Step>, String> {
        let list = match (value.as_array(), value.is_null()) {
            (Some(list), _) => list,
            (None, true) if !needed => return Ok(Vec::new()),
            _ => return self.wrong(path, "expected a list of steps"),
        };
        let mut steps = Vec::new();
        for (at, step) in list.iter().enumerate() {
            self.step(step, &below(path, PathStep::Index(at)), &mut steps)?;
        }
        Ok(steps)
    }

    fn step(&self, value: &Value, path: &[PathStep], steps: &mut Vec<Step>) -> Result<(), String> {
        let known = [ACTIONS, &["name", "within", "fails", "timeout"]].concat();
        self.only(value, path, &known)?;
        let given: Vec<&str> = ACTIONS
            .iter()
            .copied()
            .filter(|name| value.get(*name).is_some())
            .collect();
        // A step has one action, because the order of several would be undefined.
        let [action] = given[..] else {
            return self.wrong(path, format!("a step has one of {}", ACTIONS.join(", ")));
        };
        let path = below(path, key(action));
        let at = self.at(&path);
        let body = &value[action];
        let actions = self.actions(action, body, &path, value)?;
        let fails = value["fails"].as_str().map(str::to_owned);
        if value.get("fails").is_some()
            && (fails.is_none() || matches!(action, "assert" | "absent" | "for" | "fault"))
        {
            return self.wrong(
                &path,
                "fails is a part of the message of apply, run, settle or script",
            );
        }
        for (name, action) in actions {
            let name = match value["name"].as_str() {
                Some(own) => own.to_owned(),
                None => name,
            };
            steps.push(Step {
                fails: fails.clone(),
                ..Step::new(&name, &at, action)
            });
        }
        Ok(())
    }

    fn actions(
        &self,
        action: &str,
        body: &Value,
        path: &[PathStep],
        step: &Value,
    ) -> Result<Vec<(String, Action)>, String> {
        let named = |rest: &str| format!("{action} {rest}").trim_end().to_owned();
        let one = |rest: &str, action: Action| Ok(vec![(named(rest), action)]);
        match action {
            // The value is ignored: `settle:` alone is null, and some people write `settle: {}`.
            "settle" => one("", Action::Settle),
            "for" => one(
                &self.text(body, path)?,
                Action::Pass(self.span(body, path)?),
            ),
            "run" => self.each(body, path, &|text, path| {
                let words = split(text, &|_| None).or_else(|why| self.wrong(path, why))?;
                Ok((named(text), Action::Run(words)))
            }),
            "fault" => self.each(body, path, &|text, path| {
                let fault = timeline::parse(text).or_else(|why| self.wrong(path, why))?;
                Ok((named(text), Action::Fault(fault)))
            }),
            "script" => {
                let text = self.text(body, path)?;
                let mut script = Script::shell(&text, self.directory.to_owned());
                if let given @ Value::String(_) = &step["timeout"] {
                    script.timeout = self.span(given, path)?;
                }
                one(
                    text.lines().next().unwrap_or_default(),
                    Action::Script(script),
                )
            }
            "apply" => self.apply(body, path),
            _ => {
                let within = match &step["within"] {
                    Value::Null => SignedDuration::ZERO,
                    given => self.span(given, path)?,
                };
                let (name, mut check) = self.check(body, path, action == "absent")?;
                check.within = within;
                one(&name, Action::Assert(check))
            }
        }
    }

    /// Reads a text, or every text of a list.
    fn each(
        &self,
        body: &Value,
        path: &[PathStep],
        read: ReadText<'_>,
    ) -> Result<Vec<(String, Action)>, String> {
        let Some(list) = body.as_array() else {
            return Ok(vec![read(&self.text(body, path)?, path)?]);
        };
        let mut all = Vec::new();
        for (at, item) in list.iter().enumerate() {
            let path = below(path, PathStep::Index(at));
            all.push(read(&self.text(item, &path)?, &path)?);
        }
        Ok(all)
    }

    fn text(&self, value: &Value, path: &[PathStep]) -> Result<String, String> {
        match value.as_str() {
            Some(text) if !text.is_empty() => Ok(text.to_owned()),
            _ => self.wrong(path, "expected a string"),
        }
    }

    fn span(&self, value: &Value, path: &[PathStep]) -> Result<SignedDuration, String> {
        span(value.as_str().unwrap_or_default())
            .or_else(|_| self.wrong(path, "expected a duration such as 90s or 5m"))
    }

    fn apply(&self, body: &Value, path: &[PathStep]) -> Result<Vec<(String, Action)>, String> {
        let mut all = Vec::new();
        for (item, path) in items(body, path) {
            all.push(match item.as_str() {
                Some(file) => (
                    format!("apply {file}"),
                    Action::ApplyFile(self.directory.join(file)),
                ),
                None if item["kind"].is_string() => (
                    format!("apply {}", shown(item)),
                    Action::Apply(vec![item.clone()]),
                ),
                None => return self.wrong(&path, "expected a file or an object with kind"),
            });
        }
        Ok(all)
    }

    fn check(
        &self,
        body: &Value,
        path: &[PathStep],
        absent: bool,
    ) -> Result<(String, Check), String> {
        let (mut check, mut names) = (Check::default(), Vec::new());
        for (item, path) in items(body, path) {
            let mut objects = Vec::new();
            if let Some(file) = item.as_str() {
                names.push(file.to_owned());
                let shown = self.directory.join(file).display().to_string();
                objects = objects_of(&shown).or_else(|why| self.wrong(&path, why))?;
            } else if item["kind"].is_string() {
                names.push(shown(item));
                objects.push(Object {
                    document: Some(Arc::new(self.document.clone())),
                    path: path.clone(),
                    ..Object::made(item.clone(), &self.at(&path))
                });
            } else if absent {
                return self.wrong(&path, "expected a file or an object with kind");
            } else {
                let words = self.condition(item, &path)?;
                names.push(words[1..].join(" "));
                check.conditions.push(words);
            }
            match absent {
                true => check.absent.extend(objects),
                false => check.expected.extend(objects),
            }
        }
        if names.is_empty() {
            return self.wrong(path, "expected an object, a file or a condition");
        }
        Ok((names.join(", "), check))
    }

    /// Returns the arguments of `ctl assert` for a condition.
    fn condition(&self, item: &Value, path: &[PathStep]) -> Result<Vec<String>, String> {
        let known = [CLAIMS, &["object", "that", "since", "within"]].concat();
        self.only(item, path, &known)?;
        let mut words = vec!["assert".to_owned()];
        words.extend(item["object"].as_str().map(str::to_owned));
        let mut count = 0;
        for name in ["that"].iter().chain(CLAIMS) {
            for (text, path) in items(&item[*name], &below(path, key(name))) {
                if text.is_null() {
                    continue;
                }
                count += 1;
                let text = self.text(text, &path)?;
                words.push(match *name {
                    "that" => text,
                    claim => format!("--{claim}={text}"),
                });
            }
        }
        for name in ["since", "within"] {
            words.extend(item[name].as_str().map(|text| format!("--{name}={text}")));
        }
        match count {
            0 => self.wrong(
                path,
                format!("expected a condition: that, {}", CLAIMS.join(", ")),
            ),
            _ => Ok(words),
        }
    }
}

/// Returns the items of a list, or the value itself.
fn items<'v>(value: &'v Value, path: &[PathStep]) -> Vec<(&'v Value, Vec<PathStep>)> {
    match value.as_array() {
        Some(list) => {
            let numbered = list.iter().enumerate();
            numbered
                .map(|(at, item)| (item, below(path, PathStep::Index(at))))
                .collect()
        }
        None => vec![(value, path.to_vec())],
    }
}

/// Returns the kind and name of an object for messages.
pub(super) fn shown(object: &Value) -> String {
    let kind = object["kind"].as_str().unwrap_or_default().to_lowercase();
    match object["metadata"]["name"].as_str() {
        Some(name) => format!("{kind}/{name}"),
        None => kind,
    }
}

/// Reads the objects of a file.
pub(super) fn objects_of(path: &str) -> Result<Vec<Object>, String> {
    let file: Arc<str> = path.into();
    let documents = parsed(&text_of(Path::new(path))?, path)?;
    let place = |document: &Document| FileLine::at(&file, document, &[]);
    let objects = documents.iter().map(|document| Object {
        document: Some(Arc::new(document.clone())),
        ..Object::made(document.value.clone(), &place(document))
    });
    Ok(objects.collect())
}

/// Parses YAML strictly.
pub(super) fn parsed(text: &[u8], file: &str) -> Result<Vec<Document>, String> {
    yaml::parse(text, Mode::Strict).map_err(|e| format!("{file}: {e}"))
}
