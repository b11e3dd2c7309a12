//! Claims about an object's states over time, with conditions in CEL.

use jiff::{SignedDuration, Timestamp};

use crate::api::changes::shown;
use crate::api::json::Value;
use crate::cluster::{Cluster, Result, Revision};
use crate::fields::{FieldPath, MASK, is_private, masked};
use crate::kinds::cel::{self, Program, Scope, Type, escaped};
use crate::kinds::custom::untyped;
use crate::kinds::tree::text;
use crate::moment::Moment;
use crate::states::{State, Subject, states};

/// The top-level fields of built-in kinds, which an expression may use before an object has them.
const FIELDS: &[&str] = &[
    "apiVersion",
    "binaryData",
    "data",
    "endpoints",
    "immutable",
    "kind",
    "metadata",
    "roleRef",
    "rules",
    "spec",
    "status",
    "stringData",
    "subjects",
    "type",
];

/// A condition on a single state.
///
/// Its variables are `object`, the object's fields by name, `exists`, and the Pod counts `ready` and `total`.
#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
    program: Program,
}

impl Expression {
    /// Parses a condition for a subject.
    ///
    /// # Errors
    /// Returns the syntax error with its position, or an error about a name that no state has: such a condition would
    /// never be true.
    pub fn parse(
        text: &str,
        object: Option<&Value>,
        has_pods: bool,
    ) -> std::result::Result<Self, String> {
        let program = Program::parse(text)?;
        let own = object.and_then(Value::as_object);
        let own: Vec<String> = own
            .into_iter()
            .flat_map(|map| map.keys().filter_map(|name| escaped(name)))
            .collect();
        let mut names: Vec<(&str, Type)> = vec![("object", Type::Dyn), ("exists", Type::Bool)];
        names.extend(FIELDS.iter().map(|name| (*name, Type::Dyn)));
        names.extend(own.iter().map(|name| (name.as_str(), Type::Dyn)));
        if has_pods {
            names.extend([("ready", Type::Int), ("total", Type::Int)]);
        }
        match program.check(&names)? {
            Type::Bool | Type::Dyn => Ok(Self {
                text: text.to_owned(),
                program,
            }),
            other => Err(format!("{text:?} is not a condition: its type is {other}")),
        }
    }

    /// Returns the text of the condition.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns true if the condition holds in a state.
    ///
    /// # Errors
    /// Returns the reason if the condition has no value, such as a missing field.
    fn holds(&self, state: &State<'_>) -> std::result::Result<bool, String> {
        let count = |count: u64| cel::Value::Int(i64::try_from(count).unwrap_or(i64::MAX));
        let object = state.object.map_or(cel::Value::Null, untyped);
        let mut names: Vec<(String, cel::Value)> = Vec::new();
        for name in FIELDS {
            names.push(((*name).to_owned(), cel::Value::Null));
        }
        // If names are equal, the later one takes precedence.
        let fields = state.object.and_then(Value::as_object);
        for (name, value) in fields.into_iter().flat_map(|map| map.iter()) {
            names.extend(escaped(name).map(|name| (name, untyped(value))));
        }
        let mut all: Vec<(&str, cel::Value)> = names
            .iter()
            .map(|(name, value)| (name.as_str(), value.clone()))
            .collect();
        all.extend([
            ("object", object),
            ("exists", cel::Value::Bool(state.object.is_some())),
            ("ready", count(state.count.ready)),
            ("total", count(state.count.total)),
        ]);
        match self.program.eval(&mut Scope::new(all))? {
            cel::Value::Bool(holds) => Ok(holds),
            other => Err(format!(
                "the expression is of type {}, not bool",
                other.type_name()
            )),
        }
    }

    /// Returns true if the condition applies to a state. Most conditions do not if the object does not exist.
    fn concerns(&self, state: &State<'_>, subject: &Subject) -> bool {
        state.object.is_some()
            || matches!(subject, Subject::Namespace(_))
            || self.program.uses("exists")
    }

    /// Returns the values of the names and paths in the condition: `ready is 1, spec.replicas is 3`.
    fn values(&self, state: &State<'_>) -> String {
        let is_word = |c: char| c.is_alphanumeric() || "_.".contains(c);
        let mut told: Vec<String> = Vec::new();
        for word in self.text.split(|c| !is_word(c)) {
            let value = match word {
                "ready" => Some(state.count.ready.to_string()),
                "total" => Some(state.count.total.to_string()),
                "exists" => Some(state.object.is_some().to_string()),
                path if path.contains('.') && path.starts_with(char::is_alphabetic) => {
                    let path = path.strip_prefix("object.").unwrap_or(path);
                    let found = path.parse::<FieldPath>().ok();
                    found.zip(state.object).and_then(|(found, object)| {
                        // The last part of a path may be a function such as `size`.
                        let value = found.find(object)?;
                        // Secret values are hidden, because CI systems keep the output of failed tests in their logs.
                        let key = match text(object, "kind") {
                            "Secret" => "secrets/",
                            _ => "",
                        };
                        Some(match is_private(key, path) {
                            true => MASK.to_owned(),
                            false => shown(Some(&masked(value))),
                        })
                    })
                }
                _ => None,
            };
            let line = value.map(|value| format!("{word} is {value}"));
            told.extend(line.filter(|line| !told.contains(line)));
        }
        told.join(", ")
    }
}

/// A claim about all states from a point in the history on.
///
/// ```
/// use ctl_cluster::Key;
/// use ctl_history::{Claim, Expression, Moment, Subject, Verdict, judge};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let (revision, time) = cluster.stored().moment()?;
/// let subject = Subject::Object(Key::new("namespaces", None, "default")?);
/// let active = Expression::parse("status.phase == 'Active'", None, false)?;
/// let claims = [Claim::Always(active)];
/// let verdicts: Vec<Verdict> = judge(&cluster, Moment { revision, time }, &subject, &claims)?;
/// assert!(verdicts[0].holds, "{}", verdicts[0].reason);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub enum Claim {
    /// The condition holds in the last state.
    Now(Expression),
    /// The condition holds in every state.
    Always(Expression),
    /// The condition holds in no state.
    Never(Expression),
    /// The condition holds in some state, within this time from the start if there is a limit.
    Eventually(Expression, Option<SignedDuration>),
    /// The conditions hold one after the other.
    Then(Vec<Expression>),
}

impl Claim {
    /// Returns the name of the claim: `always`, `never` and so on.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Now(_) => "now",
            Self::Always(_) => "always",
            Self::Never(_) => "never",
            Self::Eventually(..) => "eventually",
            Self::Then(_) => "then",
        }
    }

    /// Returns the texts of the claim's conditions.
    pub fn conditions(&self) -> Vec<&str> {
        match self {
            Self::Now(own) | Self::Always(own) | Self::Never(own) | Self::Eventually(own, _) => {
                vec![own.text()]
            }
            Self::Then(all) => all.iter().map(Expression::text).collect(),
        }
    }
}

/// The result of checking a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// True if the claim holds.
    pub holds: bool,
    /// The number of states that were checked.
    pub states: u64,
    /// The state that decided the result: the one that broke the claim, otherwise the last one.
    pub at: Option<(Revision, Timestamp)>,
    /// The reason if the claim does not hold, otherwise empty.
    pub reason: String,
}

/// The progress of checking a claim, state by state.
struct Trial<'c> {
    claim: &'c Claim,
    verdict: Verdict,
    is_decided: bool,
    /// The number of conditions of a sequence that have held so far.
    stage: usize,
    /// The number of states in which the condition has no value, and the reason in the last of them.
    without: (u64, String),
}

/// Checks claims about a subject in all states from a point in the history on.
///
/// # Errors
/// Returns an error if the cluster cannot be read or the point is no longer retained.
pub fn judge(
    cluster: &Cluster,
    from: Moment,
    subject: &Subject,
    claims: &[Claim],
) -> Result<Vec<Verdict>> {
    if claims.is_empty() {
        return Ok(Vec::new());
    }
    let trial = |claim| Trial {
        claim,
        verdict: Verdict::default(),
        is_decided: false,
        stage: 0,
        without: (0, String::new()),
    };
    let mut trials: Vec<Trial<'_>> = claims.iter().map(trial).collect();
    states(cluster, from, subject, &mut |state| {
        for trial in &mut trials {
            trial.look(state, subject, from.time);
        }
    })?;
    Ok(trials.into_iter().map(Trial::end).collect())
}

impl Trial<'_> {
    fn look(&mut self, state: &State<'_>, subject: &Subject, begin: Timestamp) {
        if self.is_decided {
            return;
        }
        let claim = self.claim;
        let (Claim::Now(own) | Claim::Always(own) | Claim::Never(own) | Claim::Eventually(own, _)) =
            claim
        else {
            return self.look_at_sequence(state, subject);
        };
        if !own.concerns(state, subject) {
            return;
        }
        if let Claim::Eventually(_, Some(within)) = claim
            && state.time.duration_since(begin) > *within
        {
            return;
        }
        self.verdict.states += 1;
        self.verdict.at = Some((state.revision, state.time));
        let held = own.holds(state);
        if let Err(why) = &held {
            self.without = (self.without.0 + 1, why.clone());
        }
        let values = || own.values(state);
        let (decided, holds, reason) = match (claim, held) {
            (Claim::Always(_), Ok(false)) => (true, false, values()),
            (Claim::Always(_), Err(why)) => (true, false, why),
            (Claim::Never(_), Ok(true)) => (true, false, values()),
            (Claim::Eventually(..), Ok(true)) => (true, true, String::new()),
            // The result for the last state, unless a later state decides.
            (Claim::Always(_) | Claim::Never(_), _) => (false, true, String::new()),
            (_, Ok(true)) => (false, true, String::new()),
            (_, Ok(false)) => (false, false, values()),
            (_, Err(why)) => (false, false, why),
        };
        (self.is_decided, self.verdict.holds, self.verdict.reason) = (decided, holds, reason);
    }

    fn look_at_sequence(&mut self, state: &State<'_>, subject: &Subject) {
        let Claim::Then(all) = self.claim else {
            return;
        };
        let Some(own) = all
            .get(self.stage)
            .filter(|own| own.concerns(state, subject))
        else {
            return;
        };
        self.verdict.states += 1;
        self.verdict.at = Some((state.revision, state.time));
        // At most one condition per state, because "then" means later.
        match own.holds(state) {
            Ok(true) => {
                self.stage += 1;
                self.verdict.reason.clear();
            }
            Ok(false) => self.verdict.reason = own.values(state),
            Err(why) => self.verdict.reason = why,
        }
        self.is_decided = self.stage == all.len();
        self.verdict.holds = self.is_decided;
    }

    fn end(self) -> Verdict {
        let mut verdict = self.verdict;
        if verdict.states == 0 {
            // Logically, a claim about no states is true, but in a test it is a mistake.
            verdict.holds = false;
            "there is no state to check".clone_into(&mut verdict.reason);
        }
        match self.claim {
            Claim::Never(_) if verdict.holds && self.without.0 == verdict.states => {
                verdict.holds = false;
                verdict.reason = format!(
                    "the condition has no value in any state: {}",
                    self.without.1
                );
            }
            Claim::Then(all) if !verdict.holds => {
                let missing = all.get(self.stage).map_or("", Expression::text);
                let before = match self.stage.checked_sub(1).and_then(|last| all.get(last)) {
                    None => String::new(),
                    Some(last) => format!(" after `{}`", last.text()),
                };
                let last = match verdict.reason.is_empty() {
                    true => String::new(),
                    false => format!("; in the last state {}", verdict.reason),
                };
                verdict.reason = format!("`{missing}` does not hold{before}{last}");
            }
            _ => {}
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::cluster::PatchType;
    use crate::cluster::testing::{in_memory, place};

    fn begin(cluster: &Cluster) -> Moment {
        let (revision, time) = cluster.stored().moment().unwrap();
        Moment { revision, time }
    }

    fn subject() -> Subject {
        let key = crate::cluster::Key::new("configmaps", Some("default"), "c").unwrap();
        Subject::Object(key)
    }

    /// Returns a cluster with a ConfigMap whose value counts from 1 to 3.
    fn counted() -> (Cluster, Moment) {
        let cluster = in_memory();
        let from = begin(&cluster);
        let place = place("configmaps");
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"},
            "data": {"v": "1"}});
        let _ = cluster
            .create(&place, &object, &Default::default())
            .unwrap();
        for value in ["2", "3"] {
            let data = json!({"data": {"v": value}});
            let merge = (PatchType::Merge, &data);
            let _ = cluster
                .patch(&place, "c", merge, false, &Default::default())
                .unwrap();
        }
        (cluster, from)
    }

    fn expression(text: &str) -> Expression {
        Expression::parse(text, None, false).unwrap()
    }

    #[test]
    fn claims_are_judged_by_every_state() {
        let (cluster, from) = counted();
        let v = |value: u32| expression(&format!("data.v == '{value}'"));
        let cases = [
            (Claim::Now(v(3)), true, ""),
            (Claim::Now(v(2)), false, "data.v is 3"),
            (Claim::Always(expression("size(data.v) == 1")), true, ""),
            (Claim::Always(v(1)), false, "data.v is 2"),
            (Claim::Never(v(4)), true, ""),
            (Claim::Never(v(2)), false, "data.v is 2"),
            (Claim::Eventually(v(2), None), true, ""),
            (Claim::Eventually(v(4), None), false, "data.v is 3"),
            (Claim::Then(vec![v(1), v(3)]), true, ""),
            (
                Claim::Then(vec![v(3), v(1)]),
                false,
                "`data.v == '1'` does not hold after `data.v == '3'`",
            ),
            (
                Claim::Never(expression("data.w == 'x'")),
                false,
                "the condition has no value in any state: no such key: w",
            ),
            (Claim::Now(expression("exists")), true, ""),
            (
                Claim::Always(expression("exists")),
                false,
                "exists is false",
            ),
        ];
        for (claim, holds, reason) in cases {
            let verdict = judge(&cluster, from, &subject(), std::slice::from_ref(&claim)).unwrap();
            let [verdict] = &verdict[..] else {
                panic!("{verdict:?}")
            };
            let told = (verdict.holds, verdict.reason.as_str());
            assert_eq!(told, (holds, reason), "{claim:?}");
        }
    }

    #[test]
    fn failures_show_no_values_that_may_be_secret() {
        let secret = json!({"kind": "Secret", "data": {"password": "SFVOVEVSMg=="}});
        let pod =
            json!({"kind": "Pod", "spec": {"containers": [{"name": "c", "args": ["HUNTER2"]}]}});
        for (object, claim, told) in [
            (&secret, "data.password == 'x'", "data.password is ***"),
            (
                &secret,
                "object.data.password == 'x'",
                "object.data.password is ***",
            ),
            (&secret, "object.data == {}", "object.data is ***"),
            (&pod, "object.kind == 'x'", "object.kind is Pod"),
            (
                &pod,
                "size(spec.containers) == 2",
                r#"spec.containers is [{"args":"***","name":"c"}]"#,
            ),
        ] {
            let state = State {
                revision: 1,
                time: Timestamp::UNIX_EPOCH,
                object: Some(object),
                count: crate::pod_counts::Count::default(),
            };
            assert_eq!(expression(claim).values(&state), told);
        }
    }

    #[test]
    fn missing_object_fails_claim_and_unknown_field_is_rejected() {
        let (cluster, from) = counted();
        let none = crate::cluster::Key::new("configmaps", Some("default"), "none").unwrap();
        let claim = [Claim::Never(expression("data.v == '1'"))];
        let verdict = judge(&cluster, from, &Subject::Object(none), &claim).unwrap();
        assert!(!verdict[0].holds, "{verdict:?}");
        for wrong in ["stauts.x == 1", "1 + 1", "spec.x ==", "ready > 1"] {
            assert!(Expression::parse(wrong, None, false).is_err(), "{wrong}");
        }
        assert!(Expression::parse("ready > 1 && total < 3", None, true).is_ok());
    }
}
