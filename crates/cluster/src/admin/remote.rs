//! Clusters on etcd: a directory with the address, through which every command finds the cluster.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::admin::directory::{InitOutcome, placed};
use crate::admin::empty::{STORE_FILE, is_empty};
use crate::cluster::{Cluster, Open, Result};
use crate::store::{EtcdStore, Members, Settings, StoreError, Tls};
use crate::sys::bounded;
use crate::sys::fs::{self, Fs};
use crate::sys::real_fs::RealFs;

/// The scheme of the address of a cluster on etcd.
const SCHEME: &str = "etcd://";

/// The prefix of the keys if the address names none: kube-apiserver's.
const PREFIX: &str = "registry";

/// The address of a cluster on etcd, from its file.
///
/// ```
/// use ctl_cluster::Remote;
///
/// let remote = Remote::parse("etcd://127.0.0.1:2379/registry")?;
/// assert_eq!(remote.etcd, ["127.0.0.1:2379"]);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Remote {
    /// `HOST:PORT` of each member.
    pub etcd: Vec<String>,
    /// The prefix of the keys.
    pub prefix: String,
    /// The file of the authority of etcd's certificate; without it, etcd is reached without TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<String>,
    /// The file of the client's certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cert: Option<String>,
    /// The file of its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

impl Remote {
    /// Reads `etcd://HOST:PORT[,HOST:PORT]/PREFIX`.
    ///
    /// # Errors
    /// Returns the reason if the text is no such address.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        let wrong = |reason: &str| {
            Err(format!(
                "{reason}: the address of a store is etcd://HOST:PORT[,HOST:PORT]/PREFIX"
            ))
        };
        let Some(rest) = text.strip_prefix(SCHEME) else {
            return wrong("no etcd://");
        };
        let (members, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let etcd: Vec<String> = members.split(',').map(str::to_owned).collect();
        let has_port = |member: &String| {
            member
                .rsplit_once(':')
                .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
        };
        if !etcd.iter().all(has_port) {
            return wrong("not HOST:PORT");
        }
        let prefix = prefix.trim_matches('/');
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        if !prefix.chars().all(plain) || prefix.contains("//") {
            return wrong("the prefix may contain letters, digits, - _ . /");
        }
        Ok(Self {
            etcd,
            prefix: if prefix.is_empty() { PREFIX } else { prefix }.to_owned(),
            ca: None,
            cert: None,
            key: None,
        })
    }

    /// Reads the file in a directory; `None` if there is none.
    pub(crate) fn of_directory(path: &Path) -> Result<Option<Self>> {
        let file = path.join(STORE_FILE);
        let wrong = |reason: String| StoreError::Settings {
            file: file.display().to_string(),
            reason,
        };
        let text = match bounded::read_text(&file, bounded::SETTINGS) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            // A path through a file contains no cluster either; the caller reports that.
            Err(e) if e.kind() == std::io::ErrorKind::NotADirectory => return Ok(None),
            Err(e) => return Err(wrong(e.to_string())),
        };
        let read = serde_yaml::from_str(&text).map_err(|e| wrong(e.to_string()));
        read.map(Some)
    }

    fn members(&self) -> Result<Members> {
        let read = |file: &String| {
            bounded::read(file, bounded::SETTINGS).map_err(|e| StoreError::Settings {
                file: file.clone(),
                reason: e.to_string(),
            })
        };
        let identity = match (&self.cert, &self.key) {
            (Some(cert), Some(key)) => Some((read(cert)?, read(key)?)),
            _ => None,
        };
        let tls = match &self.ca {
            Some(ca) => Some(Tls {
                ca: read(ca)?,
                identity,
            }),
            None => None,
        };
        Ok(Members {
            addresses: self.etcd.clone(),
            prefix: self.prefix.clone(),
            tls,
        })
    }

    fn write(&self, fs: &dyn Fs) -> Result<()> {
        let yaml = serde_yaml::to_string(self).map_err(|e| StoreError::Refused(e.to_string()))?;
        let text = format!(
            "# A cluster of `ctl` on etcd. This directory contains the address of the cluster and the files of\n\
             # servers on this machine, but no data of the cluster.\n{yaml}"
        );
        let temporary = format!(".{STORE_FILE}-{:016x}", fs.fresh());
        Ok(fs::replace(
            fs,
            STORE_FILE,
            &temporary,
            text.as_bytes(),
            true,
        )?)
    }
}

impl fmt::Display for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}/{}", self.etcd.join(","), self.prefix)
    }
}

impl Remote {
    /// Creates a cluster on etcd, or opens the existing one, and a directory through which commands find it.
    ///
    /// # Errors
    /// Fails if the directory contains something else, or etcd cannot be reached.
    pub fn init(
        &self,
        path: &Path,
        open: &Open,
        settings: &Settings,
    ) -> Result<(Cluster, InitOutcome)> {
        let place = path.display();
        match Self::of_directory(path)? {
            Some(other) if other == *self => {}
            Some(other) => {
                let text = format!("{place} has the address of another cluster: {other}");
                return Err(StoreError::Refused(text));
            }
            None if is_empty(path) => {}
            None => {
                let text =
                    format!("{place} is not empty: a cluster on etcd needs a directory of its own");
                return Err(StoreError::Refused(text));
            }
        }
        let options = placed(path, open);
        let store = EtcdStore::open_or_create(&self.members()?, &options, settings)?;
        // Last, so that a mistyped address leaves no file.
        self.write(&RealFs::create(path)?)?;
        let made = match store.is_new() {
            true => InitOutcome::New,
            false => InitOutcome::Found,
        };
        let cluster = Cluster::on(Arc::new(store), options.command, made == InitOutcome::New);
        Ok((cluster.calling(open), made))
    }
}

impl Cluster {
    /// Opens the cluster on etcd whose address is in a directory; `None` if there is no address.
    pub(crate) fn open_remote(path: &Path, open: &Open) -> Result<Option<Self>> {
        let Some(remote) = Remote::of_directory(path)? else {
            return Ok(None);
        };
        let options = placed(path, open);
        let store = EtcdStore::open(&remote.members()?, &options)?;
        let cluster = Self::on(Arc::new(store), options.command, false);
        Ok(Some(cluster.calling(open)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn etcd_address_is_parsed_into_members_and_prefix() {
        let read = Remote::parse("etcd://a:2379,[::1]:2380/team/one/").unwrap();
        assert_eq!(read.etcd, ["a:2379", "[::1]:2380"]);
        assert_eq!(read.prefix, "team/one");
        assert_eq!(Remote::parse("etcd://a:1").unwrap().prefix, "registry");
        for wrong in [
            "memory:",
            "etcd://",
            "etcd://a",
            "etcd://a:x/p",
            "etcd://a:1/p q",
            "etcd://a:1,/p",
        ] {
            assert!(Remote::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn directory_stores_the_etcd_address() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(Remote::of_directory(directory.path()).unwrap(), None);
        let remote = Remote {
            ca: Some("/etc/ca.pem".to_owned()),
            ..Remote::parse("etcd://a:1/p").unwrap()
        };
        remote
            .write(&RealFs::open(directory.path()).unwrap())
            .unwrap();
        assert_eq!(
            Remote::of_directory(directory.path()).unwrap(),
            Some(remote)
        );
    }
}
