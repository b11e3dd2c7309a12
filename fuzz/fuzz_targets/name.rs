#![no_main]
//! Any text as a name and as a path: it stays beneath its directory.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ctl::store::fuzz::name(bytes);
});
