//! Compares the effects of two commands on a cluster and on files.

use std::path::Path;

use crate::cli::error::CliError;
use crate::cli::state_dir::is_cluster;
use crate::cluster::{Cluster, Open, Revision};
use crate::history::{ObjectDiff, between, fields_between, is_noise};
use crate::sys::bounded;

/// The maximum number of differences in a message.
const MOST: usize = 4;

/// The fields that depend on how an object was written.
const WAYS: &[&str] = &[
    "metadata.uid",
    "metadata.resourceVersion",
    "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]",
    "metadata.annotations[kubernetes.io/change-cause]",
];

/// The effect of a command.
#[derive(Default)]
pub(super) struct Effect {
    pub(super) code: i32,
    pub(super) output: Vec<String>,
    /// The objects that the command changed.
    changes: Vec<ObjectDiff>,
    /// The settings of the cluster, including its clock and its seed.
    settings: String,
    time: Option<jiff::Timestamp>,
    files: Vec<(String, String)>,
}

/// The result of comparing two effects.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Same,
    /// The command has changed nothing, and its output is not the expected one.
    Nothing,
    /// The command has had another effect.
    Other(Vec<String>),
}

/// Returns the revision of the cluster in a directory; 0 if there is no cluster yet.
pub(super) fn revision(state: &Path) -> Result<Revision, CliError> {
    match is_cluster(state) {
        true => Ok(Cluster::open(state, Open::default())?.stored().revision()?),
        false => Ok(0),
    }
}

impl Effect {
    /// Reads the effect of all commits after a revision.
    pub(super) fn read(
        state: &Path,
        since: Revision,
        files: Vec<(String, String)>,
    ) -> Result<Self, CliError> {
        if !is_cluster(state) {
            return Ok(Self {
                files,
                ..Self::default()
            });
        }
        let cluster = Cluster::open(state, Open::default())?;
        let now = cluster.stored().revision()?;
        Ok(Self {
            // The first objects of a new cluster follow from its settings.
            changes: match since > 0 && now > since {
                true => between(&cluster, since, now, &|key| !is_noise(key))?,
                false => Vec::new(),
            },
            settings: bounded::read_text(state.join("cluster.yaml"), bounded::SETTINGS)?,
            time: Some(cluster.now()?),
            files,
            ..Self::default()
        })
    }

    /// Compares the effect with the expected one. `before` is the state without either.
    pub(super) fn compared(&self, expected: &Self, before: &Self) -> Verdict {
        let mut found = self.differences(expected);
        if found.is_empty() && expected.changes_nothing(before) {
            // A command that only reads is accepted if it prints the expected output.
            return match self.output == expected.output && self.code == expected.code {
                true => Verdict::Same,
                false => Verdict::Nothing,
            };
        }
        if found.is_empty() && self.code != expected.code {
            found.push(format!(
                "the exit code is {}, expected {}",
                self.code, expected.code
            ));
        }
        if found.is_empty() {
            return Verdict::Same;
        }
        match self.changes_nothing(before) {
            true => Verdict::Nothing,
            false => {
                // Only the first differences are shown: controllers may have reacted to them, and their changes
                // would hide them.
                if found.len() > MOST {
                    let more = found.len() - MOST;
                    found.truncate(MOST);
                    found.push(format!("and {more} more differences"));
                }
                Verdict::Other(found)
            }
        }
    }

    fn changes_nothing(&self, before: &Self) -> bool {
        let own = (&self.settings, &self.time, &self.files);
        self.changes.is_empty() && own == (&before.settings, &before.time, &before.files)
    }

    fn differences(&self, expected: &Self) -> Vec<String> {
        let mut found = Vec::new();
        let keys = self.changes.iter().chain(&expected.changes);
        let mut keys: Vec<&str> = keys.map(|change| change.key.as_str()).collect();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            found.extend(self.differences_of(key, expected));
        }
        if self.settings != expected.settings {
            found.push("the settings of the cluster differ from the expected ones".to_owned());
        }
        // The time counts as an effect, because the timers of controllers depend on it.
        if self.time != expected.time {
            let told = |time: Option<jiff::Timestamp>| {
                time.map_or_else(|| "none".to_owned(), |time| time.strftime("%T").to_string())
            };
            let (own, wanted) = (told(self.time), told(expected.time));
            found.push(format!(
                "the cluster's clock is at {own}, expected {wanted}"
            ));
        }
        // Additional files, such as the learner's notes, do no harm.
        for (name, text) in &expected.files {
            let own = self.files.iter().find(|(own, _)| own == name);
            if own.is_none_or(|(_, own)| own != text) {
                found.push(format!("the file /tmp/{name} is not as expected"));
            }
        }
        found
    }

    /// Compares the final states of an object.
    fn differences_of(&self, key: &str, expected: &Self) -> Vec<String> {
        let end = |effect: &Self| {
            let change = effect.changes.iter().find(|change| change.key == key);
            change.map(|change| change.after.clone())
        };
        let one = |text: &str| vec![format!("{key} {text}")];
        match (end(self), end(expected)) {
            (Some(None), Some(None)) | (None, None) => Vec::new(),
            (Some(Some(own)), Some(Some(wanted))) => {
                let mut fields = fields_between(key, &own, &wanted);
                fields.retain(|field| !WAYS.contains(&field.path.as_str()));
                let told = fields.iter().map(|field| {
                    let [own, wanted] = field.texts();
                    format!("{key}: {} is {own}, expected {wanted}", field.path)
                });
                told.collect()
            }
            (Some(Some(_)), Some(None)) => one("still exists"),
            (Some(None), _) => one("is deleted"),
            (Some(Some(_)), None) => one("has changed and should not"),
            (None, Some(None)) => one("is not deleted"),
            (None, Some(Some(_))) => one("has not changed as expected"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::{Value, json};

    fn web(replicas: i64, uid: &str) -> Value {
        json!({"metadata": {"name": "web", "uid": uid}, "spec": {"replicas": replicas}})
    }

    fn changed(after: Option<Value>) -> Effect {
        Effect {
            changes: vec![ObjectDiff {
                key: "deployments.apps/default/web".to_owned(),
                before: Some(web(1, "a")),
                after,
            }],
            ..Effect::default()
        }
    }

    #[test]
    fn attempts_are_compared_by_their_effect() {
        let before = Effect::default();
        let compare = |own: Effect, wanted: Effect| own.compared(&wanted, &before);
        let scaled = || changed(Some(web(3, "b")));
        assert_eq!(compare(changed(Some(web(3, "c"))), scaled()), Verdict::Same);
        assert_eq!(
            compare(changed(Some(web(5, "c"))), scaled()),
            Verdict::Other(vec![
                "deployments.apps/default/web: spec.replicas is 5, expected 3".to_owned()
            ])
        );
        assert_eq!(compare(Effect::default(), scaled()), Verdict::Nothing);
        assert_eq!(
            compare(changed(None), scaled()),
            Verdict::Other(vec!["deployments.apps/default/web is deleted".to_owned()])
        );
    }

    #[test]
    fn read_only_attempts_are_compared_by_their_output() {
        let shows = |text: &str, code| Effect {
            code,
            output: vec![text.to_owned()],
            ..Effect::default()
        };
        let before = Effect::default();
        let verdict = |own: Effect| own.compared(&shows("web 3/3", 0), &before);
        assert_eq!(verdict(shows("web 3/3", 0)), Verdict::Same);
        assert_eq!(verdict(shows("web", 0)), Verdict::Nothing);
        assert_eq!(verdict(shows("web 3/3", 1)), Verdict::Nothing);
        let file = Effect {
            files: vec![("a".to_owned(), "b".to_owned())],
            ..Effect::default()
        };
        assert_eq!(before.compared(&file, &before), Verdict::Nothing);
        assert_eq!(file.compared(&file, &before), Verdict::Same);
    }
}
