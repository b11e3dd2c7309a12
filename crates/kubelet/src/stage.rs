//! Stages: the possible events of a container, a Pod or a node, read from YAML.
//!
//! ```yaml
//! name: container-starts
//! for: container          # container, pod or node
//! when:                   # all must hold; the name of a fact and its condition
//!   state: waiting        # equal to
//!   role: [main, sidecar] # one of
//!   says.image: null      # absent
//!   reason: {not: [CrashLoopBackOff]}
//!   says.start: "*"       # present
//! delay: {after: at, seconds: says.start, jitter: 0}
//! weight: 0
//! next:
//!   state: {running: {}}
//!   events: [{type: Normal, reason: Started, message: "Container ${name} started"}]
//! ```
//!
//! The first stage that applies and is due is used; of applicable stages with a weight, one is drawn by its weight.
//! `docs/fake-pods.md` lists the facts.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::api::json::Value;
use serde::Deserialize;
use serde::de::Error as _;

/// The subject of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Subject {
    /// One container of a Pod.
    Container,
    /// A Pod.
    Pod,
    /// A node.
    Node,
}

/// The condition on a fact.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Test {
    /// Equal to this text; `*` matches any present value.
    Is(String),
    /// Equal to this truth value.
    Flag(bool),
    /// Equal to this number.
    Number(i64),
    /// One of these texts.
    In(Vec<String>),
    /// None of these texts.
    Not {
        /// The texts.
        not: Vec<String>,
    },
    /// Absent.
    Absent,
}

impl Test {
    /// Returns true if a fact passes.
    pub(crate) fn holds(&self, fact: &Value) -> bool {
        let is = |wanted: &String| match fact {
            Value::String(text) => text == wanted,
            other => {
                // Numbers and truth values are compared as text, because YAML authors quote them or
                // not.
                let text = other.to_string();
                text == *wanted
            }
        };
        match self {
            Self::Absent => fact.is_null(),
            Self::Is(wanted) if wanted == "*" => !fact.is_null(),
            Self::Is(wanted) => !fact.is_null() && is(wanted),
            // An absent flag is false: most facts are only present when they are true.
            Self::Flag(wanted) => fact.as_bool().unwrap_or(false) == *wanted,
            Self::Number(wanted) => fact.as_i64() == Some(*wanted),
            Self::In(wanted) => !fact.is_null() && wanted.iter().any(is),
            Self::Not { not } => fact.is_null() || !not.iter().any(is),
        }
    }
}

/// A number of seconds, or the name of a fact with the number.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Amount {
    /// So many.
    Seconds(f64),
    /// The value of a fact.
    Fact(String),
}

impl Default for Amount {
    fn default() -> Self {
        Self::Seconds(0.0)
    }
}

/// The time at which a stage that applies is due.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a map")]
pub(crate) struct Delay {
    /// The fact with the time from which it counts; by default `at`.
    pub after: Option<String>,
    /// The delay after it.
    pub seconds: Amount,
    /// The maximum additional delay, drawn for each object.
    pub jitter: Amount,
}

/// An event that a stage reports; `${fact}` is replaced by the fact.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a map")]
pub(crate) struct EventTemplate {
    /// `Normal` or `Warning`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The reason, in one word.
    pub reason: String,
    /// The message.
    pub message: String,
}

/// The effect of a stage.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a map")]
pub(crate) struct StageEffect {
    /// The state of the container: `running`, `waiting` or `terminated` with its fields.
    pub state: Option<Value>,
    /// Other fields of the container's status, or the patch of the Pod's or node's status.
    pub status: Option<Value>,
    /// Stops all containers of a Pod with this exit code.
    pub stop: Option<i64>,
    /// The events to report.
    pub events: Vec<EventTemplate>,
    /// True if the object is removed.
    pub delete: bool,
}

/// One stage.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a map")]
pub(crate) struct Stage {
    /// Its name, which is the rule of its writes.
    pub name: String,
    /// The object that the error is about.
    #[serde(rename = "for")]
    pub subject: Subject,
    /// The condition under which it applies.
    #[serde(default)]
    pub when: BTreeMap<String, Test>,
    /// The time at which it is due.
    #[serde(default)]
    pub delay: Delay,
    /// Its weight in a draw among applicable stages; 0 excludes it from draws.
    #[serde(default)]
    pub weight: u32,
    /// The effect.
    pub next: StageEffect,
}

/// The prefixes of facts that contain a dot.
const ROOTS: [&str; 7] = [
    "object",
    "pod",
    "node",
    "annotation",
    "label",
    "container",
    "says",
];

/// The other facts about a container; of a Pod or a node there are also the fields of its metadata.
const OF_CONTAINER: [&str; 22] = [
    "mode",
    "now",
    "at",
    "deleted",
    "name",
    "role",
    "state",
    "reason",
    "turn",
    "told",
    "over",
    "reference",
    "nameProblem",
    "pullFails",
    "pullAgain",
    "restarts",
    "started",
    "ready",
    "changed",
    "restart",
    "backOff",
    "backOffText",
];

impl Stage {
    /// Returns a fact in a condition that does not exist, which indicates a typo.
    fn unknown_fact(&self) -> Option<&str> {
        let amounts = [&self.delay.seconds, &self.delay.jitter].into_iter();
        let of_delay = amounts.filter_map(|amount| match amount {
            Amount::Fact(name) => Some(name),
            Amount::Seconds(_) => None,
        });
        let mut asked = self.when.keys().chain(&self.delay.after).chain(of_delay);
        let is_known = |name: &str| match name.split_once('.') {
            Some((root, _)) => ROOTS.contains(&root),
            // Any metadata field of Pods and nodes is a fact.
            None => self.subject != Subject::Container || OF_CONTAINER.contains(&name),
        };
        asked.find(|name| !is_known(name)).map(String::as_str)
    }
}

/// A stage that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("stage {name}")]
pub(crate) struct StageError {
    /// The source of the stages.
    pub name: String,
    /// The error.
    #[source]
    pub source: serde_yaml::Error,
}

/// Reads the stages of a YAML file of one or several documents.
///
/// # Errors
/// Returns a [`StageError`] if a document is not a stage.
pub(crate) fn read(name: &str, text: &str) -> Result<Vec<Stage>, StageError> {
    serde_yaml::Deserializer::from_str(text)
        .filter_map(|document| {
            // A document with only comments is skipped.
            let read = Option::<Stage>::deserialize(document).and_then(|stage| {
                match stage.as_ref().and_then(Stage::unknown_fact) {
                    // Refused when it is read: a misspelled fact would be null forever and its
                    // stage silently dead.
                    Some(fact) => Err(serde_yaml::Error::custom(format!("unknown fact `{fact}`"))),
                    None => Ok(stage),
                }
            });
            let read = read.map_err(|source| StageError {
                name: name.to_owned(),
                source,
            });
            read.transpose()
        })
        // One invalid document rejects the file, because half of a set of stages would behave unpredictably.
        .collect()
}

/// The built-in stages, in the order in which they are tried.
pub(crate) const BUILT_IN: &[(&str, &str)] = &[
    ("pod", include_str!("../../../stages/pod.yaml")),
    ("image", include_str!("../../../stages/image.yaml")),
    ("container", include_str!("../../../stages/container.yaml")),
    ("probe", include_str!("../../../stages/probe.yaml")),
    ("node", include_str!("../../../stages/node.yaml")),
];

/// Returns the built-in stages.
pub(crate) fn built_in() -> &'static [Stage] {
    // Read once: they are part of the program.
    static STAGES: OnceLock<Vec<Stage>> = OnceLock::new();
    STAGES.get_or_init(|| {
        let read = |(name, text): &(&str, &str)| read(name, text).unwrap_or_default();
        BUILT_IN.iter().flat_map(read).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn built_in_stages_parse_and_have_unique_names() {
        let mut names = Vec::new();
        for (name, text) in BUILT_IN {
            names.extend(read(name, text).unwrap().into_iter().map(|s| s.name));
        }
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!((names.len(), built_in().len()), (all, all));
    }

    #[test]
    fn stage_conditions_match_facts() {
        let text = "{name: x, for: pod, when: {a: b, c: [d, e], f: null, g: {not: [h]}, i: true, \
                    j: '*', k: 3}, next: {delete: true}}";
        let stage = read("x", text).unwrap().remove(0);
        for (fact, value, holds) in [
            ("a", json!("b"), true),
            ("a", json!("c"), false),
            ("a", json!(null), false),
            ("c", json!("e"), true),
            ("c", json!("x"), false),
            ("f", json!(null), true),
            ("f", json!(1), false),
            ("g", json!("h"), false),
            ("g", json!(null), true),
            ("i", json!(true), true),
            ("i", json!(null), false),
            ("j", json!(0), true),
            ("j", json!(null), false),
            ("k", json!(3), true),
            ("k", json!(4), false),
        ] {
            assert_eq!(stage.when[fact].holds(&value), holds, "{fact} {value}");
        }
    }

    #[test]
    fn invalid_stage_error_contains_the_unknown_field() {
        let error = read("mine", "name: x\nfor: pod\nnxt: {}\n").unwrap_err();
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert!(source.contains("nxt"), "{source}");
        for (fact, word) in [
            ("when: {lable.app: web}", "lable.app"),
            ("when: {stat: running}", "stat"),
            ("delay: {after: when, seconds: 3}", "when"),
            ("delay: {seconds: say.start}", "say.start"),
        ] {
            let error = read(
                "mine",
                &format!("name: x\nfor: container\n{fact}\nnext: {{}}\n"),
            );
            let error = error.unwrap_err();
            let source = std::error::Error::source(&error).unwrap().to_string();
            assert_eq!(source, format!("unknown fact `{word}`"));
        }
    }
}
