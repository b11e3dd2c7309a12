//! A real etcd for tests: the program named by `CTL_ETCD`, or `etcd` on the path.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ctl_etcd::Client;

/// An etcd with one member on free ports. It is stopped when the test ends, even by a panic.
pub struct Etcd {
    pub child: Child,
    pub address: String,
    pub directory: tempfile::TempDir,
}

impl Drop for Etcd {
    fn drop(&mut self) {
        // A process that has already ended needs no signal, but must be waited for.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Returns a port on which nobody listens.
///
/// The system assigns ports from 32768 on to outgoing connections, and one of these could keep a stopped member from
/// restarting on its port. Test processes run in parallel, so each starts at a different place in the range below.
pub fn free_port() -> u16 {
    const FIRST: u32 = 10_000;
    const COUNT: u32 = 22_000;
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    let begin = std::process::id().wrapping_mul(97);
    (0..COUNT)
        .find_map(|_| {
            let offset = begin.wrapping_add(TAKEN.fetch_add(1, Ordering::Relaxed)) % COUNT;
            let port = u16::try_from(FIRST + offset).unwrap();
            TcpListener::bind(("127.0.0.1", port)).ok().map(|_| port)
        })
        .expect("no free port")
}

impl Etcd {
    /// Starts etcd, or returns `None` if this machine has none.
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

/// Returns true if the member responds and has a leader.
pub fn is_ready(client: &Client) -> bool {
    client.status().is_ok_and(|status| status.leader != 0)
}

pub fn until_ready(client: &Client) {
    // A minute, because electing a leader takes long on a busy machine.
    for _ in 0..1200 {
        if is_ready(client) {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("etcd is not ready: {:?}", client.status());
}
