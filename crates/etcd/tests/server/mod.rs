//! A real etcd for tests: the program that `CTL_ETCD` names, or `etcd` on the path.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ctl_etcd::Client;

/// An etcd with one member on free ports; it is stopped when the test ends, also by a panic.
pub struct Etcd {
    pub child: Child,
    pub address: String,
    pub directory: tempfile::TempDir,
}

impl Drop for Etcd {
    fn drop(&mut self) {
        // A child that has ended already needs no signal, but must be waited for.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

impl Etcd {
    /// Starts etcd, or returns `None` if there is none on this machine.
    pub fn start(
        scheme: &str,
        options: impl FnOnce(&tempfile::TempDir) -> Vec<String>,
    ) -> Option<Self> {
        let program = std::env::var("CTL_ETCD").unwrap_or_else(|_| "etcd".to_owned());
        let directory = tempfile::tempdir().unwrap();
        let address = format!("127.0.0.1:{}", free_port());
        let peer = format!("http://127.0.0.1:{}", free_port());
        let url = format!("{scheme}://{address}");
        let child = Command::new(&program)
            .arg("--data-dir")
            .arg(directory.path().join("data"))
            .args([
                "--listen-client-urls",
                &url,
                "--advertise-client-urls",
                &url,
            ])
            .args([
                "--listen-peer-urls",
                &peer,
                "--initial-advertise-peer-urls",
                &peer,
            ])
            .args(["--initial-cluster", &format!("default={peer}")])
            .args(options(&directory))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        match child {
            Ok(child) => Some(Self {
                child,
                address,
                directory,
            }),
            Err(error) => {
                assert!(
                    std::env::var_os("CTL_ETCD").is_none(),
                    "CTL_ETCD={program}: {error}"
                );
                eprintln!(
                    "left out: no etcd on this machine (install etcd-server or set CTL_ETCD)"
                );
                None
            }
        }
    }

    pub fn plain() -> Option<(Self, Client)> {
        let etcd = Self::start("http", |_| Vec::new())?;
        let client = Client::new(std::slice::from_ref(&etcd.address), None).unwrap();
        until_ready(&client);
        Some((etcd, client))
    }
}

pub fn until_ready(client: &Client) {
    // A minute: a machine that runs many of them is slow to elect a leader.
    for _ in 0..1200 {
        if client.status().is_ok_and(|status| status.leader != 0) {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("etcd is not ready: {:?}", client.status());
}
