//! `ctl serve`.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::{Outcome, controllers};
use crate::api::quantity::Quantity;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cluster::{ApiError, Cluster, LogOptions, LogTarget};
use crate::kubelet::logs;
use crate::serve::http::{Limits, Server};
use crate::sys::signal;

/// Serve the cluster as the Kubernetes API over HTTP until stopped
///
/// Anyone who can reach the address has full access, so only loopback addresses are allowed unless
/// you pass --anywhere. Ctrl-C or SIGTERM stops it.
///
/// Examples:
///   ctl serve                                  and in another terminal:
///   kubectl --server http://127.0.0.1:8001 get pods
///   ctl serve --controllers                    a cluster that does everything by itself
///   ctl serve --listen 127.0.0.1:0             at any free port, which is printed
///   ctl serve --controllers --store memory:    a cluster without files that ends with the server
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ServeArgs {
    /// Address to listen on; port 0 picks a free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8001")]
    listen: SocketAddr,
    /// Allow an address that other machines can reach; they get full access
    #[arg(long)]
    anywhere: bool,
    /// Also run the controllers
    #[arg(long)]
    controllers: bool,
    /// Where the cluster is kept: `memory:` is a new cluster that ends with the server (default: the
    /// directory of --state)
    #[arg(long, value_name = "STORE", value_parser = ["memory:"])]
    store: Option<String>,
    /// Time to live of events after their last update, with --controllers; 0 keeps them forever
    #[arg(long, value_name = "DURATION", value_parser = controllers::span, requires = "controllers")]
    event_ttl: Option<jiff::SignedDuration>,
    /// Memory limit for request bodies, responses and watches of all clients; beyond it, requests
    /// get 429 and the slowest watch is closed with 410
    #[arg(long, value_name = "BYTES", value_parser = memory, default_value = "512Mi")]
    memory_budget: usize,
}

/// The least memory that one request of the largest size and its tree fit in.
const LEAST_MEMORY: usize = 16 << 20;

/// An amount of memory on the command line.
fn memory(text: &str) -> Result<usize, String> {
    let bytes = Quantity::parse(text).map_err(|e| e.to_string())?.ceil();
    match usize::try_from(bytes) {
        Ok(bytes) if bytes >= LEAST_MEMORY => Ok(bytes),
        _ => Err("must be at least 16Mi".to_owned()),
    }
}

pub(crate) fn run(args: &ServeArgs, context: &Context) -> Outcome {
    let in_memory = args.store.is_some();
    let cluster = Arc::new(match in_memory {
        true => context.in_memory()?,
        false => context.administered()?,
    });
    let limits = Limits {
        memory: args.memory_budget,
        ..Limits::default()
    };
    let ui = context.ui.clone();
    let server = Server::bind(args.listen, args.anywhere, limits)
        .map_err(|e| CliError::text(format!("cannot listen at {}: {e}", args.listen)))?
        .with_logs(log)
        .with_notes(move |text| ui.note(text));
    let stop = signal::stop_flag()?;
    let address = server.address();
    context.ui.line(format!(
        "Serving the Kubernetes API of {} at http://{address}\n\
         Use it with: kubectl --server http://{address}",
        cluster.place()
    ))?;
    let mebibytes = args.memory_budget >> 20;
    context.ui.note(&format!(
        "memory limit for requests and watches: {mebibytes} MiB (--memory-budget)"
    ));
    let served = std::thread::scope(|scope| {
        if args.controllers {
            scope.spawn(|| {
                let mut own = controllers::ControllersArgs::default();
                own.which.event_ttl = args.event_ttl;
                // A cluster in memory is this value and no other.
                let shared = in_memory.then_some(&*cluster);
                if let Err(e) = controllers::run_on(&own, context, shared) {
                    context
                        .ui
                        .note(&format!("controllers: {}", e.in_one_line()));
                }
            });
        }
        cluster.while_noticing(|| server.run(&cluster, &stop))
    });
    served?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the log of a container as the fake kubelet computes it.
pub(crate) fn log(
    cluster: &Cluster,
    target: &LogTarget,
    options: &LogOptions,
) -> Result<String, ApiError> {
    let (mode, now) = (cluster.settings().pods, cluster.now()?);
    Ok(logs::read(
        &target.pod,
        &target.container,
        mode,
        options,
        now,
    )?)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn an_address_that_others_can_reach_must_be_meant() {
        let shell = Shell::new();
        let far = shell.fails("serve --listen 0.0.0.0:0");
        assert!(
            far.starts_with("error: cannot listen at 0.0.0.0:0: "),
            "{far}"
        );
        let odd = shell.fails("serve --listen nowhere");
        assert!(
            odd.contains("invalid value 'nowhere' for '--listen <ADDRESS>'"),
            "{odd}"
        );
        shell.refuses(&[("serve now", "unknown command \"now\" for \"kubectl serve\"")]);
    }

    #[test]
    fn a_store_that_there_is_none_of_is_told() {
        let shell = Shell::new();
        let said = shell.fails("serve --store etcd://here");
        assert!(
            said.contains("invalid value 'etcd://here' for '--store <STORE>'"),
            "{said}"
        );
    }

    #[test]
    fn an_address_that_somebody_has_is_told() {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        let shell = Shell::new();
        let said = shell.fails(&format!("serve --listen {address}"));
        assert!(
            said.starts_with(&format!("error: cannot listen at {address}: ")),
            "{said}"
        );
    }
}
