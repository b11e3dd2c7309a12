//! `ctl expose`.

mod exposed;
pub(super) mod service;

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use super::make::{MakeArgs, OverrideArgs};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{DryRun, RecordArgs, Teller};
use crate::cli::resource::{Builder, FileArgs, Info};
use crate::cluster::FieldValidation;

/// The longest name of a service.
const LONGEST_NAME: usize = 63;

/// Make a service for the pods of a deployment, replica set, replication controller, service or pod
///
/// Examples:
///   ctl expose deployment web --port=80 --target-port=8080
///   ctl expose pod web-0 --port=80 --name=web-0 --type=NodePort
///   ctl expose -f web.yaml --port=443 --dry-run=client -o yaml
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ExposeArgs {
    /// TYPE NAME or TYPE/NAME
    resources: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    /// The service's name, where it is not the object's
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The service's port; the ports of the containers without it
    #[arg(long, value_name = "PORT")]
    port: Option<String>,
    /// The container's port, a number or a name; the same without it
    #[arg(long, value_name = "PORT")]
    target_port: Option<String>,
    /// TCP, UDP or SCTP; the containers' own without it
    #[arg(long, value_name = "PROTOCOL")]
    protocol: Option<String>,
    /// ClusterIP, NodePort, LoadBalancer or ExternalName
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// The service's address: none at all with None
    #[arg(long, value_name = "ADDRESS")]
    cluster_ip: Option<String>,
    /// An address outside of the cluster that leads to the service too
    #[arg(long, value_name = "ADDRESS")]
    external_ip: Option<String>,
    /// The address of the load balancer
    #[arg(long, value_name = "ADDRESS")]
    load_balancer_ip: Option<String>,
    /// Whether the same client comes to the same pod: None or ClientIP
    #[arg(long, value_name = "HOW")]
    session_affinity: Option<String>,
    /// The labels of the service; the object's own without it
    #[arg(short = 'l', long, value_name = "KEY=VALUE,..")]
    labels: Option<String>,
    /// The labels of the pods that are meant; what the object selects without it
    #[arg(long, value_name = "KEY=VALUE,..")]
    selector: Option<String>,
    #[command(flatten)]
    overrides: OverrideArgs,
    #[command(flatten)]
    make: MakeArgs,
    #[command(flatten)]
    record: RecordArgs,
}

pub(crate) fn run(args: &ExposeArgs, context: &Context) -> Outcome {
    // kubectl holds a service that was sent as a tree, and one that was not as a struct.
    let mut teller = match args.make.dry_run(context)? {
        DryRun::Client => args.make.teller(context)?,
        dry_run => Teller::new(&args.make.output, dry_run, context)?,
    };
    let cluster = context.api()?;
    let found = Builder::new(context, Some(&cluster))?
        .files(&args.files)
        .words(&args.resources, false)
        .find()?;
    let mut errors = Vec::new();
    for item in found.items {
        let exposed = item.and_then(|info| expose(args, &info, &mut teller, context));
        errors.extend(exposed.err());
    }
    CliError::all(errors)?;
    Ok(ExitCode::SUCCESS)
}

fn expose(
    args: &ExposeArgs,
    info: &Info,
    teller: &mut Teller<'_>,
    context: &Context,
) -> Result<(), CliError> {
    exposed::check(info)?;
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let selector = given(&args.selector).map_or_else(|| exposed::selector(info), Ok)?;
    let protocols = exposed::ports(info);
    let ports = match given(&args.port) {
        Some(port) => port,
        None if protocols.is_empty() && args.cluster_ip.as_deref() != Some("None") => {
            let text = "couldn't find port via --port flag or introspection";
            return Err(CliError::text(text));
        }
        None => {
            let numbers: Vec<&str> = protocols.iter().map(|(port, _)| port.as_str()).collect();
            numbers.join(",")
        }
    };
    let default_name: String = info.name.chars().take(LONGEST_NAME).collect();
    let name = given(&args.name).unwrap_or(default_name);
    let labels = given(&args.labels).unwrap_or_else(|| exposed::labels(info));
    let text = |flag: &'_ Option<String>| flag.clone().unwrap_or_default();
    let wanted = service::Wanted {
        name: &name,
        selector: &selector,
        labels: &labels,
        ports: &ports,
        protocol: &text(&args.protocol),
        protocols,
        target_port: &text(&args.target_port),
        external_ip: &text(&args.external_ip),
        load_balancer_ip: &text(&args.load_balancer_ip),
        kind: &text(&args.kind),
        session_affinity: &text(&args.session_affinity),
        cluster_ip: &text(&args.cluster_ip),
    };
    let service = args.overrides.apply(wanted.service()?)?;
    let service = args.record.mark(context, service);
    let how = ("kubectl-expose", FieldValidation::Ignore);
    let made = args.make.send(service, how, teller, context)?;
    teller.tell(&made, "exposed")
}
