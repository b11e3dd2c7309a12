//! Injects faults, for tests that run the real binary: `CTL_FAULT=FAULT:OPERATION:N`.
//!
//! FAULT is `kill` (SIGKILL before the call), `stop` (SIGSTOP before the call), `eio` or `enospc` (the call fails) or
//! `delay=MICROSECONDS` (the call takes that much longer, as on a slow disk). OPERATION is the name of an operation of
//! [`Fs`] or [`File`], or `any`. N counts calls from 1; `N+` means this call and all later ones. If
//! `CTL_FAULT_COUNT=FILE` is set, the names of the executed operations are appended to that file, one per line, so
//! that a sweep can tell when to stop.

use std::fmt;
use std::io;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;

use super::fs::{Access, Entry, File, Fs, FsError, LockGuard, Medium, OnWait, Result, Stat};
use super::lock::LockError;

/// The fault to raise at the selected call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Signal(rustix::process::Signal),
    Error(i32),
    Delay(Duration),
}

/// A configured fault, and the calls at which it occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Order {
    fault: Fault,
    operation: String,
    first: u64,
    and_later: bool,
}

/// Counts calls and raises the configured fault.
struct Trap {
    order: Option<Order>,
    seen: AtomicU64,
    log: Option<std::sync::Mutex<std::fs::File>>,
}

impl fmt::Debug for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Trap({:?})", self.order)
    }
}

impl Trap {
    fn from_env() -> Option<Self> {
        // Read once at the start, because enabling a fault later would make runs differ.
        let order = std::env::var("CTL_FAULT").ok();
        let log = std::env::var_os("CTL_FAULT_COUNT");
        if order.is_none() && log.is_none() {
            return None;
        }
        let log = log.and_then(|path| {
            std::fs::OpenOptions::new()
                // Appends, because all processes of a test share one log.
                .append(true)
                .create(true)
                .open(path)
                .ok()
        });
        Some(Self {
            order: order.as_deref().and_then(parse),
            seen: AtomicU64::new(0),
            log: log.map(std::sync::Mutex::new),
        })
    }

    fn pass(&self, operation: &'static str, path: &str) -> Result<()> {
        // Logged before the fault, so that the sweep counts a call that kills.
        if let Some(Ok(mut log)) = self.log.as_ref().map(|l| l.lock()) {
            let _ = writeln!(log, "{operation}");
        }
        let Some(order) = &self.order else {
            return Ok(());
        };
        if order.operation != "any" && order.operation != operation {
            return Ok(());
        }
        // Counted per process, because a sweep targets the n-th call of one command.
        let call = self.seen.fetch_add(1, Ordering::Relaxed) + 1;
        if call < order.first || call > order.first && !order.and_later {
            return Ok(());
        }
        match &order.fault {
            Fault::Signal(signal) => {
                // Raised before the call, so that the call has no effect.
                let _ = rustix::process::kill_process(rustix::process::getpid(), *signal);
                Ok(())
            }
            Fault::Delay(time) => {
                std::thread::sleep(*time);
                Ok(())
            }
            Fault::Error(code) => Err(FsError::new(
                operation,
                path,
                io::Error::from_raw_os_error(*code),
            )),
        }
    }
}

fn parse(order: &str) -> Option<Order> {
    let mut parts = order.split(':');
    let fault = match parts.next()? {
        "kill" => Fault::Signal(rustix::process::Signal::KILL),
        "stop" => Fault::Signal(rustix::process::Signal::STOP),
        "eio" => Fault::Error(rustix::io::Errno::IO.raw_os_error()),
        "enospc" => Fault::Error(rustix::io::Errno::NOSPC.raw_os_error()),
        other => Fault::Delay(Duration::from_micros(
            other.strip_prefix("delay=")?.parse().ok()?,
        )),
    };
    let (operation, count) = (parts.next()?, parts.next()?);
    Some(Order {
        fault,
        operation: operation.to_owned(),
        first: count.trim_end_matches('+').parse().ok()?,
        and_later: count.ends_with('+'),
    })
}

/// Wraps `fs` with the fault that the environment requests, if any.
pub fn from_env(fs: Arc<dyn Fs>) -> Arc<dyn Fs> {
    match Trap::from_env() {
        Some(trap) => Arc::new(FaultFs {
            inner: fs,
            trap: Arc::new(trap),
        }),
        None => fs,
    }
}

#[derive(Debug)]
struct FaultFs {
    inner: Arc<dyn Fs>,
    trap: Arc<Trap>,
}

struct FaultFile {
    inner: Box<dyn File>,
    trap: Arc<Trap>,
    path: String,
}

impl FaultFs {
    fn wrap(&self, inner: Box<dyn File>, path: &str) -> Box<dyn File> {
        Box::new(FaultFile {
            inner,
            trap: Arc::clone(&self.trap),
            path: path.to_owned(),
        })
    }
}

impl Fs for FaultFs {
    fn open(&self, path: &str, access: Access) -> Result<Box<dyn File>> {
        self.trap.pass("open", path)?;
        Ok(self.wrap(self.inner.open(path, access)?, path))
    }

    fn create(&self, path: &str) -> Result<Box<dyn File>> {
        self.trap.pass("create", path)?;
        Ok(self.wrap(self.inner.create(path)?, path))
    }

    fn make_dir(&self, path: &str) -> Result<()> {
        self.trap.pass("mkdir", path)?;
        self.inner.make_dir(path)
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        self.trap.pass("rename", to)?;
        self.inner.rename(from, to)
    }

    fn rename_new(&self, from: &str, to: &str) -> Result<()> {
        self.trap.pass("rename", to)?;
        self.inner.rename_new(from, to)
    }

    fn exchange(&self, a: &str, b: &str) -> Result<()> {
        self.trap.pass("exchange", b)?;
        self.inner.exchange(a, b)
    }

    fn unlink(&self, path: &str) -> Result<()> {
        self.trap.pass("unlink", path)?;
        self.inner.unlink(path)
    }

    fn remove_dir(&self, path: &str) -> Result<()> {
        self.trap.pass("rmdir", path)?;
        self.inner.remove_dir(path)
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>> {
        self.trap.pass("list", path)?;
        self.inner.list(path)
    }

    fn stat(&self, path: &str) -> Result<Option<Stat>> {
        self.trap.pass("stat", path)?;
        self.inner.stat(path)
    }

    fn sync_dir(&self, path: &str) -> Result<()> {
        self.trap.pass("fsync", path)?;
        self.inner.sync_dir(path)
    }

    fn medium(&self) -> Result<Medium> {
        // Raises no fault, because the call only reads and never changes the disk.
        self.inner.medium()
    }

    fn lock(
        &self,
        patience: Option<Duration>,
        on_wait: OnWait<'_>,
    ) -> std::result::Result<Box<dyn LockGuard>, LockError> {
        self.trap.pass("lock", ".").map_err(|e| e.source)?;
        self.inner.lock(patience, on_wait)
    }

    fn announce_waiter(&self, path: &str) -> Option<Box<dyn LockGuard>> {
        // Not counted, because it depends on the timing of other processes.
        self.inner.announce_waiter(path)
    }

    fn has_waiters(&self, path: &str) -> bool {
        self.inner.has_waiters(path)
    }

    fn try_lock_dir(&self, path: &str) -> std::result::Result<Box<dyn LockGuard>, LockError> {
        // Not counted with the calls of a commit; leadership has tests of its own.
        self.inner.try_lock_dir(path)
    }

    fn dir_locker(&self, path: &str) -> Option<String> {
        self.inner.dir_locker(path)
    }

    fn boot_id(&self) -> String {
        self.inner.boot_id()
    }

    fn open_for_writing(&self, stat: &Stat) -> Option<bool> {
        // Not counted, because callers treat `None` as unknown and the call may fail at any time.
        self.inner.open_for_writing(stat)
    }

    fn each_open_for_writing(&self, stats: &[Stat]) -> Vec<Option<bool>> {
        self.inner.each_open_for_writing(stats)
    }

    fn pause(&self, time: Duration) {
        self.inner.pause(time);
    }

    fn wall_clock(&self) -> Timestamp {
        self.inner.wall_clock()
    }

    fn fresh(&self) -> u64 {
        self.inner.fresh()
    }
}

impl File for FaultFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        self.trap.pass("read", &self.path)?;
        self.inner.read_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        self.trap.pass("write", &self.path)?;
        self.inner.write_at(bytes, offset)
    }

    fn truncate(&self, length: u64) -> Result<()> {
        self.trap.pass("truncate", &self.path)?;
        self.inner.truncate(length)
    }

    fn sync_data(&self) -> Result<()> {
        self.trap.pass("fdatasync", &self.path)?;
        self.inner.sync_data()
    }

    fn stat(&self) -> Result<Stat> {
        self.trap.pass("fstat", &self.path)?;
        self.inner.stat()
    }

    fn is_written(&self) -> Option<bool> {
        self.inner.is_written()
    }

    fn set_modified(&self, at: Timestamp) -> Result<()> {
        self.trap.pass("utimens", &self.path)?;
        self.inner.set_modified(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_specifications_are_parsed_or_ignored_if_invalid() {
        let order = |fault, operation: &str, first, and_later| Order {
            fault,
            operation: operation.to_owned(),
            first,
            and_later,
        };
        let kill = Fault::Signal(rustix::process::Signal::KILL);
        assert_eq!(parse("kill:any:3"), Some(order(kill, "any", 3, false)));
        let eio = Fault::Error(5);
        assert_eq!(parse("eio:read:1+"), Some(order(eio, "read", 1, true)));
        let slow = Fault::Delay(Duration::from_millis(4));
        let parsed = parse("delay=4000:fdatasync:1+");
        assert_eq!(parsed, Some(order(slow, "fdatasync", 1, true)));
        assert_eq!(parse("boom:read:1"), None);
        assert_eq!(parse("kill:read"), None);
    }
}
