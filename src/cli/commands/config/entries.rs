//! `ctl config set-cluster`, `set-context` and `set-credentials`.

use std::path::Path;

use base64::Engine as _;
use clap::Args;

use super::file::{File, List};
use super::{Access, ReplacePolicy, keep};
use crate::api::json::{Map, Value, json};
use crate::cli::context::Context;
use crate::cli::error::{CliError, system_words};
use crate::cli::options::StructuredOutputArgs;
use crate::cli::resource::clean;
use crate::sys::bounded;

/// Create or change a cluster in the configuration
///
/// Example: ctl config set-cluster dev --server=file:///srv/dev
#[derive(Args, Debug)]
pub(crate) struct SetClusterArgs {
    words: Vec<String>,
    /// Address of the cluster
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// Embed the certificate in the configuration file
    #[arg(long)]
    embed_certs: bool,
    /// URL of the proxy
    #[arg(long, value_name = "URL")]
    proxy_url: Option<String>,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

/// Create or change a context in the configuration
///
/// Example: ctl config set-context --current --namespace=blue
#[derive(Args, Debug)]
pub(crate) struct SetContextArgs {
    words: Vec<String>,
    /// Modify the current context
    #[arg(long)]
    current: bool,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

/// Create or change a user in the configuration
///
/// Example: ctl config set-credentials ann --token=secret
#[derive(Args, Debug)]
pub(crate) struct SetCredentialsArgs {
    words: Vec<String>,
    /// Embed the certificate and key in the configuration file
    #[arg(long)]
    embed_certs: bool,
    /// Name of the authentication provider
    #[arg(long, value_name = "NAME")]
    auth_provider: Option<String>,
    /// Argument of the authentication provider, as KEY=VALUE; KEY- removes it
    #[arg(long, value_name = "KEY=VALUE", value_delimiter = ',')]
    auth_provider_arg: Vec<String>,
    /// API version of the credential program's output
    #[arg(long, value_name = "VERSION")]
    exec_api_version: Option<String>,
    /// Program that prints credentials
    #[arg(long, value_name = "PROGRAM")]
    exec_command: Option<String>,
    /// Argument of the credential program
    #[arg(
        long,
        value_name = "ARG",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    exec_arg: Vec<String>,
    /// Environment variable of the credential program, as KEY=VALUE; KEY- removes it
    #[arg(long, value_name = "KEY=VALUE")]
    exec_env: Vec<String>,
    /// Use of standard input by the credential program: Never, IfAvailable or Always
    #[arg(long, value_name = "MODE")]
    exec_interactive_mode: Option<String>,
    /// Pass cluster information to the credential program
    #[arg(long)]
    exec_provide_cluster_info: bool,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

type Entry = Map;

/// The name of the first context, and of its cluster and user.
const FIRST: &str = "default";

/// Sets a field, or removes it if the text is empty.
fn put(entry: &mut Entry, field: &str, value: Option<&str>) {
    match value {
        Some("") => drop(entry.remove(field)),
        Some(value) => drop(entry.insert(field.to_owned(), json!(value))),
        None => {}
    }
}

/// Sets the path of a file, relative to the folder of the configuration, or embeds the content of the file.
fn put_file(
    entry: &mut Entry,
    field: &str,
    path: Option<&str>,
    embed: bool,
    folder: &Path,
) -> Result<(), CliError> {
    let Some(path) = path else { return Ok(()) };
    let data = format!("{field}-data");
    if embed && !path.is_empty() {
        // kubectl checks that the file exists before it writes anything, so a wrong path leaves the configuration
        // unchanged.
        let bytes = bounded::read(path, bounded::SETTINGS).map_err(|e| {
            let why = system_words(&e);
            CliError::text(format!(
                "could not stat {field} file {path}: stat {path}: {why}"
            ))
        })?;
        let text = base64::engine::general_purpose::STANDARD.encode(bytes);
        // client-go prefers embedded data, so a path next to it would be misleading.
        entry.remove(field);
        entry.insert(data, json!(text));
        return Ok(());
    }
    if embed {
        entry.remove(field);
        entry.remove(&data);
        return Ok(());
    }
    // As in kubectl, an empty path becomes the working directory.
    let path = clean(&std::env::current_dir()?.join(path));
    // client-go writes paths below the configuration's folder as relative ones, so that the folder can be moved.
    let near = match path.strip_prefix(folder) {
        Ok(near) if near.as_os_str().is_empty() => Path::new("."),
        Ok(near) => near,
        Err(_) => &path,
    };
    put(entry, field, Some(&near.display().to_string()));
    // client-go prefers embedded data, so stale data would hide the new file.
    entry.remove(&data);
    Ok(())
}

fn one_name<'a>(words: &'a [String], text: &str, context: &Context) -> Result<&'a str, CliError> {
    match words {
        [name] => Ok(name),
        words => Err(context.unexpected_after_help(text, words)?),
    }
}

pub(super) fn set_cluster(args: &SetClusterArgs, context: &Context) -> Result<(), CliError> {
    let name = one_name(&args.words, "Unexpected args", context)?;
    if name.is_empty() {
        return Err(CliError::text("you must specify a non-empty cluster name"));
    }
    let remote = &context.global.remote;
    let authority = remote.certificate_authority.as_deref();
    // A certificate authority is never used while verification is disabled.
    if remote.insecure_skip_tls_verify && authority.is_some_and(|a| !a.is_empty()) {
        let text = "you cannot specify a certificate authority and insecure mode at the same time";
        return Err(CliError::text(text));
    }
    if args.embed_certs && authority.is_none_or(str::is_empty) {
        return Err(CliError::text(
            "you must specify a --certificate-authority to embed",
        ));
    }
    let mut file = File::load(context)?;
    let folder = file.folder()?;
    if let Some(entry) = file.entry(List::Clusters, name) {
        // The TLS server name belonged to the old address.
        if args.server.is_some() {
            entry.remove("tls-server-name");
        }
        put(entry, "server", args.server.as_deref());
        put(entry, "tls-server-name", remote.tls_server_name.as_deref());
        put(entry, "proxy-url", args.proxy_url.as_deref());
        // As in kubectl, every change that does not disable verification enables it again.
        entry.remove("insecure-skip-tls-verify");
        if remote.insecure_skip_tls_verify {
            entry.insert("insecure-skip-tls-verify".to_owned(), json!(true));
            entry.remove("certificate-authority");
            entry.remove("certificate-authority-data");
        }
        let embed = args.embed_certs;
        put_file(entry, "certificate-authority", authority, embed, &folder)?;
        // As in kubectl, even an empty authority enables verification, because it becomes the working directory.
        if authority.is_some() {
            entry.remove("insecure-skip-tls-verify");
        }
    }
    let sentence = format!("Cluster {name:?} set.");
    keep(file, &args.answer, context, sentence)
}

pub(super) fn set_context(args: &SetContextArgs, context: &Context) -> Result<(), CliError> {
    if args.words.len() > 1 {
        return Err(context.unexpected_after_help("Unexpected args", &args.words)?);
    }
    let name = args.words.first().map_or("", String::as_str);
    if args.current && !name.is_empty() {
        return Err(CliError::text(
            "you cannot specify both a context name and --current",
        ));
    }
    if !args.current && name.is_empty() {
        return Err(CliError::text(
            "you must specify a non-empty context name or --current",
        ));
    }
    let mut file = File::load(context)?;
    let explicit = context.global.kubeconfig.as_deref();
    let names_none = explicit.is_some_and(|path| !path.is_empty()) && !file.exists();
    let name = match args.current {
        true if file.is_empty() && !names_none => first_context(&mut file, context)?,
        true => file.current().to_owned(),
        false => name.to_owned(),
    };
    if name.is_empty() {
        return Err(CliError::text("no current context is set"));
    }
    let there = file.get(List::Contexts, &name).is_some();
    let global = &context.global;
    if let Some(entry) = file.entry(List::Contexts, &name) {
        put(entry, "cluster", global.cluster.as_deref());
        put(entry, "user", global.user.as_deref());
        put(entry, "namespace", global.namespace.as_deref());
        // kubectl writes these two fields even if they are empty.
        for field in ["cluster", "user"] {
            entry.entry(field).or_insert_with(|| json!(""));
        }
    }
    let done = if there { "modified" } else { "created" };
    let sentence = format!("Context {name:?} {done}.");
    keep(file, &args.answer, context, sentence)
}

/// Makes the first context of an empty configuration, for the cluster of `CTL_STATE` or the default cluster.
/// `set-context --current --namespace` then sets the namespace of commands that worked without a configuration.
fn first_context(file: &mut File, context: &Context) -> Result<String, CliError> {
    let directory = std::path::absolute(context.directory()?)?;
    let server = format!("file://{}", directory.display());
    let access = Access {
        user_name: None,
        cluster_name: FIRST,
        cluster: Map::from_iter([("server".to_owned(), json!(server))]),
        user: Map::new(),
        replaces: ReplacePolicy::All,
    };
    access.put_into(file);
    Ok(FIRST.to_owned())
}

pub(super) fn set_credentials(
    args: &SetCredentialsArgs,
    context: &Context,
) -> Result<(), CliError> {
    let name = one_name(&args.words, "unexpected args", context)?;
    for (flag, pairs) in [
        ("auth-provider-arg", &args.auth_provider_arg),
        ("exec-env", &args.exec_env),
    ] {
        check_pairs(flag, pairs, context)?;
    }
    if name.is_empty() {
        return Err(CliError::text("you must specify a non-empty user name"));
    }
    let remote = &context.global.remote;
    let some = |v: &Option<String>| v.as_deref().is_some_and(|v| !v.is_empty());
    let basic = some(&remote.username) || some(&remote.password);
    // An entry with two authentication methods is ambiguous, and client-go rejects it later.
    if some(&context.global.token) && basic {
        return Err(CliError::text(
            "you cannot specify more than one authentication method at the same time: --token, \
             --username/--password",
        ));
    }
    if args.embed_certs && !some(&remote.client_certificate) && !some(&remote.client_key) {
        let text = "you must specify a --client-certificate or --client-key to embed";
        return Err(CliError::text(text));
    }
    let mut file = File::load(context)?;
    let folder = file.folder()?;
    if let Some(entry) = file.entry(List::Users, name) {
        let certificate = remote.client_certificate.as_deref();
        let key = remote.client_key.as_deref();
        let embed = args.embed_certs;
        put_file(entry, "client-certificate", certificate, embed, &folder)?;
        put_file(entry, "client-key", key, embed, &folder)?;
        // A new method replaces the other one, so that the entry never has two.
        if some(&context.global.token) {
            entry.remove("username");
            entry.remove("password");
        }
        if basic {
            entry.remove("token");
            entry.remove("tokenFile");
        }
        put(entry, "token", context.global.token.as_deref());
        put(entry, "username", remote.username.as_deref());
        put(entry, "password", remote.password.as_deref());
        // kubectl checks the mode last.
        let is_mode = |mode: &str| ["IfAvailable", "Never", "Always"].contains(&mode);
        if !args.exec_interactive_mode.as_deref().is_none_or(is_mode) {
            let text = "invalid interactive mode type, can be only IfAvailable, Never, Always";
            return Err(CliError::text(text));
        }
        provider(entry, args);
        program(entry, args);
    }
    let sentence = format!("User {name:?} set.");
    keep(file, &args.answer, context, sentence)
}

/// Checks that each text is `KEY=VALUE` or `KEY-`.
fn check_pairs(flag: &str, pairs: &[String], context: &Context) -> Result<(), CliError> {
    let is_pair = |text: &str| match text.find('=') {
        Some(at) => at > 0,
        None => text.len() > 1 && text.ends_with('-'),
    };
    let wrong = pairs.iter().filter(|text| !is_pair(text)).cloned();
    let wrong = wrong.collect::<Vec<_>>().join(", ");
    if wrong.is_empty() {
        return Ok(());
    }
    // For this command, kubectl prints the help before an error in the arguments.
    context.show_help()?;
    let text = format!("invalid {flag} format: {wrong}");
    Err(CliError::text(text))
}

fn provider(entry: &mut Entry, args: &SetCredentialsArgs) {
    let name = args.auth_provider.as_deref();
    let own = entry.get("auth-provider").map(|own| own["name"].clone());
    if own.is_some_and(|own| name.is_some_and(|name| own != name)) {
        // The configuration of one provider is meaningless to another.
        entry.remove("auth-provider");
    }
    put_inner(entry, "auth-provider", "name", name);
    // As in kubectl, arguments without a provider are ignored.
    let Some(provider) = entry.get_mut("auth-provider") else {
        return;
    };
    if !provider["config"].is_object() {
        provider["config"] = json!({});
    }
    for pair in &args.auth_provider_arg {
        if let Some((key, value)) = pair.split_once('=') {
            provider["config"][key] = json!(value);
        } else if let Some(config) = provider["config"].as_object_mut() {
            config.remove(pair.trim_end_matches('-'));
        }
    }
}

fn program(entry: &mut Entry, args: &SetCredentialsArgs) {
    let command = args.exec_command.as_deref();
    if let (Some(_), Some(exec)) = (
        command,
        entry.get_mut("exec").and_then(Value::as_object_mut),
    ) {
        // The arguments belonged to the previous command.
        exec.remove("args");
    }
    put_inner(entry, "exec", "command", command);
    // kubectl silently ignores the other --exec flags if no command was ever set.
    if !entry.contains_key("exec") {
        return;
    }
    put_inner(
        entry,
        "exec",
        "apiVersion",
        args.exec_api_version.as_deref(),
    );
    put_inner(
        entry,
        "exec",
        "interactiveMode",
        args.exec_interactive_mode.as_deref(),
    );
    let Some(exec) = entry.get_mut("exec") else {
        return;
    };
    if !args.exec_arg.is_empty() {
        exec["args"] = json!(args.exec_arg);
    }
    environment(exec, &args.exec_env);
    if args.exec_provide_cluster_info {
        exec["provideClusterInfo"] = json!(true);
    }
}

/// Changes variables in place and appends new ones.
fn environment(exec: &mut Value, pairs: &[String]) {
    if pairs.is_empty() {
        return;
    }
    let mut env = exec["env"].as_array().cloned().unwrap_or_default();
    // Removals come first, as in kubectl, so both `A- A=1` and `A=1 A-` leave the variable set.
    for removed in pairs.iter().filter(|pair| !pair.contains('=')) {
        env.retain(|own| own["name"] != removed.trim_end_matches('-'));
    }
    for (name, value) in pairs.iter().filter_map(|pair| pair.split_once('=')) {
        let wanted = json!({"name": name, "value": value});
        match env.iter_mut().find(|own| own["name"] == name) {
            Some(own) => *own = wanted,
            None => env.push(wanted),
        }
    }
    exec["env"] = json!(env);
}

fn put_inner(entry: &mut Entry, part: &str, field: &str, value: Option<&str>) {
    let Some(value) = value else { return };
    let inner = entry.entry(part).or_insert_with(|| json!({}));
    if let Some(inner) = inner.as_object_mut() {
        inner.insert(field.to_owned(), json!(value));
    }
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    fn entry(shell: &Shell, path: &str) -> crate::api::json::Value {
        shell
            .json("config view --raw")
            .pointer(path)
            .unwrap()
            .clone()
    }

    #[test]
    fn set_cluster_replaces_authority_with_insecure_and_vice_versa() {
        let shell = Shell::empty();
        shell.write("ca.crt", "authority");
        let out = shell
            .out("config set-cluster dev --server=https://a/ --certificate-authority=@/ca.crt");
        assert_eq!(out, "Cluster \"dev\" set.\n");
        assert_eq!(
            entry(&shell, "/clusters/0/cluster"),
            json!({"server": "https://a/", "certificate-authority": "ca.crt"})
        );
        let _ = shell.out("config set-cluster dev --insecure-skip-tls-verify");
        assert_eq!(
            entry(&shell, "/clusters/0/cluster"),
            json!({"server": "https://a/", "insecure-skip-tls-verify": true})
        );
        let _ = shell.out("config set-cluster dev --proxy-url=http://p");
        assert_eq!(
            entry(&shell, "/clusters/0/cluster"),
            json!({"server": "https://a/", "proxy-url": "http://p"})
        );
        let _ = shell.out("config set-cluster dev --insecure-skip-tls-verify --proxy-url=");
        let _ = shell.out("config set-cluster dev --certificate-authority=@/ca.crt --embed-certs --tls-server-name=b");
        assert_eq!(
            entry(&shell, "/clusters/0/cluster"),
            json!({"server": "https://a/", "certificate-authority-data": "YXV0aG9yaXR5", "tls-server-name": "b"})
        );
        let _ =
            shell.out("config set-cluster dev --insecure-skip-tls-verify --certificate-authority=");
        let now = entry(&shell, "/clusters/0/cluster");
        assert!(now["certificate-authority"].is_string(), "{now}");
        assert!(now.get("insecure-skip-tls-verify").is_none(), "{now}");
        let told = shell.fails("config set-cluster dev -s https://b");
        assert!(
            told.starts_with("error: unknown shorthand flag: 's' in -s"),
            "{told}"
        );
    }

    #[test]
    fn the_current_context_of_no_configuration_is_that_of_the_cluster() {
        let shell = Shell::empty();
        assert_eq!(
            shell.out("config set-context --current --namespace=blue"),
            "Context \"default\" modified.\n"
        );
        assert_eq!(shell.out("config current-context"), "default\n");
        let server = entry(&shell, "/clusters/0/cluster/server");
        assert_eq!(server, json!("file://@/state"));
        assert_eq!(
            entry(&shell, "/contexts/0/context"),
            json!({"cluster": "default", "namespace": "blue", "user": "default"})
        );
    }

    #[test]
    fn set_context_creates_or_modifies_a_context() {
        let shell = Shell::empty();
        assert_eq!(
            shell.out("config set-context dev --user=ann"),
            "Context \"dev\" created.\n"
        );
        assert_eq!(
            shell.out("config set-context dev --namespace=n"),
            "Context \"dev\" modified.\n"
        );
        let whole = json!({"cluster": "", "namespace": "n", "user": "ann"});
        assert_eq!(entry(&shell, "/contexts/0/context"), whole);
        shell.refuses(&[
            ("config set-context --current", "no current context is set"),
            (
                "config set-context --current --kubeconfig=@/none",
                "no current context is set",
            ),
            (
                "config set-context dev --current",
                "you cannot specify both a context name and --current",
            ),
            (
                "config set-context",
                "you must specify a non-empty context name or --current",
            ),
        ]);
        shell.all(&[
            "config use-context dev",
            "config set-context --current --namespace=other",
        ]);
        assert_eq!(
            entry(&shell, "/contexts/0/context/namespace"),
            json!("other")
        );
    }

    #[test]
    fn set_credentials_keeps_one_authentication_method() {
        let shell = Shell::empty();
        let _ = shell.out("config set-credentials ann --username=a --password=b");
        assert_eq!(
            entry(&shell, "/users/0/user"),
            json!({"password": "b", "username": "a"})
        );
        let _ = shell.out("config set-credentials ann --token=t");
        assert_eq!(entry(&shell, "/users/0/user"), json!({"token": "t"}));
        let _ = shell.out(
            "config set-credentials bot --exec-command=get-token --exec-arg=-a,-b --exec-env=K=V --exec-env=L=W \
             --exec-api-version=client.authentication.k8s.io/v1 --exec-interactive-mode=Never",
        );
        let _ = shell.out("config set-credentials bot --exec-env=K- --exec-env=M=X --exec-env=L=Y");
        assert_eq!(
            entry(&shell, "/users/1/user/exec"),
            json!({
                "apiVersion": "client.authentication.k8s.io/v1", "args": ["-a", "-b"], "command": "get-token",
                "env": [{"name": "L", "value": "Y"}, {"name": "M", "value": "X"}], "interactiveMode": "Never",
                "provideClusterInfo": false,
            })
        );
        // A new program discards the arguments, and a new provider discards the configuration.
        let _ = shell.out("config set-credentials bot --exec-command=other");
        let exec = entry(&shell, "/users/1/user/exec");
        assert_eq!(
            (&exec["command"], &exec["args"]),
            (&json!("other"), &json!(null))
        );
        let _ =
            shell.out("config set-credentials bot --auth-provider=a --auth-provider-arg=k=v,l=w");
        let _ = shell.out("config set-credentials bot --auth-provider=a --auth-provider-arg=k-");
        let provider = "/users/1/user/auth-provider";
        assert_eq!(
            entry(&shell, provider),
            json!({"name": "a", "config": {"l": "w"}})
        );
        let _ = shell.out("config set-credentials bot --auth-provider=b");
        assert_eq!(entry(&shell, provider), json!({"name": "b", "config": {}}));
        for part in ["exec", "auth-provider"] {
            let _ = shell.out(&format!("config unset users.bot.{part}"));
        }
        assert_eq!(entry(&shell, "/users/1/user"), json!({}));
        let missing = shell.fails("config unset users.none.exec");
        assert_eq!(missing, "error: current map key `none` is invalid");
        shell.refuses(&[
            ("config set-credentials ''", "you must specify a non-empty user name"),
            ("config set-cluster ''", "you must specify a non-empty cluster name"),
            (
                "config set-cluster dev --certificate-authority=x --insecure-skip-tls-verify",
                "you cannot specify a certificate authority and insecure mode at the same time",
            ),
            (
                "config set-cluster dev --embed-certs",
                "you must specify a --certificate-authority to embed",
            ),
            (
                "config set-cluster dev --embed-certs --certificate-authority=@/none",
                "could not stat certificate-authority file @/none: stat @/none: no such file or directory",
            ),
            (
                "config set-credentials ann --token=t --username=a",
                "you cannot specify more than one authentication method at the same time: --token, \
                 --username/--password",
            ),
            (
                "config set-credentials ann --embed-certs",
                "you must specify a --client-certificate or --client-key to embed",
            ),
            (
                "config set-credentials",
                "unexpected args: []",
            ),
        ]);
    }

    #[test]
    fn malformed_pairs_and_modes_of_credentials_are_refused() {
        let shell = Shell::empty();
        for (flags, error) in [
            (
                "--auth-provider-arg=bad,a=b",
                "error: invalid auth-provider-arg format: bad\n",
            ),
            ("--exec-env==b", "error: invalid exec-env format: =b\n"),
        ] {
            let said = shell.run(&format!("config set-credentials u {flags}"));
            assert_eq!((said.code, said.err.as_str()), (1, error));
            // The help precedes the error, as in kubectl.
            assert!(
                said.out.contains("kubectl config set-credentials"),
                "{said:?}"
            );
        }
        shell.refuses(&[(
            "config set-credentials u --exec-command=x --exec-interactive-mode=never",
            "invalid interactive mode type, can be only IfAvailable, Never, Always",
        )]);
        shell.refuses(&[(
            "config set-credentials u --exec-command=x --exec-interactive-mode=",
            "invalid interactive mode type, can be only IfAvailable, Never, Always",
        )]);
        assert!(shell.out("config get-users").ends_with("NAME\n"));
    }
}
