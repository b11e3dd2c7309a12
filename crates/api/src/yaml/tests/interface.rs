//! Tests of streams, positions and error texts.

use super::super::{Document, Mode, PathStep, parse, parse_one, parse_until_error};
use crate::json::{Value, json};

fn read(text: &str) -> Vec<Document> {
    parse(text.as_bytes(), Mode::Strict).unwrap()
}

fn values(text: &str) -> Vec<Value> {
    read(text)
        .into_iter()
        .map(|document| document.value)
        .collect()
}

fn error(text: &str) -> String {
    let (_, error) = parse_until_error(text.as_bytes(), Mode::Strict);
    error.unwrap().to_string()
}

fn key(text: &str) -> PathStep {
    PathStep::Key(text.to_owned())
}

#[test]
fn a_stream_is_cut_at_separator_lines() {
    assert_eq!(
        values("a: 1\n---\n# c\nb: 2\n---  # end\n---\n"),
        [json!({"a": 1}), json!({"b": 2})]
    );
    assert_eq!(
        values("---\na: 1\r\n---\r\nb: 2\r\n"),
        [json!({"a": 1}), json!({"b": 2})]
    );
    assert_eq!(
        values("a: 1\n...\n: [\n---\nb: 2\n"),
        [json!({"a": 1}), json!({"b": 2})]
    );
    assert_eq!(values("# only a comment\n"), Vec::<Value>::new());
    assert_eq!(
        error("a: 1\n---- x\n"),
        "invalid Yaml document separator: - x"
    );
}

#[test]
fn json_streams_are_read_as_json() {
    assert_eq!(
        values("{\"a\": 1.0}\n{\"b\": \"\\ud83d\\ude00\\/\"}"),
        [json!({"a": 1}), json!({"b": "😀/"})]
    );
    assert_eq!(values("{a: 1}"), [json!({"a": 1})]);
    assert_eq!(error("{\"a\": 1, \"a\": 2}"), "duplicate field \"a\"");
    assert_eq!(
        parse(b"{\"a\": 1, \"a\": 2}", Mode::Lenient).unwrap()[0].value,
        json!({"a": 2})
    );
}

#[test]
fn utf16_with_a_byte_order_mark_is_decoded() {
    for big_endian in [true, false] {
        let bytes: Vec<u8> = "\u{FEFF}a: é😀\n"
            .encode_utf16()
            .flat_map(|unit| {
                if big_endian {
                    unit.to_be_bytes()
                } else {
                    unit.to_le_bytes()
                }
            })
            .collect();
        assert_eq!(
            parse_one(&bytes, Mode::Strict),
            Ok(Some(json!({"a": "é😀"})))
        );
    }
    assert_eq!(values("\u{FEFF}a: 1"), [json!({"a": 1})]);
}

#[test]
fn parse_one_rejects_a_second_document() {
    assert_eq!(parse_one(b"", Mode::Strict), Ok(None));
    assert_eq!(
        parse_one(b"---\na: 1\n---\n", Mode::Strict),
        Ok(Some(json!({"a": 1})))
    );
    let error = parse_one(b"a: 1\n---\n\nb: 1\n", Mode::Strict).unwrap_err();
    assert_eq!(
        (error.line, error.to_string().as_str()),
        (4, "expected one document, found 2")
    );
}

#[test]
fn documents_and_fields_have_line_and_column() {
    let documents =
        read("# one\na: 1\n---\n\nspec:\n  é: x\n  list:\n  - name: a\n  - {name: b, port: 1}\n");
    assert_eq!((documents[0].line, documents[1].line), (2, 5));
    let at = |path: &[PathStep]| documents[1].position(path);
    assert_eq!(at(&[]), Some((5, 1)));
    assert_eq!(at(&[key("spec")]), Some((5, 1)));
    assert_eq!(at(&[key("spec"), key("é")]), Some((6, 3)));
    let list = |rest: &[PathStep]| at(&[&[key("spec"), key("list")], rest].concat());
    assert_eq!(list(&[PathStep::Index(0)]), Some((8, 5)));
    assert_eq!(list(&[PathStep::Index(1), key("port")]), Some((9, 15)));
    assert_eq!(list(&[PathStep::Index(2)]), None);
    assert_eq!(at(&[key("name")]), None);
    let json = read("\n{\"a\": 1}\n{\n \"b\": [1, 2]}");
    assert_eq!((json[0].line, json[1].line), (2, 3));
    assert_eq!(
        json[1].position(&[key("b"), PathStep::Index(1)]),
        Some((4, 11))
    );
}

#[test]
fn literal_block_keeps_the_final_newline_of_the_file() {
    for (text, wanted) in [
        ("a: |\n  x", "x"),
        ("a: |\n  x\n", "x\n"),
        ("a: |-\n  x\n", "x"),
    ] {
        assert_eq!(read(text)[0].value["a"], wanted, "{text:?}");
    }
}

#[test]
fn last_line_of_a_manifest_counts_as_ended() {
    for (text, wanted) in [
        ("a: |\n  x", "x\n"),
        ("a: >\n  x", "x\n"),
        ("a: |+\n  x", "x\n"),
        ("a: |-\n  x", "x"),
        ("b: 1\n---\na: |\n  x", "x\n"),
        ("\u{feff}a: |\n  x", "x\n"),
    ] {
        let (documents, error) = parse_until_error(text.as_bytes(), Mode::Strict);
        assert_eq!(error, None, "{text:?}");
        assert_eq!(documents.last().unwrap().value["a"], wanted, "{text:?}");
    }
}

#[test]
fn yaml_errors_match_kubectl() {
    let prefix = "error converting YAML to JSON: ";
    let head = "kind: Foo\napiVersion: v1\nmetadata: {name: x}\n";
    for (text, wanted) in [
        (
            "a: {x:[1]}\n",
            "yaml: line 3: did not find expected ',' or '}'",
        ),
        (
            "a: {b: x?y}\n",
            "yaml: line 3: did not find expected ',' or '}'",
        ),
        ("a: .inf\n", "json: unsupported value: +Inf"),
        (
            "~: 1\n",
            "unsupported map key of type: %!s(<nil>), key: <nil>, value: 1",
        ),
        (
            "? [a]\n: 1\n",
            "yaml: invalid map key: []interface {}{\"a\"}",
        ),
        ("a: \"x", "yaml: line 5: found unexpected end of stream"),
        ("a: *x\n", "yaml: unknown anchor 'x' referenced"),
        ("a: &a [*a]\n", "yaml: anchor 'a' value contains itself"),
        (
            "a: [1, 2\n",
            "yaml: line 4: did not find expected ',' or ']'",
        ),
        ("a: \"x\n", "yaml: line 5: found unexpected end of stream"),
        ("a\nb: 1\n", "yaml: line 5: could not find expected ':'"),
        ("  b: 1\n c: 2\n", "yaml: line 3: did not find expected key"),
        (
            "c:\n  <<: 1\n",
            "yaml: map merge requires map or sequence of maps as the value",
        ),
        ("c: !!int x\n", "yaml: cannot decode !!str `x` as a !!int"),
        (
            "c: !!binary '*'\n",
            "yaml: !!binary value contains invalid base64 data",
        ),
        (
            "d: @x\n",
            "yaml: line 4: found character that cannot start any token",
        ),
        ("d: !nope!x y\n", "yaml: line 3: found undefined tag handle"),
        ("a: 'x'y\n", "yaml: line 3: did not find expected key"),
        (
            "a: {b: 1]\n",
            "yaml: line 3: did not find expected ',' or '}'",
        ),
        ("- x\n", "yaml: line 3: did not find expected key"),
        (
            "a: 1\na: 2\n",
            "yaml: unmarshal errors:\n  line 5: key \"a\" already set in map",
        ),
    ] {
        assert_eq!(
            error(&format!("{head}{text}")),
            format!("{prefix}{wanted}"),
            "{text}"
        );
    }
    assert_eq!(
        error("a: b: c"),
        format!("{prefix}yaml: mapping values are not allowed in this context")
    );
}

#[test]
fn yaml_error_position_counts_from_the_stream_start() {
    let error = parse(b"a: 1\n---\nb: 1\nc: b: c\n", Mode::Strict).unwrap_err();
    assert_eq!((error.line, error.column), (4, 5));
}

#[test]
fn documents_before_an_invalid_separator_are_read() {
    let (documents, wrong) = parse_until_error(b"a: 1\n---\tx: y\nb: 2\n", Mode::Strict);
    assert_eq!(documents.len(), 1);
    assert_eq!(documents[0].value, json!({"a": 1}));
    let wrong = wrong.unwrap();
    assert_eq!(wrong.message, "invalid Yaml document separator: x: y");
}
