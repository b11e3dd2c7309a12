//! The flags of `kube-apiserver` that `ctl serve` has when it runs in its place.

use std::path::{Path, PathBuf};

use clap::Args;

use super::token_file;
use crate::api::json::Value;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cluster::{Cluster, DeleteOptions, Place};
use crate::kinds;
use crate::kinds::admission::User;
use crate::kinds::tree::{field, text};
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
    /// Returns true if others have made the credentials, so that no kubeconfig is needed.
    pub(super) fn has_certificate(&self) -> bool {
        self.tls_cert_file.is_some()
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

    /// Returns the users that have tokens.
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

    /// Returns the certificate of the server with the authorities of its clients, if there is one.
    pub(super) fn tls(&self) -> Result<Option<Tls>, CliError> {
        let (Some(certificate), Some(key)) = (&self.tls_cert_file, &self.tls_private_key_file)
        else {
            return Ok(None);
        };
        let clients = match &self.client_ca_file {
            Some(path) => read(path)?,
            // No authority signs client certificates then, so only tokens remain.
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

/// Removes what only controllers would have made.
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
