//! Expressions of the specification and of chainsaw's files.

use ctl_api::json::{Value, from_bytes};

use super::{Expression, Variables};

const INPUT: &str = r#"{"a": {"b": [1, 2, 3], "c d": "x"}, "list": [{"n": "x", "v": 3, "ok": true}, {"n": "y", "v": 1}, {"n": "z", "v": 2, "ok": true}],
    "deep": [[1, 2], [3], 4], "text": "abc", "map": {"p": {"v": 1}, "q": {"v": 2}}}"#;

fn json(text: &str) -> Value {
    from_bytes(text.as_bytes(), &[]).unwrap()
}

fn eval(text: &str) -> Result<Value, String> {
    let variables = Variables::from([("namespace".to_owned(), Value::from("blue"))]);
    Expression::parse(text)?.eval(&json(INPUT), &variables)
}

#[test]
fn expressions_have_the_values_of_the_specification() {
    for (text, expected) in [
        ("a.b[0]", "1"),
        ("a.b[-1]", "3"),
        ("a.b[5]", "null"),
        ("none.[text, 'x']", "null"),
        ("none | [`1`, 'x']", "[1,\"x\"]"),
        ("a.\"c d\"", "\"x\""),
        ("a.b[1:]", "[2,3]"),
        ("a.b[::-1]", "[3,2,1]"),
        ("list[*].n", r#"["x","y","z"]"#),
        ("list[?ok].n", r#"["x","z"]"#),
        ("list[?v > `1` && ok].v | [0]", "3"),
        ("list[?n == 'y'] | [0].v", "1"),
        ("list[?n=='none']", "[]"),
        (
            "list[*].{name: n, value: v} | [1]",
            r#"{"name":"y","value":1}"#,
        ),
        ("list[0].[n, v]", r#"["x",3]"#),
        ("deep[]", "[1,2,3,4]"),
        ("deep[][]", "[1,2,3,4]"),
        ("map.*.v", "[1,2]"),
        ("length(list)", "3"),
        ("length(list[?ok]) == `2`", "true"),
        ("sort_by(list, &v)[*].n", r#"["y","z","x"]"#),
        ("max_by(list, &v).n", "\"x\""),
        ("map(&v, list)", "[3,1,2]"),
        ("sum(list[*].v)", "6"),
        ("join('-', ['a', $namespace])", "\"a-blue\""),
        ("$namespace == 'blue' || `false`", "true"),
        ("!none", "true"),
        ("none || text", "\"abc\""),
        ("starts_with(text, 'ab')", "true"),
        ("contains(a.b, `2`)", "true"),
        ("to_string(a.b)", "\"[1,2,3]\""),
        ("to_number('7') + `1`", "8"),
        ("type(@)", "\"object\""),
        ("keys(map)", r#"["p","q"]"#),
        ("a.b | length(@)", "3"),
        ("(text)", "\"abc\""),
        ("text > `1`", "null"),
        ("split(text, 'b')", r#"["a","c"]"#),
        ("a.{x: b[0]}", r#"{"x":1}"#),
        ("`[1, 2]`[1]", "2"),
        ("not_null(none, text)", "\"abc\""),
    ] {
        assert_eq!(eval(text), Ok(json(expected)), "{text}");
    }
}

#[test]
fn mistakes_are_reported() {
    for (text, why) in [
        ("a.", "a name is missing behind ."),
        ("a b", "unexpected"),
        ("a[", "brackets"),
        ("'a", "a closing ' is missing"),
        ("$none", "unknown variable $none"),
        ("nope(@)", "unknown function nope()"),
        ("length(`1`)", "length() does not take (number)"),
        ("#", "unexpected '#'"),
        ("", "ends too early"),
    ] {
        let error = eval(text).unwrap_err();
        assert!(error.contains(why), "{text}: {error}");
    }
    assert!(
        Expression::parse(&"(".repeat(500))
            .unwrap_err()
            .contains("too deeply")
    );
}
