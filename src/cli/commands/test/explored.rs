//! Makes test cases explorable by `ctl explore`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::case::Case;
use super::discover;
use super::files::{entries, is_yaml, text_of};
use super::suite::{Run, Suite};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::fork::Fork;
use crate::cluster::Cluster;
use crate::runtime::explore::Shared;

/// The fixed seed of all clusters, so that two runs differ in their schedule only.
const SEED: u64 = 1;

/// The maximum depth of a case's directory, and the maximum number of files in it.
const FILES: (usize, usize) = (16, 200);

/// A test case that can be run any number of times.
pub(in crate::cli::commands) struct Explored<'a> {
    suite: Suite<'a>,
    case: Case,
}

/// Returns the cases in a file or a directory.
pub(in crate::cli::commands) fn cases<'a>(
    path: &str,
    context: &'a Context,
    timeout: Duration,
) -> Result<Vec<Explored<'a>>, CliError> {
    let cases = discover::cases(&[path.to_owned()]).map_err(CliError::text)?;
    let explored = cases.into_iter().map(|case| {
        if case.has_scripts() {
            // A process would need the cluster in a directory, and would take real time.
            let (at, name) = (&case.at, &case.name);
            let text = format!("{at}: the case {name} starts processes and cannot be explored");
            return Err(CliError::text(text));
        }
        Ok(Explored {
            suite: Suite {
                context,
                timeout,
                current: false,
                matrix: false,
                update: false,
                stop: Arc::default(),
                bases: Mutex::default(),
            },
            case,
        })
    });
    explored.collect()
}

impl Explored<'_> {
    /// Returns the name of the case.
    pub(in crate::cli::commands) fn name(&self) -> &str {
        &self.case.name
    }

    /// Returns the cluster that the case starts from.
    pub(in crate::cli::commands) fn base(&self) -> Result<Arc<Cluster>, CliError> {
        self.suite.base(self.case.nodes, SEED)
    }

    /// Runs the case under a schedule. Returns its cluster, and the reason if it failed.
    pub(in crate::cli::commands) fn run(
        &self,
        schedule: &Shared,
    ) -> Result<(Arc<Fork>, Option<String>), CliError> {
        let run = Run {
            case: &self.case,
            seed: SEED,
            show_seed: false,
            fault: None,
            schedule: Some(schedule.clone()),
        };
        let mut world = self.suite.world(&run)?;
        let failure = world.run(&self.case, &mut |_, _| Ok(())).err();
        let why = failure.map(|failure| format!("{}\n{}", failure.step, failure.text));
        Ok((Arc::clone(&world.fork), why))
    }

    /// Returns the path of the case's file in the directory that [`Explored::files`] reads.
    pub(in crate::cli::commands) fn file(&self) -> String {
        let path = Path::new(&*self.case.at.file);
        let from = path.strip_prefix(self.directory()).unwrap_or(path);
        from.display().to_string()
    }

    fn directory(&self) -> &Path {
        let file = Path::new(&*self.case.at.file);
        file.parent().unwrap_or(Path::new(""))
    }

    /// Returns the YAML files in and below the directory of the case. With them the case runs anywhere.
    pub(in crate::cli::commands) fn files(&self) -> Result<BTreeMap<String, String>, CliError> {
        let mut files = BTreeMap::new();
        let directory = match self.directory() {
            own if own.as_os_str().is_empty() => Path::new("."),
            own => own,
        };
        gather(directory, Path::new(""), FILES.0, &mut files).map_err(CliError::text)?;
        Ok(files)
    }
}

fn gather(
    directory: &Path,
    below: &Path,
    depth: usize,
    files: &mut BTreeMap<String, String>,
) -> Result<(), String> {
    for entry in entries(directory)? {
        let name = entry.file_name().map(PathBuf::from).unwrap_or_default();
        let inner = below.join(&name);
        if entry.is_dir() {
            let hidden = name.as_os_str().as_encoded_bytes().starts_with(b".");
            if depth > 0 && !hidden {
                gather(&entry, &inner, depth - 1, files)?;
            }
        } else if is_yaml(&entry) {
            let text = String::from_utf8(text_of(&entry)?);
            let text = text.map_err(|_| format!("{}: is not UTF-8", entry.display()))?;
            files.insert(inner.display().to_string(), text);
        }
        if files.len() > FILES.1 {
            return Err(format!(
                "{}: there are more than {} YAML files, which are too many to be saved with a schedule",
                directory.display(),
                FILES.1
            ));
        }
    }
    Ok(())
}
