//! The errors of requests, in the words of Go's network packages, which the API server passes on.

use std::io::{self, ErrorKind};

use rustls::{CertificateError, Error};

/// Returns the error of a connection attempt.
pub(crate) fn dial(address: &str, error: &io::Error) -> String {
    let why = match error.kind() {
        ErrorKind::ConnectionRefused => "connect: connection refused",
        ErrorKind::ConnectionReset => "connect: connection reset by peer",
        ErrorKind::HostUnreachable => "connect: no route to host",
        ErrorKind::NetworkUnreachable => "connect: network is unreachable",
        ErrorKind::TimedOut => "connect: connection timed out",
        // Errors of the resolver have no kind.
        _ if error.raw_os_error().is_none() => {
            let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
            return format!("dial tcp: lookup {host}: no such host");
        }
        _ => return format!("dial tcp {address}: {error}"),
    };
    format!("dial tcp {address}: {why}")
}

/// Returns the error of a TLS handshake with a host.
pub(crate) fn handshake(error: &io::Error, host: &str) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    let unverified = |why: &str| format!("tls: failed to verify certificate: x509: {why}");
    match inner {
        Some(Error::InvalidCertificate(certificate)) => match certificate {
            CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                unverified("certificate signed by unknown authority")
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                unverified("certificate has expired or is not yet valid")
            }
            CertificateError::NotValidForName => {
                unverified(&format!("certificate is not valid for {host}"))
            }
            CertificateError::NotValidForNameContext { presented, .. } => {
                unverified(&misnamed(host, presented))
            }
            other => unverified(&other.to_string()),
        },
        // The first bytes of a plain HTTP response are not a TLS record.
        Some(Error::InvalidMessage(_)) => {
            "http: server gave HTTP response to HTTPS client".to_owned()
        }
        Some(other) => format!("tls: {other}"),
        None if error.kind() == ErrorKind::UnexpectedEof => "EOF".to_owned(),
        None => error.to_string(),
    }
}

/// Returns Go's error for a certificate with other names.
fn misnamed(host: &str, presented: &[String]) -> String {
    let address: Result<std::net::IpAddr, _> = host.parse();
    let own = |what: &str| -> Vec<&str> {
        let names = presented.iter();
        names
            .filter_map(|name| {
                name.strip_prefix(what)?
                    .strip_prefix('(')?
                    .strip_suffix(')')
            })
            .map(|name| name.trim_matches('"'))
            .collect()
    };
    match address {
        Ok(_) => match own("IpAddress").as_slice() {
            [] => format!(
                "cannot validate certificate for {host} because it doesn't contain any IP SANs"
            ),
            names => format!("certificate is valid for {}, not {host}", names.join(", ")),
        },
        Err(_) => match own("DnsName").as_slice() {
            [] => format!("certificate is not valid for any names, but wanted to match {host}"),
            names => format!("certificate is valid for {}, not {host}", names.join(", ")),
        },
    }
}

/// Returns the error of a request that got no response.
pub(crate) fn exchange(error: &hyper::Error) -> String {
    if error.is_incomplete_message() {
        return "EOF".to_owned();
    }
    // hyper wraps TLS errors, which are more specific.
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        if let Some(io) = inner.downcast_ref::<io::Error>() {
            return handshake(io, "");
        }
        source = inner.source();
    }
    error.to_string()
}
