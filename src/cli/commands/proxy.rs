//! `ctl proxy`, which has nothing to lead to.

use clap::Args;

use super::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::Span;

/// Lead from a local port to the API server
///
/// A cluster in a directory has no API server behind an address, so there is nothing to lead to.
///
/// Example: ctl proxy --port=8001
#[derive(Args, Debug)]
pub(crate) struct ProxyArgs {
    #[arg(hide = true)]
    words: Vec<String>,
    /// The port to listen on
    #[arg(short, long, value_name = "PORT", default_value_t = 8001)]
    port: i64,
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    address: String,
    /// A socket file to listen on, in place of a port
    #[arg(short, long, value_name = "FILE")]
    unix_socket: Option<String>,
    /// The path under which the API is
    #[arg(long, value_name = "PATH", default_value = "/")]
    api_prefix: String,
    /// A directory whose files are served too
    #[arg(short, long, value_name = "DIR")]
    www: Option<String>,
    /// The path under which they are
    #[arg(short = 'P', long, value_name = "PATH", default_value = "/static/")]
    www_prefix: String,
    /// The hosts that may ask
    #[arg(
        long,
        value_name = "PATTERNS",
        default_value = r"^localhost$,^127\.0\.0\.1$,^\[::1\]$"
    )]
    accept_hosts: String,
    /// The paths that may be asked for
    #[arg(long, value_name = "PATTERNS", default_value = "^.*")]
    accept_paths: String,
    /// The paths that may not
    #[arg(
        long,
        value_name = "PATTERNS",
        default_value = "^/api/.*/pods/.*/exec,^/api/.*/pods/.*/attach"
    )]
    reject_paths: String,
    /// The methods that may not be used
    #[arg(long, value_name = "PATTERNS", default_value = "^$")]
    reject_methods: String,
    /// Anybody may ask for anything
    #[arg(long)]
    disable_filter: bool,
    /// The path of the server's address comes before those that are asked for
    #[arg(long)]
    append_server_path: bool,
    /// How often a connection is tested
    #[arg(long, value_name = "TIME", default_value = "0s")]
    keepalive: Span,
}

pub(crate) fn run(args: &ProxyArgs, context: &Context) -> Outcome {
    if context.given("port") && args.unix_socket.is_some() {
        let text = "cannot set --unix-socket and --port at the same time";
        return Err(CliError::text(text));
    }
    Err(CliError::text(format!(
        "there is no API server to lead to: the cluster is the directory {}",
        context.directory()?.display()
    )))
}
