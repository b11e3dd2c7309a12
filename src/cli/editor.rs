//! Runs the user's editor on a temporary file.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::context::Context;
use super::error::CliError;
use crate::sys::bounded;
use crate::sys::scratch::{ScratchDir, run_in_foreground};

/// The editor if neither the environment nor a flag names one.
const DEFAULT: &str = "vi";

/// A text after editing. Dropping it deletes its file.
pub(crate) struct Edited {
    pub(crate) text: String,
    path: PathBuf,
    ending: String,
    directory: ScratchDir,
}

impl Edited {
    /// Keeps the file and returns its path, which the user must be told.
    pub(crate) fn keep(self) -> PathBuf {
        self.directory.keep(&self.path, &self.ending)
    }
}

/// A program with its arguments, to which the name of a file is added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Editor {
    words: Vec<String>,
    /// True if the last word is a shell command.
    shell: bool,
}

impl Editor {
    /// Returns the editor of the fork that the command runs on, or else that of `KUBE_EDITOR` or `EDITOR`.
    pub(crate) fn from_context(context: &Context) -> Self {
        let of_environment = || {
            ["KUBE_EDITOR", "EDITOR"]
                .iter()
                .filter_map(|name| std::env::var(name).ok())
                .find(|text| !text.is_empty())
        };
        let of_fork = context.fork().and_then(|fork| fork.editor.clone());
        let chosen = of_fork.or_else(of_environment);
        let shell = std::env::var("SHELL").ok().filter(|s| !s.is_empty());
        Self::parse(
            chosen.as_deref().unwrap_or(DEFAULT),
            shell.as_deref().unwrap_or("/bin/bash"),
        )
    }

    fn parse(text: &str, shell: &str) -> Self {
        let quoted = text.contains(['"', '\'', '\\']);
        let words = match (text.contains(' '), quoted) {
            (false, _) => vec![text.to_owned()],
            (true, false) => text.split(' ').map(str::to_owned).collect(),
            // As in kubectl, only quotes require a shell; without them, words are split at spaces.
            (true, true) => vec![shell.to_owned(), "-c".to_owned(), text.to_owned()],
        };
        Self {
            shell: text.contains(' ') && quoted,
            words,
        }
    }

    fn command_line(&self, path: &Path) -> Vec<String> {
        let mut words = self.words.clone();
        match words.last_mut() {
            Some(last) if self.shell => {
                last.push_str(&format!(" {:?}", path.display().to_string()))
            }
            _ => words.push(path.display().to_string()),
        }
        words
    }

    /// Lets the user edit a file.
    fn open(&self, path: &Path) -> Result<(), CliError> {
        let words = self.command_line(path);
        let (program, rest) = words
            .split_first()
            .ok_or_else(|| CliError::text("no editor"))?;
        // kubectl's message names the editor without the file.
        let line = self.words.join(" ");
        match run_in_foreground(Command::new(program).args(rest)) {
            Ok(status) if status.success() => Ok(()),
            // Go reports a missing program as unlaunchable only if it was looked up in PATH.
            Err(e) if e.kind() == std::io::ErrorKind::NotFound && !program.contains('/') => {
                let text = format!("unable to launch the editor {line:?}");
                Err(CliError::text(text))
            }
            _ => Err(CliError::text(format!(
                "there was a problem with the editor {line:?}"
            ))),
        }
    }

    /// Lets the user edit a text in a file of its own. The name of its directory begins with `prefix`.
    pub(crate) fn edit(&self, prefix: &str, ending: &str, text: &str) -> Result<Edited, CliError> {
        let directory = ScratchDir::new(prefix)?;
        let path = directory.file(format!("edit{ending}"), text)?;
        self.open(&path)?;
        let text = bounded::read_text(&path, bounded::MANIFESTS)
            .map_err(|e| CliError::unread(&path.display().to_string(), &e))?;
        Ok(Edited {
            text,
            path,
            ending: ending.to_owned(),
            directory,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editor_is_split_or_run_by_a_shell() {
        let line = |text: &str| Editor::parse(text, "sh").command_line(Path::new("/t/f"));
        assert_eq!(line("vi"), ["vi", "/t/f"]);
        assert_eq!(line("sed -i s/a/b/"), ["sed", "-i", "s/a/b/", "/t/f"]);
        assert_eq!(
            line("sed -i 's/a b/c/'"),
            ["sh", "-c", "sed -i 's/a b/c/' \"/t/f\""]
        );
    }
}
