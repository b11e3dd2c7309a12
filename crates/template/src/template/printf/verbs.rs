//! The part of a format between `%` and the verb, and the layout of numbers.

use super::{shown, type_of};
use crate::api::go::GoValue;
use crate::template::value::{Data, Val};

/// Flags, width and precision.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spec {
    pub(super) plus: bool,
    pub(super) minus: bool,
    pub(super) sharp: bool,
    pub(super) space: bool,
    pub(super) zero: bool,
    pub(super) width: Option<usize>,
    pub(super) precision: Option<usize>,
}

/// The maximum width and precision, as in Go.
const MAX_WIDTH: usize = 1_000_000;

impl Spec {
    /// Pads the text to the width.
    pub(super) fn pad(&self, text: &str) -> String {
        let fill = self.width.unwrap_or(0).saturating_sub(text.chars().count());
        if self.minus {
            return text.to_owned() + &" ".repeat(fill);
        }
        let filler = if self.zero { "0" } else { " " };
        filler.repeat(fill) + text
    }

    /// Pads a number, with the sign before any zeros.
    fn pad_number(&self, sign: &str, digits: &str) -> String {
        let used = sign.len() + digits.len();
        let fill = self.width.unwrap_or(0).saturating_sub(used);
        if self.zero && !self.minus {
            return format!("{sign}{}{digits}", "0".repeat(fill));
        }
        let plain = Self {
            zero: false,
            ..*self
        };
        plain.pad(&format!("{sign}{digits}"))
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }
}

/// Formats an integer in the base of a verb.
pub(super) fn integer(number: i64, verb: char, spec: &Spec) -> String {
    let size = number.unsigned_abs();
    let digits = match verb {
        'b' => format!("{size:b}"),
        'o' | 'O' => format!("{size:o}"),
        'x' => format!("{size:x}"),
        'X' => format!("{size:X}"),
        _ => size.to_string(),
    };
    let least = spec.precision.unwrap_or(0);
    let digits = match (spec.precision, number) {
        (Some(0), 0) => String::new(),
        _ => "0".repeat(least.saturating_sub(digits.len())) + &digits,
    };
    let prefix = match (verb, spec.sharp) {
        ('O', _) => "0o",
        ('b', true) => "0b",
        ('o', true) if !digits.starts_with('0') => "0",
        ('x', true) => "0x",
        ('X', true) => "0X",
        _ => "",
    };
    let sign = format!("{}{prefix}", spec.sign(number < 0));
    let spec = Spec {
        zero: spec.zero && spec.precision.is_none(),
        ..*spec
    };
    spec.pad_number(&sign, &digits)
}

/// Formats a float by its verb.
pub(super) fn float(number: f64, verb: char, spec: &Spec) -> Option<String> {
    let size = number.abs();
    let precision = spec.precision.unwrap_or(6);
    let digits = match (verb, spec.precision) {
        ('e' | 'E', _) => exponential(size, precision),
        ('f' | 'F', _) => format!("{size:.precision$}"),
        ('g' | 'G' | 'v', None) => GoValue(&crate::api::json::Value::from(size)).to_string(),
        ('g' | 'G' | 'v', Some(precision)) => general(size, precision.max(1)),
        _ => return None,
    };
    let digits = if verb.is_ascii_uppercase() {
        digits.to_uppercase()
    } else {
        digits
    };
    Some(spec.pad_number(spec.sign(number < 0.0), &digits))
}

/// Formats a number in exponent notation, such as `1.5e+06`.
fn exponential(size: f64, precision: usize) -> String {
    let text = format!("{size:.precision$e}");
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, power) = match power.strip_prefix('-') {
        Some(power) => ('-', power),
        None => ('+', power),
    };
    format!("{digits}e{sign}{power:0>2}")
}

/// Formats a number in the shorter notation with this precision, without trailing zeros.
fn general(size: f64, precision: usize) -> String {
    let text = exponential(size, precision - 1);
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i64 = power.parse().unwrap_or(0);
    let trimmed = |digits: &str| match digits.contains('.') {
        true => digits
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned(),
        false => digits.to_owned(),
    };
    let least = i64::try_from(precision).unwrap_or(i64::MAX);
    if exponent < -4 || exponent >= least {
        return format!("{}e{power}", trimmed(digits));
    }
    let places = usize::try_from(least - 1 - exponent).unwrap_or(0);
    trimmed(&format!("{size:.places$}"))
}

/// Formats values by a format string.
pub(super) fn format(format: &str, args: &[Val<'_>]) -> String {
    let mut writer = Writer {
        rest: format,
        args,
        next: 0,
        reordered: false,
        good_index: true,
        out: String::new(),
    };
    while let Some((before, rest)) = writer.rest.split_once('%') {
        writer.out.push_str(before);
        writer.rest = rest;
        writer.verb();
    }
    writer.out.push_str(writer.rest);
    if !writer.reordered && writer.next < args.len() {
        let extra = args[writer.next..].iter().map(|arg| match type_of(arg) {
            "<nil>" => "<nil>".to_owned(),
            name => format!("{name}={}", super::plain(arg)),
        });
        let extra: Vec<String> = extra.collect();
        writer
            .out
            .push_str(&format!("%!(EXTRA {})", extra.join(", ")));
    }
    writer.out
}

struct Writer<'f, 'v> {
    rest: &'f str,
    args: &'f [Val<'v>],
    next: usize,
    /// True if arguments were selected by number.
    reordered: bool,
    good_index: bool,
    out: String,
}

impl Writer<'_, '_> {
    fn take(&mut self, wanted: char) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn number(&mut self) -> Option<usize> {
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        digits.parse().ok().filter(|number| *number <= MAX_WIDTH)
    }

    /// Parses the number of the next argument, such as `[2]`.
    fn index(&mut self) {
        if !self.rest.starts_with('[') {
            return;
        }
        self.reordered = true;
        let Some((inside, rest)) = self.rest[1..].split_once(']') else {
            self.good_index = false;
            self.rest = &self.rest[1..];
            return;
        };
        self.rest = rest;
        match inside.parse::<usize>() {
            Ok(number) if (1..=self.args.len()).contains(&number) => self.next = number - 1,
            _ => self.good_index = false,
        }
    }

    /// Returns a width or precision that is given as an argument.
    fn star(&mut self) -> Option<i64> {
        let arg = self.args.get(self.next);
        self.next += usize::from(arg.is_some());
        match arg.map(|arg| &arg.data) {
            Some(Data::Int(number, _)) if number.unsigned_abs() <= MAX_WIDTH as u64 => {
                Some(*number)
            }
            _ => None,
        }
    }

    fn flags(&mut self) -> Spec {
        let mut spec = Spec::default();
        loop {
            match () {
                () if self.take('#') => spec.sharp = true,
                () if self.take('0') => spec.zero = true,
                () if self.take('+') => spec.plus = true,
                () if self.take('-') => spec.minus = true,
                () if self.take(' ') => spec.space = true,
                () => return spec,
            }
        }
    }

    fn verb(&mut self) {
        let mut spec = self.flags();
        self.good_index = true;
        self.index();
        if self.take('*') {
            match self.star() {
                None => self.out.push_str("%!(BADWIDTH)"),
                Some(width) => {
                    spec.minus |= width < 0;
                    spec.width = usize::try_from(width.unsigned_abs()).ok();
                }
            }
        } else {
            spec.width = self.number();
        }
        if self.take('.') {
            self.index();
            if self.take('*') {
                match self.star().map(usize::try_from) {
                    Some(Ok(precision)) => spec.precision = Some(precision),
                    Some(Err(_)) => {}
                    None => self.out.push_str("%!(BADPREC)"),
                }
            } else {
                spec.precision = Some(self.number().unwrap_or(0));
            }
        }
        self.index();
        let mut chars = self.rest.chars();
        let Some(verb) = chars.next() else {
            return self.out.push_str("%!(NOVERB)");
        };
        self.rest = chars.as_str();
        self.write(verb, &spec);
    }

    fn write(&mut self, verb: char, spec: &Spec) {
        if verb == '%' {
            return self.out.push('%');
        }
        if !self.good_index {
            return self.out.push_str(&format!("%!{verb}(BADINDEX)"));
        }
        let Some(arg) = self.args.get(self.next) else {
            return self.out.push_str(&format!("%!{verb}(MISSING)"));
        };
        self.next += 1;
        match verb {
            'T' => self.out.push_str(&spec.pad(type_of(arg))),
            // Only pointers have addresses.
            'p' => self.out.push_str(&match type_of(arg) {
                "<nil>" => "%!p(<nil>)".to_owned(),
                name => format!("%!p({name}={})", super::plain(arg)),
            }),
            'w' => self.out.push_str(&shown(arg, 'w', spec)),
            verb => {
                // For plain values, `%+v` is the same as `%v`.
                let plus = spec.plus && verb != 'v';
                self.out
                    .push_str(&shown(arg, verb, &Spec { plus, ..*spec }));
            }
        }
    }
}
