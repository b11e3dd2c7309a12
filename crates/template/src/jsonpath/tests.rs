//! Tests of expressions, in addition to the recorded ones.

use proptest::prelude::*;

use super::{JsonPath, relaxed};
use crate::api::json::{Value, json};

fn object() -> Value {
    json!({
        "kind": "List", "n": 5, "f": 1.5, "t": true, "nul": null, "text": "abc", "none": [], "empty": {},
        "big": 12_345_678, "float": 1e6, "html": "<&>", "a b": "space", "a.b": {"c/d": "dotted"},
        "items": [
            {"name": "one", "n": 1, "tags": ["x", "y"], "sub": {"name": "s1"}},
            {"name": "two", "n": 2, "tags": ["z"], "ready": true},
            {"name": "three", "n": 3, "tags": [], "ratio": 0.5},
        ],
        "deep": [[1, 2], [3, [4]]],
    })
}

/// Checks pairs of a template and its output. An output that begins with `!` is an error.
fn check(cases: &[(&str, &str)], allow_missing: bool) {
    for (template, wanted) in cases {
        let filled = JsonPath::parse(template).and_then(|path| path.fill(&object(), allow_missing));
        let shown = filled.unwrap_or_else(|error| format!("!{error}"));
        assert_eq!(shown, *wanted, "{template}");
    }
}

#[test]
fn values_are_found_and_printed() {
    check(
        &[
            ("", ""),
            ("text only", "text only"),
            ("{}", &crate::json::one_line(&object())),
            ("{$}", &crate::json::one_line(&object())),
            ("{.kind}", "List"),
            ("{kind}", "!unrecognized identifier kind"),
            ("{.n}/{.f}/{.t}/{.nul}", "5/1.5/true/null"),
            ("{.big} {.float}", "12345678 1e+06"),
            ("{.html}", "<&>"),
            ("{.empty}{.none}", "{}[]"),
            ("{.deep}", "[[1,2],[3,[4]]]"),
            ("{.items[0].name}", "one"),
            ("{.items[-1].name}", "three"),
            ("{.items[-3].name}", "one"),
            ("{.items[*].name}", "one two three"),
            ("{.items[:].name}", "one two three"),
            ("{.items[].name}", "one"),
            ("{.items[0:2].name}", "one two"),
            ("{.items[1:].name}", "two three"),
            ("{.items[:-1].name}", "one two"),
            ("{.items[-2:].name}", "two three"),
            ("{.items[::2].name}", "one three"),
            ("{.items[0:3:2].name}", "one three"),
            ("{.items[1:1].name}", ""),
            ("{.items[0,2].name}", "one three"),
            ("{.items[2, 0].name}", "three one"),
            ("{.items[0]['name','n']}", "one 1"),
            ("{.items[*]['name']}", "one two three"),
            ("{.items[*].tags}", "[\"x\",\"y\"] [\"z\"] []"),
            ("{.items[*].tags[*]}", "x y z"),
            ("{.items[*].sub.name}", "s1"),
            ("{.items..name}", "one s1 two three"),
            ("{..ratio}", "0.5"),
            ("{.deep[*][*]}", "1 2 3 [4]"),
            ("{.deep[0][1]}", "2"),
            ("{.['kind']}", ""),
            ("{['kind']}", "List"),
            ("{.a\\ b}", "space"),
            ("{['a b']}", "!unrecognized identifier b"),
            ("{.a\\.b.c/d}", "dotted"),
            ("{['a\\.b']['c/d']}", "dotted"),
            ("{.a.b}", ""),
            ("{ .kind }", "List"),
            ("{.kind}{' '}{.n}", "List 5"),
            ("{.kind}{\"\\t\\x41\\u00e9\\101\"}", "List\tAéA"),
            ("{'it\\'s'}", "it's"),
            ("{\"a\\\"b\"}", "a\"b"),
            ("{'a\"b'}", "a\"b"),
            ("{12}", "12"),
            ("{-1.5}", "-1.5"),
            ("{true}", "true"),
            ("{.text.x}", ""),
            (
                "{.items[*].*}",
                "1 one {\"name\":\"s1\"} [\"x\",\"y\"] 2 two true [\"z\"] 3 three 0.5 []",
            ),
            ("{.empty.*}", ""),
            ("{.text[*]}", "!string is not array or slice"),
            ("{.nul[0]}", ""),
            ("a{.kind}b", "aListb"),
            ("}{.kind}", "}List"),
            ("{.kind}}", "List}"),
        ],
        true,
    );
}

#[test]
fn filters_choose_items() {
    check(
        &[
            ("{.items[?(@.name==\"two\")].n}", "2"),
            ("{.items[?(@.name=='two')].n}", "2"),
            ("{.items[?(@.name!=\"two\")].n}", "1 3"),
            ("{.items[?(@.n>1)].name}", "two three"),
            ("{.items[?(@.n>=2)].name}", "two three"),
            ("{.items[?(@.n<2)].name}", "one"),
            ("{.items[?(@.n<=2)].name}", "one two"),
            ("{.items[?(@.name>\"p\")].name}", "two three"),
            ("{.items[?(@.ready)].name}", "two"),
            ("{.items[?(@.ready==true)].name}", "two"),
            ("{.items[?(@.ready==false)].name}", ""),
            ("{.items[?(@.ratio==0.5)].name}", "three"),
            ("{.items[?(@.sub.name==\"s1\")].name}", "one"),
            (
                "{.items[?(@.tags[0]==\"z\")].name}",
                "!array index out of bounds: index 0, length 0",
            ),
            (
                "{.items[?(@.tags[*]==\"z\")].name}",
                "!can only compare one element at a time",
            ),
            ("{.items[?(@.nope==1)].name}", ""),
            ("{.items[?(@.name==@.name)].name}", "one two three"),
            (
                "{.items[?(@.name==1)].name}",
                "!incompatible types for comparison",
            ),
            (
                "{.items[?(@.n==1.0)].name}",
                "!incompatible types for comparison",
            ),
            ("{.items[?(@.sub==1)].name}", "!invalid type for comparison"),
            (
                "{.items[?(@.ready<true)].name}",
                "!invalid type for comparison",
            ),
            ("{.items[?(@.n=1)].name}", "!unrecognized filter operator ="),
            (
                "{.items[?(@.n<>1)].name}",
                "!unrecognized filter operator <>",
            ),
            ("{.items[?(@.name==\"a)b\")].name}", ""),
            (
                "{.items[?(@.n==1)]}",
                "{\"n\":1,\"name\":\"one\",\"sub\":{\"name\":\"s1\"},\"tags\":[\"x\",\"y\"]}",
            ),
            (
                "{.text[?(@.x)]}",
                "!abc is not array or slice and cannot be filtered",
            ),
            (
                "{.empty[?(@.x)]}",
                "!map[] is not array or slice and cannot be filtered",
            ),
            (
                "{.nul[?(@.x)]}",
                "!<nil> is not array or slice and cannot be filtered",
            ),
            ("{.deep[?(@[0]==3)]}", "[3,[4]]"),
        ],
        true,
    );
}

#[test]
fn ranges_repeat_their_body() {
    check(
        &[
            (
                "{range .items[*]}{.name}{\"\\n\"}{end}",
                "one\ntwo\nthree\n",
            ),
            (
                "{range .items[*]}[{.name}:{.n}] {end}.",
                "[one:1] [two:2] [three:3] .",
            ),
            ("{range .items[*]}{.name}", "onetwothree"),
            (
                "{range .items[*]}{range .tags[*]}{@}{end};{end}|",
                "xy;z;;|",
            ),
            ("{range .none[*]}{.name}{end}after", "after"),
            (
                "{range .nope[*]}{.name}{range .x}{.y}{end}{end}after",
                "after",
            ),
            ("{range .items}{.name}{end}", ""),
            ("{range .items[0]}{.name}{end}{.kind}", "oneList"),
            ("{range .items[*].tags[*]}{@},{end}", "x,y,z,"),
            ("{range .items[?(@.n>1)]}{.name} {end}", "two three "),
            (
                "{range .items[*]}{.name}{end}{range .items[*]}{.n}{end}",
                "onetwothree123",
            ),
            ("{range .items[0:2]}{.sub.name}-{end}", "s1--"),
            ("{.kind}{end}", "!not in range, nothing to end"),
            (
                "{range .items[*]}{.name}{end}{end}",
                "!not in range, nothing to end",
            ),
        ],
        true,
    );
}

#[test]
fn errors_have_kubectls_texts() {
    check(
        &[
            ("{.kind", "!unclosed action"),
            ("{.kind\n}", "!unclosed action"),
            ("{", "!unclosed action"),
            ("{.items[0}", "!unterminated array"),
            ("{.items[0\n]}", "!unterminated array"),
            ("{.items[?(@.x}", "!unterminated filter"),
            ("{.items[?(@.x==\"a)]}", "!unterminated filter"),
            ("{.items[?(@.x)}", "!unclosed array expect ]"),
            ("{.items[?(@.x) ]}", "!unclosed array expect ]"),
            ("{\"a}", "!unterminated quoted string"),
            ("{\"\\q\"}", "!unquote string \"\\q\" error invalid syntax"),
            (
                "{\"\\400\"}",
                "!unquote string \"\\400\" error invalid syntax",
            ),
            ("{.items[a]}", "!invalid array index a"),
            ("{.items[1:2:3:4]}", "!invalid array index 1:2:3:4"),
            ("{.items[\"n\"]}", "!invalid array index \"n\""),
            ("{.items[-]}", "!array index - is not a number"),
            (
                "{.items[99999999999999999999]}",
                "!array index 99999999999999999999 is not a number",
            ),
            (
                "{.items[0:9].n}",
                "!array index out of bounds: index 8, length 3",
            ),
            (
                "{.items[5].n}",
                "!array index out of bounds: index 5, length 3",
            ),
            (
                "{.items[-5].n}",
                "!array index out of bounds: index -2, length 3",
            ),
            (
                "{.items[2:1].n}",
                "!starting index 2 is greater than ending index 1",
            ),
            ("{.items[0:2:0].n}", "!step must be > 0"),
            ("{.items[0:2:-1].n}", "!step must be > 0"),
            (
                "{.empty[0]}",
                "!map[string]interface {} is not array or slice",
            ),
            ("{.n[0]}", "!int64 is not array or slice"),
            ("{....}", "!invalid multiple recursive descent"),
            ("{!.a}", "!unrecognized character in action: U+0021 '!'"),
            ("{.a~}", ""),
            ("{~}", "!unrecognized character in action: U+007E '~'"),
            ("{\u{7}}", "!unrecognized character in action: U+0007"),
            ("{*}", "!unrecognized character in action: U+002A '*'"),
            ("{1.2.3}", "!cannot parse number 1.2.3"),
            ("{-}", "!cannot parse number -"),
            ("{words.kind}", "!unrecognized identifier words"),
            ("{.kind nope}", "!unrecognized identifier nope"),
        ],
        true,
    );
}

#[test]
fn a_missing_key_is_an_error_if_it_is_required() {
    check(
        &[
            ("{.nope}", "!nope is not found"),
            ("{.kind}{.nope}", "!nope is not found"),
            ("{.items[*].sub.name}", "s1"),
            ("{.items[*].nope}", "!nope is not found"),
            ("{.items[?(@.ready)].name}", "two"),
            ("{.items[?(@.ready==true)].name}", "!ready is not found"),
            ("{.nul.x}", "!x is not found"),
            ("{.nul}", "null"),
        ],
        false,
    );
}

#[test]
fn json_output_prints_each_result_as_a_list() {
    let path = JsonPath::parse("{.items[*].name}x{.nope}").unwrap();
    assert_eq!(
        path.fill_as_json(&object(), true).unwrap(),
        "[\n    \"one\",\n    \"two\",\n    \"three\"\n]\n[\n    \"x\"\n]\n[]\n"
    );
}

#[test]
fn relaxed_paths_become_templates() {
    for (path, wanted) in [
        ("", ""),
        ("a", "{.a}"),
        (".a.b", "{.a.b}"),
        ("{a}", "{.a}"),
        ("{.a[0]}", "{.a[0]}"),
        (".", "{..}"),
        ("..a", "{..a}"),
    ] {
        assert_eq!(relaxed(path).as_deref(), Ok(wanted), "{path}");
    }
    for path in ["{", "}", "{}", "{.a}{.b}", "a{b}", "{{a}}"] {
        assert!(
            relaxed(path)
                .unwrap_err()
                .starts_with("unexpected path string, ")
        );
    }
}

#[test]
fn deeply_nested_filters_do_not_overflow_the_stack() {
    let nested = (0..200).fold("@.a".to_owned(), |inner, at| {
        let quote = if at % 2 == 0 { '"' } else { '\'' };
        format!("@.a[?({quote}{quote}{inner})]")
    });
    let _ = JsonPath::parse(&format!("{{.items[?({nested})]}}"));
    let deep = "[?(\"\"".repeat(5000);
    assert!(JsonPath::parse(&format!("{{{deep}")).is_err());
}

proptest! {
    #[test]
    fn arbitrary_templates_do_not_panic(template in "[{}.\\[\\]?()@$*:,'\"\\\\ a-c0-3=<>!-]{0,40}") {
        if let Ok(path) = JsonPath::parse(&template) {
            let _ = path.fill(&object(), true);
            let _ = path.fill(&object(), false);
        }
    }

    #[test]
    fn templates_of_valid_parts_do_not_panic(parts in prop::collection::vec(
        prop::sample::select(vec![
            "{range .items[*]}", "{end}", "{.name}", "{.items[0]}", "{..name}", "{.items[?(@.n>1)]}", "{..}", "{.*}",
            "{.items[1:]['name','n']}", "text", "{@}", "{.text..}", "{.deep[*][0]}", "{range}", "{range .none[*]}",
        ]), 0..12)) {
        let path = JsonPath::parse(&parts.concat()).unwrap();
        let _ = path.fill(&object(), true);
    }
}
