//! Schedules: the times of five fields or of a macro, in a time zone.
//!
//! As in the parser of kube-controller-manager, the day of the month and the day of the week are alternatives unless
//! one of them is open, and a time that a clock change skips is not made up for.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan as _};

use crate::kinds::validate::cron;

/// The number of years without a match after which a schedule has none.
const YEARS: i16 = 5;

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// The times at which something is due.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Schedule {
    /// At these minutes.
    Fields(Box<Fields>),
    /// At this interval after the last time.
    Every(SignedDuration),
}

/// The values of each field as bits.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fields {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// True if the days of the month, and of the week, are left open.
    open: (bool, bool),
    zone: TimeZone,
}

impl Schedule {
    /// Reads a schedule in a time zone.
    ///
    /// # Errors
    /// The reason why it cannot be read.
    pub(super) fn read(text: &str, zone: &TimeZone) -> Result<Self, String> {
        cron::check(text)?;
        let (mut text, mut zone) = (text, zone.clone());
        if let Some(named) = ["TZ=", "CRON_TZ="]
            .iter()
            .find_map(|prefix| text.strip_prefix(prefix))
        {
            let (name, rest) = named.split_once(' ').unwrap_or((named, ""));
            zone = TimeZone::get(name)
                .map_err(|_| format!("provided bad location {name}: unknown time zone {name}"))?;
            text = rest.trim();
        }
        if let Some(every) = text.strip_prefix("@every ") {
            let every = crate::api::duration::parse(every).unwrap_or(SignedDuration::ZERO);
            // Whole seconds, at least one.
            let seconds = every.as_secs().max(1);
            return Ok(Self::Every(SignedDuration::from_secs(seconds)));
        }
        let text = match text {
            "@yearly" | "@annually" => "0 0 1 1 *",
            "@monthly" => "0 0 1 * *",
            "@weekly" => "0 0 * * 0",
            "@daily" | "@midnight" => "0 0 * * *",
            "@hourly" => "0 * * * *",
            fields => fields,
        };
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minutes, hours, days, months, weekdays] = fields[..] else {
            return Err(format!("expected exactly 5 fields, found {}", fields.len()));
        };
        let is_open = |field: &str| {
            let starts = |part: &str| {
                let span = part.split('/').next().unwrap_or_default();
                let step = part.split('/').nth(1).unwrap_or("1");
                matches!(span, "*" | "?") && step == "1"
            };
            field.split(',').any(starts)
        };
        Ok(Self::Fields(Box::new(Fields {
            minutes: bits(minutes, 0, 59, &[], 0),
            hours: bits(hours, 0, 23, &[], 0),
            days: bits(days, 1, 31, &[], 0),
            months: bits(months, 1, 12, &MONTHS, 1),
            weekdays: bits(weekdays, 0, 6, &DAYS, 0),
            open: (is_open(days), is_open(weekdays)),
            zone,
        })))
    }

    /// Returns the first time after `after`, or `None` if there is none in the next years.
    pub(super) fn next(&self, after: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Every(every) => {
                let whole = Timestamp::from_second(after.as_second()).ok()?;
                whole.checked_add(*every).ok()
            }
            Self::Fields(fields) => fields.next(after),
        }
    }
}

impl Fields {
    fn next(&self, after: Timestamp) -> Option<Timestamp> {
        let local = after.to_zoned(self.zone.clone());
        let last = local.date().year() + YEARS;
        let mut date = local.date();
        while date.year() <= last {
            if self.has_day(date)
                && let Some(at) = self.first_on(date, after)
            {
                return Some(at);
            }
            date = date.checked_add(1.day()).ok()?;
        }
        None
    }

    fn has_day(&self, date: Date) -> bool {
        let has = |bits: u64, n: i8| bits & (1 << n) != 0;
        if !has(self.months, date.month()) {
            return false;
        }
        let by_month = has(self.days, date.day());
        let by_week = has(self.weekdays, date.weekday().to_sunday_zero_offset());
        match self.open {
            (false, false) => by_month || by_week,
            _ => by_month && by_week,
        }
    }

    /// Returns the first time on a day after `after`. Walks over elapsed time, so that an hour that occurs twice counts
    /// twice and a skipped one not at all.
    fn first_on(&self, date: Date, after: Timestamp) -> Option<Timestamp> {
        let begin = self.zone.to_zoned(date.at(0, 0, 0, 0)).ok()?;
        let mut at = begin.timestamp();
        if at <= after {
            let seconds = after.as_second() - after.as_second().rem_euclid(60) + 60;
            at = Timestamp::from_second(seconds).ok()?;
        }
        loop {
            let local = at.to_zoned(self.zone.clone());
            if local.date() != date {
                return None;
            }
            if self.hours & (1 << local.hour()) == 0 {
                // Continues at the next full hour of the local time.
                let left = 60 - i64::from(local.minute());
                at = at.checked_add(SignedDuration::from_mins(left)).ok()?;
                continue;
            }
            if self.minutes & (1 << local.minute()) != 0 {
                return Some(at);
            }
            at = at.checked_add(SignedDuration::from_mins(1)).ok()?;
        }
    }
}

/// Returns the values of a field that was checked before.
fn bits(field: &str, low: u32, high: u32, names: &[&str], first: u32) -> u64 {
    let number = |text: &str| -> u32 {
        let lower = text.to_lowercase();
        match names.iter().position(|name| *name == lower) {
            Some(at) => u32::try_from(at).unwrap_or(0) + first,
            None => text.parse().unwrap_or(low),
        }
    };
    let mut bits = 0;
    for part in field.split(',').filter(|part| !part.is_empty()) {
        let (span, step) = part.split_once('/').unwrap_or((part, ""));
        let (start, end) = match span.split_once('-') {
            _ if matches!(span, "*" | "?") => (low, high),
            Some((start, end)) => (number(start), number(end)),
            None if step.is_empty() => (number(span), number(span)),
            None => (number(span), high),
        };
        let step = step.parse().unwrap_or(1).max(1);
        for value in (start..=end.min(high)).step_by(step) {
            bits |= 1 << value;
        }
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_produce_the_recorded_times() {
        let cases = include_str!("../../../../testdata/facts/cron-cases.tsv");
        let (mut checked, mut wrong) = (0, Vec::new());
        for line in cases.lines().skip(1) {
            let cells: Vec<&str> = line.split('\t').collect();
            let [text, zone, after, wanted] = cells[..] else {
                panic!("{line}")
            };
            checked += 1;
            let zone = TimeZone::get(zone).unwrap();
            let mut at: Timestamp = after.parse().unwrap();
            let found = match Schedule::read(text, &zone) {
                Err(_) => "ERR".to_owned(),
                Ok(schedule) => {
                    let mut times = Vec::new();
                    for _ in 0..5 {
                        let Some(next) = schedule.next(at) else { break };
                        times.push(next.to_string());
                        at = next;
                    }
                    match times.as_slice() {
                        [] => "never".to_owned(),
                        times => times.join(","),
                    }
                }
            };
            let alike = if wanted.starts_with("ERR") {
                found == "ERR"
            } else {
                found == wanted
            };
            if !alike {
                wrong.push(format!(
                    "{text} in {} after {after}:\n  {found}\n  {wanted}",
                    cells[1]
                ));
            }
        }
        assert!(checked > 500);
        assert!(
            wrong.is_empty(),
            "{} wrong:\n{}",
            wrong.len(),
            wrong.join("\n")
        );
    }
}
