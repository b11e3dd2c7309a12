//! Facts about the machine and the process: boot, pid, user, who has a file open.

use std::collections::HashSet;
use std::path::Path;
use std::sync::OnceLock;

use crate::bounded;

/// Identifies this boot of the machine: what was written but not synced before another boot may
/// be gone.
pub fn boot_id() -> String {
    // Lets a test reboot the machine without rebooting it.
    if let Ok(id) = std::env::var("CTL_TEST_BOOT_ID") {
        return id;
    }
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
        // An unknown boot is equal to itself, so a machine without `/proc` behaves as if it never
        // rebooted.
        .map_or_else(|_| "unknown".to_owned(), |id| id.trim().to_owned())
}

/// The most bytes of a bundle of authorities: ten times as many as Debian's has.
const LARGEST_BUNDLE: u64 = 4 * 1024 * 1024;

/// Returns the certificates of the authorities that the machine trusts, in PEM, if they are in one of the places
/// in which Go looks for them.
pub fn authorities() -> Option<Vec<u8>> {
    const BUNDLES: [&str; 4] = [
        "/etc/ssl/certs/ca-certificates.crt",
        "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ];
    let mut bundles = BUNDLES.into_iter();
    bundles.find_map(|path| bounded::read(path, LARGEST_BUNDLE).ok())
}

/// This process's id.
pub fn pid() -> u32 {
    std::process::id()
}

/// The user that this process acts as.
pub fn effective_uid() -> u32 {
    // Nothing here changes it, and every writer asks.
    static USER: OnceLock<u32> = OnceLock::new();
    *USER.get_or_init(|| rustix::process::geteuid().as_raw())
}

/// Returns true if a process with this id runs (or ran so recently that nobody has collected it).
pub fn is_running(pid: u32) -> bool {
    // A zombie still has its directory: its pid cannot have been given to another process yet.
    Path::new("/proc").join(pid.to_string()).exists()
}

/// Returns true if any process has the file with this device and inode open for writing.
///
/// `None` where the machine does not tell (no `/proc`, or another user's processes hide).
pub fn open_for_writing(device: u64, inode: u64) -> Option<bool> {
    let found = written_among(&HashSet::from([(device, inode)]))?;
    Some(!found.is_empty())
}

/// Which of these files, given by device and inode, some process has open for writing: one walk
/// over all processes, however many files there are.
///
/// `None` as for [`open_for_writing`].
pub fn written_among(files: &HashSet<(u64, u64)>) -> Option<HashSet<(u64, u64)>> {
    use std::os::unix::fs::MetadataExt as _;
    let (mut seen_any, mut found) = (false, HashSet::new());
    for process in std::fs::read_dir("/proc").ok()?.flatten() {
        let name = process.file_name();
        // Only numbered entries of `/proc` are processes.
        if !name
            .as_encoded_bytes()
            .first()
            .is_some_and(u8::is_ascii_digit)
        {
            continue;
        }
        // Other users' processes hide their descriptors. They are skipped; `None` is for a machine
        // that shows none at all.
        let Ok(fds) = std::fs::read_dir(process.path().join("fd")) else {
            continue;
        };
        seen_any = true;
        for fd in fds.flatten() {
            // A descriptor that was closed meanwhile is no writer.
            let Ok(meta) = std::fs::metadata(fd.path()) else {
                continue;
            };
            let file = (meta.dev(), meta.ino());
            if files.contains(&file) && is_write_mode(&process.path(), &fd) {
                found.insert(file);
            }
        }
    }
    seen_any.then_some(found)
}

/// Returns true if `/proc/PID/fdinfo/FD` says that the descriptor can write.
fn is_write_mode(process: &Path, fd: &std::fs::DirEntry) -> bool {
    let info = std::fs::read_to_string(process.join("fdinfo").join(fd.file_name()));
    let flags = info.ok().and_then(|text| {
        let line = text.lines().find(|l| l.starts_with("flags:"))?;
        u32::from_str_radix(line.trim_start_matches("flags:").trim(), 8).ok()
    });
    // Unreadable flags count as writing: a file that is kept too long is harmless.
    flags.is_none_or(|f| f & 0o3 != 0)
}

/// The process that holds a `flock` on an inode, for messages: its number and its command line. Inodes of other
/// devices can have the number, and processes of other machines and containers are not seen.
pub fn flock_holder(inode: u64) -> Option<String> {
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    let held = locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        // A waiter is listed as `->`, so the position of the words excludes it.
        let [_, "FLOCK", _, "WRITE", process, place, ..] = words[..] else {
            return None;
        };
        let number = place.rsplit(':').next()?.parse::<u64>().ok()?;
        (number == inode).then_some(process)
    })?;
    // Zero is a process of another pid namespace.
    let process: u32 = held.parse().ok().filter(|process| *process > 0)?;
    let command = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let words = command.split(|byte| *byte == 0);
    let words: Vec<_> = words.map(String::from_utf8_lossy).collect();
    // Command lines may be very long and hold anything; this goes into a message.
    let command: String = words.join(" ").trim().chars().take(80).collect();
    Some(format!("process {process} ({command})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt as _;

    #[test]
    fn a_file_open_for_writing_is_noticed_and_one_open_for_reading_is_not() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let meta = file.as_file().metadata().unwrap();
        assert_eq!(open_for_writing(meta.dev(), meta.ino()), Some(true));
        let path = file.into_temp_path();
        let _reader = std::fs::File::open(&path).unwrap();
        assert_eq!(open_for_writing(meta.dev(), meta.ino()), Some(false));
    }

    #[test]
    fn this_process_runs() {
        assert!(is_running(pid()));
        assert!(!boot_id().is_empty());
    }
}
