//! Reads single keys from a terminal. Keys such as Ctrl-C have no effect on this process.
//!
//! Must not know: the meaning of keys.

use std::fmt;
use std::io;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetwinsize, tcsetattr,
};

/// The keys typed on standard input. Dropping this value restores the terminal.
///
/// ```
/// use ctl_sys::keys::{Keys, Modes};
///
/// // Tests do not run in a terminal.
/// if let Ok(keys) = Keys::take() {
///     let before: Modes = keys.modes();
///     before.restore();
/// }
/// ```
#[derive(Debug)]
pub struct Keys {
    before: Modes,
}

/// The terminal's modes before keys were read one by one.
#[derive(Clone)]
pub struct Modes(Termios);

impl fmt::Debug for Modes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Modes")
    }
}

impl Modes {
    /// Restores the terminal.
    pub fn restore(&self) {
        // A terminal that no longer exists needs no restoring.
        let _gone = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}

impl Keys {
    /// Starts reading keys from the terminal on standard input.
    ///
    /// # Errors
    /// Returns an error if standard input is not a terminal.
    pub fn take() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut own = before.clone();
        // Output modes stay unchanged, so lines still start in the first column.
        own.local_modes
            .remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN);
        own.special_codes[SpecialCodeIndex::VMIN] = 1;
        own.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(io::stdin(), OptionalActions::Now, &own)?;
        Ok(Self {
            before: Modes(before),
        })
    }

    /// Returns the modes to restore if the process ends without dropping this value.
    pub fn modes(&self) -> Modes {
        self.before.clone()
    }

    /// Returns the terminal's columns and rows, if it has a size.
    pub fn size(&self) -> Option<(u16, u16)> {
        // Read each time, because the user may resize the terminal.
        let size = tcgetwinsize(io::stdin()).ok()?;
        (size.ws_col > 0).then_some((size.ws_col, size.ws_row))
    }

    /// Waits for keys. Returns `None` if none arrive in time, and an empty piece if the terminal is closed.
    ///
    /// # Errors
    /// Returns an error if keys cannot be read.
    pub fn read(&self, wait: Duration) -> io::Result<Option<Vec<u8>>> {
        let stdin = io::stdin();
        // A day stands for "no limit": the caller asks again anyway.
        let wait = wait.min(Duration::from_secs(86_400));
        let wait = Timespec::try_from(wait).map_err(io::Error::other)?;
        let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut ready, Some(&wait)) {
            // A signal counts as the end of the wait.
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(None),
            Ok(_) => {}
            Err(e) => return Err(e.into()),
        }
        let mut piece = vec![0; 4096];
        // Bypasses the standard library's buffer, where bytes that were read but not yet taken would be invisible to
        // `poll`.
        let count = match rustix::io::read(&stdin, &mut piece) {
            Ok(count) => count,
            // The other end of the pseudo-terminal was closed.
            Err(rustix::io::Errno::IO) => 0,
            Err(e) => return Err(e.into()),
        };
        piece.truncate(count);
        Ok(Some(piece))
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.before.restore();
    }
}
