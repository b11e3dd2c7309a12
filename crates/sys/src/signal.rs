//! Handles signals that ask the process to stop.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;

/// True if the process watches a stop flag and ends by itself, so that nothing else must end it.
pub(crate) static ENDS_BY_ITSELF: AtomicBool = AtomicBool::new(false);

/// Returns a flag that is set by the first signal to stop (SIGINT, SIGTERM). A second signal ends the process at once.
///
/// # Errors
/// Returns an error if the signals cannot be handled.
pub fn stop_flag() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    ENDS_BY_ITSELF.store(true, Ordering::SeqCst);
    for signal in [SIGINT, SIGTERM] {
        // Registered before the handler that sets the flag, so that the first signal sets the flag and the second one
        // exits.
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}

/// Makes a signal to stop end the process at once, with this exit code.
///
/// # Errors
/// Returns an error if the signals cannot be handled.
pub fn exit_on_signal(code: i32) -> io::Result<()> {
    for signal in [SIGHUP, SIGINT, SIGTERM, SIGQUIT] {
        // The flag is true from the start, so the first signal exits.
        flag::register_conditional_shutdown(signal, code, Arc::new(AtomicBool::new(true)))?;
    }
    Ok(())
}

/// Makes a signal to stop call a function, for example to restore the terminal, and then end the process with this
/// exit code.
///
/// # Errors
/// Returns an error if the signals cannot be handled.
pub fn exit_after(code: i32, before: impl Fn() + Send + 'static) -> io::Result<()> {
    on_stop(move || {
        before();
        signal_hook::low_level::exit(code);
    })
}

/// Calls a function in a thread of its own for each signal to stop, for programs that must restore the terminal.
///
/// # Errors
/// Returns an error if the signals cannot be handled.
pub fn on_stop(mut told: impl FnMut() + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM, SIGQUIT])?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || signals.forever().for_each(|_| told()))?;
    Ok(())
}

/// Blocks the thread for this long.
pub fn sleep(time: Duration) {
    std::thread::sleep(time);
}
