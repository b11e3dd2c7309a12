//! Runs an etcd of three members, each of which can be killed, paused, disconnected, or given a full disk.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use ctl_etcd::{Client, KeyRange};
use rustix::process::Signal;

use super::mount::Mount;
use super::note;
use super::race::{eventually, signal};
use crate::etcd::server::{free_port, is_ready};

/// The number of members.
pub const MEMBERS: usize = 3;

/// The time in which three loaded members must elect a leader.
const PATIENCE: Duration = Duration::from_secs(120);

/// A failure of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    Killed,
    Paused,
    CutOff,
    DiskFull,
}

impl Trouble {
    pub const ALL: [Self; 4] = [Self::Killed, Self::Paused, Self::CutOff, Self::DiskFull];
}

/// The disconnected members, by number and by their names in requests of other members.
#[derive(Debug, Default)]
struct Cut {
    targets: BTreeSet<usize>,
    sources: BTreeSet<String>,
    open: Vec<(usize, Option<String>, TcpStream)>,
}

impl Cut {
    fn separates(&self, target: usize, source: Option<&String>) -> bool {
        self.targets.contains(&target) || source.is_some_and(|s| self.sources.contains(s))
    }

    /// Ends the connections of disconnected members.
    fn close(&mut self) {
        for (target, source, stream) in std::mem::take(&mut self.open) {
            if self.separates(target, source.as_ref()) {
                // The shutdown of a closed connection fails, which is harmless.
                drop(stream.shutdown(Shutdown::Both));
            } else {
                self.open.push((target, source, stream));
            }
        }
    }
}

struct Member {
    child: Option<Child>,
    client: String,
    peer: u16,
    directory: PathBuf,
    _disk: Option<Mount>,
}

/// Three members, which stop when the value is dropped.
pub struct Ring {
    members: Vec<Member>,
    cluster: String,
    cut: Arc<Mutex<Cut>>,
    // The directory must be dropped after the members, which use it.
    _home: tempfile::TempDir,
}

impl Drop for Ring {
    fn drop(&mut self) {
        for mut child in self.members.iter_mut().filter_map(|m| m.child.take()) {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

impl Ring {
    /// Starts three members. Returns `None` if there is no etcd on this machine.
    pub fn start() -> Option<Self> {
        let home = super::scratch();
        let cut = Arc::<Mutex<Cut>>::default();
        let mut members = Vec::new();
        let mut cluster = Vec::new();
        for number in 0..MEMBERS {
            let directory = home.path().join(format!("m{number}"));
            fs::create_dir_all(&directory).unwrap();
            // Only one member needs its own disk, whose log alone reserves 128 MB.
            let disk = (number == 0)
                .then(|| Mount::tmpfs(&directory, "size=180m"))
                .flatten();
            let peer = free_port();
            let proxy = proxy(number, peer, &cut);
            cluster.push(format!("m{number}=http://127.0.0.1:{proxy}"));
            members.push(Member {
                child: None,
                client: format!("127.0.0.1:{}", free_port()),
                peer,
                directory,
                _disk: disk,
            });
        }
        let mut ring = Self {
            members,
            cluster: cluster.join(","),
            cut,
            _home: home,
        };
        for number in 0..MEMBERS {
            if !ring.spawn(number) {
                return None;
            }
        }
        ring.until_ready();
        Some(ring)
    }

    /// Returns the addresses for clients, beginning with that of a member.
    pub fn addresses(&self, first: usize) -> Vec<String> {
        let turn = |n: usize| self.members[(first + n) % MEMBERS].client.clone();
        (0..MEMBERS).map(turn).collect()
    }

    /// Waits until all members know a leader.
    fn until_ready(&mut self) {
        for number in 0..MEMBERS {
            let client = Client::new(&self.addresses(number)[..1], None).unwrap();
            let ready = eventually(PATIENCE, || {
                self.revive(number);
                is_ready(&client)
            });
            assert!(ready, "m{number} is not ready: {}", self.last_words(number));
        }
    }

    /// Restarts a member if it has ended: etcd exits if it cannot write, sometimes only after its disk has space again.
    fn revive(&mut self, number: usize) {
        let child = self.members[number].child.as_mut().unwrap();
        if let Some(status) = child.try_wait().unwrap() {
            let log = self.last_words(number);
            note(&format!("m{number} ended, {status}: {log}"));
            assert!(self.spawn(number));
            // A member that cannot start must not keep the machine busy.
            thread::sleep(Duration::from_secs(1));
        }
    }

    /// Returns the end of a member's log.
    fn last_words(&self, number: usize) -> String {
        let log = fs::read(self.members[number].directory.with_extension("log")).unwrap();
        String::from_utf8_lossy(&log[log.len().saturating_sub(2000)..]).into_owned()
    }

    fn spawn(&mut self, number: usize) -> bool {
        let program = std::env::var("CTL_ETCD").unwrap_or_else(|_| "etcd".to_owned());
        let own = self.cluster.split(',').nth(number).unwrap();
        let (name, advertised) = own.split_once('=').unwrap();
        let member = &mut self.members[number];
        let (client, peer) = (
            format!("http://{}", member.client),
            format!("http://127.0.0.1:{}", member.peer),
        );
        let child = Command::new(program)
            .args(["--name", name, "--initial-cluster", &self.cluster])
            .args([
                "--listen-client-urls",
                &client,
                "--advertise-client-urls",
                &client,
            ])
            .args(["--listen-peer-urls", &peer])
            .args(["--initial-advertise-peer-urls", advertised])
            // Elections take less than a second, so that failures can be short.
            .args(["--heartbeat-interval", "50", "--election-timeout", "500"])
            .arg("--data-dir")
            .arg(member.directory.join("data"))
            .stdout(Stdio::null())
            .stderr(File::create(member.directory.with_extension("log")).unwrap())
            .spawn();
        member.child = child.ok();
        if member.child.is_none() {
            note("left out: no etcd on this machine (install etcd-server or set CTL_ETCD)");
        }
        self.members[number].child.is_some()
    }

    /// Returns the name of a member in the requests that it sends to others.
    fn source(&self, number: usize) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.members[number].peer)).unwrap();
        stream
            .write_all(b"GET /members HTTP/1.0\r\nHost: m\r\n\r\n")
            .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (_, body) = text.split_once("\r\n\r\n").unwrap();
        let all: Vec<ctl::api::json::Value> = serde_json::from_str(body).unwrap();
        let name = format!("m{number}");
        let own = all.iter().find(|member| member["name"] == name.as_str());
        format!("{:x}", own.unwrap()["id"].as_u64().unwrap())
    }

    fn ballast(&self, number: usize) -> PathBuf {
        self.members[number].directory.join("ballast")
    }

    /// Starts a failure.
    pub fn strike(&mut self, number: usize, trouble: Trouble) {
        match trouble {
            Trouble::Killed => {
                let mut child = self.members[number].child.take().unwrap();
                child.kill().unwrap();
                child.wait().unwrap();
            }
            Trouble::Paused => signal(self.members[number].child.as_ref().unwrap(), Signal::STOP),
            Trouble::CutOff => {
                let source = self.source(number);
                let mut cut = self.cut.lock().unwrap();
                cut.targets.insert(number);
                cut.sources.insert(source);
                cut.close();
            }
            Trouble::DiskFull => {
                let mut file = File::create(self.ballast(number)).unwrap();
                let part = vec![1; 1 << 16];
                let full = (0..1 << 14).find_map(|_| file.write_all(&part).err());
                assert_eq!(full.unwrap().kind(), io::ErrorKind::StorageFull);
            }
        }
    }

    /// Ends a failure and waits until all members have a leader again.
    pub fn heal(&mut self, number: usize, trouble: Trouble) {
        match trouble {
            Trouble::Killed => assert!(self.spawn(number)),
            Trouble::Paused => signal(self.members[number].child.as_ref().unwrap(), Signal::CONT),
            Trouble::CutOff => {
                let mut cut = self.cut.lock().unwrap();
                (cut.targets, cut.sources) = Default::default();
            }
            Trouble::DiskFull => fs::remove_file(self.ballast(number)).unwrap(),
        }
        self.until_ready();
    }

    /// Returns the revision of each member and of its copy of a key, to tell failures of etcd from failures of clients.
    pub fn copies(&self, key: &str) -> String {
        let copy = |number: usize| {
            let client = Client::new(&self.addresses(number)[..1], None).unwrap();
            let status = client.status().map(|s| (s.revision, s.leader));
            let found = client.range(&KeyRange::key(key));
            let found = found.map(|f| f.kvs.iter().map(|kv| kv.mod_revision).collect::<Vec<_>>());
            format!("m{number}: {status:?}, {key} {found:?}")
        };
        (0..MEMBERS).map(copy).collect::<Vec<_>>().join("; ")
    }

    /// Returns true if the disk of a member can be filled.
    pub fn can_fill(&self, number: usize) -> bool {
        self.members[number]._disk.is_some()
    }
}

/// Forwards connections to a member until the test ends, except for disconnected members. Returns its port.
fn proxy(target: usize, peer: u16, cut: &Arc<Mutex<Cut>>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let cut = Arc::clone(cut);
    thread::spawn(move || {
        for near in listener.incoming().flatten() {
            let cut = Arc::clone(&cut);
            // The member reopens a broken connection.
            thread::spawn(move || drop(pass(target, peer, near, &cut)));
        }
    });
    port
}

fn pass(target: usize, peer: u16, mut near: TcpStream, cut: &Mutex<Cut>) -> io::Result<()> {
    let mut first = Vec::new();
    // Members name themselves in every request, and never share a connection.
    while !first.windows(4).any(|end| end == b"\r\n\r\n") {
        let mut part = [0; 4096];
        let count = near.read(&mut part)?;
        if count == 0 {
            return Ok(());
        }
        first.extend_from_slice(&part[..count]);
    }
    let head = String::from_utf8_lossy(&first).into_owned();
    let source = head
        .lines()
        .find_map(|line| line.strip_prefix("X-Server-From: "));
    let source = source.map(|id| id.trim().to_owned());
    let mut far = TcpStream::connect(("127.0.0.1", peer))?;
    {
        let mut cut = cut.lock().unwrap();
        if cut.separates(target, source.as_ref()) {
            return Ok(());
        }
        for stream in [&near, &far] {
            cut.open.push((target, source.clone(), stream.try_clone()?));
        }
    }
    far.write_all(&first)?;
    let (mut back_from, mut back_to) = (far.try_clone()?, near.try_clone()?);
    let back = thread::spawn(move || {
        let copied = io::copy(&mut back_from, &mut back_to);
        drop(back_to.shutdown(Shutdown::Both));
        copied
    });
    let copied = io::copy(&mut near, &mut far);
    // Both directions end together, as with a cut cable.
    drop(far.shutdown(Shutdown::Both));
    drop(back.join());
    copied.map(drop)
}
