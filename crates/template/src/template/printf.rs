//! Go's `fmt`: formats values on their own or by verbs.

mod verbs;

use super::value::{Data, Int, Val};
use crate::api::go::{escape, quoted};
use crate::template::value;
use verbs::{Spec, float, integer};

/// Formats a value as `%v` does.
pub(super) fn plain(value: &Val<'_>) -> String {
    shown(value, 'v', &Spec::default())
}

/// Joins values, with a space between two values that are not strings.
pub(super) fn print(args: &[Val<'_>]) -> String {
    let mut out = String::new();
    let is_text = |value: &Val<'_>| matches!(value.data, Data::Text(_));
    for (at, arg) in args.iter().enumerate() {
        if at > 0 && !is_text(arg) && !is_text(&args[at - 1]) {
            out.push(' ');
        }
        out.push_str(&plain(arg));
    }
    out
}

/// Joins values with spaces and appends a line break.
pub(super) fn println(args: &[Val<'_>]) -> String {
    let all: Vec<String> = args.iter().map(plain).collect();
    all.join(" ") + "\n"
}

/// Formats values by a format string.
pub(super) fn printf(args: &[Val<'_>]) -> String {
    match args.split_first().map(|(first, rest)| (&first.data, rest)) {
        Some((Data::Text(format), rest)) => verbs::format(format, rest),
        _ => String::new(),
    }
}

/// Formats a value by a verb.
fn shown(value: &Val<'_>, verb: char, spec: &Spec) -> String {
    match &value.data {
        Data::Missing | Data::Nil => match verb {
            'v' if spec.sharp => spec.pad("interface {}(nil)"),
            'v' => spec.pad("<nil>"),
            _ => format!("%!{verb}(<nil>)"),
        },
        Data::Bool(flag) if matches!(verb, 't' | 'v') => {
            spec.pad(if *flag { "true" } else { "false" })
        }
        Data::Int(number, kind) => {
            whole(*number, *kind, verb, spec).unwrap_or_else(|| bad(value, verb))
        }
        Data::Float(number) => float(*number, verb, spec).unwrap_or_else(|| bad(value, verb)),
        Data::Text(text) => words(text, verb, spec).unwrap_or_else(|| bad(value, verb)),
        Data::List(items) => {
            let items: Vec<String> = items
                .iter()
                .map(|item| shown(&Val::part(item), verb, spec))
                .collect();
            match spec.sharp && verb == 'v' {
                true => format!("[]interface {{}}{{{}}}", items.join(", ")),
                false => format!("[{}]", items.join(" ")),
            }
        }
        Data::Map(map) => {
            let entry = |(key, item): (&crate::api::json::Text, &crate::api::json::Value)| {
                let key =
                    words(key, verb, spec).unwrap_or_else(|| bad(&Val::text(key.as_str()), verb));
                format!("{key}:{}", shown(&Val::part(item), verb, spec))
            };
            let entries: Vec<String> = map.iter().map(entry).collect();
            match spec.sharp && verb == 'v' {
                true => format!("map[string]interface {{}}{{{}}}", entries.join(", ")),
                false => format!("map[{}]", entries.join(" ")),
            }
        }
        Data::Bool(_) => bad(value, verb),
    }
}

/// Returns the text for a verb that the value does not support.
fn bad(value: &Val<'_>, verb: char) -> String {
    format!("%!{verb}({}={})", value.inner_type(), plain(value))
}

fn whole(number: i64, kind: Int, verb: char, spec: &Spec) -> Option<String> {
    let character = || {
        u32::try_from(number)
            .ok()
            .and_then(char::from_u32)
            .unwrap_or('\u{fffd}')
    };
    Some(match verb {
        'v' if spec.sharp && kind == Int::Byte => integer(number, 'x', spec),
        'v' => {
            let plain = Spec {
                sharp: false,
                ..*spec
            };
            integer(number, 'd', &plain)
        }
        'd' | 'b' | 'o' | 'O' | 'x' | 'X' => integer(number, verb, spec),
        'c' => spec.pad(&character().to_string()),
        'q' => {
            let mut out = String::from("'");
            escape(&mut out, character(), '\'');
            spec.pad(&(out + "'"))
        }
        'U' => spec.pad(&match spec.sharp {
            true => format!("U+{number:04X} '{}'", character()),
            false => format!("U+{number:04X}"),
        }),
        _ => return None,
    })
}

fn words(text: &str, verb: char, spec: &Spec) -> Option<String> {
    let cut: String = match spec.precision {
        Some(most) if !matches!(verb, 'x' | 'X') => text.chars().take(most).collect(),
        _ => text.to_owned(),
    };
    Some(match verb {
        'v' if spec.sharp => spec.pad(&quoted(&cut)),
        'v' | 's' => spec.pad(&cut),
        'q' if spec.sharp && !cut.contains(|c: char| c == '`' || (c.is_control() && c != '\t')) => {
            spec.pad(&format!("`{cut}`"))
        }
        'q' => spec.pad(&quoted(&cut)),
        'x' | 'X' => {
            let bytes = text.as_bytes();
            let most = spec.precision.unwrap_or(bytes.len()).min(bytes.len());
            let separator = if spec.space { " " } else { "" };
            let prefix = match (spec.sharp, verb) {
                (false, _) => "",
                (true, 'x') => "0x",
                (true, _) => "0X",
            };
            let digits = |byte: &u8| match verb {
                'x' => format!("{byte:02x}"),
                _ => format!("{byte:02X}"),
            };
            let all: Vec<String> = bytes[..most].iter().map(digits).collect();
            let joined = match spec.space {
                true => all
                    .iter()
                    .map(|two| format!("{prefix}{two}"))
                    .collect::<Vec<_>>()
                    .join(separator),
                false if all.is_empty() => String::new(),
                false => format!("{prefix}{}", all.concat()),
            };
            spec.pad(&joined)
        }
        _ => return None,
    })
}

/// Returns the type of a value for `%T`.
fn type_of(value: &value::Val<'_>) -> &'static str {
    match value.data {
        Data::Missing | Data::Nil => "<nil>",
        _ => value.inner_type(),
    }
}
