//! The flags and arguments of commands that read the history: objects, points in time, and lines for a terminal.

use std::collections::BTreeSet;

use clap::Args;
use jiff::Timestamp;
use jiff::tz::Offset;

use super::context::Context;
use super::error::CliError;
use super::resource::{Builder, Info};
use crate::api::duration;
use crate::cluster::{Cluster, Key, stored_key};
use crate::history::{ChangeKind, History, Moment, Names, moment};

/// `--at`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct AtArgs {
    /// Use the state at an earlier point: a revision, a time, a duration ago (10m), or a mark
    #[arg(long, value_name = "REVISION|TIME|MARK")]
    at: Option<String>,
}

impl AtArgs {
    /// Returns true if the flag is given.
    pub(crate) fn is_given(&self) -> bool {
        self.at.is_some()
    }

    /// Rejects flags that have no meaning for the past.
    pub(crate) fn without(
        &self,
        others: &[(&str, bool)],
        context: &Context,
    ) -> Result<(), CliError> {
        match others.iter().find(|(_, given)| *given && self.is_given()) {
            Some((flag, _)) => Err(context.usage(format_args!("--at cannot be used with {flag}"))),
            None => Ok(()),
        }
    }

    /// Returns the point in the history that the flag selects, if it is given.
    pub(crate) fn moment(&self, cluster: &Cluster) -> Result<Option<Moment>, CliError> {
        self.at.as_deref().map(|at| point(cluster, at)).transpose()
    }

    /// Opens the cluster for the user of the command, in its state at the point that the flag selects.
    pub(crate) fn api(&self, context: &Context) -> Result<Cluster, CliError> {
        let cluster = context.api()?;
        match self.moment(&cluster)? {
            None => Ok(cluster),
            Some(at) => Ok(cluster.stored().as_of(at.revision, at.time)?),
        }
    }
}

/// Opens the cluster for a command that reads the past. It creates no cluster: a new one has no past, and a mistyped
/// directory must not become a cluster.
pub(crate) fn past(context: &Context) -> Result<Cluster, CliError> {
    match context.api_if_exists()? {
        Some(cluster) => Ok(cluster),
        None => {
            let directory = context.directory()?;
            let text = format!("no cluster in {}", directory.display());
            Err(CliError::text(text))
        }
    }
}

/// Finds a point in the history.
pub(crate) fn point(cluster: &Cluster, text: &str) -> Result<Moment, CliError> {
    moment(cluster, text)?.map_err(CliError::text)
}

/// Returns the object named by an argument such as `deploy/web`, even if it does not exist.
pub(crate) fn object(
    context: &Context,
    cluster: &Cluster,
    words: &[String],
) -> Result<(Info, Key), CliError> {
    let mut infos = match named(context, cluster, words) {
        Ok(infos) => infos,
        // An object's history is still there after its kind was deleted.
        Err(error) => {
            let removed = in_past(cluster, |past| named(context, past, words).ok())?;
            removed.ok_or(error)?
        }
    };
    let (Some(info), true) = (infos.pop(), infos.is_empty()) else {
        return Err(context.usage("expected exactly one object, such as deploy/web"));
    };
    let key = key(&info)?;
    Ok((info, key))
}

fn named(context: &Context, cluster: &Cluster, words: &[String]) -> Result<Vec<Info>, CliError> {
    let builder = Builder::new(context, Some(cluster))?;
    let found = builder.words(words, false).names_only().find()?;
    found.all()
}

/// Searches the state of the cluster before each deletion of a CustomResourceDefinition, the newest deletion first.
pub(crate) fn in_past<T>(
    cluster: &Cluster,
    mut look: impl FnMut(&Cluster) -> Option<T>,
) -> Result<Option<T>, CliError> {
    const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io/";
    let history = History::read(cluster)?;
    let removals = history.changes().rev().filter(|change| {
        change.action == ChangeKind::Deleted && change.key.starts_with(DEFINITIONS)
    });
    let mut seen = BTreeSet::new();
    for change in removals {
        let Some(before) = change.before.filter(|_| seen.insert(change.key)) else {
            continue;
        };
        // The previous revision may no longer be retained.
        let Ok(at) = point(cluster, &before.to_string()) else {
            continue;
        };
        let past = cluster.stored().as_of(at.revision, at.time)?;
        if let Some(found) = look(&past) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Returns the key of an object in the history.
pub(crate) fn key(info: &Info) -> Result<Key, CliError> {
    stored_key(info.kind, &info.namespace, &info.name).map_err(|e| CliError::text(e.to_string()))
}

/// Returns the formatter of object names for the current namespace of a command.
pub(crate) fn names(context: &Context, cluster: &Cluster) -> Result<Names, CliError> {
    Ok(Names::new(&*cluster.kinds()?, &context.namespace()?))
}

/// Parses a point in time: `2027-01-01T00:00:00Z`, or a duration before `now` such as `10m`.
pub(crate) fn when(text: &str, now: Timestamp) -> Option<Timestamp> {
    let ago = |span| now.checked_sub(span).ok();
    text.parse()
        .ok()
        .or_else(|| duration::parse(text).and_then(ago))
}

/// The format of times in a listing, which omits the date if all times are on the current day.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    with_date: bool,
}

impl Times {
    /// Returns the format for these times.
    pub(crate) fn for_commits(mut all: impl Iterator<Item = Timestamp>, now: Timestamp) -> Self {
        const DAY: i64 = 24 * 60 * 60;
        // Days are computed rather than formatted, because a log may have a hundred thousand times.
        let day = |time: Timestamp| time.as_second().div_euclid(DAY);
        let today = day(now);
        Self {
            with_date: all.any(|time| day(time) != today),
        }
    }

    /// Returns a time as text.
    pub(crate) fn shown(self, time: Timestamp) -> String {
        // The text is built by hand, because `strftime` would parse its format for each line.
        let civil = Offset::UTC.to_datetime(time);
        let [hour, minute, second] = [civil.hour(), civil.minute(), civil.second()];
        let clock = format!("{hour:02}:{minute:02}:{second:02}");
        match self.with_date {
            true => format!("{} {clock}", civil.date()),
            false => clock,
        }
    }
}

/// Cuts each line to the width of the terminal; a pipe gets whole lines.
pub(crate) fn fitted(text: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns else {
        return text.to_owned();
    };
    // A wrapped line would break the table.
    let cut = |line: &str| cut(line, columns) + "\n";
    text.lines().map(cut).collect()
}

/// Returns a text of at most this many columns. If it is cut, it ends with an ellipsis.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    match text.chars().count() > columns {
        true => text.chars().take(columns - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_in_time_are_times_or_durations_before_now() {
        let now: Timestamp = "2027-01-02T00:00:00Z".parse().unwrap();
        let at = |text: &str| when(text, now).map(|time| time.to_string());
        let tenth = Some("2027-01-01T23:50:00Z".to_owned());
        assert_eq!(at("10m"), tenth);
        assert_eq!(at("2027-01-01T23:50:00Z"), tenth);
        assert_eq!(at("soon"), None);
        let yesterday = "2027-01-01T23:50:00Z".parse().unwrap();
        let shown =
            |times: &[Timestamp]| Times::for_commits(times.iter().copied(), now).shown(times[0]);
        assert_eq!(shown(&[now]), "00:00:00");
        assert_eq!(shown(&[now, yesterday]), "2027-01-02 00:00:00");
    }

    #[test]
    fn lines_are_cut_at_the_width_of_a_terminal() {
        assert_eq!(fitted("abcdef\nab\n", Some(4)), "abc…\nab\n");
        assert_eq!(fitted("abcdef\n", None), "abcdef\n");
    }
}
