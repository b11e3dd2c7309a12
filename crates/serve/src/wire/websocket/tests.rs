use super::*;

/// Returns a frame from a client.
fn sent(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![first];
    match payload.len() {
        short @ ..126 => frame.push(0x80 | u8::try_from(short).unwrap()),
        middle @ ..65536 => {
            frame.push(0x80 | 126);
            frame.extend(u16::try_from(middle).unwrap().to_be_bytes());
        }
        long => {
            frame.push(0x80 | 127);
            frame.extend((long as u64).to_be_bytes());
        }
    }
    let mask = [0x37, 0xfa, 0x21, 0x3d];
    frame.extend(mask);
    let masked = payload.iter().zip(mask.iter().cycle());
    frame.extend(masked.map(|(byte, key)| byte ^ key));
    frame
}

/// Decodes bytes that arrive in pieces of this size; returns the messages and the other items.
fn read(bytes: &[u8], piece: usize) -> Result<(Vec<Vec<u8>>, Vec<Item>), Broken> {
    let (mut decoder, mut items) = (Decoder::default(), Vec::new());
    for piece in bytes.chunks(piece) {
        decoder.read(piece, &mut items)?;
    }
    let (mut messages, mut rest) = (Vec::<Vec<u8>>::new(), Vec::new());
    for item in items {
        match item {
            Item::Data { bytes, first } if first => messages.push(bytes),
            Item::Data { bytes, .. } => messages.last_mut().unwrap().extend(bytes),
            other => rest.push(other),
        }
    }
    Ok((messages, rest))
}

#[test]
fn messages_are_assembled_independently_of_chunk_size() {
    // The masked "Hello" from the RFC.
    let hello = [
        0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58,
    ];
    assert_eq!(hello.to_vec(), sent(0x81, b"Hello"));
    let long = vec![b'x'; 70_000];
    let mut all = hello.to_vec();
    all.extend(sent(0x02, b"He"));
    // A ping may arrive between the frames of a message.
    all.extend(sent(0x89, b"?"));
    all.extend(sent(0x80, b"llo"));
    all.extend(sent(0x82, b""));
    all.extend(sent(0x82, &long[..300]));
    all.extend(sent(0x82, &long));
    all.extend(sent(0x8a, b"unasked"));
    all.extend(sent(0x88, &DONE.to_be_bytes()));
    for piece in [1, 2, 7, 1000, all.len()] {
        let (messages, rest) = read(&all, piece).unwrap();
        let expected: [&[u8]; 5] = [b"Hello", b"Hello", b"", &long[..300], &long];
        assert_eq!(messages, expected, "{piece}");
        assert_eq!(rest, [Item::Ping(b"?".to_vec()), Item::Close], "{piece}");
    }
}

#[test]
fn invalid_frames_of_a_client_are_rejected() {
    let unmasked = vec![0x82, 0x01, b'x'];
    let mut endless = vec![0x82, 0xff];
    endless.extend(u64::MAX.to_be_bytes());
    let two = [sent(0x02, b"a"), sent(0x82, b"b")].concat();
    for (bytes, code) in [
        (unmasked, 1002),
        (sent(0xc2, b"compressed"), 1002),
        (sent(0x83, b"reserved"), 1002),
        (sent(0x80, b"continues nothing"), 1002),
        (sent(0x09, b"ping in parts"), 1002),
        (sent(0x89, &[0; 126]), 1002),
        (two, 1002),
        (endless, 1009),
    ] {
        assert_eq!(read(&bytes, 1).unwrap_err(), Broken(code), "{bytes:?}");
    }
}

#[test]
fn frames_of_the_server_have_the_shortest_length() {
    for (length, head) in [
        (0, vec![0x82, 0]),
        (125, vec![0x82, 125]),
        (126, vec![0x82, 126, 0, 126]),
        (65_536, vec![0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
    ] {
        let mut out = Vec::new();
        message(&[&[], &vec![0; length]], &mut out);
        assert_eq!(out[..head.len()], head);
        assert_eq!(out.len(), head.len() + length);
    }
    let mut out = Vec::new();
    pong(b"?", &mut out);
    close(DONE, &mut out);
    assert_eq!(out, [0x8a, 1, b'?', 0x88, 2, 0x03, 0xe8]);
}
