//! The replacement programs: `kube-apiserver` is `ctl serve` with a cluster in memory; `etcd` only reports that it is
//! healthy.

use std::ffi::OsString;
use std::net::ToSocketAddrs as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use super::flags::Flags;
use crate::cli::error::CliError;
use crate::cli::ui::Ui;
use crate::serve::Page;
use crate::serve::http::{Limits, Server};
use crate::sys::signal;

/// The name of the link that enables the controllers, next to the program. It is a link because a file would need
/// content.
pub(super) const CONTROLLERS: &str = ".controllers";

type Outcome = Result<ExitCode, CliError>;

/// The version that the replacement of `etcd` reports: the newest minor version that Kubernetes 1.36 supports.
const ETCD: &str = "3.6.0";

/// The flags of `kube-apiserver` that have an effect.
const SERVER: &[&str] = &[
    "audit-log-path",
    "authorization-mode",
    "bind-address",
    "cert-dir",
    "client-ca-file",
    "disable-admission-plugins",
    "secure-port",
    "service-account-issuer",
    "service-account-signing-key-file",
    "service-cluster-ip-range",
    "tls-cert-file",
    "tls-private-key-file",
    "token-auth-file",
];

/// The flags that have no effect, with the values that describe this server anyway.
const VALUES: &[(&str, &[&str])] = &[
    ("allow-privileged", &["true"]),
    ("authorization-mode", &["AlwaysAllow", "Node", "RBAC"]),
    ("disable-admission-plugins", &["ServiceAccount"]),
];

/// The flags that envtest always passes and that have no effect.
const HARMLESS: &[&str] = &[
    "advertise-address",
    "allow-privileged",
    "etcd-servers",
    // The public part of the key that signs.
    "service-account-key-file",
    "v",
];

/// The flags of `etcd` that have an effect, and those that have none.
const STORE: &[&str] = &["listen-client-urls"];
const STORE_HARMLESS: &[&str] = &[
    "advertise-client-urls",
    "data-dir",
    "listen-peer-urls",
    "unsafe-no-fsync",
];

/// The result of a start under the name of another program.
#[derive(Debug)]
pub(crate) enum LaunchOutcome {
    /// The program has ended.
    Ended(Outcome),
    /// The program runs as `ctl` with these arguments.
    Ctl(Vec<OsString>),
}

/// Runs as the program whose name `ctl` was started under; none if that is no known name.
pub(crate) fn run_as(program: &str, args: &[OsString], ui: &Ui) -> Option<LaunchOutcome> {
    let (path, rest) = args.split_first()?;
    let flags = Flags::from_args(rest);
    let asked = |name: &str| flags.get(name).is_some();
    let (version, known) = match program {
        "kube-apiserver" => (
            format!("Kubernetes {}", crate::serve::VERSION),
            [SERVER, HARMLESS],
        ),
        "etcd" => (format!("etcd Version: {ETCD}"), [STORE, STORE_HARMLESS]),
        _ => return None,
    };
    if asked("version") {
        return Some(LaunchOutcome::Ended(told(ui, &version)));
    }
    // envtest parses this text to find the existing flags: each must be on a line of its own, after blanks.
    if asked("help") {
        let lines = known
            .concat()
            .into_iter()
            .map(|name| format!("      --{name} string"));
        return Some(LaunchOutcome::Ended(told(
            ui,
            &lines.collect::<Vec<_>>().join("\n"),
        )));
    }
    for name in flags.beyond(&known.concat()) {
        ui.note(&format!("{program}: --{name} has no effect"));
    }
    if program == "kube-apiserver" {
        for (name, value) in without_effect(&flags) {
            ui.note(&format!("{program}: --{name}={value} has no effect"));
        }
    }
    Some(match program {
        "etcd" => LaunchOutcome::Ended(store(&flags, ui)),
        _ => LaunchOutcome::Ctl(server(Path::new(path), &flags)),
    })
}

/// Returns the flags with values that have no effect.
fn without_effect(flags: &Flags) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for (name, known) in VALUES {
        let values = flags.get(name).unwrap_or_default().split(',');
        let others = values.filter(|value| !value.is_empty() && !known.contains(value));
        found.extend(others.map(|value| (*name, value)));
    }
    found
}

fn told(ui: &Ui, text: &str) -> Outcome {
    ui.line(text)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the command that serves a new cluster with envtest's certificates.
fn server(path: &Path, flags: &Flags) -> Vec<OsString> {
    let host = flags.get("bind-address").unwrap_or("127.0.0.1");
    let host = match host.contains(':') {
        true => format!("[{host}]"),
        false => host.to_owned(),
    };
    let port = flags.get("secure-port").unwrap_or("6443");
    let mut args: Vec<OsString> = ["ctl", "serve", "--store", "memory:"]
        .map(OsString::from)
        .into();
    let mut add = |words: &[&str]| args.extend(words.iter().map(OsString::from));
    add(&["--listen", &format!("{host}:{port}")]);
    // The program that ctl replaces listens on any address by default, so no user has to permit it.
    add(&["--anywhere"]);
    let files = ["tls-cert-file", "tls-private-key-file"].map(|flag| flags.get(flag));
    match files {
        [None, None] => {
            let directory = flags.get("cert-dir").unwrap_or("/var/run/kubernetes");
            add(&["--cert-dir", directory]);
        }
        [certificate, key] => {
            // The server rejects one without the other.
            for (flag, file) in [
                ("--tls-cert-file", certificate),
                ("--tls-private-key-file", key),
            ] {
                add(&file.map_or_else(Vec::new, |file| vec![flag, file]));
            }
        }
    }
    for flag in [
        "client-ca-file",
        "token-auth-file",
        "service-account-issuer",
        "service-account-signing-key-file",
        "service-cluster-ip-range",
    ] {
        if let Some(value) = flags.get(flag) {
            add(&[&format!("--{flag}"), value]);
        }
    }
    if let Some(path) = flags.get("audit-log-path") {
        // kube-apiserver's name for standard output.
        add(&[
            "--audit-log",
            if path == "-" { "/dev/stdout" } else { path },
        ]);
    }
    let modes = flags.get("authorization-mode").unwrap_or_default();
    if modes.split(',').any(|mode| mode == "AlwaysAllow") {
        add(&["--always-allow"]);
    }
    let off = flags.get("disable-admission-plugins").unwrap_or_default();
    if off.split(',').any(|name| name == "ServiceAccount") {
        add(&["--without-accounts"]);
    }
    match path.with_file_name(CONTROLLERS).is_symlink() {
        true => add(&["--controllers"]),
        false => add(&["--bare"]),
    }
    args
}

/// Reports a healthy store until it is stopped. The server does not use the store.
fn store(flags: &Flags, ui: &Ui) -> Outcome {
    let urls = flags
        .get("listen-client-urls")
        .unwrap_or("http://localhost:2379");
    let url = urls.split(',').next().unwrap_or_default();
    let (scheme, authority) = url.split_once("://").unwrap_or(("", url));
    if scheme == "https" {
        let text = format!("cannot listen at {url}: use http://, there is no TLS to this store");
        return Err(CliError::text(text));
    }
    let named = |e: std::io::Error| CliError::text(format!("cannot listen at {url}: {e}"));
    let address = authority
        .trim_end_matches('/')
        .to_socket_addrs()
        .map_err(named)?
        .next();
    let address = address.ok_or_else(|| CliError::text(format!("{url} is not an address")))?;
    let limits = Limits {
        connections: 64,
        watches: 0,
        memory: 16 << 20,
        ..Limits::default()
    };
    let stop = signal::stop_flag()?;
    let server = Server::bind(address, false, limits).map_err(named)?;
    ui.note(&format!(
        "etcd: healthy at {url}; kube-apiserver keeps the objects in memory"
    ));
    let page = Arc::new(Page::health(|| {
        r#"{"health":"true","reason":""}"#.to_owned()
    }));
    server.run(&page, &stop)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(args: &[&str]) -> Option<String> {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let (ui, captured) = Ui::captured();
        let program = args[0].to_string_lossy().into_owned();
        let LaunchOutcome::Ended(done) = run_as(&program, &args, &ui)? else {
            panic!("{program} would go on");
        };
        let done = done.is_ok();
        let captured = captured.lock().unwrap();
        Some(format!("{done} {}", captured.out))
    }

    #[test]
    fn values_without_effect_are_listed() {
        let said = |args: &[&str]| {
            let args: Vec<OsString> = args.iter().map(OsString::from).collect();
            let (ui, captured) = Ui::captured();
            let played = run_as("kube-apiserver", &args, &ui);
            assert!(matches!(played, Some(LaunchOutcome::Ctl(_))));
            let captured = captured.lock().unwrap();
            captured.err.clone()
        };
        // The flags that envtest passes by default.
        let usual = [
            "kube-apiserver",
            "--allow-privileged=true",
            "--authorization-mode=RBAC",
            "--disable-admission-plugins=ServiceAccount",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--service-account-issuer=https://127.0.0.1:1/",
        ];
        assert_eq!(said(&usual), "");
        let others = [
            "kube-apiserver",
            "--authorization-mode=AlwaysDeny",
            "--disable-admission-plugins=NamespaceLifecycle,ServiceAccount",
            "--profiling=false",
        ];
        assert_eq!(
            said(&others),
            "kube-apiserver: --profiling has no effect\n\
             kube-apiserver: --authorization-mode=AlwaysDeny has no effect\n\
             kube-apiserver: --disable-admission-plugins=NamespaceLifecycle has no effect\n"
        );
    }

    #[test]
    fn flags_are_listed_as_envtest_looks_for_them() {
        let help = run(&["etcd", "--help"]).unwrap();
        assert!(help.contains("\n      --unsafe-no-fsync string"), "{help}");
        // envtest would pass a port without TLS to a program whose help lists that flag.
        let help = run(&["kube-apiserver", "--help"]).unwrap();
        assert!(help.contains("      --secure-port string"), "{help}");
        let version = run(&["kube-apiserver", "--version"]).unwrap();
        assert!(version.starts_with("true Kubernetes v1."), "{version}");
        assert_eq!(run(&["ctl", "--version"]), None);
    }
}
