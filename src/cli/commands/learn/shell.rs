//! Runs the commands of a lesson in a shell, with a directory that stands for /tmp and this program as `ctl` and
//! `kubectl`.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::lesson::FILES;
use crate::cli::error::CliError;
use crate::cli::output::write_file;
use crate::sys::bounded;
use crate::sys::scratch::with_terminal_released;

/// The character that ends the output of a command. No command of a lesson prints it.
const END: char = '\u{1}';

/// The name of the file with the next line, relative to the root.
const LINE: &str = "line";

/// The length from which a line of output is split, because a command may write without end.
const LONGEST: usize = 1 << 20;

/// The directory that a lesson's commands run in.
#[derive(Clone, Debug)]
pub(super) struct Root {
    path: PathBuf,
}

impl Root {
    /// Creates the directory with the program and the manifests of the lessons.
    pub(super) fn new(path: PathBuf) -> Result<Self, CliError> {
        make(&path.join("bin"))?;
        make(&path.join("home"))?;
        let program = std::env::current_exe()?;
        for name in ["ctl", "kubectl"] {
            symlink(&program, path.join("bin").join(name))?;
        }
        for (name, text) in FILES {
            let file = path.join(name);
            make(file.parent().unwrap_or(&path))?;
            write_file(&file, text)?;
        }
        Ok(Self { path })
    }

    /// Makes a copy, replacing an earlier one.
    pub(super) fn copied(&self, path: PathBuf) -> Result<Self, CliError> {
        match fs::remove_dir_all(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(e.into()),
            _ => copy(&self.path, &path)?,
        }
        Ok(Self { path })
    }

    /// Returns the directory that a path in a lesson stands for.
    pub(super) fn real(&self, path: &str) -> PathBuf {
        PathBuf::from(self.inside(path))
    }

    /// Replaces the paths of a lesson by paths in this directory.
    fn inside(&self, line: &str) -> String {
        line.replace("/tmp/", &format!("{}/", self.path.display()))
    }

    /// Replaces paths in this directory by those of a lesson.
    fn outside(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.path.display()), "/tmp/")
    }

    /// Returns the top-level files that commands have written, by name, with their contents.
    pub(super) fn files(&self) -> Result<Vec<(String, String)>, CliError> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.file_type()?.is_file() && name != LINE {
                let bytes = bounded::read(entry.path(), bounded::MANIFESTS)?;
                files.push((name, self.outside(&String::from_utf8_lossy(&bytes))));
            }
        }
        files.sort();
        Ok(files)
    }
}

fn make(path: &Path) -> std::io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    make(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy(&entry.path(), &target)?;
        } else if kind.is_symlink() {
            symlink(fs::read_link(entry.path())?, &target)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

/// A running shell. It keeps its variables and background jobs between commands.
pub(super) struct Shell {
    root: Root,
    child: Child,
    /// The shell's input; none once the shell has to end.
    commands: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Shell {
    /// Starts a shell on the cluster in a directory.
    pub(super) fn start(root: Root, state: &str) -> Result<Self, CliError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        // The program comes first in PATH, because an installed ctl may have another version.
        let own = std::iter::once(root.path.join("bin")).chain(std::env::split_paths(&path));
        let path = std::env::join_paths(own).map_err(|e| CliError::text(format!("PATH: {e}")))?;
        let mut command = Command::new("bash");
        command
            // The user's aliases and prompts would change the output of a lesson.
            .args(["--noprofile", "--norc"])
            .current_dir(&root.path)
            .env("PATH", path)
            // Commands of a lesson must not change the user's configuration.
            .env("HOME", root.path.join("home"))
            .env("CTL_STATE", root.inside(state))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        for name in [
            "CTL_CONFIG",
            "KUBECONFIG",
            "XDG_CONFIG_HOME",
            "XDG_DATA_HOME",
        ] {
            command.env_remove(name);
        }
        let mut child = command.spawn().map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => CliError::text("the lessons need bash"),
            _ => CliError::text(format!("bash: {e}")),
        })?;
        let (Some(mut commands), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(CliError::text("cannot connect to bash"));
        };
        // Ctrl-C ends the command but not the shell; background jobs end with the shell.
        commands.write_all(b"exec 2>&1\ntrap : INT\ntrap 'kill $(jobs -p) 2>/dev/null' EXIT\n")?;
        Ok(Self {
            root,
            child,
            commands: Some(commands),
            output: BufReader::new(output),
        })
    }

    /// Runs a line, reports each line of its output, and returns its exit code.
    pub(super) fn run(
        &mut self,
        line: &str,
        tell: &mut dyn FnMut(&str) -> Result<(), CliError>,
    ) -> Result<i32, CliError> {
        // The line is read from a file, so that an unclosed quote is an error of this line only.
        write_file(&self.root.path.join(LINE), &self.root.inside(line))?;
        let number = u32::from(END);
        let framed =
            format!("eval \"$(cat {LINE})\" </dev/null\nprintf '\\{number:03o}%s\\n' \"$?\"\n");
        if let Some(commands) = &mut self.commands {
            commands.write_all(framed.as_bytes())?;
        }
        with_terminal_released(|| self.until_end(tell))
    }

    fn until_end(
        &mut self,
        tell: &mut dyn FnMut(&str) -> Result<(), CliError>,
    ) -> Result<i32, CliError> {
        loop {
            let bytes = self.next_line()?;
            let text = self.root.outside(&String::from_utf8_lossy(&bytes));
            let text = text.strip_suffix('\n').unwrap_or(&text);
            // The last line of output may lack a line break.
            match text.split_once(END) {
                None => tell(text)?,
                Some((rest, code)) => {
                    if !rest.is_empty() {
                        tell(rest)?;
                    }
                    return Ok(code.parse().unwrap_or(-1));
                }
            }
        }
    }
}

impl Shell {
    /// Reads a line of output. A very long line is returned in pieces.
    fn next_line(&mut self) -> Result<Vec<u8>, CliError> {
        let mut line = Vec::new();
        while line.len() < LONGEST && !line.ends_with(b"\n") {
            let piece = self.output.fill_buf()?;
            if piece.is_empty() {
                return Err(CliError::text("the shell of the lesson has ended"));
            }
            let end = piece.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(piece.len(), |end| end + 1);
            line.extend_from_slice(&piece[..length]);
            self.output.consume(length);
        }
        Ok(line)
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        // The end of its input ends the shell, and its trap ends the jobs.
        self.commands = None;
        let _ = self.child.wait();
    }
}
