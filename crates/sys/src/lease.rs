//! Asks the kernel if some process can write to an open file.
//!
//! The kernel grants a read lease only if no descriptor and no mapping of any process can write to the file. This
//! takes three cheap calls instead of a walk through all processes in `/proc`.

use std::os::fd::{AsRawFd as _, BorrowedFd};

use rustix::io::Errno;

/// The command that sets the signal of a lease. `libc` lacks this Linux constant.
const F_SETSIG: i32 = 10;

/// Returns true if some process has the file open for writing. `descriptor` must be open for reading only.
///
/// Returns `None` if the file system does not support leases or the file belongs to another user.
pub(super) fn is_written(descriptor: BorrowedFd<'_>) -> Option<bool> {
    // If another process opens the file, the kernel signals the holder of the lease. The default signal would end the
    // process; SIGURG is ignored by default.
    control(descriptor, F_SETSIG, libc::SIGURG).ok()?;
    match control(descriptor, libc::F_SETLEASE, libc::F_RDLCK) {
        Ok(()) => {
            // Released at once, because a lease would delay every editor that opens the file.
            control(descriptor, libc::F_SETLEASE, libc::F_UNLCK).ok()?;
            Some(false)
        }
        Err(Errno::AGAIN) => Some(true),
        Err(_) => None,
    }
}

/// Calls `fcntl` with an integer argument.
#[expect(unsafe_code, reason = "no safe crate knows F_SETLEASE and F_SETSIG")]
fn control(descriptor: BorrowedFd<'_>, command: i32, argument: i32) -> Result<(), Errno> {
    // SAFETY: the descriptor is open for as long as it is borrowed; both commands take an integer
    // and neither reads nor writes memory of this process.
    let answer = unsafe { libc::fcntl(descriptor.as_raw_fd(), command, argument) };
    if answer == -1 {
        let error = std::io::Error::last_os_error();
        return Err(Errno::from_io_error(&error).unwrap_or(Errno::INVAL));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd as _;

    #[test]
    fn a_lease_detects_writers() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let reader = std::fs::File::open(file.path()).unwrap();
        assert_eq!(is_written(reader.as_fd()), Some(true));
        let path = file.into_temp_path();
        assert_eq!(is_written(reader.as_fd()), Some(false));
        let other_reader = std::fs::File::open(&path).unwrap();
        assert_eq!(is_written(reader.as_fd()), Some(false));
        // The lease has been released, so no other process is delayed.
        let writer = std::fs::File::options().append(true).open(&path).unwrap();
        assert_eq!(is_written(other_reader.as_fd()), Some(true));
        drop(writer);
        assert_eq!(is_written(reader.as_fd()), Some(false));
    }
}
