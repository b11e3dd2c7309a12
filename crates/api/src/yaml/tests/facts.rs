//! Recorded cases: the values that kubectl reads and the texts that it prints.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::compose::compose;
use super::super::{Mode, emit, parse_one, to_string};
use crate::json::Value;

fn facts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/facts")
}

/// JSON does not distinguish an integer from a float of the same value.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|w| same(v, w)))
        }
        _ => a == b,
    }
}

fn check(case: &Value, mode: Mode, expected: &Value) -> Option<String> {
    let (name, text) = (
        case["name"].as_str().unwrap(),
        case["yaml"].as_str().unwrap(),
    );
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let result = compose(text.as_bytes(), mode).map(Option::unwrap_or_default);
    let good = match &result {
        Ok(value) => expected.get("json").is_some_and(|json| same(value, json)),
        Err(_) => expected.get("error").is_some(),
    };
    (!good).then(|| format!("{name} {mode:?}: {text:?} gave {result:?}, want {expected}"))
}

#[test]
fn recorded_yaml_inputs_parse_like_kubectl() {
    let text = fs::read_to_string(facts().join("yaml-cases.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    let mut wrong = Vec::new();
    for case in &cases {
        wrong.extend(check(case, Mode::Lenient, &case["lenient"]));
        wrong.extend(check(case, Mode::Strict, &case["strict"]));
    }
    assert_eq!(cases.len(), 173);
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Checks about 600 strings as list items, deep items and keys, and 100 maps of four keys, as printed by kubectl.
#[test]
fn recorded_strings_and_keys_are_written_byte_for_byte() {
    let input = fs::read(facts().join("yaml-strings.in.json")).unwrap();
    let expected = fs::read_to_string(facts().join("yaml-strings.out.yaml")).unwrap();
    let value: Value = serde_json::from_slice(&input).unwrap();
    let written = to_string(&value);
    for (ours, theirs) in written.split('\n').zip(expected.split('\n')) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(written, expected);
}

/// The recorded responses came from a writer that uses single quotes; kubectl quotes the same trees differently.
#[test]
fn recorded_objects_survive_writing_and_reading() {
    let mut seen = 0;
    for entry in fs::read_dir(facts().join("defaults")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read(&path).unwrap();
        let documents = super::super::parse(&text, Mode::Strict).unwrap();
        for document in documents {
            let mut out = Vec::new();
            emit(&document.value, &mut out);
            assert_eq!(
                parse_one(&out, Mode::Strict).unwrap(),
                Some(document.value),
                "{path:?}"
            );
            seen += 1;
        }
    }
    assert!(seen >= 218, "{seen}");
}
