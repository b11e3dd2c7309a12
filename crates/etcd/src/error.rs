//! Errors of the client.

/// The result of every call.
pub type Result<T> = std::result::Result<T, EtcdError>;

/// The reason why a call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EtcdError {
    /// No member could be reached, so nothing was sent.
    #[error("etcd cannot be reached: {0}")]
    Unreachable(String),
    /// The request was sent, but no response came: it may have been executed.
    #[error("etcd did not respond; it may have executed the request: {0}")]
    Lost(String),
    /// etcd no longer has the requested revision. A watch returns the start of its history, a range does not.
    #[error("etcd has compacted the requested revision")]
    Compacted(Option<u64>),
    /// etcd rejected the request and did nothing.
    #[error("{message} (gRPC code {code})")]
    Refused {
        /// The status code of gRPC.
        code: u32,
        /// The text of etcd.
        message: String,
    },
    /// etcd has no space left, so it rejects every write.
    #[error("{0}")]
    Full(String),
    /// A response that is not a message of etcd.
    #[error("etcd's response to {0} cannot be read")]
    Malformed(&'static str),
    /// A certificate, key or address that cannot be used.
    #[error("{0}")]
    Config(String),
}

/// gRPC's codes after which a request may have been carried out: canceled, unknown, deadline exceeded, unavailable.
const UNCERTAIN: [u32; 4] = [1, 2, 4, 14];

const PERMISSION_DENIED: u32 = 7;

impl EtcdError {
    /// Returns the error of a status that gRPC reports.
    pub(crate) fn of_status(code: u32, message: &str) -> Self {
        // A revision in the future has the same code, so the text decides.
        if message.contains("required revision has been compacted") {
            return Self::Compacted(None);
        }
        // The text of etcd does not tell a user of ctl what to do.
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
