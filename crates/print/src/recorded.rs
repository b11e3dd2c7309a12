//! Replays kubectl's recorded output of templates.

use super::{Failure, Format, Request};
use crate::api::json::Value;

const JSONPATH: &str = include_str!("../../../testdata/facts/jsonpath-cases.json");

const TEMPLATES: &str = include_str!("../../../testdata/facts/go-template-cases.json");

/// Formats an object as `-o FORMAT=TEMPLATE` and returns the text of both streams.
fn shown(format: &str, template: &str, object: &Value) -> (String, String) {
    let output = format!("{format}={template}");
    let printed = Format::parse(&Request::parse(&output)).map(|format| match format {
        Format::Printer(mut printer) => printer.print(object),
        other => panic!("{other:?}"),
    });
    match printed {
        Err(message) => (String::new(), format!("error: {message}")),
        Ok(Ok(shown)) => (shown, String::new()),
        Ok(Err(Failure { shown, message })) => (shown, format!("error: {message}")),
    }
}

fn words(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = text.split(' ').collect();
    words.sort_unstable();
    words
}

#[test]
fn jsonpath_output_matches_kubectl() {
    let recorded: Value = serde_json::from_str(JSONPATH).unwrap();
    let cases = recorded["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 66);
    for case in cases {
        let template = case["template"].as_str().unwrap();
        let (out, error) = shown("jsonpath", template, &recorded["object"]);
        assert_eq!(
            error.trim_end(),
            case["err"].as_str().unwrap(),
            "{template}"
        );
        let wanted = case["out"].as_str().unwrap();
        if template.contains(".*") {
            // kubectl iterates over maps in random order.
            assert_eq!(words(&out), words(wanted), "{template}");
        } else {
            assert_eq!(out, wanted, "{template}");
        }
    }
}

#[test]
fn go_template_output_matches_kubectl() {
    let recorded: Value = serde_json::from_str(TEMPLATES).unwrap();
    let cases = recorded["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 52);
    for case in cases {
        let template = case["template"].as_str().unwrap();
        let (out, error) = shown("go-template", template, &recorded["object"]);
        assert_eq!(error, case["err"].as_str().unwrap(), "{template}");
        assert_eq!(out, case["out"].as_str().unwrap(), "{template}");
    }
}
