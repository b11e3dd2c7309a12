//! A test case, whatever format it was written in.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;
use std::sync::Arc;

use jiff::SignedDuration;

use super::tree::Scope;
use crate::api::json::Value;
use crate::api::yaml::{Document, PathStep};
use crate::cli::timeline::TimedFault;
use crate::cluster::Propagation;

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileLine {
    pub(super) file: Arc<str>,
    pub(super) line: usize,
}

impl FileLine {
    /// Returns the place of a field of a document.
    pub(super) fn at(file: &Arc<str>, document: &Document, path: &[PathStep]) -> Self {
        Self {
            file: Arc::clone(file),
            line: document
                .position(path)
                .map_or(document.line, |(line, _)| line),
        }
    }
}

impl Display for FileLine {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A test case.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) name: String,
    /// The first line of the case.
    pub(super) at: FileLine,
    /// The namespace of objects that name none. It is created if it is not there.
    pub(super) namespace: String,
    /// The number of nodes of a new cluster.
    pub(super) nodes: u32,
    /// The reason why the case is not run.
    pub(super) skip: Option<String>,
    /// True if a step that is known only when the case runs may start a process.
    pub(super) needs_directory: bool,
    pub(super) steps: Vec<Step>,
    /// Steps that run at the end, also after a failure.
    pub(super) cleanup: Vec<Step>,
}

impl Case {
    /// Returns true if a step starts a process, which needs a cluster in a directory.
    pub(super) fn has_scripts(&self) -> bool {
        let mut all = self.steps.iter().chain(&self.cleanup);
        self.needs_directory || all.any(Step::has_scripts)
    }
}

/// A step of a case.
#[derive(Clone)]
pub(super) struct Step {
    /// The words for people, such as `assert deployment.yaml`.
    pub(super) name: String,
    pub(super) at: FileLine,
    pub(super) action: Action,
    /// The step must fail, with this text in its message.
    pub(super) fails: Option<String>,
    /// Trees for the result of the step, each with a tree that selects its results. They decide instead of the error.
    pub(super) expect: Vec<(Value, Value)>,
    /// Variables that get their values from the result.
    pub(super) outputs: Vec<Output>,
    /// The steps after it run even if it fails; the case fails in the end.
    pub(super) goes_on: bool,
}

impl Step {
    /// Returns true if the step starts a process.
    fn has_scripts(&self) -> bool {
        match &self.action {
            Action::Script(_) => true,
            Action::Assert(check) => !check.scripts.is_empty(),
            Action::Group(group) => {
                let all = group.steps.iter().chain(&group.catch);
                all.chain(&group.finally).any(Self::has_scripts)
            }
            _ => false,
        }
    }

    /// Returns a step without conditions on its result.
    pub(super) fn new(name: &str, at: &FileLine, action: Action) -> Self {
        Self {
            name: name.trim_end().to_owned(),
            at: at.clone(),
            action,
            fails: None,
            expect: Vec::new(),
            outputs: Vec::new(),
            goes_on: false,
        }
    }
}

/// A variable that gets its value from the result of a step.
#[derive(Clone, Debug)]
pub(super) struct Output {
    /// The name, which may be an expression.
    pub(super) name: Value,
    /// A tree that selects results; null for all.
    pub(super) matching: Value,
    /// The value, or an expression on the result.
    pub(super) value: Value,
}

/// The action of a step.
#[derive(Clone)]
pub(super) enum Action {
    /// `ctl apply` of a file or a directory.
    ApplyFile(PathBuf),
    /// `ctl apply` of objects.
    Apply(Vec<Value>),
    /// Writes objects as the other test tools do; with `true`, only as a dry run.
    Write(WriteMode, Vec<Object>, bool),
    /// Deletes objects, by name or by labels, and waits for their end.
    Delete(Vec<Object>, SignedDuration, Option<Propagation>),
    /// A command of ctl, on the cluster of the case.
    Run(Vec<String>),
    /// Runs the controllers until nothing is left to do.
    Settle,
    /// Lets time pass.
    Pass(SignedDuration),
    /// Injects a fault, now or later.
    Fault(TimedFault),
    /// Checks the cluster.
    Assert(Check),
    /// Starts a process.
    Script(Script),
    /// Steps with variables of their own.
    Group(Group),
    /// Gives values to variables; with `true`, expressions in them are evaluated.
    Bind(Vec<(String, Value)>, bool),
    /// Steps that depend on variables.
    Later(LazySteps),
    /// Fails with a text.
    Unsupported(String),
}

/// A way of writing objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteMode {
    /// Creates objects, or merges them into those that exist.
    Merge,
    Create,
    Replace,
    /// Merges objects into those that exist.
    Patch,
}

/// Steps that belong together.
#[derive(Clone, Default)]
pub(super) struct Group {
    pub(super) steps: Vec<Step>,
    /// Steps that run after a failure, to say more about it.
    pub(super) catch: Vec<Step>,
    /// Steps that run in any case.
    pub(super) finally: Vec<Step>,
    /// True if the outputs of its steps are kept for the steps after it.
    pub(super) keeps_outputs: bool,
}

/// Makes steps when they run.
#[derive(Clone)]
pub(super) struct LazySteps(pub(super) Arc<MakeSteps>);

/// Makes steps of the values of variables.
pub(super) type MakeSteps = dyn Fn(&Scope) -> Result<Vec<Step>, String> + Send + Sync;

/// An object with its place.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) value: Value,
    pub(super) at: FileLine,
    /// The document that it was read from, and the path to it; none if it has no file.
    pub(super) document: Option<Arc<Document>>,
    pub(super) path: Vec<PathStep>,
}

impl Object {
    /// Returns an object that was made for a place.
    pub(super) fn made(value: Value, at: &FileLine) -> Self {
        Self {
            value,
            at: at.clone(),
            document: None,
            path: Vec::new(),
        }
    }
}

/// Conditions that must hold at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Check {
    /// Objects that exist with these fields.
    pub(super) expected: Vec<Object>,
    /// Objects that do not exist with these fields.
    pub(super) absent: Vec<Object>,
    /// True if the objects are assertion trees.
    pub(super) trees: bool,
    /// The arguments of `ctl assert`.
    pub(super) conditions: Vec<Vec<String>>,
    /// Processes that succeed.
    pub(super) scripts: Vec<Script>,
    /// The time that may pass until it holds.
    pub(super) within: SignedDuration,
}

/// A process.
#[derive(Clone, Debug)]
pub(super) struct Script {
    /// The program and its arguments.
    pub(super) words: Vec<String>,
    /// The directory in which it runs.
    pub(super) directory: PathBuf,
    /// Variables of its environment.
    pub(super) environment: Vec<(String, String)>,
    /// The real time that it may take.
    pub(super) timeout: SignedDuration,
    /// The case continues if it fails.
    pub(super) may_fail: bool,
}

impl Script {
    /// Returns the process of a shell that runs a text.
    pub(super) fn shell(text: &str, directory: PathBuf) -> Self {
        Self {
            words: ["sh", "-c", text].map(str::to_owned).to_vec(),
            directory,
            environment: Vec::new(),
            timeout: TIMEOUT,
            may_fail: false,
        }
    }
}

/// The real time that a process may take if its file does not say more.
pub(super) const TIMEOUT: SignedDuration = SignedDuration::from_secs(60);
