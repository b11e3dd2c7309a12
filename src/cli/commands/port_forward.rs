//! `ctl port-forward`: forwards local ports to the address configured for a port of a fake Pod.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;

use super::{Outcome, pods};
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::cli::containers::not_upgraded;
use crate::cli::context::Context;
use crate::cli::error::{CliError, system_words};
use crate::cli::flags::Span;
use crate::cli::resource::{FileArgs, Info};
use crate::cluster::WriteOptions;
use crate::kinds::fake;
use crate::kinds::tree::{as_text, field, int, list, text};
use crate::kubelet::exec;
use crate::sys::net::{self, Forwarded, Listener, OnForward};
use crate::sys::signal;

/// Forward local ports to a Pod
///
/// Pods are simulated and listen on no port. The annotation ctl.dev/forward of a Pod, or
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
    /// Time to wait for a Pod to run
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
    let object = pods::object(&[name.as_str()], &FileArgs::default(), &cluster, context);
    let object = object.map_err(of_client_go)?;
    let timeout = args.pod_running_timeout.duration();
    let pod = pods::pod_of(object.clone(), timeout, &cluster, context)?;
    let named: Result<Vec<_>, CliError> = ports
        .iter()
        .map(|port| resolved(port, &object, &pod))
        .collect();
    let named = named?;
    let phase = text(field(&pod.object, "status"), "phase");
    if phase != "Running" {
        return Err(CliError::text(format!(
            "unable to forward port because pod is not running. Current status={phase}"
        )));
    }
    let addresses = args.addresses()?;
    let pairs: Result<Vec<_>, CliError> = named
        .iter()
        .map(|(local, remote)| numbers(local, remote))
        .collect();
    let pairs = pairs?;
    let subresources = cluster.subresources();
    let options = json!({"kind": "PodPortForwardOptions", "apiVersion": "v1"});
    let write = WriteOptions::default();
    let place = pod.place();
    let admitted = subresources.connect(&place, &pod.name, "portforward", &options, &write);
    let target = admitted.and_then(|_| subresources.port_target(&place, &pod.name));
    let target = target.map_err(|e| {
        let text =
            |status: &Status| format!("error upgrading connection: {}", not_upgraded(status));
        CliError::from(e).reworded(text)
    })?;
    let (mut all, mut is_heard) = (Vec::new(), false);
    for &(local, remote) in &pairs {
        let address = exec::forwarded(&target.pod, remote);
        // A connection to a port without a listener fails later, as with a real Pod; a mistake in the annotation is
        // reported now.
        if let (Err(why), Some(_)) = (&address, fake::forward(&target.pod, remote.into())) {
            let name = &pod.name;
            return Err(CliError::text(format!(
                "cannot forward port {remote} of pod/{name}: {why}"
            )));
        }
        let uid = text(field(&target.pod, "metadata"), "uid");
        let address = address.map_err(|why| {
            let (name, namespace) = (&pod.name, &pod.namespace);
            format!("error forwarding port {remote} to pod {name}_{namespace}, uid {uid}: {why}")
        });
        let (listeners, failed) = listen(&addresses, local);
        all.extend(listeners.into_iter().map(|l| (l, remote, address.clone())));
        match failed {
            None => is_heard = true,
            Some(why) => context.ui.note(&format!(
                "Unable to listen on port {local}: Listeners failed to create with the following errors: [{why}]"
            )),
        }
    }
    if !is_heard {
        let pairs = pairs
            .iter()
            .map(|(local, remote)| format!("{{{local} {remote}}}"));
        let pairs = pairs.collect::<Vec<_>>().join(" ");
        let text = format!("unable to listen on any of the requested ports: [{pairs}]");
        return Err(CliError::text(text));
    }
    serve(all, context)
}

/// Returns the error with the name of client-go's scheme, which kubectl uses here but not in its other commands.
fn of_client_go(error: CliError) -> CliError {
    match error {
        CliError::Text(text) => {
            let scheme = "k8s.io/client-go/kubernetes/scheme/register.go:82";
            CliError::Text(text.replace("pkg/scheme/scheme.go:28", scheme))
        }
        other => other,
    }
}

/// An address to listen on.
#[derive(Clone, Copy, Debug)]
struct Place {
    address: IpAddr,
    /// True for the two addresses of `localhost`: listening on one of them is enough.
    is_own: bool,
}

impl PortForwardArgs {
    /// Returns the addresses to listen on.
    fn addresses(&self) -> Result<Vec<Place>, CliError> {
        let mut all = Vec::new();
        for name in &self.address {
            match (name.as_str(), name.parse::<IpAddr>()) {
                ("localhost", _) => {
                    let own = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
                    all.extend(own.map(|address| Place {
                        address,
                        is_own: true,
                    }));
                }
                (_, Ok(address)) => all.push(Place {
                    address,
                    is_own: false,
                }),
                (other, Err(_)) => {
                    return Err(CliError::text(format!("{other} is not a valid IP")));
                }
            }
        }
        Ok(all)
    }
}

/// Listens on a port of all addresses. Returns the listeners, and the errors if a required address could not be bound.
fn listen(addresses: &[Place], port: u16) -> (Vec<Listener>, Option<String>) {
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    let (mut is_own_heard, mut is_other_lost) = (false, false);
    for place in addresses {
        let address = SocketAddr::new(place.address, port);
        match Listener::bind(address, !place.is_own) {
            Ok(listener) => {
                found.push(listener);
                is_own_heard |= place.is_own;
            }
            Err(e) => {
                let network = if address.is_ipv4() { "tcp4" } else { "tcp6" };
                let why = system_words(&e);
                errors.push(format!(
                    "unable to create listener: Error listen {network} {address}: bind: {why}"
                ));
                is_other_lost |= !place.is_own;
            }
        }
    }
    let is_own_lost = !is_own_heard && addresses.iter().any(|place| place.is_own);
    let is_lost = is_other_lost || is_own_lost;
    (found, is_lost.then(|| errors.join(" ")))
}

/// Forwards connections until the command is stopped.
fn serve(all: Vec<(Listener, u16, Result<String, String>)>, context: &Context) -> Outcome {
    let stop = signal::stop_flag()?;
    let (mut ports, mut shown) = (Vec::new(), Vec::new());
    for (listener, remote, address) in all {
        let local = listener.address();
        if let Some(local) = local {
            // Scripts wait for kubectl's line and read the free port from it.
            let text = format!("Forwarding from {local} -> {remote}");
            context.ui.line(text)?;
        }
        shown.push((local.map_or(0, |local| local.port()), remote));
        ports.push((listener, address));
    }
    let ui = context.ui.clone();
    let is_lost = Arc::new(AtomicBool::new(false));
    let (loses, ends) = (Arc::clone(&is_lost), Arc::clone(&stop));
    let told: OnForward = Arc::new(move |number, what| {
        let (local, remote) = shown[number];
        match what {
            // A connection that is open continues even if standard output is closed.
            Forwarded::Taken => drop(ui.line(format!("Handling connection for {local}"))),
            Forwarded::Failed(e) => {
                ui.note(&format!(
                    "an error occurred forwarding {local} -> {remote}: {e}"
                ));
                // kubectl closes its connection to the Pod after an error, so the command ends.
                loses.store(true, Ordering::Relaxed);
                ends.store(true, Ordering::Relaxed);
            }
        }
    });
    net::forward(ports, &stop, &told)?;
    match is_lost.load(Ordering::Relaxed) {
        true => Err(CliError::text("lost connection to pod")),
        false => Ok(ExitCode::SUCCESS),
    }
}

fn needs_ports(context: &Context) -> CliError {
    context.usage("TYPE/NAME and list of ports are required for port-forward")
}

/// Returns the local port of an argument, and the number of the port in the Pod.
fn resolved(port: &str, object: &Info, pod: &Info) -> Result<(String, String), CliError> {
    // As in kubectl, only the first part counts if an argument has more than two.
    let (local, remote) = match *port.split(':').collect::<Vec<_>>() {
        [local, remote] => (local, remote),
        [port, ..] => (port, port),
        [] => ("", ""),
    };
    let mut local = local.to_owned();
    let mut target = remote.to_owned();
    if object.kind.is_addressed() {
        let service = service_port(remote, object)?;
        if local == remote {
            local = int(service, "port").to_string();
        }
        let own = field(service, "targetPort");
        target = match (own.as_i64(), as_text(own)) {
            // An absent `targetPort` means the Service's own port.
            (Some(0), _) | (None, "") => int(service, "port").to_string(),
            (Some(number), _) => number.to_string(),
            (None, name) => name.to_owned(),
        };
    }
    let number = pod_port(&target, pod)?;
    if local == remote && !object.kind.is_addressed() {
        local.clone_from(&number);
    }
    Ok((local, number))
}

/// Returns the port of a Service that has the given number or name.
fn service_port<'s>(port: &str, service: &'s Info) -> Result<&'s Value, CliError> {
    let refuse = |text: String| Err(CliError::text(text));
    let name = &service.name;
    let number = port.parse::<i64>().ok();
    let mut ports = list(field(&service.object, "spec"), "ports").iter();
    let found = ports.find(|own| match number {
        Some(number) => int(own, "port") == number,
        None => text(own, "name") == port,
    });
    let Some(found) = found else {
        return refuse(match number {
            Some(_) => format!("Service {name} does not have a service port {port}"),
            None => format!("Service '{name}' does not have a named port '{port}'"),
        });
    };
    match text(found, "protocol") {
        "UDP" => refuse(format!("UDP protocol is not supported for {port}")),
        _ => Ok(found),
    }
}

/// Returns the number of a Pod's port that is given by its number or name.
fn pod_port(target: &str, pod: &Info) -> Result<String, CliError> {
    let refuse = |text: String| Err(CliError::text(text));
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
        // An empty name does not select a port without a name.
        Some(own) if !target.is_empty() => Ok(int(own, "containerPort").to_string()),
        // A container may listen on ports that it does not declare, so a number is used as it is.
        _ if number.is_some() => Ok(target.to_owned()),
        _ => refuse(format!(
            "Pod '{}' does not have a named port '{target}'",
            pod.name
        )),
    }
}

/// Reads a local and a remote port.
fn numbers(local: &str, remote: &str) -> Result<(u16, u16), CliError> {
    let read = |end: &str, text: &str| {
        match text.parse::<u64>() {
        // Go's parser accepts no sign, but Rust's accepts a plus.
        Ok(number) if !text.starts_with('+') => u16::try_from(number).map_err(|_| {
            format!("error parsing {end} port '{text}': strconv.ParseUint: parsing {text:?}: value out of range")
        }),
        _ => Err(format!(
            "error parsing {end} port '{text}': strconv.ParseUint: parsing {text:?}: invalid syntax"
        )),
    }
    };
    // `:80` takes any free port.
    let local = if local.is_empty() { "0" } else { local };
    match read("local", local).and_then(|local| Ok((local, read("remote", remote)?))) {
        Ok((_, 0)) => Err(CliError::text("remote port must be > 0")),
        Ok(pair) => Ok(pair),
        Err(text) => Err(CliError::text(text)),
    }
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
        let of = |object: &Info, port: &str| {
            let found = resolved(port, object, &pod).map_err(|e| e.to_string());
            found.map(|(local, remote)| format!("{local}->{remote}"))
        };
        for (object, port, expected) in [
            (&pod, "http", "8080->8080"),
            (&pod, "9:http", "9->8080"),
            (&pod, "99", "99->99"),
            (&pod, "1:2:3", "1->1"),
            (&pod, ":99", "->99"),
            (&service, "80", "80->8080"),
            (&service, "web", "80->8080"),
            (&service, "7:web", "7->8080"),
            (&service, "81", "81->9090"),
        ] {
            assert_eq!(of(object, port).as_deref(), Ok(expected), "{port}");
        }
        for (object, port, error) in [
            (&pod, "nope", "Pod 'web' does not have a named port 'nope'"),
            (&pod, ":", "Pod 'web' does not have a named port ''"),
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
        let read = |local: &str, remote: &str| numbers(local, remote).map_err(|e| e.to_string());
        assert_eq!(read("8080", "80"), Ok((8080, 80)));
        assert_eq!(read("", "80"), Ok((0, 80)));
        assert_eq!(read("0", "0").unwrap_err(), "remote port must be > 0");
        assert!(
            read("70000", "70000")
                .unwrap_err()
                .ends_with("value out of range")
        );
        assert_eq!(
            read("x", "80").unwrap_err(),
            "error parsing local port 'x': strconv.ParseUint: parsing \"x\": invalid syntax"
        );
    }

    #[test]
    fn a_port_without_a_listener_is_reported() {
        let place = |address: &str, is_own| Place {
            address: address.parse().unwrap(),
            is_own,
        };
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port();
        let (found, why) = listen(&[place("127.0.0.1", true)], port);
        assert!(found.is_empty());
        assert_eq!(
            why.unwrap(),
            format!(
                "unable to create listener: Error listen tcp4 127.0.0.1:{port}: bind: address already in use"
            )
        );
        // One address of `localhost` is enough, but every address given by number is required.
        let (found, why) = listen(&[place("127.0.0.1", false), place("127.0.0.2", true)], port);
        assert!(why.is_some() && found.len() == 1, "{why:?}");
        drop(found);
        let (found, why) = listen(&[place("127.0.0.1", true), place("127.0.0.2", true)], port);
        assert!(why.is_none() && found.len() == 1, "{why:?}");
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
            ("port-forward web 0:80:90", "remote port must be > 0"),
            (
                "port-forward web x:80",
                "error parsing local port 'x': strconv.ParseUint: parsing \"x\": invalid syntax",
            ),
            (
                "port-forward web 80 --address=here",
                "here is not a valid IP",
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
