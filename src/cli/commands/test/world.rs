//! The cluster of a case, and the steps that run on it.

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

/// Called before each step with the number of steps that are done, and once after the last one.
pub(super) type OnStep<'b> = &'b mut dyn FnMut(&mut World, usize) -> Result<(), CliError>;

/// The cluster of a case.
pub(super) struct World {
    pub(super) fork: Arc<Fork>,
    pub(super) namespace: String,
    /// Where processes run; none if the case has none.
    pub(super) scripts: Option<Arc<Scripts>>,
    /// Faults of a later time, in the order of their times.
    later: Vec<(Timestamp, Vec<String>)>,
    /// Commands around everything that lets time pass: they begin and end faults that must not hit the steps themselves.
    around: Option<[Vec<String>; 2]>,
    /// The values to write into the files instead of failing; none if failures count.
    pub(super) updates: Option<RefCell<Vec<Edit>>>,
    /// The names that expressions know.
    pub(super) scope: Scope,
    /// The first failure of a step after which the others run.
    kept: Option<Failure>,
    /// The outputs of the innermost group that has not ended.
    outputs: Vec<(String, Value)>,
    /// The object of the last write, and the output of the last command.
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

    /// Runs a command.
    pub(super) fn command(&self, words: &[String]) -> Result<(), CliError> {
        succeeded(&self.fork.run(words)).map_err(CliError::Bare)
    }

    /// Applies manifests.
    pub(super) fn apply(&self, text: &str) -> Result<(), CliError> {
        let words = ["apply", "--filename=-"].map(str::to_owned);
        succeeded(&self.fork.run_with(&words, text.to_owned())).map_err(CliError::Bare)
    }

    /// Runs a command once this much time has passed.
    pub(super) fn later(
        &mut self,
        after: SignedDuration,
        words: Vec<String>,
    ) -> Result<(), CliError> {
        let now = self.cluster().now()?;
        let at = now.checked_add(after).unwrap_or(Timestamp::MAX);
        self.later.push((at, words));
        // A stable sort: commands of one time run in the order in which they were given.
        self.later.sort_by_key(|(at, _)| *at);
        Ok(())
    }

    /// Runs commands before and after everything that lets time pass.
    pub(super) fn trouble_controllers(&mut self, begin: Vec<String>, end: Vec<String>) {
        self.around = Some([begin, end]);
    }

    fn cluster(&self) -> &Cluster {
        &self.fork.cluster
    }

    /// Runs the steps of a case, and then its cleanup; returns the first failure.
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
        // A failure that ended the case explains more than one after which the case continued.
        done = done.and(self.kept.take().map_or(Ok(()), Err));
        for step in &case.cleanup {
            // The first failure is the one to explain; a cleanup after it may fail because of it.
            let cleaned = self.step(step);
            done = done.and(cleaned);
        }
        done
    }

    /// Creates the namespace if it is not there.
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
                // Pods need the account that a controller makes in each namespace.
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

    /// Gives the outputs of a step to their variables.
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

    /// Runs steps one after the other, up to the first failure that ends them.
    fn steps(&mut self, steps: &[Step]) -> Result<(), Failure> {
        for step in steps {
            match self.step(step) {
                // The first failure is the one to explain.
                Err(failure) if step.goes_on => {
                    self.kept.get_or_insert(failure);
                }
                ended => ended?,
            }
        }
        Ok(())
    }

    /// Runs steps that belong together. Their variables end with them.
    fn group(&mut self, group: &Group) -> Result<(), Failure> {
        // Kept to be restored: names of the group may hide outer ones.
        let variables = self.scope.variables.clone();
        // Outputs of the group must not mix with those of the group around it.
        let around = std::mem::take(&mut self.outputs);
        let mut done = self.steps(&group.steps);
        if let Err(failure) = &mut done {
            for step in &group.catch {
                self.said.clear();
                // These steps only add information; if they fail, the failure before them is still the one to
                // explain.
                let _ = self.step(step);
                let said = self.said.trim_end();
                if !said.is_empty() {
                    failure.text += &format!("\n{}:\n{said}", step.name);
                }
            }
        }
        // All of them run, and the first failure is reported: a failed step must not prevent the cleanup by the next
        // one.
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

    /// Judges the result of a step by trees instead of by its error.
    fn expected(&self, expect: &[(Value, Value)], done: Result<(), String>) -> Result<(), String> {
        let mut scope = self.scope.clone();
        let error = done.as_ref().err();
        scope.set(
            "error",
            error.map_or(Value::Null, |text| json!(text.as_str())),
        );
        // If no tree is about the result, the error counts as it does without trees.
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
                // A kustomization is what its directory means, not a list of manifests.
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
                // For a step that only shows something, after a failure.
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
            // The caller makes single steps of these.
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

    /// Gives the output of a command to the variables of its checks.
    fn printed(&mut self, out: &str, err: &str) {
        self.result = Value::Null;
        for (name, text) in [("stdout", out), ("stderr", err)] {
            // Without the last line break, as the tests expect it.
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

    /// Runs the controllers, with the trouble that is planned for them.
    fn controllers(
        &self,
        pass: Option<SignedDuration>,
        stop: Stop<'_>,
    ) -> Result<Outcome, CliError> {
        if let Some([begin, _]) = &self.around {
            self.command(begin)?;
        }
        let outcome = self.fork.settle_until(pass, stop);
        // Also after an error, which must not leave the fault to the next step.
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

    /// Lets time pass.
    pub(super) fn pass(&mut self, time: SignedDuration) -> Result<(), CliError> {
        self.until(time, &|| false)
    }

    /// Lets time pass until a condition holds, at most this long.
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

    /// Lets time pass until a check holds; the failure is that of the last state.
    fn assert(&mut self, check: &Check) -> Result<(), String> {
        // An expression may fail on a field that is not there yet, so the error counts only in the end.
        let may_hold = |e: CliError| match check.trees && check.within > SignedDuration::ZERO {
            true => Ok(Some(String::new())),
            false => Err(e),
        };
        let judged = check::judge(self, check, false).or_else(may_hold);
        if judged.map_err(|e| message(&e))?.is_none() {
            return Ok(());
        }
        if check.within > SignedDuration::ZERO {
            // A copy of the handle, because the loop below borrows the world.
            let mut looker = Self::new(
                Arc::clone(&self.fork),
                self.scripts.clone(),
                &self.namespace,
            );
            // Expressions of the check have the values of now.
            looker.scope.clone_from(&self.scope);
            let seen: Cell<Option<Revision>> = Cell::new(None);
            let held = Cell::new(false);
            let error: RefCell<Option<CliError>> = RefCell::default();
            let fork = Arc::clone(&self.fork);
            let holds = || {
                let now = fork.cluster.stored().revision().ok();
                // An unchanged revision has unchanged objects: the result would be equal.
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
            // Conditions and absent objects have no values in the file, so those checks still fail.
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
        // An error must not be judged by the object of the step before.
        self.result = object.value.clone();
        let place = self.place(&object.value)?;
        // The history names the file, since there is no command to name.
        let line = format!("apply {}", object.at);
        let cluster = self.cluster().stored().written_by(&line);
        let metadata = &object.value["metadata"];
        let name = metadata["name"].as_str().unwrap_or_default();
        let options = WriteOptions {
            dry_run,
            ..WriteOptions::default()
        };
        // A name that the server is to generate belongs to no object yet.
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
                // With its uid: a controller may make another object of the same name at once.
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

/// Returns the message of an error as a command prints it.
pub(super) fn message(error: &CliError) -> String {
    error.told().0.trim_end().to_owned()
}

/// Returns an error with the messages of a command that failed.
fn succeeded(ran: &ForkOutput) -> Result<(), String> {
    match ran.code {
        0 => Ok(()),
        _ => Err(format!("{}{}", ran.out, ran.err).trim_end().to_owned()),
    }
}

/// Returns an error if a cluster did not come to rest.
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
