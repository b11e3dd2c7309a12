//! The flags of `kube-apiserver` that `ctl serve` accepts when it takes its place.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use super::token_file;
use crate::api::json::Value;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::output::{write_file, write_private_file};
use crate::cluster::{Cluster, DeleteOptions, Place};
use crate::kinds;
use crate::kinds::admission::User;
use crate::kinds::tree::{field, text};
use crate::pki::Authority;
use crate::serve::tls::Tls;
use crate::sys::bounded;

/// The flags that `ctl envtest` passes on.
#[derive(Args, Debug, Default)]
pub(super) struct BorrowedArgs {
    /// Certificate of the server, in PEM
    #[arg(
        long,
        value_name = "FILE",
        hide = true,
        requires = "tls_private_key_file"
    )]
    tls_cert_file: Option<PathBuf>,
    /// Key of that certificate, in PEM
    #[arg(long, value_name = "FILE", hide = true, requires = "tls_cert_file")]
    tls_private_key_file: Option<PathBuf>,
    /// Directory with the certificate `apiserver.crt` and its key `apiserver.key`, which are made if both are missing
    #[arg(
        long,
        value_name = "DIRECTORY",
        hide = true,
        conflicts_with = "tls_cert_file"
    )]
    cert_dir: Option<PathBuf>,
    /// Authorities, in PEM, that vouch for the certificates of clients
    #[arg(long, value_name = "FILE", hide = true)]
    client_ca_file: Option<PathBuf>,
    /// Tokens and their users, as lines of TOKEN,USER,UID,"GROUP,GROUP"
    #[arg(long, value_name = "FILE", hide = true)]
    token_auth_file: Option<PathBuf>,
    /// Let Pods be created without a service account
    #[arg(long, hide = true)]
    without_accounts: bool,
    /// Leave out the objects that controllers make: nodes, accounts and their certificates
    #[arg(long, hide = true)]
    bare: bool,
}

impl BorrowedArgs {
    /// Returns true if the credentials come from elsewhere, so that no kubeconfig is needed.
    pub(super) fn has_certificate(&self) -> bool {
        self.tls_cert_file.is_some() || self.cert_dir.is_some()
    }

    /// Returns the files of the server's certificate and key. Creates them for a host if `--cert-dir` has neither.
    fn pair(&self, host: &str) -> Result<Option<[PathBuf; 2]>, CliError> {
        if let Some(directory) = &self.cert_dir {
            // kube-apiserver uses these names in its certificate directory.
            let pair = ["apiserver.crt", "apiserver.key"].map(|name| directory.join(name));
            if !pair.iter().any(|path| path.exists()) {
                fs::create_dir_all(directory)?;
                let authority = Authority::generate()?;
                let own = authority.server(&[host])?.to_pem();
                // The authority is part of the chain, so that clients can verify the server with this file.
                let chain = own.certificate + authority.certificate();
                write_file(&pair[0], &chain)?;
                write_private_file(&pair[1], &own.key)?;
            }
            return Ok(Some(pair));
        }
        let pair = self
            .tls_cert_file
            .clone()
            .zip(self.tls_private_key_file.clone());
        Ok(pair.map(|(certificate, key)| [certificate, key]))
    }

    /// Returns a new cluster in memory.
    pub(super) fn cluster(&self, context: &Context) -> Result<Cluster, CliError> {
        let cluster = context.in_memory(|open, settings| {
            open.without_accounts = self.without_accounts;
            if self.bare {
                settings.nodes = 0;
            }
        })?;
        if self.bare {
            strip(&cluster)?;
        }
        Ok(cluster)
    }

    /// Returns the users of the token file.
    pub(super) fn users(&self, context: &Context) -> Result<Vec<(String, User)>, CliError> {
        let Some(path) = &self.token_auth_file else {
            return Ok(Vec::new());
        };
        let named = |why: String| CliError::text(format!("{}: {why}", path.display()));
        let text = String::from_utf8(read(path)?).map_err(|e| named(e.to_string()))?;
        let tokens = token_file::parse(&text).map_err(named)?;
        for warning in tokens.warnings {
            let path = path.display();
            context.ui.note(&format!("warning: {path}: {warning}"));
        }
        Ok(tokens.users)
    }

    /// Returns the TLS settings for a host, with the authorities that sign client certificates; none without a
    /// certificate.
    pub(super) fn tls(&self, host: &str) -> Result<Option<Tls>, CliError> {
        let Some([certificate, key]) = &self.pair(host)? else {
            return Ok(None);
        };
        let clients = match &self.client_ca_file {
            Some(path) => read(path)?,
            // Without an authority for client certificates, only tokens authenticate.
            None => Vec::new(),
        };
        let tls = Tls::of_files(&read(certificate)?, &read(key)?, &clients);
        let named = |e| CliError::text(format!("{}: {e}", certificate.display()));
        Ok(Some(tls.map_err(named)?))
    }
}

fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    let named = |e| CliError::text(format!("{}: {e}", path.display()));
    bounded::read(path, bounded::SETTINGS).map_err(named)
}

/// Removes the objects that only controllers create.
fn strip(cluster: &Cluster) -> Result<(), CliError> {
    for (resource, name) in [
        ("configmaps", "kube-root-ca.crt"),
        ("serviceaccounts", "default"),
    ] {
        let Some(kind) = kinds::find_resource("", "v1", resource) else {
            continue;
        };
        let named = |object: &Value| text(field(object, "metadata"), "name") == name;
        for object in cluster.list(&Place::new(kind, ""), &named, None)?.items {
            let place = Place::new(kind, text(field(&object, "metadata"), "namespace"));
            let _gone = cluster.delete(&place, name, &DeleteOptions::default())?;
        }
    }
    Ok(())
}
