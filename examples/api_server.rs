//! An embedded API server: serves a cluster over HTTP on a free loopback port and sends it a request.
//!
//! `cargo run --example api_server -- EMPTY_DIRECTORY`

use std::error::Error;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ctl::cluster::{Cluster, Open};
use ctl::serve::http::{Limits, Server};

/// Sends one GET request and returns the response with its head.
fn get(address: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    Ok(response)
}

/// Serves a new cluster, reads the namespace `default` through the API, and stops the server.
pub(crate) fn scenario(directory: &Path) -> Result<String, Box<dyn Error>> {
    let cluster = Arc::new(Cluster::open(directory, Open::as_writer("api-server"))?);
    cluster.bootstrap()?;
    let server = Server::bind("127.0.0.1:0".parse()?, false, Limits::default())?;
    let stop = Arc::new(AtomicBool::new(false));
    let address = server.address().ok_or("no address")?;
    std::thread::scope(|scope| {
        let served = scope.spawn(|| server.run(&cluster, &stop));
        let response = get(address, "/api/v1/namespaces/default");
        stop.store(true, Ordering::Relaxed);
        served.join().map_err(|_| "the server panicked")??;
        Ok(response?)
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args_os().nth(1).map(PathBuf::from);
    let directory = directory.ok_or("name an empty directory for the cluster")?;
    let response = scenario(&directory)?;
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    assert!(response.contains(r#""kind":"Namespace""#), "{response}");
    Ok(())
}
