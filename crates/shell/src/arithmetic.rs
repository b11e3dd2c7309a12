//! Arithmetic in `$((...))`: integers with the operators of C.

/// The binary operators by precedence, the lowest first. Longer operators precede their prefixes.
const OPERATORS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Evaluates an expression; `variable` returns the value of a variable.
///
/// # Errors
/// Returns a shell's error message.
pub(crate) fn evaluate(text: &str, variable: &dyn Fn(&str) -> String) -> Result<i64, String> {
    let mut expression = Expression {
        rest: text,
        variable,
        depth: 0,
    };
    let value = expression.choice()?;
    match expression.rest.trim_start() {
        "" => Ok(value),
        _ => Err(wrong()),
    }
}

/// The maximum nesting depth of an expression, because each level uses the stack.
const DEEPEST: usize = 50;

struct Expression<'a> {
    rest: &'a str,
    variable: &'a dyn Fn(&str) -> String,
    depth: usize,
}

fn wrong() -> String {
    "arithmetic syntax error".to_owned()
}

impl Expression<'_> {
    fn takes(&mut self, operator: &str) -> bool {
        let rest = self.rest.trim_start();
        let Some(after) = rest.strip_prefix(operator) else {
            return false;
        };
        // The start of a longer operator is not this one.
        let is_longer = match operator {
            "|" => after.starts_with('|'),
            "&" => after.starts_with('&'),
            "<" | ">" => after.starts_with(operator),
            "!" => after.starts_with('='),
            _ => false,
        };
        if !is_longer {
            self.rest = after;
        }
        !is_longer
    }

    /// Evaluates `CONDITION ? VALUE : VALUE`.
    fn choice(&mut self) -> Result<i64, String> {
        self.deeper()?;
        let mut value = self.binary(0)?;
        if self.takes("?") {
            let yes = self.choice()?;
            if !self.takes(":") {
                return Err(wrong());
            }
            let no = self.choice()?;
            value = if value != 0 { yes } else { no };
        }
        self.depth -= 1;
        Ok(value)
    }

    /// Evaluates binary operators of at least this precedence, from left to right.
    fn binary(&mut self, precedence: usize) -> Result<i64, String> {
        let Some(operators) = OPERATORS.get(precedence) else {
            return self.unary();
        };
        let mut value = self.binary(precedence + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.takes(operator)) {
            let other = self.binary(precedence + 1)?;
            value = apply(operator, value, other)?;
        }
        Ok(value)
    }

    fn unary(&mut self) -> Result<i64, String> {
        self.deeper()?;
        let value = if self.takes("!") {
            i64::from(self.unary()? == 0)
        } else if self.takes("~") {
            !self.unary()?
        } else if self.takes("-") {
            self.unary()?.wrapping_neg()
        } else if self.takes("+") {
            self.unary()?
        } else if self.takes("(") {
            let value = self.choice()?;
            if !self.takes(")") {
                return Err(wrong());
            }
            value
        } else {
            self.operand()?
        };
        self.depth -= 1;
        Ok(value)
    }

    /// Enters another nesting level.
    fn deeper(&mut self) -> Result<(), String> {
        self.depth += 1;
        match self.depth > DEEPEST {
            true => Err(wrong()),
            false => Ok(()),
        }
    }

    /// Evaluates a number or a variable.
    fn operand(&mut self) -> Result<i64, String> {
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        self.rest = after;
        match word.chars().next() {
            None => Err(wrong()),
            Some('0'..='9') => number(word),
            Some(_) => match (self.variable)(word).trim() {
                // An unset variable counts as 0.
                "" => Ok(0),
                value => match value.strip_prefix('-') {
                    Some(value) => Ok(number(value)?.wrapping_neg()),
                    None => number(value),
                },
            },
        }
    }
}

/// Parses a decimal, octal or hexadecimal number.
fn number(text: &str) -> Result<i64, String> {
    let hexadecimal = text.strip_prefix("0x").or(text.strip_prefix("0X"));
    let value = match (hexadecimal, text.strip_prefix('0')) {
        (Some(digits), _) => i64::from_str_radix(digits, 16),
        (None, Some(digits)) if !digits.is_empty() => i64::from_str_radix(digits, 8),
        _ => text.parse(),
    };
    value.map_err(|_| wrong())
}

fn apply(operator: &str, a: i64, b: i64) -> Result<i64, String> {
    // Like a processor, shifts by the lowest six bits only.
    let shift = u32::try_from(b & 63).unwrap_or_default();
    Ok(match operator {
        "||" => (a != 0 || b != 0).into(),
        "&&" => (a != 0 && b != 0).into(),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" => (a == b).into(),
        "!=" => (a != b).into(),
        "<=" => (a <= b).into(),
        ">=" => (a >= b).into(),
        "<" => (a < b).into(),
        ">" => (a > b).into(),
        "<<" => a.wrapping_shl(shift),
        ">>" => a.wrapping_shr(shift),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        _ if b == 0 => return Err("divide by zero".to_owned()),
        "/" => a.wrapping_div(b),
        _ => a.wrapping_rem(b),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_have_the_values_of_c() {
        let variable = |name: &str| match name {
            "i" => "7".to_owned(),
            "minus" => "-3".to_owned(),
            "text" => "abc".to_owned(),
            _ => String::new(),
        };
        let wrong = Err(wrong());
        for (text, value) in [
            ("1 + 2 * 3", Ok(7)),
            ("(1+2)*3", Ok(9)),
            ("10 - 3 - 2", Ok(5)),
            ("i % 4 + minus", Ok(0)),
            ("i > 6 && i <= 7", Ok(1)),
            ("i == 7 ? 10 : 20", Ok(10)),
            ("i != 7 || unset", Ok(0)),
            ("1 << 4 | 3", Ok(19)),
            ("-2 - -3", Ok(1)),
            ("!0 + ~0", Ok(0)),
            ("0x10 + 010", Ok(24)),
            ("9223372036854775807 + 1", Ok(i64::MIN)),
            ("1 / 0", Err("divide by zero".to_owned())),
            ("1 +", wrong.clone()),
            ("1 2", wrong.clone()),
            ("(1", wrong.clone()),
            ("08", wrong.clone()),
            ("text", wrong.clone()),
            ("", wrong.clone()),
        ] {
            assert_eq!(evaluate(text, &variable), value, "{text}");
        }
        for deep in ["(", "-", "1?1:"] {
            assert_eq!(evaluate(&deep.repeat(100_000), &variable), wrong, "{deep}");
        }
    }
}
