#![no_main]
//! Decodes any bytes as an object in protobuf: they give an error, or an object that encodes to equivalent bytes.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ctl::serve::fuzz::protobuf(bytes);
});
