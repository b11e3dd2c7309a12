//! Starts `ctl serve --controllers` as a separate process on a port of its choice, and stops it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::json;

use crate::client::{Answer, Connection};
use crate::resource::Resource;

/// Returns the program to test.
fn program() -> &'static str {
    env!("CARGO_BIN_EXE_ctl")
}

/// Ends the server and removes its directory as soon as its standard input closes. The end of the test process closes
/// it, too: servers that tests share are never dropped.
const GUARD: &str =
    "d=$1; shift; \"$@\" & c=$!; cat >/dev/null; kill $c 2>/dev/null; wait $c; rm -rf \"$d\"";

/// A cluster and its server.
pub struct Server {
    address: String,
    directory: PathBuf,
    guard: Child,
}

impl Server {
    /// Starts a server of a new cluster in memory, on the machine's clock.
    pub fn start() -> Self {
        Self::run(directory(), &["--store", "memory:"])
    }

    /// Starts a server of a new cluster with two nodes on a virtual clock, which only `advance` moves.
    pub fn on_virtual_clock() -> Self {
        let directory = directory();
        let init = [
            "cluster", "init", "--clock", "virtual", "--seed", "7", "--nodes", "2",
        ];
        let made = command(&directory, program()).args(init).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        Self::run(directory, &[])
    }

    fn run(directory: PathBuf, args: &[&str]) -> Self {
        let mut command = command(&directory, "sh");
        command
            .args(["-c", GUARD, "sh"])
            .arg(&directory)
            .arg(program());
        let serve = [
            "serve",
            "--controllers",
            "--plain-http",
            "--listen",
            "127.0.0.1:0",
        ];
        command.args(serve).args(args);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut guard = piped.stderr(Stdio::null()).spawn().unwrap();
        let mut first = String::new();
        let mut out = BufReader::new(guard.stdout.take().unwrap());
        out.read_line(&mut first).unwrap();
        let address = first.trim().rsplit(['/', ' ']).next().unwrap().to_owned();
        assert!(address.starts_with("127.0.0.1:"), "{first:?}");
        Self {
            address,
            directory,
            guard,
        }
    }

    /// Moves the virtual clock forward.
    pub fn advance(&self, time: &str) {
        let moved = self.ctl(&["clock", "advance", time]);
        assert!(moved.status.success(), "{moved:?}");
    }

    /// Runs a command of kubectl on the served directory.
    pub fn ctl(&self, args: &[&str]) -> Output {
        let mut command = command(&self.directory, program());
        command.args(args).stdin(Stdio::null()).output().unwrap()
    }

    /// Writes a file next to the state directory, and returns its path.
    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.directory.join(name);
        let mut file = File::create(&path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        path.display().to_string()
    }

    /// Returns a client of the administrator in a new namespace.
    pub fn namespace(&self, name: &str) -> Api {
        let api = self.api(name);
        api.global("v1", "Namespace")
            .create(json!({"metadata": {"name": name}}));
        // Pods are refused until the namespace has its service account.
        let accounts = api.of("v1", "ServiceAccount");
        accounts.until("default", "exists", |account| !account.is_null());
        api
    }

    /// Returns a client of the administrator for an existing namespace.
    pub fn api(&self, namespace: &str) -> Api {
        Api {
            address: self.address.clone(),
            namespace: namespace.to_owned(),
            fields: String::new(),
            connection: RefCell::new(Connection::open(&self.address)),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        drop(self.guard.wait());
    }
}

/// Returns a new directory, which the guard removes. It is in memory if that is possible.
fn directory() -> PathBuf {
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix("ctl-conformance-");
    let memory = builder.tempdir_in("/dev/shm").ok();
    memory.unwrap_or_else(|| builder.tempdir().unwrap()).keep()
}

/// Returns a command with a clean environment.
fn command(directory: &Path, program: &str) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", directory)
        .env("CTL_STATE", directory.join("state"))
        .env("NO_COLOR", "1")
        .current_dir(directory);
    command
}

/// Returns the server that the tests of one area share.
pub fn server(area: &'static str) -> Arc<Server> {
    static SERVERS: OnceLock<Mutex<HashMap<&str, Arc<Server>>>> = OnceLock::new();
    let servers = SERVERS.get_or_init(Mutex::default).lock();
    let mut servers = servers.unwrap_or_else(PoisonError::into_inner);
    Arc::clone(
        servers
            .entry(area)
            .or_insert_with(|| Arc::new(Server::start())),
    )
}

/// Returns a client in a new namespace on the server of an area.
pub fn namespace(area: &'static str, name: &str) -> Api {
    server(area).namespace(name)
}

/// A client of one user, with a namespace for its requests.
pub struct Api {
    pub address: String,
    pub namespace: String,
    pub fields: String,
    connection: RefCell<Connection>,
}

impl Api {
    /// Returns a client that sends more header fields, each with its line end.
    pub fn with(&self, fields: &str) -> Self {
        Self {
            address: self.address.clone(),
            namespace: self.namespace.clone(),
            fields: format!("{}{fields}", self.fields),
            connection: RefCell::new(Connection::open(&self.address)),
        }
    }

    /// Returns a client that acts as a service account.
    pub fn as_account(&self, name: &str) -> Self {
        let namespace = &self.namespace;
        self.with(&format!(
            "Impersonate-User: system:serviceaccount:{namespace}:{name}\r\n"
        ))
    }

    /// Sends a request whose body has a media type.
    pub fn ask(&self, method: &str, path: &str, media: &str, body: &str) -> Answer {
        let fields = match media {
            "" => self.fields.clone(),
            _ => format!("{}Content-Type: {media}\r\n", self.fields),
        };
        self.connection
            .borrow_mut()
            .ask(method, path, &fields, body)
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, "", "")
    }

    /// Returns the objects of a kind in the namespace of this client.
    pub fn of(&self, version: &str, kind: &str) -> Resource<'_> {
        Resource::new(self, version, kind, Some(&self.namespace))
    }

    /// Returns the objects of a kind in all namespaces, or those without a namespace.
    pub fn global(&self, version: &str, kind: &str) -> Resource<'_> {
        Resource::new(self, version, kind, None)
    }
}

/// Repeats a request that no watch can replace until it returns a value.
#[track_caller]
pub fn eventually<T>(what: &str, mut attempt: impl FnMut() -> Option<T>) -> T {
    for _ in 0..1200 {
        if let Some(value) = attempt() {
            return value;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("not in time: {what}");
}
