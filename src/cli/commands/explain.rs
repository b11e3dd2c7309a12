//! `ctl explain`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::cli::context::Context;
use crate::cli::error::{CliError, FAILURE};
use crate::cli::resource::Kinds;
use crate::kinds::kind::split_api_version;
use crate::kinds::{Catalogue, Kind};
use crate::print::explain::{Question, explain, explain_v2};

/// Show the documentation of a type and its fields
///
/// Examples:
///   ctl explain pods                        the fields of Pods
///   ctl explain deploy.spec.strategy        one field, and the fields in it
///   ctl explain svc --recursive             all fields, without descriptions
///   ctl explain hpa --api-version=autoscaling/v1
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ExplainArgs {
    /// A type, and the names of fields with dots between them
    #[arg(value_name = "TYPE[.FIELD]")]
    resources: Vec<String>,
    /// List fields recursively
    #[arg(short = 'R', long)]
    recursive: bool,
    /// API group and version of the type
    #[arg(
        long,
        value_name = "GROUP/VERSION",
        default_value = "",
        hide_default_value = true
    )]
    api_version: String,
    /// Output format: plaintext or plaintext-openapiv2
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        default_value = "plaintext",
        hide_default_value = true
    )]
    output: String,
}

pub(crate) fn run(args: &ExplainArgs, context: &Context) -> Outcome {
    let resource = match args.resources.as_slice() {
        [resource] => resource,
        [] => {
            return Err(CliError::text(format!(
                "You must specify the type of resource to explain. Use \"{} api-resources\" for a complete list of \
                 supported resources.\n",
                context.program
            )));
        }
        _ => {
            return Err(CliError::text(
                "We accept only this format: explain RESOURCE\n",
            ));
        }
    };
    // kubectl ignores a trailing dot.
    let resource = resource.strip_suffix('.').unwrap_or(resource);
    if resource.is_empty() {
        let text = "a resource must be present, got: /, Resource=";
        return Err(CliError::text(text));
    }
    if !is_path(resource) {
        let text = "invalid jsonpath syntax, first node must be field node";
        return Err(CliError::text(text));
    }
    let cluster = context.api()?;
    let kinds = cluster.kinds()?;
    let parts: Vec<&str> = resource.split('.').collect();
    let Some((kind, path)) = find(&kinds, &parts, !args.api_version.is_empty()) else {
        let wanted = parts.first().copied().unwrap_or_default();
        let text = format!("the server doesn't have a resource type \"{wanted}\"");
        return Err(CliError::Bare(text).hinted(Kinds::from_cluster(Some(&cluster))?.hint(wanted)));
    };
    Kinds::from_cluster(Some(&cluster))?.warn_of_others(&parts[0].to_lowercase(), kind, context);
    // kubectl's older format reads another schema, whose errors have different texts.
    let second = args.output == "plaintext-openapiv2";
    let kind = at_version(&kinds, kind, &args.api_version, second)?;
    let answer = match args.output.as_str() {
        "plaintext" => explain,
        "plaintext-openapiv2" => explain_v2,
        other => return Err(CliError::text(format!("unrecognized format: {other}"))),
    };
    let question = Question {
        kind,
        path,
        recursive: args.recursive,
    };
    match answer(&question) {
        Ok(text) => {
            context.ui.out(&text)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(missing) => {
            // kubectl prints the head of the page before it looks for the field.
            context.ui.out(&missing.shown)?;
            context.ui.note(&missing.message);
            Ok(FAILURE.into())
        }
    }
}

/// Returns true if a name consists of fields only, as kubectl requires: no empty part, index or star.
fn is_path(resource: &str) -> bool {
    let path = resource.strip_suffix('.').unwrap_or(resource);
    let is_field = |field: &str| {
        !field.is_empty() && !field.contains(['[', ']', '*', ' ', '{', '}', '(', ')'])
    };
    path.split('.').all(is_field)
}

/// Splits a dotted name into a type and the fields after it.
fn find<'p>(
    kinds: &Catalogue,
    parts: &'p [&'p str],
    at_version: bool,
) -> Option<(&'static Kind, &'p [&'p str])> {
    let first = kinds.resolve(parts[0])?;
    // As in kubectl, a group is recognized only after the plural, and only without --api-version: `deploy.apps` is a
    // field of Deployments.
    let mut longer = (1..=parts.len()).filter_map(|length| {
        let name = parts[..length].join(".");
        let kind = kinds.resolve(&name)?;
        (kind.qualified_resource() == name).then_some((kind, &parts[length..]))
    });
    let found = longer.next().filter(|_| !at_version);
    found.or(Some((first, &parts[1..])))
}

/// Returns the type in another version. `second` selects OpenAPI v2.
fn at_version(
    kinds: &Catalogue,
    kind: &'static Kind,
    api_version: &str,
    second: bool,
) -> Result<&'static Kind, CliError> {
    if api_version.is_empty() {
        return Ok(kind);
    }
    if api_version.matches('/').count() > 1 {
        let text = format!("unexpected GroupVersion string: {api_version}");
        return Err(CliError::text(text));
    }
    let (group, version) = split_api_version(api_version);
    // kubectl's errors differ, because discovery rejects an unknown version before the schema is read.
    let served = || {
        kinds
            .all()
            .any(|k| k.group == group && k.version == version)
    };
    let plural = kind.plural;
    kinds.find_resource(group, version, plural).ok_or_else(|| {
        CliError::text(if second {
            let kind = kind.kind;
            format!("couldn't find resource for \"{group}/{version}, Kind={kind}\"")
        } else if served() {
            format!("GVR ({group}/{version}, Resource={plural}) not found in OpenAPI schema")
        } else {
            format!("couldn't find resource for \"{group}/{version}, Resource={plural}\"")
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn explain_accepts_every_name_of_a_type() {
        let shell = Shell::new();
        let whole = shell.out("explain deploy");
        assert!(
            whole.starts_with("GROUP:      apps\nKIND:       Deployment\nVERSION:    v1\n\n"),
            "{whole}"
        );
        assert_eq!(shell.out("explain deployments.apps"), whole);
        let field = shell.out("explain deployments.apps.spec.replicas");
        assert!(field.contains("FIELD: replicas <integer>"), "{field}");
        assert_eq!(shell.out("explain deployments.apps.spec.replicas."), field);
        // A group is recognized only after the plural. After any other name it is a field, which does not exist.
        for (line, field) in [
            ("explain deploy.apps", "apps"),
            ("explain deployment.v1.apps", "apps"),
            ("explain deployments.apps --api-version=apps/v1", "apps"),
            ("explain events.events.k8s.io", "io"),
        ] {
            let said = shell.run(line);
            assert_eq!(
                said.err,
                format!("error: field \"{field}\" does not exist\n"),
                "{line}"
            );
        }
        let old = shell.out("explain hpa --api-version=autoscaling/v1");
        assert!(old.contains("VERSION:    v1\n"), "{old}");
        let all = shell.out("explain pod.spec.containers.ports --recursive");
        assert!(
            all.contains("\n  containerPort\t<integer> -required-\n"),
            "{all}"
        );
    }

    #[test]
    fn unknown_field_fails_after_printing_the_header() {
        let shell = Shell::new();
        let said = shell.run("explain pod.spec.rockets");
        assert_eq!(said.code, 1);
        assert_eq!(said.out, "KIND:       Pod\nVERSION:    v1\n\n");
        assert_eq!(said.err, "error: field \"rockets\" does not exist\n");
        assert_eq!(
            shell.fails("explain rockets"),
            "the server doesn't have a resource type \"rockets\""
        );
        shell.refuses(&[
            (
                "explain a b",
                "We accept only this format: explain RESOURCE",
            ),
            ("explain pods -o odd", "unrecognized format: odd"),
            (
                "explain pods --api-version=a/b/c",
                "unexpected GroupVersion string: a/b/c",
            ),
            (
                "explain pods --api-version=apps/v9",
                "couldn't find resource for \"apps/v9, Resource=pods\"",
            ),
            (
                "explain pods --api-version=apps/v1",
                "GVR (apps/v1, Resource=pods) not found in OpenAPI schema",
            ),
        ]);
        let none = shell.fails("explain");
        assert!(
            none.contains("Use \"kubectl api-resources\" for a complete list"),
            "{none}"
        );
    }

    #[test]
    fn custom_resource_is_explained_from_its_crd() {
        let shell = Shell::new();
        shell.write(
            "crd.yaml",
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: boats.sea.io}\n\
             spec:\n  group: sea.io\n  scope: Namespaced\n  names: {plural: boats, singular: boat, kind: Boat}\n  \
             versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        \
             type: object\n        properties: {sails: {type: integer, description: How many}}\n",
        );
        let _ = shell.out("create -f @/crd.yaml");
        let out = shell.out("explain boats.sails");
        assert!(
            out.contains("FIELD: sails <integer>") && out.contains("    How many\n"),
            "{out}"
        );
    }
}
