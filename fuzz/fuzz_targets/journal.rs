#![no_main]
//! Reads any bytes as a journal, a head and an index.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ctl::store::fuzz::journal(bytes);
});
