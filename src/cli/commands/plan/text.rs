//! The text output of a plan.

use jiff::SignedDuration;

use super::outcome::{Changed, Plan};
use crate::cli::context::Context;
use crate::cli::history::fitted;
use crate::history::{ChangeKind, Names, PodChange};
use crate::print::table::Table;

/// The number of Pods shown at the beginning and at the end of a long list.
const ENDS: usize = 10;

/// Returns a plan as text.
pub(super) fn shown(plan: &Plan, names: &Names, all: bool, context: &Context) -> String {
    let columns = context.ui.columns();
    let sections = [
        pods(plan, names, all),
        workloads(plan, names),
        changes(plan, names),
        trouble(plan),
    ];
    let mut out = String::new();
    for section in sections.into_iter().filter(|section| !section.is_empty()) {
        out.push_str(&fitted(&section, columns));
        out.push('\n');
    }
    out.push_str(&conclusion(plan));
    out.push('\n');
    out
}

fn pods(plan: &Plan, names: &Names, all: bool) -> String {
    let pods = &plan.effects.pods;
    let row = |pod: &PodChange| {
        vec![
            time(plan.after(pod.time)),
            if pod.created { "created" } else { "removed" }.to_owned(),
            names.object(&pod.key),
            pod.rule.clone(),
        ]
    };
    // Hiding a single Pod would save no line.
    let hidden = match all || pods.len() <= 2 * ENDS + 1 {
        true => 0,
        false => pods.len() - 2 * ENDS,
    };
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (place, pod) in pods.iter().enumerate() {
        match place.checked_sub(ENDS) {
            Some(0) if hidden > 0 => {
                let more = format!("... {hidden} more (--all shows them)");
                rows.push(vec![String::new(), more]);
            }
            Some(inner) if inner < hidden => {}
            _ => rows.push(row(pod)),
        }
    }
    table(&["TIME", "CHANGE", "POD", "REASON"], rows)
}

fn workloads(plan: &Plan, names: &Names) -> String {
    let rows = plan.effects.workloads.iter().map(|own| {
        let (before, after) = (own.before.ready, own.after.ready);
        vec![
            names.object(&own.key),
            format!("{before} -> {after}"),
            own.lowest_ready.to_string(),
            own.highest_total.to_string(),
        ]
    });
    let headers = ["WORKLOAD", "READY", "LOWEST READY", "HIGHEST TOTAL"];
    table(&headers, rows.collect())
}

/// Returns the objects that differ in the end. Pods have a section of their own, and status follows from the rest.
fn changes(plan: &Plan, names: &Names) -> String {
    let mut lines = Vec::new();
    for own in &plan.changed {
        let is_pod = own.key.starts_with("pods/");
        let shown = names.object(&own.key);
        match own.action {
            ChangeKind::Updated => lines.extend(updated(own, &shown)),
            // Created and deleted Pods have their own section, which shows their times.
            _ if is_pod => {}
            ChangeKind::Created => lines.push(format!("+ {shown}")),
            ChangeKind::Deleted => lines.push(format!("- {shown}")),
        }
    }
    match lines.is_empty() {
        true => String::new(),
        false => format!("DIFFERENCE IN THE END\n{}", lines.join("\n")),
    }
}

fn updated(own: &Changed, shown: &str) -> Vec<String> {
    let fields = own
        .fields
        .iter()
        // The status follows from the rest, and its counters would crowd out the fields that the user changed.
        .filter(|field| !field.path.starts_with("status."));
    let fields = fields.map(|field| match (&field.before, &field.after) {
        // The values of Secrets are hidden because plans are copied into reviews and logs.
        (None, None) => format!("    {}", field.path),
        _ => format!("    {field}"),
    });
    let fields: Vec<String> = fields.collect();
    match fields.is_empty() {
        true => Vec::new(),
        false => std::iter::once(format!("~ {shown}"))
            .chain(fields)
            .collect(),
    }
}

fn trouble(plan: &Plan) -> String {
    let said = plan.said.lines().map(str::to_owned);
    let stuck = plan.blockers.iter().map(|own| format!("stuck: {own}"));
    let before = plan.before.iter();
    let before = before.map(|own| format!("already stuck before the change: {own}"));
    let cycle = plan.cycle.iter().map(|line| format!("  {line}"));
    let title = (!plan.cycle.is_empty()).then(|| "oscillating: these changes repeat".to_owned());
    let lines = said.chain(stuck).chain(before).chain(title).chain(cycle);
    lines.collect::<Vec<_>>().join("\n")
}

fn conclusion(plan: &Plan) -> String {
    let created = plan.effects.pods.iter().filter(|pod| pod.created).count();
    let removed = plan.effects.pods.len() - created;
    let pods = |count: usize| match count {
        1 => "1 Pod".to_owned(),
        many => format!("{many} Pods"),
    };
    let done = match (created, removed, plan.has_changes()) {
        (0, 0, false) => "nothing would change".to_owned(),
        (0, 0, true) => "no Pod created or removed".to_owned(),
        _ => format!("{} created, {removed} removed", pods(created)),
    };
    let end = match (plan.settles(), plan.has_changes()) {
        // Nothing changed, so there is no time to report.
        (true, false) => String::new(),
        (true, true) => format!(", settled after {}", time(plan.duration())),
        (false, _) if plan.timed_out => format!(
            ", not settled at the time limit (--timeout); last change after {}",
            time(plan.duration())
        ),
        (false, _) => format!(
            ", would not settle; last change after {}",
            time(plan.duration())
        ),
    };
    format!("plan: {done}{end}")
}

fn time(span: SignedDuration) -> String {
    format!("{span:#}")
}

fn table(headers: &[&str], rows: Vec<Vec<String>>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let headers = headers.iter().map(|header| (*header).to_owned());
    let table = Table {
        headers: headers.collect(),
        rows,
    };
    table.render().trim_end().to_owned()
}
