//! `ctl apply -f`: what kubectl does on the client, from the last applied configuration.

use clap::Args;
use serde_json::{Value, json};

use super::Outcome;
use super::writes::{self, WriteFlags};
use crate::api::patch::diff::{merge_three_way, strategic_three_way};
use crate::api::status::Status;
use crate::cli::context::{Context, Scope};
use crate::cli::manifest::{Manifest, ManifestArgs};
use crate::cluster::{Answer, ApiError, Cluster, PatchType, WriteOptions};
use crate::kinds::schema::strategic_shape;
use crate::print::json::one_line;

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Make objects what a file, a directory or standard input says
///
/// Example: ctl apply -f web.yaml
#[derive(Args, Debug)]
pub(crate) struct ApplyArgs {
    #[command(flatten)]
    manifests: ManifestArgs,
    #[command(flatten)]
    scope: Scope,
    #[command(flatten)]
    flags: WriteFlags,
}

pub(crate) fn run(args: &ApplyArgs, context: &Context) -> Outcome {
    let (manifests, flags) = (&args.manifests, &args.flags);
    let doing = ("applying", "kubectl-client-side-apply");
    writes::each(manifests, &args.scope, flags, context, doing, apply)
}

fn apply(
    cluster: &Cluster,
    manifest: &Manifest,
    options: &WriteOptions,
) -> Result<(Answer, &'static str), ApiError> {
    let modified = annotated(manifest);
    match cluster.get(&manifest.place, manifest.name()) {
        Err(e) if e.status().is_some_and(|s| s.reason == "NotFound") => Ok((
            cluster.create(&manifest.place, &modified, options)?,
            "created",
        )),
        Err(e) => Err(e),
        Ok(live) => {
            let (how, patch) = three_way(manifest, &modified, &live)?;
            if patch == json!({}) {
                return Ok((
                    Answer {
                        object: live,
                        warnings: Vec::new(),
                        changed: false,
                        gone: false,
                    },
                    "unchanged",
                ));
            }
            let how = (how, &patch);
            let answer = cluster.patch(&manifest.place, manifest.name(), how, false, options)?;
            let done = if answer.changed || options.dry_run {
                "configured"
            } else {
                "unchanged"
            };
            Ok((answer, done))
        }
    }
}

/// The configuration with itself as the annotation that the next apply compares with.
fn annotated(manifest: &Manifest) -> Value {
    let mut plain = manifest.object.clone();
    if manifest.place.kind.namespaced {
        plain["metadata"]["namespace"] = json!(manifest.place.namespace);
    }
    if !plain["metadata"]["annotations"].is_object() {
        plain["metadata"]["annotations"] = json!({});
    }
    if let Some(annotations) = plain["metadata"]["annotations"].as_object_mut() {
        annotations.remove(LAST_APPLIED);
    }
    let text = one_line(&plain) + "\n";
    plain["metadata"]["annotations"][LAST_APPLIED] = json!(text);
    plain
}

fn three_way(
    manifest: &Manifest,
    modified: &Value,
    live: &Value,
) -> Result<(PatchType, Value), ApiError> {
    let last = live["metadata"]["annotations"][LAST_APPLIED].as_str();
    let last: Value = last
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or(json!({}));
    let Some(shape) = strategic_shape(manifest.place.kind) else {
        return Ok((PatchType::Merge, merge_three_way(&last, modified, live)));
    };
    let patch = strategic_three_way(&last, modified, live, &shape)
        .map_err(|e| Status::bad_request(e.to_string()))?;
    Ok((PatchType::Strategic, patch))
}
