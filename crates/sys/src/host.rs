//! Facts about the machine and the process: boot, name, pid, user, open files.

use std::collections::HashSet;
use std::path::Path;
use std::sync::OnceLock;

use crate::bounded;

/// Returns the id of this boot of the machine; bytes that were not synced before another boot may be lost.
pub fn boot_id() -> String {
    // Lets a test simulate a reboot.
    if let Ok(id) = std::env::var("CTL_TEST_BOOT_ID") {
        return id;
    }
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
        // An unknown boot equals itself, so a machine without `/proc` behaves as if it never rebooted.
        .map_or_else(|_| "unknown".to_owned(), |id| id.trim().to_owned())
}

/// Returns the host name of the machine, or `None` if it has none or no `/proc`.
pub fn name() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    let name = name.trim();
    // The kernel's name of a machine without one.
    (!name.is_empty() && name != "(none)").then(|| name.to_owned())
}

/// The maximum size of a bundle of authorities: ten times Debian's.
const LARGEST_BUNDLE: u64 = 4 * 1024 * 1024;

/// Returns the certificates of the authorities that the machine trusts, in PEM, from the first readable bundle among
/// Go's standard locations.
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

/// Returns this process's id.
pub fn pid() -> u32 {
    std::process::id()
}

/// Returns the effective user of this process.
pub fn effective_uid() -> u32 {
    // Cached, because it never changes and every writer needs it.
    static USER: OnceLock<u32> = OnceLock::new();
    *USER.get_or_init(|| rustix::process::geteuid().as_raw())
}

/// Returns true if a process with this id runs or is a zombie.
pub fn is_running(pid: u32) -> bool {
    // A zombie keeps its directory, because its pid cannot be reused yet.
    Path::new("/proc").join(pid.to_string()).exists()
}

/// Returns true if any process has the file with this device and inode open for writing.
///
/// Returns `None` if the machine cannot determine it (no `/proc`, or processes of other users are hidden).
pub fn open_for_writing(device: u64, inode: u64) -> Option<bool> {
    let found = written_among(&HashSet::from([(device, inode)]))?;
    Some(!found.is_empty())
}

/// Returns the files, given by device and inode, that some process has open for writing. Walks all processes once for
/// any number of files.
///
/// Returns `None` as [`open_for_writing`] does.
pub fn written_among(files: &HashSet<(u64, u64)>) -> Option<HashSet<(u64, u64)>> {
    use std::os::unix::fs::MetadataExt as _;
    let (mut seen_any, mut found) = (false, HashSet::new());
    for process in std::fs::read_dir("/proc").ok()?.flatten() {
        let name = process.file_name();
        // Only entries of `/proc` with a numeric name are processes.
        if !name
            .as_encoded_bytes()
            .first()
            .is_some_and(u8::is_ascii_digit)
        {
            continue;
        }
        // Other users' processes hide their descriptors and are skipped; `None` is for a machine that shows none at
        // all.
        let Ok(fds) = std::fs::read_dir(process.path().join("fd")) else {
            continue;
        };
        seen_any = true;
        for fd in fds.flatten() {
            // A descriptor that was closed meanwhile is not a writer.
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

/// Returns true if the descriptor can write according to `/proc/PID/fdinfo/FD`.
fn is_write_mode(process: &Path, fd: &std::fs::DirEntry) -> bool {
    let info = std::fs::read_to_string(process.join("fdinfo").join(fd.file_name()));
    let flags = info.ok().and_then(|text| {
        let line = text.lines().find(|l| l.starts_with("flags:"))?;
        u32::from_str_radix(line.trim_start_matches("flags:").trim(), 8).ok()
    });
    // Unreadable flags count as writing, because keeping a file too long is harmless.
    flags.is_none_or(|f| f & 0o3 != 0)
}

/// Returns the pid and command line of the process that holds a `flock` on an inode, for messages. An inode of another
/// device can have the same number, and processes of other machines and containers are invisible.
pub fn flock_holder(inode: u64) -> Option<String> {
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    let held = locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        // A waiter is listed with `->`, so the position of the words excludes it.
        let [_, "FLOCK", _, "WRITE", process, place, ..] = words[..] else {
            return None;
        };
        let number = place.rsplit(':').next()?.parse::<u64>().ok()?;
        (number == inode).then_some(process)
    })?;
    // Zero means a process of another pid namespace.
    let process: u32 = held.parse().ok().filter(|process| *process > 0)?;
    let command = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let words = command.split(|byte| *byte == 0);
    let words: Vec<_> = words.map(String::from_utf8_lossy).collect();
    // Truncated, because command lines may be very long and this goes into a message.
    let command: String = words.join(" ").trim().chars().take(80).collect();
    Some(format!("process {process} ({command})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt as _;

    #[test]
    fn only_files_open_for_writing_are_detected() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let meta = file.as_file().metadata().unwrap();
        assert_eq!(open_for_writing(meta.dev(), meta.ino()), Some(true));
        let path = file.into_temp_path();
        let _reader = std::fs::File::open(&path).unwrap();
        assert_eq!(open_for_writing(meta.dev(), meta.ino()), Some(false));
    }

    #[test]
    fn own_process_is_running_and_boot_id_is_known() {
        assert!(is_running(pid()));
        assert!(!boot_id().is_empty());
    }
}
