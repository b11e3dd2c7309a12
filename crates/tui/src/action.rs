//! The commands behind the keys: each key fills in a command line, which runs once it is confirmed.
//!
//! Must not know: how a command runs.

use crate::model::{Entry, NodeRow};
use crate::scene::State;

/// A command line that waits for its confirmation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Prompt {
    /// The words that are settled.
    pub(crate) words: Vec<String>,
    /// The last flag or the beginning of the last word, such as `--replicas=`; the input follows. None if nothing is to be typed.
    pub(crate) last: Option<String>,
    /// The text that can be edited.
    pub(crate) input: String,
    /// The namespace of the command.
    pub(crate) namespace: String,
}

impl Prompt {
    fn new(line: &str, namespace: &str) -> Self {
        Self {
            words: line.split(' ').map(str::to_owned).collect(),
            namespace: namespace.to_owned(),
            ..Self::default()
        }
    }

    fn typed(mut self, last: &str, input: &str) -> Self {
        self.last = Some(last.to_owned());
        input.clone_into(&mut self.input);
        self
    }

    /// Returns the line as it is shown.
    pub(crate) fn line(&self) -> String {
        let mut line = self.words.join(" ");
        if let Some(last) = &self.last {
            line += &format!(" {last}{}", self.input);
        }
        line
    }

    /// Returns the arguments of the command.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut words = self.words.clone();
        words.extend(
            self.last
                .as_ref()
                .map(|last| format!("{last}{}", self.input)),
        );
        // The namespace of the object, which may be another one than the current one of the command line.
        if !self.namespace.is_empty() {
            words.push(format!("--namespace={}", self.namespace));
        }
        words
    }

    /// Takes a character that a word of a command line can have: names and numbers need no others.
    pub(crate) fn push(&mut self, c: char) {
        if self.last.is_some() && (c.is_ascii_alphanumeric() || "-_.:/=,%".contains(c)) {
            self.input.push(c);
        }
    }
}

/// The objects that a key can act on: the selected one with its owners, and the selected node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subject<'a> {
    /// The selected object, and its owners from the closest to the farthest.
    pub(crate) line: Vec<&'a Entry>,
    /// The selected node, or the one of the selected Pod.
    pub(crate) node: Option<&'a NodeRow>,
}

impl Subject<'_> {
    /// Returns the object of the given types that decides: the farthest owner, because the closer ones are set back by it.
    fn owner(&self, types: &[&str]) -> Option<&Entry> {
        let of_type = |entry: &&&Entry| types.contains(&entry.resource.as_str());
        self.line.iter().rev().find(of_type).copied()
    }

    /// Returns the command of a key, or the reason why there is none.
    pub(crate) fn prompt(&self, key: char) -> Result<Prompt, String> {
        match key {
            's' => {
                let scaled = [
                    "deployment",
                    "statefulset",
                    "replicaset",
                    "replicationcontroller",
                ];
                let owner = self
                    .owner(&scaled)
                    .ok_or("select a workload with replicas first")?;
                // The current number, so that one key changes it.
                let now = owner.status.ready.map_or(1, |(_, desired)| desired);
                let line = format!("scale {}", owner.label());
                Ok(Prompt::new(&line, &owner.namespace).typed("--replicas=", &now.to_string()))
            }
            'r' | 'U' => {
                let owner = self.owner(&["deployment", "statefulset", "daemonset"]);
                let owner = owner.ok_or("select a Deployment, StatefulSet or DaemonSet first")?;
                let verb = if key == 'r' { "restart" } else { "undo" };
                let line = format!("rollout {verb} {}", owner.label());
                Ok(Prompt::new(&line, &owner.namespace))
            }
            'c' => {
                let pod = self.line.first().filter(|entry| entry.resource == "pod");
                let pod = pod.ok_or("select a Pod first")?;
                let line = format!("fault pod {}", pod.name);
                Ok(Prompt::new(&line, &pod.namespace).typed("--crash=", "1"))
            }
            'd' => {
                let node = self
                    .node
                    .ok_or("select a node, or a Pod that has one, first")?;
                // A node that is down has one fault to undo, and a second one would change nothing.
                let verb = match node.status.state {
                    State::Failing => "--up",
                    _ => "--down",
                };
                Ok(Prompt::new(&format!("fault node {} {verb}", node.name), ""))
            }
            'u' => Ok(Prompt::new("undo --last", "")),
            'a' => Ok(Prompt::new("clock advance", "").typed("", "10s")),
            'x' => Ok(Prompt::new("settle", "")),
            'm' => Ok(Prompt::new("mark", "").typed("", "")),
            _ => Err(format!("{key} is no key here; ? lists them")),
        }
    }
}

/// The keys that run commands, with their description for the help.
pub(crate) const KEYS: &[(&str, &str)] = &[
    ("s", "scale the selected workload"),
    ("r", "restart its rollout"),
    ("U", "undo its rollout"),
    ("u", "undo the last command"),
    ("c", "crash the selected Pod"),
    ("d", "take the selected node down, or up again"),
    ("a", "advance the clock"),
    ("x", "settle: run the controllers"),
    ("m", "mark this point in the history"),
];
