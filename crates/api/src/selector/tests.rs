//! Tests of selectors as users write them.

use super::*;
use crate::json::{Value, json};

fn selects(selector: &LabelSelector, labels: &Value) -> bool {
    selector.matches_object(&json!({"metadata": {"labels": labels}}))
}

#[test]
fn label_selectors_match_labels() {
    let labels =
        json!({"app": "web", "tier": "front", "n": "5", "empty": "", "in": "x", "a.b/c": "d"});
    for (text, expected) in [
        ("", true),
        ("app=web", true),
        ("app==web", true),
        ("app = web", true),
        ("app=db", false),
        ("none=web", false),
        ("app!=web", false),
        ("app!=db", true),
        ("none!=db", true),
        ("app in (web,db)", true),
        ("app in ( db , web )", true),
        ("app in (db)", false),
        ("none in (db)", false),
        ("app notin (web)", false),
        ("app notin (db)", true),
        ("none notin (db)", true),
        ("app", true),
        ("none", false),
        ("!none", true),
        ("!app", false),
        ("! app", false),
        ("n>4", true),
        ("n>5", false),
        ("n<6", true),
        ("n<5", false),
        ("app>1", false),
        ("none<1", false),
        ("empty=", true),
        ("empty", true),
        ("app=", false),
        ("empty in (,x)", true),
        ("empty in (x,)", true),
        ("app=web,tier=front", true),
        ("app=web,tier=back", false),
        ("app=web,tier in (front,back),!old", true),
        ("in=x", true),
        ("in in (x)", true),
        ("a.b/c=d", true),
    ] {
        let selector = LabelSelector::parse(text).unwrap();
        assert_eq!(selects(&selector, &labels), expected, "{text}");
    }
}

#[test]
fn label_selectors_print_sorted_by_key() {
    for (text, printed) in [
        ("b=1,a", "a,b=1"),
        ("x in (c,a,b),!y", "x in (a,b,c),!y"),
        ("a==1,b!=2,c notin (x)", "a==1,b!=2,c notin (x)"),
        ("a>1,b<2", "a>1,b<2"),
        ("a in (x,x)", "a in (x)"),
    ] {
        assert_eq!(LabelSelector::parse(text).unwrap().to_string(), printed);
    }
}

#[test]
fn invalid_label_selectors_have_the_servers_error() {
    let qualified = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    let bad_key =
        format!("unable to parse requirement: <nil>: Invalid value: \"a@b\": {qualified}");
    let label = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
    let bad_value =
        format!("unable to parse requirement: values[0][a]: Invalid value: \"b/c\": {label}");
    for (text, message) in [
        (
            "a b",
            "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
        ),
        (
            "a in b",
            "unable to parse requirement: found 'b' expected: '('",
        ),
        ("a,,b", "found ',', expected: identifier after ','"),
        ("a=b=c", "found '=', expected: ',' or 'end of string'"),
        ("a=b c", "found 'c', expected: ',' or 'end of string'"),
        (
            "a>x",
            "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
        ),
        (
            "app in web",
            "unable to parse requirement: found 'web' expected: '('",
        ),
        (
            ",a",
            "found ',', expected: !, identifier, or 'end of string'",
        ),
        ("a,", "found '', expected: identifier after ','"),
        ("!a=b", "found '=', expected: ',' or 'end of string'"),
        (
            "!",
            "unable to parse requirement: found '', expected: identifier",
        ),
        (
            "a in (",
            "unable to parse requirement: found '', expected: ',', ')' or identifier",
        ),
        (
            "a in (b c)",
            "unable to parse requirement: found 'c', expected: ',' or ')'",
        ),
        (
            "a in (b,",
            "unable to parse requirement: found '', expected: ',', or identifier",
        ),
        (
            "a in ()",
            "unable to parse requirement: values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
        ),
        (
            "a=(b)",
            "unable to parse requirement: found '(', expected: identifier",
        ),
        ("a@b=c", &bad_key),
        ("a=b/c", &bad_value),
    ] {
        let error = LabelSelector::parse(text).unwrap_err();
        assert_eq!(error.to_string(), message, "{text}");
    }
}

#[test]
fn label_selector_objects_match_labels() {
    for (selector, labels, expected) in [
        (json!({}), json!({}), true),
        (json!(null), json!({}), false),
        (
            json!({"matchLabels": {"a": "1"}}),
            json!({"a": "1", "b": "2"}),
            true,
        ),
        (
            json!({"matchLabels": {"a": "1", "b": "1"}}),
            json!({"a": "1", "b": "2"}),
            false,
        ),
        (
            json!({"matchExpressions": [{"key": "a", "operator": "In", "values": ["1", "2"]}]}),
            json!({"a": "2"}),
            true,
        ),
        (
            json!({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["1"]}]}),
            json!({}),
            true,
        ),
        (
            json!({"matchExpressions": [{"key": "a", "operator": "Exists"}]}),
            json!({}),
            false,
        ),
        (
            json!({"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}),
            json!({}),
            true,
        ),
    ] {
        let parsed = LabelSelector::from_object(Some(&selector)).unwrap();
        assert_eq!(
            selects(&parsed, &labels),
            expected,
            "{selector} on {labels}"
        );
    }
    assert!(LabelSelector::from_object(None).unwrap().is_nothing());
    let parsed = LabelSelector::from_labels(Some(&json!({"b": "1", "a": "2"}))).unwrap();
    assert_eq!(parsed.to_string(), "a=2,b=1");
    assert!(LabelSelector::from_labels(None).unwrap().is_everything());
    let object = json!({"matchLabels": {"x": "1"}, "matchExpressions": [{"key": "a", "operator": "In", "values": ["q"]}]});
    let parsed = LabelSelector::from_object(Some(&object)).unwrap();
    assert_eq!(parsed.to_string(), "a in (q),x=1");
    let bad = json!({"matchExpressions": [{"key": "a", "operator": "X"}]});
    let error = LabelSelector::from_object(Some(&bad)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "\"X\" is not a valid label selector operator"
    );
}

#[test]
fn label_selector_objects_are_validated_like_the_api_server() {
    use ProblemReason::{Forbidden, Invalid, Required};
    for (selector, reason, field, message) in [
        (
            json!({"matchExpressions": [{"key": "app", "operator": "X", "values": ["a"]}]}),
            Invalid,
            "matchExpressions[0].operator",
            "Invalid value: \"X\": not a valid selector operator",
        ),
        (
            json!({"matchExpressions": [{"key": "app", "operator": "In", "values": []}]}),
            Required,
            "matchExpressions[0].values",
            "Required value: must be specified when `operator` is 'In' or 'NotIn'",
        ),
        (
            json!({"matchExpressions": [{"key": "app", "operator": "Exists", "values": ["a"]}]}),
            Forbidden,
            "matchExpressions[0].values",
            "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
        (
            json!({"matchLabels": {"app": "a b"}}),
            Invalid,
            "matchLabels",
            "Invalid value: \"a b\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
        ),
        (
            json!({"matchExpressions": [{"key": "", "operator": "Exists"}]}),
            Invalid,
            "matchExpressions[0].key",
            "Invalid value: \"\": name part must be non-empty",
        ),
        (
            json!({"matchExpressions": [{"key": "a", "operator": "In", "values": ["ok", "-"]}]}),
            Invalid,
            "matchExpressions[0].values[1]",
            "Invalid value: \"-\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
        ),
    ] {
        let found = validate(&selector);
        let expected = Problem {
            reason,
            field: field.into(),
            message: message.into(),
        };
        assert_eq!(found.first(), Some(&expected), "{selector}");
    }
    assert!(validate(&json!({"matchLabels": {"a": "b"}})).is_empty());
}

#[test]
fn field_selectors_match_fields() {
    let field = |name: &str| match name {
        "metadata.name" => "web",
        "status.phase" => "Running",
        "odd" => "a,b=c\\d",
        _ => "",
    };
    for (text, expected) in [
        ("", true),
        ("metadata.name=web", true),
        ("metadata.name==web", true),
        ("metadata.name!=web", false),
        ("metadata.name=db", false),
        ("status.phase!=Pending,metadata.name=web", true),
        ("status.phase!=Running,metadata.name=web", false),
        ("spec.nodeName=", true),
        ("spec.nodeName!=", false),
        ("odd=a\\,b\\=c\\\\d", true),
        (",metadata.name=web,", true),
    ] {
        let selector = FieldSelector::parse(text).unwrap();
        assert_eq!(selector.matches(field), expected, "{text}");
        assert_eq!(FieldSelector::parse(&selector.to_string()), Ok(selector));
    }
    let selector = FieldSelector::parse("b!=1,metadata.name=x").unwrap();
    assert_eq!(selector.exact("metadata.name"), Some("x"));
    assert_eq!(selector.exact("b"), None);
    assert_eq!(
        FieldSelector::equals("metadata.name", "a,b").to_string(),
        "metadata.name=a\\,b"
    );
}

#[test]
fn invalid_field_selectors_have_the_servers_error() {
    for (text, message) in [
        ("abc", "invalid selector: 'abc'; can't understand 'abc'"),
        (
            "a=1,abc",
            "invalid selector: 'a=1,abc'; can't understand 'abc'",
        ),
        (
            "a=b=c",
            "invalid field selector: unescaped character in value: 61",
        ),
        (
            "a=b\\c",
            "invalid field selector: invalid escape sequence: \\c",
        ),
        (
            "a=b\\",
            "invalid field selector: invalid escape sequence: \\",
        ),
    ] {
        assert_eq!(FieldSelector::parse(text).unwrap_err().to_string(), message);
    }
}

proptest::proptest! {
    #[test]
    fn selectors_of_arbitrary_text_round_trip_or_fail(text in ".{0,40}", odd in "[a-c=!,()<> \\\\]{0,20}") {
        for text in [text, odd] {
            if let Ok(selector) = LabelSelector::parse(&text) {
                let printed = selector.to_string();
                proptest::prop_assert_eq!(LabelSelector::parse(&printed).map(|s| s.to_string()), Ok(printed));
            }
            if let Ok(selector) = FieldSelector::parse(&text) {
                // Terms are sorted by their text, so `==` and `=` may sort differently.
                let again = FieldSelector::parse(&selector.to_string()).unwrap();
                proptest::prop_assert_eq!(again.terms().len(), selector.terms().len());
                proptest::prop_assert_eq!(FieldSelector::parse(&again.to_string()), Ok(again));
            }
        }
    }
}

#[test]
fn selectors_in_messages_print_like_go() {
    let selector = json!({
        "matchLabels": {"b": "2", "a": "1"},
        "matchExpressions": [{"key": "tier", "operator": "In", "values": ["web", "db"]}],
    });
    assert_eq!(
        in_go(&selector),
        "&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:\
         []LabelSelectorRequirement{LabelSelectorRequirement{Key:tier,Operator:In,Values:[web db],},},}"
    );
    assert_eq!(
        in_go(&json!({})),
        "&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{},}"
    );
}
