//! Points in the history, given as a revision, a time or a mark.

use jiff::Timestamp;

use crate::api::duration;
use crate::cluster::{Cluster, HistoryQuery, Result, Revision};
use crate::history_start::HistoryStart;

/// The prefix of a mark's rule; the name follows.
const MARK: &str = "mark: ";

/// A point in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The revision of the cluster at that point.
    pub revision: Revision,
    /// The requested time, or the time of the last commit at or before the revision.
    pub time: Timestamp,
}

/// A reference to a point in the history.
#[derive(Clone, Copy, Debug)]
enum MomentReference<'t> {
    Revision(Revision),
    Time(Timestamp),
    Mark(&'t str),
}

/// Returns the rule of a commit that marks a point in the history.
///
/// # Errors
/// Returns an error if the name would be parsed as a revision or a duration.
pub fn mark_rule(name: &str) -> std::result::Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    // In `--revision`, two dots denote a range.
    match begins && name.chars().all(plain) && !name.contains("..") {
        true => Ok(format!("{MARK}{name}")),
        false => Err(format!(
            "{name:?} cannot be the name of a mark: use letters, digits, '-', '_' and single '.', with a letter first"
        )),
    }
}

/// Returns the name of the mark if the rule is that of a mark.
pub fn mark_of(rule: &str) -> Option<&str> {
    rule.strip_prefix(MARK)
}

/// Finds a point in the history: a revision such as `42`, a time such as `2027-01-01T00:00:00Z`, a duration before now
/// such as `10m`, or the newest mark with this name.
///
/// # Errors
/// Returns an error if the cluster cannot be read. The inner error says why there is no such point.
pub fn moment(cluster: &Cluster, text: &str) -> Result<std::result::Result<Moment, String>> {
    let (last, now) = cluster.stored().moment()?;
    // The names of marks start with a letter, so they cannot be parsed as anything else.
    let asked = match (text.parse::<Revision>(), text.parse::<Timestamp>()) {
        (Ok(revision), _) => MomentReference::Revision(revision),
        (_, Ok(time)) => MomentReference::Time(time),
        _ => match duration::parse(text) {
            Some(ago) => MomentReference::Time(now.checked_sub(ago).unwrap_or(Timestamp::MIN)),
            None => MomentReference::Mark(text),
        },
    };
    if let MomentReference::Revision(asked) = asked
        && asked > last
    {
        return Ok(Err(format!(
            "revision {asked} does not exist yet: the cluster is at revision {last}"
        )));
    }
    let begins = cluster.stored().oldest()?;
    let past = HistoryQuery {
        after: begins,
        ..HistoryQuery::default()
    };
    let mut found = None;
    // Every commit must be checked, because times may decrease: a machine's clock can be set back.
    cluster.stored().visit_back(&past, &mut |commit| {
        let revision = commit.revision;
        let is_it = match asked {
            // A revision within a batch was never visible, so the state before the batch is used.
            MomentReference::Revision(asked) => revision <= asked,
            MomentReference::Time(time) => commit.time <= time,
            // The newest mark is used: setting a mark again moves it.
            MomentReference::Mark(name) => mark_of(commit.rule) == Some(name),
        };
        if is_it {
            let time = match asked {
                MomentReference::Time(time) => time.min(now),
                _ => commit.time,
            };
            found = Some(Moment { revision, time });
        }
        Ok(!is_it)
    })?;
    if let Some(found) = found {
        return Ok(Ok(found));
    }
    let begin = HistoryStart::read(cluster)?;
    Ok(match asked {
        // The commit itself is no longer retained, only its resulting objects.
        MomentReference::Revision(asked) if asked == begins => Ok(Moment {
            revision: asked,
            time: begin.time.unwrap_or(now),
        }),
        MomentReference::Revision(asked) if asked > begins => {
            let commit = match begin.note() {
                Some(note) => format!("the oldest retained commit: {note}"),
                None => "the first commit".to_owned(),
            };
            Err(format!("revision {asked} is inside {commit}"))
        }
        MomentReference::Revision(asked) => {
            Err(format!("revision {asked} is no longer kept: {begin:#}"))
        }
        MomentReference::Time(time) => Err(format!("no state from {time} is available: {begin:#}")),
        MomentReference::Mark(name) => {
            let what = "is not a revision, a time, a duration or a mark in the history";
            let note = begin.note().map(|_| format!(": {begin:#}"));
            Err(format!("{name:?} {what}{}", note.unwrap_or_default()))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::testing::{fresh, in_memory};

    #[test]
    fn mark_names_cannot_be_revisions_or_times() {
        assert_eq!(mark_rule("before-v2").as_deref(), Ok("mark: before-v2"));
        for odd in ["", "42", "10m", "a b", "a..b", "2027-01-01T00:00:00Z"] {
            assert!(mark_rule(odd).is_err(), "{odd}");
        }
    }

    fn a_point_is_found(cluster: &Cluster) {
        let at = |text: &str| moment(cluster, text).unwrap();
        let (revision, now) = cluster.stored().moment().unwrap();
        assert_eq!(cluster.stored().mark("mark: here").unwrap(), revision);
        let here = Moment {
            revision,
            time: now,
        };
        assert_eq!(at("here"), Ok(here));
        assert_eq!(at(&revision.to_string()), Ok(here));
        assert_eq!(at(&now.to_string()), Ok(here));
        let far = at(&(revision + 5).to_string()).unwrap_err();
        assert!(far.contains("does not exist yet"), "{far}");
        let none = at("nowhere").unwrap_err();
        assert!(none.contains("or a mark"), "{none}");
        let old = at("2001-01-01T00:00:00Z").unwrap_err();
        assert!(old.contains("the history begins at revision"), "{old}");
    }

    #[test]
    fn moment_is_found_by_revision_time_and_mark() {
        a_point_is_found(&fresh());
        a_point_is_found(&in_memory());
    }

    #[test]
    fn oldest_revision_of_the_history_is_readable() {
        let cluster = fresh();
        let begins = cluster.stored().oldest().unwrap();
        let found = moment(&cluster, &begins.to_string()).unwrap().unwrap();
        assert_eq!(found.revision, begins);
        assert!(cluster.stored().as_of(begins, found.time).is_ok());
    }

    #[test]
    fn view_of_the_past_has_the_requested_time() {
        let cluster = fresh();
        let (revision, now) = cluster.stored().moment().unwrap();
        let later = now + std::time::Duration::from_secs(60);
        let past = cluster.stored().as_of(revision, later).unwrap();
        assert_eq!(past.stored().moment().unwrap(), (revision, later));
        assert_eq!(cluster.now().unwrap(), now);
    }
}
