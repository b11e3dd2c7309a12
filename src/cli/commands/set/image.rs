//! `ctl set image`.

use clap::Args;

use super::{CommonArgs, LISTS, LabelArgs, ResultRules, pod_spec};
use crate::api::json::{Value, json};
use crate::cli::commands::{Outcome, pairs};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::RecordArgs;
use crate::cli::resource::Info;

/// Update the image of a Pod template
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
    labels: LabelArgs,
    #[command(flatten)]
    common: CommonArgs,
    #[command(flatten)]
    record: RecordArgs,
}

pub(super) fn run(args: &ImageArgs, context: &Context) -> Outcome {
    args.common.check_modes(context)?;
    let (resources, changes) = pairs::split(&args.words, "image")?;
    let cluster = args.common.cluster(context)?;
    let found = args
        .common
        .find(resources, &args.labels, cluster.as_ref(), context)?;
    let mut wrong = Vec::new();
    // kubectl reports all mistakes in the arguments at once.
    wrong.extend(args.common.check(resources, &args.labels).err());
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
    let rules = ResultRules {
        done: "image updated",
        failed: "failed to patch image update to pod template: ",
        always: false,
    };
    let change = &mut |info: &Info, missing: &mut Vec<CliError>| {
        Ok(args.record.mark(context, changed(info, &images, missing)?))
    };
    args.common
        .change(found, cluster.as_ref(), context, &rules, change)
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
            // Only a lone `*` is a pattern here.
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

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  \
                       containers: [{name: a, image: a:1}, {name: b, image: b:1}]\n  \
                       initContainers: [{name: c, image: c:1}]\n";

    fn images(shell: &Shell, pairs: &str) -> (String, String, String) {
        let pod = shell.json(&format!("set image -f @/pod.yaml --local {pairs}"));
        let image = |path: &str| pod.pointer(path).unwrap().as_str().unwrap().to_owned();
        (
            image("/spec/containers/0/image"),
            image("/spec/containers/1/image"),
            image("/spec/initContainers/0/image"),
        )
    }

    #[test]
    fn set_image_covers_init_containers_and_wildcard() {
        let shell = Shell::empty();
        shell.write("pod.yaml", POD);
        let owned = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(images(&shell, "b=b:2 c=c:2"), owned("a:1", "b:2", "c:2"));
        assert_eq!(images(&shell, "*=x:3"), owned("x:3", "x:3", "x:3"));
    }

    #[test]
    fn unchanged_image_sends_and_prints_nothing() {
        let shell = Shell::new();
        let _ = shell.out("create deployment web --image=nginx:1");
        let changed = || shell.json("get deployment web")["metadata"]["generation"].clone();
        assert_eq!(shell.out("set image deployment/web nginx=nginx:1"), "");
        assert_eq!(changed(), json!(1));
        let out = shell.out("set image deploy web nginx=nginx:2");
        assert_eq!(out, "deployment.apps/web image updated\n");
        assert_eq!(changed(), json!(2));
        let out = shell.out("set image deploy --all *=nginx:3 --dry-run=server");
        assert_eq!(out, "deployment.apps/web image updated (server dry run)\n");
        assert_eq!(changed(), json!(2));
        shell.write("pod.yaml", POD);
        assert_eq!(
            shell.out("set image -f @/pod.yaml --local a=a:1 -o yaml"),
            ""
        );
    }

    #[test]
    fn several_image_errors_are_reported_together() {
        let shell = Shell::new();
        shell.write("pod.yaml", POD);
        let _ = shell.out("create deployment web --image=nginx:1");
        shell.refuses(&[
            ("set image deploy/web", "at least one image update is required"),
            (
                "set image deploy/web nginx=a *=b",
                "all containers are already specified by *, but saw more than one \
                 container_name=container_image pairs",
            ),
            (
                "set image deploy/web nginx=a deploy/other",
                "all resources must be specified before image changes: deploy/other",
            ),
            ("set image deploy/web other=a", "unable to find container named \"other\""),
            (
                "set image deploy/web other=a another=b",
                "unable to find container named \"other\"\n\
                 error: unable to find container named \"another\"",
            ),
            (
                "set image pod/p a=b --local",
                "you must specify resources by --filename when --local is set.\n\
                 Example resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'",
            ),
            (
                "set image -f @/pod.yaml --local --dry-run=server a=b",
                "cannot specify --local and --dry-run=server - did you mean --dry-run=client?",
            ),
            (
                "set image deploy --all -l a=b nginx=c",
                "cannot set --all and --selector at the same time",
            ),
        ]);
        let _ = shell.out("create configmap c");
        assert_eq!(
            shell.fails("set image configmap/c a=b"),
            "error: configmaps/c the object is not a pod or does not have a pod template: *v1.ConfigMap"
        );
        shell.write(
            "c.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n",
        );
        assert_eq!(
            shell.fails("set image -f @/c.yaml --local a=b"),
            "error: configmap/c the object is not a pod or does not have a pod template: *v1.ConfigMap"
        );
        let said = shell.run("set image --dry-run");
        let deprecated =
            " helpers.go:719] --dry-run is deprecated and can be replaced with --dry-run=client.\n";
        assert_eq!(said.err.matches(deprecated).count(), 1, "{said:?}");
    }
}
