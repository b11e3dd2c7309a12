//! `ctl cluster list`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use comfy_table::{Table, presets};

use super::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::state_dir::clusters_directory;
use crate::cli::state_dir::is_cluster;
use crate::cluster::{ClockMode, Cluster, Range};

/// List the clusters in the user's data directory, and the current one
///
/// Example: ctl cluster list
#[derive(Args, Debug)]
pub(crate) struct ListArgs {}

pub(crate) fn run(_args: &ListArgs, context: &Context) -> Outcome {
    let current = context.directory()?;
    let mut table = Table::new();
    table.load_preset(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header([
        "",
        "NAME",
        "CLOCK",
        "NODES",
        "OBJECTS",
        "REVISION",
        "DIRECTORY",
    ]);
    let mut rows = 0;
    for path in directories(&current) {
        table.add_row(row(&path, path == current, context)?);
        rows += 1;
    }
    if rows == 0 {
        context
            .ui
            .note("No clusters yet: the first command makes one.");
    } else {
        context.ui.line(table)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn directories(current: &Path) -> BTreeSet<PathBuf> {
    let named = clusters_directory()
        .ok()
        .and_then(|dir| std::fs::read_dir(dir).ok());
    let found = named
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    found
        .chain([current.to_path_buf()])
        .filter(|path| is_cluster(path))
        .collect()
}

fn row(path: &Path, current: bool, context: &Context) -> Result<Vec<String>, CliError> {
    let mark = if current { "*" } else { "" }.to_owned();
    let place = path.display().to_string();
    let opened = Cluster::open(path, context.open()?).and_then(|cluster| {
        cluster
            .raw_list(&Range::all(), None)
            .map(|list| (cluster, list))
    });
    Ok(match opened {
        Ok((cluster, list)) => {
            let settings = cluster.settings();
            let clock = match settings.clock {
                ClockMode::System => "system",
                ClockMode::Virtual => "virtual",
            };
            vec![
                mark,
                settings.name.clone(),
                clock.to_owned(),
                settings.nodes.to_string(),
                list.items.len().to_string(),
                list.revision.to_string(),
                place,
            ]
        }
        Err(e) => {
            let dash = || "-".to_owned();
            vec![
                mark,
                dash(),
                dash(),
                dash(),
                dash(),
                dash(),
                format!("{place}: {e}"),
            ]
        }
    })
}
