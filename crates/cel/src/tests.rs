//! Tests of expressions with their results, and of invalid ones.

use super::*;

/// Returns the value of an expression as text. Errors start with `! `.
fn value(text: &str) -> String {
    let outcome = Program::parse(text).and_then(|program| {
        program.check(&[])?;
        program.eval(&mut Scope::new(Vec::new()))
    });
    match outcome {
        Ok(Value::Bool(flag)) => flag.to_string(),
        Ok(other) => format!("{other:?}"),
        Err(wrong) => format!("! {wrong}"),
    }
}

#[test]
fn expressions_of_the_table_evaluate_to_true() {
    let texts = include_str!("tests.txt").lines();
    let texts: Vec<&str> = texts
        .filter(|text| !text.is_empty() && !text.starts_with('#'))
        .collect();
    assert!(texts.len() > 150, "{}", texts.len());
    let others = texts.into_iter().map(|text| (text, value(text)));
    let others: Vec<_> = others.filter(|(_, value)| value != "true").collect();
    assert!(others.is_empty(), "{others:#?}");
}

#[test]
fn failed_evaluations_have_a_reason() {
    for (text, wrong) in [
        ("1 / 0 == 1", "division by zero"),
        ("1 % 0 == 1", "modulus by zero"),
        ("9223372036854775807 + 1 > 0", "integer overflow"),
        ("1u - 2u > 0u", "unsigned integer overflow"),
        ("uint(-1) > 0u", "unsigned integer overflow"),
        (
            "duration(9223372036854775807) + duration('1s') > duration('1s')",
            "duration overflow",
        ),
        (
            "['a', 'a'].transformMapEntry(i, v, {v: i}) == {}",
            "insert failed: key a already exists",
        ),
        (
            "'%s'.format(dyn([ip('::1')])) == ''",
            "error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, \
             lists, types, durations, and timestamps, was given net.IP",
        ),
        ("[1, 2][2] == 1", "index out of bounds: 2"),
        ("{'a': 1}['b'] == 1", "no such key: b"),
        ("dyn(1) + dyn('a') == 1", "no such overload"),
        ("[1, 0].all(x, 1 / x > 0)", "division by zero"),
        ("'abc'.substring(4) == ''", "index out of range: 4"),
        (
            "int('x') == 1",
            "type conversion error from 'string' to 'int'",
        ),
        (
            "duration('x' + '') == duration('1s')",
            "type conversion error from 'string' to 'google.protobuf.Duration'",
        ),
        (
            "semver('v1.0').major() == 1",
            "No Major.Minor.Patch elements found",
        ),
        (
            "semver('v1.0.0').major() == 1",
            "Invalid character(s) found in major number \"v1\"",
        ),
        (
            "semver('1.01.0').major() == 1",
            "Minor number must not contain leading zeroes \"01\"",
        ),
        (
            "semver('1.0-rc', true).major() == 1",
            "short version cannot contain PreRelease/Build meta data",
        ),
        (
            "quantity('10Mm').sign() == 1",
            "unable to parse quantity's suffix",
        ),
        (
            "quantity('9999999999999999999999999999999999999G').asInteger() == 1",
            "cannot convert value to integer",
        ),
        (
            "url('https://a:b/').getPort() == ''",
            "URL parse error during conversion from string: parse \"https://a:b/\": invalid port \":b\" after host",
        ),
        (
            "url('/a%2').getHost() == ''",
            "URL parse error during conversion from string: parse \"/a%2\": invalid URL escape \"%2\"",
        ),
        (
            "optional.none().value() == 1",
            "optional.none() dereference",
        ),
    ] {
        assert_eq!(value(text), format!("! {wrong}"), "{text}");
    }
}

#[test]
fn addresses_have_the_errors_of_gos_parser() {
    for (text, wrong) in [
        ("127.0.0.1.0", "IPv4 address too long"),
        ("127.0.1", "IPv4 address too short"),
        ("127.0.01.1", "IPv4 field has octet with leading zero"),
        ("127.0.0.256", "IPv4 field has value >255"),
        (
            "127..0.1",
            "IPv4 field must have at least one digit (at \".0.1\")",
        ),
        ("1.2.3.x", "unexpected character (at \"x\")"),
        ("localhost", "unable to parse IP"),
        (
            "2001:db8:::68",
            "each colon-separated field must have at least one digit (at \":68\")",
        ),
        ("1::2::3", "multiple :: in address (at \":3\")"),
        ("1:2", "address string too short"),
        (
            "12345::",
            "each group must have 4 or less digits (at \"12345::\")",
        ),
        (
            "1:2:3:4:5:6:7:8:9",
            "trailing garbage after address (at \"9\")",
        ),
        (
            "1:2:3:4:5:6:7:8::",
            "the :: must expand to at least one field of zeros",
        ),
    ] {
        let found = value(&format!("ip('{text}').family() == 4"));
        let expected = format!(
            "! IP Address {text:?} parse error during conversion from string: ParseAddr({text:?}): {wrong}"
        );
        assert_eq!(found, expected);
    }
    for (text, wrong) in [
        ("10.0.0.0/33", "prefix length out of range"),
        ("10.0.0.0/x", "bad bits after slash: \"x\""),
        ("x", "no '/'"),
    ] {
        let found = value(&format!("cidr(\"{text}\").prefixLength() == 1"));
        let failed = "network address parse error during conversion from string";
        let expected = format!("! {failed}: {failed}: netip.ParsePrefix({text:?}): {wrong}");
        assert_eq!(found, expected);
    }
    let zone = value("ip('fe80::1%eth0').family() == 6");
    assert_eq!(
        zone,
        "! IP address \"fe80::1%eth0\" with zone value is not allowed"
    );
    let inner = value("cidr('10.0.0.0/8').containsIP('x')");
    assert_eq!(inner, "! no such overload");
}

#[test]
fn type_errors_have_their_position() {
    fail(&[
        (
            "1 == 'a'",
            "1:3: found no matching overload for '_==_' applied to '(int, string)'",
        ),
        (
            "'a'.startsWith(1)",
            "1:15: found no matching overload for 'startsWith' applied to 'string.(int)'",
        ),
        (
            "duration('x') == duration(1)",
            "1:10: invalid duration argument",
        ),
        (
            "timestamp('2024') > timestamp(1)",
            "1:11: invalid timestamp argument",
        ),
        ("'a'.matches('(')", "1:13: invalid matches argument"),
        (
            "-duration('1s') == duration('1s')",
            "1:1: found no matching overload for '-_' applied to '(duration)'",
        ),
        ("'%s %s'.format(['a']) == ''", "1:15: index 1 out of range"),
        (
            "'%s'.format(['a', 'b']) == ''",
            "1:12: too many arguments supplied to string.format (expected 1, got 2)",
        ),
        (
            "'%d'.format(['a']) == ''",
            "1:14: error during formatting: decimal clause can only be used on integers, was given string",
        ),
        (
            "[[1]].sort() == []",
            "1:11: found no matching overload for 'sort' applied to 'list(list(int)).()'",
        ),
        (
            "[1].sortBy(x, [x]) == []",
            "1:11: found no matching overload for '@sortByAssociatedKeys' applied to 'list(int).(list(list(int)))'",
        ),
        // As in cel-go, null fits objects, but no simple types, lists and maps.
        (
            "'a' != null",
            "1:5: found no matching overload for '_!=_' applied to '(string, null)'",
        ),
        (
            "null in [['a']]",
            "1:6: found no matching overload for '@in' applied to '(null, list(list(string)))'",
        ),
        (
            "[] == null",
            "1:4: found no matching overload for '_==_' applied to '(list(dyn), null)'",
        ),
        (
            "'a' && true",
            "1:1: expected type 'bool' but found 'string'",
        ),
        (
            "[dyn(1), 1] == []",
            "1:10: expected type 'dyn' but found 'int'",
        ),
        (
            "{'a': 1, 'b': true} == {}",
            "1:15: expected type 'int' but found 'bool'",
        ),
    ]);
}

#[test]
fn syntax_errors_and_unknown_names_have_their_position() {
    fail(&[
        (
            "x > 1",
            "1:1: undeclared reference to 'x' (in container '')",
        ),
        (
            "nope(1)",
            "1:5: undeclared reference to 'nope' (in container '')",
        ),
        (
            "'a'.b == 1",
            "1:4: type 'string' does not support field selection",
        ),
        (
            "[1, 'a'] == []",
            "1:5: expected type 'int' but found 'string'",
        ),
        (
            "1.all(x, true)",
            "1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
        ),
        (
            "true &&\n x",
            "2:2: undeclared reference to 'x' (in container '')",
        ),
        (
            "a b",
            "1:3: Syntax error: extraneous input 'b' expecting <EOF>",
        ),
        (
            "a b c",
            "1:3: Syntax error: mismatched input 'b' expecting <EOF>",
        ),
        ("(a", "1:3: Syntax error: missing ')' at '<EOF>'"),
        (
            "[(a",
            "1:4: Syntax error: mismatched input '<EOF>' expecting ')'",
        ),
        (
            "[a",
            "1:3: Syntax error: mismatched input '<EOF>' expecting {']', ','}",
        ),
        ("has(a)", "1:4: invalid argument to has() macro"),
        ("for > 1", "1:1: reserved identifier: for"),
        // cel-go has these libraries, the API server does not.
        (
            "base64.encode(b'a') == ''",
            "1:1: undeclared reference to 'base64' (in container '')",
        ),
        (
            "'abc'.reverse() == ''",
            "1:14: found no matching overload for 'reverse' applied to 'string.()'",
        ),
        (
            "cel.bind(x, 1, x == 1)",
            "1:1: undeclared reference to 'cel' (in container '')",
        ),
        (
            "jsonpatch.escapeKey('a') == ''",
            "1:1: undeclared reference to 'jsonpatch' (in container '')",
        ),
    ]);
}

/// Checks that each expression has this error first.
fn fail(cases: &[(&str, &str)]) {
    for (text, wrong) in cases {
        let found = value(text);
        let expected = format!("! ERROR: <input>:{wrong}\n");
        assert!(found.starts_with(&expected), "{text}: {found}");
    }
}

#[test]
fn characters_that_are_no_tokens_are_skipped() {
    // From upstream's tests of webhooks.
    let text = "request.user = 'test'";
    let wrong = "! ERROR: <input>:1:14: Syntax error: token recognition error at: '= '\n | request.user = 'test'\n \
         | .............^\nERROR: <input>:1:16: Syntax error: extraneous input ''test'' expecting <EOF>\n | \
         request.user = 'test'\n | ...............^";
    assert_eq!(value(text), wrong);
    let wrong = value("1 + $");
    assert!(wrong.contains("1:5: Syntax error: token recognition error at: '$'\n"));
    assert!(wrong.contains("1:6: Syntax error: mismatched input '<EOF>' expecting {'[', "));
    assert!(value("'a").contains("1:1: Syntax error: token recognition error at: ''a'\n"));
}

#[test]
fn some_environments_bind_variables() {
    let program = Program::parse("cel.bind(x, 2, x + x == 4)").unwrap();
    assert_eq!(program.check(&[(BINDS, Type::Bool)]), Ok(Type::Bool));
    assert!(program.check(&[]).is_err());
    let value = program.eval(&mut Scope::new(Vec::new()));
    assert_eq!(value, Ok(Value::Bool(true)));
}

#[test]
fn dynamic_operand_makes_the_result_dynamic() {
    for (text, expected) in [
        ("true ? dyn(1) : 2", Type::Dyn),
        ("true ? [] : [2]", Type::list(Type::Int)),
        ("[]", Type::list(Type::Dyn)),
        ("optional.none().orValue(1)", Type::Int),
        ("true ? dyn([1])[0] : true", Type::Dyn),
    ] {
        let found = Program::parse(text).unwrap().check(&[]);
        assert_eq!(found, Ok(expected), "{text}");
    }
}

#[test]
fn comparisons_of_library_values_are_cheap() {
    let cost = |text: &str| {
        let program = Program::parse(text).unwrap();
        program.worst_cost(&[("self", Type::Text)], &|_| Some(10))
    };
    assert_eq!(cost("quantity(self) == quantity('1')"), 4);
    assert_eq!(cost("ip(self) == ip('1.1.1.1')"), 4);
    assert_eq!(cost("format.uuid() == format.byte()"), 9);
    assert_eq!(cost("url(self) == url('/abcdefghijklmnopqrst')"), 8);
    assert!(cost("ip(self) != ip('1.1.1.1')") > 1_000_000);
}

#[test]
fn expression_over_the_cost_budget_fails() {
    let list = format!("[{}]", vec!["1"; 400].join(","));
    let text = format!("{list}.all(a, {list}.all(b, {list}.all(c, a + b + c > 0)))");
    assert_eq!(value(&text), format!("! {OVER_BUDGET}"));
}

#[test]
fn deeply_nested_and_malformed_expressions_fail_to_parse() {
    for text in [
        "(".repeat(10_000),
        "!".repeat(10_000) + "true",
        "[".repeat(10_000),
        "a.".repeat(10_000),
        "'".to_owned(),
        "'\\".to_owned(),
        "b'\\xZZ'".to_owned(),
        "0x".to_owned(),
        "99999999999999999999999".to_owned(),
        "\u{0}".to_owned(),
    ] {
        assert!(Program::parse(&text).is_err() || text.ends_with("true"));
    }
}

#[test]
fn huge_result_strings_fail_evaluation() {
    for text in [
        "'%.999999999f'.format([1.5]) == ''",
        "optional.of('xxxxxxxxxx'.replace('', 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy')).optMap(a, \
         optional.of(a.replace('', a)).optMap(b, optional.of(b.replace('', b)).optMap(c, \
         c.replace('', c).size() > 0)))",
        "lists.range(9223372036854775807) == []",
    ] {
        assert!(value(text).starts_with('!'), "{text}: {}", value(text));
    }
}

const WORDS: &[&str] = &[
    "1",
    "-1",
    "0",
    "9223372036854775807",
    "2u",
    "1.5",
    "'a'",
    "'é%s'",
    "b'x'",
    "true",
    "null",
    "[1, 2]",
    "{'a': 1}",
    "x",
    "self",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ".",
    ",",
    "?",
    ":",
    "+",
    "-",
    "*",
    "/",
    "%",
    "==",
    "!=",
    "<",
    "&&",
    "||",
    "!",
    "in",
    ".size()",
    ".map(x, x + 1)",
    ".all(x, x > 0)",
    ".split('')",
    ".substring(1)",
    ".charAt(0)",
    ".format([1])",
    "duration('1h')",
    "timestamp('2024-01-01T00:00:00Z')",
    "quantity('1Gi')",
    "cidr('10.0.0.0/8')",
    "url('/a')",
    "semver('1.2.3')",
    "optional.of(1)",
    ".?a",
    "[?0]",
    ".orValue(2)",
    ".getHours('99999999:00')",
    "int(",
    "string(",
    "size(",
    "has(self.a)",
];

proptest::proptest! {
    #[test]
    fn random_expressions_do_not_panic(words in proptest::collection::vec(0..WORDS.len(), 0..12)) {
        let text: String = words.into_iter().map(|word| WORDS[word]).collect::<Vec<_>>().join(" ");
        if let Ok(program) = Program::parse(&text) {
            let _ = program.check(&[("self", Type::Dyn), ("x", Type::Int)]);
            let names = vec![("self", Value::text("a")), ("x", Value::Int(i64::MIN))];
            let _ = program.eval(&mut Scope::new(names));
        }
    }

    #[test]
    fn parsing_arbitrary_characters_does_not_panic(text in ".{0,40}") {
        let _ = Program::parse(&text);
        let _ = crate::api::pattern::compile(&text);
    }
}

#[test]
fn names_of_properties_are_escaped() {
    for (name, expected) in [
        ("a", Some("a")),
        ("a-b", Some("a__dash__b")),
        ("a.b/c", Some("a__dot__b__slash__c")),
        ("a__b", Some("a__underscores__b")),
        ("in", Some("__in__")),
        ("namespace", Some("__namespace__")),
        ("1a", None),
        ("a b", None),
    ] {
        assert_eq!(escaped(name).as_deref(), expected, "{name}");
    }
}

#[test]
fn escaped_names_are_read_back() {
    for name in ["a", "a-b", "a.b/c", "a__b", "in", "namespace", "a_b"] {
        let escaped = escaped(name).unwrap();
        assert_eq!(unescaped(&escaped), name, "{escaped}");
    }
}

#[test]
fn object_literal_type_must_match_its_field_path() {
    let misnamed = |text: &str| Program::parse(text).unwrap().misnamed("Object");
    let fine = "x ? Object{a: Object.a{b: [Object.a.b{c: 1}]}} : Object{}";
    assert_eq!(misnamed(fine), None);
    assert_eq!(
        misnamed("Object{a: Object.b{}}").unwrap(),
        "unexpected type name \"Object.b\", expected \"Object.a\", which matches field name path from root Object type"
    );
    assert!(misnamed("Object{a: [1].map(x, Object.c{})}").is_some());
}
