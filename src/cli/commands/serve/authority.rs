//! The file that keeps the cluster's certificate authority: `.ctl/ca.pem`.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::cli::error::CliError;
use crate::serve::authority::Authority;
use crate::sys::bounded;
use crate::sys::entropy::kernel_random;

/// Returns the directory of what belongs to the cluster and is no object.
pub(in crate::cli::commands) fn folder(state: &Path) -> PathBuf {
    state.join(".ctl")
}

/// Reads the authority of the cluster in a directory, or makes one.
pub(in crate::cli::commands) fn of(state: &Path) -> Result<Authority, CliError> {
    let path = folder(state).join("ca.pem");
    if let Some(known) = read(&path)? {
        return Ok(known);
    }
    let made = Authority::generate()?;
    match place(&path, &made.to_text()) {
        Ok(()) => Ok(made),
        // Another server was faster: both have to show certificates of one authority.
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            read(&path)?.ok_or_else(|| at(&path, &e))
        }
        Err(e) => Err(at(&path, &e)),
    }
}

fn read(path: &Path) -> Result<Option<Authority>, CliError> {
    match bounded::read_text(path, bounded::SETTINGS).and_then(|text| Authority::from_text(&text)) {
        Ok(known) => Ok(Some(known)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) if e.kind() == io::ErrorKind::InvalidData => {
            let text = format!("{}: {e}; remove the file for a new one", path.display());
            Err(CliError::text(text))
        }
        Err(e) => Err(at(path, &e)),
    }
}

fn at(path: &Path, error: &io::Error) -> CliError {
    CliError::text(format!("{}: {error}", path.display()))
}

/// Puts a file in place that is complete or not there, readable by nobody else.
fn place(path: &Path, text: &str) -> io::Result<()> {
    let fresh = path.with_file_name(format!("ca.pem.{:016x}.new", kernel_random()));
    let mut options = OpenOptions::new();
    let written = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&fresh);
    let placed = written.and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        // Not by rename, which would replace the authority of a server that runs already.
        fs::hard_link(&fresh, path)
    });
    let _ = fs::remove_file(&fresh);
    placed
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn an_authority_is_made_once_and_read_by_its_owner_alone() {
        let state = tempfile::tempdir().unwrap();
        fs::create_dir(folder(state.path())).unwrap();
        let made: Vec<String> = std::thread::scope(|scope| {
            let servers = [(); 4].map(|()| scope.spawn(|| of(state.path()).unwrap().to_text()));
            servers.map(|server| server.join().unwrap()).into()
        });
        assert!(made.iter().all(|text| *text == made[0]));
        let path = folder(state.path()).join("ca.pem");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder(state.path())).unwrap().count(), 1);
        let mut file = fs::File::create(&path).unwrap();
        file.write_all(b"notes").unwrap();
        let refused = of(state.path()).unwrap_err().to_string();
        assert!(refused.ends_with("no certificate and key in it; remove the file for a new one"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "notes");
    }
}
