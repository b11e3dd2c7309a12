#![no_main]
//! Parses any text as a quantity.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ctl::kinds::fuzz::quantity(bytes);
});
