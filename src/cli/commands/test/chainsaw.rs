//! The format of chainsaw: a list of steps, each with operations to try, to catch a failure, and to do in the end.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::SignedDuration;

use super::case::{Action, At, Case, Check, Group, How, Later, Object, Script, Step};
use super::kuttl::namespace_of;
use super::own::{objects_of, shown};
use super::tree::templated;
use crate::api::json::{Value, json};
use crate::api::yaml::{Document, PathStep};
use crate::cli::durations::span;
use crate::cli::fork::Fork;
use crate::print::jmespath::Variables;

/// The group of chainsaw's kinds.
pub(super) const GROUP: &str = "chainsaw.kyverno.io/";

/// Operations that are known, in the order in which an operation is searched for its own.
const OPERATIONS: &[&str] = &[
    "apply", "assert", "command", "create", "delete", "describe", "error", "events", "get",
    "patch", "podLogs", "proxy", "script", "sleep", "update", "wait",
];

/// Returns true if a document is a case of this format.
pub(super) fn is_case(value: &Value) -> bool {
    value["apiVersion"]
        .as_str()
        .is_some_and(|version| version.starts_with(GROUP))
        && value["kind"] == "Test"
}

/// The times that operations may take.
#[derive(Clone, Copy, Debug)]
struct Timeouts {
    assert: SignedDuration,
    error: SignedDuration,
    delete: SignedDuration,
    /// In real time.
    exec: SignedDuration,
}

impl Timeouts {
    /// Returns the times with those that an object names.
    fn with(self, value: &Value) -> Self {
        let time = |name: &str, other| {
            value[name]
                .as_str()
                .and_then(|text| span(text).ok())
                .unwrap_or(other)
        };
        Self {
            assert: time("assert", self.assert),
            error: time("error", self.error),
            delete: time("delete", self.delete),
            exec: time("exec", self.exec),
        }
    }
}

/// chainsaw's own times.
const TIMEOUTS: Timeouts = Timeouts {
    assert: SignedDuration::from_secs(30),
    error: SignedDuration::from_secs(30),
    delete: SignedDuration::from_secs(15),
    exec: SignedDuration::from_secs(5),
};

/// A document that is being read.
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
    let settings = settings(directory)?;
    let mut cases = Vec::new();
    for document in documents {
        cases.push(case(
            document,
            file,
            directory,
            TIMEOUTS.with(&settings["timeouts"]),
        )?);
    }
    Ok(cases)
}

/// Returns the settings for the cases of a directory: those of the nearest `.chainsaw.yaml` above it.
fn settings(directory: &Path) -> Result<Value, String> {
    // From the root on: a relative path has too few ancestors.
    let absolute = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
    let mut files = absolute
        .ancestors()
        .map(|above| above.join(".chainsaw.yaml"));
    let Some(file) = files.find(|file| file.is_file()) else {
        return Ok(Value::Null);
    };
    let mut objects = objects_of(&file.display().to_string())?.into_iter();
    let found = objects.find(|object| object.value["kind"] == "Configuration");
    Ok(found
        .map(|object| object.value["spec"].clone())
        .unwrap_or_default())
}

fn case(
    document: &Document,
    file: &Arc<str>,
    directory: &Path,
    timeouts: Timeouts,
) -> Result<Case, String> {
    let value = &document.value;
    let spec = &value["spec"];
    let name = value["metadata"]["name"]
        .as_str()
        .unwrap_or("chainsaw-test")
        .to_owned();
    let namespace = match spec["namespace"].as_str() {
        Some(own) => own.to_owned(),
        None => namespace_of("chainsaw", &name),
    };
    let reader = Reader {
        file,
        directory,
        document,
    };
    let timeouts = timeouts.with(&spec["timeouts"]);
    let own = json!([{"name": "namespace", "value": namespace.as_str()}, {"name": "test", "value": value.clone()}]);
    let mut steps = vec![reader.bind(&own, &[], false)];
    steps.push(reader.bind(&spec["bindings"], &path("spec", "bindings"), true));
    let catch = reader.operations(&spec["catch"], &path("spec", "catch"), timeouts)?;
    let list = spec["steps"]
        .as_array()
        .map(|list| list.as_slice().to_vec())
        .unwrap_or_default();
    for (number, step) in list.iter().enumerate() {
        let below = [path("spec", "steps"), vec![PathStep::Index(number)]].concat();
        steps.push(reader.step(step, &below, timeouts, number + 1, &catch)?);
    }
    Ok(Case {
        needs_directory: needs_process(spec),
        name,
        at: At::of(file, document, &[]),
        namespace,
        nodes: 3,
        skip: (spec["skip"].as_bool() == Some(true)).then(|| "spec.skip is true".to_owned()),
        steps,
        cleanup: Vec::new(),
    })
}

fn path(first: &str, second: &str) -> Vec<PathStep> {
    [first, second]
        .map(|name| PathStep::Key(name.to_owned()))
        .to_vec()
}

/// Returns true if an operation anywhere in a value may start a process.
fn needs_process(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.iter().any(needs_process),
        Value::Object(map) => map.iter().any(|(name, inner)| match name.as_str() {
            "script" => inner.is_object(),
            "command" => inner.is_object() && within(inner).is_none(),
            "try" | "catch" | "finally" | "cleanup" | "steps" => needs_process(inner),
            _ => false,
        }),
        _ => false,
    }
}

/// Returns the words of a `command` that needs no process.
fn within(command: &Value) -> Option<Vec<String>> {
    let texts = command["args"]
        .as_array()
        .into_iter()
        .flat_map(|list| list.iter())
        .filter_map(Value::as_str);
    let words: Vec<String> = std::iter::once(command["entrypoint"].as_str()?)
        .chain(texts)
        .map(str::to_owned)
        .collect();
    let has_more = ["env", "check", "outputs", "workDir"]
        .iter()
        .any(|name| !command[*name].is_null());
    // Files are found from the directory of the case, in which only a process can be.
    let has_files = words.iter().any(|word| {
        ["-f", "-k", "--filename", "--kustomize"]
            .iter()
            .any(|flag| word.starts_with(flag))
    });
    // Words with `$` would be expanded by chainsaw, so a shell runs them.
    let is_plain = !words.iter().any(|word| word.contains('$'));
    let is_own = matches!(words[0].as_str(), "kubectl" | "ctl") && Fork::knows(&words);
    (is_own && is_plain && !has_more && !has_files).then_some(words)
}

impl Reader<'_> {
    fn at(&self, path: &[PathStep]) -> At {
        At::of(self.file, self.document, path)
    }

    fn made(&self, name: &str, path: &[PathStep], action: Action) -> Step {
        Step {
            name: name.to_owned(),
            at: self.at(path),
            action,
            fails: None,
            expect: Vec::new(),
        }
    }

    /// Returns a step that gives values to variables.
    fn bind(&self, bindings: &Value, path: &[PathStep], evaluate: bool) -> Step {
        let all = bindings.as_array().into_iter().flat_map(|list| list.iter());
        let all =
            all.filter_map(|one| Some((one["name"].as_str()?.to_owned(), one["value"].clone())));
        self.made("bindings", path, Action::Bind(all.collect(), evaluate))
    }

    fn step(
        &self,
        value: &Value,
        path: &[PathStep],
        timeouts: Timeouts,
        number: usize,
        catch: &[Step],
    ) -> Result<Step, String> {
        let below = |name: &str| [path, &[PathStep::Key(name.to_owned())]].concat();
        if value.get("use").is_some() {
            let at = self.at(&below("use"));
            return Ok(self.made(
                "use",
                path,
                Action::Unsupported(format!("{at}: step templates (`use`) are not supported")),
            ));
        }
        // The nearest time counts, so each level replaces the value of the one above.
        let timeouts = timeouts.with(&value["timeouts"]);
        let mut steps = vec![self.bind(&value["bindings"], &below("bindings"), true)];
        steps.extend(self.operations(&value["try"], &below("try"), timeouts)?);
        // The step's own operations come first: they know best what to show.
        let mut own = self.operations(&value["catch"], &below("catch"), timeouts)?;
        own.extend(catch.iter().cloned());
        let mut finally = self.operations(&value["finally"], &below("finally"), timeouts)?;
        finally.extend(self.operations(&value["cleanup"], &below("cleanup"), timeouts)?);
        let name = value["name"]
            .as_str()
            .map_or_else(|| format!("step {number}"), str::to_owned);
        Ok(self.made(
            &name,
            path,
            Action::Group(Group {
                steps,
                catch: own,
                finally,
            }),
        ))
    }

    fn operations(
        &self,
        value: &Value,
        path: &[PathStep],
        timeouts: Timeouts,
    ) -> Result<Vec<Step>, String> {
        let mut all = Vec::new();
        for (number, value) in value
            .as_array()
            .into_iter()
            .flat_map(|list| list.iter())
            .enumerate()
        {
            let path = [path, &[PathStep::Index(number)]].concat();
            let at = self.at(&path);
            // chainsaw itself rejects such a file before it runs anything.
            let Some(name) = OPERATIONS.iter().find(|name| value.get(**name).is_some()) else {
                return Err(format!(
                    "{at}: unknown operation; known are {}",
                    OPERATIONS.join(", ")
                ));
            };
            let body = value[*name].clone();
            let operation = Operation {
                name,
                body,
                at,
                directory: self.directory.to_owned(),
                timeouts,
            };
            // Bindings first: the operation may use them.
            let mut steps = vec![self.bind(&operation.body["bindings"], &path, true)];
            // Before its expressions have values, because reports name it also if they have none.
            let text = operation.shown();
            let later = Later(Arc::new(move |variables: &Variables| {
                operation.steps(variables)
            }));
            steps.push(self.made(&text, &path, Action::Later(later)));
            let group = Group {
                steps,
                ..Group::default()
            };
            // Bindings of an operation end with it; its outputs do not, so only operations with bindings get a scope.
            match value[*name].get("bindings").is_some() {
                true => all.push(self.made(&text, &path, Action::Group(group))),
                false => all.extend(group.steps.into_iter().skip(1)),
            }
        }
        Ok(all)
    }
}

/// An operation, whose expressions have values only when it runs.
struct Operation {
    name: &'static str,
    body: Value,
    at: At,
    directory: PathBuf,
    timeouts: Timeouts,
}

impl Operation {
    /// Returns the words for people.
    fn shown(&self) -> String {
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
        let expect = self.body["expect"]
            .as_array()
            .into_iter()
            .flat_map(|list| list.iter());
        let mut expect: Vec<(Value, Value)> = expect
            .map(|one| (one["match"].clone(), one["check"].clone()))
            .collect();
        if let Some(check) = self.body.get("check") {
            expect.push((Value::Null, check.clone()));
        }
        Step {
            name: self.shown(),
            at: self.at.clone(),
            action,
            fails: None,
            expect,
        }
    }

    /// Returns the objects of `file` or `resource`.
    fn objects(&self, variables: &Variables) -> Result<Vec<Object>, String> {
        let mut objects = match self.body["file"].as_str() {
            Some(_) => {
                let file = templated(&self.body["file"], variables)?;
                let path = self.directory.join(file.as_str().unwrap_or_default());
                objects_of(&path.display().to_string())?
            }
            None if self.body["resource"].is_object() => {
                vec![Object::made(self.body["resource"].clone(), &self.at)]
            }
            None => return Err("file or resource is needed".to_owned()),
        };
        // The expressions of an expected object are evaluated on the actual one.
        if !matches!(self.name, "assert" | "error")
            && self.body["template"].as_bool() != Some(false)
        {
            for object in &mut objects {
                object.value = templated(&object.value, variables)
                    .map_err(|why| format!("{}: {why}", object.at))?;
            }
        }
        Ok(objects)
    }

    /// Returns a time of the operation.
    fn time(&self, name: &str, other: SignedDuration) -> SignedDuration {
        self.body[name]
            .as_str()
            .and_then(|text| span(text).ok())
            .unwrap_or(other)
    }

    fn steps(&self, variables: &Variables) -> Result<Vec<Step>, String> {
        let one = |action: Action| Ok(vec![self.step(action)]);
        match self.name {
            "apply" => one(Action::Write(How::Merge, self.objects(variables)?)),
            "create" => one(Action::Write(How::Create, self.objects(variables)?)),
            "update" => one(Action::Write(How::Replace, self.objects(variables)?)),
            // Not created: a patch of an object that is not there is a mistake.
            "patch" => one(Action::Write(How::Patch, self.objects(variables)?)),
            "assert" | "error" => {
                let objects = self.objects(variables)?;
                let mut check = Check {
                    trees: true,
                    ..Check::default()
                };
                let own = match self.name {
                    "assert" => {
                        check.expected = objects;
                        self.timeouts.assert
                    }
                    _ => {
                        check.absent = objects;
                        self.timeouts.error
                    }
                };
                check.within = self.time("timeout", own);
                one(Action::Assert(check))
            }
            "delete" => {
                let objects = match self.body.get("ref") {
                    Some(reference) => vec![self.reference(&templated(reference, variables)?)],
                    None => self.objects(variables)?,
                };
                one(Action::Delete(
                    objects,
                    self.time("timeout", self.timeouts.delete),
                ))
            }
            "sleep" => one(Action::Pass(self.time("duration", SignedDuration::ZERO))),
            "script" | "command" => self.process(variables),
            "wait" | "describe" | "events" | "get" | "podLogs" => one(Action::Run(
                self.command(&templated(&self.body, variables)?)?,
            )),
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

    fn process(&self, variables: &Variables) -> Result<Vec<Step>, String> {
        let body = &self.body;
        if let Some(words) = within(body).filter(|_| self.name == "command") {
            return Ok(vec![self.step(Action::Run(words))]);
        }
        let directory = match body["workDir"].as_str() {
            Some(own) => self.directory.join(own),
            None => self.directory.clone(),
        };
        let mut script = match body["content"].as_str() {
            Some(text) => Script::shell(text, directory),
            None => {
                let texts = body["args"]
                    .as_array()
                    .into_iter()
                    .flat_map(|list| list.iter())
                    .filter_map(Value::as_str);
                let program = body["entrypoint"].as_str().unwrap_or_default();
                let words = std::iter::once(program).chain(texts);
                // chainsaw expands variables in the arguments of a command, as a shell does in double quotes.
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
        script.timeout = self.time("timeout", self.timeouts.exec.max(super::case::TIMEOUT));
        for variable in body["env"]
            .as_array()
            .into_iter()
            .flat_map(|list| list.iter())
        {
            let value = templated(&variable["value"], variables)?;
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            script.environment.push((
                variable["name"].as_str().unwrap_or_default().to_owned(),
                text,
            ));
        }
        // Evaluated after the process has ended, since they are made of its output.
        let outputs = body["outputs"]
            .as_array()
            .into_iter()
            .flat_map(|list| list.iter());
        let outputs = outputs
            .filter_map(|one| Some((one["name"].as_str()?.to_owned(), one["value"].clone())));
        script.outputs = outputs.collect();
        Ok(vec![self.step(Action::Script(script))])
    }

    /// Returns the command that waits for or shows objects.
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
            // Events are those about an object, not objects of that name.
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
        if self.name == "get" {
            words.extend(
                body["format"]
                    .as_str()
                    .map(|text| format!("--output={text}")),
            );
        }
        if self.name == "wait" {
            let goal = &body["for"];
            let condition = &goal["condition"];
            words.push(
                match (
                    goal.get("deletion"),
                    condition["name"].as_str(),
                    goal["jsonPath"]["path"].as_str(),
                ) {
                    (Some(_), ..) => "--for=delete".to_owned(),
                    (None, Some(name), _) => match condition["value"].as_str() {
                        Some(value) => format!("--for=condition={name}={value}"),
                        None => format!("--for=condition={name}"),
                    },
                    (None, None, Some(path)) => {
                        format!("--for=jsonpath={path}={}", text(&goal["jsonPath"]["value"]))
                    }
                    _ => {
                        return Err(format!(
                            "{}: wait has deletion, condition or jsonPath",
                            self.at
                        ));
                    }
                },
            );
            let has_target = !text(&body["name"]).is_empty() || body["selector"].is_string();
            // kubectl requires a name, a selector or `--all`; chainsaw means all if none is given.
            words.extend((!has_target).then(|| "--all".to_owned()));
            words.push(format!(
                "--timeout={}s",
                self.time("timeout", self.timeouts.assert).as_secs()
            ));
        }
        Ok(words)
    }
}
