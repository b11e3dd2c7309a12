use super::*;

/// The header blocks of a port's error stream and data stream, compressed one after the other by zlib.
pub(in crate::wire) const BLOCKS: &[(&[u8], &[&str])] = &[
    (
        b"\x78\xf9\xe3\xc6\xa7\xc2\x02\x25\x3a\x50\x12\x0f\xc8\x2f\x02\x27\x75\x0b\x03\x0b\x03\x20\xcd\
          \x09\x8d\xaf\x4c\x50\x3a\x66\x04\x89\x70\x05\x97\x14\xa5\x26\xe6\x42\x0b\x1b\xd6\x54\x50\x54\
          \x00\x00\x00\x00\xff\xff",
        &["port=8080", "requestid=0", "streamtype=error"],
    ),
    (
        b"\x22\x53\x33\xa8\xa4\x4a\x04\x00\x00\x00\xff\xff",
        &["port=8080", "requestid=0", "streamtype=data"],
    ),
];

#[test]
fn spdy_dictionary_checksum_matches_clients() {
    let (mut low, mut high) = (1_u32, 0_u32);
    for byte in dictionary() {
        low = (low + u32::from(byte)) % 65521;
        high = (high + low) % 65521;
    }
    assert_eq!((high << 16 | low).to_be_bytes(), DICTIONARY_ID);
}

#[test]
fn blocks_share_a_compressor() {
    // Generated with zlib's `compressobj(9, DEFLATED, 15, 8, 0, dictionary)` and a sync flush after each block.
    let mut reader = Reader::new();
    for (block, expected) in BLOCKS {
        let found = reader.read(block).unwrap();
        let found: Vec<String> = found.iter().map(|(n, v)| format!("{n}={v}")).collect();
        assert_eq!(found, *expected);
    }
    assert!(Reader::new().read(b"\x78\xf9\x00\x00\x00\x00").is_err());
    assert!(Reader::new().read(b"").is_err());
}

#[test]
fn an_empty_block_has_no_pairs() {
    let (mut reader, mut block) = (Reader::new(), Vec::new());
    empty(true, &mut block);
    assert_eq!(reader.read(&block), Ok(Vec::new()));
    block.clear();
    empty(false, &mut block);
    assert_eq!(reader.read(&block), Ok(Vec::new()));
}
