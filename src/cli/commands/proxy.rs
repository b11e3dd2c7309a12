//! `ctl proxy`: serves the API itself, because a cluster in a directory has no server to forward requests to.

use std::net::{IpAddr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::Outcome;
use crate::cli::context::Context;
use crate::cli::error::{CliError, system_words};
use crate::cli::flags::Span;
use crate::cli::nodes::NODES;
use crate::serve::http::{Limits, Server};
use crate::sys::signal;

/// Serve the API on a local port until stopped
///
/// Like `ctl serve`, with kubectl's flags. Anyone who can reach the address has full access, so
/// only loopback addresses are allowed.
///
/// Examples:
///   ctl proxy
///   ctl proxy --port=0    at any free port, which is printed
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ProxyArgs {
    #[arg(hide = true)]
    words: Vec<String>,
    /// Port to listen on
    #[arg(short, long, value_name = "PORT", default_value_t = 8001)]
    port: i64,
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    address: String,
    /// Unix socket to listen on instead of a port
    #[arg(short, long, value_name = "FILE")]
    unix_socket: Option<String>,
    /// Path prefix of the API
    #[arg(long, value_name = "PATH", default_value = "/")]
    api_prefix: String,
    /// Directory of static files to serve
    #[arg(short, long, value_name = "DIR")]
    www: Option<String>,
    /// Path prefix of the static files
    #[arg(short = 'P', long, value_name = "PATH", default_value = "/static/")]
    www_prefix: String,
    /// Hosts that requests are accepted from, as a regular expression
    #[arg(
        long,
        value_name = "PATTERNS",
        default_value = r"^localhost$,^127\.0\.0\.1$,^\[::1\]$"
    )]
    accept_hosts: String,
    /// Paths that are accepted, as regular expressions
    #[arg(long, value_name = "PATTERNS", default_value = "^.*")]
    accept_paths: String,
    /// Paths that are rejected, as regular expressions
    #[arg(
        long,
        value_name = "PATTERNS",
        default_value = "^/api/.*/pods/.*/exec,^/api/.*/pods/.*/attach"
    )]
    reject_paths: String,
    /// Methods that are rejected, as regular expressions
    #[arg(long, value_name = "PATTERNS", default_value = "^$")]
    reject_methods: String,
    /// Accept every request
    #[arg(long)]
    disable_filter: bool,
    /// Prepend the path of the server's address to each request
    #[arg(long)]
    append_server_path: bool,
    /// Keep-alive period of connections
    #[arg(long, value_name = "TIME", default_value = "0s")]
    keepalive: Span,
}

/// The flags that restrict which clients may send which requests. Only this machine can send any here.
const NARROWING: &[&str] = &[
    "accept-hosts",
    "accept-paths",
    "reject-paths",
    "reject-methods",
    "disable-filter",
    "append-server-path",
    "keepalive",
];

pub(crate) fn run(args: &ProxyArgs, context: &Context) -> Outcome {
    let listen = address(args, context)?;
    // These flags are accepted because scripts pass them; with `-v=1` the command says that they have no effect.
    for flag in NARROWING.iter().filter(|flag| context.given(flag)) {
        let text = || format!("--{flag} has no effect on a cluster in a directory");
        context.ui.verbose(1, text);
    }
    let cluster = Arc::new(context.api()?);
    // `false` allows only loopback addresses, because the server requires no token.
    let server = Server::bind(listen, false, Limits::default())
        .map_err(|e| CliError::text(format!("listen tcp {listen}: bind: {}", system_words(&e))))?
        .with_nodes(&NODES);
    let stop = signal::stop_flag()?;
    let address = server.address().unwrap_or(listen);
    context
        .ui
        // Scripts wait for kubectl's line and read the free port from it.
        .line(format_args!("Starting to serve on {address}"))?;
    cluster
        .files()
        .while_noticing(|| server.run(&cluster, &stop))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the address to listen on.
fn address(args: &ProxyArgs, context: &Context) -> Result<SocketAddr, CliError> {
    let refuse = |text: String| Err(CliError::text(text));
    let given = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
    if context.given("port") && given(&args.unix_socket) {
        return refuse("cannot set --unix-socket and --port at the same time".to_owned());
    }
    for (flag, given) in [
        ("unix-socket", given(&args.unix_socket)),
        ("www", given(&args.www)),
        ("api-prefix", !["", "/"].contains(&args.api_prefix.as_str())),
    ] {
        if given {
            let text = "cannot be served from a directory; use a port";
            return refuse(format!("--{flag}: {text}"));
        }
    }
    let host = match args.address.as_str() {
        "" | "localhost" => "127.0.0.1",
        host => host,
    };
    let (host, port) = (host.parse::<IpAddr>(), u16::try_from(args.port));
    match (host, port) {
        (Ok(host), Ok(port)) => Ok(SocketAddr::new(host, port)),
        (Err(_), _) => refuse(format!("listen tcp: lookup {}: no such host", args.address)),
        (_, Err(_)) => refuse(format!("listen tcp: address {}: invalid port", args.port)),
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn unsupported_proxy_flags_are_rejected_before_serving() {
        let shell = Shell::empty();
        let cannot =
            |flag: &str| format!("--{flag}: cannot be served from a directory; use a port");
        shell.refuses(&[
            (
                "proxy --port=1 --unix-socket=x",
                "cannot set --unix-socket and --port at the same time",
            ),
            ("proxy --unix-socket=x", &cannot("unix-socket")),
            ("proxy --www=here", &cannot("www")),
            ("proxy --api-prefix=/k8s", &cannot("api-prefix")),
            (
                "proxy --address=nowhere",
                "listen tcp: lookup nowhere: no such host",
            ),
            (
                "proxy --port=99999",
                "listen tcp: address 99999: invalid port",
            ),
            ("proxy --port=-1", "listen tcp: address -1: invalid port"),
        ]);
        assert!(!shell.state().exists());
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port();
        assert_eq!(
            shell.fails(&format!("proxy --port={port}")),
            format!("error: listen tcp 127.0.0.1:{port}: bind: address already in use")
        );
        let far = shell.fails("proxy --address=0.0.0.0 --port=0");
        assert!(far.starts_with("error: listen tcp 0.0.0.0:0: "), "{far}");
    }
}
