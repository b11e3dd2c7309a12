//! Replays the commits of an exported cluster.

use std::time::Duration;

use jiff::Timestamp;

use super::ReplayArgs;
use crate::api::json::json;
use crate::cli::commands::step::{commits_after, summary};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::history::{Times, names};
use crate::cluster;
use crate::sys::scratch::ScratchDir;
use crate::sys::signal;

/// The longest pause between two commits, so that idle hours do not stall the replay.
const LONGEST: Duration = Duration::from_secs(3);

pub(super) fn play(args: &ReplayArgs, bytes: &[u8], context: &Context) -> Result<(), CliError> {
    let scratch = ScratchDir::new("ctl-replay-")?;
    let restored = cluster::restore(bytes, &scratch.path().join("cluster"), context.open()?)?;
    let oldest = restored.stored().oldest()?;
    let commits = commits_after(&restored, oldest, args.until)?;
    let names = names(context, &restored)?;
    let times = Times::for_commits(commits.iter().map(|entry| entry.time), restored.now()?);
    let mut last: Option<Timestamp> = None;
    for entry in &commits {
        if context.ui.shows_out() && args.answer.is_human() {
            // Only a terminal gets pauses: a program needs the lines at once.
            if let Some(last) = last.replace(entry.time) {
                signal::sleep(pause(last, entry.time, args.speed));
            }
        }
        let text = summary(&names, entry);
        match args.answer.is_human() {
            true => context.ui.line(format_args!(
                "{:>6}  {}  {text}",
                entry.revision,
                times.shown(entry.time)
            ))?,
            false => args.answer.print(
                context,
                "",
                &json!({"revision": entry.revision, "time": entry.time.to_string(), "commit": text}),
            )?,
        }
    }
    Ok(())
}

/// Returns the pause between two commits.
fn pause(before: Timestamp, after: Timestamp, speed: f64) -> Duration {
    let passed = after.duration_since(before).unsigned_abs();
    let scaled = Duration::try_from_secs_f64(passed.as_secs_f64() / speed);
    scaled.map_or(LONGEST, |scaled| scaled.min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_follow_cluster_time_up_to_a_maximum() {
        let at = |second| Timestamp::from_second(second).unwrap();
        for (seconds, speed, expected) in [
            (0, 1.0, Duration::ZERO),
            (2, 1.0, Duration::from_secs(2)),
            (60, 60.0, Duration::from_secs(1)),
            (3600, 1.0, LONGEST),
            (1, 1e-300, LONGEST),
        ] {
            assert_eq!(pause(at(0), at(seconds), speed), expected);
        }
    }
}
