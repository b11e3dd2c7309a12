//! Sockets: an address that is listened at, and connections whose reader may take so long and no
//! longer.
//!
//! Guarantees: nobody but the machine itself is listened to unless the caller says so, and no read
//! or write waits for ever.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::clock::Stopwatch;

/// How long the other side may leave what is sent to it unread.
const WRITE_PATIENCE: Duration = Duration::from_secs(8);

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
    /// Where the address is not the machine's own and `anywhere` is not set, or it is taken.
    pub fn bind(address: SocketAddr, anywhere: bool) -> io::Result<Self> {
        if !anywhere {
            // Loopback unless asked otherwise: there is no authentication.
            check_own(address)?;
        }
        let inner = TcpListener::bind(address)?;
        // A client may hang up between `poll` and `accept`; a blocking `accept` would then wait for
        // the next one.
        inner.set_nonblocking(true)?;
        let address = inner.local_addr()?;
        Ok(Self { inner, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The next connection, where one comes within a time.
    ///
    /// # Errors
    /// Where no more connections can be taken.
    pub fn accept(&self, patience: Duration) -> io::Result<Option<Connection>> {
        let mut fds = [PollFd::new(&self.inner, PollFlags::IN)];
        match poll(&mut fds, Some(&timespec(patience))) {
            // A signal counts as nothing heard: the caller looks at its stop flag and comes back.
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(None),
            Ok(_) => {}
            Err(e) => return Err(e.into()),
        }
        match self.inner.accept() {
            Ok((stream, _)) => Ok(Some(Connection::new(stream)?)),
            Err(e) if is_passing(&e) => {
                // Whoever waits in line is not hurried by asking again at once.
                std::thread::sleep(Duration::from_millis(2));
                Ok(None)
            }
            Err(e) => Err(e),
        }
    }
}

/// Returns true if the machine itself alone can reach an address.
///
/// # Errors
/// With words where others can.
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

fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: time.subsec_nanos().into(),
    }
}

/// A connection.
#[derive(Debug)]
pub struct Connection {
    stream: Arc<TcpStream>,
    reading: Stopwatch,
    limit: Duration,
}

impl Connection {
    fn new(stream: TcpStream) -> io::Result<Self> {
        // Accepted sockets inherit the flag on some systems.
        stream.set_nonblocking(false)?;
        // Watch events are small and must not wait for Nagle's algorithm.
        stream.set_nodelay(true)?;
        // A reader that stops reading must not hold a thread for ever.
        stream.set_write_timeout(Some(WRITE_PATIENCE))?;
        Ok(Self {
            stream: Arc::new(stream),
            reading: Stopwatch::start(),
            limit: WRITE_PATIENCE,
        })
    }

    /// All that is read from now on must come within a time; what comes later is a time-out.
    pub fn read_within(&mut self, limit: Duration) {
        self.reading = Stopwatch::start();
        self.limit = limit;
    }

    /// Returns true if the other side has hung up.
    pub fn is_gone(&self) -> bool {
        // `RDHUP` also reports a client that closed only its sending side, as curl does at the end
        // of its request.
        let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::RDHUP;
        let mut fds = [PollFd::new(&*self.stream, PollFlags::RDHUP)];
        let asked = poll(&mut fds, Some(&timespec(Duration::ZERO)));
        asked.is_ok() && fds[0].revents().intersects(gone)
    }

    /// Waits until data can be sent without blocking; false if that takes longer than `patience`.
    pub fn can_write(&self, patience: Duration) -> bool {
        let mut fds = [PollFd::new(&*self.stream, PollFlags::OUT)];
        // Broken connections can be written: that says so.
        poll(&mut fds, Some(&timespec(patience))).is_ok_and(|ready| ready > 0)
    }

    /// Returns what another thread can break the connection with.
    pub fn closer(&self) -> Closer {
        Closer(Arc::clone(&self.stream))
    }

    /// Says that nothing more is sent, and takes what the other side still sends, so that it can read
    /// the last answer before the connection is broken.
    pub fn finish(&mut self) {
        // Without reading on, closing resets the connection and the client loses the reply that
        // explains why.
        let ended = self.stream.shutdown(Shutdown::Write);
        self.read_within(Duration::from_millis(500));
        // Bounded: a client that sends for ever must not be waited for.
        let (mut left, mut buffer) = (64, [0; 16 * 1024]);
        while ended.is_ok() && left > 0 && self.read(&mut buffer).is_ok_and(|n| n > 0) {
            left -= 1;
        }
    }
}

/// Breaks a connection that another thread reads or writes.
#[derive(Clone, Debug)]
pub struct Closer(Arc<TcpStream>);

impl Closer {
    /// Breaks the connection: reads and writes that wait end.
    pub fn close(&self) {
        // A connection that is broken already stays so.
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.limit.saturating_sub(self.reading.elapsed());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        // Set before each read to what is left: many slow bytes must not add up to more than the
        // limit.
        self.stream.set_read_timeout(Some(left))?;
        (&*self.stream).read(buffer)
    }
}

impl Write for Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self.stream).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&*self.stream).flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (TcpStream, Connection) {
        let listener = Listener::bind("127.0.0.1:0".parse().unwrap(), false).unwrap();
        assert!(listener.accept(Duration::ZERO).unwrap().is_none());
        let client = TcpStream::connect(listener.address()).unwrap();
        let taken = listener.accept(Duration::from_secs(5)).unwrap();
        (client, taken.unwrap())
    }

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
    fn a_slow_writer_runs_out_of_time_however_often_it_sends_a_little() {
        let (mut client, mut taken) = pair();
        taken.read_within(Duration::from_millis(60));
        let mut byte = [0];
        let mut read = 0;
        let error = loop {
            let _ = client.write_all(b"x");
            std::thread::sleep(Duration::from_millis(5));
            match taken.read(&mut byte) {
                Ok(n) => read += n,
                Err(e) => break e,
            }
        };
        assert!(read > 0);
        assert!(matches!(
            error.kind(),
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock
        ));
    }

    #[test]
    fn a_closed_connection_is_noticed() {
        let (client, taken) = pair();
        assert!(!taken.is_gone());
        drop(client);
        std::thread::sleep(Duration::from_millis(20));
        assert!(taken.is_gone());
    }
}
