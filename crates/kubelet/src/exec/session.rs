//! A session in a container of a cluster: its commands and its main process.

use std::time::Duration;

use ctl_shell::{Stream, Terminal, absolute};

use super::FakeContainer;
use super::started::Start;
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::cluster::{ApiError, Cluster, LogTarget, PatchType, Place, WriteOptions};
use crate::kinds::fake::{self, CRASH};
use crate::kinds::tree::{at, field, flag, int, list, opt_int, text};
use crate::{container_status, logs, outcome};

/// The field manager of writes by a node.
const KUBELET: &str = "kubelet";

/// How often to try to store a container's files while other commands are storing theirs.
const TRIES: usize = 20;

/// The maximum wait for a change before checking that the client still exists.
const LOOK: Duration = Duration::from_millis(200);

/// The maximum total size of an object's annotations, in bytes.
const MOST_KEPT: usize = 256 * 1024;

/// The reason why a command cannot run in a container.
#[derive(Debug)]
pub enum Failure {
    /// The node's error text.
    Text(String),
    /// The API's error.
    Api(ApiError),
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Api(error)
    }
}

impl From<Failure> for ApiError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Text(text) => {
                Status::internal(format!("Internal error occurred: {text}")).into()
            }
            Failure::Api(error) => error,
        }
    }
}

/// A session in a running container.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_cluster::LogTarget;
/// use ctl_kubelet::exec::{Failure, Session};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let pod = json!({"metadata": {"name": "web", "namespace": "default"}});
/// let target = LogTarget { pod, container: "c".to_owned(), node: "node-1".to_owned() };
/// // The container is not running.
/// assert!(matches!(Session::enter(&cluster, target), Err(Failure::Text(_))));
/// ```
#[derive(Debug)]
pub struct Session {
    /// The cluster, accessed with the rights of its nodes, which read Secrets on behalf of any user.
    cluster: Cluster,
    target: LogTarget,
    fake_container: FakeContainer,
}

impl Session {
    /// Opens a session in a container.
    ///
    /// # Errors
    /// Returns an error if the container is not running or one of its annotations is invalid.
    pub fn enter(cluster: &Cluster, target: LogTarget) -> Result<Self, Failure> {
        let status = container_status::find(&target.pod, &target.container);
        if status.is_none_or(|own| at(own, &["state", "running"]).is_null()) {
            let name = &target.container;
            let why = format!("unable to upgrade connection: container not found ({name:?})");
            return Err(Failure::Text(why));
        }
        let cluster = cluster.stored().written_by(KUBELET);
        let find = |resource: &str, namespace: &str, name: &str| {
            let place = Place::new(cluster.kind(resource).ok()?, namespace);
            match name {
                "" => {
                    let all = cluster.list(&place, &|_: &Value| true, None).ok()?;
                    Some(json!({"items": all.items}))
                }
                name => cluster.get(&place, name).ok(),
            }
        };
        let now = cluster.now().map_err(ApiError::from)?;
        let start = Start::new(&cluster, &target.pod, &target.container);
        let started = |resource: &str, namespace: &str, name: &str| {
            let current = find(resource, namespace, name);
            start.object(resource, namespace, name, current)
        };
        let fake_container =
            FakeContainer::new(&target.pod, &target.container, &find, &started, now)
                .map_err(Failure::Text)?;
        let fake_container =
            fake_container.with_tokens(&target.pod, &|source| token(&cluster, &target.pod, source));
        Ok(Self {
            cluster,
            target,
            fake_container,
        })
    }

    /// Runs a command and returns the exit code.
    ///
    /// # Errors
    /// Returns an error if the program does not exist or the files it wrote cannot be stored.
    pub fn run(&mut self, words: &[String], terminal: &mut dyn Terminal) -> Result<i32, Failure> {
        let code = self.fake_container.run(words, terminal).map_err(|e| {
            // The text of a container runtime, without its IDs.
            Failure::Api(
                Status::internal(format!(
                    "Internal error occurred: error executing command in container: failed to exec in container: {e}"
                ))
                .into(),
            )
        })?;
        self.keep()?;
        Ok(code)
    }

    /// Attaches to the main process of the container: if it is a shell that waits for input, runs that shell for the
    /// client. For any other process, copies the output until the process has ended.
    ///
    /// # Errors
    /// Returns an error if the container's files or its end cannot be stored.
    pub fn attach(&mut self, terminal: &mut dyn Terminal) -> Result<(), Failure> {
        let (pod, name) = (&self.target.pod, &self.target.container);
        if !Self::has_shell(pod, name) {
            return Ok(self.show(terminal)?);
        }
        let is_once = flag(spec(pod, name), "stdinOnce");
        let code = self.run(&["sh".to_owned()], terminal)?;
        // The shell goes on without its client, unless its input has ended as well.
        match is_once || !terminal.is_gone() {
            true => Ok(self.end(code)?),
            false => Ok(()),
        }
    }

    /// Returns true if the main process of the container is a shell that waits for input.
    pub fn has_shell(pod: &Value, container: &str) -> bool {
        let spec = spec(pod, container);
        flag(spec, "stdin") && outcome::is_shell(spec)
    }

    /// Returns the files at and below a path, by their paths relative to it; `None` if there are none.
    pub fn files(&self, path: &str) -> Option<Vec<(String, Vec<u8>)>> {
        let machine = &self.fake_container.machine;
        let path = absolute(&machine.directory, path);
        if !machine.files.is_file(&path) && !machine.files.is_directory(&path) {
            return None;
        }
        let root = path.trim_end_matches('/');
        let below = |(own, content): (&str, &[u8])| {
            let below = own.strip_prefix(root)?;
            let is_inside = below.is_empty() || below.starts_with('/');
            is_inside.then(|| (below.to_owned(), content.to_vec()))
        };
        Some(machine.files.iter().filter_map(below).collect())
    }

    /// Writes files at a path, or at `name` in it if the path is a directory.
    ///
    /// # Errors
    /// Returns an error if there is no space for the files or they cannot be stored.
    pub fn put(
        &mut self,
        path: &str,
        name: &str,
        files: Vec<(String, Vec<u8>)>,
    ) -> Result<(), Failure> {
        let machine = &mut self.fake_container.machine;
        let mut place = absolute(&machine.directory, path);
        // Like `cp`, copies into an existing directory.
        if machine.files.is_directory(&place) {
            place = absolute(&place, name);
        }
        for (below, content) in files {
            let path = format!("{}{below}", place.trim_end_matches('/'));
            let written = machine.files.write(&path, content);
            written.map_err(|e| Failure::Text(format!("{path}: {e}")))?;
        }
        self.keep()
    }

    /// Copies the output of the container until the container has ended.
    fn show(&self, terminal: &mut dyn Terminal) -> Result<(), ApiError> {
        let (pod, name) = (&self.target.pod, &self.target.container);
        let mode = self.cluster.settings().pods;
        // All output was written at the start, before any client could attach.
        for line in logs::lines(pod, name, mode).unwrap_or_default() {
            terminal.write(Stream::Out, format!("{line}\n").as_bytes());
        }
        let begun = logs::run(pod, name, false)?;
        while !terminal.is_gone() {
            // Read before the Pod, so that a change in between ends the wait at once.
            let seen = self.cluster.stored().revision()?;
            let Ok(pod) = self.pod() else {
                return Ok(());
            };
            if logs::run(&pod, name, false).ok().as_ref() != Some(&begun) {
                return Ok(());
            }
            self.cluster.wait(seen, LOOK)?;
        }
        Ok(())
    }

    /// Ends the run of the container with an exit code.
    fn end(&self, code: i32) -> Result<(), ApiError> {
        let name = &self.target.container;
        let restarts = container_status::find(&self.target.pod, name)
            .map_or(0, |own| int(own, "restartCount"));
        let annotation = format!("{CRASH}.{name}");
        self.annotate(&annotation, &format!("{code}@{restarts}"), None)
    }

    /// Stores the files that a command has changed in an annotation of the Pod.
    fn keep(&self) -> Result<(), Failure> {
        let mut tries = 0;
        loop {
            let pod = match tries {
                0 => self.target.pod.clone(),
                _ => self.pod()?,
            };
            let changed = self.fake_container.changed(&pod).map_err(Failure::Text)?;
            let Some((annotation, value)) = changed else {
                return Ok(());
            };
            if value.len() > MOST_KEPT {
                return Err(Failure::Text(format!(
                    "no space left on device: the written files of a container have at most {MOST_KEPT} bytes, \
                     because they are kept in the annotation {annotation} of its pod"
                )));
            }
            // Two commands that write at the same time must not undo each other's changes.
            let version = text(field(&pod, "metadata"), "resourceVersion");
            match self.annotate(annotation, &value, Some(version)) {
                Err(ApiError::Status(status)) if status.code == 409 && tries < TRIES => tries += 1,
                other => return Ok(other?),
            }
        }
    }

    fn annotate(&self, name: &str, value: &str, version: Option<&str>) -> Result<(), ApiError> {
        let mut patch = json!({"metadata": {"annotations": {name: value}}});
        if let Some(version) = version {
            patch["metadata"]["resourceVersion"] = json!(version);
        }
        let options = WriteOptions {
            rule: "container-writes".to_owned(),
            field_manager: KUBELET.to_owned(),
            ..WriteOptions::default()
        };
        let (place, pod) = self.place()?;
        let how = (PatchType::Merge, &patch);
        self.cluster.patch(&place, &pod, how, false, &options)?;
        Ok(())
    }

    fn pod(&self) -> Result<Value, ApiError> {
        let (place, pod) = self.place()?;
        self.cluster.get(&place, &pod)
    }

    fn place(&self) -> Result<(Place, String), ApiError> {
        let metadata = field(&self.target.pod, "metadata");
        let place = Place::new(self.cluster.kind("pods")?, text(metadata, "namespace"));
        Ok((place, text(metadata, "name").to_owned()))
    }
}

/// Returns a token of the Pod's ServiceAccount for a source in its volumes; `None` if the account does not exist.
fn token(cluster: &Cluster, pod: &Value, source: &Value) -> Option<String> {
    let (metadata, spec) = (field(pod, "metadata"), field(pod, "spec"));
    // As with a real kubelet, the token is bound to the Pod and expires with it.
    let bound = json!({"apiVersion": "v1", "kind": "Pod", "name": text(metadata, "name"),
        "uid": text(metadata, "uid")});
    let mut asked = json!({"boundObjectRef": bound,
        "expirationSeconds": opt_int(source, "expirationSeconds").unwrap_or(3600)});
    // Without an audience, the token is for the API server.
    let audience = text(source, "audience");
    if !audience.is_empty() {
        asked["audiences"] = json!([audience]);
    }
    let accounts = cluster.kind("serviceaccounts").ok()?;
    let place = Place::new(accounts, text(metadata, "namespace"));
    let request = json!({"spec": asked});
    let subresources = cluster.subresources();
    let issued = subresources.token(&place, text(spec, "serviceAccountName"), &request);
    Some(text(field(&issued.ok()?, "status"), "token").to_owned())
}

/// Returns the spec of a container; null if the Pod has no container of this name.
pub(super) fn spec<'a>(pod: &'a Value, container: &str) -> &'a Value {
    let spec = field(pod, "spec");
    let lists = ["containers", "initContainers", "ephemeralContainers"];
    let mut all = lists.iter().flat_map(|name| list(spec, name));
    let own = all.find(|own| text(own, "name") == container);
    own.unwrap_or(&Value::Null)
}

/// Returns the local address to which an annotation of the Pod forwards a port.
///
/// # Errors
/// Returns a node's error if no process listens on the port.
pub fn forwarded(pod: &Value, port: u16) -> Result<String, String> {
    match fake::forward(pod, port.into()) {
        Some(address) => fake::check_loopback(address),
        None => Err(format!(
            "failed to connect to localhost:{port} inside namespace, IPv4: dial tcp4 127.0.0.1:{port}: connect: \
             connection refused IPv6 dial tcp6: address localhost: no suitable address found (the annotation {} can \
             name a HOST:PORT of this machine)",
            fake::FORWARD
        )),
    }
}
