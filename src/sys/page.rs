//! A page that is read over HTTP on the machine itself: for numbers, not for people.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

/// How long a reader may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest request line that is read.
const MAX_LINE: u64 = 4096;

/// Serves a text at `/metrics` of a loopback address, in a thread of its own; answers the address.
///
/// # Errors
/// Where the address is not the machine's own or cannot be listened at.
pub fn serve(
    address: SocketAddr,
    text: impl Fn() -> String + Send + 'static,
) -> io::Result<SocketAddr> {
    super::net::check_own(address)?;
    let listener = TcpListener::bind(address)?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // One reader that breaks off is no matter.
            let _ = answer(stream, &text);
        }
    });
    Ok(address)
}

fn answer(mut stream: TcpStream, text: &dyn Fn() -> String) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut line = String::new();
    let reader = stream.try_clone()?;
    BufReader::new(io::Read::take(reader, MAX_LINE)).read_line(&mut line)?;
    let (status, body) = match line.split_whitespace().nth(1) {
        Some("/metrics" | "/") if line.starts_with("GET ") => ("200 OK", text()),
        _ => ("404 Not Found", "not found\n".to_owned()),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    )
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn ask(address: SocketAddr, path: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut answer = String::new();
        // The end may be a reset, because the headers were not read.
        let _ = stream.read_to_string(&mut answer);
        answer
    }

    #[test]
    fn the_page_is_served_to_the_machine_itself_only() {
        let anywhere = "0.0.0.0:0".parse().unwrap();
        assert!(serve(anywhere, String::new).is_err());
        let address = serve("127.0.0.1:0".parse().unwrap(), || "up 1\n".to_owned()).unwrap();
        let page = ask(address, "/metrics");
        assert!(
            page.starts_with("HTTP/1.1 200 OK") && page.ends_with("up 1\n"),
            "{page}"
        );
        assert!(ask(address, "/other").starts_with("HTTP/1.1 404"));
    }
}
