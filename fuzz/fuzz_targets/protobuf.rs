#![no_main]
//! Bytes as an object in protobuf: an object whose own bytes mean the same, or an error.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ctl::serve::fuzz::protobuf(bytes);
});
