use super::super::headers::tests::BLOCKS;
use super::*;

fn opened(stream: u32, block: &[u8]) -> Vec<u8> {
    let mut body = stream.to_be_bytes().to_vec();
    body.extend([0; 6]);
    body.extend(block);
    let mut frame = Vec::new();
    control(SYN_STREAM, 0, &body, &mut frame);
    frame
}

#[test]
fn spdy_streams_are_parsed_independently_of_chunk_size() {
    let mut bytes = opened(1, BLOCKS[0].0);
    bytes.extend(opened(3, BLOCKS[1].0));
    data(1, b"hello", false, &mut bytes);
    control(PING, 0, &7_u32.to_be_bytes(), &mut bytes);
    data(9, b"nobody", true, &mut bytes);
    data(3, b"", true, &mut bytes);
    data(1, b"!", true, &mut bytes);
    control(GOAWAY, 0, &[0; 8], &mut bytes);
    for piece in [1, 3, 8, 100, bytes.len()] {
        let (mut spdy, mut events) = (Spdy::new(), Vec::new());
        for piece in bytes.chunks(piece) {
            spdy.read(piece, &mut events).unwrap();
        }
        let (mut said, mut order) = (Vec::new(), Vec::new());
        for event in events {
            match event {
                Event::Data { stream: 1, bytes } => said.extend(bytes),
                Event::Open { stream, headers } => {
                    order.push(format!("{stream} {}", headers.len()))
                }
                Event::End { stream } => order.push(format!("{stream} ends")),
                other => order.push(format!("{other:?}")),
            }
        }
        assert_eq!(said, b"hello!", "{piece}");
        let expected = ["1 3", "3 3", "3 ends", "1 ends", "Over"];
        assert_eq!(order, expected, "{piece}");
        let mut expected = Vec::new();
        for (stream, first) in [(1_u32, true), (3, false)] {
            let mut body = stream.to_be_bytes().to_vec();
            headers::empty(first, &mut body);
            control(SYN_REPLY, 0, &body, &mut expected);
        }
        control(PING, 0, &7_u32.to_be_bytes(), &mut expected);
        assert_eq!(spdy.replies(), expected, "{piece}");
    }
}

#[test]
fn invalid_frames_are_rejected() {
    let mut long = vec![0x80, 3, 0, 1, 0];
    long.extend(three(LONGEST_CONTROL));
    let mut cut = Vec::new();
    control(SYN_STREAM, 0, &[0, 0, 0, 1], &mut cut);
    let version = vec![0x80, 2, 0, 6, 0, 0, 0, 0];
    for mut bytes in [long, cut, version, opened(1, b"\x78\xf9nonsense")] {
        // One more byte, because a frame is checked only when bytes after its head arrive.
        bytes.push(0);
        let read = Spdy::new().read(&bytes, &mut Vec::new());
        assert_eq!(read, Err(PROTOCOL_ERROR), "{bytes:?}");
    }
}

#[test]
fn stream_beyond_the_limit_is_refused() {
    let (mut spdy, mut events) = (Spdy::new(), Vec::new());
    spdy.read(&opened(1, BLOCKS[0].0), &mut events).unwrap();
    for number in 1..MOST_STREAMS {
        spdy.open.insert(u32::try_from(number).unwrap() * 2 + 1);
    }
    events.clear();
    spdy.replies();
    spdy.read(&opened(9999, BLOCKS[1].0), &mut events).unwrap();
    let mut expected = Vec::new();
    let body = [9999_u32.to_be_bytes(), REFUSED_STREAM.to_be_bytes()].concat();
    control(RST_STREAM, 0, &body, &mut expected);
    assert_eq!((events, spdy.replies()), (Vec::new(), expected));
}
