//! Curves over time: in braille for terminals, in SVG for documents.
//!
//! A value holds until the next commit, so curves have steps. If no time passes between the commits, as on a virtual
//! clock that was not advanced, the horizontal axis counts commits instead.

use jiff::Timestamp;

use super::markup;
use super::svg::STYLE;
use crate::api::duration;
use crate::series::{Metric, Point};

/// The horizontal position of each point, from 0 to 1.
struct Axis {
    places: Vec<f64>,
    begin: String,
    end: String,
}

impl Axis {
    #[expect(
        clippy::cast_precision_loss,
        reason = "commits and microseconds are below 2^52"
    )]
    fn from_points(points: &[Point]) -> Self {
        let time = |point: Option<&Point>| point.map_or(Timestamp::UNIX_EPOCH, |p| p.time);
        let (start, end) = (time(points.first()), time(points.last()));
        let span = end.duration_since(start);
        // On a stopped virtual clock, all commits have the same time, and a curve over time would be a vertical line.
        if span.is_zero() {
            let last = points.len().saturating_sub(1).max(1) as f64;
            let revision = |point: Option<&Point>| point.map_or(0, |p| p.revision);
            return Self {
                places: (0..points.len()).map(|at| at as f64 / last).collect(),
                begin: format!("revision {}", revision(points.first())),
                end: format!("revision {}", revision(points.last())),
            };
        }
        let place = |point: &Point| {
            point.time.duration_since(start).as_micros() as f64 / span.as_micros() as f64
        };
        Self {
            places: points.iter().map(place).collect(),
            begin: start.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            end: format!("+{}", duration::human(span.as_secs())),
        }
    }

    /// Returns the lowest and the highest value of each column.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "places are from 0 to 1, columns a few hundred"
    )]
    fn columns(&self, values: &[f64], columns: usize) -> Vec<(f64, f64)> {
        let mut ranges: Vec<Option<(f64, f64)>> = vec![None; columns];
        let mut held = values.first().copied().unwrap_or(0.0);
        let mut next = 0;
        for (place, value) in self.places.iter().zip(values) {
            let column = ((place * columns as f64) as usize).min(columns.saturating_sub(1));
            for range in &mut ranges[next..column] {
                range.get_or_insert((held, held));
            }
            let (low, high) = ranges[column].unwrap_or((held, held));
            // The column includes the step itself, so that the curve has no gaps and a spike of no duration is
            // visible.
            ranges[column] = Some((low.min(*value), high.max(*value)));
            (held, next) = (*value, column);
        }
        ranges
            .into_iter()
            .map(|range| range.unwrap_or((held, held)))
            .collect()
    }
}

/// Returns a round number that is at least the highest value.
fn ceiling(values: &[f64]) -> f64 {
    let highest = values.iter().copied().fold(0.0, f64::max);
    let mut unit = 1.0;
    loop {
        for step in [1.0, 2.0, 4.0, 5.0, 6.0, 8.0] {
            if step * unit >= highest {
                return step * unit;
            }
        }
        unit *= 10.0;
    }
}

/// Formats a value without unnecessary decimals.
fn number(value: f64) -> String {
    match value.fract() == 0.0 {
        true => format!("{value:.0}"),
        false => format!("{value:.1}"),
    }
}

fn values(points: &[Point], metric: Metric) -> Vec<f64> {
    points.iter().map(|point| point.value(metric)).collect()
}

/// Describes a curve in a sentence, for readers who cannot see it.
fn summary(metric: Metric, values: &[f64]) -> String {
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = values.iter().copied().fold(0.0, f64::max);
    let last = values.last().copied().unwrap_or(0.0);
    format!(
        "{}: now {}, lowest {}, highest {}",
        metric.title(),
        number(last),
        number(lowest.min(highest)),
        number(highest)
    )
}

/// Returns one panel per metric, `width` characters wide, with curves of `height` lines. Separate panels need no
/// colors to tell curves apart.
pub fn braille(points: &[Point], metrics: &[Metric], width: usize, height: usize) -> String {
    let axis = Axis::from_points(points);
    let mut out = String::new();
    for metric in metrics {
        let values = values(points, *metric);
        let top = ceiling(&values);
        let label = number(top).len().max(1);
        let cells = width.saturating_sub(label + 2).max(10);
        out += &format!("{}\n", summary(*metric, &values));
        let lines = dots(&axis.columns(&values, cells * 2), top, cells, height);
        for (line, dots) in lines.iter().enumerate() {
            let (text, tick) = match line {
                0 => (number(top), '┤'),
                line if line + 1 == height => ("0".to_owned(), '┼'),
                _ => (String::new(), '│'),
            };
            out += &format!("{text:>label$} {tick}{dots}\n");
        }
        // The start time is below the first column, the end time below the last one.
        let room = cells.saturating_sub(axis.begin.chars().count());
        out += &format!("{:label$}  {}{:>room$}\n\n", "", axis.begin, axis.end);
    }
    // An empty line separates panels, but none follows the last one.
    out.pop();
    out
}

/// Returns the lines of a curve. A character has two by four dots.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "values are from 0 to the top, dots a few hundred"
)]
fn dots(columns: &[(f64, f64)], top: f64, cells: usize, height: usize) -> Vec<String> {
    /// The bits of a braille character, by column, from the top down.
    const BITS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
    // A braille character has four rows of two dots.
    let rows = height * 4;
    let mut grid = vec![vec![0_u32; cells]; height];
    let row = |value: f64| {
        let up = (value / top * (rows - 1) as f64).round() as usize;
        (rows - 1).saturating_sub(up)
    };
    for (x, (low, high)) in columns.iter().enumerate() {
        for y in row(*high)..=row(*low) {
            grid[y / 4][x / 2] |= BITS[x % 2][y % 4];
        }
    }
    let character = |bits: &u32| char::from_u32(0x2800 + bits).unwrap_or(' ');
    grid.iter()
        .map(|line| line.iter().map(character).collect())
        .collect()
}

/// The size of a chart and the margins around its curves.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 180.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 16.0;
const LEGEND: f64 = 22.0;

/// The strokes that tell curves apart without color.
const STROKES: [(&str, &str); 3] = [
    ("ready", "none"),
    ("terminating", "7 4"),
    ("progressing", "2 3"),
];

/// Returns a picture with one chart per unit. Metrics with the same unit share a chart and differ in their strokes.
pub fn svg(points: &[Point], metrics: &[Metric], title: &str) -> String {
    let axis = Axis::from_points(points);
    let counts: Vec<Metric> = metrics.iter().copied().filter(|m| is_count(*m)).collect();
    // Millicores, MiB, reconciles and milliseconds each have their own scale.
    let others = metrics.iter().filter(|m| !is_count(**m)).map(|m| vec![*m]);
    let charts: Vec<Vec<Metric>> = Some(counts)
        .filter(|c| !c.is_empty())
        .into_iter()
        .chain(others)
        .collect();
    let (mut body, mut top) = (String::new(), 40.0);
    for chart in &charts {
        let (text, height) = one_chart(points, chart, &axis, top);
        body += &text;
        top += height;
    }
    let title = markup(title);
    let described: Vec<String> = metrics
        .iter()
        .map(|m| summary(*m, &values(points, *m)))
        .collect();
    let described = markup(&described.join("; "));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {top}\" width=\"{WIDTH}\" height=\"{top}\" role=\"img\" \
         aria-labelledby=\"title description\">\n<title id=\"title\">{title}</title>\n<desc id=\"description\">{described}</desc>\n\
         <style>{STYLE}.curve{{fill:none;stroke-width:2}}.curve.ready{{fill:none;stroke:var(--ready)}}\
         .curve.terminating{{fill:none;stroke:var(--terminating)}}.curve.progressing{{fill:none;stroke:var(--progressing)}}\
         .end{{text-anchor:end}}</style>\n\
         <rect class=\"paper\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"6\"/>\n\
         <text x=\"16\" y=\"26\">{title}</text>\n{body}</svg>\n",
        WIDTH - 1.0,
        top - 1.0
    )
}

const fn is_count(metric: Metric) -> bool {
    matches!(metric, Metric::Ready | Metric::Total | Metric::Desired)
}

/// Returns a chart that starts at a vertical position, with its height.
fn one_chart(points: &[Point], metrics: &[Metric], axis: &Axis, top: f64) -> (String, f64) {
    let legend = LEGEND * f64::from(u16::try_from(metrics.len()).unwrap_or(u16::MAX));
    let (begin, end) = (top + legend, top + legend + HEIGHT);
    let all: Vec<f64> = metrics.iter().flat_map(|m| values(points, *m)).collect();
    let highest = ceiling(&all);
    let mut body = String::new();
    for (value, y) in [
        (highest, begin),
        (highest / 2.0, (begin + end) / 2.0),
        (0.0, end),
    ] {
        let (x, to, base) = (LEFT - 8.0, WIDTH - RIGHT, y + 4.0);
        body += &format!("<path class=\"tree\" d=\"M{LEFT} {y:.1}H{to}\"/>\n");
        body += &format!(
            "<text class=\"dim end\" x=\"{x}\" y=\"{base:.1}\">{}</text>\n",
            number(value)
        );
    }
    let mut y = top + 10.0;
    for (metric, (class, dashes)) in metrics.iter().zip(STROKES) {
        let values = values(points, *metric);
        let curve = path(&values, axis, highest, begin);
        let stroke = format!("class=\"curve {class}\" stroke-dasharray=\"{dashes}\"");
        let (to, text) = (LEFT + 30.0, LEFT + 38.0);
        body += &format!(
            "<path {stroke} d=\"M{LEFT} {y:.1}H{to}\"/>\n<path {stroke} d=\"{curve}\"/>\n"
        );
        body += &format!(
            "<text x=\"{text}\" y=\"{:.1}\">{}</text>\n",
            y + 4.0,
            summary(*metric, &values)
        );
        y += LEGEND;
    }
    let (base, right) = (end + 20.0, WIDTH - RIGHT);
    body += &format!(
        "<text class=\"dim\" x=\"{LEFT}\" y=\"{base:.1}\">{}</text>\n",
        axis.begin
    );
    body += &format!(
        "<text class=\"dim end\" x=\"{right}\" y=\"{base:.1}\">{}</text>\n",
        axis.end
    );
    (body, legend + HEIGHT + 40.0)
}

/// Returns the path of a curve, step by step.
fn path(values: &[f64], axis: &Axis, highest: f64, begin: f64) -> String {
    let mut path = String::new();
    let mut last = None;
    for (place, value) in axis.places.iter().zip(values) {
        let x = LEFT + place * (WIDTH - LEFT - RIGHT);
        let y = begin + HEIGHT * (1.0 - value / highest);
        match last {
            None => path += &format!("M{x:.1} {y:.1}"),
            // Equal values need no step; otherwise, ten thousand commits would be ten thousand points.
            Some(before) if before == *value => {}
            Some(_) => path += &format!("H{x:.1}V{y:.1}"),
        }
        last = Some(*value);
    }
    path + &format!("H{:.1}", WIDTH - RIGHT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::now;

    /// Returns points with values for the metrics `ready` and `total`.
    fn curve(values: &[(i64, f64, f64)]) -> Vec<Point> {
        let point = |(second, ready, total): &(i64, f64, f64)| Point {
            time: now() + jiff::SignedDuration::from_secs(*second),
            revision: 7,
            values: [*ready, *total, 0.0, 0.0, 0.0, 0.0, 0.0],
        };
        values.iter().map(point).collect()
    }

    #[test]
    fn chart_draws_steps_and_a_summary_line() {
        let points = curve(&[
            (0, 0.0, 0.0),
            (30, 4.0, 4.0),
            (60, 2.0, 4.0),
            (120, 2.0, 4.0),
        ]);
        let text = braille(&points, &[Metric::Ready], 24, 3);
        let expected = [
            "ready Pods: now 2, lowest 0, highest 4",
            "4 ┤⠀⠀⠀⠀⠀⡏⠉⠉⠉⠉⢹⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀",
            "  │⠀⠀⠀⠀⠀⡇⠀⠀⠀⠀⢸⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀",
            "0 ┼⣀⣀⣀⣀⣀⡇⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀",
            "   2026-01-02T12:00:00Z+2m",
        ];
        assert_eq!(text.lines().next().unwrap(), expected[0]);
        assert_eq!(text.lines().count(), 5, "{text}");
        let wide = braille(&points, &[Metric::Ready, Metric::Total], 60, 3);
        assert!(wide.lines().all(|l| l.chars().count() <= 60), "{wide}");
        assert_eq!(wide.matches("2026-01-02T12:00:00Z").count(), 2);
        assert!(wide.contains("\n\nPods: now 4"), "{wide}");
    }

    #[test]
    fn a_spike_that_lasts_no_time_is_drawn() {
        let points = curve(&[
            (0, 1.0, 1.0),
            (30, 1.0, 1.0),
            (30, 4.0, 4.0),
            (30, 1.0, 1.0),
            (60, 1.0, 1.0),
        ]);
        let axis = Axis::from_points(&points);
        let columns = axis.columns(&values(&points, Metric::Ready), 10);
        assert_eq!(columns.iter().filter(|c| **c == (1.0, 4.0)).count(), 1);
        assert_eq!(columns.iter().filter(|c| **c == (1.0, 1.0)).count(), 9);
    }

    #[test]
    fn chart_without_elapsed_time_uses_revisions_as_axis() {
        let points = curve(&[(0, 0.0, 0.0), (0, 1.0, 1.0), (0, 2.0, 2.0)]);
        let axis = Axis::from_points(&points);
        assert_eq!(axis.places, [0.0, 0.5, 1.0]);
        assert_eq!(axis.end, "revision 7");
    }

    #[test]
    fn svg_chart_varies_strokes_and_escapes_the_title() {
        let points = curve(&[(0, 0.0, 0.0), (30, 4.0, 4.0)]);
        let picture = svg(
            &points,
            &[Metric::Ready, Metric::Total, Metric::Cpu],
            "<b>&",
        );
        assert!(picture.contains(">&lt;b&gt;&amp;<"), "{picture}");
        assert!(picture.contains("stroke-dasharray=\"7 4\""), "{picture}");
        assert!(
            !picture.contains("<b>") && !picture.contains("NaN"),
            "{picture}"
        );
        assert_eq!(
            picture.matches("<path class=\"curve").count(),
            6,
            "{picture}"
        );
    }

    #[test]
    fn scales_end_at_round_numbers() {
        let all = [0.0, 1.0, 2.5, 7.0, 9.0, 34.0, 250.0].map(|v| ceiling(&[v]));
        assert_eq!(all, [1.0, 1.0, 4.0, 8.0, 10.0, 40.0, 400.0]);
    }
}
