#![no_main]
//! Bytes over an upgraded connection: read in any pieces as the same events, or refused.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ctl::serve::fuzz::frames(bytes);
});
