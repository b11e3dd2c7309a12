//! Tests `ctl envtest`: starts, calls and stops the programs as controller-runtime's envtest does (in its
//! `pkg/internal/testing`), with the same flags and files, and with separate authorities for the server and for
//! clients.

use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::prelude::BASE64_STANDARD;

use rustix::process::Signal;

use crate::etcd::server::free_port;
use crate::serve_tls::sent_as;
use crate::support::race::{eventually, signal, write_file};
use crate::support::{World, in_time};
use ctl::api::json::{Value, json};
use ctl::pki::{Authority, SigningKey, generate};
use ctl::sys::entropy;

/// Returns a user as envtest creates it: a certificate and a key.
fn user(clients: &Authority, name: &str, groups: &[&str]) -> Value {
    let groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
    let own = clients.client(name, &groups).unwrap();
    json!({
        "client-certificate-data": BASE64_STANDARD.encode(own.certificate),
        "client-key-data": BASE64_STANDARD.encode(own.key),
    })
}

/// A control plane that stops when the value is dropped.
struct ControlPlane {
    server: Child,
    etcd: Child,
    address: String,
    authority: String,
    clients: Authority,
    admin: Value,
}

/// Starts etcd with the flags that envtest passes.
fn start_etcd(world: &World, program: &Path, url: &str) -> Child {
    let data = world.outside("etcd-data");
    world
        .command_for(program)
        .arg("--listen-peer-urls=http://localhost:0")
        .arg(format!("--advertise-client-urls={url}"))
        .arg(format!("--listen-client-urls={url}"))
        .arg(format!("--data-dir={}", data.display()))
        .arg("--unsafe-no-fsync=true")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

impl ControlPlane {
    fn start(world: &World, assets: &Path, directory: &str) -> Self {
        Self::start_as(world, assets, directory, "RBAC")
    }

    fn start_as(world: &World, assets: &Path, directory: &str, mode: &str) -> Self {
        let (etcd_port, port) = (free_port(), free_port());
        let etcd_url = format!("http://127.0.0.1:{etcd_port}");
        let etcd = start_etcd(world, &assets.join("etcd"), &etcd_url);
        let well = || got_plain(etcd_port, "/health").is_some_and(|got| got.contains("200 OK"));
        assert!(eventually(in_time(Duration::from_secs(20)), well), "etcd");
        let [authority, clients] = [(); 2].map(|()| Authority::generate().unwrap());
        let certificates = world.outside(directory);
        std::fs::create_dir_all(&certificates).unwrap();
        let own = authority.server(&["127.0.0.1"]).unwrap().to_pem();
        let file = |name: &str, text: &str| -> PathBuf {
            let path = certificates.join(name);
            write_file(&path, text);
            path
        };
        file("apiserver.crt", &own.certificate);
        file("apiserver.key", &own.key);
        file("client-cert-auth-ca.crt", clients.certificate());
        file("sa-signer.key", &generate(&mut entropy::fill).unwrap());
        let there = |name: &str| certificates.join(name).display().to_string();
        let server = world
            .command_for(&assets.join("kube-apiserver"))
            .arg("--allow-privileged=true")
            .arg(format!("--authorization-mode={mode}"))
            .arg("--bind-address=127.0.0.1")
            .arg(format!("--cert-dir={}", certificates.display()))
            .arg(format!(
                "--client-ca-file={}",
                there("client-cert-auth-ca.crt")
            ))
            .arg("--disable-admission-plugins=ServiceAccount")
            .arg(format!("--etcd-servers={etcd_url}"))
            .arg(format!("--secure-port={port}"))
            .arg(format!(
                "--service-account-issuer=https://127.0.0.1:{port}/"
            ))
            .arg(format!(
                "--service-account-key-file={}",
                there("sa-signer.crt")
            ))
            .arg(format!(
                "--service-account-signing-key-file={}",
                there("sa-signer.key")
            ))
            .arg("--service-cluster-ip-range=10.0.0.0/24")
            .arg(format!(
                "--token-auth-file={}",
                file("tokens.csv", "robots-token,robot,1,\"dev,ops\"\n").display()
            ))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let admin = user(&clients, "admin", &["system:masters"]);
        let plane = Self {
            server,
            etcd,
            address: format!("127.0.0.1:{port}"),
            authority: authority.certificate().to_owned(),
            clients,
            admin,
        };
        // envtest sends this request without credentials.
        let ready = || {
            plane
                .asked("GET", "/readyz", "", None)
                .starts_with("HTTP/1.1 200")
        };
        assert!(
            eventually(in_time(Duration::from_secs(20)), ready),
            "kube-apiserver"
        );
        plane
    }

    /// Returns the response to a request, or the error.
    fn asked(&self, method: &str, path: &str, body: &str, user: Option<&Value>) -> String {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        sent_as(&request, &self.address, &self.authority, user).unwrap_or_else(|e| e.to_string())
    }

    /// Returns the object in the response to the administrator.
    #[track_caller]
    fn ok(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let got = self.asked(method, path, &body, Some(&self.admin));
        let (head, body) = got.split_once("\r\n\r\n").unwrap_or((&got, ""));
        assert!(head.starts_with("HTTP/1.1 20"), "{got}");
        serde_json::from_str(body).unwrap_or_else(|e| panic!("{e}: {got}"))
    }

    /// Stops the programs and waits for them to end, as envtest does. Returns true if both succeeded.
    fn stop(mut self) -> bool {
        let end = |child: &mut Child| {
            signal(child, Signal::TERM);
            child.wait().unwrap().success()
        };
        let (server, etcd) = (end(&mut self.server), end(&mut self.etcd));
        server && etcd
    }
}

impl Drop for ControlPlane {
    fn drop(&mut self) {
        for child in [&mut self.server, &mut self.etcd] {
            // A failed test must leave no process behind. Killing one that has already ended fails, which is harmless.
            drop(child.kill());
            drop(child.wait());
        }
    }
}

fn got_plain(port: u16, path: &str) -> Option<String> {
    use std::io::{Read as _, Write as _};
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut got = String::new();
    stream.read_to_string(&mut got).ok()?;
    Some(got)
}

fn installed(world: &World, args: &[&str]) -> PathBuf {
    let out = world.run(&[&["envtest"], args].concat()).ok();
    PathBuf::from(
        out.trim()
            .strip_prefix("export KUBEBUILDER_ASSETS=")
            .unwrap(),
    )
}

const NAMESPACES: &str = "/api/v1/namespaces";

fn namespace(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
}

#[test]
fn server_without_a_certificate_makes_its_own() {
    let world = World::fresh();
    let assets = installed(&world, &["assets"]);
    let (certificates, port) = (world.outside("made"), free_port());
    let start = || {
        world
            .command_for(&assets.join("kube-apiserver"))
            .arg(format!("--cert-dir={}", certificates.display()))
            .args(["--bind-address=127.0.0.1", &format!("--secure-port={port}")])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let file = |name: &str| std::fs::read_to_string(certificates.join(name)).unwrap_or_default();
    let request = "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let ready = || {
        let chain = file("apiserver.crt");
        // The authority is the last certificate of the chain.
        let authority = chain.rfind("-----BEGIN").map(|at| &chain[at..]);
        authority.is_some_and(|authority| {
            let got = sent_as(request, &format!("127.0.0.1:{port}"), authority, None);
            got.is_ok_and(|got| got.starts_with("HTTP/1.1 200"))
        })
    };
    let mut made = Vec::new();
    // The second start uses the files of the first one.
    for _ in 0..2 {
        let mut server = start();
        let is_ready = eventually(in_time(Duration::from_secs(20)), ready);
        signal(&server, Signal::TERM);
        assert!(server.wait().unwrap().success() && is_ready);
        made.push(file("apiserver.key"));
    }
    assert!(made[0].starts_with("-----BEGIN PRIVATE KEY-----") && made[0] == made[1]);
    let mode = certificates.join("apiserver.key").metadata().unwrap();
    assert_eq!(mode.permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_suite_of_envtest_starts_installs_definitions_and_stops() {
    let world = World::fresh();
    let assets = installed(&world, &["assets"]);
    let plane = ControlPlane::start(&world, &assets, "certs");
    let text = include_str!("../../testdata/custom/applications-crd.yaml");
    let definition: Value = serde_yaml::from_str(text).unwrap();
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let made = plane.ok("POST", definitions, &definition);
    let conditions = made["status"]["conditions"].as_array().unwrap();
    assert!(
        conditions
            .iter()
            .any(|c| c["type"] == "Established" && c["status"] == "True")
    );
    // No controllers run, so a namespace has no service account, and Pods do not need one.
    plane.ok("POST", NAMESPACES, &namespace("test"));
    let accounts = plane.ok(
        "GET",
        &format!("{NAMESPACES}/test/serviceaccounts"),
        &Value::Null,
    );
    assert_eq!(accounts["items"], json!([]));
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "c", "image": "nginx"}]}});
    let made = plane.ok("POST", &format!("{NAMESPACES}/test/pods"), &pod);
    assert_eq!(made["spec"].get("serviceAccountName"), None);
    assert_eq!(made["spec"].get("volumes"), None);
    let nodes = plane.ok("GET", "/api/v1/nodes", &Value::Null);
    assert_eq!(nodes["items"], json!([]));
    // A watch shows existing objects and later changes.
    let watch = format!("{NAMESPACES}/test/pods?watch=true&timeoutSeconds=1");
    let seen = plane.asked("GET", &watch, "", Some(&plane.admin));
    assert!(
        seen.contains(r#""type":"ADDED""#) && seen.contains(r#""name":"p""#),
        "{seen}"
    );
    // Users come from certificates; roles grant their rights.
    let ann = user(&plane.clients, "ann", &["dev"]);
    let refused = plane.asked("GET", NAMESPACES, "", Some(&ann));
    assert!(
        refused.starts_with("HTTP/1.1 403") && refused.contains(r#"User \"ann\" cannot list"#),
        "{refused}"
    );
    assert!(
        plane
            .asked("GET", NAMESPACES, "", None)
            .starts_with("HTTP/1.1 401")
    );
    // Users may also come from a token file, if the suite passes one.
    let request = format!(
        "GET {NAMESPACES} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer robots-token\r\n\r\n",
        plane.address
    );
    let refused = sent_as(&request, &plane.address, &plane.authority, None).unwrap();
    assert!(
        refused.starts_with("HTTP/1.1 403") && refused.contains(r#"User \"robot\" cannot list"#),
        "{refused}"
    );
    assert!(plane.stop());
    // Each start creates a new cluster.
    let again = ControlPlane::start(&world, &assets, "certs-again");
    assert!(
        again
            .asked("GET", &format!("{NAMESPACES}/test"), "", Some(&again.admin))
            .starts_with("HTTP/1.1 404")
    );
    assert!(again.stop());
}

#[test]
fn addresses_and_tokens_are_those_of_the_flags_of_envtest() {
    let world = World::fresh();
    let assets = installed(&world, &["assets"]);
    let plane = ControlPlane::start(&world, &assets, "certs");
    let services = format!("{NAMESPACES}/default/services");
    let own = plane.ok("GET", &format!("{services}/kubernetes"), &Value::Null);
    assert_eq!(own["spec"]["clusterIP"], "10.0.0.1");
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
        "spec": {"ports": [{"port": 80}]}});
    let made = plane.ok("POST", &services, &service);
    let address = made["spec"]["clusterIP"].as_str().unwrap();
    assert!(address.starts_with("10.0.0."), "{address}");
    let robot =
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}});
    let accounts = format!("{NAMESPACES}/default/serviceaccounts");
    plane.ok("POST", &accounts, &robot);
    let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest"});
    let token = plane.ok("POST", &format!("{accounts}/robot/token"), &review);
    let issuer = format!("https://{}/", plane.address);
    assert_eq!(token["spec"]["audiences"], json!([issuer]));
    let token = token["status"]["token"].as_str().unwrap();
    let claims = URL_SAFE_NO_PAD
        .decode(token.split('.').nth(1).unwrap())
        .unwrap();
    let claims: Value = serde_json::from_slice(&claims).unwrap();
    assert_eq!(claims["iss"], issuer.as_str());
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
    let key = std::fs::read_to_string(world.outside("certs").join("sa-signer.key")).unwrap();
    let key = SigningKey::from_pem(&key).unwrap();
    assert!(key.has_signed(signed.as_bytes(), &signature));
    assert!(plane.stop());
}

#[test]
fn envtest_allows_everyone_if_a_suite_asks_for_it() {
    let world = World::fresh();
    let assets = installed(&world, &["assets"]);
    let plane = ControlPlane::start_as(&world, &assets, "certs", "AlwaysAllow");
    let ann = user(&plane.clients, "ann", &["dev"]);
    let got = plane.asked("GET", NAMESPACES, "", Some(&ann));
    assert!(got.starts_with("HTTP/1.1 200"), "{got}");
    assert!(plane.stop());
}

#[test]
fn envtest_with_controllers_flag_runs_controllers() {
    let world = World::fresh();
    let assets = installed(&world, &["assets", "--controllers"]);
    let plane = ControlPlane::start(&world, &assets, "certs");
    plane.ok("POST", NAMESPACES, &namespace("test"));
    let account = format!("{NAMESPACES}/test/serviceaccounts/default");
    let there = || {
        plane
            .asked("GET", &account, "", Some(&plane.admin))
            .starts_with("HTTP/1.1 200")
    };
    assert!(eventually(in_time(Duration::from_secs(20)), there));
    // As in a real envtest, a namespace is never removed.
    plane.ok("DELETE", &format!("{NAMESPACES}/test"), &Value::Null);
    let path = format!("{NAMESPACES}/test");
    let gone = || {
        plane
            .asked("GET", &path, "", Some(&plane.admin))
            .starts_with("HTTP/1.1 404")
    };
    assert!(eventually(in_time(Duration::from_secs(20)), gone));
    assert!(plane.stop());
}
