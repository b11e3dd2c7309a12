//! `ctl cluster-info`.

mod dump;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::Outcome;
use crate::api::json::Value;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cluster::{Cluster, Place, Selection};
use crate::kinds;
use crate::kinds::tree::{int, list, text};

/// Show the addresses of the cluster's services
///
/// Examples:
///   ctl cluster-info
///   ctl cluster-info dump --output-directory=dump
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ClusterInfoArgs {
    #[command(subcommand)]
    command: Option<ClusterInfoCommand>,
    #[arg(hide = true)]
    words: Vec<String>,
}

#[derive(Debug, Subcommand)]
enum ClusterInfoCommand {
    Dump(dump::DumpArgs),
}

pub(crate) fn run(args: &ClusterInfoArgs, context: &Context) -> Outcome {
    if let Some(ClusterInfoCommand::Dump(args)) = &args.command {
        return dump::run(args, context);
    }
    let cluster = context.api()?;
    let listed = show(&cluster, context);
    let program = &context.program;
    // As in kubectl, the hint is printed even if the services cannot be listed.
    context.ui.out(&format!(
        "\nTo further debug and diagnose cluster problems, use '{program} cluster-info dump'.\n"
    ))?;
    listed?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the address of the control plane and of cluster services.
fn show(cluster: &Cluster, context: &Context) -> Result<(), CliError> {
    let services = services(cluster, context)?;
    let address = cluster.place();
    let host = match address.contains("://") {
        true => address,
        false => format!("file://{address}"),
    };
    place(context, "Kubernetes control plane", &host)?;
    for service in services {
        let own = &service["metadata"]["labels"]["kubernetes.io/name"];
        let name = own.as_str().filter(|name| !name.is_empty());
        // `kubernetes.io/name` is a display name, which few add-ons set.
        let name = name.unwrap_or_else(|| text(&service["metadata"], "name"));
        place(context, name, &link(&service, &host))?;
    }
    Ok(())
}

/// Returns the services that are part of the cluster itself.
fn services(cluster: &Cluster, context: &Context) -> Result<Vec<Value>, CliError> {
    let kind =
        kinds::find("", "v1", "Service").ok_or_else(|| CliError::text("there are no services"))?;
    let selection = Selection::parse(kind, "kubernetes.io/cluster-service=true", "")?;
    // Cluster services are in kube-system, so the namespace of the context does not apply.
    let namespace = context.explicit_namespace().unwrap_or("kube-system");
    let place = Place::new(kind, namespace);
    Ok(cluster
        .list(&place, &|object| selection.matches(object), None)?
        .items)
}

/// Prints a name with its URL.
fn place(context: &Context, name: &str, link: &str) -> Result<(), CliError> {
    context.ui.line(format_args!("{name} is running at {link}"))
}

fn link(service: &Value, host: &str) -> String {
    let ports = list(&service["spec"], "ports");
    if let Some(ingress) = list(&service["status"]["loadBalancer"], "ingress").first() {
        // A load balancer has an IP address or, on AWS for example, only a host name.
        let address = match text(ingress, "ip") {
            "" => text(ingress, "hostname"),
            ip => ip,
        };
        let link = |port: &Value| format!("http://{address}:{} ", int(port, "port"));
        return ports.iter().map(link).collect();
    }
    let meta = &service["metadata"];
    let mut name = text(meta, "name").to_owned();
    if let Some(port) = ports.first() {
        let own = text(port, "name");
        // The prefix `https:` makes the API server's proxy speak TLS to the backend.
        let secure = own == "https" || int(port, "port") == 443;
        name = match (secure, own) {
            (false, "") => name,
            (false, own) => format!("{name}:{own}"),
            (true, own) => format!("https:{name}:{own}"),
        };
    }
    let namespace = text(meta, "namespace");
    format!("{host}/api/v1/namespaces/{namespace}/services/{name}/proxy")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    #[test]
    fn service_url_uses_the_proxy_or_the_load_balancer() {
        let mut service = json!({"metadata": {"name": "dns", "namespace": "kube-system"},
            "spec": {"ports": [{"name": "dns", "port": 53}]}, "status": {}});
        let through = "file:///x/api/v1/namespaces/kube-system/services/dns:dns/proxy";
        assert_eq!(link(&service, "file:///x"), through);
        service["spec"]["ports"][0] = json!({"port": 443});
        assert!(link(&service, "file:///x").ends_with("/services/https:dns:/proxy"));
        service["status"]["loadBalancer"]["ingress"] = json!([{"ip": "10.0.0.1"}]);
        assert_eq!(link(&service, "file:///x"), "http://10.0.0.1:443 ");
    }

    #[test]
    fn cluster_info_prints_the_directory_as_url() {
        let shell = Shell::new();
        assert_eq!(
            shell.out("cluster-info"),
            "Kubernetes control plane is running at file://@/state\n\n\
             To further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.\n"
        );
        let said = shell.run("cluster-info --as=bob");
        assert_eq!((said.code, said.out.lines().count()), (1, 2), "{said:?}");
        assert!(
            said.err.contains("cannot list resource \"services\""),
            "{said:?}"
        );
        shell.write(
            "dns.yaml",
            "apiVersion: v1\nkind: Service\nmetadata: {name: dns, namespace: kube-system, labels: \
             {kubernetes.io/cluster-service: 'true', kubernetes.io/name: CoreDNS}}\nspec: {ports: [{port: 53}]}\n",
        );
        let _ = shell.out("create -f @/dns.yaml");
        let out = shell.out("cluster-info");
        assert!(
            out.contains("\nCoreDNS is running at file://@/state/api/v1/namespaces/kube-system/services/dns/proxy\n"),
            "{out}"
        );
    }
}
