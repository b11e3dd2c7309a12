//! Mounts file systems for a test. Only root can do that, and other users see a note.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{can_run, note};

/// Returns true if this process may mount, own files of other users, and act as other users.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A file system that is mounted on a directory until the value is dropped. Declare it after its world.
pub struct Mount {
    at: PathBuf,
}

impl Mount {
    /// Creates the directory `at` and mounts on it. Returns `None` and prints a note if that is not permitted.
    pub fn new(at: &Path, arguments: &[&str]) -> Option<Self> {
        std::fs::create_dir_all(at).unwrap();
        let path = at.to_str().unwrap();
        let command = [&["mount"], arguments, &[path]].concat();
        if is_root() && can_run(&command) {
            return Some(Self { at: at.into() });
        }
        note(&format!("cannot be done here: {}", command.join(" ")));
        None
    }

    /// Mounts an empty tmpfs with these options.
    pub fn tmpfs(at: &Path, options: &str) -> Option<Self> {
        let options = format!("mode=0700,{options}");
        Self::new(at, &["-t", "tmpfs", "-o", &options, "tmpfs"])
    }

    /// Mounts an image of a file system; `loop` must be one of the options.
    pub fn image(at: &Path, image: &Path, options: &str) -> Option<Self> {
        Self::new(at, &["-o", options, image.to_str().unwrap()])
    }

    /// Changes the options of the mount.
    pub fn remount(&self, options: &str) {
        let options = format!("remount,{options}");
        assert!(can_run(&[
            "mount",
            "-o",
            &options,
            self.at.to_str().unwrap()
        ]));
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        for lazily in [false, true] {
            let mut command = Command::new("umount");
            command.args(lazily.then_some("-l")).arg(&self.at);
            if command
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|s| s.success())
            {
                return;
            }
        }
    }
}
