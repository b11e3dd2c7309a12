//! Errors of the client.

/// The result of a call.
pub type Result<T> = std::result::Result<T, EtcdError>;

/// The reason for the failure of a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EtcdError {
    /// No member was reachable, so nothing was sent.
    #[error("etcd cannot be reached: {0}")]
    Unreachable(String),
    /// The request was sent, but no response arrived; etcd may have executed it.
    #[error("etcd did not respond; it may have executed the request: {0}")]
    Lost(String),
    /// etcd no longer has the requested revision. A watch reports the oldest available one, a range does not.
    #[error("etcd has compacted the requested revision")]
    Compacted(Option<u64>),
    /// etcd rejected the request and did nothing.
    #[error("{message} (gRPC code {code})")]
    Refused {
        /// gRPC's status code.
        code: u32,
        /// etcd's message.
        message: String,
    },
    /// etcd has run out of space and rejects every write.
    #[error("{0}")]
    Full(String),
    /// A response is not one of etcd's messages.
    #[error("etcd's response to {0} cannot be read")]
    Malformed(&'static str),
    /// A certificate, key or address is unusable.
    #[error("{0}")]
    Config(String),
}

/// gRPC's codes after which a request may have been executed: canceled, unknown, deadline exceeded, unavailable.
const UNCERTAIN: [u32; 4] = [1, 2, 4, 14];

const PERMISSION_DENIED: u32 = 7;

impl EtcdError {
    /// Returns the error for a status that gRPC reports.
    pub(crate) fn of_status(code: u32, message: &str) -> Self {
        // A revision in the future has the same code, so the message decides.
        if message.contains("required revision has been compacted") {
            return Self::Compacted(None);
        }
        // etcd's message does not tell a user of ctl what to do.
        if message.contains("user name is empty") {
            return Self::Config(
                "etcd requires a user: --cert needs a certificate whose common name is an etcd user".to_owned(),
            );
        }
        if code == PERMISSION_DENIED {
            return Self::Config(format!(
                "{message}: the user of --cert must have the permission to read and write the range from /PREFIX.ctl/ to /PREFIX0"
            ));
        }
        if message.contains("database space exceeded") {
            let text = format!(
                "{message}: shorten the history (`ctl cluster set --history`), then run `etcdctl defrag` and `etcdctl \
                 alarm disarm`; or raise --quota-backend-bytes"
            );
            return Self::Full(text);
        }
        if UNCERTAIN.contains(&code) {
            return Self::Lost(message.to_owned());
        }
        Self::Refused {
            code,
            message: message.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grpc_status_maps_to_lost_refused_or_compacted() {
        let lost = EtcdError::of_status(14, "etcdserver: leader changed");
        assert_eq!(
            lost,
            EtcdError::Lost("etcdserver: leader changed".to_owned())
        );
        let refused = EtcdError::of_status(3, "etcdserver: request is too large");
        assert!(matches!(refused, EtcdError::Refused { code: 3, .. }));
        let denied = EtcdError::of_status(7, "etcdserver: permission denied");
        assert!(denied.to_string().contains("--cert"), "{denied}");
        let full = EtcdError::of_status(8, "etcdserver: mvcc: database space exceeded");
        assert!(full.to_string().contains("etcdctl defrag"), "{full}");
        let nobody = EtcdError::of_status(3, "etcdserver: user name is empty");
        assert!(nobody.to_string().contains("--cert"), "{nobody}");
        let old = "etcdserver: mvcc: required revision has been compacted";
        assert_eq!(EtcdError::of_status(11, old), EtcdError::Compacted(None));
    }
}
