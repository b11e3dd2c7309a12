//! Formats the results of a suite, for people and for CI systems.

use std::fmt::Write as _;

use super::suite::{Ended, Run, RunEnd};
use crate::api::json::{Value, json};

/// The formats of `--report`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Junit,
    Tap,
    Github,
}

/// A report, and the file to write it to instead of standard output.
#[derive(Clone, Debug)]
pub(super) struct Report {
    pub(super) format: Format,
    pub(super) file: Option<String>,
}

/// Parses `FORMAT` or `FORMAT=FILE`.
pub(super) fn parse(text: &str) -> Result<Report, String> {
    let (name, file) = match text.split_once('=') {
        Some((name, "")) => return Err(format!("expected a file, such as {name}=report")),
        Some((name, file)) => (name, Some(file.to_owned())),
        None => (text, None),
    };
    let format = match name {
        "junit" => Format::Junit,
        "tap" => Format::Tap,
        "github" => Format::Github,
        _ => {
            return Err(
                "the formats are junit, tap and github, such as junit=report.xml".to_owned(),
            );
        }
    };
    Ok(Report { format, file })
}

/// A run with its result.
pub(super) type RunResult<'r, 'c> = (&'r Run<'c>, &'r RunEnd);

/// The numbers of passed, failed and skipped runs.
pub(super) struct Counts {
    passed: usize,
    pub(super) failed: usize,
    skipped: usize,
}

/// Counts the results.
pub(super) fn counts(all: &[RunResult<'_, '_>]) -> Counts {
    let count = |is: &dyn Fn(&Ended) -> bool| all.iter().filter(|(_, r)| is(&r.ended)).count();
    Counts {
        passed: count(&|e| matches!(e, Ended::Passed)),
        failed: count(&|e| matches!(e, Ended::Failed(_))),
        skipped: count(&|e| matches!(e, Ended::Skipped(_))),
    }
}

/// Returns the results as text: a line for each run, followed by its failure.
pub(super) fn text(all: &[RunResult<'_, '_>]) -> String {
    let mut out = String::new();
    for (run, result) in all {
        let name = run.name();
        let _ = match &result.ended {
            Ended::Passed => writeln!(out, "ok    {name}{}", simulated(result)),
            Ended::Skipped(why) => writeln!(out, "skip  {name}: {}", first_line(why)),
            Ended::Failed(failure) => {
                let (at, step) = (&failure.at, &failure.step);
                let _ = writeln!(out, "FAIL  {name}\n      {at}: {step}");
                failure
                    .text
                    .lines()
                    .try_for_each(|line| writeln!(out, "        {line}"))
            }
        };
    }
    let Counts {
        passed,
        failed,
        skipped,
    } = counts(all);
    let _ = write!(out, "{passed} passed, {failed} failed");
    if skipped > 0 {
        let _ = write!(out, ", {skipped} skipped");
    }
    out.push('\n');
    out
}

fn simulated(result: &RunEnd) -> String {
    match result.simulated.as_secs() {
        // Fractions of a second come from the delays of fake kubelets, which mean nothing to the user.
        0 => String::new(),
        seconds => format!(
            " ({:#} simulated)",
            jiff::SignedDuration::from_secs(seconds)
        ),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Returns the results as structured output.
pub(super) fn data(all: &[RunResult<'_, '_>]) -> Value {
    let cases = all.iter().map(|(run, result)| {
        let (outcome, failure) = match &result.ended {
            Ended::Passed => ("passed", Value::Null),
            Ended::Skipped(_) => ("skipped", Value::Null),
            Ended::Failed(f) => (
                "failed",
                json!({"file": &*f.at.file, "line": f.at.line, "step": f.step.as_str(), "message": f.text.as_str()}),
            ),
        };
        json!({"name": run.case.name.as_str(), "file": &*run.case.at.file, "seed": run.seed,
            "trouble": run.fault.as_ref().map(|planned| planned.fault.shown()), "outcome": outcome, "failure": failure, "simulatedSeconds": result.simulated.as_secs()})
    });
    let cases: Vec<Value> = cases.collect();
    let Counts {
        passed,
        failed,
        skipped,
    } = counts(all);
    json!({"passed": passed, "failed": failed, "skipped": skipped, "cases": cases})
}

/// Returns the results in a report format.
pub(super) fn formatted(format: Format, all: &[RunResult<'_, '_>]) -> String {
    match format {
        Format::Junit => junit(all),
        Format::Tap => tap(all),
        Format::Github => github(all),
    }
}

/// Returns JUnit's XML, which most CI systems read.
fn junit(all: &[RunResult<'_, '_>]) -> String {
    let Counts {
        failed, skipped, ..
    } = counts(all);
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"ctl test\" tests=\"{}\" failures=\"{failed}\" \
         skipped=\"{skipped}\">\n",
        all.len()
    );
    for (run, result) in all {
        // The time is that of the simulated cluster. It is the same in every run, so reports can be compared.
        let _ = write!(
            out,
            "    <testcase name=\"{}\" classname=\"{}\" file=\"{}\" time=\"{}\"",
            xml(&run.name()),
            xml(&run.case.at.file),
            xml(&run.case.at.file),
            result.simulated.as_secs()
        );
        let _ = match &result.ended {
            Ended::Passed => writeln!(out, "/>"),
            Ended::Skipped(why) => writeln!(out, "><skipped message=\"{}\"/></testcase>", xml(why)),
            Ended::Failed(f) => writeln!(
                out,
                ">\n      <failure message=\"{}\">{}</failure>\n    </testcase>",
                xml(&format!("{}: {}", f.at, f.step)),
                xml(&f.text)
            ),
        };
    }
    out + "  </testsuite>\n</testsuites>\n"
}

/// Escapes text for an XML element or attribute.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            // XML 1.0 cannot represent other control characters, even escaped.
            c if c.is_control() && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Returns the results in version 13 of the Test Anything Protocol.
fn tap(all: &[RunResult<'_, '_>]) -> String {
    let mut out = format!("TAP version 13\n1..{}\n", all.len());
    for (number, (run, result)) in all.iter().enumerate() {
        // An unescaped `#` would begin a directive.
        let (number, name) = (number + 1, run.name().replace('#', "\\#"));
        let _ = match &result.ended {
            Ended::Passed => writeln!(out, "ok {number} - {name}"),
            Ended::Skipped(why) => writeln!(out, "ok {number} - {name} # SKIP {}", first_line(why)),
            Ended::Failed(f) => {
                let _ = writeln!(
                    out,
                    "not ok {number} - {name}\n  ---\n  at: {:?}\n  step: {:?}\n  message: |",
                    f.at.to_string(),
                    f.step
                );
                let _ = f
                    .text
                    .lines()
                    .try_for_each(|line| writeln!(out, "    {line}"));
                writeln!(out, "  ...")
            }
        };
    }
    out
}

/// Returns workflow commands, which GitHub shows next to the lines of a change.
fn github(all: &[RunResult<'_, '_>]) -> String {
    let mut out = String::new();
    for (run, result) in all {
        if let Ended::Failed(f) = &result.ended {
            let escaped = |text: &str| {
                text.replace('%', "%25")
                    .replace('\r', "%0D")
                    .replace('\n', "%0A")
            };
            // A colon or a comma would end a property.
            let property = |text: &str| escaped(text).replace(':', "%3A").replace(',', "%2C");
            let _ = writeln!(
                out,
                "::error file={},line={},title={}::{}",
                property(&f.at.file),
                f.at.line,
                property(&run.name()),
                escaped(&format!("{}\n{}", f.step, f.text))
            );
        }
    }
    let text = text(all);
    // A workflow command can only begin at the beginning of a line, so text of a case must not end up there.
    out + text.lines().last().unwrap_or_default() + "\n"
}
