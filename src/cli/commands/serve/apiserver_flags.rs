//! The flags of `kube-apiserver` that `ctl serve` accepts when it takes its place.

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use clap::Args;

use super::token_file;
use crate::api::addresses::parse_cidr;
use crate::api::json::{Value, json};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::output::{write_file, write_private_file};
use crate::cluster::{
    Cluster, DeleteOptions, Expect, Key, Place, Range, RawOp, StoreError, WriteOptions,
};
use crate::kinds;
use crate::kinds::admission::User;
use crate::kinds::tree::{ensure, field, set, text};
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
    /// Issuer of the tokens of service accounts, and their audience
    #[arg(long, value_name = "URL", hide = true)]
    service_account_issuer: Option<String>,
    /// RSA key that signs the tokens of service accounts, in PEM
    #[arg(long, value_name = "FILE", hide = true)]
    service_account_signing_key_file: Option<PathBuf>,
    /// Range of the addresses of Services
    #[arg(long, value_name = "CIDR", hide = true)]
    service_cluster_ip_range: Option<String>,
    /// Allow every request, also of anonymous users
    #[arg(long, hide = true)]
    always_allow: bool,
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
        if let Some(issuer) = &self.service_account_issuer {
            cluster.rights().keys().set_issuer(issuer);
        }
        if let Some(path) = &self.service_account_signing_key_file {
            let named =
                |why: &dyn fmt::Display| CliError::text(format!("{}: {why}", path.display()));
            let text = String::from_utf8(read(path)?).map_err(|e| named(&e))?;
            let kept = cluster.rights().keys().set_token_key(&text);
            kept.map_err(|e| named(&e))?;
        }
        if let Some(range) = &self.service_cluster_ip_range {
            move_services(&cluster, range)?;
        }
        if self.always_allow {
            allow_everyone(&cluster)?;
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

/// Gives the Service `kubernetes` the first address of another range, and later Services the others.
fn move_services(cluster: &Cluster, range: &str) -> Result<(), CliError> {
    // A second range, of the other family, has no effect: Services have one address.
    let range = range.split(',').next().unwrap_or_default();
    let Some((IpAddr::V4(network), 1..=30)) = parse_cidr(range) else {
        let text = format!("--service-cluster-ip-range: {range} is not a range of IPv4 addresses");
        return Err(CliError::text(text));
    };
    let address = Ipv4Addr::from_bits(network.to_bits() + 1).to_string();
    Ok(move_objects(cluster, range, &address)?)
}

fn move_objects(cluster: &Cluster, range: &str, address: &str) -> Result<(), StoreError> {
    const RECORDS: &str = "ipaddresses.networking.k8s.io";
    let stored = cluster.stored();
    let service = Key::new("services", Some("default"), "kubernetes")?;
    let addresses = json!({"spec": {"clusterIP": address, "clusterIPs": [address]}});
    stored.merge(&service, &addresses)?;
    let own = Key::new("servicecidrs.networking.k8s.io", None, "kubernetes")?;
    stored.merge(&own, &json!({"spec": {"cidrs": [range]}}))?;
    let mut ops = Vec::new();
    // The only address in use. The name of its record is the address itself.
    for record in stored.list(&Range::resource(RECORDS, None), None)?.items {
        let odd = |e| StoreError::Refused(format!("{}: {e}", record.key));
        let mut object: Value = serde_json::from_slice(&record.json).map_err(odd)?;
        set(ensure(&mut object, "metadata"), "name", address);
        let change = |key, object, expect| RawOp {
            key,
            object,
            expect,
        };
        ops.push(change(record.key, None, Expect::Present));
        let moved = Key::new(RECORDS, None, address)?;
        ops.push(change(moved, Some(object), Expect::Absent));
    }
    stored.commit(&ops, None, "range")?;
    Ok(())
}

/// Binds everyone to the role of the administrators: RBAC then refuses nothing.
fn allow_everyone(cluster: &Cluster) -> Result<(), CliError> {
    const GROUP: &str = "rbac.authorization.k8s.io";
    let Some(kind) = kinds::find(GROUP, "v1", "ClusterRoleBinding") else {
        return Ok(());
    };
    let group = |name: &str| json!({"apiGroup": GROUP, "kind": "Group", "name": name});
    let binding = json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": "ClusterRoleBinding",
        "metadata": {"name": "AlwaysAllow"},
        "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [group("system:authenticated"), group("system:unauthenticated")],
    });
    cluster.create(&Place::new(kind, ""), &binding, &WriteOptions::default())?;
    Ok(())
}
