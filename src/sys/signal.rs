//! Being asked to stop.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// A flag that is raised when the process is asked to stop (SIGINT, SIGTERM). Asked a second time it
/// stops at once.
///
/// # Errors
/// Where the signals cannot be watched.
pub fn stop_flag() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}

/// Does nothing for a while.
pub fn sleep(time: Duration) {
    std::thread::sleep(time);
}
