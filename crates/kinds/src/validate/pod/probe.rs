//! Probes, lifecycle hooks, and the handlers of both.

use super::super::common::{port_number, port_or_name, required_one_of, required_text};
use super::super::errors::Errors;
use super::super::meta::nonnegative_field;
use super::super::names;
use super::super::path::Path;
use crate::api::json::{Value, json};
use crate::tree::{field, has, int, len, list, opt_int, text};

/// Validates the lifecycle hooks of a container.
pub(crate) fn lifecycle(path: &Path<'_>, hooks: &Value, grace_period: i64, errors: &mut Errors) {
    for name in ["postStart", "preStop"] {
        if has(hooks, name) {
            handler(&path.child(name), field(hooks, name), grace_period, errors);
        }
    }
}

/// Validates the three probes of a container at `path`.
pub(crate) fn probes(path: &Path<'_>, container: &Value, grace_period: i64, errors: &mut Errors) {
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if !has(container, name) {
            continue;
        }
        let (path, probe) = (path.child(name), field(container, name));
        self::probe(&path, probe, grace_period, errors);
        if name == "readinessProbe" {
            // A failed readiness probe does not terminate the container, so a grace period has no meaning.
            if has(probe, "terminationGracePeriodSeconds") {
                errors.invalid(
                    &path.child("terminationGracePeriodSeconds"),
                    field(probe, "terminationGracePeriodSeconds"),
                    "must not be set for readinessProbes",
                );
            }
        // One success ends a startup probe, and a failed liveness probe restarts the container: neither counts
        // successes.
        } else if int(probe, "successThreshold") != 1 {
            let threshold = int(probe, "successThreshold");
            errors.invalid(
                &path.child("successThreshold"),
                &json!(threshold),
                "must be 1",
            );
        }
    }
}

fn probe(path: &Path<'_>, probe: &Value, grace_period: i64, errors: &mut Errors) {
    handler(path, probe, grace_period, errors);
    for name in [
        "initialDelaySeconds",
        "timeoutSeconds",
        "periodSeconds",
        "successThreshold",
        "failureThreshold",
    ] {
        nonnegative_field(path, probe, name, errors);
    }
    let own = opt_int(probe, "terminationGracePeriodSeconds");
    if let Some(seconds) = own.filter(|seconds| *seconds <= 0) {
        errors.invalid(
            &path.child("terminationGracePeriodSeconds"),
            &json!(seconds),
            "must be greater than 0",
        );
    }
}

fn handler(path: &Path<'_>, handler: &Value, grace_period: i64, errors: &mut Errors) {
    let mut count = 0;
    for name in ["exec", "httpGet", "tcpSocket", "grpc", "sleep"] {
        if !has(handler, name) {
            continue;
        }
        count += 1;
        let path = path.child(name);
        if count > 1 {
            // Only the first handler is validated; each further one is only rejected.
            errors.forbidden(&path, "may not specify more than 1 handler type");
            continue;
        }
        let action = field(handler, name);
        match name {
            "exec" if len(action, "command") == 0 => errors.required(&path.child("command"), ""),
            "exec" => {}
            "httpGet" => http_get(&path, action, errors),
            "tcpSocket" => port_or_name(&path.child("port"), field(action, "port"), errors),
            "grpc" => port_number(&path.child("port"), int(action, "port"), errors),
            _ => sleep(&path, int(action, "seconds"), grace_period, errors),
        }
    }
    if count == 0 {
        errors.required(path, "must specify a handler type");
    }
}

fn http_get(path: &Path<'_>, action: &Value, errors: &mut Errors) {
    required_text(path, action, "path", errors);
    port_or_name(&path.child("port"), field(action, "port"), errors);
    required_one_of(path, action, "scheme", &["HTTP", "HTTPS"], errors);
    for header in list(action, "httpHeaders") {
        let name = text(header, "name");
        // Upstream's path contains neither the index nor the name of the field.
        errors.invalid_each(&path.child("httpHeaders"), name, names::http_header(name));
    }
}

fn sleep(path: &Path<'_>, seconds: i64, grace_period: i64, errors: &mut Errors) {
    if seconds < 0 || seconds > grace_period {
        let detail = format!(
            "must be non-negative and less than terminationGracePeriodSeconds ({grace_period})"
        );
        errors.invalid(path, &json!(seconds), &detail);
    }
}
