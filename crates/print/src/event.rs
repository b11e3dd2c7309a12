//! Events as `kubectl events` and descriptions show them.

use jiff::Timestamp;

use super::go_sort;
use super::table::Table;
use crate::api::duration;
use crate::api::json::Value;
use crate::kinds::moment;
use crate::kinds::tree::{field, has, int, text};

/// Formats the last occurrence of an event, with the number of occurrences and the first one.
pub fn last_seen(event: &Value, now: Timestamp) -> String {
    let since = |stamp: &Value| match moment::read(stamp) {
        Some(stamp) => {
            let nanos = now.as_nanosecond() - stamp.as_nanosecond();
            duration::human(i64::try_from(nanos.div_euclid(1_000_000_000)).unwrap_or(i64::MAX))
        }
        None => "<unknown>".to_owned(),
    };
    // New events have only `eventTime`; those of the old recorder have only the two timestamps.
    let first = match has(event, "eventTime") {
        true => since(field(event, "eventTime")),
        false => since(field(event, "firstTimestamp")),
    };
    let series = field(event, "series");
    let count = int(event, "count");
    let (last, count) = match () {
        // The new events API counts in a series, the old one in `count`.
        () if !series.is_null() => (field(series, "lastObservedTime"), int(series, "count")),
        () if count > 1 => (field(event, "lastTimestamp"), count),
        () => return first,
    };
    format!("{} (x{count} over {first})", since(last))
}

/// Sorts events by their last occurrence. As in kubectl, many events of one second are in the order of Go's sort.
pub fn sorted(events: Vec<Value>) -> Vec<Value> {
    go_sort::by_key(events, time)
}

/// Returns the time by which events are sorted. Events without one come first.
fn time(event: &Value) -> Option<Timestamp> {
    let series = field(event, "series");
    if !series.is_null() {
        return moment::read(field(series, "lastObservedTime"));
    }
    let last = moment::read(field(event, "lastTimestamp"));
    last.or_else(|| moment::read(field(event, "eventTime")))
}

/// Returns the table of `kubectl events`.
pub fn table(events: &[Value], headers: bool, with_namespace: bool, now: Timestamp) -> Table {
    let mut table = Table::default();
    if headers {
        table.headers = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
            .map(str::to_owned)
            .to_vec();
    }
    let row = |event: &Value| {
        let about = field(event, "involvedObject");
        vec![
            last_seen(event, now),
            text(event, "type").to_owned(),
            text(event, "reason").to_owned(),
            format!("{}/{}", text(about, "kind"), text(about, "name")),
            text(event, "message").trim().to_owned(),
        ]
    };
    table.rows = events.iter().map(row).collect();
    if with_namespace {
        let namespaces = events
            .iter()
            .map(|event| text(field(event, "metadata"), "namespace"));
        for (row, namespace) in table.rows.iter_mut().zip(namespaces) {
            row.insert(0, namespace.to_owned());
        }
        if headers {
            table.headers.insert(0, "NAMESPACE".to_owned());
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn now() -> Timestamp {
        "2026-01-01T12:00:00Z".parse().unwrap()
    }

    #[test]
    fn a_repeated_event_shows_its_count() {
        let seen = |event: Value| last_seen(&event, now());
        let first = "2026-01-01T11:58:00Z";
        assert_eq!(seen(json!({"firstTimestamp": first, "count": 1})), "2m");
        assert_eq!(
            seen(
                json!({"firstTimestamp": first, "lastTimestamp": "2026-01-01T11:59:55Z", "count": 3})
            ),
            "5s (x3 over 2m)"
        );
        assert_eq!(
            seen(json!({
                "eventTime": "2026-01-01T11:58:00.000000Z",
                "series": {"count": 7, "lastObservedTime": "2026-01-01T11:59:00.000000Z"},
            })),
            "60s (x7 over 2m)"
        );
        assert_eq!(seen(json!({})), "<unknown>");
    }

    #[test]
    fn many_events_are_in_the_order_of_go() {
        // Many of these times are equal, and Go's quicksort does not keep their order.
        let event = |at: usize| {
            let time = format!("2026-01-01T11:59:{:02}Z", at % 3);
            json!({"lastTimestamp": time, "message": at.to_string()})
        };
        let sorted = sorted((0..30).map(event).collect());
        let order = go_sort::order(30, &mut |a, b| a % 3 < b % 3);
        let expected: Vec<Value> = order.into_iter().map(event).collect();
        assert_eq!(sorted, expected);
    }

    #[test]
    fn the_table_contains_the_object_of_the_event() {
        let event = json!({
            "metadata": {"namespace": "n"}, "type": "Normal", "reason": "Made",
            "message": " said \nmore", "firstTimestamp": "2026-01-01T11:59:00Z",
            "involvedObject": {"kind": "Pod", "name": "p"},
        });
        let text = table(&[event], true, true, now()).render_lines(&mut Vec::new());
        assert_eq!(
            text,
            "NAMESPACE   LAST SEEN   TYPE     REASON   OBJECT   MESSAGE\n\
             n           60s         Normal   Made     Pod/p    said \nmore\n"
        );
    }

    #[test]
    fn a_message_of_several_lines_ends_the_common_widths() {
        let event = |kind: &str, message: &str| {
            json!({"type": kind, "reason": "Made", "message": message,
                "firstTimestamp": "2026-01-01T11:59:00Z", "involvedObject": {"kind": "Pod", "name": "p"}})
        };
        let events = [
            event("Normal", "a\nb"),
            event("WarningMore", "c"),
            event("N", "d"),
        ];
        assert_eq!(
            table(&events, true, false, now()).render_lines(&mut Vec::new()),
            "LAST SEEN   TYPE     REASON   OBJECT   MESSAGE\n\
             60s         Normal   Made     Pod/p    a\nb\n\
             60s         WarningMore   Made     Pod/p    c\n\
             60s         N             Made     Pod/p    d\n"
        );
    }
}
