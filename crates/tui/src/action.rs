//! The commands behind keys. Each key fills in a command line, which runs once it is confirmed.
//!
//! Must not know: how a command is executed.

use crate::scene::{Entry, NodeRow, Present, State};

/// A command line to be confirmed.
///
/// ```
/// use ctl_tui::{Present, Prompt};
///
/// // Nothing is selected, so there is no Pod to crash.
/// assert_eq!(Prompt::for_key(&Present::default(), 'c', "", "").unwrap_err(), "select a Pod first");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// The fixed words.
    pub(crate) words: Vec<String>,
    /// The flag or the start of a word before the input, such as `--replicas=`; `None` if there is no input.
    pub(crate) last: Option<String>,
    /// The editable text.
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

    /// Returns the command of a key for the object with this uid and for a node; both are empty if nothing is
    /// selected.
    ///
    /// # Errors
    /// Returns the reason if the key has no command there.
    pub fn for_key(present: &Present, key: char, uid: &str, node: &str) -> Result<Self, String> {
        let entries = &present.entries;
        let place = entries.iter().position(|entry| entry.uid == uid);
        let line = place.map_or_else(Vec::new, |place| owners(entries, place));
        let named = match (node, line.first()) {
            ("", Some(pod)) => pod.node.as_str(),
            (node, _) => node,
        };
        let node = present.nodes.iter().find(|own| own.name == named);
        Subject { line, node }.prompt(key)
    }

    /// Returns the fixed words as one line.
    pub fn words(&self) -> String {
        self.words.join(" ")
    }

    /// Returns the word before the input and the proposed input, or `None` if there is no input.
    pub fn blank(&self) -> Option<(&str, &str)> {
        Some((self.last.as_deref()?, &self.input))
    }

    /// Returns the command with this text in place of the proposed input.
    ///
    /// # Errors
    /// Returns an error if the text is empty or contains characters that are not allowed there.
    pub fn with_input(mut self, input: &str) -> Result<Self, String> {
        if self.last.is_none() {
            return Ok(self);
        }
        self.input.clear();
        input.chars().for_each(|c| self.push(c));
        match self.input == input && !input.is_empty() {
            true => Ok(self),
            false => Err(format!("{input:?} cannot follow `{}`", self.words())),
        }
    }

    /// Returns the command line for display.
    pub(crate) fn line(&self) -> String {
        let mut line = self.words.join(" ");
        if let Some(last) = &self.last {
            line += &format!(" {last}{}", self.input);
        }
        line
    }

    /// Returns the arguments of the command.
    pub fn arguments(&self) -> Vec<String> {
        let mut words = self.words.clone();
        words.extend(
            self.last
                .as_ref()
                .map(|last| format!("{last}{}", self.input)),
        );
        // The namespace of the object may differ from the default namespace of commands.
        if !self.namespace.is_empty() {
            words.push(format!("--namespace={}", self.namespace));
        }
        words
    }

    /// Appends a character, provided that names or numbers may contain it.
    pub(crate) fn push(&mut self, c: char) {
        if self.last.is_some() && (c.is_ascii_alphanumeric() || "-_.:/=,%".contains(c)) {
            self.input.push(c);
        }
    }
}

/// The objects that a key acts on: the selected one with its owners, and the selected node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subject<'a> {
    /// The selected object, followed by its owners from the closest on.
    pub(crate) line: Vec<&'a Entry>,
    /// The selected node, or the node of the selected Pod.
    pub(crate) node: Option<&'a NodeRow>,
}

impl Subject<'_> {
    /// Returns the topmost owner of one of these types: it would revert a change of the ones below.
    fn owner(&self, types: &[&str]) -> Option<&Entry> {
        let of_type = |entry: &&&Entry| types.contains(&entry.resource.as_str());
        self.line.iter().rev().find(of_type).copied()
    }

    /// Returns the command of a key, or the reason if there is none.
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
                // The current number is proposed, so that changing it takes a single key.
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
                // A node that is down has a fault to remove; a second one would change nothing.
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
            _ => Err(format!("{key} has no function here; press ? for help")),
        }
    }
}

/// Returns an entry, followed by its owners from the closest on.
pub(crate) fn owners(entries: &[Entry], place: usize) -> Vec<&Entry> {
    let mut line: Vec<&Entry> = entries.get(place).into_iter().collect();
    let mut depth = line.first().map_or(0, |entry| entry.depth);
    for above in entries[..place.min(entries.len())].iter().rev() {
        if depth == 0 {
            break;
        }
        if above.depth < depth {
            depth = above.depth;
            line.push(above);
        }
    }
    line
}

/// The keys that run commands, with their descriptions in the help.
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
    ("f F", "fork the cluster, switch sides; discard the fork"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::present;

    #[test]
    fn action_keys_build_commands_and_reject_hostile_input() {
        let present = present(9);
        let of = |key, uid: &str, node: &str| Prompt::for_key(&present, key, uid, node);
        let scale = of('s', "uid-web-1a-kn67d", "").unwrap();
        assert_eq!(scale.words(), "scale deployment/web");
        assert_eq!(scale.blank(), Some(("--replicas=", "2")));
        let arguments = scale.clone().with_input("7").unwrap().arguments();
        assert_eq!(
            arguments,
            [
                "scale",
                "deployment/web",
                "--replicas=7",
                "--namespace=default"
            ]
        );
        // Each of these characters could end the word or start another command.
        for hostile in ["", "1 --all", "1;x", "$(x)", "1\n2"] {
            assert!(scale.clone().with_input(hostile).is_err(), "{hostile:?}");
        }
        let down = of('d', "uid-web-2b-x9k2p", "node-0").unwrap();
        assert_eq!(
            down.with_input("ignored").unwrap().words(),
            "fault node node-0 --down"
        );
        assert_eq!(
            of('d', "uid-web-2b-x9k2p", "").unwrap().words(),
            "fault node node-1 --up"
        );
        assert_eq!(of('c', "gone", "").unwrap_err(), "select a Pod first");
        assert!(of('q', "", "").is_err());
    }
}
