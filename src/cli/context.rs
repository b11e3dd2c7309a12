//! The context of a command: global flags, access to its cluster, and output.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use jiff::Timestamp;

use super::error::{self, CliError};
use super::flags::{self, Line, Span};
use super::fork::{Fork, Runner};
use super::global_args::{GlobalArgs, IDLE, REMOTE};
use super::state_dir::{self, Target, Texts};
use super::ui::Ui;
use crate::api::status::Status;
use crate::cluster::{
    AuditLog, ClockMode, Cluster, Impersonation, KubernetesAdmit, Level, Open, Settings,
    administrator, impersonated,
};
use crate::kinds::admission::User;
use crate::runtime::explore::Shared;
use crate::serve::webhook::Webhooks;
use crate::sys::clock::{Clock, Stopwatch};
use crate::sys::entropy::Seed;
use crate::sys::lines::Lines;
use crate::sys::signal;

/// The seed of a fork that stands in for a cluster that does not exist yet.
const SEED: Seed = Seed(1);

/// The context of a command.
pub(crate) struct Context {
    pub(crate) global: GlobalArgs,
    pub(crate) ui: Ui,
    /// The name under which the program was started.
    pub(crate) program: String,
    line: Line,
    command_line: String,
    target: OnceLock<Target>,
    stopwatch: Stopwatch,
    forbids_creation: AtomicBool,
    fork: Option<Arc<Fork>>,
    /// The service account of `--token`, once the token is checked.
    bearer: OnceLock<User>,
    /// The audit log of this process, once it is open.
    audit: OnceLock<Arc<AuditLog>>,
}

impl Context {
    pub(crate) fn new(
        mut global: GlobalArgs,
        program: String,
        line: Line,
        command_line: String,
        ui: Ui,
    ) -> Self {
        // `create rolebinding --user` names no user of the kubeconfig, and `serve --kubeconfig`, `kubeconfig --server`
        // and `import --context` do not select the cluster.
        let imports_files = line.path == ["import"] && !line.words.is_empty();
        for own in &line.own {
            match own.as_str() {
                "kubeconfig" | "context" if imports_files => {}
                "user" => global.user = None,
                "kubeconfig" => global.kubeconfig = None,
                "server" => global.server = None,
                "context" => global.context = None,
                _ => {}
            }
        }
        let context = Self {
            global,
            ui,
            program,
            line,
            command_line,
            target: OnceLock::new(),
            stopwatch: Stopwatch::start(),
            forbids_creation: AtomicBool::new(false),
            fork: None,
            bearer: OnceLock::new(),
            audit: OnceLock::new(),
        };
        // The note needs `-v`, because scripts for kubectl pass these flags everywhere.
        let idle = REMOTE.iter().chain(IDLE);
        for flag in idle.filter(|f| context.given(f)) {
            let text = || format!("--{flag} has no effect on a cluster in a directory");
            context.ui.verbose(1, text);
        }
        context
    }

    /// Returns the context on a fork of the cluster. Its namespace and user are those of the command that made the
    /// fork, unless the command line names others.
    pub(super) fn on(mut self, fork: &Arc<Fork>) -> Result<Self, CliError> {
        fork.check(&self.line)?;
        let (own, theirs) = (&mut self.global, &fork.global);
        if own.namespace.is_none() {
            own.namespace.clone_from(&theirs.namespace);
        }
        if own.act_as.is_none() {
            own.act_as.clone_from(&theirs.act_as);
            own.as_group.clone_from(&theirs.as_group);
            own.as_uid.clone_from(&theirs.as_uid);
        }
        if own.token.is_none() {
            own.token.clone_from(&theirs.token);
        }
        self.target = OnceLock::from(fork.target.clone());
        self.fork = Some(Arc::clone(fork));
        Ok(self)
    }

    /// Returns the fork that the command runs on, if any.
    pub(crate) fn fork(&self) -> Option<&Fork> {
        self.fork.as_deref()
    }

    /// Returns the standard input of a command on a fork, if the caller has set one.
    pub(crate) fn input(&self) -> Option<String> {
        self.fork.as_deref()?.input()
    }

    /// Returns the original command line without its secrets.
    pub(crate) fn command_line(&self) -> &str {
        &self.command_line
    }

    /// Returns true if a flag, given by its long name, is on the command line.
    pub(crate) fn given(&self, flag: &str) -> bool {
        self.line.given.iter().any(|g| g == flag)
    }

    /// Returns the number of arguments before `--`, if there was one.
    pub(crate) fn before_dash(&self) -> Option<usize> {
        self.line.dash
    }

    /// Returns the command in the form that messages use, such as `kubectl rollout undo`.
    pub(crate) fn command(&self) -> String {
        flags::full_path(&self.program, &self.line.path)
    }

    /// Returns the command line for the change-cause annotation.
    pub(crate) fn change_cause(&self) -> String {
        self.line.recorded(&self.program)
    }

    /// Returns the names of the command and its subcommands, without the program's.
    pub(crate) fn path(&self) -> &[String] {
        &self.line.path
    }

    /// Returns the directory, namespace and user that the flags and the kubeconfig select.
    pub(crate) fn target(&self) -> Result<&Target, CliError> {
        if let Some(target) = self.target.get() {
            return Ok(target);
        }
        let found = state_dir::resolve(
            &self.global,
            self.given("state"),
            Texts::for_path(self.path()),
        )?;
        Ok(self.target.get_or_init(|| found))
    }

    /// Returns the directory of the cluster.
    pub(crate) fn directory(&self) -> Result<PathBuf, CliError> {
        if self.fork.is_some() {
            return Err(CliError::text("a fork in memory has no directory"));
        }
        Ok(self.target()?.directory.clone())
    }

    /// Returns the namespace of the command.
    pub(crate) fn namespace(&self) -> Result<String, CliError> {
        Ok(match &self.global.namespace {
            Some(namespace) if !namespace.is_empty() => namespace.clone(),
            _ => self.target()?.namespace.clone(),
        })
    }

    /// Returns the namespace of `--namespace`, if it is given.
    pub(crate) fn explicit_namespace(&self) -> Option<&str> {
        let asked = self.global.namespace.as_deref();
        asked.filter(|namespace| !namespace.is_empty())
    }

    /// Returns the user that the command acts as.
    pub(crate) fn user(&self) -> User {
        match self.act_as() {
            // Anyone who can write to the directory has all permissions (docs/fidelity.md), like kubeadm's admin user.
            None => self.bearer.get().cloned().unwrap_or_else(administrator),
            Some(name) => {
                let uid = self.global.as_uid.as_deref().unwrap_or_default();
                User {
                    extra: self.act_as_extra(),
                    ..impersonated(name, uid, self.global.as_group.clone())
                }
            }
        }
    }

    /// Returns the flags that select the user of this command, for commands that it runs.
    pub(crate) fn act_as_flags(&self) -> Vec<String> {
        let Some(name) = self.act_as() else {
            return Vec::new();
        };
        let groups = self.global.as_group.iter();
        let mut flags: Vec<String> = groups.map(|group| format!("--as-group={group}")).collect();
        flags.push(format!("--as={name}"));
        flags.extend(
            self.global
                .as_uid
                .as_ref()
                .map(|uid| format!("--as-uid={uid}")),
        );
        let extra = self.global.as_user_extra.iter();
        flags.extend(extra.map(|given| format!("--as-user-extra={given}")));
        flags
    }

    fn act_as(&self) -> Option<&str> {
        self.global
            .act_as
            .as_deref()
            .filter(|name| !name.is_empty())
    }

    /// Rejects an impersonated group or uid without a user, because the request would have the administrator's name.
    fn check_identity(&self) -> Result<(), CliError> {
        let global = &self.global;
        let asked = !global.as_group.is_empty()
            || !global.as_user_extra.is_empty()
            || global.as_uid.as_deref().is_some_and(|uid| !uid.is_empty());
        // client-go rejects the flags with this text before it sends a request.
        if self.act_as().is_some() || !asked {
            return Ok(());
        }
        let user = &self.target()?.user;
        Err(CliError::text(format!(
            "requesting uid, groups or user-extra for {user} without \
             impersonating a user"
        )))
    }

    /// Opens the cluster. Creates it on first use.
    pub(crate) fn cluster(&self) -> Result<Cluster, CliError> {
        if let Some(fork) = &self.fork {
            return Ok(fork.cluster.stored().written_by(&self.command_line));
        }
        let directory = self.directory()?;
        let mut cluster = Cluster::open(&directory, self.open()?)?;
        if let Some(log) = self.audit_of(&cluster, &directory)? {
            cluster.configure().audit(Some(log));
        }
        Ok(cluster)
    }

    /// Returns the audit log that the command line or the cluster's settings request.
    fn audit_of(
        &self,
        cluster: &Cluster,
        directory: &Path,
    ) -> Result<Option<Arc<AuditLog>>, CliError> {
        if let Some(log) = self.audit.get() {
            return Ok(Some(Arc::clone(log)));
        }
        let level = cluster.settings().audit.as_str();
        if level.is_empty() {
            return Ok(None);
        }
        let level = Level::named(level).ok_or_else(|| {
            CliError::text(format!(
                "cluster.yaml: audit: {level:?} is not a level; choose from {}",
                Level::ALL.map(|(_, name)| name).join(", ")
            ))
        })?;
        if cluster.files().is_remote() {
            // The directory of a cluster on etcd contains only its address.
            let dot = directory.join(".ctl");
            std::fs::create_dir_all(&dot)
                .map_err(|e| CliError::text(format!("{}: {e}", dot.display())))?;
        }
        // The path is not a setting, because a directory of another user must not select a file of this user.
        self.audit_to(&directory.join(".ctl/audit.log"), level)
            .map(Some)
    }

    /// Writes the requests to all clusters that this process opens from now on to an audit log.
    pub(crate) fn audit_to(&self, path: &Path, level: Level) -> Result<Arc<AuditLog>, CliError> {
        // As in kube-apiserver, `-` means standard output.
        let lines = match path == Path::new("-") {
            true => Lines::standard_output(),
            false => Lines::open(path),
        };
        let lines =
            lines.map_err(|e| CliError::text(format!("audit log {}: {e}", path.display())))?;
        let ui = self.ui.clone();
        let notice = Arc::new(move |text: &str| ui.note(&format!("ctl: {text}")));
        let log = Arc::new(AuditLog::new(
            lines,
            level,
            clock()?,
            Seed::random(),
            notice,
        ));
        Ok(Arc::clone(self.audit.get_or_init(|| log)))
    }

    /// Opens the cluster with its default objects, and creates it on first use. Requests are made as the user of
    /// `--as`.
    pub(crate) fn api(&self) -> Result<Cluster, CliError> {
        self.check_identity()?;
        let mut cluster = self.open_as_administrator()?;
        // The user is set last, because the administrator fills a new cluster, whatever the impersonated user may do.
        self.check_token(&cluster)?;
        match self.impersonation() {
            Some(impersonation) => cluster.act_as(impersonation),
            None if self.act_as().is_some() || self.bearer.get().is_some() => {
                cluster.act_as(self.user());
            }
            None => {}
        }
        Ok(cluster)
    }

    /// Checks the token of `--token`.
    fn check_token(&self, cluster: &Cluster) -> Result<(), CliError> {
        // Scripts for a server pass its static tokens everywhere, but a directory has none.
        let token = self.global.token.as_deref();
        let Some(token) = token.filter(|token| token.matches('.').count() == 2) else {
            return Ok(());
        };
        let bearer = cluster.rights().bearer(token);
        let bearer = bearer.ok_or_else(Status::unauthorized)?;
        self.bearer.get_or_init(|| bearer);
        Ok(())
    }

    /// Returns the service account of `--token` and the user of `--as`, if both are given. Without a token, the
    /// administrator may impersonate any user.
    pub(crate) fn impersonation(&self) -> Option<Impersonation> {
        let (by, name) = (self.bearer.get()?, self.act_as()?);
        Some(Impersonation {
            by: by.clone(),
            name: name.to_owned(),
            uid: self.global.as_uid.clone().unwrap_or_default(),
            groups: self.global.as_group.clone(),
            extra: self.act_as_extra(),
        })
    }

    /// Returns the extra attributes of the user that the command acts as.
    fn act_as_extra(&self) -> BTreeMap<String, Vec<String>> {
        let mut extra: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let given = self.global.as_user_extra.iter();
        for (key, value) in given.filter_map(|given| given.split_once('=')) {
            // Keys are names of header fields, which are case-insensitive.
            let values = extra.entry(key.to_ascii_lowercase()).or_default();
            values.push(value.to_owned());
        }
        extra
    }

    /// Opens the cluster without impersonation, for callers that are not requests of a user: controllers, the clock,
    /// and a server whose clients identify themselves.
    pub(crate) fn open_as_administrator(&self) -> Result<Cluster, CliError> {
        // Opening creates the directory, but a client-side dry run must leave no trace.
        if self.forbids_creation.load(Ordering::Relaxed) && self.api_is_missing()? {
            let directory = self.directory()?;
            return Err(CliError::text(format!(
                "there is no cluster in {}, and --dry-run=client does not create one",
                directory.display()
            )));
        }
        let cluster = self.cluster()?;
        if cluster.files().is_new() {
            self.fill(&cluster)?;
            self.tell_directory("created a cluster in")?;
        }
        self.ui.verbose(1, || {
            let place = cluster.place();
            format!("{place}: open after {:?}", self.stopwatch.elapsed())
        });
        Ok(cluster)
    }

    /// Forks the current cluster into memory, with a virtual clock, for commands that `runner` runs. If there is no
    /// cluster yet, the fork is a new one whose names are always the same.
    pub(crate) fn forked(
        &self,
        runner: Runner,
        timeout: Option<Duration>,
    ) -> Result<Arc<Fork>, CliError> {
        self.check_identity()?;
        // A plan for a directory without a cluster shows the result of creating one, but creates none.
        let cluster = match self.api_is_missing()? {
            false => {
                let cluster = self.open_as_administrator()?;
                let (revision, now) = cluster.stored().moment()?;
                cluster.stored().as_of(revision, now)?
            }
            true => self.new_in_memory()?,
        };
        self.fork_of(cluster, runner, timeout)
    }

    /// Creates a cluster in memory that stands in for one that does not exist yet. Its names are always the same.
    pub(crate) fn new_in_memory(&self) -> Result<Cluster, CliError> {
        let settings = Settings {
            clock: ClockMode::Virtual,
            ..Settings::new(SEED)
        };
        let cluster = Cluster::in_memory(&self.open()?, settings);
        self.fill(&cluster)?;
        Ok(cluster)
    }

    /// Returns the state directory if it contains a cluster.
    pub(crate) fn directory_if_there(&self) -> Result<Option<PathBuf>, CliError> {
        let missing = self.api_is_missing()?;
        (!missing).then(|| self.directory()).transpose()
    }

    /// Returns a cluster in memory for commands that `runner` runs.
    pub(crate) fn fork_of(
        &self,
        cluster: Cluster,
        runner: Runner,
        timeout: Option<Duration>,
    ) -> Result<Arc<Fork>, CliError> {
        Ok(Arc::new(self.made_fork(cluster, runner, timeout)?))
    }

    /// Returns a function that makes forks as [`Context::fork_of`] does, in any thread and as long as the process runs.
    pub(crate) fn forks(
        &self,
        runner: Runner,
        timeout: Option<Duration>,
    ) -> Result<impl Fn(Cluster) -> Fork + Send + Sync + 'static, CliError> {
        let (program, global) = (self.program.clone(), self.global.clone());
        let (target, ui) = (self.target()?.clone(), self.ui.clone());
        Ok(move |cluster| Fork {
            cluster,
            program: program.clone(),
            global: global.clone(),
            target: target.clone(),
            ui: ui.clone(),
            runner,
            timeout,
            input: Mutex::default(),
            refused: Mutex::default(),
            editor: None,
            schedule: None,
        })
    }

    /// Returns a cluster in memory as [`Context::fork_of`] does, whose controllers follow a schedule.
    pub(crate) fn scheduled(
        &self,
        cluster: Cluster,
        runner: Runner,
        timeout: Option<Duration>,
        schedule: &Shared,
    ) -> Result<Fork, CliError> {
        Ok(Fork {
            schedule: Some(schedule.clone()),
            ..self.made_fork(cluster, runner, timeout)?
        })
    }

    fn made_fork(
        &self,
        cluster: Cluster,
        runner: Runner,
        timeout: Option<Duration>,
    ) -> Result<Fork, CliError> {
        Ok(self.forks(runner, timeout)?(cluster))
    }

    /// Creates a cluster in memory with the default objects. It exists as long as the command.
    pub(crate) fn in_memory(
        &self,
        change: impl FnOnce(&mut Open, &mut Settings),
    ) -> Result<Cluster, CliError> {
        let (mut open, mut settings) = (self.open()?, Settings::new(Seed::random()));
        change(&mut open, &mut settings);
        let cluster = Cluster::in_memory(&open, settings);
        self.fill(&cluster)?;
        Ok(cluster)
    }

    fn api_is_missing(&self) -> Result<bool, CliError> {
        Ok(self.fork.is_none() && !state_dir::is_cluster(&self.directory()?))
    }

    /// Forbids creating a cluster from now on.
    pub(crate) fn forbid_creation(&self) {
        self.forbids_creation.store(true, Ordering::Relaxed);
    }

    /// Prints the state directory if the output goes to a terminal.
    pub(crate) fn tell_directory(&self, what: &str) -> Result<(), CliError> {
        // Scripts may compare standard error with kubectl's, so the note appears only on a terminal.
        if self.ui.is_terminal() {
            let directory = self.directory()?;
            self.ui
                .note(&format!("ctl: {what} {}", directory.display()));
        }
        Ok(())
    }

    /// Opens the cluster if it exists, without creating one.
    pub(crate) fn api_if_exists(&self) -> Result<Option<Cluster>, CliError> {
        match self.api_is_missing()? {
            false => Ok(Some(self.api()?)),
            true => Ok(None),
        }
    }

    /// Creates the default objects of a new cluster. Tests of the bare store disable that.
    pub(crate) fn fill(&self, cluster: &Cluster) -> Result<(), CliError> {
        if !is_bare() {
            cluster.bootstrap()?;
        }
        Ok(())
    }

    /// Returns the options with which this process opens clusters.
    pub(crate) fn open(&self) -> Result<Open, CliError> {
        let ui = self.ui.clone();
        let mut open = Open::default();
        open.options.clock = clock()?;
        open.options.command.clone_from(&self.command_line);
        // `--request-timeout` also limits the wait for the lock, as it limits a request to a server.
        open.options.patience = self.patience()?;
        open.options.allow_network = self.global.allow_network_fs;
        if !is_bare() {
            open.options.admit = Arc::new(KubernetesAdmit);
        }
        let reports = ui.clone();
        open.webhooks = Some(Arc::new(Webhooks::default()));
        open.options.notice = Arc::new(move |text| ui.note(&format!("ctl: {text}")));
        open.options.on_import = Arc::new(move |edit| reports.imported(edit));
        Ok(open)
    }

    /// Returns the clock of this process.
    pub(crate) fn clock(&self) -> Result<Clock, CliError> {
        clock()
    }

    /// Lets signals end the command with kubectl's exit code from now on: it writes nothing any more.
    pub(crate) fn exit_on_signal(&self) -> Result<(), CliError> {
        Ok(signal::exit_on_signal(error::FAILURE.into())?)
    }

    /// Returns the limit on waiting for another process that writes.
    fn patience(&self) -> Result<Option<Duration>, CliError> {
        let seconds = self.global.lock_timeout;
        if seconds > 0.0 {
            // The limit is bounded, because `from_secs_f64` panics on a number that exceeds a Duration.
            return Ok(Some(Duration::from_secs_f64(seconds.min(1e6))));
        }
        self.request_timeout()
    }

    /// Returns the limit on a single request; `None` means no limit.
    pub(crate) fn request_timeout(&self) -> Result<Option<Duration>, CliError> {
        let text = self.global.request_timeout.as_str();
        let span = match text.parse::<i64>() {
            Ok(seconds) if seconds >= 0 => Ok(Span::seconds(seconds)),
            // An empty value means the default, which is no limit.
            _ if text.is_empty() => Ok(Span::default()),
            _ => text.parse::<Span>(),
        };
        // client-go reads a bare number as seconds, so both forms are valid.
        let Ok(span) = span else {
            return Err(CliError::text(
                "Invalid timeout value. Timeout must be a single integer in seconds, or an integer \
                 followed by a corresponding time unit (e.g. 1s | 2m | 3h)",
            ));
        };
        Ok((!span.is_zero() && !span.is_negative()).then(|| span.duration()))
    }

    /// Prints the final lines: the duration, and an error if warnings count as errors.
    pub(crate) fn finish(&self) -> Result<(), CliError> {
        let elapsed = self.stopwatch.elapsed();
        self.ui.verbose(1, || format!("done after {elapsed:?}"));
        // As in kubectl, each text is printed and counted once.
        match self.ui.warnings() {
            0 => Ok(()),
            _ if !self.global.warnings_as_errors => Ok(()),
            1 => Err(CliError::text("1 warning received")),
            many => Err(CliError::text(format!("{many} warnings received"))),
        }
    }
}

/// Returns true if a test needs only the store, without the objects that an API server creates.
pub(crate) fn is_bare() -> bool {
    std::env::var_os("CTL_TEST_BARE").is_some_and(|v| !v.is_empty())
}

/// Returns the clock of this process: the system clock, unless a test fixes the time.
fn clock() -> Result<Clock, CliError> {
    match std::env::var("CTL_TEST_CLOCK") {
        Ok(text) => {
            let at: Timestamp = text
                .parse()
                .map_err(|e| CliError::text(format!("CTL_TEST_CLOCK: {e}")))?;
            Ok(Clock::Fixed(at))
        }
        Err(_) => Ok(Clock::System),
    }
}
