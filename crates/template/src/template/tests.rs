//! Tests of templates, in addition to the recorded ones.

use proptest::prelude::*;

use super::Template;
use crate::api::json::{Value, json};

fn object() -> Value {
    json!({
        "name": "web", "n": 5, "f": 1.5, "t": true, "nul": null, "none": [], "empty": {}, "zero": 0,
        "labels": {"b": "2", "a": "1"}, "list": ["x", "y", "z"], "nested": {"deep": {"er": 7}},
        "items": [{"name": "one", "n": 1}, {"name": "two", "n": 2, "ok": true}, {"name": "three", "n": 3}],
        "big": 12_345_678, "float": 2e6, "secret": "aGk=", "html": "<b>&'\"</b>",
    })
}

fn filled(template: &str, allow_missing: bool) -> String {
    let parsed = match Template::parse(template) {
        Ok(parsed) => parsed,
        Err(error) => return format!("!!{error}"),
    };
    match parsed.fill(&object(), allow_missing) {
        Ok(text) => text,
        Err((before, error)) => format!("{before}!{error}"),
    }
}

/// Checks pairs of a template and its output. `!` precedes an execution error, `!!` a parse error.
fn check(cases: &[(&str, &str)]) {
    for (template, wanted) in cases {
        assert_eq!(filled(template, true), *wanted, "{template}");
    }
}

#[test]
fn values_print_as_go_prints_them() {
    check(&[
        ("", ""),
        ("plain {text}", "plain {text}"),
        ("{{.name}} {{.n}} {{.f}} {{.t}}", "web 5 1.5 true"),
        (
            "{{.nul}}|{{.nope}}|{{.nope.deeper}}",
            "<no value>|<no value>|<no value>",
        ),
        (
            "{{.labels}} {{.list}} {{.empty}} {{.none}}",
            "map[a:1 b:2] [x y z] map[] []",
        ),
        ("{{.big}} {{.float}}", "12345678 2e+06"),
        ("{{.nested.deep.er}} {{(.nested).deep.er}}", "7 7"),
        ("{{$.name}} {{with .nested}}{{$.name}}{{end}}", "web web"),
        (
            "{{1}} {{-2}} {{1.5}} {{1e3}} {{0x1F}} {{0b11}} {{0o17}} {{017}} {{1_000}}",
            "1 -2 1.5 1000 31 3 15 15 1000",
        ),
        (
            "{{'a'}} {{'\\n'}} {{\"q\\t\\x41\"}} {{`r\\n`}}",
            "97 10 q\tA r\\n",
        ),
        ("{{true}} {{false}}", "true false"),
        (
            "{{.}}",
            "map[big:12345678 empty:map[] f:1.5 float:2e+06 html:<b>&'\"</b> items:[map[n:1 name:one] map[n:2 name:two ok:true] map[n:3 name:three]] labels:map[a:1 b:2] list:[x y z] n:5 name:web nested:map[deep:map[er:7]] none:[] nul:<nil> secret:aGk= t:true zero:0]",
        ),
    ]);
}

#[test]
fn space_is_trimmed_on_request() {
    check(&[
        ("a {{- .name -}} b", "awebb"),
        ("a \n {{- .name}} b", "aweb b"),
        ("a {{.name -}} \t\n b", "a webb"),
        ("a {{- /* comment */ -}} b", "ab"),
        ("a {{/* comment */}} b", "a  b"),
        ("{{- 3}} {{-3}}", "3 -3"),
        ("{{ .name }}", "web"),
        ("{{.name\n}}", "web"),
    ]);
}

#[test]
fn if_and_with_follow_the_truth_of_values() {
    check(&[
        ("{{if .t}}a{{end}}", "a"),
        ("{{if .zero}}a{{else}}b{{end}}", "b"),
        ("{{if .none}}a{{else if .n}}b{{else}}c{{end}}", "b"),
        ("{{if .none}}a{{else if .zero}}b{{else}}c{{end}}", "c"),
        (
            "{{if .nope}}a{{else}}b{{end}}{{if .nul}}a{{else}}b{{end}}",
            "bb",
        ),
        ("{{if eq .name \"web\"}}yes{{end}}", "yes"),
        ("{{with .nested}}{{.deep.er}}{{end}}", "7"),
        ("{{with .nope}}a{{else}}b{{end}}", "b"),
        ("{{with .nope}}a{{else with .labels}}{{.a}}{{end}}", "1"),
        ("{{with $x := .n}}{{$x}}{{.}}{{end}}", "55"),
        ("{{if not .nope}}ok{{end}}", "ok"),
        ("{{if and .t .zero}}a{{else}}b{{end}}", "b"),
        ("{{if or .zero .t}}a{{else}}b{{end}}", "a"),
    ]);
}

#[test]
fn range_iterates_over_lists_maps_and_numbers() {
    check(&[
        ("{{range .list}}{{.}},{{end}}", "x,y,z,"),
        ("{{range $v := .list}}{{$v}}{{.}},{{end}}", "xx,yy,zz,"),
        ("{{range $i, $v := .list}}{{$i}}{{$v}},{{end}}", "0x,1y,2z,"),
        ("{{range .labels}}{{.}}{{end}}", "12"),
        ("{{range $k, $v := .labels}}{{$k}}{{$v}}{{end}}", "a1b2"),
        (
            "{{range .none}}a{{else}}b{{end}}{{range .nope}}a{{else}}b{{end}}",
            "bb",
        ),
        (
            "{{range .items}}{{if .ok}}{{break}}{{end}}{{.name}}{{end}}",
            "one",
        ),
        (
            "{{range .items}}{{if .ok}}{{continue}}{{end}}{{.name}} {{end}}",
            "one three ",
        ),
        ("{{range 3}}{{.}}{{end}}", "012"),
        ("{{range $i := .n}}{{$i}}{{end}}", "01234"),
        ("{{range 0}}a{{else}}none{{end}}", "none"),
        ("{{$x := 0}}{{range .items}}{{$x = .n}}{{end}}{{$x}}", "3"),
        (
            "{{$a := 1}}{{$b := 2}}{{range $a, $b = .list}}{{end}}{{$a}}{{$b}}",
            "2z",
        ),
        (
            "{{range .items}}{{range $.list}}{{.}}{{end}};{{end}}",
            "xyz;xyz;xyz;",
        ),
        (
            "{{range $i, $v := .items}}{{if $i}}, {{end}}{{$v.name}}{{end}}",
            "one, two, three",
        ),
        ("{{range .list}}{{len .}}{{end}}", "111"),
        (
            "{{range .name}}{{end}}",
            "!template: output:1:8: executing \"output\" at <.name>: range can't iterate over web",
        ),
        (
            "{{range $i, $v := 3}}{{end}}",
            "!template: output:1:18: executing \"output\" at <3>: can't use 3 to iterate over more than one variable",
        ),
    ]);
}

#[test]
fn variables_live_until_the_end_of_their_block() {
    check(&[
        ("{{$x := .n}}{{$x}}", "5"),
        ("{{$x := .n | printf \"%03d\"}}{{$x}}", "005"),
        ("{{$x := 1}}{{if .t}}{{$x = 2}}{{end}}{{$x}}", "2"),
        ("{{$x := 1}}{{if .t}}{{$x := 2}}{{$x}}{{end}}{{$x}}", "21"),
        ("{{$o := .nested}}{{$o.deep.er}}", "7"),
        ("{{if $x := .n}}{{$x}}{{end}}", "5"),
        ("{{$x}}", "!!template: output:1: undefined variable \"$x\""),
        (
            "{{if .t}}{{$x := 2}}{{end}}{{$x}}",
            "!!template: output:1: undefined variable \"$x\"",
        ),
    ]);
}

const FUNCTIONS: &[(&str, &str)] = &[
    ("{{len .list}} {{len .name}} {{len .labels}}", "3 3 2"),
    (
        "{{index .list 1}} {{index .labels \"a\"}} {{index .items 0 \"name\"}}",
        "y 1 one",
    ),
    (
        "{{index .labels \"nope\"}} {{index .name 0}}",
        "<no value> 119",
    ),
    (
        "{{slice .list 1}} {{slice .list 0 1}} {{slice .name 1 2}} {{slice .list 0 1 2}}",
        "[y z] [x] e [x]",
    ),
    (
        "{{print 1 2 \"a\" 3 4}} {{print .nul}} {{print}}",
        "1 2a3 4 <nil> ",
    ),
    ("{{println \"a\" 1}}", "a 1\n"),
    ("{{html .html}}", "&lt;b&gt;&amp;&#39;&#34;&lt;/b&gt;"),
    (
        "{{js \"<a='b'>\\n\"}}",
        "\\u003Ca\\u003D\\'b\\'\\u003E\\u000A",
    ),
    ("{{urlquery \"a b/ü~\"}}", "a+b%2F%C3%BC~"),
    ("{{html .nope}} {{html 1 2}}", "&lt;no value&gt; 1 2"),
    (
        "{{and}}",
        "!template: output:1:2: executing \"output\" at <and>: wrong number of args for and: want at least 1 got 0",
    ),
    (
        "{{and 1 0 2}} {{and 1 2}} {{or 0 \"\" 3}} {{or 0 \"\"}} {{not 0}}",
        "0 2 3  true",
    ),
    ("{{or .t (index .list 9)}}", "true"),
    ("{{0 | or 5}} {{7 | and 1}}", "5 7"),
    (
        "{{eq 1 1}} {{eq 1 2 3 1}} {{eq \"a\" \"b\"}} {{ne 1 2}} {{eq .nul .nope}} {{eq .n .nope}}",
        "true true false true true false",
    ),
    (
        "{{lt 1 2}} {{le 2 2}} {{gt 1 2}} {{ge 2 2}} {{lt \"a\" \"b\"}} {{lt 1.5 2.5}}",
        "true true false true true true",
    ),
    (
        "{{exists .labels \"a\"}} {{exists .labels \"nope\"}} {{exists .list 2}} {{exists .list 3}} {{exists .items 0 \"name\"}}",
        "true false true false true",
    ),
    (
        "{{exists .nul}} {{exists .nope}} {{exists .n \"a\"}}",
        "false false false",
    ),
    (
        "{{base64decode .secret}} {{.secret | base64decode | len}}",
        "hi 2",
    ),
    ("{{.list | len | printf \"%02d\"}}", "03"),
    ("{{printf \"%s\" (index .list 0)}}", "x"),
    ("{{(len .list)}}", "3"),
];

#[test]
fn functions_return_gos_results() {
    check(FUNCTIONS);
}

const FORMATS: &[(&str, &str)] = &[
    ("{{printf \"%v %v %v\" .n .f .name}}", "5 1.5 web"),
    (
        "{{printf \"%d|%5d|%-5d|%05d|%+d|% d\" 7 7 7 7 7 7}}",
        "7|    7|7    |00007|+7| 7",
    ),
    (
        "{{printf \"%x %X %#x %o %O %b %c %q %U\" 255 255 255 8 8 5 65 65 8364}}",
        "ff FF 0xff 10 0o10 101 A 'A' U+20AC",
    ),
    (
        "{{printf \"%s|%5s|%-5s|%.2s|%q|%x|% x\" \"abc\" \"abc\" \"abc\" \"abc\" \"abc\" \"abc\" \"abc\"}}",
        "abc|  abc|abc  |ab|\"abc\"|616263|61 62 63",
    ),
    (
        "{{printf \"%f|%.2f|%8.3f|%e|%g|%G\" 1.5 1.555 3.14159 1500.0 1e20 1e-7}}",
        "1.500000|1.55|   3.142|1.500000e+03|1e+20|1E-07",
    ),
    (
        "{{printf \"%.3g|%.3g|%06.1f|%+.1f\" 1234.5 0.00012345 -2.5 2.5}}",
        "1.23e+03|0.000123|-002.5|+2.5",
    ),
    ("{{printf \"%t %v\" true false}}", "true false"),
    (
        "{{printf \"%v %+v %#v\" .labels .list .labels}}",
        "map[a:1 b:2] [x y z] map[string]interface {}{\"a\":\"1\", \"b\":\"2\"}",
    ),
    (
        "{{printf \"%q %d\" .list .list}}",
        "[\"x\" \"y\" \"z\"] [%!d(string=x) %!d(string=y) %!d(string=z)]",
    ),
    (
        "{{printf \"%T %T %T %T %T %T %T\" 1 1.5 \"a\" true .labels .list .nul}}",
        "int float64 string bool map[string]interface {} []interface {} <nil>",
    ),
    ("{{printf \"%v %s\" .nul .nul}}", "<nil> %!s(<nil>)"),
    (
        "{{printf \"%d\" \"a\"}} {{printf \"%s\" 1}} {{printf \"%z\" 1}}",
        "%!d(string=a) %!s(int=1) %!z(int=1)",
    ),
    (
        "{{printf \"%d\"}} {{printf \"%\"}} {{printf \"a\" 1 \"b\"}}",
        "%!d(MISSING) %!(NOVERB) a%!(EXTRA int=1, string=b)",
    ),
    (
        "{{printf \"%[2]d %[1]d\" 1 2}} {{printf \"%[3]d\" 1}}",
        "2 1 %!d(BADINDEX)",
    ),
    (
        "{{printf \"%*d|%-*d|%.*f\" 4 1 4 1 2 1.0}}",
        "   1|1   |1.00",
    ),
    (
        "{{printf \"%%\"}} {{printf \"%5t\" true}} {{printf \"%.2d\" 7}}",
        "%  true 07",
    ),
    (
        "{{printf \"%5.1f|%-8v|%8v\" .f .name .name}}",
        "  1.5|web     |     web",
    ),
];

#[test]
fn formats_follow_gos_verbs() {
    check(FORMATS);
}

#[test]
fn templates_call_templates() {
    check(&[
        (
            "{{define \"T\"}}[{{.}}]{{end}}{{template \"T\" .n}}{{template \"T\"}}",
            "[5][<no value>]",
        ),
        (
            "{{template \"T\" .}}{{define \"T\"}}{{.name}}{{end}}",
            "web",
        ),
        ("{{block \"B\" .nested}}{{.deep.er}}{{end}}", "7"),
        (
            "{{define \"T\"}}{{$.er}}{{end}}{{template \"T\" .nested.deep}}",
            "7",
        ),
        (
            "{{define \"T\"}}{{if gt . 0}}{{.}}{{end}}{{end}}{{range 3}}{{template \"T\" .}}{{end}}",
            "12",
        ),
        (
            "{{template \"nope\"}}",
            "!template: output:1:11: executing \"output\" at <{{template \"nope\"}}>: template \"nope\" not defined",
        ),
        (
            "{{define \"T\"}}{{.x.y.z}}{{end}}{{template \"T\" .name}}",
            "!template: output:1:18: executing \"T\" at <.x.y.z>: can't evaluate field x in type string",
        ),
        (
            "{{define \"T\"}}a{{end}}{{define \"T\"}}b{{end}}",
            "!!template: output:1: template: multiple definition of template \"T\"",
        ),
        (
            "{{define \"T\"}}{{template \"T\" .}}{{end}}{{template \"T\" .}}",
            "!template: output:1:25: executing \"T\" at <{{template \"T\" .}}>: exceeded maximum template depth (200)",
        ),
    ]);
}

const READING: &[(&str, &str)] = &[
    ("{{", "!!template: output:1: unclosed action"),
    ("a\n{{.name", "!!template: output:2: unclosed action"),
    ("{{if .t}}", "!!template: output:1: unexpected EOF"),
    ("{{end}}", "!!template: output:1: unexpected {{end}}"),
    ("{{else}}", "!!template: output:1: unexpected {{else}}"),
    (
        "{{if}}a{{end}}",
        "!!template: output:1: missing value for if",
    ),
    ("{{}}", "!!template: output:1: missing value for command"),
    (
        "{{nope .}}",
        "!!template: output:1: function \"nope\" not defined",
    ),
    (
        "{{.name | 3}}",
        "!!template: output:1: non executable command in pipeline stage 2",
    ),
    (
        "{{\"a}}",
        "!!template: output:1: unterminated quoted string",
    ),
    (
        "{{`a}}",
        "!!template: output:1: unterminated raw quoted string",
    ),
    (
        "{{'a}}",
        "!!template: output:1: unterminated character constant",
    ),
    (
        "{{'ab'}}",
        "!!template: output:1: malformed character constant: 'ab'",
    ),
    ("{{3a}}", "!!template: output:1: bad number syntax: \"3a\""),
    ("{{08}}", "!!template: output:1: integer overflow: \"08\""),
    (
        "{{99999999999999999999}}",
        "!!template: output:1: integer overflow: \"99999999999999999999\"",
    ),
    ("{{(.n}}", "!!template: output:1: unclosed left paren"),
    ("{{.n)}}", "!!template: output:1: unexpected right paren"),
    ("{{/* a}}", "!!template: output:1: unclosed comment"),
    (
        "{{/* a */ b}}",
        "!!template: output:1: comment ends before closing delimiter",
    ),
    ("{{.a~b}}", "!!template: output:1: bad character U+007E '~'"),
    ("{{.kind}", "!!template: output:1: bad character U+007D '}'"),
    (
        "{{.kind }",
        "!!template: output:1: unexpected \"}\" in operand",
    ),
    ("{{~}}", "!!template: output:1: unexpected \"~\" in command"),
    (
        "{{\u{7}}}",
        "!!template: output:1: unrecognized character in action: U+0007",
    ),
    ("{{.n :}}", "!!template: output:1: expected :="),
    (
        "{{$x, $y := .list}}",
        "!!template: output:1: too many declarations in command",
    ),
    (
        "{{range $x, .list}}{{end}}",
        "!!template: output:1: range can only initialize variables",
    ),
    (
        "{{1.x}}",
        "!!template: output:1: bad number syntax: \"1.x\"",
    ),
    (
        "{{true.x}}",
        "!!template: output:1: unexpected . after term \"true\"",
    ),
    (
        "{{if .t}}a{{else}}b{{else}}c{{end}}",
        "!!template: output:1: expected end; found {{else}}",
    ),
    (
        "{{continue}}",
        "!!template: output:1: {{continue}} outside {{range}}",
    ),
    (
        "{{range .list}}{{break .}}{{end}}",
        "!!template: output:1: unexpected <.> in {{break}}",
    ),
    (
        "{{template .n}}",
        "!!template: output:1: unexpected \".n\" in template clause",
    ),
    (
        "{{define T}}{{end}}",
        "!!template: output:1: unexpected \"T\" in define clause",
    ),
    (
        "{{if .t}}{{define \"T\"}}{{end}}{{end}}",
        "!!template: output:1: unexpected <define> in command",
    ),
];

#[test]
fn parse_errors_name_the_line() {
    check(READING);
}

const RUNNING: &[(&str, &str)] = &[
    (
        "x{{.name.a}}",
        "x!template: output:1:8: executing \"output\" at <.name.a>: can't evaluate field a in type interface {}",
    ),
    (
        "\n {{.nul.a}}",
        "\n !template: output:2:7: executing \"output\" at <.nul.a>: nil pointer evaluating interface {}.a",
    ),
    (
        "{{$x := .name}}{{$x.a}}",
        "!template: output:1:19: executing \"output\" at <$x.a>: can't evaluate field a in type string",
    ),
    (
        "{{.name 1}}",
        "!template: output:1:2: executing \"output\" at <.name>: name is not a method but has arguments",
    ),
    (
        "{{1 2}}",
        "!template: output:1:2: executing \"output\" at <1>: can't give argument to non-function 1",
    ),
    (
        "{{(.n) 2}}",
        "!template: output:1:2: executing \"output\" at <(.n) 2>: can't give argument to non-function (.n)",
    ),
    (
        "{{18446744073709551615}}",
        "!template: output:1:2: executing \"output\" at <18446744073709551615>: 18446744073709551615 overflows int",
    ),
    (
        "{{index .list 9}}",
        "!template: output:1:2: executing \"output\" at <index .list 9>: error calling index: index out of range: 9",
    ),
    (
        "{{index .list 3}}",
        "!template: output:1:2: executing \"output\" at <index .list 3>: error calling index: reflect: slice index out of range",
    ),
    (
        "{{index .list \"a\"}}",
        "!template: output:1:2: executing \"output\" at <index .list \"a\">: error calling index: cannot index slice/array with type string",
    ),
    (
        "{{index .labels 1}}",
        "!template: output:1:2: executing \"output\" at <index .labels 1>: error calling index: value has type int; should be string",
    ),
    (
        "{{index .n 1}}",
        "!template: output:1:2: executing \"output\" at <index .n 1>: error calling index: can't index item of type int64",
    ),
    (
        "{{index .nope 1}}",
        "!template: output:1:2: executing \"output\" at <index .nope 1>: error calling index: index of untyped nil",
    ),
    (
        "{{index .items 0 \"x\" \"y\"}}",
        "!template: output:1:2: executing \"output\" at <index .items 0 \"x\" \"y\">: error calling index: index of nil pointer",
    ),
    (
        "{{len .n}}",
        "!template: output:1:2: executing \"output\" at <len .n>: error calling len: len of type int64",
    ),
    (
        "{{len .nul}}",
        "!template: output:1:2: executing \"output\" at <len .nul>: error calling len: len of nil pointer",
    ),
    (
        "{{len .nope}}",
        "!template: output:1:2: executing \"output\" at <len .nope>: error calling len: reflect: call of reflect.Value.Type on zero Value",
    ),
    (
        "{{len}}",
        "!template: output:1:2: executing \"output\" at <len>: wrong number of args for len: want 1 got 0",
    ),
    (
        "{{len 1 2}}",
        "!template: output:1:2: executing \"output\" at <len>: wrong number of args for len: want 1 got 2",
    ),
    (
        "{{slice .name 2 1}}",
        "!template: output:1:2: executing \"output\" at <slice .name 2 1>: error calling slice: invalid slice index: 2 > 1",
    ),
    (
        "{{slice .n 1}}",
        "!template: output:1:2: executing \"output\" at <slice .n 1>: error calling slice: can't slice item of type int64",
    ),
    (
        "{{slice .nope}}",
        "!template: output:1:2: executing \"output\" at <slice .nope>: error calling slice: slice of untyped nil",
    ),
    (
        "{{eq 1 \"a\"}}",
        "!template: output:1:2: executing \"output\" at <eq 1 \"a\">: error calling eq: incompatible types for comparison: int and string",
    ),
    (
        "{{eq 1}}",
        "!template: output:1:2: executing \"output\" at <eq 1>: error calling eq: missing argument for comparison",
    ),
    (
        "{{eq .n 5.0}}",
        "!template: output:1:2: executing \"output\" at <eq .n 5.0>: error calling eq: incompatible types for comparison: int64 and float64",
    ),
    (
        "{{lt .labels 1}}",
        "!template: output:1:2: executing \"output\" at <lt .labels 1>: error calling lt: invalid type for comparison",
    ),
    (
        "{{lt true false}}",
        "!template: output:1:2: executing \"output\" at <lt true false>: error calling lt: invalid type for comparison",
    ),
    (
        "{{eq .labels .labels}}",
        "!template: output:1:2: executing \"output\" at <eq .labels .labels>: error calling eq: non-comparable type map[a:1 b:2]: map[string]interface {}",
    ),
    (
        "{{base64decode \"!\"}}",
        "!template: output:1:2: executing \"output\" at <base64decode \"!\">: error calling base64decode: base64 decode failed: illegal base64 data at input byte 0",
    ),
    (
        "{{base64decode .n}}",
        "!template: output:1:15: executing \"output\" at <.n>: wrong type for value; expected string; got int64",
    ),
    (
        "{{base64decode .nope}}",
        "!template: output:1:15: executing \"output\" at <.nope>: invalid value; expected string",
    ),
    (
        "{{base64decode 5}}",
        "!template: output:1:15: executing \"output\" at <5>: expected string; found 5",
    ),
    (
        "{{printf 5}}",
        "!template: output:1:9: executing \"output\" at <5>: expected string; found 5",
    ),
    (
        "{{printf nil}}",
        "!template: output:1:9: executing \"output\" at <nil>: cannot assign nil to string",
    ),
    (
        "{{call .name}}",
        "!template: output:1:2: executing \"output\" at <call .name>: error calling call: non-function .name of type string",
    ),
];

#[test]
fn execution_errors_name_the_position() {
    check(RUNNING);
}

#[test]
fn a_missing_key_is_an_error_if_it_is_required() {
    assert_eq!(
        filled("{{.nope}}", false),
        "!template: output:1:2: executing \"output\" at <.nope>: map has no entry for key \"nope\""
    );
    assert_eq!(filled("{{.nul}}{{.name}}", false), "<no value>web");
    assert_eq!(
        filled(
            "{{with $x := index .labels \"c\"}}a{{else}}{{$x.y}}{{end}}",
            false
        ),
        "!template: output:1:45: executing \"output\" at <$x.y>: nil data; no entry for key \"y\""
    );
}

#[test]
fn deep_nesting_is_a_parse_error() {
    let deep =
        |open: &str, close: &str| format!("{{{{{}1{}}}}}", open.repeat(5000), close.repeat(5000));
    assert!(filled(&deep("(", ")"), true).starts_with("!!"));
    assert!(filled(&"{{if .t}}".repeat(5000), true).starts_with("!!"));
    assert!(
        filled(
            &format!("{{{{if .t}}}}{}{{{{end}}}}", "{{else if .t}}".repeat(5000)),
            true
        )
        .starts_with("!!")
    );
}

proptest! {
    #[test]
    fn arbitrary_templates_do_not_panic(template in "[{}.$()|:=\"`'\\\\ a-f0-2-]{0,40}") {
        filled(&template, true);
        filled(&format!("{{{{{template}}}}}"), false);
    }

    #[test]
    fn templates_of_valid_parts_do_not_panic(parts in prop::collection::vec(
        prop::sample::select(vec![
            "{{range .items}}", "{{end}}", "{{.name}}", "{{if .ok}}", "{{else}}", "{{with .labels}}", "{{$x := .}}",
            "{{$x}}", "{{break}}", "{{- 1 -}}", " \n", "{{define \"T\"}}", "{{template \"T\" .}}", "{{index . 0}}",
            "{{len .}}", "{{slice . 1}}", "{{printf \"%v %d %q\" . .n $}}", "{{eq . 1}}", "{{block \"B\" .}}",
        ]), 0..12)) {
        filled(&parts.concat(), true);
    }

    #[test]
    fn arbitrary_formats_do_not_panic(format in "[%a-zA-Z0-9.*+#\\[\\] -]{0,20}") {
        filled(&format!("{{{{printf \"{format}\" .n .f .name .list .nul true 7}}}}"), true);
    }
}
