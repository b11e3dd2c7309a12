//! Sockets: listeners, and connections with time limits for their clients. Only servers and network clients need an
//! async runtime, which this module creates.
//!
//! Guarantees: by default, only the local machine can connect, and no read or write waits forever.

mod forward;
mod outgoing;
mod timed;

use std::fs::{self, Permissions};
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::num::NonZero;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::{Builder, Runtime};
pub use tokio::time::{sleep as pause, timeout as within};

use crate::entropy::kernel_random;
pub use forward::{Forwarded, OnForward, forward};
pub use timed::{Control, Timed, Timeouts};

/// The stack size of each thread. Objects may be deeply nested, and the default is too small for the recursion.
const STACK: usize = 8 * 1024 * 1024;

/// The maximum number of threads for network I/O; other threads handle the requests.
const MOST_MOVERS: usize = 4;

/// Creates a runtime with at most this many threads for blocking work.
///
/// # Errors
/// Returns an error if the threads cannot be started.
pub fn runtime(blocking: usize) -> io::Result<Runtime> {
    allow_open_files()?;
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    Builder::new_multi_thread()
        .worker_threads(processors.min(MOST_MOVERS))
        .max_blocking_threads(blocking.max(1))
        .thread_stack_size(STACK)
        .thread_name("ctl-serve")
        .enable_io()
        .enable_time()
        .build()
}

/// Raises the limit of open files as far as the process may: each connection is a file, and most shells allow only
/// 1,024 of them.
fn allow_open_files() -> io::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let highest = Rlimit {
        current: limit.maximum,
        ..limit
    };
    Ok(setrlimit(Resource::Nofile, highest)?)
}

/// A bidirectional byte stream.
pub trait Socket: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Socket for T {}

/// Connects to `HOST:PORT`. The caller must limit the time.
///
/// # Errors
/// Returns an error if nobody listens there.
pub async fn connect(address: &str) -> io::Result<Box<dyn Socket>> {
    let stream = tokio::net::TcpStream::connect(address).await?;
    // Requests are small, and Nagle's algorithm would delay them.
    stream.set_nodelay(true)?;
    Ok(Box::new(outgoing::Outgoing::new(stream)))
}

/// A listener on an address or a path.
///
/// ```
/// use ctl_sys::net::{Accepting, Listener, Socket, runtime};
///
/// async fn serve(listener: Listener) -> std::io::Result<()> {
///     let accepting: Accepting = listener.accepting()?;
///     loop {
///         let socket: Box<dyn Socket> = match &accepting {
///             Accepting::Tcp(tcp) => Box::new(tcp.accept().await?.0),
///             Accepting::Unix(unix) => Box::new(unix.accept().await?.0),
///         };
///         drop(socket); // a real server reads a request
///     }
/// }
///
/// // With port 0, the system chooses a free port.
/// let listener = Listener::bind(([127, 0, 0, 1], 0).into(), false)?;
/// assert_ne!(listener.address().unwrap().port(), 0);
/// let _ = runtime(1)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Listener(Inner);

#[derive(Debug)]
enum Inner {
    Tcp(TcpListener, SocketAddr),
    Unix(UnixListener, PathBuf),
}

impl Listener {
    /// Listens on an address. With port 0, the system chooses a free port.
    ///
    /// # Errors
    /// Returns an error if the address is in use, or if it is not a loopback address and `anywhere` is not set.
    pub fn bind(address: SocketAddr, anywhere: bool) -> io::Result<Self> {
        if !anywhere {
            // Loopback by default, because any client that reaches the address has full access.
            check_own(address)?;
        }
        let inner = TcpListener::bind(address)?;
        inner.set_nonblocking(true)?;
        let address = inner.local_addr()?;
        Ok(Self(Inner::Tcp(inner, address)))
    }

    /// Listens on a socket file that only its owner can open. Replaces a stale socket on which nobody listens.
    /// Dropping the value removes the file.
    ///
    /// # Errors
    /// Returns an error if another process listens on it, or if the file is not a socket.
    pub fn bind_path(path: &Path) -> io::Result<Self> {
        match fs::symlink_metadata(path) {
            Ok(found) if !found.file_type().is_socket() => {
                return Err(io::Error::new(
                    io::ErrorKind::AlreadyExists,
                    "the file exists and is not a socket",
                ));
            }
            Ok(_) if UnixStream::connect(path).is_ok() => {
                return Err(io::ErrorKind::AddrInUse.into());
            }
            _ => {}
        }
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{:016x}", kernel_random()));
        let fresh = path.with_file_name(name);
        let inner = UnixListener::bind(&fresh)?;
        // The socket has a temporary name until its mode is set, so that no other user can connect before.
        let placed = fs::set_permissions(&fresh, Permissions::from_mode(0o600))
            .and_then(|()| fs::rename(&fresh, path));
        if let Err(e) = placed {
            let _ = fs::remove_file(&fresh);
            return Err(e);
        }
        inner.set_nonblocking(true)?;
        Ok(Self(Inner::Unix(inner, path.to_owned())))
    }

    /// Returns the address, or `None` if the listener is on a path.
    pub fn address(&self) -> Option<SocketAddr> {
        match &self.0 {
            Inner::Tcp(_, address) => Some(*address),
            Inner::Unix(..) => None,
        }
    }

    /// Starts to accept connections on the caller's runtime.
    ///
    /// # Errors
    /// Returns an error if the socket cannot be registered with the runtime.
    pub fn accepting(&self) -> io::Result<Accepting> {
        Ok(match &self.0 {
            Inner::Tcp(inner, _) => {
                Accepting::Tcp(tokio::net::TcpListener::from_std(inner.try_clone()?)?)
            }
            Inner::Unix(inner, _) => {
                Accepting::Unix(tokio::net::UnixListener::from_std(inner.try_clone()?)?)
            }
        })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Inner::Unix(_, path) = &self.0 {
            // If the file cannot be removed, the next listener replaces it.
            let _ = fs::remove_file(path);
        }
    }
}

/// A connection and the client's address, if it has one.
pub type Accepted = (Box<dyn Socket>, Option<SocketAddr>);

/// A listener registered with a runtime.
#[derive(Debug)]
pub enum Accepting {
    /// On an address.
    Tcp(tokio::net::TcpListener),
    /// On a path.
    Unix(tokio::net::UnixListener),
}

impl Accepting {
    /// Returns the next connection, or `None` if none arrives in time.
    ///
    /// # Errors
    /// Returns an error if no more connections can be accepted.
    pub async fn next(&self, patience: Duration) -> io::Result<Option<Accepted>> {
        match within(patience, self.accept()).await {
            Err(_) => Ok(None),
            Ok(Ok(socket)) => Ok(Some(socket)),
            Ok(Err(e)) if is_passing(&e) => {
                // Pauses, because retrying at once would not help the waiting clients.
                pause(Duration::from_millis(2)).await;
                Ok(None)
            }
            Ok(Err(e)) => Err(e),
        }
    }

    async fn accept(&self) -> io::Result<Accepted> {
        match self {
            Self::Tcp(inner) => {
                let (stream, from) = inner.accept().await?;
                // Watch events are small, and Nagle's algorithm would delay them. An error means that the client has
                // gone, which the first read notices.
                let _ = stream.set_nodelay(true);
                Ok((Box::new(stream), Some(from)))
            }
            Self::Unix(inner) => Ok((Box::new(inner.accept().await?.0), None)),
        }
    }
}

/// Returns true if a process listens on an address of this machine.
pub fn is_listening(address: SocketAddr) -> bool {
    // Half a second is plenty without a network in between.
    TcpStream::connect_timeout(&address, Duration::from_millis(500)).is_ok()
}

/// Returns the machine's addresses on its default routes, under which other machines can reach it.
///
/// ```
/// // At most one per address family; none without a network.
/// assert!(ctl_sys::net::advertised().len() <= 2);
/// ```
pub fn advertised() -> Vec<IpAddr> {
    // Connecting a UDP socket makes the kernel choose a route without sending a packet. The destinations are reserved
    // for documentation.
    const ROUTES: [(&str, &str); 2] = [("0.0.0.0:0", "192.0.2.1:9"), ("[::]:0", "[2001:db8::1]:9")];
    let local = |own: &str, other: &str| -> io::Result<IpAddr> {
        let socket = UdpSocket::bind(own)?;
        socket.connect(other)?;
        Ok(socket.local_addr()?.ip())
    };
    let routes = ROUTES.iter();
    let known = routes.filter_map(|route| local(route.0, route.1).ok());
    known.filter(|address| !address.is_loopback()).collect()
}

/// Checks that an address is reachable only from this machine.
///
/// # Errors
/// Returns an error if other machines can reach the address.
pub fn check_own(address: SocketAddr) -> io::Result<()> {
    if address.ip().is_loopback() {
        return Ok(());
    }
    let why = format!("{address} is not a loopback address; use 127.0.0.1");
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

/// Returns true if the error concerns only this connection: its client has already gone, or there are too many
/// connections at the moment.
fn is_passing(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let passing = [
        Errno::CONNABORTED,
        Errno::MFILE,
        Errno::NFILE,
        Errno::NOBUFS,
    ];
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    ) || Errno::from_io_error(error).is_some_and(|e| passing.contains(&e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listener_binds_only_loopback_addresses_by_default() {
        let anywhere: SocketAddr = "0.0.0.0:0".parse().unwrap();
        let refused = Listener::bind(anywhere, false).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "0.0.0.0:0 is not a loopback address; use 127.0.0.1"
        );
        assert!(Listener::bind(anywhere, true).is_ok());
    }

    #[test]
    fn accept_returns_a_client_or_times_out() {
        let listener = Listener::bind("127.0.0.1:0".parse().unwrap(), false).unwrap();
        runtime(1).unwrap().block_on(async {
            let accepting = listener.accepting().unwrap();
            assert!(accepting.next(Duration::ZERO).await.unwrap().is_none());
            let _client = std::net::TcpStream::connect(listener.address().unwrap()).unwrap();
            let taken = accepting.next(Duration::from_secs(5)).await.unwrap();
            assert!(taken.is_some());
        });
    }

    #[test]
    fn socket_file_is_private_and_removed_with_its_listener() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("api.sock");
        let listener = Listener::bind_path(&path).unwrap();
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!((mode & 0o777, listener.address()), (0o600, None));
        let taken = Listener::bind_path(&path).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AddrInUse);
        drop(listener);
        assert!(!path.exists());
        // A socket left behind by a process that was killed.
        drop(UnixListener::bind(&path).unwrap());
        assert!(path.exists() && Listener::bind_path(&path).is_ok());
        let mut notes = fs::File::create(&path).unwrap();
        io::Write::write_all(&mut notes, b"notes").unwrap();
        let file = Listener::bind_path(&path).unwrap_err();
        assert_eq!(file.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).unwrap(), "notes");
        let left = fs::read_dir(directory.path()).unwrap().count();
        assert_eq!(left, 1);
    }
}
