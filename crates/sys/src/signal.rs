//! Handles requests to stop.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;

/// True if the process watches a flag and ends by itself, so nothing else may end it.
pub(crate) static ENDS_BY_ITSELF: AtomicBool = AtomicBool::new(false);

/// Returns a flag that is set when the process is asked to stop (SIGINT, SIGTERM). A second request ends it at once.
///
/// # Errors
/// The signals cannot be watched.
pub fn stop_flag() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    ENDS_BY_ITSELF.store(true, Ordering::SeqCst);
    for signal in [SIGINT, SIGTERM] {
        // Registered before the flag is set, so that the first signal sets the flag and the second one exits.
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}

/// Makes a request to stop end the process at once with this exit code.
///
/// # Errors
/// The signals cannot be watched.
pub fn exit_when_asked(code: i32) -> io::Result<()> {
    for signal in [SIGHUP, SIGINT, SIGTERM, SIGQUIT] {
        // The flag is true from the start, so the first signal exits.
        flag::register_conditional_shutdown(signal, code, Arc::new(AtomicBool::new(true)))?;
    }
    Ok(())
}

/// From now on being asked to stop calls a function, such as one that gives the terminal back, and ends the process
/// with this exit code.
///
/// # Errors
/// Fails if the signals cannot be watched.
pub fn exit_after(code: i32, before: impl Fn() + Send + 'static) -> io::Result<()> {
    on_stop(move || {
        before();
        signal_hook::low_level::exit(code);
    })
}

/// Calls a function in its own thread each time the process is asked to end, for programs that must restore the
/// terminal.
///
/// # Errors
/// The signals cannot be watched.
pub fn on_stop(mut told: impl FnMut() + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM, SIGQUIT])?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || signals.forever().for_each(|_| told()))?;
    Ok(())
}

/// Blocks the thread for this time.
pub fn sleep(time: Duration) {
    std::thread::sleep(time);
}
