//! The query of a URL.

use crate::api::status::{Cause, CauseReason, Status};
use crate::cluster::{FieldValidation, WriteOptions};
use crate::kinds::admission::User;

/// The options of a query, in their original order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    pub(super) fn parse(text: &str) -> Self {
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            // `?watch` has the same effect as `?watch=true`: Go's parser returns an empty value for it, and `flag`
            // accepts that.
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        });
        Self(pairs.collect())
    }

    /// Sets an option, replacing all options of this name.
    pub(super) fn set(&mut self, name: &str, value: String) {
        self.0.retain(|(own, _)| own != name);
        self.0.push((name.to_owned(), value));
    }

    /// Returns an option; empty if it is missing.
    pub(super) fn text(&self, name: &str) -> &str {
        self.opt(name).unwrap_or_default()
    }

    pub(super) fn opt(&self, name: &str) -> Option<&str> {
        let pair = self.0.iter().find(|(own, _)| own == name);
        pair.map(|(_, value)| value.as_str())
    }

    pub(super) fn all(&self, name: &str) -> Vec<&str> {
        let pairs = self.0.iter().filter(|(own, _)| own == name);
        pairs.map(|(_, value)| value.as_str()).collect()
    }

    /// Returns true if a boolean option is present and not `false` or `0`.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.opt(name)
            // As apimachinery converts a `[]string` to a bool.
            .is_some_and(|value| value != "0" && !value.eq_ignore_ascii_case("false"))
    }

    /// Returns a numeric option.
    ///
    /// # Errors
    /// Returns the API server's 400 if the option is not a number.
    pub(super) fn number(&self, name: &str) -> Result<Option<i64>, Status> {
        let parse = |text: &str| {
            // The message of Go's parser, because clients print it.
            text.parse::<i64>().map_err(|e| {
                let why = match e.kind() {
                    std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => {
                        "value out of range"
                    }
                    _ => "invalid syntax",
                };
                Status::bad_request(format!("strconv.ParseInt: parsing {text:?}: {why}"))
            })
        };
        self.opt(name)
            // An empty value (`limit=`) is equivalent to a missing option.
            .filter(|text| !text.is_empty())
            .map(parse)
            .transpose()
    }

    /// Returns the options of a write; `options` is the kind of the options, such as `CreateOptions`.
    ///
    /// # Errors
    /// Returns the API server's 422 if an option is invalid.
    pub(super) fn write_options(&self, options: &str, user: &User) -> Result<WriteOptions, Status> {
        let mut causes = Vec::new();
        causes.extend(dry_run_cause(&self.all("dryRun")));
        let validation = self.text("fieldValidation");
        let field_validation = match validation {
            "Strict" => FieldValidation::Strict,
            "Ignore" => FieldValidation::Ignore,
            // An unknown value is an error, which is added below; the default is only a placeholder.
            _ => FieldValidation::Warn,
        };
        if !matches!(validation, "" | "Ignore" | "Strict" | "Warn") {
            causes.push(Cause {
                reason: CauseReason::NotSupported,
                field: "fieldValidation".to_owned(),
                message: format!(
                    "Unsupported value: {validation:?}: supported values: \"\", \"Ignore\", \
                     \"Strict\", \"Warn\""
                ),
            });
        }
        if !causes.is_empty() {
            return Err(Status::invalid("meta.k8s.io", options, "", causes));
        }
        Ok(WriteOptions {
            dry_run: !self.all("dryRun").is_empty(),
            field_validation,
            field_manager: self.text("fieldManager").to_owned(),
            user: user.clone(),
            ..WriteOptions::default()
        })
    }
}

/// Returns the error for invalid values of `dryRun`.
pub(super) fn dry_run_cause(values: &[&str]) -> Option<Cause> {
    let wrong = values.iter().any(|value| *value != "All");
    wrong.then(|| Cause {
        reason: CauseReason::NotSupported,
        field: "dryRun".to_owned(),
        message: format!("Unsupported value: {values:?}: supported values: \"All\""),
    })
}

/// Decodes percent escapes and plus signs.
fn decoded(text: &str) -> String {
    // A plus sign means a space in a query, but not in a path.
    unescaped(&text.replace('+', " "))
}

/// Decodes percent escapes.
pub(super) fn unescaped(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        // A percent sign without two hexadecimal digits is kept literally rather than rejected.
        let hex = bytes
            .get(at + 1..at + 3)
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (byte, hex) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 2;
            }
            (byte, _) => out.push(*byte),
        }
        at += 1;
    }
    // Invalid UTF-8 cannot match any name, so the request gets a 404 rather than a decoding error.
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::administrator;

    #[test]
    fn query_parameters_are_parsed_and_unescaped() {
        let query = Query::parse("labelSelector=a%3Db%2Cc&limit=5&watch&x=a+b&bad=%zz&off=False");
        assert_eq!(query.text("labelSelector"), "a=b,c");
        assert_eq!(query.number("limit"), Ok(Some(5)));
        assert!(query.flag("watch") && !query.flag("off") && !query.flag("nope"));
        assert_eq!((query.text("x"), query.text("bad")), ("a b", "%zz"));
    }

    #[test]
    fn invalid_query_options_are_rejected() {
        let refused = |text: &str| {
            let query = Query::parse(text);
            query
                .write_options("CreateOptions", &administrator())
                .unwrap_err()
                .message
        };
        assert_eq!(
            refused("dryRun=Some"),
            "CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: [\"Some\"]: \
             supported values: \"All\""
        );
        assert!(refused("fieldValidation=Foo").contains("supported values: \"\", \"Ignore\""));
        let number = Query::parse("limit=x").number("limit").unwrap_err();
        assert_eq!(
            number.message,
            "strconv.ParseInt: parsing \"x\": invalid syntax"
        );
    }
}
