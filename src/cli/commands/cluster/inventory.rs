//! Reports the files that are deleted with a cluster and those that stay.

use std::fmt::Write as _;
use std::path::Path;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cluster::Inventory;

/// The flag that confirms.
#[derive(Args, Debug)]
pub(super) struct ConfirmArgs {
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
}

impl ConfirmArgs {
    /// Asks for confirmation on a terminal. Without a terminal the command counts as confirmed.
    pub(super) fn ask(
        &self,
        context: &Context,
        verb: &str,
        path: &Path,
        found: &Inventory,
    ) -> Result<bool, CliError> {
        let ui = &context.ui;
        // Without a terminal, a prompt would hang a script.
        if self.yes || !ui.can_ask() {
            return Ok(true);
        }
        ui.line(format_args!(
            "You are about to {verb} the cluster in {} with {} objects and its history.{}",
            path.display(),
            found.objects,
            describe_leftovers(path, found)
        ))?;
        let agreed = ui.confirm()?;
        // The exit code is 0, because a "no" is a decision, not a failure.
        if !agreed {
            ui.line("nothing was deleted")?;
        }
        Ok(agreed)
    }
}

/// Returns the lines about lost edits and remaining files; empty if there are none.
pub(super) fn describe_leftovers(path: &Path, found: &Inventory) -> String {
    let mut text = String::new();
    let place = path.display();
    for (head, paths) in [
        (
            "files with edits that were not imported".to_owned(),
            &found.edited,
        ),
        (
            format!("not created by ctl, kept in {place}"),
            &found.others,
        ),
    ] {
        if !paths.is_empty() {
            let _ = write!(text, "\n{head}:\n  {}", paths.join("\n  "));
        }
    }
    text
}
