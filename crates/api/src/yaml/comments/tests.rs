use super::*;
use crate::yaml::{Mode, parse_one, to_string};
use proptest::prelude::*;

/// Changes the value of a text and writes it again as ctl does.
fn rewritten(text: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut value = parse_one(text.as_bytes(), Mode::Strict).unwrap().unwrap();
    change(&mut value);
    let comments = extract(text.as_bytes());
    let woven = insert_comments(to_string(&value).as_bytes(), &comments).unwrap();
    String::from_utf8(woven).unwrap()
}

const FILE: &str = "\
# Head of the file.
# Second line.
apiVersion: v1 # the version
data:
  # above a
  a: \"1\"
  # above b, one
  # above b, two
  b: |
    # not a comment
    text
  c: x # behind c
  # below the data
kind: ConfigMap
list:
# above the first
- name: one # its name
  ports:
  - 80 # http
  # above 443
  - 443
- name: two
  # below two
metadata:
  name: web
# the end
";

#[test]
fn rewrite_without_a_change_preserves_all_comments() {
    assert_eq!(rewritten(FILE, |_| ()), FILE);
}

#[test]
fn comments_follow_their_keys_and_items() {
    let text = rewritten(FILE, |value| {
        let list = value["list"].as_array_mut().unwrap();
        let mut three = list[1].clone();
        three["name"] = "zero".into();
        list.insert(0, three);
        value["data"]["aa"] = "new".into();
        value["data"].as_object_mut().unwrap().remove("b");
    });
    assert_eq!(
        text,
        "\
# Head of the file.
# Second line.
apiVersion: v1 # the version
data:
  # above a
  a: \"1\"
  aa: new
  c: x # behind c
  # below the data
kind: ConfigMap
list:
- name: zero
# above the first
- name: one # its name
  ports:
  - 80 # http
  # above 443
  - 443
- name: two
  # below two
metadata:
  name: web
# the end
"
    );
}

#[test]
fn item_comment_survives_a_change_but_not_removal() {
    let text = "args:\n- a\n# about b\n- b\n- c\n";
    let changed = rewritten(text, |v| v["args"][1] = "B".into());
    assert_eq!(changed, "args:\n- a\n# about b\n- B\n- c\n");
    let removed = rewritten(text, |v| drop(v["args"].as_array_mut().unwrap().remove(1)));
    assert_eq!(removed, "args:\n- a\n- c\n");
    let moved = rewritten(text, |v| drop(v["args"].as_array_mut().unwrap().remove(0)));
    assert_eq!(moved, "args:\n# about b\n- b\n- c\n");
}

#[test]
fn comments_survive_reformatting_of_other_yaml_styles() {
    for (text, expected) in [
        (
            "# head\n---\n# also\na: {b: 1, # one\n  c: 2} # two\n",
            "# head\n# also\na:\n  b: 1 # one\n  c: 2 # two\n",
        ),
        ("a:\n  - x\n  # of z\n  - z\n", "a:\n- x\n# of z\n- z\n"),
        ("a: 1\n---\n# tail\n", "a: 1\n# tail\n"),
        ("a: > # folded\n  x\n  y\n", "a: | # folded\n  x y\n"),
        ("a:\n  # inner\n  \"b\" # deep\n", "a: b # deep\n# inner\n"),
        ("a: 1 # x\r\nb: 2\r\n", "a: 1 # x\nb: 2\n"),
        ("\u{feff}# bom\na: 1\n", "# bom\na: 1\n"),
        ("a: 'x # no comment'\n", "a: 'x # no comment'\n"),
        ("{\"a\": \"# none\"}", "a: '# none'\n"),
    ] {
        assert_eq!(rewritten(text, |_| ()), expected, "{text:?}");
    }
}

#[test]
fn comment_after_wrapped_string_moves_to_last_line() {
    let long = "word ".repeat(40);
    let text = format!("a: {} # behind\nb: 1 # one\n", long.trim_end());
    let woven = rewritten(&text, |_| ());
    assert!(
        woven.lines().count() > 3 && woven.contains("word # behind\nb: 1 # one\n"),
        "{woven}"
    );
    assert_eq!(rewritten(&woven, |_| ()), woven);
}

fn tree() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        (0..3i32).prop_map(Value::from),
        "(\\PC|[ \n#:-]){0,90}".prop_map(|text| Value::from(text.as_str())),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            proptest::collection::btree_map("[a-d]", inner.clone(), 0..4)
                .prop_map(|m| Value::Object(m.into_iter().collect())),
            proptest::collection::vec(inner, 0..4).prop_map(|items| Value::Array(items.into())),
        ]
    })
}

fn document() -> impl Strategy<Value = Value> {
    proptest::collection::btree_map("[a-d]", tree(), 1..4)
        .prop_map(|m| Value::Object(m.into_iter().collect()))
}

proptest! {
    #[test]
    fn inserted_comments_do_not_change_the_value(
        value in document(),
        other in document(),
        places in proptest::collection::vec((any::<prop::sample::Index>(), 0..6usize, any::<bool>()), 0..6),
    ) {
        let text = to_string(&value);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for (number, (at, indent, alone)) in places.iter().enumerate() {
            let at = at.index(lines.len());
            if *alone {
                lines.insert(at, format!("{}# c{number}", " ".repeat(*indent)));
            } else {
                lines[at].push_str(&format!(" # c{number}"));
            }
        }
        let commented = lines.join("\n") + "\n";
        // A generated comment line may become part of a string, or make the text invalid.
        prop_assume!(parse_one(commented.as_bytes(), Mode::Strict) == Ok(Some(value.clone())));
        let comments = extract(commented.as_bytes());
        let woven = insert_comments(text.as_bytes(), &comments);
        prop_assert!(woven.is_some(), "{commented}");
        let woven = woven.unwrap();
        prop_assert_eq!(parse_one(&woven, Mode::Strict), Ok(Some(value.clone())));
        let again = insert_comments(text.as_bytes(), &extract(&woven)).unwrap();
        prop_assert_eq!(String::from_utf8(again).unwrap(), String::from_utf8(woven).unwrap());
        let elsewhere = to_string(&other);
        let woven = insert_comments(elsewhere.as_bytes(), &comments);
        prop_assert!(woven.is_some(), "{elsewhere}");
        prop_assert_eq!(parse_one(&woven.unwrap(), Mode::Strict), Ok(Some(other)));
    }

    #[test]
    fn comment_extraction_from_arbitrary_text_does_not_panic(text in "(\\PC|[#:\n -]){0,200}") {
        extract(text.as_bytes());
    }
}
