//! `ctl create service`.

use clap::{Args, Subcommand};

use super::common::{NewArgs, name};
use crate::api::go::quoted;
use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::kinds::validate::names;

/// Create a Service
///
/// Example: ctl create service clusterip web --tcp=80:8080
#[derive(Args, Debug)]
pub(super) struct ServiceArgs {
    #[command(subcommand)]
    command: ServiceCommand,
}

#[derive(Debug, Subcommand)]
enum ServiceCommand {
    #[command(name = "clusterip")]
    ClusterIp(ClusterIpArgs),
    #[command(name = "externalname")]
    ExternalName(ExternalNameArgs),
    #[command(name = "loadbalancer")]
    LoadBalancer(LoadBalancerArgs),
    #[command(name = "nodeport")]
    NodePort(NodePortArgs),
}

/// Create a Service of type ClusterIP
///
/// Example: ctl create service clusterip web --tcp=80:8080
#[derive(Args, Debug)]
struct ClusterIpArgs {
    #[command(flatten)]
    common: CommonArgs,
    /// Cluster IP; None creates a headless Service
    #[arg(long, value_name = "ADDRESS")]
    clusterip: Option<String>,
}

/// Create a Service of type ExternalName
///
/// Example: ctl create service externalname search --external-name=search.example.com
#[derive(Args, Debug)]
struct ExternalNameArgs {
    #[command(flatten)]
    common: CommonArgs,
    /// External name that the Service refers to
    #[arg(long, value_name = "NAME", required = true)]
    external_name: String,
}

/// Create a Service of type LoadBalancer
///
/// Example: ctl create service loadbalancer web --tcp=443:8443
#[derive(Args, Debug)]
struct LoadBalancerArgs {
    #[command(flatten)]
    common: CommonArgs,
}

/// Create a Service of type NodePort
///
/// Example: ctl create service nodeport web --tcp=80:8080 --node-port=30080
#[derive(Args, Debug)]
struct NodePortArgs {
    #[command(flatten)]
    common: CommonArgs,
    /// Port on the nodes
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    node_port: i64,
}

#[derive(Args, Debug)]
struct CommonArgs {
    /// NAME
    words: Vec<String>,
    /// Port: PORT, PORT:TARGET or PORT:NAME; can be repeated
    #[arg(long, value_name = "PORT:TARGET", value_delimiter = ',')]
    tcp: Vec<String>,
    #[command(flatten)]
    new: NewArgs,
}

pub(super) fn run(args: &ServiceArgs, context: &Context) -> Outcome {
    let (common, service_type, field) = match &args.command {
        ServiceCommand::ClusterIp(args) => {
            let address = args.clusterip.as_deref().filter(|a| !a.is_empty());
            let field = address.map(|a| ("clusterIP", json!(a)));
            (&args.common, "ClusterIP", field)
        }
        ServiceCommand::ExternalName(args) => {
            let field = ("externalName", json!(args.external_name));
            (&args.common, "ExternalName", Some(field))
        }
        ServiceCommand::LoadBalancer(args) => (&args.common, "LoadBalancer", None),
        ServiceCommand::NodePort(args) => {
            let port = (args.node_port != 0).then(|| ("nodePort", json!(args.node_port)));
            (&args.common, "NodePort", port)
        }
    };
    let name = name(&common.words, context)?;
    common.new.check()?;
    let object = service(name, &common.tcp, service_type, field)?;
    let failure = format!("failed to create {service_type} service: ");
    // kubectl ignores the flag for Services.
    let new = common.new.unsaved();
    new.create(object, &failure, context)
}

fn service(
    name: &str,
    tcp: &[String],
    service_type: &str,
    field: Option<(&str, Value)>,
) -> Result<Value, CliError> {
    // A headless Service resolves to the addresses of its Pods, so it needs no ports.
    let headless = field.as_ref().is_some_and(|(_, value)| value == "None");
    if !headless && tcp.is_empty() && service_type != "ExternalName" {
        let text = "at least one tcp port specifier must be provided";
        return Err(CliError::text(text));
    }
    // `app=NAME` selects the Pods of `create deployment NAME`.
    let mut spec = json!({"selector": {"app": name}, "type": service_type});
    let mut ports = tcp.iter().map(|t| port(t)).collect::<Result<Vec<_>, _>>()?;
    match field {
        Some(("externalName", value)) => {
            let outside = value.as_str().unwrap_or_default();
            // The name becomes a CNAME record, so kubectl checks it before the request.
            if !names::dns1123_subdomain(outside).is_empty() {
                let text = format!("invalid service external name {outside}");
                return Err(CliError::text(text));
            }
            spec["externalName"] = value;
        }
        Some(("nodePort", value)) => {
            // As in kubectl, every port gets the node port, and the API server rejects the second one.
            ports.iter_mut().for_each(|p| p["nodePort"] = value.clone());
        }
        Some((field, value)) => spec[field] = value,
        None => {}
    }
    if !ports.is_empty() {
        spec["ports"] = json!(ports);
    }
    Ok(json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": spec,
        "status": {"loadBalancer": {}},
    }))
}

fn port(text: &str) -> Result<Value, CliError> {
    let mut parts = text.split(':');
    let port = number(parts.next().unwrap_or_default())?;
    let target = match parts.next() {
        // Without a target port, the container is expected to listen on the port of the Service.
        None => json!(port),
        Some(target) => match target.parse::<i64>() {
            Ok(number) => {
                refuse(&names::port_number(number))?;
                json!(number)
            }
            // A name refers to a container port, which each Pod resolves for itself.
            Err(_) => {
                refuse(&names::port_name(target))?;
                json!(target)
            }
        },
    };
    Ok(json!({
        // Multiple ports need names. kubectl derives them from the text of the flag, as in `80-8080`.
        "name": text.replace(':', "-"),
        "port": port,
        "protocol": "TCP",
        "targetPort": target,
    }))
}

fn refuse(wrong: &[String]) -> Result<(), CliError> {
    match wrong {
        [] => Ok(()),
        wrong => Err(CliError::text(wrong.join(","))),
    }
}

/// Parses a port number as Go's `strconv.ParseUint` does.
fn number(text: &str) -> Result<u16, CliError> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let why = match text.parse() {
        Ok(number) if digits => return Ok(number),
        _ if digits => "value out of range",
        _ => "invalid syntax",
    };
    let text = quoted(text);
    Err(CliError::text(format!(
        "strconv.ParseUint: parsing {text}: {why}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn each_service_type_checks_its_required_flags() {
        let shell = Shell::new();
        let made = shell.made("create service clusterip web --clusterip=None");
        let spec = json!({"clusterIP": "None", "selector": {"app": "web"}, "type": "ClusterIP"});
        assert_eq!(made["spec"], spec);
        let made = shell.made("create svc nodeport web --tcp=80:8080,443 --node-port=30080");
        let ports = made["spec"]["ports"].as_array().unwrap();
        assert_eq!((ports.len(), &ports[1]["nodePort"]), (2, &json!(30080)));
        let made = shell.made("create service externalname s --external-name=a.example.com");
        assert_eq!(made["spec"]["externalName"], "a.example.com");
        assert!(made["spec"]["ports"].is_null());
        let made = shell.made("create service loadbalancer web --tcp=80");
        assert_eq!(made["spec"]["type"], "LoadBalancer");
        let port = "at least one tcp port specifier must be provided";
        shell.refuses(&[
            ("create service clusterip web", port),
            ("create service nodeport web", port),
            ("create service loadbalancer web", port),
            (
                "create service externalname s",
                "required flag(s) \"external-name\" not set",
            ),
            (
                "create service externalname s --external-name=A_b",
                "invalid service external name A_b",
            ),
        ]);
        let _ = shell.out("create service nodeport web --tcp=80 --node-port=30080");
        for port in ["-1", "29999", "70000"] {
            let wrong = shell.fails(&format!(
                "create service nodeport two --tcp=80 --node-port={port}"
            ));
            assert_eq!(
                wrong,
                format!(
                    "error: failed to create NodePort service: Service \"two\" is invalid: \
                     spec.ports[0].nodePort: Invalid value: {port}: provided port is not in the \
                     valid range. The range of valid ports is 30000-32767"
                )
            );
        }
        let taken = shell.fails("create service nodeport two --tcp=80 --node-port=30080");
        assert!(
            taken.starts_with(
                "error: failed to create NodePort service: Service \"two\" is invalid: "
            ),
            "{taken}"
        );
    }

    #[test]
    fn port_is_numeric_and_target_port_may_be_named() {
        let wanted = json!({"name": "80-web", "port": 80, "protocol": "TCP", "targetPort": "web"});
        assert_eq!(port("80:web").unwrap(), wanted);
        assert_eq!(port("80").unwrap()["targetPort"], 80);
        for (text, why) in [
            (
                "70000",
                "strconv.ParseUint: parsing \"70000\": value out of range",
            ),
            ("+1", "strconv.ParseUint: parsing \"+1\": invalid syntax"),
            ("80:70000", "must be between 1 and 65535, inclusive"),
        ] {
            assert_eq!(port(text).unwrap_err().to_string(), why);
        }
    }
}
