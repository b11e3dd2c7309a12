//! `ctl port-forward`: forwards local ports to the address configured for a port of a fake Pod.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::{Outcome, pods};
use crate::api::json::Value;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::Span;
use crate::cli::resource::{FileArgs, Info};
use crate::kinds::tree::{as_text, field, int, list, text};
use crate::kubelet::inside;
use crate::sys::net::{self, Forwarded, Listener, Told};
use crate::sys::signal;

/// Forward local ports to a pod
///
/// Pods are simulated and listen on no port. The annotation ctl.dev/forward of a pod, or
/// ctl.dev/forward.PORT for one port, names the HOST:PORT of this machine to which connections are
/// forwarded.
///
/// Examples:
///   ctl port-forward web-0 8080:80
///   ctl port-forward svc/web :http
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct PortForwardArgs {
    /// POD or TYPE/NAME, and then ports: REMOTE, or LOCAL:REMOTE
    words: Vec<String>,
    /// Addresses to listen on
    #[arg(
        long,
        value_name = "ADDRESS,..",
        value_delimiter = ',',
        default_value = "localhost"
    )]
    address: Vec<String>,
    /// Time to wait for a pod to run
    #[arg(long, value_name = "TIME", default_value = "1m0s")]
    pod_running_timeout: Span,
}

pub(crate) fn run(args: &PortForwardArgs, context: &Context) -> Outcome {
    let [name, ports @ ..] = args.words.as_slice() else {
        return Err(needs_ports(context));
    };
    if ports.is_empty() {
        return Err(needs_ports(context));
    }
    pods::check_timeout(args.pod_running_timeout).map_err(|e| context.usage(e))?;
    let cluster = context.api()?;
    // kubectl's order of checks: the object, its Pod, the ports, and only then whether the Pod runs.
    let object = pods::object(&[name.as_str()], &FileArgs::default(), &cluster, context)?;
    let timeout = args.pod_running_timeout.duration();
    let pod = pods::pod_of(object.clone(), timeout, &cluster, context)?;
    let mut pairs = Vec::new();
    for port in ports {
        let (local, remote) = port.split_once(':').unwrap_or((port, port));
        let remote = resolved(remote, &object, &pod)?;
        check(port, local, &remote)?;
        let remote: u16 = remote.parse().unwrap_or_default();
        // `:80` takes any free port, and a name means the number that it stands for.
        let local = if local.is_empty() {
            0
        } else {
            local.parse().unwrap_or(remote)
        };
        pairs.push((local, remote));
    }
    let phase = text(field(&pod.object, "status"), "phase");
    if phase != "Running" {
        return Err(CliError::text(format!(
            "unable to forward port because pod is not running. Current status={phase}"
        )));
    }
    let target = cluster
        .subresources()
        .port_target(&pod.place(), &pod.name)?;
    let mut all = Vec::new();
    for (local, remote) in pairs {
        let address = inside::forwarded(&target.pod, remote).map_err(|why| {
            CliError::text(format!(
                "cannot forward port {remote} of pod/{}: {why}",
                pod.name
            ))
        })?;
        for listener in args.listen(local)? {
            all.push((listener, remote, address.clone()));
        }
    }
    serve(all, context)
}

impl PortForwardArgs {
    /// Listens at a port of all addresses.
    fn listen(&self, port: u16) -> Result<Vec<Listener>, CliError> {
        let mut found = Vec::new();
        let mut failed = None;
        for name in &self.address {
            let (addresses, anywhere) = match (name.as_str(), name.parse::<IpAddr>()) {
                ("localhost", _) => (
                    vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()],
                    false,
                ),
                (_, Ok(address)) => (vec![address], true),
                (other, Err(_)) => {
                    return Err(CliError::text(format!("{other} is not a valid IP")));
                }
            };
            for address in addresses {
                match Listener::bind(SocketAddr::new(address, port), anywhere) {
                    Ok(listener) => found.push(listener),
                    // One of the two addresses of localhost is enough, as for kubectl.
                    Err(e) => failed = Some(e),
                }
            }
        }
        match (found.is_empty(), failed) {
            (true, Some(e)) => Err(CliError::text(format!(
                "unable to listen on port {port}: Listeners failed to create with the following errors: [{e}]"
            ))),
            _ => Ok(found),
        }
    }
}

/// Forwards connections until the command is stopped.
fn serve(all: Vec<(Listener, u16, String)>, context: &Context) -> Outcome {
    let stop = signal::stop_flag()?;
    let (mut ports, mut shown) = (Vec::new(), Vec::new());
    for (listener, remote, address) in all {
        let local = listener.address();
        if let Some(local) = local {
            // kubectl's line, which scripts wait for and read a free port from.
            let text = format!("Forwarding from {local} -> {remote}");
            context.ui.line(text)?;
        }
        shown.push((local.map_or(0, |local| local.port()), remote));
        ports.push((listener, address));
    }
    let ui = context.ui.clone();
    let told: Told = Arc::new(move |number, what| {
        let (local, remote) = shown[number];
        match what {
            // Open connections continue even if the output is closed.
            Forwarded::Taken => drop(ui.line(format!("Handling connection for {local}"))),
            Forwarded::Failed(e) => ui.note(&format!(
                "an error occurred forwarding {local} -> {remote}: {e}"
            )),
        }
    });
    net::forward(ports, &stop, &told)?;
    Ok(ExitCode::SUCCESS)
}

fn needs_ports(context: &Context) -> CliError {
    context.usage("TYPE/NAME and list of ports are required for port-forward")
}

/// Returns the number of the Pod's port.
fn resolved(port: &str, object: &Info, pod: &Info) -> Result<String, CliError> {
    let refuse = |text: String| Err(CliError::text(text));
    let number = port.parse::<i64>().ok();
    let mut target = port.to_owned();
    if object.kind.is_addressed() {
        let name = &object.name;
        let ports = list(field(&object.object, "spec"), "ports");
        let is_meant = |own: &&Value| match number {
            Some(number) => int(own, "port") == number,
            None => text(own, "name") == port,
        };
        let Some(found) = ports.iter().find(is_meant) else {
            return refuse(match number {
                Some(_) => format!("Service {name} does not have a service port {port}"),
                None => format!("Service '{name}' does not have a named port '{port}'"),
            });
        };
        if text(found, "protocol") == "UDP" {
            return refuse(format!("UDP protocol is not supported for {port}"));
        }
        let own = field(found, "targetPort");
        target = match (own.as_i64(), as_text(own)) {
            // An absent `targetPort` means the Service's own port.
            (Some(0), _) | (None, "") => int(found, "port").to_string(),
            (Some(number), _) => number.to_string(),
            (None, name) => name.to_owned(),
        };
    }
    let containers = list(field(&pod.object, "spec"), "containers").iter();
    let mut ports = containers.flat_map(|c| list(c, "ports"));
    let number = target.parse::<i64>().ok();
    let found = ports.find(|own| match number {
        Some(number) => int(own, "containerPort") == number,
        None => text(own, "name") == target,
    });
    match found {
        Some(own) if text(own, "protocol") == "UDP" => {
            refuse(format!("UDP protocol is not supported for {target}"))
        }
        Some(own) => Ok(int(own, "containerPort").to_string()),
        // A container listens on ports that it does not declare, so a number needs no declaration.
        None if number.is_some() || target.is_empty() => Ok(target),
        None => refuse(format!(
            "Pod '{}' does not have a named port '{target}'",
            pod.name
        )),
    }
}

/// Checks that both ends are ports.
fn check(whole: &str, local: &str, remote: &str) -> Result<(), CliError> {
    let refuse = |text: String| Err(CliError::text(text));
    if whole.matches(':').count() > 1 {
        return refuse(format!("invalid port format '{whole}'"));
    }
    let unreadable = |end: &str, text: &str, why: &str| {
        let cause = format!("strconv.ParseUint: parsing {text:?}: {why}");
        format!("error parsing {end} port '{text}': {cause}")
    };
    for (end, text) in [("local", local), ("remote", remote)] {
        // Not checked: an empty local port means any free one, and a name stands for the number of the remote port.
        if end == "local" && (text.is_empty() || text.parse::<u64>().is_err()) {
            continue;
        }
        match text.parse::<u64>() {
            Ok(0) if end == "remote" => return refuse("remote port must be > 0".to_owned()),
            Ok(number) if number > 65535 => {
                return refuse(unreadable(end, text, "value out of range"));
            }
            Ok(_) => {}
            Err(_) => return refuse(unreadable(end, text, "invalid syntax")),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::cli::testing::Shell;
    use crate::kinds;

    fn info(kind: &str, object: Value) -> Info {
        Info {
            kind: kinds::find("", "v1", kind).unwrap(),
            namespace: "default".to_owned(),
            name: "web".to_owned(),
            source: String::new(),
            object,
        }
    }

    #[test]
    fn ports_are_found_by_number_and_by_name() {
        let pod = info(
            "Pod",
            json!({"spec": {"containers": [{"ports": [
                {"name": "http", "containerPort": 8080}, {"name": "dns", "containerPort": 53, "protocol": "UDP"},
            ]}]}}),
        );
        let service = info(
            "Service",
            json!({"spec": {"ports": [
                {"name": "web", "port": 80, "targetPort": "http"}, {"port": 81, "targetPort": 9090},
            ]}}),
        );
        let of =
            |object: &Info, port: &str| resolved(port, object, &pod).map_err(|e| e.to_string());
        assert_eq!(of(&pod, "http").as_deref(), Ok("8080"));
        assert_eq!(of(&pod, "99").as_deref(), Ok("99"));
        assert_eq!(of(&service, "80").as_deref(), Ok("8080"));
        assert_eq!(of(&service, "web").as_deref(), Ok("8080"));
        assert_eq!(of(&service, "81").as_deref(), Ok("9090"));
        for (object, port, error) in [
            (&pod, "nope", "Pod 'web' does not have a named port 'nope'"),
            (&pod, "53", "UDP protocol is not supported for 53"),
            (
                &service,
                "99",
                "Service web does not have a service port 99",
            ),
            (
                &service,
                "x",
                "Service 'web' does not have a named port 'x'",
            ),
        ] {
            assert_eq!(of(object, port).unwrap_err(), error);
        }
    }

    #[test]
    fn both_ends_must_be_ports() {
        check("8080:80", "8080", "80").unwrap();
        check(":80", "", "80").unwrap();
        let error = |whole: &str, local: &str, remote: &str| {
            check(whole, local, remote).unwrap_err().to_string()
        };
        assert_eq!(error("1:2:3", "1", "2:3"), "invalid port format '1:2:3'");
        assert_eq!(error("0", "0", "0"), "remote port must be > 0");
        assert!(error("70000", "70000", "70000").ends_with("value out of range"));
    }

    #[test]
    fn port_forward_rejects_invalid_arguments_before_connecting() {
        let shell = Shell::seeded();
        shell.all(&[
            "run web --image=i --port=80 --expose",
            "run late --image=i",
            "settle",
            "run waits --image=i",
        ]);
        let needs = "TYPE/NAME and list of ports are required for port-forward\n\
                     See 'kubectl port-forward -h' for help and examples";
        shell.refuses(&[
            ("port-forward", needs),
            ("port-forward web", needs),
            (
                "port-forward none 80",
                "Error from server (NotFound): pods \"none\" not found",
            ),
            (
                "port-forward waits 80",
                "unable to forward port because pod is not running. Current status=Pending",
            ),
            (
                "port-forward web :http",
                "Pod 'web' does not have a named port 'http'",
            ),
            (
                "port-forward svc/web 81",
                "Service web does not have a service port 81",
            ),
            (
                "port-forward svc/web :x",
                "Service 'web' does not have a named port 'x'",
            ),
        ]);
        let nobody = shell.fails("port-forward svc/web 8080:80");
        assert!(
            nobody.starts_with(
                "error: cannot forward port 80 of pod/web: failed to connect to localhost:80"
            ),
            "{nobody}"
        );
        let _ = shell.out("annotate pod web ctl.dev/forward=10.0.0.1:80");
        let far = shell.fails("port-forward web :80");
        assert!(far.contains("is not a HOST:PORT of this machine"), "{far}");
        let _ = shell.out("annotate --overwrite pod web ctl.dev/forward=127.0.0.1:1");
        shell.refuses(&[(
            "port-forward web :80 --address=here",
            "here is not a valid IP",
        )]);
    }
}
