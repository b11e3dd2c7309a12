//! `ctl top pod`.

use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;

use super::usage::{self, check_order, headers, most_first, row, shown_cpu, shown_memory};
use crate::api::json::Value;
use crate::api::status::Status;
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::Span;
use crate::cluster::{Cluster, ListOptions, Place};
use crate::kinds;
use crate::kinds::tree::{field, text};
use crate::kinds::usage::{PodUsage, Usage};
use crate::print::sort::by_key;
use crate::print::tabwriter::TABLE;

/// Show the resource usage of Pods
///
/// The annotations ctl.dev/cpu-usage and ctl.dev/memory-usage of Pods set the usage.
///
/// Examples:
///   ctl top pod web-0 --containers
///   ctl top pod -l app=web --sum
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct PodArgs {
    /// A Pod
    words: Vec<String>,
    /// Label selector of Pods
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Field selector of Pods
    #[arg(long, value_name = "SELECTOR")]
    field_selector: Option<String>,
    /// Select objects in all namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,
    /// Show usage per container
    #[arg(long)]
    containers: bool,
    /// Sort in descending order of: cpu or memory
    #[arg(long, value_name = "WHAT")]
    sort_by: Option<String>,
    /// Add a line with the sum
    #[arg(long)]
    sum: bool,
    /// Do not print headers
    #[arg(long)]
    no_headers: bool,
    /// Show the swap usage, which fake nodes do not have
    #[arg(long)]
    show_swap: bool,
    /// Has no effect on a cluster in a directory
    #[arg(long, hide = true, default_value_t = true, action = clap::ArgAction::Set)]
    use_protocol_buffers: bool,
}

impl PodArgs {
    fn labels(&self) -> &str {
        self.selector.as_deref().unwrap_or_default()
    }

    fn fields(&self) -> &str {
        self.field_selector.as_deref().unwrap_or_default()
    }
}

pub(super) fn run(args: &PodArgs, context: &Context) -> Outcome {
    if args.words.len() > 1 {
        return Err(context.usage("pod [NAME | -l label]"));
    }
    let name = args.words.first().map(String::as_str).unwrap_or_default();
    check_order(args.sort_by.as_deref())?;
    let selects = !args.labels().is_empty() || !args.fields().is_empty();
    if selects && !name.is_empty() {
        let text = "only one of NAME or selector can be provided";
        return Err(CliError::text(text));
    }
    usage::check_selectors("Pod", args.labels(), args.fields())?;
    let cluster = context.api()?;
    // Usage is read before Pods: kubectl requests the metrics first and reports only that error if there are none.
    let administered = context.open_as_administrator()?;
    let all = usage::of_all(&administered)?;
    let namespace = match args.all_namespaces {
        true => String::new(),
        false => context.namespace()?,
    };
    if args.all_namespaces && !name.is_empty() {
        let text = "an empty namespace may not be set when a resource name is provided";
        return Err(CliError::text(text));
    }
    usage::authorize(&cluster, "pods", name, &namespace)?;
    // A field selector selects Pods rather than their metrics, so the Pods are selected and joined with the metrics by
    // name.
    let meant = meant(args, name, &namespace, &administered)?;
    let is_meant = |pod: &PodUsage| {
        let own = |p: &Value| key(p) == (&pod.namespace, &pod.name);
        meant.iter().any(own)
    };
    let mut used: Vec<PodUsage> = all.into_iter().filter(is_meant).collect();
    if used.is_empty() {
        if !name.is_empty() {
            let name = format!("{namespace}/{name}");
            return Err(Status::not_found("podmetrics.metrics.k8s.io", &name).into());
        }
        // kubectl then looks for Pods: Pods without metrics are an error, no Pods are not.
        if !meant.is_empty() {
            return Err(CliError::text(why_not(&meant, cluster.now()?)));
        }
        context.ui.note(&match args.all_namespaces {
            true => "No resources found".to_owned(),
            false => format!("No resources found in {namespace} namespace."),
        });
        return Ok(ExitCode::SUCCESS);
    }
    let order = args.sort_by.as_deref();
    // Without `--sort-by`, all keys are equal and the Pods keep their order.
    used = by_key(used, |pod| most_first(order, &pod.total()));
    context.ui.out(&TABLE.apply(&table(args, &mut used)))?;
    Ok(ExitCode::SUCCESS)
}

/// The age in seconds up to which a Pod may lack metrics.
// kubectl's `metricsCreationDelay`: a younger Pod may not have been scraped yet.
const DELAY: i64 = 120;

fn key(pod: &Value) -> (&str, &str) {
    let metadata = field(pod, "metadata");
    (text(metadata, "namespace"), text(metadata, "name"))
}

/// Returns the reason why none of the Pods has metrics.
fn why_not(pods: &[Value], now: Timestamp) -> String {
    let age = |pod: &Value| {
        let made = text(field(pod, "metadata"), "creationTimestamp");
        made.parse()
            .map_or(0, |made: Timestamp| now.duration_since(made).as_secs())
    };
    match pods.iter().find(|pod| age(pod) > DELAY) {
        Some(old) => {
            let ((namespace, name), age) = (key(old), Span::seconds(age(old)));
            format!("Metrics not available for pod {namespace}/{name}, age: {age}")
        }
        None => "metrics not available yet".to_owned(),
    }
}

/// Returns the selected Pods, whether or not they have metrics.
fn meant(
    args: &PodArgs,
    name: &str,
    namespace: &str,
    cluster: &Cluster,
) -> Result<Vec<Value>, CliError> {
    let Some(kind) = kinds::find("", "v1", "Pod") else {
        return Ok(Vec::new());
    };
    let options = ListOptions {
        labels: args.labels().to_owned(),
        fields: args.fields().to_owned(),
        ..ListOptions::default()
    };
    let place = Place::new(kind, namespace);
    let mut pods = cluster.select(&place, &options)?.items;
    pods.retain(|pod| name.is_empty() || key(pod).1 == name);
    Ok(pods)
}

fn table(args: &PodArgs, used: &mut [PodUsage]) -> String {
    let mut first = Vec::new();
    if args.all_namespaces {
        first.push("NAMESPACE");
    }
    if args.containers {
        first.push("POD");
    }
    let lead = first.len();
    let mut out = String::new();
    if !args.no_headers {
        let swap: &[&str] = if args.show_swap {
            &["SWAP(bytes)"]
        } else {
            &[]
        };
        out += &headers(&[&first[..], &["NAME", "CPU(cores)", "MEMORY(bytes)"], swap].concat());
    }
    let order = args.sort_by.as_deref();
    let mut sum = Usage::NONE;
    for pod in used {
        let mut cells = Vec::new();
        if args.all_namespaces {
            cells.push(pod.namespace.clone());
        }
        let mut push = |cells: &[String], name: &str, usage: &Usage| {
            let last = [name.to_owned(), shown_cpu(usage), shown_memory(usage)];
            out += &row(&[cells, &last, &swap(args)].concat());
        };
        let total = pod.total();
        sum.add(&total);
        if !args.containers {
            push(&cells, &pod.name, &total);
            continue;
        }
        cells.push(pod.name.clone());
        // kubectl sorts containers by name or else by usage alone; Pods keep their order without `--sort-by`.
        match order {
            None | Some("") => pod.containers.sort_by(|(a, _), (b, _)| a.cmp(b)),
            order => {
                let all = std::mem::take(&mut pod.containers);
                pod.containers = by_key(all, |(_, used)| most_first(order, used));
            }
        }
        pod.containers
            .iter()
            .for_each(|(name, used)| push(&cells, name, used));
    }
    if args.sum {
        // kubectl counts the columns of the namespace and the Pod only while it prints headers.
        let lead = if args.no_headers { 0 } else { lead } + swap(args).len();
        let blank = |count: usize| vec![String::new(); count];
        let line = "________".to_owned();
        out += &row(&[blank(lead + 1), vec![line.clone(), line]].concat());
        let last = vec![String::new(), shown_cpu(&sum), shown_memory(&sum)];
        out += &row(&[blank(lead), last, swap(args)].concat());
    }
    out
}

/// Returns the cell of `--show-swap`.
fn swap(args: &PodArgs) -> Vec<String> {
    let cell = args.show_swap.then(|| "0Mi".to_owned());
    cell.into_iter().collect()
}

#[cfg(test)]
pub(super) mod tests {
    use crate::cli::testing::Shell;

    /// Returns a shell with two Pods that declare their usage and one that does not.
    pub(in crate::cli::commands::top) fn shell() -> Shell {
        let shell = Shell::empty();
        let pod = |name: &str, usage: &str| {
            format!(
                "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, labels: {{app: {name}}}, annotations: {{{usage}}}}}\n\
                 spec: {{containers: [{{name: c, image: i}}, {{name: d, image: i}}]}}\n---\n"
            )
        };
        let text = pod(
            "busy",
            "ctl.dev/cpu-usage: 300m, ctl.dev/memory-usage: 64Mi",
        ) + &pod(
            "fat",
            "ctl.dev/cpu-usage: 100m, ctl.dev/memory-usage: 512Mi",
        ) + &pod("mute", "");
        shell.write("pods.yaml", text);
        shell.all(&[
            "cluster init --clock virtual --seed 7 --nodes 1",
            "create -f @/pods.yaml",
            "settle",
        ]);
        shell
    }

    fn cells(shell: &Shell, line: &str) -> Vec<Vec<String>> {
        let out = shell.out(line);
        let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect();
        out.lines().map(cells).collect()
    }

    #[test]
    fn top_pod_lists_pods_with_metrics_and_their_containers() {
        let shell = shell();
        let all = cells(&shell, "top pod");
        assert_eq!(all[0], ["NAME", "CPU(cores)", "MEMORY(bytes)"]);
        let names: Vec<&str> = all[1..].iter().map(|row| row[0].as_str()).collect();
        assert_eq!(names, ["busy", "fat"]);
        let each = cells(&shell, "top pod busy --containers");
        assert_eq!(each[0], ["POD", "NAME", "CPU(cores)", "MEMORY(bytes)"]);
        assert_eq!(
            (each.len(), each[1][1].as_str(), each[2][1].as_str()),
            (3, "c", "d")
        );
        assert_eq!(cells(&shell, "top po -A --no-headers")[0][0], "default");
    }

    #[test]
    fn sort_by_puts_the_highest_first_and_sum_last() {
        let shell = shell();
        let first =
            |order: &str| cells(&shell, &format!("top pod --no-headers {order}"))[0][0].clone();
        assert_eq!(first("--sort-by=cpu"), "busy");
        assert_eq!(first("--sort-by=memory"), "fat");
        let sum = cells(&shell, "top pod --sum");
        let last = sum.last().unwrap();
        let number = |text: &str| {
            text.trim_end_matches(|c: char| c.is_alphabetic())
                .parse::<i64>()
                .unwrap()
        };
        let column = |at: usize| sum[1..=2].iter().map(|row| number(&row[at])).sum::<i64>();
        assert_eq!((number(&last[0]), number(&last[1])), (column(1), column(2)));
        assert_eq!(sum[sum.len() - 2], ["________", "________"]);
    }

    #[test]
    fn containers_of_equal_usage_keep_their_order_if_sorted() {
        let shell = shell();
        shell.write(
            "twin.yaml",
            "apiVersion: v1\nkind: Pod\nmetadata: {name: twin, annotations: {ctl.dev/cpu-usage: 100m, \
             ctl.dev/memory-usage: 64Mi}}\nspec: {containers: [{name: z, image: i}, {name: a, image: i}]}\n",
        );
        shell.all(&["create -f @/twin.yaml", "settle"]);
        let names = |flags: &str| {
            let rows = cells(
                &shell,
                &format!("top pod twin --containers --no-headers {flags}"),
            );
            rows.iter().map(|row| row[1].clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(""), ["a", "z"]);
        assert_eq!(names("--sort-by=cpu"), ["z", "a"]);
    }

    #[test]
    fn show_swap_adds_a_column() {
        let shell = shell();
        assert_eq!(
            cells(&shell, "top pod busy --show-swap --containers")[..2],
            [
                vec!["POD", "NAME", "CPU(cores)", "MEMORY(bytes)", "SWAP(bytes)"],
                vec!["busy", "c", "300m", "64Mi", "0Mi"],
            ]
        );
        // kubectl counts the columns from the right and underlines only two of the three.
        let sum = shell.out("top pod busy --show-swap --sum");
        let lines: Vec<&str> = sum.lines().collect();
        assert_eq!(lines[2].find("________"), lines[0].find("MEMORY"), "{sum}");
        assert_eq!(lines[3].split_whitespace().last(), Some("0Mi"));
    }

    #[test]
    fn metrics_have_rights_of_their_own() {
        let shell = shell();
        shell.refuses(&[(
            "top pod --as=bob",
            "Error from server (Forbidden): pods.metrics.k8s.io is forbidden: User \"bob\" cannot list resource \"pods\" \
             in API group \"metrics.k8s.io\" in the namespace \"default\"",
        )]);
        shell.write(
            "role.yaml",
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: meter}\n\
             rules: [{apiGroups: [metrics.k8s.io], resources: [pods], verbs: [list]}]\n",
        );
        shell.all(&[
            "create -f @/role.yaml",
            "create clusterrolebinding meter --clusterrole=meter --user=bob",
        ]);
        assert_eq!(shell.out("top pod --as=bob"), shell.out("top pod"));
    }

    #[test]
    fn missing_metrics_are_reported_with_a_reason() {
        let shell = shell();
        shell.refuses(&[
            (
                "top pod mute",
                "Error from server (NotFound): podmetrics.metrics.k8s.io \"default/mute\" not found",
            ),
            ("top pod -l app=mute", "metrics not available yet"),
            ("top pod --sort-by=odd", "--sort-by accepts only cpu or memory"),
            ("top pod busy -l app=busy", "only one of NAME or selector can be provided"),
            (
                "top pod busy -A",
                "an empty namespace may not be set when a resource name is provided",
            ),
            ("top pod a b", "pod [NAME | -l label]\nSee 'kubectl top pod -h' for help and examples"),
        ]);
        let said = shell.run("top pod -l app=none");
        assert_eq!(
            (said.code, said.err.as_str()),
            (0, "No resources found in default namespace.\n")
        );
        let made = shell.out("get pod mute -o jsonpath={.metadata.creationTimestamp}");
        let _ = shell.out("clock advance 10m");
        let old = shell.fails("top pod -l app=mute");
        assert!(
            old.starts_with("error: Metrics not available for pod default/mute, age: 10m"),
            "{made} {old}"
        );
        let none = Shell::new();
        none.refuses(&[
            ("top pod", "Metrics API not available"),
            ("top pod --as=bob", "Metrics API not available"),
            (
                "top pod -l 'app in'",
                "unable to parse requirement: found '' expected: '('",
            ),
            (
                "top pod --field-selector=a",
                "invalid selector: 'a'; can't understand 'a'",
            ),
            (
                "top node -l 'app in'",
                "unable to parse requirement: found '' expected: '('",
            ),
            ("top node", "Metrics API not available"),
        ]);
    }
}
