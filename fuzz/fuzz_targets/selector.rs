#![no_main]
//! Parses any text as a label selector and as a field selector.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ctl::kinds::fuzz::selector(bytes);
});
