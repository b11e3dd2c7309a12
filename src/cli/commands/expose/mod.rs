//! `ctl expose`.

pub(super) mod service;
mod target;

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use super::make::{MakeArgs, OverrideArgs};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{RecordArgs, ResultPrinter};
use crate::cli::resource::{Builder, FileArgs, Info};
use crate::cluster::FieldValidation;

/// The maximum length of a Service's name.
const LONGEST_NAME: usize = 63;

/// Create a Service for the Pods of a workload or of another Service, or for a Pod
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
    /// Name of the Service; by default the object's name
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Port of the Service; by default the ports of the containers
    #[arg(long, value_name = "PORT")]
    port: Option<String>,
    /// Port number or name on the container; by default the Service's port
    #[arg(long, value_name = "PORT")]
    target_port: Option<String>,
    /// Protocol: TCP, UDP or SCTP; by default that of the container
    #[arg(long, value_name = "PROTOCOL")]
    protocol: Option<String>,
    /// Type of the Service: ClusterIP, NodePort, LoadBalancer or ExternalName
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Cluster IP; None creates a headless Service
    #[arg(long, value_name = "ADDRESS")]
    cluster_ip: Option<String>,
    /// Additional external IP address of the Service
    #[arg(long, value_name = "ADDRESS")]
    external_ip: Option<String>,
    /// IP address of the load balancer
    #[arg(long, value_name = "ADDRESS")]
    load_balancer_ip: Option<String>,
    /// Session affinity: None, or ClientIP to send a client to the same Pod
    #[arg(long, value_name = "HOW")]
    session_affinity: Option<String>,
    /// Labels of the Service; by default the object's labels
    #[arg(short = 'l', long, value_name = "KEY=VALUE,..")]
    labels: Option<String>,
    /// Selector of the Service; by default the object's selector
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
    // kubectl prints the server's response as a Go struct, as it prints a client-side dry run.
    let mut printer = args.make.printer(context)?;
    let cluster = context.api()?;
    let found = Builder::new(context, Some(&cluster))?
        .files(&args.files)
        .words(&args.resources, false)
        .typed()
        .find()?;
    let mut errors = Vec::new();
    for item in found.in_turn() {
        let exposed = item.and_then(|info| expose(args, &info, &mut printer, context));
        errors.extend(exposed.err());
    }
    CliError::all(errors)?;
    Ok(ExitCode::SUCCESS)
}

fn expose(
    args: &ExposeArgs,
    info: &Info,
    printer: &mut ResultPrinter<'_>,
    context: &Context,
) -> Result<(), CliError> {
    target::check(info)?;
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    // The object's selector is read only without the flag, so that an object without labels can be exposed, too.
    let selector = given(&args.selector).map_or_else(|| target::selector(info), Ok)?;
    let protocols = target::ports(info);
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
    // A Service's name is a DNS label and a Deployment's may be longer, so kubectl truncates it.
    let default_name: String = info.name.chars().take(LONGEST_NAME).collect();
    let name = given(&args.name).unwrap_or(default_name);
    let labels = given(&args.labels).unwrap_or_else(|| target::labels(info));
    let text = |flag: &'_ Option<String>| flag.clone().unwrap_or_default();
    let wanted = service::NewService {
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
    let ignore = FieldValidation::Ignore;
    let made = args
        .make
        .send(service, "kubectl-expose", ignore, printer, context)?;
    printer.print_result(&made, "exposed")
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::new();
        shell.all(&[
            "create deployment web --image=nginx --port=80",
            "create deployment bare --image=nginx",
            "run pod --image=nginx --port=53 --labels=app=dns",
            "create configmap c",
        ]);
        shell
    }

    #[test]
    fn ports_and_labels_default_to_those_of_the_object() {
        let shell = shell();
        assert_eq!(shell.out("expose deployment web"), "service/web exposed\n");
        let json = shell.out("expose deploy web --port=80 --name=ordered -o json");
        assert!(
            json.starts_with("{\n    \"kind\": \"Service\",\n    \"apiVersion\": \"v1\",\n"),
            "{json}"
        );
        let made = shell.json("get service web");
        assert_eq!(
            made["spec"]["ports"],
            json!([{"port": 80, "protocol": "TCP", "targetPort": 80}])
        );
        assert_eq!(made["spec"]["selector"], json!({"app": "web"}));
        assert_eq!(made["metadata"]["labels"], json!({"app": "web"}));
        let made = shell.made("expose pod pod --name=dns --port=5353 --target-port=dns --protocol=UDP --type=NodePort");
        assert_eq!(
            made["spec"],
            json!({
                "ports": [{"port": 5353, "protocol": "UDP", "targetPort": "dns"}],
                "selector": {"app": "dns"}, "type": "NodePort",
            })
        );
        let made =
            shell.made("expose deployment bare --cluster-ip=None --selector=x=z --labels=l=m");
        assert_eq!(
            made["spec"],
            json!({"clusterIP": "None", "selector": {"x": "z"}})
        );
        assert_eq!(made["metadata"]["labels"], json!({"l": "m"}));
    }

    #[test]
    fn objects_without_pods_or_ports_are_rejected() {
        let shell = shell();
        shell.refuses(&[
            ("expose configmap c --port=80", "cannot expose a ConfigMap"),
            (
                "expose deployment bare",
                "couldn't find port via --port flag or introspection",
            ),
            (
                "expose deployment none --port=80",
                "Error from server (NotFound): deployments.apps \"none\" not found",
            ),
        ]);
        let _ = shell.out("expose deployment web");
        shell.refuses(&[(
            "expose deployment web",
            "Error from server (AlreadyExists): services \"web\" already exists",
        )]);
    }
}
