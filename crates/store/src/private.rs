//! Secrets that belong to a directory and are not objects, such as the key that signs tokens: files of
//! `.ctl` that their owner alone can read.

use std::io;

use super::files::FileStore;
use super::interface::Result;
use super::layout::DOT;
use crate::sys::fs;

/// The longest secret.
const MAX_SIZE: u64 = 64 << 10;

impl FileStore {
    /// Reads a secret, or stores the one that `make` returns.
    pub(crate) fn kept_secret(
        &self,
        name: &str,
        make: &mut dyn FnMut() -> Result<String>,
    ) -> Result<String> {
        let path = format!("{DOT}/{name}");
        if let Some(kept) = self.read_secret(&path)? {
            return Ok(kept);
        }
        let made = make()?;
        let fresh = format!("{path}.{:016x}.new", self.fs.fresh());
        let placed = self.fs.create(&fresh).and_then(|file| {
            file.write_at(made.as_bytes(), 0)?;
            file.sync_data()?;
            // Never replaces a secret that another process has created and used meanwhile.
            self.fs.rename_new(&fresh, &path)?;
            self.fs.sync_dir(DOT)
        });
        let Err(error) = placed else { return Ok(made) };
        // A leftover may not exist, and no program reads it.
        let _ = self.fs.unlink(&fresh);
        // Another process was faster. After any other error a power cut may lose the secret, and everything signed with
        // it.
        let kept = match error.kind() {
            io::ErrorKind::AlreadyExists => self.read_secret(&path)?,
            _ => None,
        };
        kept.ok_or_else(|| error.into())
    }

    fn read_secret(&self, path: &str) -> Result<Option<String>> {
        match fs::read_all(&*self.fs, path, MAX_SIZE) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(e) if e.is_not_found() => Ok(None),
            Err(e) => Err(e.into()),
        }
    }
}
