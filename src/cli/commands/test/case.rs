//! A test case, independent of the format of its file.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;
use std::sync::Arc;

use jiff::SignedDuration;

use super::tree::Scope;
use crate::api::json::Value;
use crate::api::yaml::{Document, PathStep};
use crate::cli::timeline::TimedFault;
use crate::cluster::Propagation;

/// A position in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileLine {
    pub(super) file: Arc<str>,
    pub(super) line: usize,
}

impl FileLine {
    /// Returns the position of a field in a document.
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
    /// The namespace of objects that name none. It is created if it does not exist.
    pub(super) namespace: String,
    /// The number of nodes of the case's cluster.
    pub(super) nodes: u32,
    /// The reason why the case is skipped.
    pub(super) skip: Option<String>,
    /// True if a step that is built at run time may start a process.
    pub(super) needs_directory: bool,
    pub(super) steps: Vec<Step>,
    /// The steps that run at the end, even after a failure.
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
    /// The step in words, such as `assert deployment.yaml`.
    pub(super) name: String,
    pub(super) at: FileLine,
    pub(super) action: Action,
    /// A text that the error must contain; with it, the step must fail.
    pub(super) fails: Option<String>,
    /// Expected result trees, each with a tree that selects the results it applies to. They decide instead of the
    /// error.
    pub(super) expect: Vec<(Value, Value)>,
    /// The variables that are set from the result.
    pub(super) outputs: Vec<Output>,
    /// True if the case continues when the step fails. It still fails in the end.
    pub(super) continues_on_error: bool,
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
            continues_on_error: false,
        }
    }
}

/// A variable that is set from the result of a step.
#[derive(Clone, Debug)]
pub(super) struct Output {
    /// The name, which may be an expression.
    pub(super) name: Value,
    /// A tree that selects results; null selects all.
    pub(super) matching: Value,
    /// The value: a constant, or an expression that is evaluated on the result.
    pub(super) value: Value,
}

/// The action of a step.
#[derive(Clone)]
pub(super) enum Action {
    /// Applies a file or a directory as `ctl apply` does.
    ApplyFile(PathBuf),
    /// Applies objects as `ctl apply` does.
    Apply(Vec<Value>),
    /// Writes objects as other test tools do; if `true`, as a dry run only.
    Write(WriteMode, Vec<Object>, bool),
    /// Deletes objects by name or labels, and waits until they are gone.
    Delete(Vec<Object>, SignedDuration, Option<Propagation>),
    /// Runs a ctl command on the cluster of the case.
    Run(Vec<String>),
    /// Runs the controllers until the cluster is settled.
    Settle,
    /// Lets simulated time pass.
    Pass(SignedDuration),
    /// Injects a fault now or later.
    Fault(TimedFault),
    /// Checks that conditions hold.
    Assert(Check),
    /// Starts a process.
    Script(Script),
    /// Runs steps with variables of their own.
    Group(Group),
    /// Sets variables; if `true`, expressions in their values are evaluated.
    Bind(Vec<(String, Value)>, bool),
    /// Builds steps from variables and runs them.
    Later(LazySteps),
    /// Fails with a text, because a feature of another tool is not supported.
    Unsupported(String),
}

/// A way to write objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteMode {
    /// Creates missing objects and merges the others into existing ones.
    Merge,
    Create,
    Replace,
    /// Merges objects into existing ones.
    Patch,
}

/// Steps that belong together.
#[derive(Clone, Default)]
pub(super) struct Group {
    pub(super) steps: Vec<Step>,
    /// The steps that run after a failure to collect details.
    pub(super) catch: Vec<Step>,
    /// The steps that always run at the end.
    pub(super) finally: Vec<Step>,
    /// True if steps after the group see its outputs.
    pub(super) keeps_outputs: bool,
}

/// Builds steps at run time.
#[derive(Clone)]
pub(super) struct LazySteps(pub(super) Arc<MakeSteps>);

/// A function that builds steps from the values of variables.
pub(super) type MakeSteps = dyn Fn(&Scope) -> Result<Vec<Step>, String> + Send + Sync;

/// An object with its position in a file.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) value: Value,
    pub(super) at: FileLine,
    /// The document that it comes from, and its path there; none if it does not come from a file.
    pub(super) document: Option<Arc<Document>>,
    pub(super) path: Vec<PathStep>,
}

impl Object {
    /// Returns an object without a document, for an action at a position.
    pub(super) fn made(value: Value, at: &FileLine) -> Self {
        Self {
            value,
            at: at.clone(),
            document: None,
            path: Vec::new(),
        }
    }
}

/// Conditions that must hold at the same time.
#[derive(Clone, Debug, Default)]
pub(super) struct Check {
    /// Objects that must exist with these fields.
    pub(super) expected: Vec<Object>,
    /// Objects that must not exist with these fields.
    pub(super) absent: Vec<Object>,
    /// True if the objects are assertion trees of chainsaw.
    pub(super) trees: bool,
    /// The arguments of `ctl assert`.
    pub(super) conditions: Vec<Vec<String>>,
    /// Processes that must succeed.
    pub(super) scripts: Vec<Script>,
    /// The simulated time after which the check fails.
    pub(super) within: SignedDuration,
}

/// A process.
#[derive(Clone, Debug)]
pub(super) struct Script {
    /// The program and its arguments.
    pub(super) words: Vec<String>,
    /// The directory that it runs in.
    pub(super) directory: PathBuf,
    /// Variables of its environment.
    pub(super) environment: Vec<(String, String)>,
    /// The limit on its real time.
    pub(super) timeout: SignedDuration,
    /// True if the case continues when the process fails.
    pub(super) may_fail: bool,
}

impl Script {
    /// Returns a shell that runs a script.
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

/// The default limit on the real time of a process.
pub(super) const TIMEOUT: SignedDuration = SignedDuration::from_secs(60);
