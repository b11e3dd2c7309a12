#![no_main]
//! A kind, an object, a patch of it and another object: merged, applied, compared.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ctl::kinds::fuzz::patch(bytes);
});
