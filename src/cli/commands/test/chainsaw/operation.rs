//! Turns an operation of chainsaw into the steps of a case.

use std::path::{Path, PathBuf};

use jiff::SignedDuration;

use super::super::case::{
    Action, Check, FileLine, Object, Output, Script, Step, TIMEOUT, WriteMode,
};
use super::super::own::{objects_of, shown};
use super::super::tree::{Scope, templated};
use super::items;
use super::settings::{self, Settings};
use crate::api::json::{Value, json};
use crate::cli::fork::Fork;
use crate::cli::resource::glob;

/// Returns the words of a `command` that ctl can run without a process.
fn within(command: &Value) -> Option<Vec<String>> {
    let texts = items(&command["args"]).iter().filter_map(Value::as_str);
    let words: Vec<String> = std::iter::once(command["entrypoint"].as_str()?)
        .chain(texts)
        .map(str::to_owned)
        .collect();
    let has_more = ["env", "workDir"]
        .iter()
        .any(|name| !command[*name].is_null());
    // Paths are relative to the directory of the case, and only a process can have that working directory.
    let has_files = words.iter().any(|word| {
        ["-f", "-k", "--filename", "--kustomize"]
            .iter()
            .any(|flag| word.starts_with(flag))
    });
    // chainsaw expands words with `$`, so a shell runs them.
    let is_plain = !words.iter().any(|word| word.contains('$'));
    let is_own = matches!(words[0].as_str(), "kubectl" | "ctl") && Fork::supports(&words);
    (is_own && is_plain && !has_more && !has_files).then_some(words)
}

/// Returns the files that a name or a pattern matches.
fn files(directory: &Path, name: &str) -> Vec<String> {
    let path = directory.join(name).display().to_string();
    match glob(&path) {
        // A missing file is reported when it is read.
        found if found.is_empty() => vec![path],
        found => found
            .iter()
            .map(|file| file.display().to_string())
            .collect(),
    }
}

/// An operation. Its expressions are evaluated when it runs.
pub(super) struct Operation {
    pub(super) name: &'static str,
    pub(super) body: Value,
    pub(super) at: FileLine,
    pub(super) directory: PathBuf,
    pub(super) settings: Settings,
    /// The position in the list of its step, from 1.
    pub(super) number: usize,
}

impl Operation {
    /// Returns true if it may start a process.
    pub(super) fn needs_process(&self) -> bool {
        match self.name {
            "script" => true,
            "command" => within(&self.body).is_none(),
            _ => false,
        }
    }

    /// Returns the operation in words.
    pub(super) fn shown(&self) -> String {
        let body = &self.body;
        let detail = match (body["file"].as_str(), body["resource"].is_object()) {
            (Some(file), _) => file.to_owned(),
            (None, true) => shown(&body["resource"]),
            _ => match self.name {
                "script" => body["content"]
                    .as_str()
                    .and_then(|text| text.lines().next())
                    .unwrap_or_default()
                    .to_owned(),
                "command" => within(body).map_or_else(String::new, |words| words.join(" ")),
                _ => body["kind"].as_str().unwrap_or_default().to_lowercase(),
            },
        };
        format!("{} {detail}", self.name).trim_end().to_owned()
    }

    fn step(&self, action: Action) -> Step {
        let expect = items(&self.body["expect"]).iter();
        let mut expect: Vec<(Value, Value)> = expect
            .map(|one| (one["match"].clone(), one["check"].clone()))
            .collect();
        if let Some(check) = self.body.get("check") {
            expect.push((Value::Null, check.clone()));
        }
        let outputs = items(&self.body["outputs"]).iter().map(|one| Output {
            name: one["name"].clone(),
            matching: one["match"].clone(),
            value: one["value"].clone(),
        });
        Step {
            expect,
            outputs: outputs.collect(),
            ..Step::new(&self.shown(), &self.at, action)
        }
    }

    /// Returns the step that sets the number of the operation and of its object.
    fn numbered(&self, resource: usize) -> Step {
        let id = json!({"id": self.number as u64, "resourceId": resource as u64});
        let bind = Action::Bind(vec![("operation".to_owned(), id)], false);
        Step::new("bindings", &self.at, bind)
    }

    /// Returns the objects in `file` or `resource`.
    fn objects(&self, scope: &Scope) -> Result<Vec<Object>, String> {
        let mut objects = match self.body["file"].as_str() {
            Some(_) => {
                let file = templated(&self.body["file"], scope)?;
                let files = files(&self.directory, file.as_str().unwrap_or_default());
                let objects = files.iter().map(|file| objects_of(file));
                objects.collect::<Result<Vec<_>, String>>()?.concat()
            }
            None if self.body["resource"].is_object() => {
                vec![Object::made(self.body["resource"].clone(), &self.at)]
            }
            None => return Err("expected file or resource".to_owned()),
        };
        // The expressions of an expected object are evaluated later, on the actual object.
        if !matches!(self.name, "assert" | "error") && self.settings.template {
            for object in &mut objects {
                object.value = templated(&object.value, scope)
                    .map_err(|why| format!("{}: {why}", object.at))?;
            }
        }
        Ok(objects)
    }

    /// Returns a duration that the operation sets, or else a default.
    fn time(&self, name: &str, other: SignedDuration) -> SignedDuration {
        settings::time(&self.body[name]).unwrap_or(other)
    }

    /// Returns the steps that write objects: one per object, because each result is checked and has outputs.
    fn writes(&self, how: WriteMode, scope: &Scope) -> Result<Vec<Step>, String> {
        let is_dry = self.body["dryRun"].as_bool() == Some(true);
        let mut steps = Vec::new();
        for (at, object) in self.objects(scope)?.into_iter().enumerate() {
            steps.push(self.numbered(at + 1));
            steps.push(self.step(Action::Write(how, vec![object], is_dry)));
        }
        Ok(steps)
    }

    /// Returns the steps of the operation, with its expressions evaluated now.
    pub(super) fn steps(&self, scope: &Scope) -> Result<Vec<Step>, String> {
        let one = |action: Action| Ok(vec![self.numbered(1), self.step(action)]);
        match self.name {
            "apply" => self.writes(WriteMode::Merge, scope),
            "create" => self.writes(WriteMode::Create, scope),
            "update" => self.writes(WriteMode::Replace, scope),
            // A patch never creates an object: a missing one is a mistake in the case.
            "patch" => self.writes(WriteMode::Patch, scope),
            "assert" | "error" => {
                let objects = self.objects(scope)?;
                let mut check = Check {
                    trees: true,
                    ..Check::default()
                };
                let own = match self.name {
                    "assert" => {
                        check.expected = objects;
                        self.settings.assert
                    }
                    _ => {
                        check.absent = objects;
                        self.settings.error
                    }
                };
                check.within = self.time("timeout", own);
                one(Action::Assert(check))
            }
            "delete" => {
                let objects = match self.body.get("ref") {
                    Some(reference) => vec![self.reference(&templated(reference, scope)?)],
                    None => self.objects(scope)?,
                };
                let within = self.time("timeout", self.settings.delete);
                one(Action::Delete(objects, within, self.settings.propagation))
            }
            "sleep" => one(Action::Pass(self.time("duration", SignedDuration::ZERO))),
            "script" | "command" => one(self.process(scope)?),
            "wait" | "describe" | "events" | "get" | "podLogs" => {
                let mut body = self.body.clone();
                if let Some(map) = body.as_object_mut() {
                    // Outputs are evaluated after the command, on its result.
                    map.remove("outputs");
                }
                one(Action::Run(self.command(&templated(&body, scope)?)?))
            }
            other => Err(format!(
                "{}: the operation {other:?} is not supported",
                self.at
            )),
        }
    }

    fn reference(&self, value: &Value) -> Object {
        let metadata = ["name", "namespace", "labels"].into_iter();
        let metadata = metadata.filter_map(|name| Some((name, value.get(name)?.clone())));
        let value = json!({"apiVersion": value["apiVersion"].clone(), "kind": value["kind"].clone(),
            "metadata": Value::from_iter(metadata)});
        Object::made(value, &self.at)
    }

    fn process(&self, scope: &Scope) -> Result<Action, String> {
        let body = &self.body;
        if let Some(words) = within(body).filter(|_| self.name == "command") {
            return Ok(Action::Run(words));
        }
        let directory = match body["workDir"].as_str() {
            Some(own) => self.directory.join(own),
            None => self.directory.clone(),
        };
        let mut script = match body["content"].as_str() {
            Some(text) => Script::shell(text, directory),
            None => {
                let texts = items(&body["args"]).iter().filter_map(Value::as_str);
                let program = body["entrypoint"].as_str().unwrap_or_default();
                let words = std::iter::once(program).chain(texts);
                // chainsaw expands variables in the arguments of a command, as a shell does inside double quotes.
                let quoted = words.map(|word| {
                    format!(
                        "\"{}\"",
                        word.replace('\\', "\\\\")
                            .replace('"', "\\\"")
                            .replace('`', "\\`")
                    )
                });
                Script::shell(&quoted.collect::<Vec<_>>().join(" "), directory)
            }
        };
        script.timeout = self.time("timeout", self.settings.exec.max(TIMEOUT));
        for variable in items(&body["env"]) {
            let value = templated(&variable["value"], scope)?;
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            script.environment.push((
                variable["name"].as_str().unwrap_or_default().to_owned(),
                text,
            ));
        }
        Ok(Action::Script(script))
    }

    /// Returns the command that waits for objects or shows them.
    fn command(&self, body: &Value) -> Result<Vec<String>, String> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (version, kind) = (
            text(&body["apiVersion"]),
            text(&body["kind"]).to_lowercase(),
        );
        let resource = match (body["resource"].as_str(), version.split_once('/')) {
            (Some(own), _) => own.to_owned(),
            (None, Some((group, _))) => format!("{kind}.{group}"),
            (None, None) => kind,
        };
        let mut words: Vec<String> = match self.name {
            "podLogs" => vec!["logs".to_owned()],
            "events" => vec!["events".to_owned()],
            name => vec![name.to_owned(), resource.clone()],
        };
        let name = text(&body["name"]);
        match (self.name, name.is_empty()) {
            // `events` means the events about the named object, not events of that name.
            ("events", false) if !resource.is_empty() => {
                words.push(format!("--for={resource}/{name}"))
            }
            ("events", _) | (_, true) => {}
            (_, false) => words.push(name),
        }
        for (field, flag) in [
            ("selector", "--selector"),
            ("namespace", "--namespace"),
            ("container", "--container"),
        ] {
            words.extend(body[field].as_str().map(|text| format!("{flag}={text}")));
        }
        if self.name == "podLogs" {
            words.extend(body["tail"].as_i64().map(|n| format!("--tail={n}")));
            // chainsaw shows the logs of all containers unless one is named.
            let all = body["container"].is_null();
            words.extend(all.then(|| "--all-containers".to_owned()));
        }
        if self.name == "describe" && body["showEvents"].as_bool() == Some(false) {
            words.push("--show-events=false".to_owned());
        }
        if self.name == "get" {
            words.extend(
                body["format"]
                    .as_str()
                    .map(|text| format!("--output={text}")),
            );
        }
        if self.name == "wait" {
            words.extend(self.waiting(body)?);
        }
        Ok(words)
    }

    /// Returns the arguments of the command that waits for objects.
    fn waiting(&self, body: &Value) -> Result<Vec<String>, String> {
        let goal = &body["for"];
        let condition = &goal["condition"];
        let path = goal["jsonPath"]["path"].as_str();
        let goal = match (goal.get("deletion"), condition["name"].as_str(), path) {
            (Some(_), ..) => "--for=delete".to_owned(),
            (None, Some(name), _) => match condition["value"].as_str() {
                Some(value) => format!("--for=condition={name}={value}"),
                None => format!("--for=condition={name}"),
            },
            (None, None, Some(path)) => {
                let value = goal["jsonPath"]["value"].as_str().unwrap_or_default();
                format!("--for=jsonpath={path}={value}")
            }
            _ => {
                let at = &self.at;
                return Err(format!("{at}: wait needs deletion, condition or jsonPath"));
            }
        };
        let has_name = body["name"].as_str().is_some_and(|name| !name.is_empty());
        // kubectl requires a name, a selector or `--all`; chainsaw waits for all objects by default.
        let all = !has_name && !body["selector"].is_string();
        let time = self.time("timeout", self.settings.assert).as_secs();
        let rest = [goal, format!("--timeout={time}s")];
        let all = all.then(|| "--all".to_owned());
        Ok(all.into_iter().chain(rest).collect())
    }
}
