use super::*;
use crate::connect::Streams;

fn agreed(fields: &[(&str, &str)], purpose: &Purpose) -> Result<(Protocol, HeaderMap), u16> {
    let mut request = hyper::Request::get("/");
    for (name, value) in fields {
        request = request.header(*name, *value);
    }
    let head = Head::new(request.body(()).unwrap().into_parts().0);
    handshake(&head, purpose).map_err(|response| response.code)
}

#[test]
fn first_supported_client_protocol_is_negotiated() {
    let command = Purpose::Command {
        words: None,
        streams: Streams::default(),
    };
    let ports = Purpose::Ports(vec![80]);
    let socket = |protocols| {
        vec![
            ("connection", "keep-alive, Upgrade"),
            ("upgrade", "WebSocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
            ("sec-websocket-protocol", protocols),
        ]
    };
    let both = "v9.channel.k8s.io, v4.channel.k8s.io,v5.channel.k8s.io";
    let (protocol, headers) = agreed(&socket(both), &command).unwrap();
    assert_eq!(protocol, Protocol::Channels { ends: false });
    // The example in the RFC.
    assert_eq!(
        headers["sec-websocket-accept"],
        "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    );
    assert_eq!(headers["sec-websocket-protocol"], "v4.channel.k8s.io");
    let tunnel = agreed(&socket("SPDY/3.1+portforward.k8s.io"), &ports);
    assert_eq!(tunnel.unwrap().0, Protocol::Tunnel);
    let spdy = [
        ("connection", "Upgrade"),
        ("upgrade", "SPDY/3.1"),
        ("x-stream-protocol-version", "v5.channel.k8s.io"),
        ("x-stream-protocol-version", "v4.channel.k8s.io"),
    ];
    let (protocol, headers) = agreed(&spdy, &command).unwrap();
    assert_eq!(protocol, Protocol::Spdy);
    assert_eq!(headers["x-stream-protocol-version"], "v4.channel.k8s.io");
    assert_eq!(agreed(&spdy, &ports).unwrap_err(), 403);
    assert_eq!(
        agreed(&socket("channel.k8s.io"), &command).unwrap_err(),
        403
    );
    assert_eq!(
        agreed(&socket("v5.channel.k8s.io")[..3], &command).unwrap_err(),
        400
    );
    assert_eq!(
        agreed(&socket("v5.channel.k8s.io")[1..], &command).unwrap_err(),
        400
    );
    assert_eq!(agreed(&[], &command).unwrap_err(), 400);
}
