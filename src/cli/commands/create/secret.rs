//! `ctl create secret`.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::{Args, Subcommand};

use super::common::{NewArgs, name, require};
use super::sources::{self, Pair, SourceArgs, with_hash};
use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::pki::check_pair;
use crate::print::json::one_line;

/// Create a Secret
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

/// Create a Secret from files and literals
///
/// Example: ctl create secret generic creds --from-literal=user=ann --from-file=key=./id_ed25519
#[derive(Args, Debug)]
struct GenericArgs {
    #[command(flatten)]
    common: CommonArgs,
    #[command(flatten)]
    sources: SourceArgs,
    /// Type of the Secret
    #[arg(long = "type", value_name = "TYPE")]
    secret_type: Option<String>,
}

/// Create a Secret for an image registry
///
/// Example: ctl create secret docker-registry images --docker-username=ann --docker-password=secret
#[derive(Args, Debug)]
struct RegistryArgs {
    #[command(flatten)]
    common: CommonArgs,
    /// User name
    #[arg(long, value_name = "NAME")]
    docker_username: Option<String>,
    /// Password
    #[arg(long, value_name = "WORD")]
    docker_password: Option<String>,
    /// Email address
    #[arg(long, value_name = "ADDRESS")]
    docker_email: Option<String>,
    /// Address of the registry
    #[arg(
        long,
        value_name = "URL",
        default_value = "https://index.docker.io/v1/"
    )]
    docker_server: String,
    /// File or KEY=FILE with the whole configuration
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    from_file: Vec<String>,
}

/// Create a Secret with a certificate and its key
///
/// Example: ctl create secret tls front --cert=front.crt --key=front.key
#[derive(Args, Debug)]
struct TlsArgs {
    #[command(flatten)]
    common: CommonArgs,
    /// File with the certificate
    #[arg(long, value_name = "FILE")]
    cert: Option<String>,
    /// File with the private key
    #[arg(long, value_name = "FILE")]
    key: Option<String>,
}

pub(super) fn run(args: &SecretArgs, context: &Context) -> Outcome {
    let (common, secret_type, pairs) = match &args.command {
        SecretCommand::Generic(args) => {
            let name = name(&args.common.words, context)?;
            args.common.new.check()?;
            require(name)?;
            args.sources.check()?;
            // Unlike for a ConfigMap, kubectl reads the literals and checks their keys first.
            secret(name, "", &args.sources.literals("Secret")?)?;
            let secret_type = args.secret_type.as_deref().unwrap_or_default();
            (&args.common, secret_type, args.sources.read("Secret")?)
        }
        SecretCommand::DockerRegistry(args) => {
            let name = name(&args.common.words, context)?;
            args.common.new.check()?;
            require(name)?;
            (
                &args.common,
                "kubernetes.io/dockerconfigjson",
                registry(args)?,
            )
        }
        SecretCommand::Tls(args) => {
            name(&args.common.words, context)?;
            args.common.new.check()?;
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
        if object["data"].get(key).is_some() {
            return Err(CliError::text(format!(
                "cannot add key {key}, another key by that name already exists"
            )));
        }
        object["data"][key] = json!(STANDARD.encode(bytes));
    }
    Ok(object)
}

/// The key of the data in a Secret for a registry.
const KEY: &str = ".dockerconfigjson";

fn registry(args: &RegistryArgs) -> Result<Vec<Pair>, CliError> {
    if !args.from_file.is_empty() {
        // A whole configuration replaces the other flags, which are then not even checked.
        let keyed = |source: &String| match source.contains('=') {
            true => source.clone(),
            false => format!("{KEY}={source}"),
        };
        let keyed: Vec<String> = args.from_file.iter().map(keyed).collect();
        return sources::files(&keyed, "Secret");
    }
    let given = |text: &Option<String>| text.clone().filter(|t| !t.is_empty());
    let (user, word) = (given(&args.docker_username), given(&args.docker_password));
    let (Some(user), Some(word), false) = (user, word, args.docker_server.is_empty()) else {
        return Err(CliError::text(
            "either --from-file or the combination of --docker-username, --docker-password and \
             --docker-server is required",
        ));
    };
    // Container runtimes read `auth`; the user and password are for people and older tools.
    let auth = STANDARD.encode(format!("{user}:{word}"));
    let mut fields = vec![("username", user), ("password", word)];
    fields.extend(given(&args.docker_email).map(|e| ("email", e)));
    fields.push(("auth", auth));
    // The order is that of kubectl's struct, because two Secrets are compared by the base64 of the whole text.
    let field = |(name, value): &(&str, String)| format!("\"{name}\":{}", one_line(&json!(value)));
    let fields: Vec<String> = fields.iter().map(field).collect();
    let (server, fields) = (one_line(&json!(args.docker_server)), fields.join(","));
    let text = format!("{{\"auths\":{{{server}:{{{fields}}}}}}}");
    Ok(vec![(KEY.to_owned(), text.into_bytes())])
}

fn tls(args: &TlsArgs) -> Result<Vec<Pair>, CliError> {
    let given = |text: &Option<String>| text.clone().filter(|t| !t.is_empty());
    let (Some(cert), Some(key)) = (given(&args.cert), given(&args.key)) else {
        return Err(CliError::text("key and cert must be specified"));
    };
    let cert = tls_file(&cert)?;
    let key = tls_file(&key)?;
    let (cert_text, key_text) = (
        String::from_utf8_lossy(&cert),
        String::from_utf8_lossy(&key),
    );
    check_pair(&cert_text, &key_text).map_err(|e| CliError::text(e.to_string()))?;
    Ok(vec![
        ("tls.crt".to_owned(), cert),
        ("tls.key".to_owned(), key),
    ])
}

fn tls_file(path: &str) -> Result<Vec<u8>, CliError> {
    let text = |e| CliError::text(format!("Cannot read file {path}, {e}"));
    sources::content(Path::new(path)).map_err(text)
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use crate::api::json::json;
    use crate::cli::testing::Shell;

    #[test]
    fn generic_secret_encodes_values_in_base64() {
        let shell = Shell::new();
        shell.write("key", b"\xff\x00");
        let line = "create secret generic creds --from-literal=user=ann --from-file=@/key";
        let made = shell.made(line);
        assert_eq!(made["data"], json!({"key": "/wA=", "user": "YW5u"}));
        assert!(made["type"].is_null());
        assert_eq!(shell.out(line), "secret/creds created\n");
        assert_eq!(shell.json("get secret creds")["type"], "Opaque");
        let made = shell.made("create secret generic creds --type=a/b --append-hash");
        assert_eq!(made["type"], "a/b");
        let name = made["metadata"]["name"].as_str().unwrap();
        assert_ne!(name, "creds-949tdgdkgg");
        assert_eq!(name.len(), "creds-".len() + 10);
        shell.refuses(&[
            (
                line,
                "failed to create secret secrets \"creds\" already exists",
            ),
            (
                "create secret generic '' --from-literal=a",
                "name must be specified",
            ),
            (
                "create secret generic s --from-literal=a --from-env-file=none",
                "from-env-file cannot be combined with from-file or from-literal",
            ),
            (
                "create secret generic s --from-literal=a=1 --from-literal=a=2 --from-file=@/none",
                "cannot add key a, another key by that name already exists",
            ),
        ]);
    }

    #[test]
    fn docker_registry_secret_matches_docker_config_json() {
        let shell = Shell::empty();
        let made = shell.made(
            "create secret docker-registry r --docker-username=ann --docker-password='<a&b>' \
             --docker-email=ann@example.com",
        );
        assert_eq!(made["type"], "kubernetes.io/dockerconfigjson");
        let data = made["data"][".dockerconfigjson"].as_str().unwrap();
        let text = String::from_utf8(STANDARD.decode(data).unwrap()).unwrap();
        assert_eq!(
            text,
            "{\"auths\":{\"https://index.docker.io/v1/\":{\"username\":\"ann\",\"password\":\
             \"\\u003ca\\u0026b\\u003e\",\"email\":\"ann@example.com\",\"auth\":\"YW5uOjxhJmI+\"}}}"
        );
        shell.write("config.json", "{}");
        let made = shell
            .made("create secret docker-registry r --from-file=.dockerconfigjson=@/config.json");
        assert_eq!(made["data"], json!({".dockerconfigjson": "e30="}));
        let either = "either --from-file or the combination of --docker-username, --docker-password \
                      and --docker-server is required";
        shell.refuses(&[
            ("create secret docker-registry r --docker-username=ann", either),
            (
                "create secret docker-registry r --docker-username=a --docker-password=b --docker-server=",
                either,
            ),
        ]);
    }

    fn fixture(name: &str) -> String {
        let path = format!("{}/testdata/tls/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn tls_secret_requires_a_matching_certificate_and_key() {
        let shell = Shell::empty();
        let pem = |what: &str| format!("-----BEGIN {what}-----\nMAA=\n-----END {what}-----\n");
        let (crt, key) = (fixture("rsa.crt"), fixture("rsa.key"));
        shell.write("crt", &crt);
        shell.write("key", &key);
        shell.write("other", fixture("ec.key"));
        shell.write("bad", pem("CERTIFICATE"));
        shell.write("csr", pem("CERTIFICATE REQUEST"));
        shell.write("none", "");
        let made = shell.made("create secret tls front --cert=@/crt --key=@/key");
        assert_eq!(made["type"], "kubernetes.io/tls");
        assert_eq!(made["data"]["tls.crt"], STANDARD.encode(crt));
        assert_eq!(made["data"]["tls.key"], STANDARD.encode(key));
        shell.refuses(&[
            ("create secret tls front --cert=@/crt", "key and cert must be specified"),
            (
                "create secret tls front --dry-run=",
                "Invalid dry-run value (). Must be \"none\", \"server\", or \"client\".",
            ),
            (
                "create secret docker-registry a --validate=odd",
                "invalid - validate option \"odd\"; must be one of: strict (or true), warn, ignore (or false)",
            ),
            (
                "create secret tls front --cert=@/gone --key=@/key",
                "Cannot read file @/gone, open @/gone: no such file or directory",
            ),
            (
                "create secret tls front --cert=@/crt --key=@/other",
                "tls: private key type does not match public key type",
            ),
            (
                "create secret tls front --cert=@/bad --key=@/key",
                "x509: malformed certificate",
            ),
            (
                "create secret tls front --cert=@/none --key=@/key",
                "tls: failed to find any PEM data in certificate input",
            ),
            (
                "create secret tls front --cert=@/key --key=@/crt",
                "tls: failed to find certificate PEM data in certificate input, but did find a \
                 private key; PEM inputs may have been switched",
            ),
            (
                "create secret tls front --cert=@/csr --key=@/key",
                "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping \
                 PEM blocks of the following types: [CERTIFICATE REQUEST]",
            ),
            (
                "create secret tls front --cert=@/crt --key=@/crt",
                "tls: found a certificate rather than a key in the PEM for the private key",
            ),
            (
                "create secret tls front --cert=@/crt --key=@/csr",
                "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after \
                 skipping PEM blocks of the following types: [CERTIFICATE REQUEST]",
            ),
        ]);
    }
}
