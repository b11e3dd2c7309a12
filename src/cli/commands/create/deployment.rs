//! `ctl create deployment`.

use clap::Args;

use super::common::{NewArgs, container, name_and_command};
use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::sys::entropy::Seed;

/// Create a Deployment
///
/// Examples:
///   ctl create deployment web --image=nginx:1.25 --replicas=3 --port=80
///   ctl create deployment worker --image=busybox -- sleep 1d
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct DeploymentArgs {
    /// NAME, and after -- the command of the container
    words: Vec<String>,
    /// Image of a container; can be repeated
    #[arg(long, value_name = "IMAGE", value_delimiter = ',', required = true)]
    image: Vec<String>,
    /// Port that the container exposes
    #[arg(long, value_name = "PORT", default_value_t = -1)]
    port: i32,
    /// Number of replicas
    #[arg(short, long, value_name = "COUNT", default_value_t = 1)]
    replicas: i32,
    #[command(flatten)]
    new: NewArgs,
}

impl DeploymentArgs {
    /// Returns the images. An empty flag names none.
    fn images(&self) -> impl Iterator<Item = &String> {
        self.image.iter().filter(|image| !image.is_empty())
    }
}

pub(super) fn run(args: &DeploymentArgs, context: &Context) -> Outcome {
    let (name, command) = name_and_command(&args.words, context)?;
    args.new.check()?;
    if args.images().nth(1).is_some() && !command.is_empty() {
        let text = "cannot specify multiple --image options and command";
        return Err(CliError::text(text));
    }
    let object = deployment(name, args, command);
    args.new
        .create(object, "failed to create deployment: ", context)
}

fn deployment(name: &str, args: &DeploymentArgs, command: &[String]) -> Value {
    let named = |image: &String| container(&container_name(image), image, command);
    let mut containers: Vec<Value> = args.images().map(named).collect();
    // The default of the flag is -1 and means no port. kubectl adds the port to the first container only.
    if let (Some(first), 0..) = (containers.first_mut(), args.port) {
        first["ports"] = json!([{"containerPort": args.port}]);
    }
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {
            "replicas": args.replicas,
            "selector": {"matchLabels": {"app": name}},
            // These Go structs lack `omitempty`, so kubectl prints the empty objects in a client-side dry run.
            "strategy": {},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": containers},
            },
        },
        "status": {},
    })
}

/// Returns the name of an image without its registry and tag. A name that had to be changed to be valid gets a suffix,
/// because two images could give the same name.
fn container_name(image: &str) -> String {
    let last = image.rsplit('/').next().unwrap_or(image);
    let name = last.split([':', '@']).next().unwrap_or(last);
    if !name.contains(['_', '.']) {
        return name.to_owned();
    }
    let suffix = Seed::random().suffix(&[image], 5);
    format!("{}-{suffix}", name.replace(['_', '.'], "-"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn first_container_has_the_port_and_images_name_containers() {
        let shell = Shell::empty();
        let made = shell.made("create deploy web --image=a/nginx:1,redis --replicas=3 --port=80");
        assert_eq!(made["spec"]["replicas"], 3);
        assert_eq!(
            made["spec"]["template"]["spec"]["containers"],
            json!([
                {"name": "nginx", "image": "a/nginx:1", "resources": {}, "ports": [{"containerPort": 80}]},
                {"name": "redis", "image": "redis", "resources": {}},
            ])
        );
        let app = json!({"app": "web"});
        assert_eq!(made["metadata"]["labels"], app);
        assert_eq!(made["spec"]["selector"]["matchLabels"], app);
        assert_eq!(made["spec"]["template"]["metadata"]["labels"], app);
    }

    #[test]
    fn command_requires_one_image_and_invalid_values_are_rejected() {
        let shell = Shell::new();
        let made = shell.made("create deployment web --image= --image=nginx -- sleep 1d");
        let container = &made["spec"]["template"]["spec"]["containers"][0];
        assert_eq!(container["command"], json!(["sleep", "1d"]));
        shell.refuses(&[
            (
                "create deployment web --image=a --image=b -- sleep",
                "cannot specify multiple --image options and command",
            ),
            (
                "create deployment web",
                "required flag(s) \"image\" not set",
            ),
        ]);
        assert_eq!(
            shell.fails("create deployment web --image="),
            "error: failed to create deployment: Deployment.apps \"web\" is invalid: \
             spec.template.spec.containers: Required value"
        );
        let wrong = shell.fails("create deployment web --image=a --port=0");
        assert!(wrong.contains("containerPort"), "{wrong}");
        let wrong = shell.fails("create deployment web --image=a -r -1");
        assert!(
            wrong.contains("spec.replicas: Invalid value: -1"),
            "{wrong}"
        );
    }

    #[test]
    fn a_container_is_named_after_its_image() {
        for (image, name) in [
            ("nginx", "nginx"),
            ("registry.example.com:5000/a/web:1.2", "web"),
            ("web@sha256:00", "web"),
        ] {
            assert_eq!(container_name(image), name);
        }
        let changed = container_name("my_app.x:1");
        assert!(changed.starts_with("my-app-x-"), "{changed}");
        assert_eq!(changed.len(), "my-app-x-".len() + 5);
    }
}
