//! `ctl set image`.

use clap::Args;

use super::{CommonArgs, LISTS, Way, pod_spec};
use crate::api::json::{Value, json};
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
    let cluster = args.common.cluster(context)?;
    let found = args.common.find(resources, cluster.as_ref(), context)?;
    let mut wrong = Vec::new();
    wrong.extend(args.common.check(resources, context).err());
    let images: Vec<(&str, &str)> = changes.iter().filter_map(|c| c.split_once('=')).collect();
    if images.is_empty() {
        wrong.push(CliError::text("at least one image update is required"));
    } else if images.len() > 1 && images.iter().any(|(name, _)| *name == "*") {
        wrong.push(CliError::text(
            "all containers are already specified by *, but saw more than one \
             container_name=container_image pairs",
        ));
    }
    CliError::all(wrong)?;
    let way = Way {
        done: "image updated",
        failed: "failed to patch image update to pod template: ",
        always: false,
    };
    let change = &mut |info: &Info, missing: &mut Vec<CliError>| {
        Ok(args.record.mark(context, changed(info, &images, missing)?))
    };
    args.common
        .change(found, (cluster.as_ref(), context), &way, change)
}

fn changed(
    info: &Info,
    images: &[(&str, &str)],
    missing: &mut Vec<CliError>,
) -> Result<Value, CliError> {
    let mut object = info.object.clone();
    let spec = pod_spec(info, &mut object)?;
    for (name, image) in images {
        let mut found = false;
        for list in LISTS {
            let containers = spec.get_mut(list).and_then(Value::as_array_mut);
            let meant = |c: &&mut Value| *name == "*" || c["name"] == *name;
            for container in containers.into_iter().flatten().filter(meant) {
                container["image"] = json!(image);
                found = true;
            }
        }
        if !found {
            let text = format!("error: unable to find container named {name:?}");
            missing.push(CliError::text(text));
        }
    }
    Ok(object)
}
