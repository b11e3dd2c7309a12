//! `ctl create secret`.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::{Args, Subcommand};

use super::new::{NewArgs, name};
use super::sources::{self, Pair, SourceArgs, check_key, with_hash};
use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;

/// Create a secret
///
/// Example: ctl create secret generic creds --from-literal=user=ann
#[derive(Args, Debug)]
pub(super) struct SecretArgs {
    #[command(subcommand)]
    command: SecretCommand,
}

#[derive(Debug, Subcommand)]
enum SecretCommand {
    DockerRegistry(RegistryArgs),
    Generic(GenericArgs),
    Tls(TlsArgs),
}

#[derive(Args, Debug)]
struct CommonArgs {
    /// NAME
    words: Vec<String>,
    /// Append a hash of the content to the name
    #[arg(long)]
    append_hash: bool,
    #[command(flatten)]
    new: NewArgs,
}

/// Create a secret from files and literals
///
/// Example: ctl create secret generic creds --from-literal=user=ann --from-file=key=./id_ed25519
#[derive(Args, Debug)]
struct GenericArgs {
    #[command(flatten)]
    common: CommonArgs,
    #[command(flatten)]
    sources: SourceArgs,
    /// The type of the secret
    #[arg(long = "type", value_name = "TYPE")]
    secret_type: Option<String>,
}

/// Create a secret that opens a registry of images
///
/// Example: ctl create secret docker-registry images --docker-username=ann --docker-password=secret
#[derive(Args, Debug)]
struct RegistryArgs {
    #[command(flatten)]
    common: CommonArgs,
    /// The user's name
    #[arg(long, value_name = "NAME")]
    docker_username: Option<String>,
    /// The user's password
    #[arg(long, value_name = "WORD")]
    docker_password: Option<String>,
    /// The user's address
    #[arg(long, value_name = "ADDRESS")]
    docker_email: Option<String>,
    /// The registry
    #[arg(
        long,
        value_name = "URL",
        default_value = "https://index.docker.io/v1/"
    )]
    docker_server: String,
    /// A file, or KEY=FILE, with all of it
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    from_file: Vec<String>,
}

/// Create a secret with a certificate and its key
///
/// Example: ctl create secret tls front --cert=front.crt --key=front.key
#[derive(Args, Debug)]
struct TlsArgs {
    #[command(flatten)]
    common: CommonArgs,
    /// The file with the certificate
    #[arg(long, value_name = "FILE")]
    cert: Option<String>,
    /// The file with the key
    #[arg(long, value_name = "FILE")]
    key: Option<String>,
}

pub(super) fn run(args: &SecretArgs, context: &Context) -> Outcome {
    let (common, secret_type, pairs) = match &args.command {
        SecretCommand::Generic(args) => {
            name(&args.common.words, context)?;
            let secret_type = args.secret_type.as_deref().unwrap_or_default();
            (&args.common, secret_type, args.sources.read()?)
        }
        SecretCommand::DockerRegistry(args) => {
            name(&args.common.words, context)?;
            (
                &args.common,
                "kubernetes.io/dockerconfigjson",
                registry(args)?,
            )
        }
        SecretCommand::Tls(args) => {
            name(&args.common.words, context)?;
            (&args.common, "kubernetes.io/tls", tls(args)?)
        }
    };
    let mut object = secret(name(&common.words, context)?, secret_type, &pairs)?;
    if common.append_hash {
        object = with_hash(object);
    }
    common
        .new
        .create(object, "failed to create secret ", context)
}

fn secret(name: &str, secret_type: &str, pairs: &[Pair]) -> Result<Value, CliError> {
    let mut object = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}});
    if !secret_type.is_empty() {
        object["type"] = json!(secret_type);
    }
    for (key, bytes) in pairs {
        check_key(key, "Secret")?;
        if object["data"].get(key).is_some() {
            return Err(CliError::text(format!(
                "cannot add key {key}, another key by that name already exists"
            )));
        }
        object["data"][key] = json!(STANDARD.encode(bytes));
    }
    Ok(object)
}

fn registry(args: &RegistryArgs) -> Result<Vec<Pair>, CliError> {
    if !args.from_file.is_empty() {
        return sources::files(&args.from_file);
    }
    let given = |text: &Option<String>| text.clone().filter(|t| !t.is_empty());
    let (user, word) = (given(&args.docker_username), given(&args.docker_password));
    let (Some(user), Some(word), false) = (user, word, args.docker_server.is_empty()) else {
        return Err(CliError::text(
            "either --from-file or the combination of --docker-username, --docker-password and \
             --docker-server is required",
        ));
    };
    let auth = STANDARD.encode(format!("{user}:{word}"));
    let mut fields = vec![("username", user), ("password", word)];
    fields.extend(given(&args.docker_email).map(|e| ("email", e)));
    fields.push(("auth", auth));
    // The order of the fields is what a reader of the base64 would compare.
    let field = |(name, value): &(&str, String)| format!("\"{name}\":{}", json!(value));
    let fields: Vec<String> = fields.iter().map(field).collect();
    let (server, fields) = (json!(args.docker_server), fields.join(","));
    let text = format!("{{\"auths\":{{{server}:{{{fields}}}}}}}");
    Ok(vec![(".dockerconfigjson".to_owned(), text.into_bytes())])
}

fn tls(args: &TlsArgs) -> Result<Vec<Pair>, CliError> {
    let given = |text: &Option<String>| text.clone().filter(|t| !t.is_empty());
    let (Some(cert), Some(key)) = (given(&args.cert), given(&args.key)) else {
        return Err(CliError::text("key and cert must be specified"));
    };
    let cert = sources::content(Path::new(&cert))?;
    let key = sources::content(Path::new(&key))?;
    check_pem(&cert, "certificate", "CERTIFICATE-----")?;
    check_pem(&key, "key", "PRIVATE KEY-----")?;
    Ok(vec![
        ("tls.crt".to_owned(), cert),
        ("tls.key".to_owned(), key),
    ])
}

/// Refuses what holds no block of the kind that is needed.
fn check_pem(bytes: &[u8], what: &str, block: &str) -> Result<(), CliError> {
    let text = String::from_utf8_lossy(bytes);
    let mut blocks = text
        .lines()
        .filter(|l| l.starts_with("-----BEGIN "))
        .peekable();
    if blocks.peek().is_none() {
        let text = format!("tls: failed to find any PEM data in {what} input");
        return Err(CliError::text(text));
    }
    if blocks.any(|line| line.trim_end().ends_with(block)) {
        return Ok(());
    }
    Err(CliError::text(format!(
        "tls: failed to find a PEM block of the right type in {what} input"
    )))
}
