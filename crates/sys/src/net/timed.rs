//! A connection with time limits for its client.
//!
//! The limits depend on the state of the requests, which only the server knows. It reports through [`Control`] when a
//! request begins, when its body is complete, and when its response has been written.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// How long to read further input after the last response, so that the client can read the response.
const LINGER: Duration = Duration::from_millis(500);

/// The maximum number of pieces to read after the last response.
const LINGER_PIECES: usize = 64;

/// The time limits of a client.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// The limit for the first byte, and for a request's head from its first byte on.
    pub head: Duration,
    /// The limit for the next request.
    pub idle: Duration,
    /// The limit for a client that does not read what is sent to it.
    pub unread: Duration,
}

/// Reports the state of requests to a connection.
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// The number of requests whose head has arrived and whose response is incomplete.
    busy: usize,
    /// The number of those requests whose response never ends.
    endless: usize,
    /// How many times the connection has waited for the client.
    turn: u64,
    /// True if requests are interleaved: incoming bytes may then be something other than the head of a request.
    interleaved: bool,
    broken: bool,
    /// True if the client of interleaved requests was idle for too long.
    over: bool,
    /// True if the client has closed its sending side.
    ended: bool,
    reader: Option<Waker>,
    /// The task that waits for the rest of a request.
    body: Option<Waker>,
}

impl Control {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the head of a request. `interleaved` requests share the connection.
    pub fn begin(&self, interleaved: bool) {
        let mut state = self.lock();
        state.busy += 1;
        state.interleaved = interleaved;
    }

    /// Records that a response never ends, so that a client that closes its sending side counts as gone.
    pub fn mark_endless(&self) {
        let mut state = self.lock();
        state.endless += 1;
        state.wake();
    }

    /// Records the end of a response; `was_endless` marks one that was recorded as endless. Returns true if the
    /// connection now waits for the client.
    pub fn end(&self, was_endless: bool) -> bool {
        let mut state = self.lock();
        state.busy -= 1;
        state.endless -= usize::from(was_endless);
        if state.busy == 0 {
            state.turn += 1;
        }
        state.wake();
        state.busy == 0
    }

    /// Returns true if the client has closed its sending side, so that the rest of a request cannot arrive. Otherwise,
    /// wakes the caller when that happens.
    pub fn has_ended(&self, cx: &Context<'_>) -> bool {
        let mut state = self.lock();
        if !state.ended {
            state.body = Some(cx.waker().clone());
        }
        state.ended
    }

    /// Returns true if the client of interleaved requests was idle for too long. The connection closes a little later,
    /// so that its owner can announce the end. A client that sends a request just then knows that the server did not
    /// process it.
    pub fn is_over(&self) -> bool {
        self.lock().over
    }

    /// Closes the connection if it is waiting for its client.
    pub fn close(&self) {
        let mut state = self.lock();
        state.broken = true;
        state.wake();
    }
}

impl State {
    fn wake(&mut self) {
        if let Some(waker) = self.reader.take() {
            waker.wake();
        }
    }
}

/// A byte stream with time limits for reads and writes.
///
/// ```
/// use std::time::Duration;
///
/// use ctl_sys::net::{Control, Timeouts, Socket, Timed};
///
/// /// Closes a connection whose client is silent for a minute.
/// fn patient(socket: impl Socket) -> Timed<impl Socket> {
///     let minute = Duration::from_secs(60);
///     let timeouts = Timeouts { head: minute, idle: minute, unread: minute };
///     Timed::new(socket, Control::default(), timeouts)
/// }
/// ```
#[derive(Debug)]
pub struct Timed<T> {
    inner: T,
    control: Control,
    timeouts: Timeouts,
    reading: Pin<Box<Sleep>>,
    /// The turn for which the timer runs, and true if a byte of a request has arrived in that turn.
    armed: Option<(u64, bool)>,
    writing: Pin<Box<Sleep>>,
    /// True while bytes are waiting to be written.
    stuck: bool,
    /// The number of pieces left to read after the last response.
    linger: Option<usize>,
}

impl<T> Timed<T> {
    /// Wraps a stream.
    pub fn new(inner: T, control: Control, timeouts: Timeouts) -> Self {
        Self {
            inner,
            control,
            timeouts,
            reading: Box::pin(sleep(timeouts.head)),
            armed: None,
            writing: Box::pin(sleep(timeouts.unread)),
            stuck: false,
            linger: None,
        }
    }

    /// Returns the result of a write, or an error if it has been waiting for too long.
    fn written<R>(
        &mut self,
        cx: &mut Context<'_>,
        result: Poll<io::Result<R>>,
    ) -> Poll<io::Result<R>> {
        if result.is_ready() {
            self.stuck = false;
            return result;
        }
        if !self.stuck {
            self.stuck = true;
            let until = Instant::now() + self.timeouts.unread;
            self.writing.as_mut().reset(until);
        }
        ready!(self.writing.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// Returns true for a read that may wait forever, and true if the client has closed its sending side.
    fn look(&mut self, cx: &Context<'_>) -> io::Result<(bool, bool)> {
        let mut state = self.control.lock();
        if state.broken {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        match &state.reader {
            Some(waker) if waker.will_wake(cx.waker()) => {}
            _ => state.reader = Some(cx.waker().clone()),
        }
        let is_busy = state.busy > 0;
        if !is_busy && self.armed.is_none_or(|(turn, _)| turn != state.turn) {
            // A new client should send at once; after a request, it may be idle for longer.
            let limit = match state.turn {
                0 => self.timeouts.head,
                _ => self.timeouts.idle,
            };
            self.reading.as_mut().reset(Instant::now() + limit);
            // Interleaved requests have no recognizable first byte, because acknowledgments may arrive at any time.
            self.armed = Some((state.turn, state.interleaved));
        }
        Ok((is_busy, state.ended))
    }

    /// Records that the client was idle for too long. Returns true if the owner can announce the end.
    fn can_announce_end(&self) -> bool {
        let mut state = self.control.lock();
        // HTTP/1.1 has no such announcement, and a client that has made no request does not expect one.
        let is_first = state.interleaved && !std::mem::replace(&mut state.over, true);
        is_first && state.turn > 0
    }

    /// Records the end of the client's input. Returns true if a response must be written first.
    fn end(&self) -> bool {
        let mut state = self.control.lock();
        state.ended = true;
        if let Some(waker) = state.body.take() {
            waker.wake();
        }
        // A client that closes its sending side, as `nc` does, still expects the response. But a watch never
        // completes, and clients of interleaved requests never close only one side.
        state.busy > 0 && state.endless == 0 && !state.interleaved
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Timed<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (is_busy, has_ended) = self.look(cx)?;
        let before = buffer.filled().len();
        let read = match has_ended {
            true => Poll::Ready(Ok(())),
            false => Pin::new(&mut self.inner).poll_read(cx, buffer),
        };
        match read {
            Poll::Ready(Ok(())) if buffer.filled().len() == before => match self.end() {
                true => Poll::Pending,
                false => Poll::Ready(Ok(())),
            },
            Poll::Ready(result) => {
                if let Some((turn, false)) = self.armed.filter(|_| !is_busy) {
                    // Counted from the first byte, because a slow stream of bytes must not extend the limit.
                    let until = Instant::now() + self.timeouts.head;
                    self.reading.as_mut().reset(until);
                    self.armed = Some((turn, true));
                }
                Poll::Ready(result)
            }
            Poll::Pending if is_busy => Poll::Pending,
            Poll::Pending => {
                ready!(self.reading.as_mut().poll(cx));
                if self.can_announce_end() {
                    let until = Instant::now() + self.timeouts.head;
                    self.reading.as_mut().reset(until);
                    ready!(self.reading.as_mut().poll(cx));
                }
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Timed<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.written(cx, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.inner).poll_write_vectored(cx, pieces);
        self.written(cx, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.inner).poll_flush(cx);
        self.written(cx, result)
    }

    /// Closes the sending side and reads the remaining input. Otherwise, closing would reset the connection, and the
    /// client would lose the response with the reason.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.linger.is_none() {
            let result = Pin::new(&mut self.inner).poll_shutdown(cx);
            ready!(self.written(cx, result))?;
            self.linger = Some(LINGER_PIECES);
            self.reading.as_mut().reset(Instant::now() + LINGER);
        }
        let mut space = [0; 16 * 1024];
        while let Some(left @ 1..) = self.linger {
            let state = self.control.lock();
            if state.ended || state.broken {
                break;
            }
            drop(state);
            let mut piece = ReadBuf::new(&mut space);
            match Pin::new(&mut self.inner).poll_read(cx, &mut piece) {
                // Limited, because a client may never stop sending.
                Poll::Ready(Ok(())) if !piece.filled().is_empty() => self.linger = Some(left - 1),
                Poll::Ready(_) => break,
                Poll::Pending => {
                    ready!(self.reading.as_mut().poll(cx));
                    break;
                }
            }
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;
    use crate::net::{Listener, Socket, pause, runtime, within};

    const SHORT: Duration = Duration::from_millis(60);
    const LONG: Duration = Duration::from_secs(20);

    /// Runs a test with a client's connection and the server's side of it.
    fn pair<F: Future>(
        timeouts: Timeouts,
        test: impl FnOnce(std::net::TcpStream, Timed<Box<dyn Socket>>, Control) -> F,
    ) {
        let listener = Listener::bind("127.0.0.1:0".parse().unwrap(), false).unwrap();
        let client = std::net::TcpStream::connect(listener.address().unwrap()).unwrap();
        // Keeps the connection open for tests that do not use the client.
        let _stays = client.try_clone().unwrap();
        runtime(1).unwrap().block_on(async {
            let accepting = listener.accepting().unwrap();
            let (socket, _) = accepting.next(LONG).await.unwrap().unwrap();
            let control = Control::default();
            let timed = Timed::new(socket, control.clone(), timeouts);
            let ended = within(LONG, test(client, timed, control)).await;
            assert!(ended.is_ok(), "it hangs");
        });
    }

    async fn read(timed: &mut Timed<Box<dyn Socket>>) -> io::Result<usize> {
        let mut space = [0; 100];
        let mut buffer = ReadBuf::new(&mut space);
        poll_fn(|cx| Pin::new(&mut *timed).poll_read(cx, &mut buffer)).await?;
        Ok(buffer.filled().len())
    }

    fn timeouts(head: Duration, idle: Duration) -> Timeouts {
        Timeouts {
            head,
            idle,
            unread: SHORT,
        }
    }

    #[test]
    fn slow_client_times_out_despite_frequent_bytes() {
        use std::io::Write as _;
        pair(
            timeouts(SHORT, LONG),
            |mut client, mut timed, _| async move {
                let mut times = 0;
                let error = loop {
                    let _ = client.write_all(b"x");
                    match read(&mut timed).await {
                        Ok(1..) => times += 1,
                        Ok(0) => panic!("the client is there"),
                        Err(e) => break e,
                    }
                    pause(Duration::from_millis(5)).await;
                };
                assert_eq!(error.kind(), io::ErrorKind::TimedOut);
                assert!(times > 0);
            },
        );
    }

    #[test]
    fn idle_timeout_starts_after_the_response() {
        pair(
            timeouts(LONG, SHORT),
            |_client, mut timed, control| async move {
                control.begin(false);
                assert!(within(SHORT * 3, read(&mut timed)).await.is_err());
                assert!(control.end(false));
                let idle = read(&mut timed).await.unwrap_err();
                assert_eq!(idle.kind(), io::ErrorKind::TimedOut);
            },
        );
    }

    #[test]
    fn end_of_input_waits_for_response_unless_watching() {
        pair(
            timeouts(LONG, LONG),
            |client, mut timed, control| async move {
                client.shutdown(std::net::Shutdown::Write).unwrap();
                control.begin(false);
                assert!(within(SHORT, read(&mut timed)).await.is_err());
                assert!(control.has_ended(&Context::from_waker(Waker::noop())));
                control.mark_endless();
                assert_eq!(read(&mut timed).await.unwrap(), 0);
            },
        );
    }

    #[test]
    fn a_client_that_does_not_read_has_a_time_limit() {
        pair(timeouts(LONG, LONG), |_client, mut timed, _| async move {
            let bytes = vec![0; 1 << 20];
            let error = loop {
                let written = poll_fn(|cx| Pin::new(&mut timed).poll_write(cx, &bytes)).await;
                if let Err(e) = written {
                    break e;
                }
            };
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        });
    }

    #[test]
    fn close_aborts_a_pending_read() {
        pair(
            timeouts(LONG, LONG),
            |_client, mut timed, control| async move {
                assert!(within(SHORT, read(&mut timed)).await.is_err());
                control.close();
                let broken = read(&mut timed).await.unwrap_err();
                assert_eq!(broken.kind(), io::ErrorKind::ConnectionAborted);
            },
        );
    }
}
