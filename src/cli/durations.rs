//! Parses durations in flags and arguments.

use jiff::SignedDuration;

/// Parses a duration.
pub(crate) fn duration(text: &str) -> Result<SignedDuration, String> {
    crate::api::duration::parse(text)
        .ok_or_else(|| format!("{text:?} is not a duration such as 90s, 10m, 1h30m or 3d"))
}

/// Parses a duration that is not negative.
pub(crate) fn span(text: &str) -> Result<SignedDuration, String> {
    match duration(text)? {
        back if back.is_negative() => Err("must not be negative".to_owned()),
        span => Ok(span),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_a_duration_that_is_not_negative() {
        assert_eq!(duration("3d").unwrap().as_hours(), 72);
        assert!(duration("-5s").is_ok() && duration("soon").is_err());
        assert!(span("-5s").is_err() && span("0").is_ok());
    }
}
