//! Any bytes: what can be read must survive being written and read again.
#![no_main]

use ctl::api::yaml::{Mode, parse, to_string};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(documents) = parse(bytes, Mode::Lenient) else { return };
    for document in documents {
        // Under a key, because a lone root string may look like a separator.
        let value = ctl::api::json::json!({ "root": document.value });
        let text = to_string(&value);
        match parse(text.as_bytes(), Mode::Strict) {
            Ok(again) => assert_eq!(again[0].value, value, "{text}"),
            // One level deeper than the input may be one too deep.
            Err(error) => assert!(error.message.contains("max depth"), "{error}\n{text}"),
        }
    }
});
