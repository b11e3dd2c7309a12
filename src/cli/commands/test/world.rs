//! Runs the steps of a case on its cluster.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::case::{Action, Case, Check, FileLine, Group, Object, Script, Step, WriteMode};
use super::check;
use super::scripts::Scripts;
use super::tree::{self, Scope};
use super::update::Edit;
use crate::api::json::{Value, json};
use crate::api::yaml;
use crate::cli::commands::assert::partial::lines;
use crate::cli::error::CliError;
use crate::cli::fork::{Fork, ForkOutput};
use crate::cli::timeline;
use crate::cluster::{
    Cluster, DeleteOptions, PatchType, Place, Propagation, Revision, WriteOptions,
};
use crate::history::blockers;
use crate::runtime::{Outcome, Stop};

/// The reason why a step failed.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) step: String,
    pub(super) at: FileLine,
    pub(super) text: String,
}

/// A function that is called before each step with the number of steps done so far, and once after the last step.
pub(super) type OnStep<'b> = &'b mut dyn FnMut(&mut World, usize) -> Result<(), CliError>;

/// The cluster and the state of a running case.
pub(super) struct World {
    pub(super) fork: Arc<Fork>,
    pub(super) namespace: String,
    /// The directory for processes; none if the case has no processes.
    pub(super) scripts: Option<Arc<Scripts>>,
    /// The commands that inject and end faults at later times, in the order of the times.
    later: Vec<(Timestamp, Vec<String>)>,
    /// The commands that begin and end a fault whenever time passes, because the fault must not hit the steps
    /// themselves.
    around: Option<[Vec<String>; 2]>,
    /// The edits for `--update`; none if a difference is a failure.
    pub(super) updates: Option<RefCell<Vec<Edit>>>,
    /// The variables and functions that expressions can use.
    pub(super) scope: Scope,
    /// The first failure of a step that let the case continue.
    kept: Option<Failure>,
    /// The outputs of the innermost group that is running.
    outputs: Vec<(String, Value)>,
    /// The object of the last write, followed by the output of the last command.
    result: Value,
    said: String,
}

impl World {
    pub(super) fn new(fork: Arc<Fork>, scripts: Option<Arc<Scripts>>, namespace: &str) -> Self {
        Self {
            scope: Scope::from_fork(&fork),
            kept: None,
            outputs: Vec::new(),
            fork,
            namespace: namespace.to_owned(),
            scripts,
            later: Vec::new(),
            around: None,
            updates: None,
            result: Value::Null,
            said: String::new(),
        }
    }

    /// Runs a command; its failure is an error.
    pub(super) fn command(&self, words: &[String]) -> Result<(), CliError> {
        succeeded(&self.fork.run(words)).map_err(CliError::Bare)
    }

    /// Applies manifests.
    pub(super) fn apply(&self, text: &str) -> Result<(), CliError> {
        let words = ["apply", "--filename=-"].map(str::to_owned);
        succeeded(&self.fork.run_with(&words, text.to_owned())).map_err(CliError::Bare)
    }

    /// Schedules a command for a later time.
    pub(super) fn later(
        &mut self,
        after: SignedDuration,
        words: Vec<String>,
    ) -> Result<(), CliError> {
        let now = self.cluster().now()?;
        let at = now.checked_add(after).unwrap_or(Timestamp::MAX);
        self.later.push((at, words));
        // The sort is stable, so commands with equal times run in the order in which they were added.
        self.later.sort_by_key(|(at, _)| *at);
        Ok(())
    }

    /// Sets commands that run before and after every passing of time.
    pub(super) fn trouble_controllers(&mut self, begin: Vec<String>, end: Vec<String>) {
        self.around = Some([begin, end]);
    }

    fn cluster(&self) -> &Cluster {
        &self.fork.cluster
    }

    /// Runs the steps of a case and then its cleanup. Returns the first failure.
    pub(super) fn run(&mut self, case: &Case, between: OnStep<'_>) -> Result<(), Failure> {
        let mut done = self.prepare().map_err(|e| Failure {
            step: format!("namespace {}", self.namespace),
            at: case.at.clone(),
            text: message(&e),
        });
        for (number, step) in case.steps.iter().enumerate() {
            if done.is_ok() {
                done = between(self, number)
                    .map_err(|e| failure(step, message(&e)))
                    .and_then(|()| self.step(step));
            }
        }
        if let (Ok(()), Some(last)) = (&done, case.steps.last()) {
            done = between(self, case.steps.len()).map_err(|e| failure(last, message(&e)));
        }
        // A failure that ended the case explains more than an earlier one that did not.
        done = done.and(self.kept.take().map_or(Ok(()), Err));
        for step in &case.cleanup {
            // The first failure is the one to report; a cleanup may fail because of it.
            let cleaned = self.step(step);
            done = done.and(cleaned);
        }
        done
    }

    /// Creates the namespace if it does not exist.
    fn prepare(&self) -> Result<(), CliError> {
        let place = Place::new(self.cluster().kind("namespaces")?, "");
        let found = self.cluster().get(&place, &self.namespace);
        match found.map_err(CliError::from) {
            Ok(_) => Ok(()),
            Err(e) if e.is_not_found() => {
                let object = json!({"apiVersion": "v1", "kind": "Namespace",
                    "metadata": {"name": self.namespace.as_str()}});
                self.cluster()
                    .create(&place, &object, &WriteOptions::default())?;
                // Pods need the service account that a controller creates in each namespace.
                let _ = self.fork.settle(None)?;
                Ok(())
            }
            Err(e) => Err(e),
        }
    }

    fn step(&mut self, step: &Step) -> Result<(), Failure> {
        match &step.action {
            Action::Group(group) => return self.group(group),
            Action::Later(later) => {
                let steps = (later.0)(&self.scope).map_err(|text| failure(step, text))?;
                return steps.iter().try_for_each(|step| self.step(step));
            }
            _ => {}
        }
        let done = self.act(step);
        let done = match (&step.fails, done) {
            (None, done) if step.expect.is_empty() => done,
            (None, done) => self.expected(&step.expect, done),
            (Some(part), Ok(())) => Err(format!("it succeeded, but should fail with {part:?}")),
            (Some(part), Err(text)) if text.contains(part) => Ok(()),
            (Some(part), Err(text)) => Err(format!(
                "it should fail with {part:?}, but failed with:\n{text}"
            )),
        };
        done.and_then(|()| self.output(step))
            .map_err(|text| failure(step, text))
    }

    /// Sets the variables of a step's outputs.
    fn output(&mut self, step: &Step) -> Result<(), String> {
        for output in &step.outputs {
            let which = &output.matching;
            if !which.is_null() && !tree::differing(which, &self.result, &self.scope)?.is_empty() {
                continue;
            }
            let name = tree::templated(&output.name, &self.scope)?;
            let value = tree::templated_on(&output.value, &self.result, &self.scope)?;
            let name = name.as_str().unwrap_or_default();
            self.scope.set(name, value.clone());
            self.outputs.push((name.to_owned(), value));
        }
        Ok(())
    }

    /// Runs steps in sequence, up to the first failure that ends the case.
    fn steps(&mut self, steps: &[Step]) -> Result<(), Failure> {
        for step in steps {
            match self.step(step) {
                // The first failure is the one to report.
                Err(failure) if step.continues_on_error => {
                    self.kept.get_or_insert(failure);
                }
                ended => ended?,
            }
        }
        Ok(())
    }

    /// Runs a group of steps. Variables that it sets are restored at its end.
    fn group(&mut self, group: &Group) -> Result<(), Failure> {
        // The variables are restored later, because names of the group may shadow outer ones.
        let variables = self.scope.variables.clone();
        // Outputs of the group are kept apart from those of the group around it.
        let around = std::mem::take(&mut self.outputs);
        let mut done = self.steps(&group.steps);
        if let Err(failure) = &mut done {
            for step in &group.catch {
                self.said.clear();
                // These steps only collect details. If they fail, the earlier failure is still the one to report.
                let _ = self.step(step);
                let said = self.said.trim_end();
                if !said.is_empty() {
                    failure.text += &format!("\n{}:\n{said}", step.name);
                }
            }
        }
        // All of them run, and the first failure is reported: a step that fails must not prevent the cleanup by the
        // next one.
        for step in &group.finally {
            let ended = self.step(step);
            done = done.and(ended);
        }
        self.scope.variables = variables;
        let outputs = std::mem::replace(&mut self.outputs, around);
        if group.keeps_outputs {
            for (name, value) in outputs {
                self.scope.set(&name, value.clone());
                self.outputs.push((name, value));
            }
        }
        done
    }

    /// Judges the result of a step by its trees instead of its error.
    fn expected(&self, expect: &[(Value, Value)], done: Result<(), String>) -> Result<(), String> {
        let mut scope = self.scope.clone();
        let error = done.as_ref().err();
        scope.set(
            "error",
            error.map_or(Value::Null, |text| json!(text.as_str())),
        );
        // If no tree applies to the result, the error decides, as it does without trees.
        let mut judged = false;
        for (which, tree) in expect {
            if !which.is_null() && !tree::differing(which, &self.result, &scope)?.is_empty() {
                continue;
            }
            judged = true;
            let different = tree::differing(tree, &self.result, &scope)?;
            if !different.is_empty() {
                let error = error.map(|text| format!("{text}\n")).unwrap_or_default();
                return Err(format!("{error}{}", lines(&different)));
            }
        }
        if judged { Ok(()) } else { done }
    }

    fn act(&mut self, step: &Step) -> Result<(), String> {
        let told = |e: CliError| message(&e);
        match &step.action {
            Action::ApplyFile(path) => {
                let path = path.display().to_string();
                // A directory with a kustomization is built instead of read as a list of manifests.
                let flag = match std::path::Path::new(&path)
                    .join("kustomization.yaml")
                    .exists()
                {
                    true => "--kustomize",
                    false => "--filename",
                };
                succeeded(
                    &self
                        .fork
                        .run(&["apply".to_owned(), format!("{flag}={path}")]),
                )
            }
            Action::Apply(objects) => {
                let texts: Vec<String> = objects.iter().map(yaml::to_string).collect();
                self.apply(&texts.join("---\n")).map_err(told)
            }
            Action::Write(how, objects, dry_run) => {
                let mut objects = objects.iter();
                objects.try_for_each(|object| self.write(*how, object, *dry_run).map_err(told))
            }
            Action::Delete(objects, within, propagation) => {
                self.delete(objects, *within, *propagation)
            }
            Action::Run(words) => {
                let ran = self.fork.run(words);
                // The output is kept for a step that collects details after a failure.
                self.said.clone_from(&ran.out);
                self.printed(&ran.out, &ran.err);
                succeeded(&ran)
            }
            Action::Settle => self.settle().map_err(told).and_then(settled),
            Action::Pass(time) => self.pass(*time).map_err(told),
            Action::Fault(fault) => {
                let commands = timeline::commands(std::slice::from_ref(fault));
                let mut commands = commands.into_iter();
                commands
                    .try_for_each(|(at, words)| self.later(at, words))
                    .map_err(told)?;
                self.inject().map_err(told)
            }
            Action::Assert(check) => self.assert(check),
            Action::Script(script) => self.script(script),
            Action::Bind(bindings, evaluate) => {
                for (name, value) in bindings {
                    let value = match evaluate {
                        true => tree::templated(value, &self.scope)?,
                        false => value.clone(),
                    };
                    self.scope.set(name, value);
                }
                Ok(())
            }
            Action::Unsupported(text) => Err(text.clone()),
            // The caller runs the steps of these one by one.
            Action::Group(_) | Action::Later(_) => Ok(()),
        }
    }

    fn script(&mut self, script: &Script) -> Result<(), String> {
        let Some(scripts) = &self.scripts else {
            return Err("the case has no directory for scripts".to_owned());
        };
        let ended = scripts.run(script).map_err(|e| message(&e))?;
        self.said = format!("{}{}", ended.out, ended.err);
        self.printed(&ended.out, &ended.err);
        match ended.code {
            Some(0) => Ok(()),
            _ if script.may_fail => Ok(()),
            Some(code) => Err(format!("exit code {code}\n{}", self.said)),
            None => Err(format!(
                "it did not exit within {:#}\n{}",
                SignedDuration::try_from(ended.limit).unwrap_or(SignedDuration::MAX),
                self.said
            )),
        }
    }

    /// Sets the variables that hold the output of a command.
    fn printed(&mut self, out: &str, err: &str) {
        self.result = Value::Null;
        for (name, text) in [("stdout", out), ("stderr", err)] {
            // Chainsaw's checks expect the output without its last line break.
            let text = text.strip_suffix('\n').unwrap_or(text);
            self.scope.set(name, json!(text));
        }
    }

    /// Injects the faults that are due.
    fn inject(&mut self) -> Result<(), CliError> {
        let now = self.cluster().now()?;
        while self.later.first().is_some_and(|(at, _)| *at <= now) {
            let (_, words) = self.later.remove(0);
            succeeded(&self.fork.run(&words)).map_err(CliError::Bare)?;
        }
        Ok(())
    }

    /// Returns the time until the next fault.
    fn next(&self) -> Result<Option<SignedDuration>, CliError> {
        let now = self.cluster().now()?;
        Ok(self.later.first().map(|(at, _)| at.duration_since(now)))
    }

    /// Runs the controllers, with the fault of the matrix in effect.
    fn controllers(
        &self,
        pass: Option<SignedDuration>,
        stop: Stop<'_>,
    ) -> Result<Outcome, CliError> {
        if let Some([begin, _]) = &self.around {
            self.command(begin)?;
        }
        let outcome = self.fork.settle_until(pass, stop);
        // The fault ends even after an error, because it must not affect the next step.
        if let Some([_, end]) = &self.around {
            self.command(end)?;
        }
        outcome
    }

    fn settle(&mut self) -> Result<Outcome, CliError> {
        while let Some(left) = self.next()? {
            let _ = self.controllers(Some(left), &|| false)?;
            self.inject()?;
        }
        self.controllers(None, &|| false)
    }

    /// Lets simulated time pass.
    pub(super) fn pass(&mut self, time: SignedDuration) -> Result<(), CliError> {
        self.until(time, &|| false)
    }

    /// Lets simulated time pass until a condition holds or a limit is reached.
    fn until(&mut self, time: SignedDuration, holds: &dyn Fn() -> bool) -> Result<(), CliError> {
        let now = self.cluster().now()?;
        let end = now.checked_add(time).unwrap_or(Timestamp::MAX);
        loop {
            let left = end.duration_since(self.cluster().now()?);
            let next = self.next()?.filter(|next| *next < left);
            let _ = self.controllers(Some(next.unwrap_or(left)), holds)?;
            if next.is_none() || holds() {
                return Ok(());
            }
            self.inject()?;
        }
    }

    /// Lets simulated time pass until a check holds. A failure describes the last state.
    fn assert(&mut self, check: &Check) -> Result<(), String> {
        // An expression may fail on a field that does not exist yet, so its error counts only at the end.
        let may_hold = |e: CliError| match check.trees && check.within > SignedDuration::ZERO {
            true => Ok(Some(String::new())),
            false => Err(e),
        };
        let judged = check::judge(self, check, false).or_else(may_hold);
        if judged.map_err(|e| message(&e))?.is_none() {
            return Ok(());
        }
        if check.within > SignedDuration::ZERO {
            // The check gets a world of its own on the same cluster, because the loop below borrows this one mutably.
            let mut looker = Self::new(
                Arc::clone(&self.fork),
                self.scripts.clone(),
                &self.namespace,
            );
            // Expressions in the check use the current values of the variables.
            looker.scope.clone_from(&self.scope);
            let seen: Cell<Option<Revision>> = Cell::new(None);
            let held = Cell::new(false);
            let error: RefCell<Option<CliError>> = RefCell::default();
            let fork = Arc::clone(&self.fork);
            let holds = || {
                let now = fork.cluster.stored().revision().ok();
                // At an unchanged revision the objects are unchanged, so the check would give an equal result.
                if held.get() || error.borrow().is_some() || now == seen.replace(now) {
                    return held.get() || error.borrow().is_some();
                }
                match check::judge(&looker, check, false).or_else(may_hold) {
                    Ok(judged) => held.set(judged.is_none()),
                    Err(e) => *error.borrow_mut() = Some(e),
                }
                held.get() || error.borrow().is_some()
            };
            self.until(check.within, &holds).map_err(|e| message(&e))?;
            if let Some(e) = error.take() {
                return Err(message(&e));
            }
            if held.get() {
                return Ok(());
            }
        }
        if let Some(updates) = &self.updates {
            // The file has no values for conditions and absent objects, so failures of these remain failures.
            let edits = check::edits(self, check)?;
            updates.borrow_mut().extend(edits.clone());
            let rest = Check {
                expected: match edits.is_empty() {
                    true => check.expected.clone(),
                    false => Vec::new(),
                },
                ..check.clone()
            };
            return match check::judge(self, &rest, true).map_err(|e| message(&e))? {
                None => Ok(()),
                Some(text) => Err(text),
            };
        }
        match check::judge(self, check, true).map_err(|e| message(&e))? {
            None => Ok(()),
            Some(text) => Err(text),
        }
    }

    /// Returns the place of an object.
    pub(super) fn place(&self, object: &Value) -> Result<Place, CliError> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (version, kind) = (text(&object["apiVersion"]), text(&object["kind"]));
        let own = text(&object["metadata"]["namespace"]);
        let namespace = if own.is_empty() {
            &self.namespace
        } else {
            &own
        };
        tree::place(self.cluster(), &version, &kind, namespace)
    }

    fn write(&mut self, how: WriteMode, object: &Object, dry_run: bool) -> Result<(), CliError> {
        // The result is replaced even if the write fails, because trees must not judge an error by an earlier object.
        self.result = object.value.clone();
        let place = self.place(&object.value)?;
        // No command made this write, so the history shows the file instead.
        let line = format!("apply {}", object.at);
        let cluster = self.cluster().stored().written_by(&line);
        let metadata = &object.value["metadata"];
        let name = metadata["name"].as_str().unwrap_or_default();
        let options = WriteOptions {
            dry_run,
            ..WriteOptions::default()
        };
        // A name that the server will generate cannot exist yet.
        let exists = match cluster.get(&place, name).map_err(CliError::from) {
            _ if name.is_empty() => false,
            Ok(_) => true,
            Err(e) if e.is_not_found() => false,
            Err(e) => return Err(e),
        };
        let patch = (PatchType::Merge, &object.value);
        let answer = match (how, exists) {
            (WriteMode::Merge, true) | (WriteMode::Patch, _) => {
                cluster.patch(&place, name, patch, false, &options)?
            }
            (WriteMode::Replace, _) => cluster.update(&place, name, &object.value, &options)?,
            (WriteMode::Merge | WriteMode::Create, _) => {
                cluster.create(&place, &object.value, &options)?
            }
        };
        self.result = answer.object;
        Ok(())
    }

    /// Deletes objects and waits until they are gone.
    fn delete(
        &mut self,
        objects: &[Object],
        within: SignedDuration,
        propagation: Option<Propagation>,
    ) -> Result<(), String> {
        let options = DeleteOptions {
            propagation,
            ..DeleteOptions::default()
        };
        let mut gone = Check {
            within,
            ..Check::default()
        };
        for object in objects {
            let told = |e: CliError| message(&e);
            let place = self.place(&object.value).map_err(told)?;
            let cluster = self
                .cluster()
                .stored()
                .written_by(&format!("delete {}", object.at));
            let found = check::candidates(self, &object.value).map_err(told)?;
            for found in found {
                let name = found["metadata"]["name"].as_str().unwrap_or_default();
                let deleted = cluster.delete(&place, name, &options);
                match deleted.map_err(CliError::from) {
                    Err(e) if !e.is_not_found() => return Err(message(&e)),
                    _ => {}
                }
                let metadata = json!({"name": name, "namespace": found["metadata"]["namespace"].clone(),
                    "uid": found["metadata"]["uid"].clone()});
                // The uid is part of the condition, because a controller may immediately create an object with this
                // name.
                let value = json!({"apiVersion": object.value["apiVersion"].clone(),
                    "kind": object.value["kind"].clone(), "metadata": metadata});
                gone.absent.push(Object::made(value, &object.at));
            }
        }
        self.assert(&gone)
    }
}

fn failure(step: &Step, text: String) -> Failure {
    Failure {
        step: step.name.clone(),
        at: step.at.clone(),
        text,
    }
}

/// Returns the message of an error as commands print it.
pub(super) fn message(error: &CliError) -> String {
    error.message().0.trim_end().to_owned()
}

/// Returns the messages of a command as an error if it failed.
fn succeeded(ran: &ForkOutput) -> Result<(), String> {
    match ran.code {
        0 => Ok(()),
        _ => Err(format!("{}{}", ran.out, ran.err).trim_end().to_owned()),
    }
}

/// Returns an error if a cluster did not settle.
fn settled(outcome: Outcome) -> Result<(), String> {
    match outcome {
        Outcome::Settled => Ok(()),
        Outcome::Stuck(objects) => {
            let blockers = blockers(&objects);
            let lines: Vec<String> = blockers.iter().map(|b| format!("stuck: {b}")).collect();
            Err(lines.join("\n"))
        }
        Outcome::Oscillating(cycle) => Err(format!(
            "oscillating: these changes repeat\n{}",
            cycle.join("\n")
        )),
        Outcome::Stopped => Err("stopped before the cluster was settled".to_owned()),
    }
}
