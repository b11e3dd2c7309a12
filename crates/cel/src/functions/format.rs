//! Named formats: `format.dns1123Label().validate(self)`.

use std::str::FromStr as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::url;
use crate::api::names;
use crate::value::{Outcome, Value};

const NAMES: &[&str] = &[
    "dns1123Label",
    "dns1123Subdomain",
    "dns1035Label",
    "qualifiedName",
    "dns1123LabelPrefix",
    "dns1123SubdomainPrefix",
    "dns1035LabelPrefix",
    "labelValue",
    "uri",
    "uuid",
    "byte",
    "date",
    "datetime",
];

pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    // A call without arguments returns the format as a value.
    if let (Some(format), []) = (name.strip_prefix("format."), args) {
        let known = NAMES.iter().find(|name| **name == format)?;
        return Some(Ok(Value::Format(known)));
    }
    match (name, args) {
        ("format.named", [Value::Text(format)]) => {
            let known = NAMES.iter().find(|name| **name == &**format);
            Some(Ok(known.map_or_else(Value::none, |name| {
                Value::some(Value::Format(name))
            })))
        }
        ("validate", [Value::Format(format), Value::Text(text)]) => {
            let wrong = wrong(format, text);
            Some(Ok(match wrong.is_empty() {
                true => Value::none(),
                false => {
                    let texts = wrong.into_iter().map(Value::text).collect();
                    Value::some(Value::list(texts))
                }
            }))
        }
        _ => None,
    }
}

fn wrong(format: &str, text: &str) -> Vec<String> {
    let prefix = || {
        // A prefix may end in a dash, because the API server appends a suffix.
        text.strip_suffix('-')
            .map_or(text.to_owned(), |text| format!("{text}a"))
    };
    let unless = |fits: bool, what: &str| match fits {
        true => Vec::new(),
        false => vec![what.to_owned()],
    };
    match format {
        "dns1123Label" => names::dns1123_label(text),
        "dns1123Subdomain" => names::dns1123_subdomain(text),
        "dns1035Label" => names::dns1035_label(text),
        "qualifiedName" => names::qualified_name(text),
        "dns1123LabelPrefix" => names::dns1123_label(&prefix()),
        "dns1123SubdomainPrefix" => names::dns1123_subdomain(&prefix()),
        "dns1035LabelPrefix" => names::dns1035_label(&prefix()),
        "labelValue" => names::label_value(text),
        "uri" => url::parse(text).err().into_iter().collect(),
        "uuid" => {
            // Dashes may be anywhere.
            let digits = text.chars().filter(|c| *c != '-');
            let fits =
                digits.clone().count() == 32 && digits.into_iter().all(|c| c.is_ascii_hexdigit());
            unless(fits, "does not match the UUID format")
        }
        "byte" => unless(STANDARD.decode(text).is_ok(), "invalid base64"),
        "date" => unless(jiff::civil::Date::from_str(text).is_ok(), "invalid date"),
        "datetime" => unless(jiff::Timestamp::from_str(text).is_ok(), "invalid datetime"),
        _ => Vec::new(),
    }
}
