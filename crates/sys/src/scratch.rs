//! Temporary files for another program, such as an editor, in a directory that only its owner can access and that is
//! removed however the process ends.

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

use crate::signal::ENDS_BY_ITSELF;

use super::entropy::kernel_random;

/// The directories to remove if a signal ends the process.
static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// True while another program uses the terminal; keyboard interrupts then do not end this process.
static LENT: AtomicBool = AtomicBool::new(false);

/// A private directory of this process (mode 0700, unpredictable name). It is removed when the value is dropped or a
/// signal ends the process.
#[derive(Debug)]
pub struct ScratchDir {
    path: PathBuf,
}

impl ScratchDir {
    /// Creates a directory for temporary files whose name starts with `prefix`.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be created or the signals cannot be handled.
    pub fn new(prefix: &str) -> io::Result<Self> {
        // The signal handler comes first: the directory must never exist without a handler that removes it.
        watch_signals()?;
        let parent = std::env::temp_dir();
        // The signal handler takes this lock, so the directory is either listed or not created yet.
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            // A 32-bit decimal number, as in Go's names of temporary files. A name that exists is skipped.
            let path = parent.join(format!("{prefix}{}", kernel_random() >> 32));
            // Created with its mode, because a `chmod` afterwards would allow others access for a moment.
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

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a file in the directory that only its owner can read, from the start.
    ///
    /// # Errors
    /// Returns an error if the file already exists or cannot be written.
    pub fn file(&self, name: impl AsRef<Path>, text: &str) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        let mut options = OpenOptions::new();
        // `create_new` does not follow a link that another process has created.
        let opened = options.write(true).create_new(true).mode(0o600).open(&path);
        let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|e| within(&path, &e))?;
        Ok(path)
    }

    /// Keeps a file of the directory for the user: it moves next to the directory, under the directory's name plus
    /// `ending`. Returns the path, which the caller must report.
    pub fn keep(self, file: &Path, ending: &str) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(ending);
        let kept = PathBuf::from(name);
        // A hard link never replaces a file, even if another process has created one in the meantime.
        if std::fs::hard_link(file, &kept).is_ok() {
            return kept;
        }
        // Taken off the list, so that a signal does not delete it after all.
        close(&self.path);
        std::mem::forget(self);
        file.to_owned()
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        // If removing it fails, the directory is still inaccessible to others.
        let _ = std::fs::remove_dir_all(&self.path);
        close(&self.path);
    }
}

/// Runs a program that uses the terminal. Until it ends, only that program handles keyboard interrupts.
///
/// # Errors
/// Returns an error if the program cannot be started.
pub fn run_in_foreground(command: &mut Command) -> io::Result<ExitStatus> {
    with_terminal_released(|| command.status())
}

/// Calls a function while another program uses the terminal, as for [`run_in_foreground`].
pub fn with_terminal_released<T>(work: impl FnOnce() -> T) -> T {
    // The terminal sends SIGINT and SIGQUIT to the whole process group; the editor handles them itself.
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

/// Starts a thread that removes the directories before a signal ends the process.
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
            // The signal is for the editor; this process must go on to read the edited file.
            if LENT.load(Ordering::SeqCst) && matches!(signal, SIGINT | SIGQUIT) {
                continue;
            }
            // The owners of the directories remove them when they end.
            if ENDS_BY_ITSELF.load(Ordering::SeqCst) {
                continue;
            }
            let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
            for path in open.iter() {
                let _ = std::fs::remove_dir_all(path);
            }
            // The lock stays held, so that no directory can be created from here on.
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
    fn scratch_files_are_private_and_removed_with_their_directory() {
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
    fn scratch_directory_is_removed_on_panic_unless_kept() {
        let dir = ScratchDir::new("ctl-test-").unwrap();
        let path = dir.path.clone();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
            dir.file("a", "").unwrap();
            panic!("in the middle");
        }));
        assert!(panicked.is_err() && !path.exists());
        let dir = ScratchDir::new("ctl-test-").unwrap();
        let path = dir.path.clone();
        let file = dir.file("a", "b").unwrap();
        let kept = dir.keep(&file, ".yaml");
        assert!(!path.exists() && kept.to_string_lossy().ends_with(".yaml"));
        assert_eq!(
            (mode(&kept), std::fs::read(&kept).unwrap()),
            (0o600, b"b".to_vec())
        );
        std::fs::remove_file(kept).unwrap();
    }

    #[test]
    fn keeping_a_file_replaces_no_other() {
        let dir = ScratchDir::new("ctl-test-").unwrap();
        let other = PathBuf::from(format!("{}.yaml", dir.path.display()));
        std::fs::hard_link(dir.file("other", "mine").unwrap(), &other).unwrap();
        let file = dir.file("a", "b").unwrap();
        let path = dir.path.clone();
        assert_eq!(dir.keep(&file, ".yaml"), file);
        assert_eq!(mode(&path), 0o700);
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "mine");
        std::fs::remove_dir_all(path).unwrap();
        std::fs::remove_file(other).unwrap();
    }
}
