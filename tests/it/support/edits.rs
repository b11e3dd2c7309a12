//! The ways in which people and tools change files, for tests of hand edits.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use ctl::sys::clock::Stopwatch;

use super::race::eventually;
use super::{World, finish};

/// A way to change a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    RenameOver,
    TruncateAndTwoWrites,
    Append,
    VimBackup,
    Sed,
    GitCheckout,
    Delete,
    CopyUnderNewName,
    WrongDirectory,
    Crlf,
    Bom,
    Chmod,
}

pub const STYLES: [Style; 12] = [
    Style::RenameOver,
    Style::TruncateAndTwoWrites,
    Style::Append,
    Style::VimBackup,
    Style::Sed,
    Style::GitCheckout,
    Style::Delete,
    Style::CopyUnderNewName,
    Style::WrongDirectory,
    Style::Crlf,
    Style::Bom,
    Style::Chmod,
];

/// The file that a save reached: one that still has a name, or one that was replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saved {
    Yes,
    /// The file was replaced while it was open, so the save went to the old file. An editor detects this and asks the
    /// user; here it saves again.
    IntoTheOldFile,
}

/// Returns the file of a ConfigMap in the namespace `default`.
pub fn file_of(world: &World, name: &str) -> PathBuf {
    world.path(&format!("default/configmaps/{name}.yaml"))
}

/// Reads the complete file as an editor does, including the line that the edits change.
pub fn read_whole(path: &Path) -> String {
    let mut text = String::new();
    let whole = eventually(Duration::from_secs(10), || {
        text = fs::read_to_string(path).unwrap_or_default();
        text.contains("\n  t: ") && text.ends_with("zzz: end\n")
    });
    assert!(whole, "{}: {text:?}", path.display());
    text
}

/// Returns the text with another value in the field `data.t`.
pub fn with_token(text: &str, token: &str) -> String {
    let line = |l: &str| match l.strip_prefix("  t: ") {
        Some(_) => format!("  t: {token}\n"),
        None => format!("{l}\n"),
    };
    text.lines().map(line).collect()
}

/// Saves to a file next to the original and renames it over the original.
pub fn rename_over(path: &Path, text: &[u8]) {
    let temporary = path.with_extension("swp");
    let mut file = File::create(&temporary).unwrap();
    file.write_all(text).unwrap();
    drop(file);
    fs::rename(&temporary, path).unwrap();
}

/// Truncates the file and writes it in two parts with a pause, through one descriptor.
pub fn truncate_and_write(path: &Path, text: &str, pause: Duration) -> Saved {
    let Ok(mut file) = OpenOptions::new().write(true).truncate(true).open(path) else {
        return Saved::IntoTheOldFile;
    };
    let (first, second) = text.as_bytes().split_at(text.len() / 2);
    file.write_all(first).unwrap();
    std::thread::sleep(pause);
    file.write_all(second).unwrap();
    where_it_went(file)
}

/// Saves as [`truncate_and_write`] does. Returns false if half of the file was there for so long that it may have been
/// kept aside, because this thread was not scheduled; then the file is saved again.
pub fn save_slowly(path: &Path, text: &str, pause: Duration) -> bool {
    let watch = Stopwatch::start();
    // The file may be imported, and thus replaced, before this call returns.
    let _ = truncate_and_write(path, text, pause);
    let is_in_time = watch.elapsed() < pause + Duration::from_millis(200);
    if !is_in_time {
        rename_over(path, text.as_bytes());
    }
    is_in_time
}

/// Appends a line.
pub fn append(path: &Path, line: &str) -> Saved {
    let Ok(mut file) = OpenOptions::new().append(true).open(path) else {
        return Saved::IntoTheOldFile;
    };
    file.write_all(line.as_bytes()).unwrap();
    where_it_went(file)
}

/// Closes a file, and checks if it still has a name.
fn where_it_went(file: File) -> Saved {
    use std::os::fd::AsRawFd as _;
    let same = File::open(format!("/proc/self/fd/{}", file.as_raw_fd())).unwrap();
    drop(file);
    std::thread::sleep(Duration::from_millis(5));
    match same.metadata().unwrap().nlink() {
        0 => Saved::IntoTheOldFile,
        _ => Saved::Yes,
    }
}

/// Renames the file to its backup, writes it again, and removes the backup.
pub fn vim_backup(path: &Path, text: &str) -> Saved {
    let backup = path.with_extension("yaml~");
    if fs::rename(path, &backup).is_err() {
        return Saved::IntoTheOldFile;
    }
    let mut file = File::create(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file.sync_all().unwrap();
    let saved = where_it_went(file);
    fs::remove_file(&backup).unwrap();
    saved
}

/// Runs `sed -i` on the line of the field `data.t`.
pub fn sed(path: &Path, token: &str) {
    let script = format!("s/^  t: .*/  t: {token}/");
    let done = Command::new("sed").arg("-i").arg(script).arg(path).status();
    assert!(done.unwrap().success());
}

/// Checks out a version of the file from git's index.
pub fn git_checkout(world: &World, path: &Path, text: &str) {
    let index = path.with_extension("index");
    let git = |args: &[&str], input: &str| {
        let mut command = world.command_for(Path::new("git"));
        command
            .args(args)
            .current_dir(world.state())
            .env("GIT_INDEX_FILE", &index);
        finish(command, input).ok()
    };
    let relative = path.strip_prefix(world.state()).unwrap().to_str().unwrap();
    let blob = git(&["hash-object", "-w", "--stdin"], text);
    let entry = format!("100644,{},{relative}", blob.trim());
    let _ = git(&["update-index", "--add", "--cacheinfo", &entry], "");
    let _ = git(&["checkout", "--", relative], "");
    fs::remove_file(&index).unwrap();
}

/// Makes a file read-only for all users.
pub fn chmod(path: &Path) {
    // A file that is being replaced may be missing; the next one has its own mode anyway.
    drop(fs::set_permissions(path, fs::Permissions::from_mode(0o444)));
}

/// Returns all files that were kept aside below the state directory, with their contents.
pub fn kept_aside(world: &World) -> Vec<(PathBuf, Vec<u8>)> {
    let mut kept = Vec::new();
    for namespace in world.state().read_dir().unwrap().flatten() {
        if namespace.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        for resource in namespace.path().read_dir().into_iter().flatten().flatten() {
            for file in resource.path().read_dir().into_iter().flatten().flatten() {
                let name = file.file_name().into_string().unwrap();
                if name.contains(".yaml.rejected") {
                    kept.push((file.path(), fs::read(file.path()).unwrap_or_default()));
                }
            }
        }
    }
    kept
}
