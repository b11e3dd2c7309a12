//! Tests of expressions from the specification and from chainsaw's files.

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
fn functions_of_the_community_and_of_kyverno_have_their_values() {
    for (text, expected) in [
        ("as_string(`1`)", "\"1\""),
        ("at(a.b, `-1`)", "3"),
        ("base64_decode(base64_encode(text))", "\"abc\""),
        ("compare('a', 'b')", "-1"),
        ("concat(a.b, deep)", "[1,2,3,[1,2],[3],4]"),
        ("concat('a', 'b')", "\"ab\""),
        ("equal_fold('Web', 'wEB')", "true"),
        ("find_first('äbb', 'b')", "1"),
        ("find_last('abb', 'b')", "2"),
        ("find_last('abb', 'x')", "null"),
        ("from_items(items(map)) == map", "true"),
        ("items(map, 'k', 'v')[0]", r#"{"k":"p","v":{"v":1}}"#),
        ("group_by(list, &n).y", r#"[{"n":"y","v":1}]"#),
        ("json_parse('{\"x\": [1]}').x", "[1]"),
        ("parse_yaml('x: [1]').x", "[1]"),
        ("label_match({a: 'x'}, {a: 'x', b: 'y'})", "true"),
        ("lookup(map, 'q').v", "2"),
        ("lookup(a.b, `1`)", "2"),
        ("object_from_lists(['x', 'y'], a.b)", r#"{"x":1,"y":2}"#),
        ("pad_left('7', `3`, '0')", "\"007\""),
        ("pad_right('7', `2`)", "\"7 \""),
        ("pattern_match('a?c*', 'abc.d')", "true"),
        ("pattern_match('a.c', 'abc')", "false"),
        ("wildcard('*', text)", "true"),
        ("regex_match('^v[0-9]+$', 'v12')", "true"),
        ("regex_replace_all('(b)', text, '<$1>')", "\"a<b>c\""),
        ("regex_replace_all_literal('b', text, '$1')", "\"a$1c\""),
        ("replace('aaa', 'a', 'b', `2`)", "\"bba\""),
        ("replace('aaa', 'a', 'b', `-1`)", "\"bbb\""),
        ("round(`1.25`, `1`)", "1.3"),
        ("to_boolean('True')", "true"),
        ("trim_left('xxa', 'x')", "\"a\""),
        ("trim_prefix('abc', 'ab')", "\"c\""),
        ("trim_right('axx', 'x')", "\"a\""),
        ("trim_suffix('abc', 'bc')", "\"a\""),
        ("truncate('äbc', `2`)", "\"äb\""),
        ("zip(a.b, list[*].n)", r#"[[1,"x"],[2,"y"],[3,"z"]]"#),
    ] {
        assert_eq!(eval(text), Ok(json(expected)), "{text}");
    }
}

#[test]
fn every_further_function_is_known() {
    for name in super::extensions::KNOWN {
        // No function accepts an empty list of arguments, and the message shows that the function exists.
        let error = eval(&format!("{name}()")).unwrap_err();
        assert_eq!(error, format!("{name}() does not take ()"));
    }
}

#[test]
fn a_program_adds_functions_of_its_own() {
    let expression = Expression::parse("own('x', `2`) && type(@)").unwrap();
    let outer = |name: &str, arguments: &[Value]| {
        (name == "own").then(|| Ok(Value::from(arguments.len() as u64)))
    };
    let value = expression.eval_with(&json("{}"), &Variables::new(), &outer);
    assert_eq!(value, Ok(Value::from("object")));
}

#[test]
fn invalid_expressions_are_errors() {
    for (text, why) in [
        ("a.", "expected a name after ."),
        ("a b", "unexpected"),
        ("a[", "brackets"),
        ("'a", "a closing ' is missing"),
        ("$none", "unknown variable $none"),
        ("nope(@)", "unknown function nope()"),
        ("to_boolean('yes')", "neither true nor false"),
        ("base64_decode('?')", "no text in base64"),
        ("regex_match('(', 'a')", "error parsing regexp"),
        ("pad_left('a', `100000`)", "at most 65536"),
        ("length(`1`)", "length() does not take (number)"),
        ("#", "unexpected '#'"),
        ("", "unexpected end of the expression"),
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
