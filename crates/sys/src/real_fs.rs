//! Implements [`Fs`] on the operating system's files.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RenameFlags, ResolveFlags, StatVfsMountFlags, Timespec,
    Timestamps,
};
use rustix::io::Errno;

use super::fs::{
    Access, Entry, File, FileKind, Fs, FsError, LockGuard, Medium, OnWait, Result, Stat,
};
use super::lock::{DirLock, DirMark, FileId, LockError};
use super::pin::{Parent, Pin, PinnedLock};
use super::{entropy, host};

/// The magic numbers of file systems with unreliable `flock`, rename or sync.
const NETWORK_FILE_SYSTEMS: &[(u64, &str)] = &[
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB2"),
    (0x0102_1997, "9p"),
    (0x6573_5546, "FUSE"),
    (0x00c3_6400, "CephFS"),
    (0x5346_414f, "AFS"),
    (0x6b41_4653, "AFS"),
    (0x7375_7245, "Coda"),
    (0x0bd0_0bd0, "Lustre"),
    (0x4750_4653, "GPFS"),
    (0x0116_1970, "GFS2"),
    (0x7461_636f, "OCFS2"),
];

/// A state directory on disk.
#[derive(Debug)]
pub struct RealFs {
    path: PathBuf,
    root: OwnedFd,
    /// The device and inode of the root.
    place: FileId,
    pin: Arc<Mutex<Pin>>,
    /// The bits that the next call of `fresh` returns.
    fresh: AtomicU64,
}

impl RealFs {
    /// Opens the directory at `path`, which must exist.
    pub fn open(path: &Path) -> Result<Self> {
        // From here on, paths are relative to this descriptor, because the directory may be moved while it is in use.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open(path, flags, Mode::empty())
            .map_err(|e| FsError::new("open", &path.display().to_string(), e))?;
        let stat = rustix::fs::fstat(&root)
            .map_err(|e| FsError::new("stat", &path.display().to_string(), e))?;
        Ok(Self {
            path: path.to_path_buf(),
            root,
            place: FileId {
                device: stat.st_dev,
                number: stat.st_ino,
            },
            pin: Arc::default(),
            fresh: AtomicU64::new(entropy::kernel_random()),
        })
    }

    /// Returns the pinned directory and the rest of the path if `path` equals or is below it.
    fn pinned<'p>(&self, path: &'p str) -> Option<(Arc<OwnedFd>, &'p str)> {
        self.lock_pin().of(path)
    }

    fn lock_pin(&self) -> MutexGuard<'_, Pin> {
        self.pin.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates the directory at `path` and its parents, accessible only to the owner, and opens it. An existing empty
    /// directory gets the same mode.
    pub fn create(path: &Path) -> Result<Self> {
        use std::os::unix::fs::DirBuilderExt as _;
        std::fs::DirBuilder::new()
            .recursive(true)
            // The files contain Secrets in plain text.
            .mode(0o700)
            .create(path)
            .map_err(|e| FsError::new("mkdir", &path.display().to_string(), e))?;
        let made = Self::open(path)?;
        let is_own = owner_and_mode(path)
            .is_some_and(|(owner, mode)| owner == host::effective_uid() && mode & 0o077 != 0);
        if is_own && std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none()) {
            // Some file systems have no modes, so a failure is ignored.
            let _ = rustix::fs::fchmod(&made.root, Mode::RWXU);
        }
        Ok(made)
    }

    fn openat(&self, path: &str, flags: OFlags, mode: Mode) -> rustix::io::Result<OwnedFd> {
        // The kernel enforces this during the lookup: even a link created in the meantime cannot lead outside.
        let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let pinned = self.pinned(path);
        let (root, path) = match &pinned {
            Some((directory, below)) => (&**directory, *below),
            None => (&self.root, path),
        };
        let mut escapes = 0;
        loop {
            match rustix::fs::openat2(root, path, flags, mode, resolve) {
                // A rename elsewhere in the tree interrupted the lookup.
                Err(Errno::AGAIN | Errno::INTR) => {}
                // The directory left the tree during the lookup; its name may lead to another one now.
                Err(Errno::XDEV) if escapes < 100 => escapes += 1,
                Err(Errno::NOSYS | Errno::PERM) => return walk(root, path, flags, mode),
                answer => return answer,
            }
        }
    }

    fn open_dir(&self, path: &str) -> rustix::io::Result<std::fs::File> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        self.openat(path, flags, Mode::empty()).map(Into::into)
    }

    /// Returns the parent directory of `path`, and the last component.
    fn parent<'p>(&self, path: &'p str) -> rustix::io::Result<(Parent, &'p str)> {
        let (dir, name) = path.rsplit_once('/').unwrap_or((".", path));
        // These names stand for the directory itself or lead out of it.
        if name.is_empty() || name == "." || name == ".." {
            return Err(Errno::INVAL);
        }
        // Directly below the pinned directory, which is open already.
        let pinned = self.pinned(dir);
        if let Some((directory, ".")) = pinned {
            return Ok((Parent::Pinned(directory), name));
        }
        // A commit uses the staging directory several times; one lookup per lock is enough.
        let below = pinned
            .map(|(_, below)| below)
            .filter(|below| !below.contains('/'));
        if let Some(known) =
            below.and_then(|below| self.lock_pin().below.get(below).map(Arc::clone))
        {
            return Ok((Parent::Pinned(known), name));
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let opened = self.openat(dir, flags, Mode::empty())?;
        let Some(below) = below else {
            return Ok((Parent::Opened(opened), name));
        };
        let opened = Arc::new(opened);
        self.lock_pin()
            .below
            .insert(below.to_owned(), Arc::clone(&opened));
        Ok((Parent::Pinned(opened), name))
    }

    fn renameat(&self, from: &str, to: &str, flags: RenameFlags) -> rustix::io::Result<()> {
        let (from_dir, from_name) = self.parent(from)?;
        let (to_dir, to_name) = self.parent(to)?;
        // Prefers the plain call, because older kernels and some file systems lack `renameat2`.
        if flags.is_empty() {
            rustix::fs::renameat(&from_dir, from_name, &to_dir, to_name)
        } else {
            rustix::fs::renameat_with(&from_dir, from_name, &to_dir, to_name, flags)
        }
    }
}

/// Resolves a path on kernels without `openat2`: component by component, without following links.
fn walk(root: &OwnedFd, path: &str, flags: OFlags, mode: Mode) -> rustix::io::Result<OwnedFd> {
    let dir_flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut at = root.try_clone().map_err(|_| Errno::MFILE)?;
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        // `openat2` would reject this, too.
        if part == ".." {
            return Err(Errno::XDEV);
        }
        if parts.peek().is_none() {
            return rustix::fs::openat(&at, part, flags, mode);
        }
        // One component at a time with `O_NOFOLLOW`, so that none of them can be a link.
        at = rustix::fs::openat(&at, part, dir_flags, Mode::empty())?;
    }
    Err(Errno::INVAL)
}

fn at<'a>(operation: &'static str, path: &'a str) -> impl FnOnce(Errno) -> FsError + 'a {
    move |errno| FsError::new(operation, path, errno)
}

fn stat_of(raw: &rustix::fs::Stat) -> Stat {
    let kind = match FileType::from_raw_mode(raw.st_mode) {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Directory,
        _ => FileKind::Other,
    };
    let time = |seconds: i64, nanos| {
        // File systems may contain times beyond the range of the calendar.
        Timestamp::new(seconds, i32::try_from(nanos).unwrap_or(0)).unwrap_or(Timestamp::UNIX_EPOCH)
    };
    Stat {
        kind,
        size: u64::try_from(raw.st_size).unwrap_or(0),
        inode: raw.st_ino,
        device: raw.st_dev,
        owner: raw.st_uid,
        modified: time(raw.st_mtime, raw.st_mtime_nsec),
        changed: time(raw.st_ctime, raw.st_ctime_nsec),
    }
}

impl Fs for RealFs {
    fn open(&self, path: &str, access: Access) -> Result<Box<dyn File>> {
        let flags = match access {
            Access::Read => OFlags::RDONLY,
            Access::Write => OFlags::RDWR,
        };
        let fd = self
            .openat(
                path,
                // Opening a FIFO would block until its other end is opened; a terminal would become the process's
                // controlling terminal.
                flags | OFlags::NONBLOCK | OFlags::NOCTTY,
                Mode::empty(),
            )
            .map_err(at("open", path))?;
        Ok(Box::new(RealFile {
            file: fd.into(),
            path: path.to_owned(),
        }))
    }

    fn create(&self, path: &str) -> Result<Box<dyn File>> {
        // `O_EXCL`, because an existing temporary file belongs to another process.
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
        let fd = self
            .openat(path, flags, Mode::RUSR | Mode::WUSR)
            .map_err(at("create", path))?;
        Ok(Box::new(RealFile {
            file: fd.into(),
            path: path.to_owned(),
        }))
    }

    fn make_dir(&self, path: &str) -> Result<()> {
        let (dir, name) = self.parent(path).map_err(at("mkdir", path))?;
        // The directory known by this name may have been removed.
        self.lock_pin().below.remove(name);
        match rustix::fs::mkdirat(&dir, name, Mode::RWXU) {
            // Not an error, because several processes create directories on demand.
            Err(Errno::EXIST) => Ok(()),
            answer => answer.map_err(at("mkdir", path)),
        }
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        self.renameat(from, to, RenameFlags::empty())
            .map_err(at("rename", to))
    }

    fn rename_new(&self, from: &str, to: &str) -> Result<()> {
        self.renameat(from, to, RenameFlags::NOREPLACE)
            .map_err(at("rename", to))
    }

    fn exchange(&self, a: &str, b: &str) -> Result<()> {
        self.renameat(a, b, RenameFlags::EXCHANGE)
            .map_err(at("exchange", b))
    }

    fn unlink(&self, path: &str) -> Result<()> {
        let (dir, name) = self.parent(path).map_err(at("unlink", path))?;
        rustix::fs::unlinkat(&dir, name, AtFlags::empty()).map_err(at("unlink", path))
    }

    fn remove_dir(&self, path: &str) -> Result<()> {
        let (dir, name) = self.parent(path).map_err(at("rmdir", path))?;
        rustix::fs::unlinkat(&dir, name, AtFlags::REMOVEDIR).map_err(at("rmdir", path))
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>> {
        let fd = self
            .openat(path, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())
            .map_err(at("list", path))?;
        let mut entries = Vec::new();
        for item in rustix::fs::Dir::read_from(&fd).map_err(at("list", path))? {
            let item = item.map_err(at("list", path))?;
            // Kubernetes' names are ASCII, so a file with any other name cannot belong to an object.
            let Ok(name) = item.file_name().to_str() else {
                continue;
            };
            if name == "." || name == ".." {
                continue;
            }
            match rustix::fs::statat(&fd, item.file_name(), AtFlags::SYMLINK_NOFOLLOW) {
                Ok(raw) => entries.push(Entry {
                    name: name.to_owned(),
                    stat: stat_of(&raw),
                }),
                // Removed since it was listed.
                Err(Errno::NOENT) => {}
                Err(e) => return Err(FsError::new("stat", path, e)),
            }
        }
        Ok(entries)
    }

    fn stat(&self, path: &str) -> Result<Option<Stat>> {
        let answer = match path.rsplit_once('/') {
            // Directly below the root. Skipping the lookup of the parent saves a system call for each `stat` of the
            // head.
            None => rustix::fs::statat(&self.root, path, AtFlags::SYMLINK_NOFOLLOW),
            Some(_) => self
                .parent(path)
                .and_then(|(dir, name)| rustix::fs::statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW)),
        };
        match answer {
            Ok(raw) => Ok(Some(stat_of(&raw))),
            // A link in the path counts as missing, because links are never followed.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
            Err(e) => Err(FsError::new("stat", path, e)),
        }
    }

    fn sync_dir(&self, path: &str) -> Result<()> {
        self.openat(path, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())
            .and_then(rustix::fs::fsync)
            .map_err(at("fsync", path))
    }

    fn medium(&self) -> Result<Medium> {
        let raw = rustix::fs::fstatfs(&self.root).map_err(at("statfs", "."))?;
        let mount = rustix::fs::fstatvfs(&self.root).map_err(at("statvfs", "."))?;
        // Allows tests to simulate NFS.
        let forced = std::env::var("CTL_TEST_FS_MAGIC").ok();
        let forced = forced.and_then(|v| u64::from_str_radix(v.trim_start_matches("0x"), 16).ok());
        // On some architectures, the field is signed.
        let magic = forced.unwrap_or(u64::try_from(raw.f_type).unwrap_or(0) & 0xffff_ffff);
        Ok(Medium {
            network: network_name(magic),
            read_only: mount.f_flag.contains(StatVfsMountFlags::RDONLY),
        })
    }

    fn lock(
        &self,
        patience: Option<Duration>,
        on_wait: OnWait<'_>,
    ) -> std::result::Result<Box<dyn LockGuard>, LockError> {
        // Other processes lock the path, but files are accessed through the descriptor: both must be the same
        // directory.
        let root = self.root.as_fd();
        let lock = DirLock::acquire_open(root, self.place, &self.path, patience, on_wait)?;
        let pin = Arc::clone(&self.pin);
        Ok(Box::new(PinnedLock { _lock: lock, pin }))
    }

    fn announce_waiter(&self, path: &str) -> Option<Box<dyn LockGuard>> {
        let directory = self.open_dir(path).ok()?;
        Some(Box::new(DirMark::set(directory)?))
    }

    fn has_waiters(&self, path: &str) -> bool {
        self.open_dir(path)
            .is_ok_and(|directory| DirMark::is_set(&directory))
    }

    fn pin(&self, path: &str) -> Result<Option<Stat>> {
        let mut pin = self.lock_pin();
        let found = rustix::fs::statat(&self.root, path, AtFlags::SYMLINK_NOFOLLOW);
        let found = stat_of(&found.map_err(at("open", path))?);
        let is_same = |(name, stat, _): &(String, Stat, _)| {
            let place = |stat: &Stat| (stat.device, stat.inode);
            name == path && place(stat) == place(&found)
        };
        // The inode of an open directory cannot be reused.
        if pin.directory.as_ref().is_some_and(is_same) {
            pin.is_in_use = true;
            // Another process may have made a directory below it again.
            pin.below.clear();
            return Ok(Some(found));
        }
        // Unlocked, because the lookup below needs the mutex.
        *pin = Pin::default();
        drop(pin);
        let directory = self
            .openat(path, OFlags::PATH | OFlags::DIRECTORY, Mode::empty())
            .map_err(at("open", path))?;
        let stat = stat_of(&rustix::fs::fstat(&directory).map_err(at("stat", path))?);
        *self.lock_pin() = Pin {
            is_in_use: true,
            directory: Some((path.to_owned(), stat, Arc::new(directory))),
            below: BTreeMap::new(),
        };
        Ok(Some(stat))
    }

    fn quick_stat(&self, path: &str) -> Result<Option<Stat>> {
        let pinned = self.pinned(path);
        let (directory, below) = match &pinned {
            Some((directory, below)) => (directory.as_fd(), *below),
            None => (self.root.as_fd(), path),
        };
        match rustix::fs::statat(directory, below, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(raw) => Ok(Some(stat_of(&raw))),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
            Err(e) => Err(FsError::new("stat", path, e)),
        }
    }

    fn try_lock_dir(&self, path: &str) -> std::result::Result<Box<dyn LockGuard>, LockError> {
        let lock = DirLock::acquire(&self.path.join(path), Some(Duration::ZERO), &mut |_| {})?;
        Ok(Box::new(lock))
    }

    fn dir_locker(&self, path: &str) -> Option<String> {
        host::flock_holder(self.stat(path).ok()??.inode)
    }

    fn boot_id(&self) -> String {
        host::boot_id()
    }

    fn open_for_writing(&self, stat: &Stat) -> Option<bool> {
        host::open_for_writing(stat.device, stat.inode)
    }

    fn each_open_for_writing(&self, stats: &[Stat]) -> Vec<Option<bool>> {
        // Without files, a walk through `/proc` would be wasted.
        if stats.is_empty() {
            return Vec::new();
        }
        let files = stats.iter().map(|s| (s.device, s.inode)).collect();
        let written = host::written_among(&files);
        let is_written = |s: &Stat| {
            let written = written.as_ref()?;
            Some(written.contains(&(s.device, s.inode)))
        };
        stats.iter().map(is_written).collect()
    }

    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }

    fn wall_clock(&self) -> Timestamp {
        super::clock::Clock::System.now()
    }

    fn fresh(&self) -> u64 {
        // Starts at a random number, so that two processes are unlikely to collide.
        self.fresh.fetch_add(1, Ordering::Relaxed)
    }
}

impl LockGuard for DirLock {}

/// Removes a directory if it is empty, along with `path` if that is a link to it. Returns true if it was removed.
///
/// # Errors
/// Returns an error if an empty directory, such as a mount point, cannot be removed.
pub fn remove_if_empty(path: &Path) -> Result<bool> {
    let failed = |e: io::Error| FsError::new("rmdir", &path.display().to_string(), e);
    // Drops a trailing slash, which would follow the link.
    let path: PathBuf = path.components().collect();
    // Resolved once, to tell the directory from a link to it.
    let directory = path.canonicalize().map_err(failed)?;
    match std::fs::remove_dir(directory) {
        Err(e) if e.kind() == io::ErrorKind::DirectoryNotEmpty => return Ok(false),
        answer => answer.map_err(failed)?,
    }
    if path.is_symlink() {
        std::fs::remove_file(&path).map_err(failed)?;
    }
    Ok(true)
}

/// Returns a warning if users other than the owner can lock or write to a state directory. Returns `None` if they
/// cannot, or if this user is not the owner and could not change it.
///
/// Locking requires only read permission for the directory itself. Writing also requires search permission, and `.ctl`
/// is reached through its parent.
pub fn open_to_others(path: &Path) -> Option<String> {
    let (owner, mode) = owner_and_mode(path)?;
    // `.ctl` may have a wider mode than its parent, and is reachable if the parent can be searched.
    let inner = path.join(".ctl");
    let (_, inner_mode) = owner_and_mode(&inner).unwrap_or_default();
    // The bits of the group, then those of all others.
    let writes = |mode: u32| [0o030, 0o003].iter().any(|bits| mode & bits == *bits);
    let passes = [0o010, 0o001].iter().any(|bit| mode & bit != 0);
    let can = match (mode & 0o044 != 0, writes(mode)) {
        (true, true) => "lock and write to",
        (true, false) => "lock",
        (false, true) => "write to",
        (false, false) => "",
    };
    // If not even the owner can write, a lock blocks no writer.
    let is_used = owner == host::effective_uid() && mode & 0o200 != 0;
    let (place, can, mode) = match can {
        "" if passes && writes(inner_mode) => (inner.as_path(), "write to", inner_mode),
        "" => return None,
        can => (path, can, mode),
    };
    let place = place.display();
    is_used.then(|| {
        format!(
            "other users can {can} {place} (mode {mode:04o}); `chmod 700 {place}` keeps them out"
        )
    })
}

/// Returns the owner and the permissions of a directory.
fn owner_and_mode(path: &Path) -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt as _;
    let meta = std::fs::metadata(path).ok().filter(|meta| meta.is_dir())?;
    Some((meta.uid(), meta.mode() & 0o7777))
}

/// Returns the name of the network or user-space file system with this magic number.
pub fn network_name(magic: u64) -> Option<&'static str> {
    NETWORK_FILE_SYSTEMS
        .iter()
        .find(|(m, _)| *m == magic)
        .map(|(_, name)| *name)
}

struct RealFile {
    file: std::fs::File,
    path: String,
}

impl RealFile {
    fn at(&self, operation: &'static str) -> impl FnOnce(io::Error) -> FsError + '_ {
        move |e| FsError::new(operation, &self.path, e)
    }
}

impl File for RealFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let mut done = 0;
        while done < buffer.len() {
            // `read` may return fewer bytes than requested even before the end of the file.
            match self.file.read_at(&mut buffer[done..], offset + done as u64) {
                Ok(0) => break,
                Ok(n) => done += n,
                // A signal, for example for a resized terminal.
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(self.at("read")(e)),
            }
        }
        Ok(done)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        self.file
            .write_all_at(bytes, offset)
            .map_err(self.at("write"))
    }

    fn truncate(&self, length: u64) -> Result<()> {
        self.file.set_len(length).map_err(self.at("truncate"))
    }

    fn sync_data(&self) -> Result<()> {
        self.file.sync_data().map_err(self.at("fdatasync"))
    }

    fn stat(&self) -> Result<Stat> {
        let raw = rustix::fs::fstat(&self.file).map_err(|e| FsError::new("stat", &self.path, e))?;
        Ok(stat_of(&raw))
    }

    fn is_written(&self) -> Option<bool> {
        super::lease::is_written(self.file.as_fd())
    }

    fn set_modified(&self, at: Timestamp) -> Result<()> {
        let spec = Timespec {
            tv_sec: at.as_second(),
            tv_nsec: i64::from(at.subsec_nanosecond()),
        };
        let times = Timestamps {
            last_access: spec,
            // The access time is set as well, because not all file systems support `futimens` without it.
            last_modification: spec,
        };
        rustix::fs::futimens(self.file.as_fd(), &times)
            .map_err(|e| FsError::new("utimens", &self.path, e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fs::read_all;

    fn dir() -> (tempfile::TempDir, RealFs) {
        let dir = tempfile::tempdir().unwrap();
        let fs = RealFs::open(dir.path()).unwrap();
        (dir, fs)
    }

    #[test]
    fn pinned_directory_is_used_until_the_lock_is_released() {
        let (dir, fs) = dir();
        let at = |path: &str| dir.path().join(path).exists();
        fs.make_dir("in").unwrap();
        fs.make_dir("in/below").unwrap();
        let lock = fs.lock(None, &mut |_| {}).unwrap();
        let pinned = fs.pin("in").unwrap();
        assert_eq!(pinned.unwrap().inode, fs.stat("in").unwrap().unwrap().inode);
        std::fs::rename(dir.path().join("in"), dir.path().join("away")).unwrap();
        std::fs::create_dir(dir.path().join("in")).unwrap();
        for path in ["in/a", "in/below/b", "inner"] {
            fs.create(path).unwrap();
        }
        assert!(at("away/a") && at("away/below/b") && at("inner") && !at("in/a"));
        assert_ne!(pinned.unwrap().inode, fs.stat("in").unwrap().unwrap().inode);
        drop(lock);
        fs.create("in/a").unwrap();
        assert!(at("in/a"));
    }

    #[test]
    fn files_are_created_read_renamed_and_exchanged() {
        let (_dir, fs) = dir();
        fs.make_dir("a").unwrap();
        fs.create("a/x").unwrap().write_at(b"one", 0).unwrap();
        fs.create("y").unwrap().write_at(b"two", 0).unwrap();
        fs.exchange("a/x", "y").unwrap();
        assert_eq!(read_all(&fs, "a/x", 10).unwrap(), b"two");
        assert_eq!(
            fs.rename_new("y", "a/x").unwrap_err().kind(),
            io::ErrorKind::AlreadyExists
        );
        fs.rename("y", "a/x").unwrap();
        assert_eq!(read_all(&fs, "a/x", 10).unwrap(), b"one");
        assert!(read_all(&fs, "a/x", 2).unwrap_err().is_full());
        fs.unlink("a/x").unwrap();
        fs.remove_dir("a").unwrap();
        assert!(fs.list(".").unwrap().is_empty());
    }

    #[test]
    fn nothing_is_followed_or_reached_outside_the_directory() {
        let (dir, fs) = dir();
        let outside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), dir.path().join("link")).unwrap();
        for path in ["link/x", "../x", "/etc/passwd", "link"] {
            assert!(fs.open(path, Access::Read).is_err(), "{path}");
            assert!(fs.create(path).is_err(), "{path}");
        }
        fs.create("t").unwrap();
        assert!(fs.rename("t", "link/t").is_err());
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
        for path in ["link/x", "../x", "a/../../x"] {
            assert!(
                walk(&fs.root, path, OFlags::RDONLY, Mode::empty()).is_err(),
                "{path}"
            );
        }
    }

    #[test]
    fn modification_times_keep_nanoseconds() {
        let (_dir, fs) = dir();
        let file = fs.create("x").unwrap();
        let at = Timestamp::new(1_700_000_000, 123_456_789).unwrap();
        file.set_modified(at).unwrap();
        assert_eq!(fs.stat("x").unwrap().unwrap().modified, at);
        assert!(fs.stat("missing/x").unwrap().is_none());
    }

    #[test]
    fn network_file_systems_are_known_by_their_magic_numbers() {
        assert_eq!(network_name(0x6969), Some("NFS"));
        assert_eq!(network_name(0xef53), None);
        let (_dir, fs) = dir();
        assert_eq!(
            fs.medium().unwrap(),
            Medium {
                network: None,
                read_only: false
            }
        );
    }
}
