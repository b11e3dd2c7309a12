//! The events of a connection, independent of its protocol, and the error for invalid bytes.

/// The close code of a connection with invalid bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken(pub(crate) u16);

/// An action of a client.
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
    /// Ends its side of a stream.
    End {
        /// The number of the stream.
        stream: u32,
    },
    /// Aborts a stream in both directions.
    Reset {
        /// The number of the stream.
        stream: u32,
    },
    /// Closes the connection.
    Over,
}

/// The code for bytes that are not frames.
pub(super) const PROTOCOL_ERROR: Broken = Broken(1002);
