//! Files for another program, such as an editor: in a directory that nobody else may look into, and
//! that is gone again however the process ends.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::entropy::kernel_random;

/// The directories that go when the process is told to end.
static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Another program has the terminal: its keys are not for this one.
static LENT: AtomicBool = AtomicBool::new(false);

/// A directory of this process alone (0700, with a name that cannot be guessed), removed when it is
/// dropped and when a signal ends the process.
#[derive(Debug)]
pub struct ScratchDir {
    path: PathBuf,
}

impl ScratchDir {
    /// Makes one for temporary files, its name beginning with `prefix`.
    ///
    /// # Errors
    /// The directory cannot be made, or the signals cannot be watched.
    pub fn new(prefix: &str) -> io::Result<Self> {
        // The signals first: a directory must never exist without somebody to remove it.
        watch_signals()?;
        let parent = std::env::temp_dir();
        // A signal waits for the lock: it finds the directory listed, or not made yet.
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let path = parent.join(format!("{prefix}{:016x}", kernel_random()));
            // Created with its mode: a `chmod` afterwards would leave a moment in which others can
            // look.
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                made => {
                    made.map_err(|e| within(&path, &e))?;
                    open.push(path.clone());
                    return Ok(Self { path });
                }
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a file in it, readable by nobody else from its first moment.
    ///
    /// # Errors
    /// The file is there already or cannot be written.
    pub fn file(&self, name: impl AsRef<Path>, text: &str) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        let mut options = OpenOptions::new();
        // `create_new` follows no link that somebody put there.
        let opened = options.write(true).create_new(true).mode(0o600).open(&path);
        let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|e| within(&path, &e))?;
        Ok(path)
    }

    /// Leaves it to the user, who must be told where it is.
    pub fn keep(self) {
        // Taken off the list before it is forgotten, or a signal would remove it after all.
        close(&self.path);
        std::mem::forget(self);
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        // What cannot be removed cannot be read by anybody else either.
        let _ = std::fs::remove_dir_all(&self.path);
        close(&self.path);
    }
}

/// Runs a program that works on such files and may use the terminal: until it ends, what the user
/// types to interrupt is for it alone.
///
/// # Errors
/// The program cannot be started.
pub fn lend_terminal(command: &mut Command) -> io::Result<ExitStatus> {
    while_lent(|| command.status())
}

/// Calls a function during which another program has the terminal, as [`lend_terminal`] does.
pub fn while_lent<T>(work: impl FnOnce() -> T) -> T {
    // SIGINT and SIGQUIT of the terminal go to the whole process group; the editor handles them
    // itself.
    LENT.store(true, Ordering::SeqCst);
    let done = work();
    LENT.store(false, Ordering::SeqCst);
    done
}

fn within(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn close(path: &Path) {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|other| other != path);
}

/// From now on a thread removes the directories before a signal ends the process.
fn watch_signals() -> io::Result<()> {
    static ONCE: Once = Once::new();
    let mut begun = Ok(());
    ONCE.call_once(|| begun = begin());
    begun
}

fn begin() -> io::Result<()> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
    let end = move || {
        for signal in signals.forever() {
            // The editor is interrupted, and this process must still be there to read its file.
            if LENT.load(Ordering::SeqCst) && matches!(signal, SIGINT | SIGQUIT) {
                continue;
            }
            let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
            for path in open.iter() {
                let _ = std::fs::remove_dir_all(path);
            }
            // The lock is kept: nothing is made in between.
            let _ = emulate_default_handler(signal);
        }
    };
    std::thread::Builder::new()
        .name("scratch".to_owned())
        .spawn(end)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn files_are_the_owners_alone_and_go_with_their_directory() {
        let dir = ScratchDir::new("ctl-test-").unwrap();
        let file = dir.file("a.yaml", "a: b\n").unwrap();
        assert_eq!((mode(dir.path()), mode(&file)), (0o700, 0o600));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "a: b\n");
        assert!(dir.file("a.yaml", "").is_err());
        let other = ScratchDir::new("ctl-test-").unwrap();
        assert_ne!(dir.path, other.path);
        let path = dir.path.clone();
        drop(dir);
        assert!(!path.exists() && other.path.exists());
    }

    #[test]
    fn a_panic_leaves_nothing_and_what_is_kept_stays() {
        let dir = ScratchDir::new("ctl-test-").unwrap();
        let path = dir.path.clone();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
            dir.file("a", "").unwrap();
            panic!("in the middle");
        }));
        assert!(panicked.is_err() && !path.exists());
        let dir = ScratchDir::new("ctl-test-").unwrap();
        let path = dir.path.clone();
        dir.keep();
        assert_eq!(mode(&path), 0o700);
        std::fs::remove_dir_all(path).unwrap();
    }
}
