//! A file to which any number of processes append whole lines at the same time.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// A file to append lines to.
///
/// ```
/// use ctl_sys::lines::Lines;
///
/// let directory = tempfile::tempdir()?;
/// let log = Lines::open(&directory.path().join("log"))?;
/// log.append("first")?;
/// assert_eq!(std::fs::read_to_string(log.path())?, "first\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Lines {
    file: File,
    path: PathBuf,
}

impl Lines {
    /// Opens a file, or creates one that only its owner can read.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened or is a link.
    pub fn open(path: &Path) -> io::Result<Self> {
        // A link in another user's directory must not lead to a file of this user.
        let no_link = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or_default();
        let file = File::options()
            .append(true)
            .create(true)
            .mode(0o600)
            .custom_flags(no_link)
            .open(path)?;
        Ok(Self {
            file,
            path: path.to_path_buf(),
        })
    }

    /// Returns standard output as a file of lines.
    ///
    /// # Errors
    /// Returns an error if standard output is closed.
    pub fn standard_output() -> io::Result<Self> {
        let file = io::stdout().as_fd().try_clone_to_owned()?;
        Ok(Self {
            file: file.into(),
            path: PathBuf::from("-"),
        })
    }

    /// Returns the path; `-` for standard output.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a line.
    ///
    /// # Errors
    /// Returns an error if the line cannot be written.
    pub fn append(&self, line: &str) -> io::Result<()> {
        // A single write per line, which the kernel appends as a whole: lines of several processes do not mix.
        (&self.file).write_all(format!("{line}\n").as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn two_writers_append_lines_to_one_private_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let (one, other) = (Lines::open(&path).unwrap(), Lines::open(&path).unwrap());
        for (file, line) in [(&one, "a"), (&other, "b"), (&one, "c")] {
            file.append(line).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "a\nb\nc\n");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let link = directory.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(Lines::open(&link).is_err());
    }
}
