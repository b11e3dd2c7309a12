//! `ctl set image`.

use clap::Args;
use serde_json::{Value, json};

use super::{CommonArgs, pod_spec, selected};
use crate::cli::commands::{Outcome, pairs};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::RecordArgs;
use crate::cli::resource::Info;

/// Update the image of a pod template
///
/// Examples:
///   ctl set image deployment/web nginx=nginx:1.26
///   ctl set image deployments,rc nginx=nginx:1.26 --all
///   ctl set image daemonset agent '*=fluentd:v1.17'
///   ctl set image -f web.yaml nginx=nginx:1.26 --local -o yaml
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct ImageArgs {
    /// TYPE NAME or TYPE/NAME, then CONTAINER=IMAGE for each container
    words: Vec<String>,
    #[command(flatten)]
    common: CommonArgs,
    #[command(flatten)]
    record: RecordArgs,
}

pub(super) fn run(args: &ImageArgs, context: &Context) -> Outcome {
    let (resources, changes) = pairs::split(&args.words, "image")?;
    args.common.check(resources, context)?;
    if changes.is_empty() {
        return Err(CliError::text("at least one image update is required"));
    }
    let images: Vec<(&str, &str)> = changes.iter().filter_map(|c| c.split_once('=')).collect();
    if images.len() > 1 && images.iter().any(|(name, _)| *name == "*") {
        let text = "all containers are already specified by *, but saw more than one \
                    container_name=container_image pairs";
        return Err(CliError::text(text));
    }
    let change = &mut |info: &Info| Ok(args.record.mark(context, changed(info, &images)?));
    args.common
        .change(resources, context, "image updated", change)
}

fn changed(info: &Info, images: &[(&str, &str)]) -> Result<Value, CliError> {
    let mut object = info.object.clone();
    let spec = pod_spec(info, &mut object)?;
    let mut missing = Vec::new();
    for (name, image) in images {
        let mut found = false;
        for list in ["initContainers", "containers"] {
            for container in selected(spec, list, name) {
                container["image"] = json!(image);
                found = true;
            }
        }
        if !found {
            let text = format!("unable to find container named {name:?}");
            missing.push(CliError::text(text));
        }
    }
    CliError::all(missing)?;
    Ok(object)
}
