//! Facts about the machine and its processes: boot ID, host name, PIDs, users, open files.

use std::collections::HashSet;
use std::path::Path;
use std::sync::OnceLock;

use crate::bounded;

/// Returns the ID of the machine's current boot. A reboot may lose bytes that were not synced.
pub fn boot_id() -> String {
    // Allows tests to simulate a reboot.
    if let Ok(id) = std::env::var("CTL_TEST_BOOT_ID") {
        return id;
    }
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
        // An unknown ID equals itself, so a machine without `/proc` behaves as if it never rebooted.
        .map_or_else(|_| "unknown".to_owned(), |id| id.trim().to_owned())
}

/// Returns the machine's host name, or `None` if it has none or there is no `/proc`.
pub fn name() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    let name = name.trim();
    // `(none)` is the kernel's text for a machine without a name.
    (!name.is_empty() && name != "(none)").then(|| name.to_owned())
}

/// The maximum size of a bundle of certificate authorities: ten times that of Debian's.
const LARGEST_BUNDLE: u64 = 4 * 1024 * 1024;

/// Returns the certificates of the authorities that the machine trusts, as PEM, from the first readable one of Go's
/// standard bundles.
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

/// Returns the PID of this process.
pub fn pid() -> u32 {
    std::process::id()
}

/// Returns the effective user ID of this process.
pub fn effective_uid() -> u32 {
    // Cached, because it never changes and every writer needs it.
    static USER: OnceLock<u32> = OnceLock::new();
    *USER.get_or_init(|| rustix::process::geteuid().as_raw())
}

/// Returns true if a process with this PID is running or a zombie.
pub fn is_running(pid: u32) -> bool {
    // A zombie counts, because its PID cannot be reused yet.
    Path::new("/proc").join(pid.to_string()).exists()
}

/// Returns true if some process has the file with this device and inode open for writing.
///
/// Returns `None` if the machine cannot tell: there is no `/proc`, or it hides the processes of other users.
pub fn open_for_writing(device: u64, inode: u64) -> Option<bool> {
    let found = written_among(&HashSet::from([(device, inode)]))?;
    Some(!found.is_empty())
}

/// Returns which of these files, given by device and inode, some process has open for writing. Walks through all
/// processes once, whatever the number of files.
///
/// Returns `None` in the same cases as [`open_for_writing`].
pub fn written_among(files: &HashSet<(u64, u64)>) -> Option<HashSet<(u64, u64)>> {
    use std::os::unix::fs::MetadataExt as _;
    let (mut seen_any, mut found) = (false, HashSet::new());
    for process in std::fs::read_dir("/proc").ok()?.flatten() {
        let name = process.file_name();
        // In `/proc`, only processes have numeric names.
        if !name
            .as_encoded_bytes()
            .first()
            .is_some_and(u8::is_ascii_digit)
        {
            continue;
        }
        // Processes of other users hide their descriptors and are skipped. `None` is for a machine that shows no
        // descriptors at all.
        let Ok(fds) = std::fs::read_dir(process.path().join("fd")) else {
            continue;
        };
        seen_any = true;
        for fd in fds.flatten() {
            // A descriptor that has been closed in the meantime is no writer.
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

/// Returns true if the descriptor can write, according to `/proc/PID/fdinfo/FD`.
fn is_write_mode(process: &Path, fd: &std::fs::DirEntry) -> bool {
    let info = std::fs::read_to_string(process.join("fdinfo").join(fd.file_name()));
    let flags = info.ok().and_then(|text| {
        let line = text.lines().find(|l| l.starts_with("flags:"))?;
        u32::from_str_radix(line.trim_start_matches("flags:").trim(), 8).ok()
    });
    // Flags that cannot be read count as writing, because keeping a file too long is harmless.
    flags.is_none_or(|f| f & 0o3 != 0)
}

/// Returns the PID and command line of the process that holds a `flock` on an inode, for messages. An inode on another
/// device may have the same number, and processes on other machines or in other containers are invisible.
pub fn flock_holder(inode: u64) -> Option<String> {
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    let held = locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        // The line of a waiting process contains `->`, so its words are in other positions.
        let [_, "FLOCK", _, "WRITE", process, place, ..] = words[..] else {
            return None;
        };
        let number = place.rsplit(':').next()?.parse::<u64>().ok()?;
        (number == inode).then_some(process)
    })?;
    // Zero stands for a process in another PID namespace.
    let process: u32 = held.parse().ok().filter(|process| *process > 0)?;
    let command = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let words = command.split(|byte| *byte == 0);
    let words: Vec<_> = words.map(String::from_utf8_lossy).collect();
    // Truncated, because a command line may be very long and this is part of a message.
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
