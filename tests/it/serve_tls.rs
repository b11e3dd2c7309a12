//! Tests `ctl serve` with TLS and on a Unix socket: certificates, kubeconfigs, and their modes.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::support::World;
use crate::support::http::Server;
use crate::support::race::write_file;
use ctl::api::json::Value;

const GET: &str = "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// Returns a request for data that only authenticated clients may read, with extra header fields.
fn request(fields: &str) -> String {
    GET.replace("/readyz", "/api/v1/namespaces/default")
        .replace("Host:", &format!("{fields}Host:"))
}

fn kubeconfig(path: &Path) -> Value {
    serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Returns the URL of the server and the certificate of its authority in a kubeconfig.
fn cluster(file: &Value, at: usize) -> (String, String) {
    let cluster = &file["clusters"][at]["cluster"];
    let text = |name: &str| cluster[name].as_str().unwrap_or_default().to_owned();
    let certificate = BASE64_STANDARD.decode(text("certificate-authority-data"));
    let certificate = String::from_utf8(certificate.unwrap()).unwrap();
    (text("server"), certificate)
}

/// Returns the response to a client that trusts an authority, or the error of the handshake.
fn asked(address: &str, authority: &str) -> io::Result<String> {
    sent(GET, address, authority)
}

/// Returns the response to this request over TLS.
fn sent(request: &str, address: &str, authority: &str) -> io::Result<String> {
    sent_as(request, address, authority, None)
}

/// Returns the response to this request over TLS from a client with the certificate of a kubeconfig's user.
pub fn sent_as(
    request: &str,
    address: &str,
    authority: &str,
    user: Option<&Value>,
) -> io::Result<String> {
    let mut roots = RootCertStore::empty();
    for known in CertificateDer::pem_slice_iter(authority.as_bytes()) {
        roots.add(known.unwrap()).unwrap();
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    let config = match user {
        None => config.with_no_client_auth(),
        Some(user) => {
            let data = |name: &str| {
                BASE64_STANDARD
                    .decode(user[name].as_str().unwrap())
                    .unwrap()
            };
            let own = CertificateDer::from_pem_slice(&data("client-certificate-data")).unwrap();
            let key = PrivateKeyDer::from_pem_slice(&data("client-key-data")).unwrap();
            config.with_client_auth_cert(vec![own], key).unwrap()
        }
    };
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let session = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(session, TcpStream::connect(address)?);
    stream
        .sock
        .set_read_timeout(Some(Duration::from_secs(20)))?;
    stream.write_all(request.as_bytes())?;
    let mut got = String::new();
    stream.read_to_string(&mut got)?;
    Ok(got)
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn tls_clients_trust_only_the_authority_of_their_cluster() {
    let world = World::fresh();
    let own = world.path(".ctl/kubeconfig");
    let server = Server::run(&world, &["serve", "--listen", "127.0.0.1:0"]);
    let (url, authority) = cluster(&kubeconfig(&own), 0);
    assert_eq!(url, format!("https://{}", server.address));
    let got = asked(&server.address, &authority).unwrap();
    assert!(
        got.starts_with("HTTP/1.1 200 OK\r\n") && got.ends_with("\r\n\r\nok"),
        "{got}"
    );
    let stranger = World::fresh();
    let other = Server::run(&stranger, &["serve", "--listen", "127.0.0.1:0"]);
    assert!(asked(&other.address, &authority).is_err());
    // Without TLS there is only an error, with the text of Go's server.
    let mut plain = TcpStream::connect(&server.address).unwrap();
    plain.write_all(GET.as_bytes()).unwrap();
    let mut got = String::new();
    plain.read_to_string(&mut got).unwrap();
    assert_eq!(
        got,
        "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"
    );
    assert_eq!(mode(&own), 0o600);
    assert_eq!(mode(&world.path(".ctl/ca.pem")), 0o600);
    assert_eq!(server.stop().code, 0);
    // A copied directory may have other modes.
    let readable = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(world.path(".ctl/ca.pem"), readable).unwrap();
    // The authority stays the same, so clients need no new kubeconfig for the next start.
    let again = Server::run(&world, &["serve", "--listen", "127.0.0.1:0"]);
    assert!(asked(&again.address, &authority).is_ok());
    assert_eq!(mode(&world.path(".ctl/ca.pem")), 0o600);
    assert_eq!(again.stop().code, 0);
    world.fsck_without_remarks();
}

#[test]
fn only_the_current_token_opens_non_health_paths() {
    let world = World::fresh();
    let token_of = || {
        let file = kubeconfig(&world.path(".ctl/kubeconfig"));
        file["users"][0]["user"]["token"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let server = Server::run(&world, &["serve", "--listen", "127.0.0.1:0"]);
    let (_, authority) = cluster(&kubeconfig(&world.path(".ctl/kubeconfig")), 0);
    let first = token_of();
    let code = |server: &Server, fields: &str| {
        let got = sent(&request(fields), &server.address, &authority).unwrap();
        (got[9..12].to_owned(), got)
    };
    let with = |token: &str| format!("Authorization: Bearer {token}\r\n");
    let (known, got) = code(&server, &with(&first));
    assert!(
        known == "200" && got.contains("\"kind\":\"Namespace\""),
        "{got}"
    );
    for fields in [String::new(), with("guess"), with(&first[1..])] {
        let (refused, got) = code(&server, &fields);
        assert_eq!(refused, "401", "{got}");
        let body = got.split("\r\n\r\n").nth(1).unwrap();
        let status: Value = serde_json::from_str(body).unwrap();
        assert_eq!(status["message"], "Unauthorized");
        assert_eq!(status["reason"], "Unauthorized");
    }
    // The owner of the token may impersonate another user, who has no roles.
    let (other, got) = code(&server, &(with(&first) + "Impersonate-User: bob\r\n"));
    assert!(
        other == "403" && got.contains("User \\\"bob\\\" cannot get"),
        "{got}"
    );
    assert_eq!(server.stop().code, 0);
    let again = Server::run(&world, &["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(code(&again, &with(&first)).0, "401");
    assert_eq!(code(&again, &with(&token_of())).0, "200");
    assert_eq!(again.stop().code, 0);
}

#[test]
fn client_certificate_authenticates_a_user_with_rbac() {
    let world = World::fresh();
    let server = Server::run(&world, &["serve", "--listen", "127.0.0.1:0"]);
    let user_of = |world: &World, args: &[&str]| {
        let text = world.run(&[&["kubeconfig"], args].concat()).ok();
        let file: Value = serde_yaml::from_str(&text).unwrap();
        let (url, authority) = cluster(&file, 0);
        (url, authority, file["users"][0]["user"].clone())
    };
    let (url, authority, ann) = user_of(&world, &["--user", "ann", "--group", "dev"]);
    assert_eq!(url, format!("https://{}", server.address));
    let asked = |user: &Value, fields: &str| {
        let request = request(fields);
        let got = sent_as(&request, &server.address, &authority, Some(user)).unwrap();
        (got[9..12].to_owned(), got)
    };
    let (code, got) = asked(&ann, "");
    assert!(
        code == "403" && got.contains("User \\\"ann\\\" cannot get resource"),
        "{got}"
    );
    for made in [
        "create clusterrole names --verb=get --resource=namespaces",
        "create clusterrolebinding names --clusterrole=names --group=dev",
    ] {
        world.run(&made.split(' ').collect::<Vec<_>>()).ok();
    }
    // The current roles decide, even though the certificate is older.
    assert_eq!(asked(&ann, "").0, "200");
    // Neither the header of `--as` nor a wrong token makes ann another user.
    let (code, got) = asked(&ann, "Impersonate-User: root\r\n");
    assert!(
        code == "403" && got.contains("User \\\"ann\\\" cannot impersonate-on:user-info:get"),
        "{got}"
    );
    assert_eq!(asked(&ann, "Authorization: Bearer guess\r\n").0, "200");
    let (_, _, admin) = user_of(&world, &[]);
    assert_eq!(asked(&admin, "").0, "200");
    let (code, got) = asked(&admin, "Impersonate-User: bob\r\n");
    assert!(
        code == "403" && got.contains("User \\\"bob\\\" cannot get resource"),
        "{got}"
    );
    // A certificate of another cluster's authority is rejected, even for probes, but a token next to it is accepted.
    let (_, _, stranger) = user_of(&World::fresh(), &["--user", "ann", "--group", "dev"]);
    assert_eq!(asked(&stranger, "").0, "401");
    let probe = sent_as(GET, &server.address, &authority, Some(&stranger)).unwrap();
    assert!(probe.starts_with("HTTP/1.1 401 "), "{probe}");
    let file = kubeconfig(&world.path(".ctl/kubeconfig"));
    let token = file["users"][0]["user"]["token"].as_str().unwrap();
    let with_token = format!("Authorization: Bearer {token}\r\n");
    assert_eq!(asked(&stranger, &with_token).0, "200");
    assert_eq!(server.stop().code, 0);
    // Unlike the server's token, certificates remain valid after it stops.
    let again = Server::run(&world, &["serve", "--listen", "127.0.0.1:0"]);
    let got = sent_as(&request(""), &again.address, &authority, Some(&ann)).unwrap();
    assert!(got.starts_with("HTTP/1.1 200 OK\r\n"), "{got}");
    assert_eq!(again.stop().code, 0);
    world.fsck_without_remarks();
}

#[test]
fn existing_kubeconfig_is_only_merged() {
    let world = World::fresh();
    let path = world.path("../kubeconfig");
    let text = "apiVersion: v1\nkind: Config\ncurrent-context: far\n\
                clusters: [{name: far, cluster: {server: \"https://far\"}}]\n\
                contexts: [{name: far, context: {cluster: far, user: me}}]\n\
                users: [{name: me, user: {token: t}}]\n";
    write_file(&path, text);
    let file = path.to_str().unwrap();
    let args = ["serve", "--listen", "127.0.0.1:0", "--kubeconfig", file];
    let refused = world.run(&args).fails();
    assert!(
        refused.contains("has other contexts, such as \"far\"; --merge keeps them"),
        "{refused}"
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let server = Server::run(&world, &[&args[..], &["--merge"]].concat());
    let merged = kubeconfig(&path);
    let names = |list: &str| {
        let items = merged[list].as_array().unwrap().iter();
        let names = items.map(|item| item["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    for list in ["clusters", "contexts"] {
        assert!(names(list).contains(&"far".to_owned()), "{merged}");
        assert_eq!(names(list).len(), 2, "{merged}");
    }
    let current = merged["current-context"].as_str().unwrap();
    let at = names("clusters").iter().position(|name| name == current);
    let (_, authority) = cluster(&merged, at.unwrap());
    assert!(asked(&server.address, &authority).is_ok());
    // `ctl kubeconfig` finds the address here.
    assert_eq!(mode(&world.path(".ctl/kubeconfig")), 0o600);
}

#[test]
fn memory_cluster_needs_a_kubeconfig_path() {
    let world = World::fresh();
    let refused = world.run(&["serve", "--store", "memory:"]).fails();
    assert_eq!(
        refused.trim_end(),
        "error: a cluster in memory has no directory for a kubeconfig; add --kubeconfig FILE"
    );
    let path = world.path("../memory.yaml");
    let own = ["--kubeconfig", path.to_str().unwrap()];
    let args = ["serve", "--listen", "127.0.0.1:0", "--store", "memory:"];
    let server = Server::run(&world, &[&args[..], &own].concat());
    let (_, authority) = cluster(&kubeconfig(&path), 0);
    assert!(asked(&server.address, &authority).is_ok());
    assert_eq!(server.stop().code, 0);
    assert!(!world.path(".ctl/ca.pem").exists());
}

#[test]
fn unix_socket_is_private_and_removed_on_exit() {
    let world = World::fresh();
    let path = world.path("../api.sock");
    let server = Server::run(&world, &["serve", "--unix-socket", path.to_str().unwrap()]);
    assert_eq!(mode(&path), 0o600);
    let mut stream = UnixStream::connect(&path).unwrap();
    stream.write_all(GET.as_bytes()).unwrap();
    let mut got = String::new();
    stream.read_to_string(&mut got).unwrap();
    assert!(got.starts_with("HTTP/1.1 200 OK\r\n"), "{got}");
    assert_eq!(server.stop().code, 0);
    assert!(!path.exists() && !world.path(".ctl/ca.pem").exists());
}

#[test]
fn token_authenticates_a_service_account_until_its_deletion() {
    let world = World::fresh();
    let ctl = |line: &str| world.run(&line.split(' ').collect::<Vec<_>>()).ok();
    ctl("create serviceaccount robot");
    let token = ctl("create token robot");
    let server = Server::run(&world, &["serve", "--listen", "127.0.0.1:0"]);
    let file = kubeconfig(&world.path(".ctl/kubeconfig"));
    let (_, authority) = cluster(&file, 0);
    let asked = |request: &str, token: &str| {
        let field = format!("Authorization: Bearer {}\r\nHost:", token.trim());
        let request = request.replace("Host:", &field);
        let got = sent(&request, &server.address, &authority).unwrap();
        (got[9..12].to_owned(), got)
    };
    let (code, got) = asked(&request(""), &token);
    let name = "User \\\"system:serviceaccount:default:robot\\\" cannot get";
    assert!(code == "403" && got.contains(name), "{got}");
    ctl(
        "create clusterrolebinding robot --clusterrole=cluster-admin --serviceaccount=default:robot",
    );
    assert_eq!(asked(&request(""), &token).0, "200");
    // One token is for another audience, and the others are invalid.
    let foreign = ctl("create token robot --audience=shop");
    let (signed, _) = token.rsplit_once('.').unwrap();
    for wrong in [&foreign, &format!("{signed}.AAAA"), "a.b.c"] {
        assert_eq!(asked(&request(""), wrong).0, "401", "{wrong}");
    }
    // Other programs verify tokens with the published key.
    let own = file["users"][0]["user"]["token"].as_str().unwrap();
    let (code, got) = asked(&GET.replace("/readyz", "/openid/v1/jwks"), own);
    assert!(
        code == "200" && got.contains("application/jwk-set+json"),
        "{got}"
    );
    assert!(got.contains("\"alg\":\"RS256\""), "{got}");
    let about = GET.replace("/readyz", "/.well-known/openid-configuration");
    let (_, got) = asked(&about, own);
    assert!(
        got.contains("\"jwks_uri\":\"https://localhost/openid/v1/jwks\""),
        "{got}"
    );
    assert_eq!(mode(&world.path(".ctl/sa.key")), 0o600);
    ctl("delete serviceaccount robot");
    ctl("create serviceaccount robot");
    assert_eq!(
        asked(&request(""), &token).0,
        "401",
        "an account of the same name is another one"
    );
    assert_eq!(server.stop().code, 0);
    world.fsck_without_remarks();
}

#[test]
fn server_address_is_known_with_a_custom_kubeconfig_path() {
    let world = World::fresh();
    let file = world.outside("elsewhere.conf");
    let file = file.to_str().unwrap();
    let server = Server::run(
        &world,
        &["serve", "--listen", "127.0.0.1:0", "--kubeconfig", file],
    );
    let text = world.run(&["kubeconfig", "--user", "ann"]).ok();
    let printed: Value = serde_yaml::from_str(&text).unwrap();
    assert_eq!(
        cluster(&printed, 0).0,
        format!("https://{}", server.address)
    );
    assert_eq!(server.stop().code, 0);
}

#[test]
fn a_second_server_leaves_the_kubeconfig_of_the_first() {
    let world = World::fresh();
    let own = world.path(".ctl/kubeconfig");
    let start = || Server::run(&world, &["serve", "--listen", "127.0.0.1:0"]);
    let first = start();
    let before = kubeconfig(&own);
    let second = start();
    let (url, _) = cluster(&kubeconfig(&own), 0);
    assert_eq!(url, format!("https://{}", second.address));
    assert_eq!(second.stop().code, 0);
    assert_eq!(kubeconfig(&own), before);
    assert_eq!(mode(&own), 0o600);
    // The kubeconfig of a server that has stopped is replaced.
    assert_eq!(first.stop().code, 0);
    let third = start();
    let (url, _) = cluster(&kubeconfig(&own), 0);
    let address = third.address.clone();
    assert_eq!(third.stop().code, 0);
    assert_eq!(url, format!("https://{address}"));
    assert_eq!(cluster(&kubeconfig(&own), 0).0, url);
}

#[test]
fn containers_find_the_certificate_of_the_cluster_and_a_token() {
    let world = World::fresh();
    let ctl = |line: &str| world.run(&line.split(' ').collect::<Vec<_>>()).ok();
    ctl("run p --image=busybox");
    ctl("settle");
    let server = Server::run(&world, &["serve", "--listen", "127.0.0.1:0"]);
    let (_, authority) = cluster(&kubeconfig(&world.path(".ctl/kubeconfig")), 0);
    let below = "exec p -- cat /var/run/secrets/kubernetes.io/serviceaccount";
    assert_eq!(ctl(&format!("{below}/ca.crt")), authority);
    assert_eq!(ctl(&format!("{below}/namespace")), "default");
    let token = ctl(&format!("{below}/token"));
    let get = format!(
        "GET /api/v1/namespaces/default/pods HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Authorization: Bearer {token}\r\n\r\n"
    );
    // The account is known, but has no rights.
    let got = sent(&get, &server.address, &authority).unwrap();
    assert!(got.starts_with("HTTP/1.1 403 "), "{got}");
    assert!(
        got.contains("system:serviceaccount:default:default"),
        "{got}"
    );
    // The token becomes invalid with its Pod.
    ctl("delete pod p --force --grace-period=0");
    let got = sent(&get, &server.address, &authority).unwrap();
    assert!(got.starts_with("HTTP/1.1 401 "), "{got}");
    ctl("create namespace later");
    ctl("settle");
    let later = ctl("get configmap kube-root-ca.crt -n later -o jsonpath={.data.ca\\.crt}");
    assert_eq!(later, authority);
    // Other API servers find the authority of the clients here.
    let system = |name: &str, key: &str| {
        ctl(&format!(
            "get configmap {name} -n kube-system -o jsonpath={{.data.{key}}}"
        ))
    };
    let shown = system("extension-apiserver-authentication", "client-ca-file");
    assert_eq!(shown, authority);
    let tracking = "kube-apiserver-legacy-service-account-token-tracking";
    assert_eq!(system(tracking, "since").len(), "2026-01-01".len());
    assert_eq!(server.stop().code, 0);
}
