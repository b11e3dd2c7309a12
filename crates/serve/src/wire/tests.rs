use super::*;

/// Returns a message from a client, masked with zeros.
fn sent(payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).unwrap();
    [&[0x82, 0x80 | length, 0, 0, 0, 0], payload].concat()
}

#[test]
fn first_byte_is_the_channel_and_v5_closes_channels() {
    let data = |stream, bytes: &[u8]| Event::Data {
        stream,
        bytes: bytes.to_vec(),
    };
    let bytes = [
        sent(b"\x00in"),
        sent(b"\x04{}"),
        sent(b"\xff\x00"),
        sent(b""),
    ]
    .concat();
    let mut codec = Codec::new(Protocol::Channels { ends: true });
    let ended = Event::End { stream: 0 };
    assert_eq!(
        codec.read(&bytes),
        Ok(vec![data(0, b"in"), data(4, b"{}"), ended])
    );
    let mut codec = Codec::new(Protocol::Channels { ends: false });
    let other = data(255, b"\x00");
    assert_eq!(
        codec.read(&bytes),
        Ok(vec![data(0, b"in"), data(4, b"{}"), other])
    );
    codec.write(1, b"", false);
    codec.write(1, b"out", false);
    codec.write(1, b"", true);
    codec.close(websocket::DONE);
    assert_eq!(
        codec.written(),
        b"\x82\x01\x01\x82\x04\x01out\x88\x02\x03\xe8"
    );
}

#[test]
fn tunnel_carries_spdy_frames_in_messages() {
    let mut frame = Vec::new();
    spdy::data(1, b"x", false, &mut frame);
    let mut ping = vec![0x80, 3, 0, 6, 0, 0, 0, 4, 0, 0, 0, 1];
    let mut tunnel = Codec::new(Protocol::Tunnel);
    // Split anywhere, because message boundaries have no meaning in a tunnel.
    let bytes = [sent(&ping[..5]), sent(&ping[5..]), sent(&frame)].concat();
    assert_eq!(tunnel.read(&bytes), Ok(Vec::new()));
    assert_eq!(tunnel.written(), [&[0x82, 12], ping.as_slice()].concat());
    tunnel.write(1, b"x", false);
    assert_eq!(tunnel.written(), [&[0x82, 9], frame.as_slice()].concat());
    let mut plain = Codec::new(Protocol::Spdy);
    ping.extend(&frame);
    assert_eq!(plain.read(&ping), Ok(Vec::new()));
    plain.write(1, b"x", false);
    plain.close(websocket::DONE);
    assert_eq!(plain.written(), ping);
}
