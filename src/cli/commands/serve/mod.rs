//! `ctl serve`.

mod apiserver_flags;
mod request_log;
mod token_file;

use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use clap::Args;

use self::request_log::RequestLog;
use super::cluster::LEVELS;
use super::config::{Access, ReplacePolicy, SavedKubeconfig};
use super::controllers::LogFormat;
use super::{Outcome, auth, controllers, ui};
use crate::api::json::{Map, json};
use crate::api::quantity::Quantity;
use crate::cli::context::{self, Context};
use crate::cli::durations;
use crate::cli::error::CliError;
use crate::cli::nodes::NODES;
use crate::cluster::{Cluster, Level};
use crate::pki::Authority;
use crate::serve::http::{Limits, Server, view_key};
use crate::serve::tls::Tls;
use crate::sys::{entropy, host, net, signal};

/// The default address.
pub(super) const LISTEN: &str = "127.0.0.1:8001";

/// Serve the cluster as the Kubernetes API over HTTPS until stopped
///
/// Clients need the token that each start generates, a client certificate or the token of a service account;
/// /healthz, /livez and /readyz need none. ctl serve writes a kubeconfig with this token and the certificate of the
/// cluster's authority. It listens only on loopback addresses unless you pass --anywhere. Ctrl-C or SIGTERM stops
/// it.
///
/// Examples:
///   ctl serve                                  and in another terminal, with the printed file:
///   KUBECONFIG=FILE kubectl get pods
///   ctl serve --kubeconfig ~/.kube/config --merge   add the cluster to your kubeconfig
///   ctl serve --controllers                    also run the controllers
///   ctl serve --listen 127.0.0.1:0             listen on a free port, and print it
///   ctl serve --controllers --store memory: --kubeconfig FILE
///                                              a cluster without files that ends with the server
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ServeArgs {
    /// Address to listen on; port 0 picks a free port
    #[arg(long, value_name = "ADDRESS", default_value = LISTEN)]
    listen: SocketAddr,
    /// Allow an address that other machines can reach
    #[arg(long)]
    anywhere: bool,
    /// Unix socket to listen on instead of an address, over HTTP; only you can open it
    #[arg(long, value_name = "PATH")]
    unix_socket: Option<PathBuf>,
    /// Serve HTTP without TLS and without a token, on loopback addresses only: every user of this
    /// machine gets full access
    #[arg(long)]
    plain_http: bool,
    /// kubeconfig to write for the server's clients; by default one in the cluster's directory
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<String>,
    /// Keep the other contexts of the kubeconfig
    #[arg(long, requires = "kubeconfig")]
    merge: bool,
    /// Also run the controllers
    #[arg(long)]
    controllers: bool,
    /// Store of the cluster: `memory:` is a new cluster that ends with the server (default: the
    /// directory of --state)
    #[arg(long, value_name = "STORE", value_parser = ["memory:"])]
    store: Option<String>,
    /// Time to live of events after their last update, with --controllers; 0 keeps them forever
    #[arg(long, value_name = "DURATION", value_parser = durations::span, requires = "controllers")]
    event_ttl: Option<jiff::SignedDuration>,
    /// Memory limit for request bodies, responses and watches of all clients; beyond it, requests
    /// get 429 and the slowest watch is closed with 410
    #[arg(long, value_name = "BYTES", value_parser = memory, default_value = "512Mi")]
    memory_budget: usize,
    /// File to which each request is appended as an event of audit.k8s.io/v1
    #[arg(long, value_name = "FILE")]
    audit_log: Option<PathBuf>,
    /// Content of the audit log: user, verb, object and result of each request, with bodies, or with
    /// responses too; secrets are left out
    #[arg(long, value_name = "LEVEL", value_parser = LEVELS, default_value = "Metadata")]
    #[arg(requires = "audit_log")]
    audit_level: String,
    /// Format of messages and, with -v 6 or more, of requests on standard error
    #[arg(long, value_enum, default_value = "text")]
    log_format: LogFormat,
    #[command(flatten)]
    borrowed: apiserver_flags::BorrowedArgs,
}

/// The least memory that holds one request of the largest size with its parsed tree.
const LEAST_MEMORY: usize = 16 << 20;

/// Parses an amount of memory.
fn memory(text: &str) -> Result<usize, String> {
    let bytes = Quantity::parse(text).map_err(|e| e.to_string())?.ceil();
    match usize::try_from(bytes) {
        Ok(bytes) if bytes >= LEAST_MEMORY => Ok(bytes),
        _ => Err("must be at least 16Mi".to_owned()),
    }
}

pub(crate) fn run(args: &ServeArgs, context: &Context) -> Outcome {
    let in_memory = args.store.is_some();
    let keeps_kubeconfig = !args.plain_http && args.unix_socket.is_none();
    let wants_kubeconfig = keeps_kubeconfig && !args.borrowed.has_certificate();
    if in_memory && args.kubeconfig.is_none() && wants_kubeconfig {
        return Err(CliError::text(
            "a cluster in memory has no directory for a kubeconfig; add --kubeconfig FILE",
        ));
    }
    if args.log_format == LogFormat::Json {
        context.ui.tell_as_json();
    }
    // The log is opened before any cluster, because it also records the requests of the controllers.
    let level = Level::named(&args.audit_level).unwrap_or_default();
    let log = args.audit_log.as_ref();
    let log = log.map(|path| context.audit_to(path, level)).transpose()?;
    let mut cluster = match in_memory {
        true => args.borrowed.cluster(context)?,
        false => context.open_as_administrator()?,
    };
    restore_roles(&cluster, context);
    // The server knows more about its requests than the cluster does, so it writes the log itself.
    let log = log.or(cluster.configure().audit(None));
    cluster.configure().audit(None);
    let cluster = Arc::new(cluster);
    let limits = Limits {
        memory: args.memory_budget,
        ..Limits::default()
    };
    let ui = context.ui.clone();
    let users = args.borrowed.users(context)?;
    let mut server = listen(args, context, limits)?
        .with_nodes(&NODES)
        .with_flags(flags(args))
        .with_users(users)
        .with_notes(move |text| ui.note(text));
    if let Some(log) = log {
        server = server.with_audit(log);
    }
    let requests = RequestLog::new(context, args.log_format == LogFormat::Json)?;
    let numbers = controllers::Published::default();
    let shown = Arc::clone(&numbers);
    let server = server.with_numbers(move || controllers::published(&shown));
    let stop = signal::stop_flag()?;
    // Another server of this cluster may be running and continue after this one ends.
    let own = (!in_memory && wants_kubeconfig).then(|| context.directory());
    let own = own.transpose()?.map(|state| kubeconfig_of(&state));
    let (displaced, reached) =
        SavedKubeconfig::by(own.as_deref(), || reach(args, context, &cluster, server));
    let (server, words, view) = reached?;
    let place = cluster.place();
    let line = format!("Serving the Kubernetes API of {place} at {words}");
    context.ui.line(line)?;
    if let Some(link) = view {
        // The link goes to terminals only, because it contains the key of the web view, which must not end up in a log.
        context.ui.hint(&format!("web view: {link}"));
    }
    note_limit(args, context);
    let site = Arc::new(ui::site(Arc::clone(&cluster), in_memory, context)?);
    // The controllers run in this process, next to the server. If they fail, the API stays available for inspection.
    let served = std::thread::scope(|scope| {
        if args.controllers {
            scope.spawn(|| {
                let mut own = controllers::ControllersArgs::default();
                own.which.event_ttl = args.event_ttl;
                own.log_format = args.log_format;
                // A cluster in memory exists only in this process, so the controllers share it.
                let shared = in_memory.then_some(&*cluster);
                if let Err(e) = controllers::run_on(&own, context, shared, &numbers) {
                    context
                        .ui
                        .note(&format!("controllers: {}", e.in_one_line()));
                }
            });
        }
        let run = || requests.around(|| server.run(&site, &stop));
        cluster.files().while_noticing(run)
    });
    served?;
    displaced.map_or(Ok(()), SavedKubeconfig::put_back)?;
    Ok(ExitCode::SUCCESS)
}

/// Adds missing default roles and the server's own objects. An error is only reported: a read-only directory or a fault
/// rule must not keep anyone from reading the cluster.
fn restore_roles(cluster: &Cluster, context: &Context) {
    if context::is_bare() {
        return;
    }
    let restored = auth::restore_defaults(cluster, context);
    let restored = restored.and_then(|()| auth::restore_registrations(cluster, context));
    note_unwritten(restored, context);
}

/// Returns the flags that `/flagz` shows.
fn flags(args: &ServeArgs) -> Vec<(&'static str, String)> {
    let path = |path: &Option<PathBuf>| {
        let path = path.as_ref().map(|path| path.display().to_string());
        path.unwrap_or_default()
    };
    vec![
        ("anywhere", args.anywhere.to_string()),
        ("audit-level", args.audit_level.clone()),
        ("audit-log", path(&args.audit_log)),
        ("controllers", args.controllers.to_string()),
        ("kubeconfig", args.kubeconfig.clone().unwrap_or_default()),
        ("listen", args.listen.to_string()),
        ("memory-budget", args.memory_budget.to_string()),
        ("merge", args.merge.to_string()),
        ("plain-http", args.plain_http.to_string()),
        ("store", args.store.clone().unwrap_or_default()),
        ("unix-socket", path(&args.unix_socket)),
    ]
}

fn note_limit(args: &ServeArgs, context: &Context) {
    let mebibytes = args.memory_budget >> 20;
    context.ui.note(&format!(
        "memory limit for requests and watches: {mebibytes} MiB (--memory-budget)"
    ));
}

/// Reports that objects of the server could not be written.
fn note_unwritten(written: Result<(), CliError>, context: &Context) {
    if let Err(e) = written {
        let why = e.in_one_line();
        let text = format!("default objects are not restored: {why}");
        context.ui.note(&text);
    }
}

/// Binds the address before anything is written: a port in use must not leave a kubeconfig behind.
fn listen(args: &ServeArgs, context: &Context, limits: Limits) -> Result<Server, CliError> {
    let refuse = |text: &str| Err(CliError::text(text));
    if let Some(path) = &args.unix_socket {
        if context.given("listen") || args.anywhere || args.kubeconfig.is_some() {
            return refuse(
                "--unix-socket cannot be used with --listen, --anywhere and --kubeconfig",
            );
        }
        return Server::bind_path(path, limits)
            .map_err(|e| CliError::text(format!("cannot listen at {}: {e}", path.display())));
    }
    if args.plain_http && !args.listen.ip().is_loopback() {
        return refuse(
            "--plain-http is only allowed on a loopback address, such as 127.0.0.1:8001",
        );
    }
    if !args.anywhere && !args.listen.ip().is_loopback() {
        return refuse(&format!(
            "{} is not a loopback address; add --anywhere to let other machines connect",
            args.listen
        ));
    }
    Server::bind(args.listen, args.anywhere, limits)
        .map_err(|e| CliError::text(format!("cannot listen at {}: {e}", args.listen)))
}

/// Sets up the server's certificate and writes the kubeconfig of its clients. Returns the text that says where the
/// server is and how to use it, and the link of the web view if a browser can open it.
fn reach(
    args: &ServeArgs,
    context: &Context,
    cluster: &Cluster,
    server: Server,
) -> Result<(Server, String, Option<String>), CliError> {
    let Some(address) = server.address() else {
        let path = args.unix_socket.clone().unwrap_or_default();
        let path = path.display();
        let words = format!("{path}\nUse it with: curl --unix-socket {path} http://localhost/api");
        return Ok((server, words, None));
    };
    // Programs on this machine reach a server that listens on all addresses at the loopback address.
    let mut near = address;
    if near.ip().is_unspecified() {
        near.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    if args.plain_http {
        let url = format!("http://{near}");
        context
            .ui
            .note("warning: --plain-http: not encrypted, and open to every user of this machine");
        let usage = match &args.kubeconfig {
            None => format!("kubectl --server {url}"),
            Some(path) => {
                let access = Access {
                    user_name: None,
                    cluster_name: &cluster.settings().name,
                    cluster: Map::from_iter([("server".to_owned(), json!(url))]),
                    user: Map::new(),
                    // There is no authority to recognize earlier entries by.
                    replaces: ReplacePolicy::Stopped,
                };
                export(Path::new(path), access, args.merge)?
            }
        };
        let words = format!("http://{address}\nUse it with: {usage}");
        return Ok((server, words, Some(format!("{url}/ui"))));
    }
    if let Some(tls) = args.borrowed.tls(&near.ip().to_string())? {
        let words = format!("https://{address}");
        // No client gets the token: clients have certificates.
        return Ok((server.with_tls(tls).with_token(&token()?), words, None));
    }
    if args.store.is_none() {
        make_private(&context.directory()?, context)?;
    }
    // The authority is kept with the cluster, so that kubeconfigs from earlier starts still trust the server.
    let authority = cluster.rights().keys().authority()?;
    let far = match address.ip().is_unspecified() {
        true => net::advertised(),
        false => Vec::new(),
    };
    let tls = certified(&authority, &far, near)?;
    if !context::is_bare() {
        let published = auth::publish_root_certificate(cluster, context, authority.certificate());
        note_unwritten(published, context);
    }
    let entry = cluster_entry(&authority, &format!("https://{near}"));
    let token = token()?;
    let user = Map::from_iter([("token".to_owned(), json!(token))]);
    let own = kubeconfig_of(&context.directory()?);
    let access = |replaces| Access {
        user_name: None,
        cluster_name: &cluster.settings().name,
        cluster: entry.clone(),
        user: user.clone(),
        replaces,
    };
    let usage = match (&args.kubeconfig, &args.store) {
        (None, _) => export(&own, access(ReplacePolicy::All), args.merge)?,
        (Some(path), None) => {
            // `ctl kubeconfig` reads the address from the cluster's own file. A cluster in memory has none.
            export(&own, access(ReplacePolicy::All), args.merge)?;
            export(Path::new(path), access(ReplacePolicy::Signed), args.merge)?
        }
        (Some(path), Some(_)) => {
            export(Path::new(path), access(ReplacePolicy::Stopped), args.merge)?
        }
    };
    // These are addresses that clients can use; the unspecified one is not.
    let far = far.into_iter().map(|ip| SocketAddr::new(ip, near.port()));
    let urls: Vec<String> = far
        .chain([near])
        .map(|at| format!("https://{at}"))
        .collect();
    let words = format!("{}\nUse it with: {usage}", urls.join(", "));
    let link = format!("https://{near}/ui?token={}", view_key(&token));
    Ok((server.with_tls(tls).with_token(&token), words, Some(link)))
}

/// Removes the access of other users to the keys of a cluster, which a copied directory may grant.
fn make_private(state: &Path, context: &Context) -> Result<(), CliError> {
    for name in ["ca.pem", "sa.key"] {
        let path = state.join(".ctl").join(name);
        let Ok(metadata) = path.metadata() else {
            continue;
        };
        let mut permissions = metadata.permissions();
        if permissions.mode() & 0o077 != 0 {
            permissions.set_mode(0o600);
            fs::set_permissions(&path, permissions)?;
            let path = path.display();
            context.ui.note(&format!(
                "warning: {path} was readable by other users; its mode is 0600 now"
            ));
        }
    }
    Ok(())
}

/// Issues the server's certificate for its address on this machine and for the addresses that other machines use.
fn certified(authority: &Authority, far: &[IpAddr], near: SocketAddr) -> Result<Tls, CliError> {
    let mut hosts: Vec<String> = far.iter().map(IpAddr::to_string).collect();
    hosts.push(near.ip().to_string());
    if !far.is_empty() {
        // Other machines may also use the host name.
        hosts.extend(host::name());
    }
    let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
    Ok(Tls::issue(authority, &hosts)?)
}

/// Returns the path of the kubeconfig that the last `ctl serve` of a cluster wrote.
pub(super) fn kubeconfig_of(state: &Path) -> PathBuf {
    state.join(".ctl/kubeconfig")
}

/// Returns the entry of a kubeconfig for the server of a cluster.
pub(super) fn cluster_entry(authority: &Authority, server: &str) -> Map {
    let certificate = BASE64_STANDARD.encode(authority.certificate());
    Map::from_iter([
        ("certificate-authority-data".to_owned(), json!(certificate)),
        ("server".to_owned(), json!(server)),
    ])
}

/// Generates the token of one start of the server: 256 random bits. Only the kubeconfig contains it.
pub(super) fn token() -> Result<String, CliError> {
    let mut bytes = [0; 32];
    // The bits come from the kernel, because anyone who has the cluster's seed could compute a token that is drawn from
    // it.
    entropy::fill(&mut bytes)
        .map_err(|e| CliError::text(format!("cannot generate a token for the server: {e}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Writes a kubeconfig, and returns the command that selects it.
fn export(path: &Path, access: Access<'_>, merge: bool) -> Result<String, CliError> {
    // The printed command must work in any directory, so the path is absolute.
    let path = std::path::absolute(path)?;
    access.write_to(&path, merge)?;
    Ok(format!("export KUBECONFIG={}", path.display()))
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn non_loopback_address_requires_anywhere() {
        let shell = Shell::new();
        shell.refuses(&[(
            "serve --listen 0.0.0.0:0",
            "0.0.0.0:0 is not a loopback address; add --anywhere to let other machines connect",
        )]);
        let odd = shell.fails("serve --listen nowhere");
        assert!(
            odd.contains("invalid value 'nowhere' for '--listen <ADDRESS>'"),
            "{odd}"
        );
        shell.refuses(&[("serve now", "unknown command \"now\" for \"kubectl serve\"")]);
    }

    #[test]
    fn invalid_store_is_rejected() {
        let shell = Shell::new();
        let said = shell.fails("serve --store etcd://here");
        assert!(
            said.contains("invalid value 'etcd://here' for '--store <STORE>'"),
            "{said}"
        );
    }

    #[test]
    fn address_in_use_is_reported() {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        let shell = Shell::new();
        let said = shell.fails(&format!("serve --listen {address}"));
        assert!(
            said.starts_with(&format!("error: cannot listen at {address}: ")),
            "{said}"
        );
    }

    #[test]
    fn incompatible_listen_flags_are_rejected_before_any_write() {
        let shell = Shell::new();
        shell.refuses(&[
            (
                "serve --plain-http --anywhere --listen 0.0.0.0:0",
                "--plain-http is only allowed on a loopback address, such as 127.0.0.1:8001",
            ),
            (
                "serve --unix-socket x.sock --listen 127.0.0.1:0",
                "--unix-socket cannot be used with --listen, --anywhere and --kubeconfig",
            ),
        ]);
        assert!(!shell.state().join(".ctl/ca.pem").exists());
    }
}
