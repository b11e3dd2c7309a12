//! Malicious input: every case ends soon, with a value or an error.

use std::time::{Duration, Instant};

use super::super::{MAX_ALIAS_NODES, MAX_DEPTH, Mode, parse};

/// Plenty for an unoptimized build on a busy machine; anything slower than linear takes minutes.
const PATIENCE: Duration = Duration::from_secs(15);

/// Parses within the time limit; returns the error text, or "" if the input is accepted.
fn outcome(text: impl AsRef<[u8]>) -> String {
    #[expect(
        clippy::disallowed_methods,
        reason = "the test measures the time that passes"
    )]
    let begin = Instant::now();
    let result = parse(text.as_ref(), Mode::Strict);
    let taken = begin.elapsed();
    assert!(taken < PATIENCE, "took {taken:?}");
    result
        .err()
        .map_or_else(String::new, |error| error.to_string())
}

#[test]
fn depth_is_bounded_in_every_style() {
    let wanted = format!("exceeded max depth of {MAX_DEPTH}");
    for unit in [
        "[", "{a: ", "{", "- ", "? ", "[a, ", "{? ", "!!seq [", "&a [", "[{",
    ] {
        for count in [200, 100_000] {
            let error = outcome(unit.repeat(count));
            assert!(error.contains(&wanted), "{unit:?} x {count}: {error}");
        }
    }
    let mut block = String::new();
    for depth in 0..3000 {
        block.push_str(&" ".repeat(depth));
        block.push_str("a:\n");
    }
    assert!(outcome(block).contains(&wanted));
    assert!(outcome(format!("{{\"a\":{}", "[".repeat(100_000))).contains(&wanted));
}

#[test]
fn the_depth_limit_itself_is_allowed() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(outcome(nested(MAX_DEPTH)), "");
    assert_ne!(outcome(nested(MAX_DEPTH + 1)), "");
    let json = |depth: usize| format!("{{\"a\":{}}}", nested(depth - 1));
    assert_eq!(outcome(json(MAX_DEPTH)), "");
    assert_ne!(outcome(json(MAX_DEPTH + 1)), "");
}

#[test]
fn alias_bombs_are_refused() {
    let mut laughs = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
    let mut merges = String::from("a0: &a0 {k0: 1, k1: 1}\n");
    for level in 1..30 {
        let last = level - 1;
        let list = vec![format!("*a{last}"); 9].join(",");
        laughs.push_str(&format!("a{level}: &a{level} [{list}]\n"));
        merges.push_str(&format!(
            "a{level}: &a{level} {{<<: [{list}], n{level}: {{<<: [{list}]}}}}\n"
        ));
    }
    assert!(outcome(laughs).contains("excessive aliasing"));
    let merged = outcome(&merges);
    assert!(merged.contains("excessive aliasing"), "{merged}");
}

#[test]
fn aliases_of_long_text_are_bounded_by_bytes() {
    let text = format!(
        "a: &a {}\nb: [{}]\n",
        "x".repeat(1_000_000),
        "*a, ".repeat(1000)
    );
    assert!(outcome(text).contains("excessive aliasing"));
}

#[test]
fn the_alias_limit_counts_nodes() {
    let list = |count: usize| {
        let plain = "x, ".repeat(20_000);
        format!("p: [{plain}]\na: &a [x]\nb: [{}]\n", "*a, ".repeat(count))
    };
    assert_eq!(outcome(list(MAX_ALIAS_NODES / 2 - 10)), "");
    assert!(outcome(list(MAX_ALIAS_NODES / 2 + 10)).contains("excessive aliasing"));
}

#[test]
fn parser_finishes_on_a_hundred_thousand_tokens() {
    let many = |unit: &str, count: usize| unit.repeat(count);
    let anchors: String = (0..100_000).map(|i| format!("- &a{i} x\n")).collect();
    let keys: String = (0..100_000).map(|i| format!("k{i}: x\n")).collect();
    let tags: String = (0..20_000).map(|i| format!("%TAG !t{i}! x\n")).collect();
    let typed: String = (0..20_000).map(|i| format!("{i}: x\n")).collect();
    for text in [
        anchors,
        keys,
        many("a: b\n", 100_000),
        many("? a\n: b\n", 50_000),
    ] {
        let _ = outcome(text);
    }
    for text in [
        tags,
        typed,
        many("\"", 200_000),
        many("'", 200_001),
        many("a ", 200_000),
    ] {
        let _ = outcome(text);
    }
    for unit in [
        "\n", " ", "\t", "a:\n", "---\n", "!", "&", "*", "|", ">\n", "%", "# x\n", "\r", ",", "]",
        "a\n b", "é",
    ] {
        let _ = outcome(many(unit, 100_000));
    }
    let _ = outcome(format!("[{}]", many("\"key\": é, ", 50_000)));
    let _ = outcome(format!("a: |\n{}", many("  x\n\n", 100_000)));
    let _ = outcome(format!("{}x", " ".repeat(300_000)));
}

#[test]
fn invalid_utf8_and_control_characters_are_rejected() {
    for bytes in [
        &b"a: \xFF\n"[..],
        b"a: \xC3",
        b"a: \xED\xA0\x80",
        b"a: \xC0\x80",
        b"a\0: b",
        b"\x7FELF\x02\x01\x01\0\0",
    ] {
        assert_ne!(outcome(bytes), "", "{bytes:?}");
    }
    assert!(outcome(b"a: b\0").ends_with("yaml: control characters are not allowed"));
    assert!(outcome(b"a: \xFF").ends_with("yaml: invalid leading UTF-8 octet"));
    assert!(outcome([0xFF, 0xFE, 0x41]).contains("UTF-16"));
}

#[test]
fn unknown_tag_is_ignored_and_invalid_directive_fails() {
    assert_eq!(outcome("a: !foo {b: 1}"), "");
    assert!(outcome("a: !nope!x y").contains("found undefined tag handle"));
    assert!(outcome("%YAML").contains("did not find expected version number"));
    assert!(outcome("%YAML 1.2\n---\na: 1").contains("found incompatible YAML document"));
    assert!(outcome("%FOO\n---\na: 1").contains("found unknown directive name"));
}
