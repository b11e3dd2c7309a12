//! Reads the format of chainsaw: a list of steps with operations to try, to run after a failure, and to run at the end.

mod operation;
mod settings;

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

use super::case::{Action, Case, FileLine, Group, LazySteps, Object, Step, WriteMode};
use super::files::text_of;
use super::kuttl::namespace_of;
use super::own::parsed;
use super::tree::{Scope, templated};
use crate::api::json::{Value, json};
use crate::api::patch::merge;
use crate::api::yaml::{Document, PathStep};
use operation::Operation;
use settings::{Configuration, Settings};

/// The group of chainsaw's kinds.
pub(super) const GROUP: &str = "chainsaw.kyverno.io/";

/// The supported operations, in the order in which the name of an operation is looked up.
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

/// A document and the context that it is read in.
#[derive(Clone, Copy)]
struct Reader<'a> {
    file: &'a Arc<str>,
    /// The directory of the case, which contains its files.
    directory: &'a Path,
    document: &'a Document,
    /// Set to true if an operation may start a process.
    has_processes: &'a Cell<bool>,
}

/// Reads the cases of a file.
pub(super) fn read(
    documents: &[Document],
    file: &Arc<str>,
    directory: &Path,
) -> Result<Vec<Case>, String> {
    let configuration = Configuration::read(directory)?;
    let mut cases = Vec::new();
    for (number, document) in documents.iter().enumerate() {
        let has_processes = Cell::new(false);
        let reader = Reader {
            file,
            directory,
            document,
            has_processes: &has_processes,
        };
        let scenarios = items(&document.value["spec"]["scenarios"]);
        let numbered = scenarios.iter().enumerate();
        // A test without scenarios is one case.
        let mut all: Vec<Scenario<'_>> = numbered.map(Some).collect();
        if all.is_empty() {
            all.push(None);
        }
        for scenario in all {
            cases.push(reader.case(number + 1, scenario, configuration.as_ref())?);
        }
    }
    Ok(cases)
}

/// A scenario of a test with its index; none if the test has no scenarios.
type Scenario<'a> = Option<(usize, &'a Value)>;

/// Returns the items of a list; no items if the value is not a list.
fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |list| list.as_slice())
}

fn key(name: &str) -> PathStep {
    PathStep::Key(name.to_owned())
}

/// Returns the path of a field of the `spec`.
fn spec(name: &str) -> Vec<PathStep> {
    vec![key("spec"), key(name)]
}

impl Reader<'_> {
    fn case(
        &self,
        number: usize,
        scenario: Scenario<'_>,
        configuration: Option<&Configuration>,
    ) -> Result<Case, String> {
        let value = &self.document.value;
        let own = &value["spec"];
        let name = value["metadata"]["name"].as_str();
        let mut name = name.unwrap_or("chainsaw-test").to_owned();
        let template = match (&own["namespaceTemplate"], configuration) {
            (Value::Null, Some(configuration)) => configuration.namespace_template(),
            (template, _) => template,
        };
        let namespace = own["namespace"]
            .as_str()
            .or(configuration.and_then(Configuration::namespace))
            .or(template["metadata"]["name"].as_str())
            .map_or_else(|| namespace_of("chainsaw", &name), str::to_owned);
        let settings = configuration.map_or_else(Settings::default, Configuration::settings);
        let settings = settings.with(own);
        let mut steps = vec![self.built_in(&namespace, number, scenario)];
        if template.is_object() {
            steps.push(self.namespace(template, &namespace));
        }
        if let Some((at, scenario)) = scenario {
            // As in chainsaw, the scenario is not part of the namespace's name.
            name = format!("{name} (scenario {})", at + 1);
            let path = [spec("scenarios"), vec![PathStep::Index(at)]].concat();
            // The bindings of the scenario come first, because those of the test may use them.
            steps.push(self.bind(&scenario["bindings"], &path, true));
        }
        steps.push(self.bind(&own["bindings"], &spec("bindings"), true));
        let mut catch = self.operations(&own["catch"], &spec("catch"), settings)?;
        if let Some(configuration) = configuration {
            let reader = Reader {
                file: &configuration.file,
                document: &configuration.document,
                ..*self
            };
            let (value, path) = configuration.catch();
            catch.extend(reader.operations(value, &path, settings)?);
        }
        steps.extend(self.refused(own, &[key("spec")]));
        for (number, step) in items(&own["steps"]).iter().enumerate() {
            let below = [spec("steps"), vec![PathStep::Index(number)]].concat();
            steps.push(self.step(step, &below, settings, number + 1, &catch)?);
        }
        Ok(Case {
            needs_directory: self.has_processes.get(),
            name,
            at: self.at(&[]),
            namespace,
            nodes: 3,
            skip: (own["skip"].as_bool() == Some(true)).then(|| "spec.skip is true".to_owned()),
            steps,
            cleanup: Vec::new(),
        })
    }

    /// Returns the step that sets chainsaw's built-in variables.
    fn built_in(&self, namespace: &str, number: usize, scenario: Scenario<'_>) -> Step {
        // The variable holds the whole document, because expressions read the metadata of the test.
        let mut test = self.document.value.clone();
        if let Some(map) = test.as_object_mut() {
            map.insert("id", json!(number as u64));
            let scenario = scenario.map_or(0, |(at, _)| at + 1);
            map.insert("scenarioId", json!(scenario as u64));
        }
        let own = json!([
            {"name": "namespace", "value": namespace},
            {"name": "test", "value": test},
            // Functions take a client as an argument, but a case has only one cluster, so the value is empty.
            {"name": "client", "value": {}}, {"name": "config", "value": {}}, {"name": "values", "value": {}},
        ]);
        self.bind(&own, &[], false)
    }

    /// Returns the step that creates the namespace of the case from a template.
    fn namespace(&self, template: &Value, name: &str) -> Step {
        let (template, at) = (template.clone(), self.at(&[]));
        let own = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        let later = move |scope: &Scope| -> Result<Vec<Step>, String> {
            let mut object = templated(&template, scope)?;
            // The template may name a namespace, but the objects of the case are in this one.
            merge::apply(&mut object, &own);
            let write = Action::Write(WriteMode::Merge, vec![Object::made(object, &at)], false);
            Ok(vec![Step::new("namespace", &at, write)])
        };
        self.made("namespace", &[], Action::Later(LazySteps(Arc::new(later))))
    }

    /// Returns a step that fails if a test, a step or an operation uses an unsupported field.
    fn refused(&self, value: &Value, path: &[PathStep]) -> Option<Step> {
        let is_used = |name: &&str| match &value[*name] {
            Value::Null => false,
            Value::String(text) => *name != "compiler" || text.as_str() != "jp",
            _ => true,
        };
        let name = ["cluster", "clusters", "compiler"]
            .into_iter()
            .find(is_used)?;
        let at = self.at(&[path, &[key(name)]].concat());
        let text = format!("{at}: `{name}` is not supported");
        Some(self.made(name, path, Action::Unsupported(text)))
    }

    fn at(&self, path: &[PathStep]) -> FileLine {
        FileLine::at(self.file, self.document, path)
    }

    fn made(&self, name: &str, path: &[PathStep], action: Action) -> Step {
        Step::new(name, &self.at(path), action)
    }

    /// Returns a step that sets variables.
    fn bind(&self, bindings: &Value, path: &[PathStep], evaluate: bool) -> Step {
        let all = items(bindings).iter();
        let all =
            all.filter_map(|one| Some((one["name"].as_str()?.to_owned(), one["value"].clone())));
        self.made("bindings", path, Action::Bind(all.collect(), evaluate))
    }

    /// Returns a step of the test. `catch` runs after the failure of any step.
    fn step(
        &self,
        value: &Value,
        path: &[PathStep],
        settings: Settings,
        number: usize,
        catch: &[Step],
    ) -> Result<Step, String> {
        let name = value["name"]
            .as_str()
            .map_or_else(|| format!("step {number}"), str::to_owned);
        let (used, reader, path) = match value.get("use") {
            Some(used) => {
                let (file, document) = self.template(used, path)?;
                let bindings = &used["with"]["bindings"];
                let given = self.bind(bindings, path, true);
                (Some(given), Some((file, document)), vec![key("spec")])
            }
            None => (None, None, path.to_vec()),
        };
        let reader = match &reader {
            Some((file, document)) => Reader {
                file,
                document,
                ..*self
            },
            None => *self,
        };
        let value = match used {
            Some(_) => &reader.document.value["spec"],
            None => value,
        };
        let below = |name: &str| [&path[..], &[key(name)]].concat();
        // Each level overrides the settings of the level above.
        let settings = settings.with(value);
        let id = json!([{"name": "step", "value": {"id": number as u64}}]);
        let mut steps = vec![reader.bind(&id, &path, false)];
        steps.push(reader.bind(&value["bindings"], &below("bindings"), true));
        // The template's steps come after the step's bindings, which override those of the template.
        steps.extend(used);
        steps.extend(reader.refused(value, &path));
        steps.extend(reader.operations(&value["try"], &below("try"), settings)?);
        // The step's own operations come first, because they are the most specific.
        let mut own = reader.operations(&value["catch"], &below("catch"), settings)?;
        own.extend(catch.iter().cloned());
        let mut finally = reader.operations(&value["finally"], &below("finally"), settings)?;
        finally.extend(reader.operations(&value["cleanup"], &below("cleanup"), settings)?);
        let group = Group {
            steps,
            catch: own,
            finally,
            keeps_outputs: false,
        };
        Ok(reader.made(&name, &path, Action::Group(group)))
    }

    /// Reads the step template that a step refers to.
    fn template(&self, used: &Value, path: &[PathStep]) -> Result<(Arc<str>, Document), String> {
        let at = self.at(&[path, &[key("use")]].concat());
        let Some(name) = used.as_str().or(used["template"].as_str()) else {
            return Err(format!("{at}: use needs a template"));
        };
        // The path is relative to the directory of the test, even if the template is elsewhere.
        let file = self.directory.join(name);
        let shown: Arc<str> = file.display().to_string().into();
        let mut documents = parsed(&text_of(&file)?, &shown)?.into_iter();
        match documents.find(|document| document.value["kind"] == "StepTemplate") {
            Some(document) => Ok((shown, document)),
            None => Err(format!("{at}: {shown} has no StepTemplate")),
        }
    }

    fn operations(
        &self,
        value: &Value,
        path: &[PathStep],
        settings: Settings,
    ) -> Result<Vec<Step>, String> {
        let mut all = Vec::new();
        for (number, value) in items(value).iter().enumerate() {
            let path = [path, &[PathStep::Index(number)]].concat();
            all.extend(self.operation(value, &path, settings, number + 1)?);
        }
        Ok(all)
    }

    /// Returns the steps that perform an operation.
    fn operation(
        &self,
        value: &Value,
        path: &[PathStep],
        settings: Settings,
        number: usize,
    ) -> Result<Vec<Step>, String> {
        let at = self.at(path);
        // chainsaw rejects such a file before it runs anything.
        let Some(name) = OPERATIONS.iter().find(|name| value.get(**name).is_some()) else {
            return Err(format!(
                "{at}: unknown operation; known are {}",
                OPERATIONS.join(", ")
            ));
        };
        let below = [path, &[key(name)]].concat();
        let body = &value[*name];
        let refused = self.refused(value, path);
        if let Some(refused) = refused.or_else(|| self.refused(body, &below)) {
            return Ok(vec![refused]);
        }
        let operation = Operation {
            name,
            body: body.clone(),
            at,
            directory: self.directory.to_owned(),
            settings: settings.with(body),
            number,
        };
        if operation.needs_process() {
            self.has_processes.set(true);
        }
        // The bindings come first, because the operation may use them.
        let mut steps = vec![self.bind(&body["bindings"], path, true)];
        // The text is made before the expressions are evaluated, because a report needs it even if that fails.
        let text = operation.shown();
        let later = LazySteps(Arc::new(move |scope: &Scope| operation.steps(scope)));
        steps.push(self.made(&text, path, Action::Later(later)));
        // The bindings of an operation end with it, but its outputs do not.
        let group = Group {
            steps,
            keeps_outputs: true,
            ..Group::default()
        };
        let mut step = self.made(&text, path, Action::Group(group));
        step.continues_on_error = value["continueOnError"].as_bool() == Some(true);
        Ok(vec![step])
    }
}
