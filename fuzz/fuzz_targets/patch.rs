#![no_main]
//! Merges, applies and compares a kind, an object, a patch of it and another object.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ctl::kinds::fuzz::patch(bytes);
});
