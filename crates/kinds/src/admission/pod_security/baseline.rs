//! The baseline level, which forbids known privilege escalations.

use std::collections::BTreeSet;

use super::{Finding, Parts, context, named, pod_and, quoted};
use crate::api::json::Value;
use crate::tree::{entries, field, flag, has, int, list, text, texts};

/// The capabilities that containers may add: the default set of container runtimes.
const CAPABILITIES: &[&str] = &[
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
];

/// The sysctls that Pods may set by default. The baseline level and kubelets have the same list.
pub const SAFE_SYSCTLS: &[&str] = &[
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ping_group_range",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.tcp_wmem",
];

/// Returns the minor version of the standards since which a Pod may set a sysctl; 0 if it always could.
fn safe_since(sysctl: &str) -> u32 {
    match sysctl {
        "net.ipv4.ip_local_reserved_ports" => 27,
        "net.ipv4.tcp_fin_timeout"
        | "net.ipv4.tcp_keepalive_intvl"
        | "net.ipv4.tcp_keepalive_probes"
        | "net.ipv4.tcp_keepalive_time" => 29,
        "net.ipv4.tcp_rmem" | "net.ipv4.tcp_wmem" => 32,
        _ => 0,
    }
}

/// Returns true if a container may have this SELinux type.
fn is_usual_type(name: &str, minor: u32) -> bool {
    match name {
        "" | "container_t" | "container_init_t" | "container_kvm_t" => true,
        "container_engine_t" => minor >= 31,
        _ => false,
    }
}

const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";

/// Checks a Pod. Skips the rules for which `replaced` returns true, because the restricted level has stricter ones.
pub(super) fn check(pod: &Parts<'_>, replaced: &dyn Fn(&str) -> bool, found: &mut Vec<Finding>) {
    // In the order of upstream's check ids, in which its message lists the violations.
    app_armor(pod, found);
    // Otherwise, both levels would report the same container.
    if !replaced("capabilities") {
        capabilities(pod, found);
    }
    let flags: Vec<String> = ["hostNetwork", "hostPID", "hostIPC"]
        .into_iter()
        .filter(|name| flag(pod.spec, name))
        .map(|name| format!("{name}=true"))
        .collect();
    add(found, "host namespaces", flags.join(", "));
    if !replaced("volumes") {
        let volumes = list(pod.spec, "volumes")
            .iter()
            .filter(|v| has(v, "hostPath"));
        let names: Vec<&str> = volumes.map(|v| text(v, "name")).collect();
        add(
            found,
            "hostPath volumes",
            some(&names, |names| named("volume", names)),
        );
    }
    host_ports(pod, found);
    if pod.minor >= 34 {
        hosts(pod, found);
    }
    let privileged = pod.those(|c| flag(context(c), "privileged"));
    add(
        found,
        "privileged",
        some(&privileged, |names| {
            format!(
                "{} must not set securityContext.privileged=true",
                named("container", names)
            )
        }),
    );
    // Since 1.35, a Pod in its own user namespace may have an unmasked /proc.
    if pod.minor < 35 || field(pod.spec, "hostUsers") != &Value::Bool(false) {
        proc_mount(pod, found);
    }
    selinux(pod, found);
    if !replaced("seccomp") {
        seccomp(pod, found);
    }
    sysctls(pod, found);
    // A HostProcess container runs directly on the node, without isolation.
    let hosts = |security: &Value| flag(field(security, "windowsOptions"), "hostProcess");
    let containers = pod.those(|c| hosts(context(c)));
    if hosts(pod.context()) || !containers.is_empty() {
        let who = pod_and(hosts(pod.context()), &containers);
        let what = "must not set securityContext.windowsOptions.hostProcess=true";
        add(found, "hostProcess", format!("{who} {what}"));
    }
}

fn add(found: &mut Vec<Finding>, rule: &str, who: String) {
    if !who.is_empty() {
        found.push((rule.to_owned(), who));
    }
}

/// Formats names, or returns an empty string if there are none.
fn some(names: &[&str], words: impl Fn(&[&str]) -> String) -> String {
    if names.is_empty() {
        String::new()
    } else {
        words(names)
    }
}

fn app_armor(pod: &Parts<'_>, found: &mut Vec<Finding>) {
    let unconfined =
        |security: &Value| text(field(security, "appArmorProfile"), "type") == "Unconfined";
    let mut details = Vec::new();
    if unconfined(pod.context()) {
        let what = "must not set AppArmor profile type to \"Unconfined\"";
        details.push(format!("pod {what}"));
    }
    let containers = pod.those(|c| unconfined(context(c)));
    if !containers.is_empty() {
        let who = named("container", &containers);
        details.push(format!(
            "{who} must not set AppArmor profile type to \"Unconfined\""
        ));
    }
    // Before 1.30, annotations set the AppArmor profile; they are still honored.
    let allowed = |profile: &str| {
        profile.is_empty() || profile == "runtime/default" || profile.starts_with("localhost/")
    };
    let mut annotations: Vec<String> = entries(pod.metadata, "annotations")
        .filter(|(key, value)| {
            key.starts_with(APP_ARMOR) && !allowed(value.as_str().unwrap_or_default())
        })
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    if !annotations.is_empty() {
        annotations.sort();
        let plural = if annotations.len() == 1 { "" } else { "s" };
        details.push(format!("annotation{plural} {}", annotations.join(", ")));
    }
    // Upstream counts the details, although each may name several containers.
    let rule = match details.len() {
        0 => return,
        1 => "forbidden AppArmor profile",
        _ => "forbidden AppArmor profiles",
    };
    found.push((rule.to_owned(), details.join(", ")));
}

fn capabilities(pod: &Parts<'_>, found: &mut Vec<Finding>) {
    let mut wrong: Vec<&str> = Vec::new();
    let names = pod.those(|c| unusual(c).next().is_some());
    for container in pod.containers() {
        for capability in unusual(container) {
            if !wrong.contains(&capability) {
                wrong.push(capability);
            }
        }
    }
    wrong.sort_unstable();
    add(
        found,
        "non-default capabilities",
        some(&names, |names| {
            format!(
                "{} must not include {} in securityContext.capabilities.add",
                named("container", names),
                quoted(&wrong)
            )
        }),
    );
}

fn unusual(container: &Value) -> impl Iterator<Item = &str> {
    let added = texts(field(context(container), "capabilities"), "add");
    added.filter(|capability| !CAPABILITIES.contains(capability))
}

fn host_ports(pod: &Parts<'_>, found: &mut Vec<Finding>) {
    // A host port of 0 stands for none.
    let uses = |c: &Value| list(c, "ports").iter().any(|p| int(p, "hostPort") != 0);
    let names = pod.those(uses);
    let mut ports: Vec<i64> = pod
        .containers()
        .flat_map(|c| list(c, "ports"))
        .map(|p| int(p, "hostPort"))
        .filter(|port| *port != 0)
        .collect();
    ports.sort_unstable();
    ports.dedup();
    if names.is_empty() {
        return;
    }
    let verb = if names.len() == 1 { "uses" } else { "use" };
    let plural = if ports.len() == 1 { "" } else { "s" };
    let listed: Vec<String> = ports.iter().map(ToString::to_string).collect();
    let who = named("container", &names);
    add(
        found,
        "hostPort",
        format!("{who} {verb} hostPort{plural} {}", listed.join(", ")),
    );
}

/// Reports hosts in probes and hooks, to which the kubelet would send requests.
fn hosts(pod: &Parts<'_>, found: &mut Vec<Finding>) {
    let mut named_in = BTreeSet::new();
    let mut hosts = BTreeSet::new();
    for container in pod.containers() {
        let hooks = field(container, "lifecycle");
        let handlers = [
            field(container, "livenessProbe"),
            field(container, "readinessProbe"),
            field(container, "startupProbe"),
            field(hooks, "postStart"),
            field(hooks, "preStop"),
        ];
        for handler in handlers {
            for action in ["httpGet", "tcpSocket"] {
                let host = text(field(handler, action), "host");
                if !host.is_empty() {
                    named_in.insert(text(container, "name"));
                    hosts.insert(host);
                }
            }
        }
    }
    if named_in.is_empty() {
        return;
    }
    let verb = if named_in.len() == 1 { "uses" } else { "use" };
    let plural = if hosts.len() == 1 { "" } else { "s" };
    // Unlike in the other rules, the names are sorted and listed once.
    let who = named("container", &Vec::from_iter(named_in));
    let hosts = quoted(&Vec::from_iter(hosts));
    let detail = format!("{who} {verb} probe or lifecycle host{plural} {hosts}");
    add(found, "probe or lifecycle host", detail);
}

pub(super) fn proc_mount(pod: &Parts<'_>, found: &mut Vec<Finding>) {
    let mount = |c: &Value| text(context(c), "procMount").to_owned();
    let special = |c: &Value| !matches!(mount(c).as_str(), "" | "Default");
    let names = pod.those(special);
    let mut kinds: Vec<String> = pod.containers().filter(|c| special(c)).map(mount).collect();
    kinds.sort();
    kinds.dedup();
    let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
    add(
        found,
        "procMount",
        some(&names, |names| {
            let who = named("container", names);
            format!(
                "{who} must not set securityContext.procMount to {}",
                quoted(&kinds)
            )
        }),
    );
}

fn selinux(pod: &Parts<'_>, found: &mut Vec<Finding>) {
    let options = |security: &Value| field(security, "seLinuxOptions").clone();
    let wrong = |security: &Value| {
        let own = options(security);
        !is_usual_type(text(&own, "type"), pod.minor)
            || !text(&own, "user").is_empty()
            || !text(&own, "role").is_empty()
    };
    let containers = pod.those(|c| wrong(context(c)));
    let on_pod = wrong(pod.context());
    if !on_pod && containers.is_empty() {
        return;
    }
    // Upstream collects the values of the whole Pod, not only of the offending containers.
    let all = || {
        std::iter::once(pod.context())
            .chain(pod.containers().map(context))
            .map(options)
    };
    let mut types: Vec<String> = all().map(|own| text(&own, "type").to_owned()).collect();
    types.retain(|name| !is_usual_type(name, pod.minor));
    types.sort();
    types.dedup();
    let mut what = Vec::new();
    if !types.is_empty() {
        let plural = if types.len() == 1 { "" } else { "s" };
        let types: Vec<&str> = types.iter().map(String::as_str).collect();
        what.push(format!("type{plural} {}", quoted(&types)));
    }
    for name in ["user", "role"] {
        if all().any(|own| !text(&own, name).is_empty()) {
            what.push(format!("{name} may not be set"));
        }
    }
    let who = pod_and(on_pod, &containers);
    let what = what.join("; ");
    add(
        found,
        "seLinuxOptions",
        format!("{who} set forbidden securityContext.seLinuxOptions: {what}"),
    );
}

fn seccomp(pod: &Parts<'_>, found: &mut Vec<Finding>) {
    let profile = |security: &Value| text(field(security, "seccompProfile"), "type").to_owned();
    let wrong = |security: &Value| profile(security) == "Unconfined";
    let containers = pod.those(|c| wrong(context(c)));
    if wrong(pod.context()) || !containers.is_empty() {
        let who = pod_and(wrong(pod.context()), &containers);
        let what = "must not set securityContext.seccompProfile.type to \"Unconfined\"";
        add(found, "seccompProfile", format!("{who} {what}"));
    }
}

fn sysctls(pod: &Parts<'_>, found: &mut Vec<Finding>) {
    let names = list(pod.context(), "sysctls")
        .iter()
        .map(|s| text(s, "name"));
    let safe = |name: &&str| SAFE_SYSCTLS.contains(name) && safe_since(name) <= pod.minor;
    let wrong: Vec<&str> = names.filter(|name| !safe(name)).collect();
    add(found, "forbidden sysctls", wrong.join(", "));
}
