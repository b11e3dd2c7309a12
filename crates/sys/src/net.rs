//! Sockets: an address that is listened at, and connections whose client may take so long and no
//! longer. Only what serves needs a runtime, and makes one here.
//!
//! Guarantees: nobody but the machine itself is listened to unless the caller says so, and no read
//! or write waits for ever.

mod timed;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::num::NonZero;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::{Builder, Runtime};
pub use tokio::time::{sleep as pause, timeout as within};

pub use timed::{Control, Patience, Timed};

/// The stack of each thread: objects may be deep, and a default stack is not enough for the recursion.
const STACK: usize = 8 * 1024 * 1024;

/// The most threads that move bytes; requests are handled on others.
const MOST_MOVERS: usize = 4;

/// Makes a runtime with at most this many threads for work that blocks.
///
/// # Errors
/// The threads cannot be started.
pub fn runtime(blocking: usize) -> io::Result<Runtime> {
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

/// A stream of bytes in both directions.
pub trait Socket: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Socket for T {}

/// An address that is listened at.
#[derive(Debug)]
pub struct Listener {
    inner: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// Listens at an address; port 0 takes any that is free.
    ///
    /// # Errors
    /// The address is not the machine's own and `anywhere` is not set, or it is taken.
    pub fn bind(address: SocketAddr, anywhere: bool) -> io::Result<Self> {
        if !anywhere {
            // Loopback unless asked otherwise: there is no authentication.
            check_own(address)?;
        }
        let inner = TcpListener::bind(address)?;
        inner.set_nonblocking(true)?;
        let address = inner.local_addr()?;
        Ok(Self { inner, address })
    }

    /// Returns the address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Begins to accept connections on the runtime that runs the caller.
    ///
    /// # Errors
    /// The socket cannot be watched.
    pub fn accepting(&self) -> io::Result<Accepting> {
        let inner = tokio::net::TcpListener::from_std(self.inner.try_clone()?)?;
        Ok(Accepting(inner))
    }
}

/// A listener on a runtime.
#[derive(Debug)]
pub struct Accepting(tokio::net::TcpListener);

impl Accepting {
    /// Returns the next connection, if one comes within a time.
    ///
    /// # Errors
    /// No more connections can be taken.
    pub async fn next(&self, patience: Duration) -> io::Result<Option<Box<dyn Socket>>> {
        match within(patience, self.0.accept()).await {
            Err(_) => Ok(None),
            Ok(Ok((stream, _))) => {
                // Watch events are small and must not wait for Nagle's algorithm. A client that is
                // gone already is noticed by the first read.
                let _ = stream.set_nodelay(true);
                Ok(Some(Box::new(stream)))
            }
            Ok(Err(e)) if is_passing(&e) => {
                // Whoever waits in line is not hurried by asking again at once.
                pause(Duration::from_millis(2)).await;
                Ok(None)
            }
            Ok(Err(e)) => Err(e),
        }
    }
}

/// Returns true if the machine itself alone can reach an address.
///
/// # Errors
/// Others can; the error says so.
pub fn check_own(address: SocketAddr) -> io::Result<()> {
    if address.ip().is_loopback() {
        return Ok(());
    }
    let why = format!("{address} is not an address of the machine itself; use 127.0.0.1");
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

/// Returns true if the next one may come although this one did not: it is gone already, or there
/// are too many for the moment.
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
    fn nobody_else_is_listened_to_unless_told() {
        let anywhere: SocketAddr = "0.0.0.0:0".parse().unwrap();
        let refused = Listener::bind(anywhere, false).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "0.0.0.0:0 is not an address of the machine itself; use 127.0.0.1"
        );
        assert!(Listener::bind(anywhere, true).is_ok());
    }

    #[test]
    fn a_listener_waits_for_a_client_and_no_longer_than_it_may() {
        let listener = Listener::bind("127.0.0.1:0".parse().unwrap(), false).unwrap();
        runtime(1).unwrap().block_on(async {
            let accepting = listener.accepting().unwrap();
            assert!(accepting.next(Duration::ZERO).await.unwrap().is_none());
            let _client = std::net::TcpStream::connect(listener.address()).unwrap();
            let taken = accepting.next(Duration::from_secs(5)).await.unwrap();
            assert!(taken.is_some());
        });
    }
}
