//! Plays the changes of a cluster frame by frame below the text of a terminal.

use std::path::Path;
use std::time::Duration;

use ctl_scene::{Commit, Period, Recording, Scope, Snapshot, tree, view};

use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::state_dir::is_cluster;
use crate::cluster::{Cluster, Open, Revision};
use crate::sys::signal;

/// The duration of a frame.
const FRAME: Duration = Duration::from_millis(250);

/// The maximum number of frames; a longer film skips some.
const MOST: usize = 24;

/// Plays the changes after a revision of the cluster in a directory. A single change needs no film.
pub(super) fn play(state: &Path, after: Revision, context: &Context) -> Result<(), CliError> {
    let Some((width, height)) = context.ui.size().filter(|_| is_cluster(state)) else {
        return Ok(());
    };
    let cluster = Cluster::open(state, Open::default())?;
    // All lessons use this namespace.
    let scope = Scope::namespace("default");
    let period = Period {
        after,
        ..Period::default()
    };
    let recording = Recording::read(&cluster, &scope, period)?;
    let frames = recording.commits.len();
    if frames < 2 {
        return Ok(());
    }
    // Frames are skipped evenly, and the last one is always shown, because the lesson continues from its state.
    let step = frames.div_ceil(MOST);
    let (mut place, mut texts) = (0, Vec::new());
    recording.play(&mut |snapshot, commit| {
        if (frames - place) % step == 0 {
            texts.push(frame(snapshot, commit, &scope, width));
        }
        place += 1;
    });
    // All frames have the height of the tallest one, because text that jumps is hard to follow.
    let tallest = texts.iter().map(|text| text.lines().count()).max();
    let rows = tallest.unwrap_or(0).min(height.saturating_sub(2)).max(1);
    context.ui.animate(&texts, rows, &|| signal::sleep(FRAME))
}

fn frame(snapshot: &Snapshot, commit: Option<&Commit>, scope: &Scope, width: usize) -> String {
    let by = match commit {
        None => "before".to_owned(),
        Some(commit) => format!("{}: {}", commit.writer, commit.rule),
    };
    let head = format!("   {}  {by}", snapshot.time.strftime("%T"));
    let head: String = head.chars().take(width.saturating_sub(1)).collect();
    let scene = tree(snapshot, scope);
    format!(
        "{head}\n{}",
        view::text::of(&scene, Some(width.saturating_sub(1)))
    )
}
