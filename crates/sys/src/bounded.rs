//! Reads external input up to a limit, because a device or pipe may never end.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The maximum size of manifests, enough for tens of thousands of typical objects.
pub const MANIFESTS: u64 = 128 << 20;

/// The maximum size of a request body that ctl sends. The server has its own limit.
pub const BODY: u64 = 16 << 20;

/// The maximum size of a file that becomes part of an object. No request may be larger.
pub const CONTENT: u64 = 3 << 20;

/// The maximum size of settings: kubeconfigs, preferences, certificates.
pub const SETTINGS: u64 = 16 << 20;

/// Reads a file of at most `most` bytes, which may be a pipe.
///
/// # Errors
/// Returns an error if the file cannot be read or is larger.
pub fn read(path: impl AsRef<Path>, most: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    // Checks the size before reading; the limit below is for pipes and growing files.
    if length > most {
        return Err(too_large(most));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    all(file, most, &mut bytes)?;
    Ok(bytes)
}

/// Reads a file as text. The limit is that of [`read`].
///
/// # Errors
/// Returns an error if the file cannot be read, is larger, or is not UTF-8.
pub fn read_text(path: impl AsRef<Path>, most: u64) -> io::Result<String> {
    text(read(path, most)?)
}

/// Reads standard input to its end.
///
/// # Errors
/// Returns an error if standard input cannot be read or is longer than `most` bytes.
pub fn stdin(most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    all(io::stdin(), most, &mut bytes)?;
    Ok(bytes)
}

/// Reads standard input as text. The limit is that of [`stdin`].
///
/// # Errors
/// Returns an error if standard input cannot be read, is longer than `most` bytes, or is not UTF-8.
pub fn stdin_text(most: u64) -> io::Result<String> {
    text(stdin(most)?)
}

/// Reads a line from standard input, as the reply to a prompt.
///
/// # Errors
/// Returns an error if standard input cannot be read.
pub fn stdin_line() -> io::Result<String> {
    // Replies are never longer. The limit keeps `< /dev/zero` from exhausting the memory.
    const LINE: u64 = 4096;
    let mut line = String::new();
    io::BufRead::read_line(&mut io::stdin().lock().take(LINE), &mut line)?;
    Ok(line)
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    let text = String::from_utf8(bytes);
    text.map_err(|_| {
        io::Error::new(
            io::ErrorKind::InvalidData,
            "stream did not contain valid UTF-8",
        )
    })
}

fn all(from: impl Read, most: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    // Reading one more byte tells a stream that is too long from one that just fits.
    from.take(most + 1).read_to_end(bytes)?;
    match bytes.len() as u64 > most {
        true => Err(too_large(most)),
        false => Ok(()),
    }
}

fn too_large(most: u64) -> io::Error {
    let text = format!("larger than the limit of {} MiB", most >> 20);
    io::Error::new(io::ErrorKind::FileTooLarge, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_input_is_rejected_and_finite_input_is_read() {
        let error = read("/dev/zero", 1 << 20).unwrap_err();
        assert_eq!(error.to_string(), "larger than the limit of 1 MiB");
        let here = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        assert!(read_text(here, SETTINGS).unwrap().starts_with("[package]"));
        assert!(read(here, 10).is_err());
        assert!(read("/dev/null", 0).unwrap().is_empty());
    }
}
