//! Commands inside of fake containers.

use std::time::Duration;

use super::context::Context;
use super::error::CliError;
use super::ui::Ui;
use crate::api::json::json;
use crate::api::status::Status;
use crate::cluster::{ClockMode, Cluster, LogTarget, PatchType, Place, WriteOptions};
use crate::kinds::tree::{at, field, list, text};
use crate::kubelet::inside::Inside;
use crate::sys::{bounded, signal};

/// The field manager of what a node writes.
const KUBELET: &str = "kubelet";

/// A command that runs in a container.
pub(crate) struct Session<'a> {
    context: &'a Context,
    /// The cluster as its nodes see it: they read Secrets whoever runs the command.
    cluster: Cluster,
    target: LogTarget,
    inside: Inside,
}

impl<'a> Session<'a> {
    /// Enters a container that runs.
    ///
    /// # Errors
    /// If it does not run, or an annotation about it cannot be read.
    pub(crate) fn enter(
        cluster: &Cluster,
        target: LogTarget,
        context: &'a Context,
    ) -> Result<Self, CliError> {
        let status = field(&target.pod, "status");
        let lists = [
            "containerStatuses",
            "initContainerStatuses",
            "ephemeralContainerStatuses",
        ];
        let mut all = lists.iter().flat_map(|name| list(status, name));
        let own = all.find(|own| text(own, "name") == target.container);
        if own.is_none_or(|own| at(own, &["state", "running"]).is_null()) {
            let name = &target.container;
            let why = format!("unable to upgrade connection: container not found ({name:?})");
            return Err(CliError::text(why));
        }
        let cluster = cluster.stored().written_by(KUBELET);
        let find = |resource: &str, namespace: &str, name: &str| {
            let kind = cluster.kind(resource).ok()?;
            cluster.get(&Place::new(kind, namespace), name).ok()
        };
        let now = cluster.now()?;
        let inside =
            Inside::new(&target.pod, &target.container, &find, now).map_err(CliError::text)?;
        Ok(Self {
            context,
            cluster,
            target,
            inside,
        })
    }

    /// Runs a command with the terminal of the caller; returns its exit code.
    ///
    /// # Errors
    /// If there is no such program, or the files that it wrote cannot be kept.
    pub(crate) fn run(&mut self, words: &[String], stdin: bool) -> Result<i32, CliError> {
        let mut console = Console {
            ui: self.context.ui.clone(),
            stdin,
            waits: self.cluster.settings().clock == ClockMode::System,
            failed: None,
        };
        let code = self.inside.run(words, &mut console).map_err(|e| {
            // The text of a runtime, without the ids of its own.
            CliError::from(Status::internal(format!(
                "Internal error occurred: error executing command in container: failed to exec in container: {e}"
            )))
        })?;
        self.keep()?;
        match console.failed {
            Some(e) => Err(e),
            None => Ok(code),
        }
    }

    /// Writes the files that a command has changed into the annotation of the Pod.
    fn keep(&self) -> Result<(), CliError> {
        let Some((annotation, value)) = self.inside.changed() else {
            return Ok(());
        };
        let pods = self.cluster.kind("pods")?;
        let metadata = field(&self.target.pod, "metadata");
        let place = Place::new(pods, text(metadata, "namespace"));
        let patch = json!({"metadata": {"annotations": {annotation: value}}});
        let options = WriteOptions {
            rule: "container-writes".to_owned(),
            field_manager: KUBELET.to_owned(),
            ..WriteOptions::default()
        };
        let how = (PatchType::Merge, &patch);
        self.cluster
            .patch(&place, text(metadata, "name"), how, false, &options)?;
        Ok(())
    }
}

/// The streams of the program itself.
struct Console {
    ui: Ui,
    stdin: bool,
    /// True if a sleep takes real time. On a virtual clock it takes none.
    waits: bool,
    failed: Option<CliError>,
}

impl ctl_shell::Terminal for Console {
    fn write(&mut self, stream: ctl_shell::Stream, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        match stream {
            ctl_shell::Stream::Out => {
                // The first error is reported once the command has ended.
                self.failed = self.failed.take().or(self.ui.out(&text).err());
            }
            ctl_shell::Stream::Err => self.ui.note(text.trim_end_matches('\n')),
        }
    }

    fn read(&mut self) -> Option<Vec<u8>> {
        // A command without `-i` has no input, whatever is typed.
        let line = self.stdin.then(bounded::stdin_line)?.ok()?;
        (!line.is_empty()).then(|| line.into_bytes())
    }

    fn sleep(&mut self, time: Duration) -> bool {
        if !self.waits {
            // Nothing happens in a container that waits for ever.
            return time < Duration::MAX;
        }
        signal::sleep(time);
        true
    }

    fn is_interactive(&self) -> bool {
        self.stdin && self.ui.is_terminal()
    }
}
