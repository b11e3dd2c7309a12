#![no_main]
//! Decodes any bytes over an upgraded connection: split in any way, they give the same events or are rejected.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ctl::serve::fuzz::frames(bytes);
});
