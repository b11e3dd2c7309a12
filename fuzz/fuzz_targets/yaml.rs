//! Parses any bytes as YAML: everything that can be read must survive being written and read again.
#![no_main]

use ctl::api::yaml::{Mode, parse, to_string};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(documents) = parse(bytes, Mode::Lenient) else { return };
    for document in documents {
        // The value gets a key, because a lone string at the root may look like a separator.
        let value = ctl::api::json::json!({ "root": document.value });
        let text = to_string(&value);
        match parse(text.as_bytes(), Mode::Strict) {
            Ok(again) => assert_eq!(again[0].value, value, "{text}"),
            // The key adds one level, which may be one too many.
            Err(error) => assert!(error.message.contains("max depth"), "{error}\n{text}"),
        }
    }
});
