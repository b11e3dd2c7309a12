//! Packs a directory into a gzipped tar archive, and unpacks such archives.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Component, Path};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use tar::{Archive, Builder, EntryType, Header};

/// The first bytes of every gzip file.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The maximum unpacked size of an archive; a small file can expand to any size.
const MOST: u64 = 64 << 30;

/// Returns true if the bytes are the start of a gzip file.
pub fn is_archive(begin: &[u8]) -> bool {
    begin.starts_with(&MAGIC)
}

/// Packs the files of a directory. Equal files produce equal bytes: names are sorted, and times and owners are
/// omitted.
///
/// # Errors
/// Returns an error if a file cannot be read or the archive cannot be written.
pub fn pack(directory: &Path, to: impl Write) -> io::Result<()> {
    let mut archive = Builder::new(GzEncoder::new(to, Compression::default()));
    add(directory, Path::new(""), &mut archive)?;
    archive.into_inner()?.finish()?.flush()
}

fn add<W: Write>(root: &Path, below: &Path, archive: &mut Builder<W>) -> io::Result<()> {
    let entries = std::fs::read_dir(root.join(below))?;
    let mut names = entries
        .map(|entry| Ok(entry?.file_name()))
        .collect::<io::Result<Vec<_>>>()?;
    names.sort();
    for name in names {
        let path = below.join(name);
        let full = root.join(&path);
        let kind = std::fs::symlink_metadata(&full)?;
        if kind.is_dir() {
            add(root, &path, archive)?;
        } else if kind.is_file() {
            let mut header = Header::new_gnu();
            header.set_entry_type(EntryType::Regular);
            header.set_mode(0o600);
            header.set_mtime(0);
            header.set_size(kind.len());
            // Never reads more than the length in the header: another process may append to the file in the meantime.
            archive.append_data(&mut header, &path, File::open(&full)?.take(kind.len()))?;
        }
    }
    Ok(())
}

/// Unpacks an archive into a directory. `expected` returns true for each path that the archive may contain.
///
/// # Errors
/// Returns an error if the archive is damaged or contains any other entry, or if a file exists or cannot be written.
pub fn unpack(
    from: impl Read,
    directory: &Path,
    expected: &dyn Fn(&Path) -> bool,
) -> io::Result<()> {
    let mut archive = Archive::new(GzDecoder::new(from).take(MOST));
    for entry in archive.entries()? {
        let mut entry = entry.map_err(unreadable)?;
        let path = entry.path()?.into_owned();
        let plain = path.components().all(|c| matches!(c, Component::Normal(_)));
        // Links and paths with dots could lead out of the directory.
        if !plain || entry.header().entry_type() != EntryType::Regular || !expected(&path) {
            let text = format!(
                "the archive contains {}, which is unexpected",
                path.display()
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        let target = directory.join(&path);
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent)?;
        }
        io::copy(&mut entry, &mut File::create_new(&target)?)?;
    }
    Ok(())
}

/// Returns the error for invalid content, without the bytes that the tar crate quotes.
fn unreadable(error: io::Error) -> io::Error {
    if error.raw_os_error().is_some() {
        return error;
    }
    io::Error::new(
        error.kind(),
        "it is damaged, or it is not an archive of `ctl export`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::ScratchDir;

    fn archive(path: &str, kind: EntryType) -> Vec<u8> {
        let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(1);
        // `set_path` would reject the malicious names that this test needs.
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_cksum();
        archive.append(&header, &b"x"[..]).unwrap();
        archive.into_inner().unwrap().finish().unwrap()
    }

    #[test]
    fn packing_is_deterministic_and_unpacking_restores() {
        let (from, to) = (
            ScratchDir::new("ctl-a-").unwrap(),
            ScratchDir::new("ctl-b-").unwrap(),
        );
        std::fs::create_dir_all(from.path().join("deep/er")).unwrap();
        let file = |name: &str, text: &str| {
            let mut file = File::create_new(from.path().join(name)).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        };
        file("deep/er/1", "one");
        file("two", "two");
        let packed = || {
            let mut bytes = Vec::new();
            pack(from.path(), &mut bytes).unwrap();
            bytes
        };
        let bytes = packed();
        assert!(is_archive(&bytes) && bytes == packed());
        unpack(bytes.as_slice(), to.path(), &|_| true).unwrap();
        assert_eq!(std::fs::read(to.path().join("deep/er/1")).unwrap(), b"one");
        assert_eq!(std::fs::read(to.path().join("two")).unwrap(), b"two");
        // Existing files are never overwritten.
        assert!(unpack(bytes.as_slice(), to.path(), &|_| true).is_err());
    }

    #[test]
    fn unpacking_rejects_links_and_paths_outside_the_directory() {
        for (path, kind) in [
            ("../out", EntryType::Regular),
            ("in/../../out", EntryType::Regular),
            ("/tmp/ctl-out", EntryType::Regular),
            ("in/link", EntryType::Symlink),
            ("in/hard", EntryType::Link),
            ("other", EntryType::Regular),
        ] {
            let to = ScratchDir::new("ctl-c-").unwrap();
            let expected = |path: &Path| path.starts_with("in");
            let error = unpack(archive(path, kind).as_slice(), to.path(), &expected).unwrap_err();
            assert!(
                error.to_string().contains("which is unexpected"),
                "{path}: {error}"
            );
        }
    }
}
