//! Validates the schedules of CronJobs, with the errors of the parser that the API server uses.

/// The values that one field of a schedule may have.
struct Field {
    low: u32,
    high: u32,
    /// The names of the values from 0 on; empty if only numbers are allowed.
    names: &'static [&'static str],
}

impl Field {
    const fn new(low: u32, high: u32, names: &'static [&'static str]) -> Self {
        Self { low, high, names }
    }
}

/// Minute, hour, day of the month, month and day of the week.
const FIELDS: [Field; 5] = [
    Field::new(0, 59, &[]),
    Field::new(0, 23, &[]),
    Field::new(1, 31, &[]),
    Field::new(1, 12, MONTHS),
    // Unlike many cron implementations, the API server's parser does not accept 7 for Sunday.
    Field::new(0, 6, DAYS),
];
const MONTHS: &[&str] = &[
    // The index of a name is its value, and months start at 1.
    "", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];
const DAYS: &[&str] = &["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const DESCRIPTORS: &[&str] = &[
    "@yearly",
    "@annually",
    "@monthly",
    "@weekly",
    "@daily",
    "@midnight",
    "@hourly",
];

/// Checks a schedule.
///
/// # Errors
/// Returns the reason why the schedule cannot be parsed.
pub fn check(schedule: &str) -> Result<(), String> {
    if schedule.is_empty() {
        return Err("empty spec string".to_owned());
    }
    let mut rest = schedule;
    if rest.starts_with("TZ=") || rest.starts_with("CRON_TZ=") {
        // The time zone is not resolved: CronJobs reject a zone in the schedule anyway, in favor of the field
        // `timeZone`.
        rest = rest.split_once(' ').map_or("", |(_, rest)| rest).trim();
    }
    if rest.starts_with('@') {
        return descriptor(rest);
    }
    let fields: Vec<&str> = rest.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        return Err(format!(
            "expected exactly 5 fields, found {}: [{}]",
            fields.len(),
            fields.join(" ")
        ));
    }
    for (text, field) in fields.iter().zip(&FIELDS) {
        // Go's `FieldsFunc` drops empty parts, so `1,,2` and a trailing comma are valid.
        for part in text.split(',').filter(|part| !part.is_empty()) {
            range(part, field)?;
        }
    }
    Ok(())
}

fn descriptor(text: &str) -> Result<(), String> {
    if DESCRIPTORS.contains(&text) {
        return Ok(());
    }
    let Some(duration) = text.strip_prefix("@every ") else {
        return Err(format!("unrecognized descriptor: {text}"));
    };
    if is_duration(duration) {
        return Ok(());
    }
    Err(format!(
        "failed to parse duration {text}: time: invalid duration \"{duration}\""
    ))
}

/// Returns true if Go can parse the text as a duration, such as `1h30m`.
fn is_duration(text: &str) -> bool {
    let mut rest = text.trim_start_matches(['-', '+']);
    if rest == "0" {
        return true;
    }
    let mut parts = 0;
    while !rest.is_empty() {
        let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let unit = ["ns", "us", "µs", "ms", "s", "m", "h"]
            .iter()
            .filter(|unit| digits.starts_with(**unit))
            // The longest unit wins: `ms` also starts with `m`.
            .max_by_key(|unit| unit.len());
        match unit {
            Some(unit) if digits.len() < rest.len() => rest = &digits[unit.len()..],
            _ => return false,
        }
        parts += 1;
    }
    parts > 0
}

fn range(text: &str, field: &Field) -> Result<(), String> {
    let &Field { low, high, names } = field;
    let mut slashes = text.split('/');
    let span = slashes.next().unwrap_or("");
    let mut hyphens = span.split('-');
    let (first, last) = (hyphens.next().unwrap_or(""), hyphens.next());
    // Like the API server's parser, ignore a bound after `*-`.
    let (start, mut end) = if matches!(first, "*" | "?") {
        (low, high)
    } else {
        let start = number(first, names)?;
        let end = match (last, hyphens.next()) {
            (None, _) => start,
            (Some(last), None) => number(last, names)?,
            (Some(_), Some(_)) => return Err(format!("too many hyphens: {text}")),
        };
        (start, end)
    };
    let step = match (slashes.next(), slashes.next()) {
        (None, _) => 1,
        (Some(step), None) => {
            let step = plain_number(step)?;
            if last.is_none() {
                // `5/15` means every 15 from 5 to the end of the range.
                end = high;
            }
            step
        }
        (Some(_), Some(_)) => return Err(format!("too many slashes: {text}")),
    };
    if start < low {
        return Err(format!(
            "beginning of range ({start}) below minimum ({low}): {text}"
        ));
    }
    if end > high {
        return Err(format!(
            "end of range ({end}) above maximum ({high}): {text}"
        ));
    }
    if start > end {
        return Err(format!(
            "beginning of range ({start}) beyond end of range ({end}): {text}"
        ));
    }
    match step {
        0 => Err(format!("step of range should be a positive number: {text}")),
        _ => Ok(()),
    }
}

fn number(text: &str, names: &[&str]) -> Result<u32, String> {
    let lower = text.to_lowercase();
    let named = names
        .iter()
        .position(|name| !name.is_empty() && *name == lower);
    match named.and_then(|at| u32::try_from(at).ok()) {
        Some(number) => Ok(number),
        None => plain_number(text),
    }
}

fn plain_number(text: &str) -> Result<u32, String> {
    let number: i64 = text.parse().map_err(|_| {
        format!("failed to parse int from {text}: strconv.Atoi: parsing \"{text}\": invalid syntax")
    })?;
    u32::try_from(number).map_err(|_| format!("negative number ({number}) not allowed: {text}"))
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn schedules_are_read_as_the_server_reads_them() {
        for schedule in [
            "*/5 * * * *",
            "0 0 31 2 *",
            "@hourly",
            "@every 1h30m",
            "0-30/5 1,2 ? jan-mar MON",
            "5/15 * * * *",
            "TZ=UTC * * * * *",
        ] {
            assert_eq!(check(schedule), Ok(()), "{schedule}");
        }
        for (schedule, why) in [
            ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
            ("61 * * * *", "end of range (61) above maximum (59): 61"),
            ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
            (
                "@every x",
                "failed to parse duration @every x: time: invalid duration \"x\"",
            ),
        ] {
            assert_eq!(check(schedule), Err(why.to_owned()), "{schedule}");
        }
    }
}
