//! Rejects Helm charts, which kubectl does not inflate.

use super::kustomization::Kustomization;
use super::{KustomizeError, Result};
use crate::api::json::Value;
use crate::api::yaml;

/// The fields of the deprecated chart list that are renamed, with their new names.
const OLD_NAMES: [(&str, &str); 7] = [
    ("chartName", "name"),
    ("chartVersion", "version"),
    ("chartRepoUrl", "repo"),
    ("values", "valuesFile"),
    ("valuesLocal", "valuesInline"),
    ("valuesMerge", "valuesMerge"),
    ("releaseName", "releaseName"),
];

/// The fields of the deprecated chart list that apply to all charts, with their new names.
const OLD_GLOBALS: [(&str, &str); 2] = [("chartHome", "chartHome"), ("helmHome", "configHome")];

/// Rejects a kustomization that contains a chart: kubectl has no `--enable-helm`.
pub(super) fn refuse(kustomization: &Kustomization) -> Result<()> {
    let old = &kustomization.helm_chart_inflation_generator;
    let renamed = old.first().map(|chart| renamed(chart, &OLD_NAMES));
    // kustomize appends the deprecated list and stops at the first chart.
    let first = kustomization.helm_charts.first().cloned().or(renamed);
    let Some(mut config) = first else {
        return Ok(());
    };
    // The deprecated fields count only if the new one is absent. The last chart wins.
    let mut globals = kustomization.helm_globals.clone();
    if globals.is_null() {
        let own = old.iter().map(|chart| renamed_map(chart, &OLD_GLOBALS));
        globals = Value::Object(own.flatten().collect());
    }
    if let (Some(config), Value::Object(globals)) = (config.as_object_mut(), globals) {
        config.extend(globals);
        config.retain(|_, value| !is_zero(value));
    }
    Err(KustomizeError::new(format!(
        "trouble configuring builtin HelmChartInflationGenerator with config: `\n{}`: must specify --enable-helm",
        yaml::to_string(&config)
    )))
}

fn renamed(chart: &Value, names: &[(&str, &str)]) -> Value {
    Value::Object(renamed_map(chart, names).collect())
}

fn renamed_map<'a>(
    chart: &'a Value,
    names: &'a [(&str, &str)],
) -> impl Iterator<Item = (String, Value)> + use<'a> {
    let present = names.iter().filter(|(old, _)| !is_zero(&chart[*old]));
    present.map(|(old, new)| ((*new).to_owned(), chart[*old].clone()))
}

/// Returns true if Go omits the value from the text.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}
