//! A connection to a server whose last words are always read.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A stream on which a write to a server that is gone fails only after everything that the server sent has been read.
///
/// A server that refuses a client sends the reason, such as a TLS alert, and closes the connection. The client's next
/// write may fail before the client has read the reason, and the libraries for HTTP and TLS then report the failed
/// write ("broken pipe") and never read again. Until the reader reaches the end, this stream discards such writes
/// instead, so the error of the connection is always the reason.
#[derive(Debug)]
pub(super) struct Outgoing<T> {
    inner: T,
    /// The error of the first write that failed because the server is gone.
    gone: Option<ErrorKind>,
    /// True once the reader has reached the end or an error.
    read: bool,
}

impl<T> Outgoing<T> {
    pub(super) fn new(inner: T) -> Self {
        Self {
            inner,
            gone: None,
            read: false,
        }
    }

    /// Returns the result of a write: discarded, if the reader has not reached the end yet.
    fn outcome<R>(&mut self, result: io::Result<R>, discarded: R) -> io::Result<R> {
        match result {
            Err(e) if matches!(e.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) => {
                self.gone = Some(e.kind());
                if self.read { Err(e) } else { Ok(discarded) }
            }
            result => result,
        }
    }

    /// Returns the result for a write after one that has failed.
    fn after<R>(&self, discarded: R) -> Option<io::Result<R>> {
        let kind = self.gone?;
        Some(if self.read {
            Err(kind.into())
        } else {
            Ok(discarded)
        })
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Outgoing<T> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let stream = self.get_mut();
        let before = buffer.filled().len();
        let result = ready!(Pin::new(&mut stream.inner).poll_read(cx, buffer));
        let ended = buffer.filled().len() == before && buffer.remaining() > 0;
        stream.read |= result.is_err() || ended;
        Poll::Ready(result)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Outgoing<T> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let stream = self.get_mut();
        if let Some(result) = stream.after(bytes.len()) {
            return Poll::Ready(result);
        }
        let result = ready!(Pin::new(&mut stream.inner).poll_write(cx, bytes));
        Poll::Ready(stream.outcome(result, bytes.len()))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let stream = self.get_mut();
        let length = parts.iter().map(|part| part.len()).sum();
        if let Some(result) = stream.after(length) {
            return Poll::Ready(result);
        }
        let result = ready!(Pin::new(&mut stream.inner).poll_write_vectored(cx, parts));
        Poll::Ready(stream.outcome(result, length))
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let stream = self.get_mut();
        if let Some(result) = stream.after(()) {
            return Poll::Ready(result);
        }
        let result = ready!(Pin::new(&mut stream.inner).poll_flush(cx));
        Poll::Ready(stream.outcome(result, ()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let stream = self.get_mut();
        if let Some(result) = stream.after(()) {
            return Poll::Ready(result);
        }
        let result = ready!(Pin::new(&mut stream.inner).poll_shutdown(cx));
        Poll::Ready(stream.outcome(result, ()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::thread;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use crate::net::{connect, runtime};

    #[test]
    fn reason_of_a_server_that_closes_is_read_before_a_write_fails() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let server = thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            socket.read_exact(&mut [0]).unwrap();
            // Unread bytes let the close reset the connection, so the client's next write fails.
            socket.peek(&mut [0]).unwrap();
            socket.write_all(b"refused").unwrap();
        });
        runtime(1).unwrap().block_on(async {
            let mut socket = connect(&address).await.unwrap();
            socket.write_all(b"hello").await.unwrap();
            server.join().unwrap();
            for _ in 0..2 {
                socket.write_all(b"more").await.unwrap();
                socket.flush().await.unwrap();
            }
            let mut reason = Vec::new();
            // Whether an error or an end follows depends on the system.
            let _ = socket.read_to_end(&mut reason).await;
            assert_eq!(String::from_utf8_lossy(&reason), "refused");
            socket.write_all(b"more").await.unwrap_err();
        });
    }
}
