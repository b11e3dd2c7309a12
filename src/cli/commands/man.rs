//! `ctl man`.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, CommandFactory as _};

use super::Outcome;
use crate::cli::args::Cli;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::man;

/// Write a manual page for each command
///
/// Examples:
///   ctl man ~/.local/share/man/man1              a directory that `man ctl` searches
///   ctl man /tmp/pages && man /tmp/pages/ctl-get.1
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ManArgs {
    /// Directory for the pages; created if missing
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

pub(crate) fn run(args: &ManArgs, context: &Context) -> Outcome {
    let directory = &args.directory;
    let place =
        |path: &Path, e: &std::io::Error| CliError::text(format!("{}: {e}", path.display()));
    std::fs::create_dir_all(directory).map_err(|e| place(directory, &e))?;
    // The pages are generated from the flags themselves, so none can be outdated.
    let pages = man::pages(&Cli::command(), "ctl");
    for (name, text) in &pages {
        let path = directory.join(name);
        let written = File::create(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|e| place(&path, &e))?;
    }
    let (count, directory) = (pages.len(), directory.display());
    context
        .ui
        .line(format_args!("{count} pages in {directory}"))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn man_creates_the_directory_with_one_page_per_command() {
        let shell = Shell::empty();
        let out = shell.out("man @/pages/man1");
        let files = std::fs::read_dir(shell.path("pages/man1")).unwrap().count();
        assert_eq!(out, format!("{files} pages in @/pages/man1\n"));
        let page =
            std::fs::read_to_string(shell.path("pages/man1/ctl-create-configmap.1")).unwrap();
        assert!(
            page.contains(".TH") && page.contains("from\\-literal"),
            "{page}"
        );
        shell.write("file", "");
        let wrong = shell.fails("man @/file");
        assert!(wrong.starts_with("error: @/file: "), "{wrong}");
    }
}
