//! Writes JSON text as YAML without building a tree.

use std::borrow::Cow;

use super::{Emitter, Place, order};
use crate::json::{Number, Scanner, is_short_integer};

/// A change to one object within a JSON object.
///
/// See [`transcribe`] for an example.
#[derive(Clone, Copy, Debug)]
pub struct Change<'t> {
    /// The member of the whole object that is changed, if it is an object.
    pub object: &'t str,
    /// The name of the member that is left out.
    pub omitted: &'t str,
    /// The name of the member that is set.
    pub name: &'t str,
    /// The text that this member gets.
    pub text: &'t str,
}

/// Appends a JSON object as a YAML document with a change. Returns false if only the tree can tell the result, for
/// example if names are not in order; in this case, `out` contains the beginning of a document.
///
/// ```
/// use ctl_api::yaml::{Change, transcribe};
///
/// let json = br#"{"kind":"Pod","metadata":{"managedFields":[],"name":"web"}}"#;
/// let change = Change {
///     object: "metadata",
///     omitted: "managedFields",
///     name: "resourceVersion",
///     text: "7",
/// };
/// let mut out = Vec::new();
/// assert!(transcribe(json, change, &mut out));
/// assert_eq!(out, b"kind: Pod\nmetadata:\n  name: web\n  resourceVersion: \"7\"\n");
/// ```
pub fn transcribe(json: &[u8], change: Change<'_>, out: &mut Vec<u8>) -> bool {
    let document = |scan| {
        let emitter = Emitter::new(out);
        Transcriber { scan, emitter }.document(change)
    };
    Scanner::new(json).and_then(document).is_some()
}

/// The maps that a change treats differently.
#[derive(Clone, Copy)]
enum Level<'t> {
    Root(Change<'t>),
    Changed(Change<'t>),
    Other,
}

/// A position in the JSON text, and the YAML written so far. Methods return `None` at anything unusual.
struct Transcriber<'t, 'o> {
    scan: Scanner<'t>,
    emitter: Emitter<'o>,
}

impl<'t> Transcriber<'t, '_> {
    fn document(&mut self, change: Change<'t>) -> Option<()> {
        if self.scan.peek()? != b'{' {
            return None;
        }
        self.map(Place::Root, Level::Root(change))?;
        self.emitter.end();
        self.scan.peek().is_none().then_some(())
    }

    fn value(&mut self, place: Place, level: Level<'t>) -> Option<()> {
        let word = match self.scan.peek()? {
            b'"' => {
                let text = self.scan.string()?;
                self.emitter.text(&text, place);
                return Some(());
            }
            b'{' => return self.map(place, level),
            b'[' => return self.list(place),
            b't' => "true",
            b'f' => "false",
            b'n' => "null",
            _ => return self.number(),
        };
        self.scan.word(word)?;
        self.emitter.word(word);
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        let text = self.scan.number();
        // The usual case: the digits are the same in both formats.
        if is_short_integer(text.as_bytes()) {
            self.emitter.word(text);
        } else {
            let number: Number = serde_json::from_str(text).ok()?;
            self.emitter.number(&number);
        }
        Some(())
    }

    fn list(&mut self, place: Place) -> Option<()> {
        self.scan.enter()?;
        let mut indent = None;
        while self.scan.has_next(b']', indent.is_none())? {
            let is_first = indent.is_none();
            let indent = *indent.get_or_insert_with(|| self.emitter.open_list(place));
            let place = self.emitter.dash(is_first, indent);
            self.value(place, Level::Other)?;
        }
        if indent.is_none() {
            self.emitter.word("[]");
        }
        Some(())
    }

    fn map(&mut self, place: Place, level: Level<'t>) -> Option<()> {
        self.scan.enter()?;
        let mut members = Members {
            place,
            indent: 0,
            last: None,
        };
        let mut set = match level {
            Level::Changed(change) => Some(change),
            _ => None,
        };
        let mut first = true;
        while self.scan.has_next(b'}', std::mem::take(&mut first))? {
            let name = self.scan.name()?;
            if let Level::Changed(change) = level {
                if name == change.omitted {
                    self.scan.pass()?;
                    continue;
                }
                if name == change.name {
                    // Any other type of value might be invalid JSON.
                    self.scan.string()?;
                    continue;
                }
            }
            if let Some(change) = set.take_if(|change| *change.name < *name) {
                self.set(&mut members, change)?;
            }
            let below = match level {
                Level::Root(change) if change.object == name => Level::Changed(change),
                _ => Level::Other,
            };
            let place = members.key(name, &mut self.emitter)?;
            self.value(place, below)?;
        }
        if let Some(change) = set {
            self.set(&mut members, change)?;
        }
        if members.last.is_none() {
            self.emitter.word("{}");
        }
        Some(())
    }

    /// Writes the member that a change sets.
    fn set(&mut self, members: &mut Members<'t>, change: Change<'t>) -> Option<()> {
        let place = members.key(change.name.into(), &mut self.emitter)?;
        self.emitter.text(change.text, place);
        Some(())
    }
}

/// The members of a map that have been written.
struct Members<'t> {
    place: Place,
    indent: usize,
    last: Option<Cow<'t, str>>,
}

impl<'t> Members<'t> {
    /// Writes the name of the next member. Returns the place of its value, or `None` if a tree has another order.
    fn key(&mut self, name: Cow<'t, str>, emitter: &mut Emitter<'_>) -> Option<Place> {
        match &self.last {
            None => self.indent = emitter.open_map(self.place),
            // Trees sort names by bytes, and YAML sorts them again in natural order.
            Some(last) if **last < *name && !order::less(&name, last) => {}
            Some(_) => return None,
        }
        let place = emitter.key(&name, self.last.is_none(), self.indent);
        self.last = Some(name);
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::{Map, Value, from_bytes, json, to_bytes};
    use crate::yaml::emit;

    /// Returns the YAML of the tree with the same changes.
    fn of_tree(json: &[u8]) -> Option<Vec<u8>> {
        let mut value = from_bytes(json, &["m", "d"]).ok()?;
        if let Some(changed) = value.get_mut("m").and_then(Value::as_object_mut) {
            changed.insert("k", json!("7"));
        }
        let mut out = Vec::new();
        emit(&value, &mut out);
        Some(out)
    }

    fn transcribed(json: &[u8]) -> Option<Vec<u8>> {
        let change = Change {
            object: "m",
            omitted: "d",
            name: "k",
            text: "7",
        };
        let mut out = Vec::new();
        transcribe(json, change, &mut out).then_some(out)
    }

    fn value() -> impl Strategy<Value = Value> {
        let text = || {
            prop_oneof![
                "[a-z]{0,3}",
                "[a-z0-9._/-]{0,12}",
                "[dkmKM]",
                "([a-z]{1,9}[ :#]{1,2}){0,20}",
                ".{0,20}",
                "[\"\\\\\n\u{1}\u{85}\tä '-]{0,12}",
                "[a-z]{126,130}",
            ]
        };
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(|f| json!(f)),
            (0u64..12).prop_map(Value::from),
            text().prop_map(|t| json!(t)),
        ];
        leaf.prop_recursive(5, 64, 8, move |inner| {
            let members = prop::collection::vec((text(), inner.clone()), 0..6);
            prop_oneof![
                prop::collection::vec(inner, 0..4).prop_map(Value::from),
                members.prop_map(|m| Value::Object(m.into_iter().collect::<Map>())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

        #[test]
        fn the_text_of_a_tree_and_of_its_json_are_equal(
            value in value(),
            m in prop::collection::vec(("[djklm]{1,2}", value()), 0..4),
            at_root in any::<bool>(),
        ) {
            let m = Value::Object(m.into_iter().collect::<Map>());
            let value = if at_root { value } else { json!({"a": value, "m": m, "z": m}) };
            for json in [to_bytes(&value, &[]), serde_json::to_vec_pretty(&value).unwrap()] {
                if let Some(text) = transcribed(&json) {
                    prop_assert_eq!(Some(text), of_tree(&json));
                }
            }
        }

        #[test]
        fn a_text_that_has_no_tree_has_no_yaml(
            text in "\\{(\"[adkmz]\":([0-9.]{1,3}|\"a\"|[{}\\[\\],\"a]{0,6}|tru|true|null),?){0,3}\\}?",
            nested in any::<bool>(),
        ) {
            let text = if nested { format!(r#"{{"m":{text}}}"#) } else { text };
            if let Some(own) = transcribed(text.as_bytes()) {
                prop_assert_eq!(Some(own), of_tree(text.as_bytes()), "{}", text);
            }
        }
    }

    #[test]
    fn usual_objects_need_no_tree() {
        for (json, is_usual) in [
            (r#"{"m":{"a":1,"d":[{"x":[]}],"k":"1","z":null}}"#, true),
            (r#"{"a":[[1,-2.50],{},[],{"b":{}}],"m":{}}"#, true),
            (r#"{"m":{"d":1}}"#, true),
            (r#"{"m":[1]}"#, true),
            (r#"{"a":"line\nline","b":"\u00e4: x"}"#, true),
            (r#"{}"#, true),
            // Natural order differs from the order of the bytes.
            (r#"{"a10":1,"a9":2}"#, false),
            (r#"{"b":1,"a":2}"#, false),
            (r#"{"a":1,"a":2}"#, false),
            (r#"{"m":{"k":1}}"#, false),
            (r#"[]"#, false),
        ] {
            let text = transcribed(json.as_bytes());
            assert_eq!(text.is_some(), is_usual, "{json}");
            assert!(!is_usual || text == of_tree(json.as_bytes()), "{json}");
        }
    }
}
