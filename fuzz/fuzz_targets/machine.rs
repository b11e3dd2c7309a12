#![no_main]
//! Runs any program of commits, compactions, failed syncs, kills and power cuts, and compares it with a model.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ctl::store::fuzz::machine(&bytes[..bytes.len().min(64)]);
});
