//! Being asked to stop.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;

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

/// Calls a function in a thread of its own each time when the process is asked to end: for programs that have to leave the terminal
/// as they found it.
///
/// # Errors
/// Fails if the signals cannot be watched.
pub fn on_stop(mut told: impl FnMut() + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM, SIGQUIT])?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || signals.forever().for_each(|_| told()))?;
    Ok(())
}

/// Does nothing for a while.
pub fn sleep(time: Duration) {
    std::thread::sleep(time);
}
