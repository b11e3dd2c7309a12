//! The status of a container, and its state transitions.

use jiff::Timestamp;

use super::outcome::Role;
use super::{digest, image, termination};
use crate::api::json::{Map, Value, json};
use crate::cluster::PodMode;
use crate::kinds::moment;
use crate::kinds::tree::{field, flag, int, list, text};

/// A container and its status, while stages are applied.
#[derive(Debug)]
pub(super) struct Container<'a> {
    /// The spec of the container.
    pub(super) spec: &'a Value,
    /// The container's role in the Pod.
    pub(super) role: Role,
    /// The status of the container.
    pub(super) status: Value,
}

impl<'a> Container<'a> {
    /// Creates a container with its status from the Pod; without one, it is waiting.
    pub(super) fn new(spec: &'a Value, role: Role, old: &[Value], reason: &str) -> Self {
        let name = text(spec, "name");
        let status = old.iter().find(|s| text(s, "name") == name);
        // The kubelet's default status, as in its first status update.
        let status = status.cloned().unwrap_or_else(|| {
            json!({
                "name": name, "image": text(spec, "image"), "imageID": "", "ready": false,
                "restartCount": 0, "started": false, "lastState": {},
                "state": {"waiting": {"reason": reason}},
            })
        });
        Self { spec, role, status }
    }

    /// Returns `waiting`, `running` or `terminated`, with the fields of that state.
    pub(super) fn state(&self) -> (&'static str, &Value) {
        let state = field(&self.status, "state");
        // An empty state counts as waiting, as in the API, so the other states are checked first.
        ["running", "terminated"]
            .into_iter()
            .find_map(|name| Some((name, state.get(name)?)))
            .unwrap_or(("waiting", field(state, "waiting")))
    }

    /// Returns true if the container is in this state.
    pub(super) fn is(&self, state: &str) -> bool {
        self.state().0 == state
    }

    /// Returns true if the container has never run.
    pub(super) fn is_new(&self) -> bool {
        self.is("waiting") && self.last_end().is_null()
    }

    /// Returns the exit code, if the container has terminated.
    pub(super) fn code(&self) -> Option<i64> {
        match self.state() {
            ("terminated", state) => Some(int(state, "exitCode")),
            _ => None,
        }
    }

    /// Returns how the previous run ended.
    pub(super) fn last_end(&self) -> &Value {
        field(field(&self.status, "lastState"), "terminated")
    }

    /// Returns true if the containers after this one may start.
    pub(super) fn lets_others_begin(&self) -> bool {
        match self.role {
            // The next init container starts only after a success; `restartPolicy` determines what a failure does.
            Role::Init => self.code() == Some(0),
            // The next container waits until the sidecar's startup probe has passed (`started`).
            Role::Sidecar => self.status["started"] == true,
            Role::Main | Role::Ephemeral => true,
        }
    }

    /// Returns the time of the last state transition, if the container has ever run.
    pub(super) fn since(&self) -> Option<Timestamp> {
        match self.state() {
            ("running", state) => moment::read(field(state, "startedAt")),
            ("terminated", state) => moment::read(field(state, "finishedAt")),
            _ => moment::read(field(self.last_end(), "finishedAt")),
        }
    }

    /// Returns true if the container runs an image that differs from its spec.
    pub(super) fn changed(&self) -> bool {
        // The kubelet restarts a container whose image was updated in place. Another writer of the status may know only
        // the name.
        let image = text(self.spec, "image");
        self.is("running")
            && text(&self.status, "imageID") != image::id(image)
            && image::reference(text(&self.status, "image")) != image::reference(image)
    }

    /// Starts the container.
    pub(super) fn run(&mut self, uid: &str, mode: PodMode, now: Timestamp) {
        let (state, fields) = self.state();
        let ended = (state == "terminated").then(|| fields.clone());
        // Every start after a run counts as a restart, even if the container was waiting in between.
        let again = ended.is_some() || !self.last_end().is_null();
        let count = int(&self.status, "restartCount") + i64::from(again);
        let image = text(self.spec, "image");
        let shown = match mode {
            PodMode::Default => image::reported(image),
            // The recorded cluster has no container runtime that expands names.
            PodMode::Running => image.to_owned(),
        };
        let name = text(self.spec, "name");
        // As with containerd, each run gets a new ID.
        let id = format!(
            "containerd://{}",
            digest::hexadecimal(&[uid, name, &count.to_string()])
        );
        if let Some(ended) = ended {
            self.status["lastState"] = json!({"terminated": ended});
        }
        self.set([
            ("restartCount", json!(count)),
            ("containerID", json!(id)),
            ("imageID", json!(image::id(image))),
            ("image", json!(shown)),
            ("ready", json!(false)),
            ("started", json!(false)),
            (
                "state",
                json!({"running": {"startedAt": moment::text(now)}}),
            ),
        ]);
        let resources = field(self.spec, "resources").clone();
        // In-place resize reports the granted resources, which here are always the requested ones.
        if let Some(requests) = resources.get("requests") {
            self.status["allocatedResources"] = requests.clone();
        }
        if resources.as_object().is_some_and(|r| !r.is_empty()) {
            self.status["resources"] = resources;
        }
    }

    /// Puts the container into the waiting state, with a reason.
    pub(super) fn wait(&mut self, why: &Value) {
        // `lastState` keeps the end of the previous run, which `kubectl describe` shows.
        if let ("terminated", ended) = self.state() {
            self.status["lastState"] = json!({"terminated": ended});
        }
        self.set([
            ("ready", json!(false)),
            ("started", json!(false)),
            ("state", json!({"waiting": why})),
        ]);
        // A container that has run keeps the image of that run.
        if text(&self.status, "imageID").is_empty() {
            self.status["image"] = json!(text(self.spec, "image"));
        }
    }

    /// Terminates the container with an exit code.
    pub(super) fn end(&mut self, how: &Value, now: Timestamp) {
        let now = moment::text(now);
        // A container that has not run starts and ends at the same moment.
        let started = match self.state() {
            ("running", state) => text(state, "startedAt").to_owned(),
            _ => now.clone(),
        };
        let code = int(how, "exitCode");
        let mut ended: Map = how.as_object().cloned().unwrap_or_default();
        let usual = if code == 0 { "Completed" } else { "Error" };
        // The kubelet's reasons for exit codes without one.
        ended.entry("reason").or_insert_with(|| json!(usual));
        ended.insert("exitCode".to_owned(), json!(code));
        ended.insert("startedAt".to_owned(), json!(started));
        ended.insert("finishedAt".to_owned(), json!(now));
        if let Some(id) = self.status.get("containerID") {
            ended.insert("containerID".to_owned(), id.clone());
        }
        self.set([
            // `ready` is true for an init container that succeeded, and false for any other terminated container.
            ("ready", json!(self.role == Role::Init && code == 0)),
            ("started", json!(false)),
            ("state", json!({"terminated": ended})),
        ]);
    }

    /// Lists the volumes of a container that has yet to start.
    pub(super) fn list_mounts(&mut self) {
        let mounts = list(self.spec, "volumeMounts");
        if mounts.is_empty() || !field(&self.status, "volumeMounts").is_null() {
            return;
        }
        let shown = mounts.iter().map(|mount| {
            let mut shown =
                json!({"mountPath": field(mount, "mountPath"), "name": field(mount, "name")});
            if flag(mount, "readOnly") {
                // Containerd can make what is mounted below a volume read-only, too.
                let below = match text(mount, "recursiveReadOnly") {
                    "Enabled" | "IfPossible" => "Enabled",
                    _ => "Disabled",
                };
                shown["readOnly"] = json!(true);
                shown["recursiveReadOnly"] = json!(below);
            }
            shown
        });
        self.status["volumeMounts"] = shown.collect();
    }

    /// Adds the message that a terminated container leaves.
    pub(super) fn explain(&mut self, pod: &Value) {
        let message = termination::message(pod, self.spec, self.code().unwrap_or(0));
        let ended = &mut self.status["state"]["terminated"];
        // The message of a stage takes precedence.
        if !message.is_empty() && field(ended, "message").is_null() {
            ended["message"] = json!(message);
        }
    }

    fn set<const N: usize>(&mut self, fields: [(&str, Value); N]) {
        for (name, value) in fields {
            self.status[name] = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_new_container_lists_its_mounts() {
        let spec = json!({"name": "c", "image": "nginx", "volumeMounts": [
            {"name": "d", "mountPath": "/d"}, {"name": "t", "mountPath": "/t", "readOnly": true},
        ]});
        let mut c = Container::new(&spec, Role::Main, &[], "ContainerCreating");
        c.list_mounts();
        let shown = json!([
            {"name": "d", "mountPath": "/d"},
            {"name": "t", "mountPath": "/t", "readOnly": true, "recursiveReadOnly": "Disabled"},
        ]);
        assert_eq!(c.status["volumeMounts"], shown);
    }

    #[test]
    fn container_status_follows_start_exit_wait_and_restart() {
        let spec =
            json!({"name": "c", "image": "nginx:1.25", "resources": {"requests": {"cpu": "1"}}});
        let mut c = Container::new(&spec, Role::Main, &[], "ContainerCreating");
        assert_eq!(c.state().0, "waiting");
        c.run("u", PodMode::Default, at(1));
        assert_eq!(
            (&c.status["restartCount"], c.since()),
            (&json!(0), Some(at(1)))
        );
        assert_eq!(c.status["allocatedResources"], json!({"cpu": "1"}));
        let first = c.status["containerID"].clone();
        c.end(&json!({"exitCode": 3}), at(4));
        let ended = json!({
            "containerID": first, "exitCode": 3, "reason": "Error",
            "startedAt": "1970-01-01T00:00:01Z", "finishedAt": "1970-01-01T00:00:04Z",
        });
        assert_eq!(c.status["state"]["terminated"], ended);
        assert_eq!(c.code(), Some(3));
        c.wait(&json!({"reason": "CrashLoopBackOff"}));
        assert_eq!(c.last_end(), &ended);
        assert_eq!(c.since(), Some(at(4)));
        c.run("u", PodMode::Default, at(14));
        assert_eq!(c.status["restartCount"], 1);
        assert_ne!(c.status["containerID"], first);
        assert_eq!(c.last_end(), &ended);
    }
}
