//! Input as lines or as byte counts.

use std::io::{self, Read};

/// How much is read at once.
const CHUNK: usize = 16 * 1024;

/// The reading half of a connection, with what was read too much.
pub(super) struct Input<R> {
    from: R,
    held: Vec<u8>,
    taken: usize,
}

/// Why a line cannot be had.
#[derive(Debug)]
pub(super) enum NoLine {
    /// The other side is done, at the beginning of a line.
    End,
    /// It is longer than it may be.
    TooLong,
    /// The connection is broken or took too long.
    Broken,
}

impl<R: Read> Input<R> {
    pub(super) fn new(from: R) -> Self {
        Self {
            from,
            held: Vec::new(),
            taken: 0,
        }
    }

    pub(super) fn connection(&mut self) -> &mut R {
        &mut self.from
    }

    fn left(&self) -> &[u8] {
        &self.held[self.taken..]
    }

    /// Reads more; returns whether there was any.
    fn fill(&mut self) -> io::Result<bool> {
        if self.taken > 0 {
            // Only here: lines are taken without moving the rest.
            self.held.drain(..self.taken);
            self.taken = 0;
        }
        let before = self.held.len();
        // Zeroed for safety; a chunk is small beside what a request costs anyway.
        self.held.resize(before + CHUNK, 0);
        let read = loop {
            match self.from.read(&mut self.held[before..]) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        self.held.truncate(before + *read.as_ref().unwrap_or(&0));
        Ok(read? > 0)
    }

    /// Returns true if something has come; waits for it.
    pub(super) fn begins(&mut self) -> io::Result<bool> {
        Ok(!self.left().is_empty() || self.fill()?)
    }

    /// The next line without its end, of at most `limit` bytes.
    pub(super) fn line(&mut self, limit: usize) -> Result<Vec<u8>, NoLine> {
        let mut looked = 0;
        loop {
            // The search goes on where it ended: a line that comes byte by byte is not searched
            // anew each time.
            if let Some(at) = memchr::memchr(b'\n', &self.left()[looked..]) {
                let end = looked + at;
                if end > limit {
                    return Err(NoLine::TooLong);
                }
                let line = &self.left()[..end];
                let line = line.strip_suffix(b"\r").unwrap_or(line).to_vec();
                self.taken += end + 1;
                return Ok(line);
            }
            looked = self.left().len();
            if looked > limit {
                return Err(NoLine::TooLong);
            }
            match self.fill() {
                Ok(true) => {}
                // The end between two requests is normal, in the middle of a line it is not.
                Ok(false) if looked == 0 => return Err(NoLine::End),
                _ => return Err(NoLine::Broken),
            }
        }
    }

    /// The next bytes, as many as are wanted, behind `out`. Memory is asked for as they arrive: `grow`
    /// is told how much more is needed.
    pub(super) fn take(
        &mut self,
        wanted: usize,
        out: &mut Vec<u8>,
        mut grow: impl FnMut(usize) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut missing = wanted;
        loop {
            let now = missing.min(self.left().len());
            // Grows with what has come, not with what was announced: 3 MiB of promise cost a client
            // nothing.
            if out.capacity() - out.len() < now {
                // Doubles, so that copying stays linear, but never beyond what is still missing.
                let more = now.max(out.len()).min(now.max(missing));
                grow(more)?;
                out.reserve_exact(more);
            }
            out.extend_from_slice(&self.left()[..now]);
            self.taken += now;
            missing -= now;
            if missing == 0 {
                return Ok(());
            }
            if !self.fill()? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}
