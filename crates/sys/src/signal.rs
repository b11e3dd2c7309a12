//! Being asked to stop.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag;

/// A flag that is raised when the process is asked to stop (SIGINT, SIGTERM). Asked a second time it
/// stops at once.
///
/// # Errors
/// Fails if the signals cannot be watched.
pub fn stop_flag() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // Registered before the flag is set, so the first signal only raises the flag and the
        // second one exits.
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}

/// From now on being asked to stop ends the process at once with this exit code.
///
/// # Errors
/// Fails if the signals cannot be watched.
pub fn exit_when_asked(code: i32) -> io::Result<()> {
    for signal in [SIGHUP, SIGINT, SIGTERM, SIGQUIT] {
        // The flag is true from the beginning: the first signal exits.
        flag::register_conditional_shutdown(signal, code, Arc::new(AtomicBool::new(true)))?;
    }
    Ok(())
}

/// Does nothing for a while.
pub fn sleep(time: Duration) {
    std::thread::sleep(time);
}
