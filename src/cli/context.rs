//! What a command runs with: the shared flags, the way to its cluster, and where output goes.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;

use super::args::GlobalArgs;
use super::error::CliError;
use super::state_dir;
use super::ui::Ui;
use crate::cluster::{Cluster, KubernetesAdmit, Open, Place};
use crate::kinds::Kind;
use crate::sys::clock::Clock;

/// Which namespace a command works in.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Scope {
    /// The namespace
    #[arg(short, long)]
    pub(crate) namespace: Option<String>,
    /// All namespaces
    #[arg(short = 'A', long)]
    pub(crate) all_namespaces: bool,
}

impl Scope {
    /// The namespace that is meant.
    pub(crate) fn namespace_or_default(&self) -> &str {
        self.namespace.as_deref().unwrap_or("default")
    }

    /// Where objects of a kind are.
    pub(crate) fn place(&self, kind: &'static Kind) -> Place {
        Place::new(
            kind,
            if self.all_namespaces {
                ""
            } else {
                self.namespace_or_default()
            },
        )
    }
}

/// What a command runs with.
pub(crate) struct Context {
    pub(crate) global: GlobalArgs,
    pub(crate) ui: Ui,
    command_line: String,
}

impl Context {
    pub(crate) fn new(global: GlobalArgs, command_line: String, ui: Ui) -> Self {
        Self {
            global,
            ui,
            command_line,
        }
    }

    /// The command line as people would type it.
    pub(crate) fn command_line(&self) -> &str {
        &self.command_line
    }

    /// What the program was started as.
    pub(crate) fn program(&self) -> &str {
        self.command_line.split(' ').next().unwrap_or("ctl")
    }

    /// The directory of the cluster.
    pub(crate) fn directory(&self) -> Result<PathBuf, CliError> {
        state_dir::resolve(&self.global)
    }

    /// The cluster, made now where this is its first use.
    pub(crate) fn cluster(&self) -> Result<Cluster, CliError> {
        Ok(Cluster::open(&self.directory()?, self.open()?)?)
    }

    /// The cluster with what a fresh one holds, made now where this is its first use.
    pub(crate) fn api(&self) -> Result<Cluster, CliError> {
        let cluster = self.cluster()?;
        if cluster.is_new() {
            self.fill(&cluster)?;
        }
        Ok(cluster)
    }

    /// Fills a new cluster with what a fresh one holds. Tests of the bare store switch that off.
    pub(crate) fn fill(&self, cluster: &Cluster) -> Result<(), CliError> {
        if !is_bare() {
            cluster.bootstrap()?;
        }
        Ok(())
    }

    /// How clusters are opened by this process.
    pub(crate) fn open(&self) -> Result<Open, CliError> {
        let ui = self.ui.clone();
        let mut open = Open::default();
        open.options.clock = clock()?;
        open.options.command.clone_from(&self.command_line);
        let seconds = self.global.lock_timeout;
        open.options.patience = (seconds > 0.0).then(|| Duration::from_secs_f64(seconds.min(1e6)));
        open.options.allow_network = self.global.allow_network_fs;
        if !is_bare() {
            open.options.admit = Arc::new(KubernetesAdmit);
        }
        open.options.notice = Arc::new(move |text| ui.note(&format!("ctl: {text}")));
        Ok(open)
    }
}

/// Whether a test wants the store alone, without any Kubernetes.
fn is_bare() -> bool {
    std::env::var_os("CTL_TEST_BARE").is_some_and(|v| !v.is_empty())
}

/// The clock of this process: the machine's, unless a test stops it.
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
