//! `ctl autoscale`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use super::make::MakeArgs;
use crate::api::json::{Value, json};
use crate::api::quantity::Quantity;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{DryRun, RecordArgs, ResultPrinter};
use crate::cli::resource::{Builder, FileArgs, Info};
use crate::cluster::FieldValidation;

/// Scale a workload automatically with its load
///
/// Examples:
///   ctl autoscale deployment web --min=2 --max=10 --cpu=80%
///   ctl autoscale sts/db --max=5 --cpu=500m --memory=200Mi --name=db-load
///   ctl autoscale -f web.yaml --max=4 --dry-run=client -o yaml
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct AutoscaleArgs {
    /// TYPE NAME or TYPE/NAME
    resources: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    /// Name of the autoscaler; by default the object's name
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Minimum number of Pods
    #[arg(long, value_name = "COUNT", default_value_t = -1)]
    min: i32,
    /// Maximum number of Pods
    #[arg(long, value_name = "COUNT", required = true, default_value_t = -1)]
    max: i32,
    /// Target CPU utilization (80% of the requests) or average usage (500m) per Pod
    #[arg(long, value_name = "USE")]
    cpu: Option<String>,
    /// Target memory utilization (60% of the requests) or average usage (200Mi) per Pod
    #[arg(long, value_name = "USE")]
    memory: Option<String>,
    /// Deprecated: use --cpu=N%
    #[arg(long, value_name = "PERCENT", default_value_t = -1, hide = true)]
    cpu_percent: i32,
    #[command(flatten)]
    make: MakeArgs,
    #[command(flatten)]
    record: RecordArgs,
}

impl AutoscaleArgs {
    fn cpu(&self) -> Option<&str> {
        self.cpu.as_deref().filter(|text| !text.is_empty())
    }

    fn memory(&self) -> Option<&str> {
        self.memory.as_deref().filter(|text| !text.is_empty())
    }

    fn check(&self) -> Result<(), CliError> {
        let (min, max) = (self.min, self.max);
        // `--max` is required, and its default of -1 must be rejected even if it is passed explicitly.
        if max < 1 {
            return Err(CliError::text(format!(
                "--max=MAXPODS is required and must be at least 1, max: {max}"
            )));
        }
        if max < min {
            return Err(CliError::text(format!(
                "--max=MAXPODS must be larger or equal to --min=MINPODS, max: {max}, min: {min}"
            )));
        }
        if self.cpu_percent > 0 && self.cpu().is_some() {
            let text = "--cpu-percent and --cpu are mutually exclusive";
            return Err(CliError::text(text));
        }
        self.metrics().map(drop)
    }

    fn metrics(&self) -> Result<Vec<Value>, CliError> {
        let mut metrics = Vec::new();
        let metric = |resource: &str, target: Value| json!({"type": "Resource", "resource": {"name": resource, "target": target}});
        // Like kubectl, compares with more than zero, so `--cpu-percent=0` sets no metric.
        if self.cpu_percent > 0 {
            metrics.push(metric("cpu", utilization(self.cpu_percent)));
        }
        for (resource, given) in [("cpu", self.cpu()), ("memory", self.memory())] {
            if let Some(text) = given {
                metrics.push(metric(resource, target(text, resource)?));
            }
        }
        Ok(metrics)
    }

    fn autoscaler(&self, info: &Info) -> Result<Value, CliError> {
        let mut autoscaler = self.bare(info, "autoscaling/v2");
        let metrics = self.metrics()?;
        if !metrics.is_empty() {
            autoscaler["spec"]["metrics"] = json!(metrics);
        }
        // kubectl marshals a Go struct, which does not omit an empty status; `-o yaml` shows it.
        autoscaler["status"] = json!({"currentMetrics": null, "desiredReplicas": 0});
        Ok(autoscaler)
    }

    /// Returns the object in the older version, which kubectl tries if the server rejects the newer one.
    fn old_autoscaler(&self, info: &Info) -> Value {
        let mut autoscaler = self.bare(info, "autoscaling/v1");
        if self.cpu_percent >= 0 {
            autoscaler["spec"]["targetCPUUtilizationPercentage"] = json!(self.cpu_percent);
        }
        // The v1 struct has other fields that are never omitted.
        autoscaler["status"] = json!({"currentReplicas": 0, "desiredReplicas": 0});
        autoscaler
    }

    fn bare(&self, info: &Info, version: &str) -> Value {
        let name = self.name.as_deref().filter(|name| !name.is_empty());
        let mut autoscaler = json!({
            "apiVersion": version,
            "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": name.unwrap_or(&info.name)},
            "spec": {
                "maxReplicas": self.max,
                "scaleTargetRef": {
                    "apiVersion": info.kind.api_version(),
                    "kind": info.kind.kind,
                    "name": info.name,
                },
            },
        });
        // The default of the flag is -1, which leaves out the field; the API server then sets 1.
        if self.min > 0 {
            autoscaler["spec"]["minReplicas"] = json!(self.min);
        }
        autoscaler
    }

    /// Returns the reason why autoscaling/v1 cannot express the object.
    fn too_new(&self) -> Option<String> {
        let Some(cpu) = self.cpu() else {
            return Some("empty input".to_owned());
        };
        let by_percent = self.cpu_percent >= 0 || cpu.ends_with('%');
        // kubectl formats an error that is nil here.
        (!by_percent || self.memory().is_some()).then(|| "%!w(<nil>)".to_owned())
    }
}

pub(crate) fn run(args: &AutoscaleArgs, context: &Context) -> Outcome {
    let mut printer = args.make.late_printer(context)?;
    args.check()?;
    let cluster = context.api()?;
    let found = Builder::new(context, Some(&cluster))?
        .files(&args.files)
        .words(&args.resources, false)
        .find()?;
    let (mut errors, mut count) = (Vec::new(), 0);
    for item in found.in_turn() {
        match item.and_then(|info| autoscale(args, &info, &mut printer, context)) {
            Ok(()) => count += 1,
            Err(e) => errors.push(e),
        }
    }
    CliError::all(errors)?;
    match count {
        0 => Err(CliError::text("no objects passed to autoscale")),
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn autoscale(
    args: &AutoscaleArgs,
    info: &Info,
    printer: &mut ResultPrinter<'_>,
    context: &Context,
) -> Result<(), CliError> {
    let kind = info.kind;
    if !kind.subresources.iter().any(|s| s.name == "scale") {
        let (group, version, plural) = (kind.group, kind.version, kind.plural);
        return Err(CliError::text(format!(
            "cannot autoscale a {}: could not find scale subresource for {group}/{version}, \
             Resource={plural} in discovery information",
            kind.kind
        )));
    }
    let (manager, ignore) = ("kubectl-autoscale", FieldValidation::Ignore);
    // kubectl reports a client-side dry run as `created`, and everything that reaches the server as `autoscaled`.
    let done = match printer.dry_run() {
        DryRun::Client => "created",
        _ => "autoscaled",
    };
    let mut make = |object| {
        let object = args.record.mark(context, object);
        let made = args.make.send(object, manager, ignore, printer, context)?;
        printer.print_result(&made, done)
    };
    // kubectl falls back to autoscaling/v1 after any error, even if it cannot print the new object.
    match (make(args.autoscaler(info)?), args.too_new()) {
        (Ok(()), _) => Ok(()),
        (Err(_), None) => make(args.old_autoscaler(info)),
        (Err(_), Some(why)) => Err(CliError::text(format!(
            "failed to create autoscaling/v2 HPA and the configuration is incompatible with autoscaling/v1: {why}"
        ))),
    }
}

fn utilization(percent: i32) -> Value {
    json!({"type": "Utilization", "averageUtilization": percent})
}

/// Parses a utilization target: a percentage, or an amount with an optional unit.
fn target(text: &str, resource: &str) -> Result<Value, CliError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(CliError::text("empty input"));
    }
    if let Some(percent) = text.strip_suffix('%') {
        return match percent.parse::<i32>() {
            Ok(percent) if percent >= 0 => Ok(utilization(percent)),
            _ => {
                let text = format!("invalid percentage value: {percent}");
                Err(CliError::text(text))
            }
        };
    }
    // Unlike in a quantity, a bare number has the usual unit of the resource.
    let unit = if resource == "cpu" { "m" } else { "Mi" };
    let amount = match text.parse::<f64>() {
        Ok(number) => format!("{number}{unit}"),
        Err(_) => text.to_owned(),
    };
    let quantity = Quantity::parse(&amount)
        .map_err(|_| CliError::text(format!("invalid resource {resource} value: {text}")))?;
    Ok(json!({"type": "AverageValue", "averageValue": quantity.to_string()}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn targets_are_percentages_or_amounts() {
        let amount = |text: &str| json!({"type": "AverageValue", "averageValue": text});
        for (text, resource, expected) in [
            ("80%", "cpu", utilization(80)),
            ("500m", "cpu", amount("500m")),
            ("500", "cpu", amount("500m")),
            ("2000", "cpu", amount("2")),
            ("200", "memory", amount("200Mi")),
            (" 1Gi ", "memory", amount("1Gi")),
        ] {
            assert_eq!(target(text, resource).unwrap(), expected, "{text}");
        }
        let error = |text: &str| target(text, "cpu").unwrap_err().to_string();
        assert_eq!(error("x%"), "invalid percentage value: x");
        assert_eq!(error("-1%"), "invalid percentage value: -1");
        assert_eq!(error("x"), "invalid resource cpu value: x");
        assert_eq!(error(" "), "empty input");
    }

    #[test]
    fn a_result_that_cannot_be_printed_leads_to_the_old_version() {
        let shell = Shell::new();
        let _ = shell.out("create deployment web --image=i");
        let line = "autoscale deployment web --max=3 -o wide";
        assert_eq!(
            shell.fails(line),
            "error: failed to create autoscaling/v2 HPA and the configuration is incompatible with autoscaling/v1: empty \
             input"
        );
        let exists = "Error from server (AlreadyExists): horizontalpodautoscalers.autoscaling \"web\" already exists";
        assert_eq!(shell.fails(&format!("{line} --cpu=80%")), exists);
    }

    #[test]
    fn autoscaler_is_created_only_for_scalable_objects() {
        let shell = Shell::new();
        shell.all(&["create deployment web --image=i", "create configmap c"]);
        let made = shell
            .made("autoscale deployment web --min=2 --max=5 --cpu=80% --memory=200Mi --name=h");
        assert_eq!(made["metadata"]["name"], "h");
        assert_eq!(
            (&made["spec"]["minReplicas"], &made["spec"]["maxReplicas"]),
            (&json!(2), &json!(5))
        );
        assert_eq!(
            made["spec"]["metrics"],
            json!([
                {"type": "Resource", "resource": {"name": "cpu",
                    "target": {"type": "Utilization", "averageUtilization": 80}}},
                {"type": "Resource", "resource": {"name": "memory",
                    "target": {"type": "AverageValue", "averageValue": "200Mi"}}},
            ])
        );
        let out = shell.out("autoscale deployment web --max=5 --cpu=80%");
        assert_eq!(out, "horizontalpodautoscaler.autoscaling/web autoscaled\n");
        shell.refuses(&[
            (
                "autoscale deployment web",
                "required flag(s) \"max\" not set",
            ),
            (
                "autoscale deployment web --cpu-percent=3",
                "Flag --cpu-percent has been deprecated, Use --cpu with percentage or resource quantity format (e.g., \
                 '70%' for utilization or '500m' for milliCPU).\nerror: required flag(s) \"max\" not set",
            ),
            (
                "autoscale deployment web --max=0",
                "--max=MAXPODS is required and must be at least 1, max: 0",
            ),
            (
                "autoscale deployment web --max=2 --min=3",
                "--max=MAXPODS must be larger or equal to --min=MINPODS, max: 2, min: 3",
            ),
        ]);
        let both = shell.fails("autoscale deployment web --max=2 --cpu=1 --cpu-percent=2");
        assert!(
            both.ends_with("error: --cpu-percent and --cpu are mutually exclusive"),
            "{both}"
        );
        let none = shell.fails("autoscale configmap c --max=2");
        assert!(none.contains("ConfigMap"), "{none}");
    }
}
