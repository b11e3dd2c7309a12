#![no_main]
//! Any program of commits, compactions, failed syncs, kills and power cuts, against a model.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ctl::store::fuzz::machine(&bytes[..bytes.len().min(64)]);
});
