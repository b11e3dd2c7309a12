//! `tar`, for `kubectl cp` and scripts.

use std::io::Read as _;

use crate::absolute;
use crate::file_commands::content;
use crate::run::Shell;

/// The block size of an archive.
const BLOCK: usize = 512;

/// The task that the arguments of `tar` describe.
#[derive(Debug, Default)]
struct TarTask {
    /// The single-letter options; `c`, `x` and `t` select the task.
    letters: String,
    names: Vec<String>,
    directory: String,
    /// The archive file; empty or `-` for standard input or output.
    file: String,
}

fn asked(arguments: &[String]) -> TarTask {
    let mut asked = TarTask {
        directory: ".".to_owned(),
        ..TarTask::default()
    };
    let mut only_names = false;
    let mut all = arguments.iter().enumerate();
    while let Some((number, argument)) = all.next() {
        let mut value = || all.next().map(|(_, own)| own.clone()).unwrap_or_default();
        match argument.as_str() {
            name if only_names => asked.names.push(name.to_owned()),
            "--" => only_names = true,
            "-C" | "--directory" => asked.directory = value(),
            "-" => asked.names.push("-".to_owned()),
            long if long.starts_with("--") => {
                if let Some(directory) = long.strip_prefix("--directory=") {
                    directory.clone_into(&mut asked.directory);
                }
            }
            // The first argument needs no dash: `tar cf - PATH`.
            flags if number == 0 || flags.starts_with('-') => {
                asked.letters.push_str(flags.trim_start_matches('-'));
                if flags.ends_with('f') {
                    asked.file = value();
                }
            }
            name => asked.names.push(name.to_owned()),
        }
    }
    asked
}

pub(crate) fn tar(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let asked = asked(arguments);
    let done = match ['c', 'x', 't'].map(|letter| asked.letters.contains(letter)) {
        [true, false, false] => pack(shell, &asked),
        [false, true, false] | [false, false, true] => unpack(shell, &asked),
        _ => Err("you must specify one of -c, -x and -t".to_owned()),
    };
    match done {
        Ok(()) => 0,
        Err(e) => {
            shell.complain(&format!("tar: {e}"));
            1
        }
    }
}

/// Writes an archive of the files below a directory.
fn pack(shell: &mut Shell<'_>, asked: &TarTask) -> Result<(), String> {
    let place = shell.path(&asked.directory);
    let mut archive = tar::Builder::new(Vec::new());
    let time = u64::try_from(shell.machine.now.as_second()).unwrap_or(0);
    for name in &asked.names {
        let path = absolute(&place, name);
        let files = &shell.machine.files;
        if !files.is_file(&path) && !files.is_directory(&path) {
            return Err(format!("{name}: No such file or directory"));
        }
        // Paths in an archive are relative.
        let inside = |below: &str| {
            let whole = format!("{}{below}", name.trim_matches('/'));
            if whole.is_empty() {
                ".".to_owned()
            } else {
                whole
            }
        };
        let root = path.trim_end_matches('/');
        // Directories come first: they then exist before their files, and empty ones are kept.
        for below in directories(shell, root) {
            let mut header = tar::Header::new_gnu();
            header.set_entry_type(tar::EntryType::Directory);
            header.set_size(0);
            header.set_mode(0o755);
            header.set_mtime(time);
            let name = format!("{}/", inside(&below));
            let added = archive.append_data(&mut header, name, [].as_slice());
            added.map_err(|e| e.to_string())?;
        }
        for (own, content) in files.iter() {
            let below = own.strip_prefix(root);
            let Some(below) = below.filter(|b| b.is_empty() || b.starts_with('/')) else {
                continue;
            };
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            header.set_mtime(time);
            let added = archive.append_data(&mut header, inside(below), content);
            added.map_err(|e| e.to_string())?;
        }
    }
    let bytes = archive.into_inner().map_err(|e| e.to_string())?;
    if matches!(asked.file.as_str(), "" | "-") {
        shell.print(bytes);
        return Ok(());
    }
    let path = shell.path(&asked.file);
    let written = shell.machine.files.write(&path, bytes);
    written.map_err(|e| format!("{}: {e}", asked.file))
}

/// Returns a directory and those below it, relative to `root`.
fn directories(shell: &Shell<'_>, root: &str) -> Vec<String> {
    let files = &shell.machine.files;
    let mut found = Vec::new();
    let mut left = vec![String::new()];
    while let Some(below) = left.pop() {
        let path = format!("{root}{below}");
        // Here, the root directory is the empty path.
        if files.is_directory(&path) || path.is_empty() {
            let place = if path.is_empty() { "/" } else { &path };
            left.extend(
                files
                    .names(place)
                    .iter()
                    .map(|name| format!("{below}/{name}")),
            );
            found.push(below);
        }
    }
    found.sort();
    found
}

/// Extracts the files of an archive to a directory, or lists them.
fn unpack(shell: &mut Shell<'_>, asked: &TarTask) -> Result<(), String> {
    let place = shell.path(&asked.directory);
    let bytes = match asked.file.as_str() {
        "" | "-" => input(shell),
        file => content(shell, "tar", file).ok_or_else(|| format!("{file}: Cannot open"))?,
    };
    let lists = asked.letters.contains('t');
    let mut archive = tar::Archive::new(bytes.as_slice());
    for entry in archive.entries().map_err(|e| e.to_string())? {
        let mut entry = entry.map_err(|e| e.to_string())?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if lists || asked.letters.contains('v') {
            shell.print(format!("{name}\n"));
        }
        if lists {
            continue;
        }
        let path = absolute(&place, name.trim_start_matches('/'));
        if entry.header().entry_type().is_dir() {
            // An existing directory is not an error.
            let _ = shell.machine.files.make_directory(&path);
            continue;
        }
        // The archive is in memory, so a size beyond it is wrong.
        let size = usize::try_from(entry.size()).unwrap_or(usize::MAX);
        if size > bytes.len() {
            return Err(format!("{name}: unexpected end of the archive"));
        }
        let mut content = vec![0; size];
        entry.read_exact(&mut content).map_err(|e| e.to_string())?;
        let written = shell.machine.files.write(&path, content);
        written.map_err(|e| format!("{name}: {e}"))?;
    }
    Ok(())
}

/// Reads an archive from the input, up to the archive's own end, because some clients cannot end their input.
fn input(shell: &mut Shell<'_>) -> Vec<u8> {
    let (mut bytes, mut at) = (Vec::new(), 0);
    while bytes.len() < shell.most_input()
        && let Some(piece) = shell.read()
    {
        bytes.extend(piece);
        while let Some(block) = bytes.get(at..at + BLOCK) {
            if block.iter().all(|byte| *byte == 0) {
                return bytes;
            }
            let size = tar::Header::from_byte_slice(block).entry_size();
            let size = usize::try_from(size.unwrap_or(0)).unwrap_or(usize::MAX / 2);
            at += BLOCK + size.next_multiple_of(BLOCK);
        }
    }
    bytes
}
