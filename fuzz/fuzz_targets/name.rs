#![no_main]
//! Uses any text as a name and as a path: it must stay below its directory.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ctl::store::fuzz::name(bytes);
});
