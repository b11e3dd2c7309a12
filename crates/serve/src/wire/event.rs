//! The events of an upgraded connection, whatever its protocol, and the error for invalid bytes.

/// A protocol violation, with the close code to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken(pub(crate) u16);

/// An action of the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Opens a stream. Channels need no such event, because they are open from the start.
    Open {
        /// The number of the stream.
        stream: u32,
        /// Pairs of a lower-case name and a value.
        headers: Vec<(String, String)>,
    },
    /// Sends bytes.
    Data {
        /// The number of the stream.
        stream: u32,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Half-closes a stream: the client sends nothing more.
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

/// The error for bytes that are not valid frames.
pub(super) const PROTOCOL_ERROR: Broken = Broken(1002);
