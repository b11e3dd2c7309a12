//! Fields that hold a number or a string, usually a percentage: `3`, `"25%"`.

use crate::json::Value;

/// A number or a string.
///
/// ```
/// use ctl_api::int_or_percent::IntOrPercent;
/// use ctl_api::json::json;
///
/// let surge = json!("25%");
/// let surge = IntOrPercent::from_value(&surge).unwrap();
/// assert_eq!(surge.scaled(10, true), Some(3));
/// assert_eq!(surge.scaled(10, false), Some(2));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntOrPercent<'a> {
    /// A plain number.
    Int(i64),
    /// A string: a percentage or a port name.
    Text(&'a str),
}

impl<'a> IntOrPercent<'a> {
    /// Reads a number or a string; returns `None` for any other value.
    pub fn from_value(value: &'a Value) -> Option<Self> {
        match value {
            Value::Number(number) => number.as_i64().map(Self::Int),
            Value::String(text) => Some(Self::Text(text)),
            _ => None,
        }
    }

    /// Returns the percentage if the string consists of digits and a percent sign.
    pub fn percent(&self) -> Option<i64> {
        let Self::Text(text) = self else { return None };
        let digits = text.strip_suffix('%')?;
        let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        // A number too large for an `i64` is still a percentage.
        plain.then(|| digits.parse().unwrap_or(i64::MAX))
    }

    /// Returns the number, or the percentage of `total`, rounded up or down. Returns `None` for any other string.
    pub fn scaled(&self, total: i64, round_up: bool) -> Option<i64> {
        let Self::Int(number) = self else {
            // Multiplies before dividing, as `GetScaledValueFromIntOrPercent` does: 33% of 10 is 3.3 rather than 0.
            let product = self.percent()?.checked_mul(total)?;
            let up = i64::from(round_up && product % 100 != 0);
            return Some(product / 100 + up);
        };
        Some(*number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json;

    #[test]
    fn percentages_scale_up_and_down() {
        let quarter = json!("25%");
        let quarter = IntOrPercent::from_value(&quarter).unwrap();
        assert_eq!(quarter.scaled(10, true), Some(3));
        assert_eq!(quarter.scaled(10, false), Some(2));
        assert_eq!(IntOrPercent::Int(4).scaled(10, true), Some(4));
        for text in ["10", "abc%", "%", "-1%"] {
            assert_eq!(IntOrPercent::Text(text).scaled(10, true), None, "{text}");
        }
    }
}
