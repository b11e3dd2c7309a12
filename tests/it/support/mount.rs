//! File systems of a test's own: only root can mount them, everybody else is told so.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{can_run, say};

/// Whether this process may mount, own files of others and act as others.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Something mounted on a directory until the value is dropped. Declare it behind its world.
pub struct Mount {
    at: PathBuf,
}

impl Mount {
    /// Mounts on the directory `at`, made for it; `None` (and a word) where that is refused.
    pub fn new(at: &Path, arguments: &[&str]) -> Option<Self> {
        std::fs::create_dir_all(at).unwrap();
        let path = at.to_str().unwrap();
        let command = [&["mount"], arguments, &[path]].concat();
        if is_root() && can_run(&command) {
            return Some(Self { at: at.into() });
        }
        say(&format!("cannot be done here: {}", command.join(" ")));
        None
    }

    /// An empty tmpfs of this size.
    pub fn tmpfs(at: &Path, options: &str) -> Option<Self> {
        let options = format!("mode=0700,{options}");
        Self::new(at, &["-t", "tmpfs", "-o", &options, "tmpfs"])
    }

    /// An image of a file system; `loop` belongs to the options.
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
