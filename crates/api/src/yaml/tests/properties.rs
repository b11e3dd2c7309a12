//! Properties of arbitrary values and arbitrary bytes.

use proptest::prelude::*;

use super::super::{Mode, parse, parse_one, to_string};
use crate::json::{Map, Value};

fn nasty_string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        "[a-zA-Z0-9 ]{0,30}",
        proptest::sample::select(vec![
            "\n",
            "\n\n",
            " ",
            "  ",
            "\t",
            ": ",
            " #",
            "- ",
            "? ",
            "'",
            "\"",
            "\\",
            "---",
            "...",
            "yes",
            "null",
            "~",
            "1e3",
            "0x1",
            "<<",
            "=",
            "{",
            "[",
            ",",
            "&",
            "*",
            "!",
            "|",
            ">",
            "%",
            "@",
            "`",
            "\r",
            "\u{85}",
            "\u{2028}",
            "\u{FEFF}",
            "\0",
            "😀",
            "2020-01-01",
        ])
        .prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("whole floats become integers", |n| n.is_finite()
                && n.fract() != 0.0)
            .prop_map(Value::from),
        nasty_string().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((nasty_string(), inner), 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect::<Map>())),
        ]
    })
}

#[test]
fn string_with_unusual_line_break_round_trips() {
    for end in ["\n", "\u{85}", "\u{2028}", "\u{2029}", "\r", " ", "\u{a0}"] {
        for text in [
            format!("\n{end}"),
            format!("a\n{end}"),
            format!("a\nb{end}"),
            format!("\n{end}{end}"),
        ] {
            let root = crate::json::json!({ "root": [text] });
            let written = to_string(&root);
            let read = parse_one(written.as_bytes(), Mode::Strict);
            assert_eq!(read, Ok(Some(root)), "{written:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn written_values_read_back_equal(value in value()) {
        // One level down, because a scalar at the root might look like a separator.
        let root = crate::json::json!({ "root": value });
        let text = to_string(&root);
        let read = parse_one(text.as_bytes(), Mode::Strict);
        prop_assert_eq!(read, Ok(Some(root)), "{}", text);
    }

    #[test]
    fn arbitrary_bytes_end_in_a_value_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse(&bytes, Mode::Strict);
    }

    #[test]
    fn values_of_arbitrary_text_can_be_written(text in "[-?:,\\[\\]{}#&*!|>'\"%@` \\n\\ta-c01~<=.é]{0,80}") {
        if let Ok(documents) = parse(text.as_bytes(), Mode::Strict) {
            for document in documents {
                let _ = to_string(&document.value);
            }
        }
    }
}
