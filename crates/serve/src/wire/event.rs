//! The events of a connection, whatever its protocol, and the error of bytes that are in none.

/// The code with which a connection is closed whose bytes cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken(pub(crate) u16);

/// Something that a client does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Opens a stream. Channels are open from the start.
    Open {
        /// The number of the stream.
        stream: u32,
        /// Names in lower case, and values.
        headers: Vec<(String, String)>,
    },
    /// Sends bytes.
    Data {
        /// The number of the stream.
        stream: u32,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Sends no more on a stream.
    End {
        /// The number of the stream.
        stream: u32,
    },
    /// Gives up a stream in both directions.
    Reset {
        /// The number of the stream.
        stream: u32,
    },
    /// Closes the connection.
    Over,
}

/// The code for bytes that are no frames.
pub(super) const PROTOCOL_ERROR: Broken = Broken(1002);
