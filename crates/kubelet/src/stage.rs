//! Stages: what can happen to a container, a Pod or a node, defined in YAML.
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
//! The first stage that applies and is due is used. If stages with weights apply, one of them is drawn by weight.
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
    /// A container of a Pod.
    Container,
    /// A Pod.
    Pod,
    /// A node.
    Node,
}

/// The test of a fact.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Test {
    /// Equals this string; `*` matches any value that is present.
    Is(String),
    /// Equals this boolean.
    Flag(bool),
    /// Equals this number.
    Number(i64),
    /// Equals one of these strings.
    In(Vec<String>),
    /// Equals none of these strings.
    Not {
        /// The strings.
        not: Vec<String>,
    },
    /// The fact is missing.
    Absent,
}

impl Test {
    /// Returns true if a fact passes the test.
    pub(crate) fn holds(&self, fact: &Value) -> bool {
        let is = |wanted: &String| match fact {
            Value::String(text) => text == wanted,
            other => {
                // Numbers and booleans are compared as text, because YAML authors may or may not quote them.
                let text = other.to_string();
                text == *wanted
            }
        };
        match self {
            Self::Absent => fact.is_null(),
            Self::Is(wanted) if wanted == "*" => !fact.is_null(),
            Self::Is(wanted) => !fact.is_null() && is(wanted),
            // A missing boolean is false: most facts are present only if they are true.
            Self::Flag(wanted) => fact.as_bool().unwrap_or(false) == *wanted,
            Self::Number(wanted) => fact.as_i64() == Some(*wanted),
            Self::In(wanted) => !fact.is_null() && wanted.iter().any(is),
            Self::Not { not } => fact.is_null() || !not.iter().any(is),
        }
    }
}

/// A number of seconds, or the name of a fact that holds it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Amount {
    /// This many seconds.
    Seconds(f64),
    /// The value of a fact.
    Fact(String),
}

impl Default for Amount {
    fn default() -> Self {
        Self::Seconds(0.0)
    }
}

/// When a stage that applies is due.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a map")]
pub(crate) struct Delay {
    /// The fact with the time from which the delay counts; by default `at`.
    pub after: Option<String>,
    /// The delay.
    pub seconds: Amount,
    /// The maximum additional delay, drawn for each object.
    pub jitter: Amount,
}

/// An event that a stage reports, in which `${fact}` is replaced by the fact.
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
    /// The state of the container: `running`, `waiting` or `terminated`, with its fields.
    pub state: Option<Value>,
    /// Other fields of the container's status, or a patch of the Pod's or node's status.
    pub status: Option<Value>,
    /// Terminates all containers of a Pod with this exit code.
    pub stop: Option<i64>,
    /// The events to report.
    pub events: Vec<EventTemplate>,
    /// True if the object is deleted.
    pub delete: bool,
}

/// A stage.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a map")]
pub(crate) struct Stage {
    /// The name, which is the rule of the stage's writes.
    pub name: String,
    /// The kind of subject.
    #[serde(rename = "for")]
    pub subject: Subject,
    /// The tests that facts must pass for the stage to apply.
    #[serde(default)]
    pub when: BTreeMap<String, Test>,
    /// When the stage is due.
    #[serde(default)]
    pub delay: Delay,
    /// The weight in a draw among stages that apply; 0 excludes the stage from draws.
    #[serde(default)]
    pub weight: u32,
    /// The effect.
    pub next: StageEffect,
}

/// The prefixes of facts whose names contain a dot.
const ROOTS: [&str; 7] = [
    "object",
    "pod",
    "node",
    "annotation",
    "label",
    "container",
    "says",
];

/// The other facts about a container. For Pods and nodes, the fields of their metadata are facts as well.
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
    /// Returns a fact in a condition that does not exist, which is probably a typo.
    fn unknown_fact(&self) -> Option<&str> {
        let amounts = [&self.delay.seconds, &self.delay.jitter].into_iter();
        let of_delay = amounts.filter_map(|amount| match amount {
            Amount::Fact(name) => Some(name),
            Amount::Seconds(_) => None,
        });
        let mut asked = self.when.keys().chain(&self.delay.after).chain(of_delay);
        let is_known = |name: &str| match name.split_once('.') {
            Some((root, _)) => ROOTS.contains(&root),
            // Any metadata field of a Pod or node is a fact.
            None => self.subject != Subject::Container || OF_CONTAINER.contains(&name),
        };
        asked.find(|name| !is_known(name)).map(String::as_str)
    }
}

/// The error for a stage that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("stage {name}")]
pub(crate) struct StageError {
    /// Where the stages come from.
    pub name: String,
    /// The error.
    #[source]
    pub source: serde_yaml::Error,
}

/// Reads the stages in a YAML file of one or more documents.
///
/// # Errors
/// Returns a [`StageError`] if a document is not a stage.
pub(crate) fn read(name: &str, text: &str) -> Result<Vec<Stage>, StageError> {
    serde_yaml::Deserializer::from_str(text)
        .filter_map(|document| {
            // A document that contains only comments is skipped.
            let read = Option::<Stage>::deserialize(document).and_then(|stage| {
                match stage.as_ref().and_then(Stage::unknown_fact) {
                    // Rejected on reading: a misspelled fact would always be null, and its stage would silently never
                    // apply.
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
        // An invalid document rejects the whole file, because half a set of stages would behave unpredictably.
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
    // Parsed once, because they are part of the program.
    static STAGES: OnceLock<Vec<Stage>> = OnceLock::new();
    STAGES.get_or_init(|| {
        let read = |(name, text): &(&str, &str)| read(name, text).unwrap_or_default();
        BUILT_IN.iter().flat_map(read).collect()
    })
}

/// Returns the stage of a Pod that must end so that a critical one can run.
pub(crate) fn preemption() -> &'static [Stage] {
    static STAGES: OnceLock<Vec<Stage>> = OnceLock::new();
    let text = include_str!("../../../stages/preemption.yaml");
    STAGES.get_or_init(|| read("preemption", text).unwrap_or_default())
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
