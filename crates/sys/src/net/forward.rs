//! Forwards local ports to other addresses.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::copy_bidirectional;

use super::{Listener, Socket, connect, runtime, within};

/// How often the stop flag is checked.
const LOOK: Duration = Duration::from_millis(200);

/// The time limit for connecting to an address.
const PATIENCE: Duration = Duration::from_secs(10);

/// An event on a port, to be displayed.
///
/// ```
/// use ctl_sys::net::Forwarded;
///
/// let lost = Forwarded::Failed(std::io::ErrorKind::ConnectionRefused.into());
/// assert!(matches!(lost, Forwarded::Failed(_)));
/// ```
#[derive(Debug)]
pub enum Forwarded {
    /// A client has connected.
    Taken,
    /// The address cannot be reached.
    Failed(io::Error),
}

/// Receives the events of ports, each with the index of its port.
pub type OnForward = Arc<dyn Fn(usize, Forwarded) + Send + Sync>;

/// Forwards connections from listeners to addresses until `stop` is set. `told` receives the events.
///
/// A listener without an address has the reason instead; its connections fail with it.
///
/// # Errors
/// Returns an error if no more connections can be accepted.
pub fn forward(
    ports: Vec<(Listener, Result<String, String>)>,
    stop: &Arc<AtomicBool>,
    told: &OnForward,
) -> io::Result<()> {
    let runtime = runtime(1)?;
    let all: Vec<_> = (0..)
        .zip(ports)
        .map(|(number, (listener, address))| {
            let (stop, told) = (Arc::clone(stop), Arc::clone(told));
            runtime.spawn(one(number, listener, address, stop, told))
        })
        .collect();
    let mut outcome = Ok(());
    for task in all {
        let ended = runtime.block_on(task).map_err(io::Error::from);
        outcome = outcome.and(ended.flatten());
    }
    // Without this, the runtime would wait for the clients of open connections.
    runtime.shutdown_background();
    outcome
}

async fn one(
    number: usize,
    listener: Listener,
    address: Result<String, String>,
    stop: Arc<AtomicBool>,
    told: OnForward,
) -> io::Result<()> {
    let accepting = listener.accepting()?;
    while !stop.load(Ordering::Relaxed) {
        if let Some((mut client, _)) = accepting.next(LOOK).await? {
            told(number, Forwarded::Taken);
            let (address, told) = (address.clone(), Arc::clone(&told));
            tokio::spawn(async move {
                let passed = match address {
                    Ok(address) => pass(client.as_mut(), &address).await,
                    Err(why) => Err(io::Error::other(why)),
                };
                if let Err(e) = passed {
                    told(number, Forwarded::Failed(e));
                }
                // Closed last, so that the reason of a lost connection is told before the client notices its end.
                drop(client);
            });
        }
    }
    Ok(())
}

/// Copies bytes in both directions.
async fn pass(client: &mut dyn Socket, address: &str) -> io::Result<()> {
    let mut target = within(PATIENCE, connect(address)).await??;
    // Either side may close the connection early.
    let _ = copy_bidirectional(client, &mut target).await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::sync::Mutex;
    use std::sync::mpsc::channel;

    use super::*;

    /// An address that is always refused, because nobody can listen on port 0.
    const NOBODY: &str = "127.0.0.1:0";

    #[test]
    fn connection_stays_open_until_its_failure_is_told() {
        let listener = Listener::bind("127.0.0.1:0".parse().unwrap(), false).unwrap();
        let place = listener.address().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let (failed, failures) = channel();
        let (end, ends) = channel::<()>();
        let ends = Mutex::new(ends);
        let told: OnForward = Arc::new(move |_, what| {
            if matches!(what, Forwarded::Failed(_)) {
                failed.send(()).unwrap();
                // Returns, too, if the test has failed.
                let _ = ends.lock().unwrap().recv();
            }
        });
        let stops = Arc::clone(&stop);
        let ports = vec![(listener, Ok(NOBODY.to_owned()))];
        let runs = std::thread::spawn(move || forward(ports, &stops, &told));
        let mut client = TcpStream::connect(place).unwrap();
        failures.recv().unwrap();
        client.set_nonblocking(true).unwrap();
        let open = client.read(&mut [0]).map_err(|e| e.kind());
        assert_eq!(open, Err(io::ErrorKind::WouldBlock));
        client.set_nonblocking(false).unwrap();
        end.send(()).unwrap();
        assert_eq!(client.read(&mut [0]).unwrap_or(0), 0);
        stop.store(true, Ordering::Relaxed);
        runs.join().unwrap().unwrap();
    }

    #[test]
    fn connections_are_forwarded_until_stop_is_set() {
        let target = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = target.local_addr().unwrap().to_string();
        let nowhere = NOBODY.to_owned();
        let listen = || Listener::bind("127.0.0.1:0".parse().unwrap(), false).unwrap();
        let (first, second, third) = (listen(), listen(), listen());
        let places = [&first, &second, &third].map(|l| l.address().unwrap());
        let nobody = Err("nobody listens".to_owned());
        let stop = Arc::new(AtomicBool::new(false));
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = Arc::clone(&heard);
        let told: OnForward = Arc::new(move |number, what| {
            let what = matches!(what, Forwarded::Failed(_));
            hears.lock().unwrap().push((number, what));
        });
        let stops = Arc::clone(&stop);
        let ports = vec![(first, Ok(address)), (second, Ok(nowhere)), (third, nobody)];
        let runs = std::thread::spawn(move || forward(ports, &stops, &told));
        let mut client = TcpStream::connect(places[0]).unwrap();
        client.write_all(b"ping").unwrap();
        let (mut own, _) = target.accept().unwrap();
        let mut piece = [0; 4];
        own.read_exact(&mut piece).unwrap();
        assert_eq!(&piece, b"ping");
        own.write_all(b"pong").unwrap();
        client.read_exact(&mut piece).unwrap();
        assert_eq!(&piece, b"pong");
        for place in &places[1..] {
            let mut lost = TcpStream::connect(place).unwrap();
            assert_eq!(lost.read(&mut piece).unwrap_or(0), 0);
        }
        stop.store(true, Ordering::Relaxed);
        runs.join().unwrap().unwrap();
        assert_eq!(
            *heard.lock().unwrap(),
            [(0, false), (1, false), (1, true), (2, false), (2, true)]
        );
    }
}
