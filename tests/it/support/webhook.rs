//! A webhook over TLS. The path of its URL selects its reply, as in the recorded session:
//!
//! `/allow`, `/deny[/CODE/TEXT]`, `/reason/WORD`, `/warn/TEXT`, `/label/KEY/VALUE`, `/image/TAG`, `/patch/TEXT` (which
//! may be invalid JSON), `/patch64/BASE64` (a patch with slashes), `/slow/SECONDS`, `/http/CODE`, `/text/TEXT`, `/uid`
//! (that of another review) and `/busy/COUNT` (429 with `Retry-After` for the first calls). `+` stands for a space.
//!
//! `/convert/OLD/NEW` replies to a conversion: the field `spec.OLD` of version v1 is `spec.NEW` of version v2.

use std::fmt::Write as _;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use ctl::api::json::{Value, json};
use ctl::pki::Authority;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A webhook that runs until the value is dropped.
pub struct Webhook {
    pub port: u16,
    /// The certificate of its authority in PEM.
    pub authority: String,
    /// Its own certificate in PEM.
    pub certificate: String,
    shared: Arc<Shared>,
    /// The thread that accepts connections.
    acceptor: Option<JoinHandle<()>>,
}

struct Shared {
    config: Arc<ServerConfig>,
    log: Box<dyn Fn(&str) + Send + Sync>,
    ended: AtomicBool,
    /// The number of reviews so far.
    reviews: AtomicUsize,
}

impl Webhook {
    /// Starts a webhook for a host, which calls `log` with a line for each review.
    pub fn new(host: &str, log: impl Fn(&str) + Send + Sync + 'static) -> Self {
        let authority = Authority::generate().unwrap();
        let own = authority.server(&[host]).unwrap();
        let certificate = pem(&own.certificate);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(own.key));
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![CertificateDer::from(own.certificate)], key)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            config: Arc::new(config),
            log: Box::new(log),
            ended: AtomicBool::new(false),
            reviews: AtomicUsize::new(0),
        });
        let own = Arc::clone(&shared);
        let acceptor = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if own.ended.load(Ordering::Relaxed) {
                    return;
                }
                let shared = Arc::clone(&own);
                std::thread::spawn(move || stream.and_then(|stream| shared.reply(stream)));
            }
        });
        Self {
            port,
            authority: authority.certificate().to_owned(),
            certificate,
            shared,
            acceptor: Some(acceptor),
        }
    }

    /// Starts a webhook whose log is a list.
    pub fn logged(host: &str) -> (Self, Arc<Mutex<Vec<String>>>) {
        let log = Arc::new(Mutex::new(Vec::new()));
        let own = Arc::clone(&log);
        let hook = Self::new(host, move |line| own.lock().unwrap().push(line.to_owned()));
        (hook, log)
    }

    /// Returns a configuration with one webhook for the creation and update of a resource of the core group.
    pub fn configuration(&self, kind: &str, name: &str, resource: &str, path: &str) -> Value {
        let bundle = BASE64_STANDARD.encode(&self.authority);
        let url = format!("https://127.0.0.1:{}/{path}", self.port);
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": format!("{kind}WebhookConfiguration"),
            "metadata": {"name": name},
            "webhooks": [{
                "name": format!("{name}.hooks.example.com"), "admissionReviewVersions": ["v1"],
                "clientConfig": {"url": url, "caBundle": bundle}, "sideEffects": "None", "timeoutSeconds": 5,
                "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"],
                    "resources": [resource]}],
            }],
        })
    }
}

impl Drop for Webhook {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        // This connection wakes the thread that accepts connections.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
        // A client's connection would be reset instead of refused before the thread has closed the port.
        drop(self.acceptor.take().map(JoinHandle::join));
    }
}

impl Shared {
    fn reply(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        let session = ServerConnection::new(Arc::clone(&self.config)).map_err(io::Error::other)?;
        let mut reader = BufReader::new(StreamOwned::new(session, stream));
        let (mut path, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? <= 2 {
                break;
            }
            if let Some(rest) = line.strip_prefix("POST ") {
                path = rest.split(['?', ' ']).next().unwrap_or_default().to_owned();
            }
            if let Some((_, value)) = line.split_once("content-length: ") {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let review: Value = serde_json::from_slice(&body)?;
        let request = &review["request"];
        (self.log)(&line_of(&path, request));
        let earlier = self.reviews.fetch_add(1, Ordering::Relaxed);
        let count = path.strip_prefix("/busy/").and_then(|n| n.parse().ok());
        let busy = count.is_some_and(|count: usize| earlier < count);
        let (code, body, more) = match busy {
            true => (429, String::new(), "retry-after: 0\r\n"),
            false => {
                let (code, body) = response(&path, request);
                (code, body, "")
            }
        };
        let head = format!(
            "HTTP/1.1 {code} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{more}connection: close\r\n\
             \r\n",
            body.len()
        );
        let mut stream = reader.into_inner();
        stream.write_all(head.as_bytes())?;
        stream.write_all(body.as_bytes())?;
        stream.conn.send_close_notify();
        stream.flush()
    }
}

/// Returns the line about a review: PATH OPERATION RESOURCE NAME [dry], or PATH VERSION COUNT for a conversion.
fn line_of(path: &str, request: &Value) -> String {
    if let Some(version) = request["desiredAPIVersion"].as_str() {
        return format!(
            "{path} {version} {}",
            request["objects"].as_array().unwrap().len()
        );
    }
    let mut resource = request["resource"]["resource"].as_str().unwrap().to_owned();
    if let Some(part) = request["subResource"].as_str() {
        write!(resource, "/{part}").unwrap();
    }
    let name = request["name"].as_str().unwrap_or("-");
    let operation = request["operation"].as_str().unwrap();
    let dry = if request["dryRun"] == true {
        " dry"
    } else {
        ""
    };
    format!("{path} {operation} {resource} {name}{dry}")
}

/// Returns the code and the body of the response that a path selects.
fn response(path: &str, request: &Value) -> (u16, String) {
    let words: Vec<String> = path
        .split('/')
        .skip(1)
        .map(|w| w.replace('+', " "))
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if let ["convert", old, new] = words.as_slice() {
        return (200, conversion(request, old, new));
    }
    let mut response = json!({"uid": request["uid"], "allowed": true});
    let mut patch = None;
    match words.as_slice() {
        ["deny"] => response["allowed"] = json!(false),
        ["deny", code, text] => {
            response["allowed"] = json!(false);
            let code: u16 = code.parse().unwrap();
            response["status"] = json!({"code": code, "message": text});
        }
        ["reason", reason] => {
            response["allowed"] = json!(false);
            response["status"] = json!({"reason": reason});
        }
        ["warn", text] => response["warnings"] = json!([text]),
        ["label", key, value] => {
            let labeled = request["object"]["metadata"]["labels"].is_object();
            let step = match labeled {
                true => {
                    json!({"op": "add", "path": format!("/metadata/labels/{key}"), "value": value})
                }
                false => json!({"op": "add", "path": "/metadata/labels", "value": {*key: value}}),
            };
            patch = Some(json!([step]).to_string());
        }
        ["image", tag] => {
            let image = request["object"]["spec"]["containers"][0]["image"].as_str();
            let name = image.unwrap().split(':').next().unwrap();
            let step = json!({"op": "replace", "path": "/spec/containers/0/image", "value": format!("{name}:{tag}")});
            patch = Some(json!([step]).to_string());
        }
        ["patch", text] => patch = Some((*text).to_owned()),
        ["patch64", text] => {
            let decoded = BASE64_URL_SAFE_NO_PAD.decode(text).unwrap();
            patch = Some(String::from_utf8(decoded).unwrap());
        }
        ["slow", seconds] => std::thread::sleep(Duration::from_secs(seconds.parse().unwrap())),
        ["http", code] => return (code.parse().unwrap(), "no\n".to_owned()),
        ["text", text] => return (200, (*text).to_owned()),
        ["uid"] => response["uid"] = json!("00000000-0000-0000-0000-000000000000"),
        _ => {}
    }
    if let Some(patch) = patch {
        response["patchType"] = json!("JSONPatch");
        response["patch"] = json!(BASE64_STANDARD.encode(patch));
    }
    let version = "admission.k8s.io/v1";
    let review = json!({"apiVersion": version, "kind": "AdmissionReview", "response": response});
    (200, review.to_string())
}

/// Returns the reply to a conversion that renames a field.
fn conversion(request: &Value, old: &str, new: &str) -> String {
    let version = request["desiredAPIVersion"].as_str().unwrap();
    let (from, to) = if version.ends_with("/v2") {
        (old, new)
    } else {
        (new, old)
    };
    let converted = |object: &Value| {
        let mut object = object.clone();
        object["apiVersion"] = json!(version);
        object["spec"] = json!({to: object["spec"][from]});
        object
    };
    let objects = request["objects"].as_array().unwrap().iter().map(converted);
    let objects: Vec<Value> = objects.collect();
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "response": {
            "uid": request["uid"], "result": {"status": "Success"}, "convertedObjects": objects,
        },
    })
    .to_string()
}

fn pem(der: &[u8]) -> String {
    let text = BASE64_STANDARD.encode(der);
    let lines: Vec<&str> = text
        .as_bytes()
        .chunks(64)
        .map(|line| std::str::from_utf8(line).unwrap())
        .collect();
    format!(
        "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
        lines.join("\n")
    )
}
