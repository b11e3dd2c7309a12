//! `ctl debug`: creates debug containers and Pods, and attaches to their shells.

mod results;
#[cfg(test)]
mod tests;

use std::process::ExitCode;

use clap::Args;

use super::run::is_image;
use super::{Outcome, pods};
use crate::api::json::{Value, json};
use crate::cli::containers::join;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::Pairs;
use crate::cli::options::{DryRun, OutputArgs, ResultPrinter, write_options};
use crate::cli::resource::{Builder, FileArgs, Info};
use crate::cli::waiting;
use crate::cluster::{
    Cluster, DeleteOptions, FieldValidation, Part, PatchType, Place, WriteOptions,
};
use crate::kinds;
use crate::kinds::tree::{field, list, text};
use crate::kubelet::logs;
use crate::sys::bounded;
use crate::sys::entropy::Seed;

/// Debug a Pod with an ephemeral container or a copy, or a node with a Pod
///
/// Containers are simulated. With -i you get the shell of the new container, if it has one.
///
/// Examples:
///   ctl debug web-0 --image=busybox -- sleep 1d
///   ctl debug web-0 --copy-to=web-copy --set-image='*=nginx:debug'
///   ctl debug node/node-1 --image=busybox
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct DebugArgs {
    /// POD or TYPE/NAME, and after -- the command
    words: Vec<String>,
    /// File that identifies the object
    #[arg(short, long, value_name = "FILE", value_delimiter = ',')]
    filename: Vec<String>,
    /// Image of the container
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,
    /// Image pull policy: Always, IfNotPresent or Never
    #[arg(long, value_name = "WHEN")]
    image_pull_policy: Option<String>,
    /// Name of the container
    #[arg(short, long, value_name = "NAME")]
    container: Option<String>,
    /// Container whose processes to target
    #[arg(long, value_name = "NAME")]
    target: Option<String>,
    /// Environment variable of the container, as KEY=VALUE
    #[arg(long, value_name = "NAME=VALUE,..")]
    env: Vec<Pairs>,
    /// Treat the words after -- as arguments rather than as the command
    #[arg(long)]
    arguments_only: bool,
    /// Debugging profile: general, baseline, restricted, netadmin, sysadmin or legacy
    #[arg(long, value_name = "PROFILE", default_value = "general")]
    profile: String,
    /// File with a partial container spec
    #[arg(long, value_name = "FILE")]
    custom: Option<String>,
    /// Create a copy of the Pod with this name
    #[arg(long, value_name = "NAME")]
    copy_to: Option<String>,
    /// Change images in the copy, as CONTAINER=IMAGE; * is every container
    #[arg(long, value_name = "CONTAINER=IMAGE,..")]
    set_image: Vec<Pairs>,
    /// Delete the original Pod after creating the copy
    #[arg(long)]
    replace: bool,
    /// Schedule the copy on the same node
    #[arg(long)]
    same_node: bool,
    /// Share the process namespace in the copy
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    share_processes: bool,
    /// Keep the Pod's labels in the copy
    #[arg(long)]
    keep_labels: bool,
    /// Keep the Pod's annotations in the copy
    #[arg(long)]
    keep_annotations: bool,
    /// Keep the Pod's liveness probes in the copy
    #[arg(long)]
    keep_liveness: bool,
    /// Keep the Pod's readiness probes in the copy
    #[arg(long)]
    keep_readiness: bool,
    /// Keep the Pod's startup probes in the copy
    #[arg(long)]
    keep_startup: bool,
    /// Keep the Pod's init containers in the copy
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    keep_init_containers: bool,
    /// Keep standard input of the container open, and attach to it
    #[arg(short = 'i', long)]
    stdin: bool,
    /// Allocate a terminal for the container
    #[arg(short, long)]
    tty: bool,
    /// Wait for the container to start, then attach to it
    #[arg(long)]
    attach: bool,
    /// Print only output of the container
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    output: OutputArgs,
}

impl DebugArgs {
    fn image(&self) -> Option<&str> {
        self.image.as_deref().filter(|text| !text.is_empty())
    }

    fn pull_policy(&self) -> Option<&str> {
        self.image_pull_policy.as_deref().filter(|p| !p.is_empty())
    }

    fn container(&self) -> Option<&str> {
        self.container.as_deref().filter(|text| !text.is_empty())
    }

    fn copy_to(&self) -> Option<&str> {
        self.copy_to.as_deref().filter(|text| !text.is_empty())
    }

    /// Returns the new image of a copied container, if `--set-image` changes it.
    fn image_of(&self, container: &str) -> Option<&str> {
        let of = |name: &str| {
            let mut pairs = self.set_image.iter().flat_map(|pairs| &pairs.all);
            let (_, image) = pairs.find(|(own, _)| *own == name)?;
            Some(image.as_str())
        };
        // An exact name takes precedence over `*`, regardless of the order.
        of(container).or_else(|| of("*"))
    }

    /// Returns the partial container of `--custom`.
    fn partial(&self) -> Result<Option<Value>, CliError> {
        let Some(path) = self.custom.as_deref().filter(|path| !path.is_empty()) else {
            return Ok(None);
        };
        let text = bounded::read(path, bounded::CONTENT).map_err(|e| {
            let what = "must pass a container spec json file for custom profile: ";
            CliError::unread(path, &e).with_context(what)
        })?;
        results::partial(&text, path)
    }

    /// Checks the flags. Returns the partial container of `--custom`.
    fn check(
        &self,
        targets: &[String],
        words: &[String],
        context: &Context,
    ) -> Result<Option<Value>, CliError> {
        // As in kubectl, the profile is checked first: an unknown one is wrong for every target.
        if self.profile.is_empty() || results::security(&self.profile).is_none() {
            let text = format!("unknown profile: {}", self.profile);
            return Err(CliError::text(text));
        }
        let partial = self.partial()?;
        self.check_flags(targets, words, context)?;
        partial.iter().try_for_each(results::check_partial)?;
        if self.profile == "legacy" {
            context.ui.note(
                "--profile=legacy is deprecated and planned to be removed in v1.39. It is \
                 recommended to specify other profile, for example \"--profile=general\".",
            );
        }
        Ok(partial)
    }

    fn check_flags(
        &self,
        targets: &[String],
        words: &[String],
        context: &Context,
    ) -> Result<(), CliError> {
        let refuse = |text: String| Err(CliError::text(text));
        if let Some(text) = self.contradiction(words, context) {
            return refuse(text.to_owned());
        }
        if let Some(image) = self.image().filter(|image| !is_image(image)) {
            return refuse(format!(
                "invalid image name {image:?}: invalid reference format"
            ));
        }
        if targets.is_empty() && self.filename.is_empty() {
            return refuse("NAME or filename is required for debug".to_owned());
        }
        let pull = self.pull_policy().unwrap_or("Always");
        if !["Always", "IfNotPresent", "Never"].contains(&pull) {
            return refuse(format!("invalid image pull policy: {pull}"));
        }
        for (name, image) in self.set_image.iter().flat_map(|pairs| &pairs.all) {
            if !is_image(image) {
                return refuse(format!(
                    "invalid image name {image:?} for container {name:?}: invalid reference format"
                ));
            }
        }
        if let Some(target) = self.target.as_deref().filter(|target| !target.is_empty()) {
            if self.copy_to().is_some() {
                let text =
                    "--target is incompatible with --copy-to. Use --share-processes instead.";
                return refuse(text.to_owned());
            }
            // The remark would make structured output unparseable, so it is omitted.
            if !self.quiet && self.output.is_human() {
                context.ui.line(format_args!(
                    "Targeting container {target:?}. If you don't see processes from this container \
                     it may be because the container runtime doesn't support this feature."
                ))?;
            }
        }
        match self.tty && !self.stdin {
            true => refuse("-i/--stdin is required for containers with -t/--tty=true".to_owned()),
            false => Ok(()),
        }
    }

    /// Returns the error about mutually exclusive flags.
    fn contradiction(&self, words: &[String], context: &Context) -> Option<&'static str> {
        let no_image = self.image().is_none();
        let copies = self.copy_to().is_some();
        // `--stdin` implies `--attach`, so only an explicit one is checked.
        if self.attach && context.given("attach") && no_image && self.container().is_none() {
            return Some(
                "you must specify --container or create a new container using --image in order to \
                 attach.",
            );
        }
        match () {
            () if copies && no_image && self.set_image.is_empty() && words.is_empty() => {
                Some("you must specify --image, --set-image or command arguments.")
            }
            () if copies && no_image && !words.is_empty() && self.container().is_none() => {
                Some("you must specify an existing container or a new image when specifying args.")
            }
            () if copies => None,
            () if self.replace => Some("--replace may only be used with --copy-to."),
            () if self.same_node => Some("--same-node may only be used with --copy-to."),
            () if !self.set_image.is_empty() => {
                Some("--set-image may only be used with --copy-to.")
            }
            () if no_image => Some("you must specify --image when not using --copy-to."),
            () => None,
        }
    }
}

pub(crate) fn run(args: &DebugArgs, context: &Context) -> Outcome {
    let dash = context.before_dash().unwrap_or(args.words.len());
    let (targets, words) = args.words.split_at(dash);
    let mut printer = ResultPrinter::new(&args.output, DryRun::None, context)?;
    let partial = args.check(targets, words, context)?;
    let cluster = context.api()?;
    let files = FileArgs {
        filename: args.filename.clone(),
        ..FileArgs::default()
    };
    let found = Builder::new(context, Some(&cluster))?
        .files(&files)
        // `debug NAME` means a Pod; `debug node/NAME` states the type.
        .names_of("pods", targets)
        .latest()
        .typed()
        .find()?;
    let (found, error) = found.until_error();
    let debugging = Debugging {
        args,
        partial,
        words,
        cluster: &cluster,
        context,
        options: write_options(
            context,
            DryRun::None,
            // kubectl's `debug` sets no field manager, so the API server derives one from the user agent.
            String::new(),
            FieldValidation::Ignore,
        ),
    };
    for target in found {
        let (pod, container) = match (target.kind.group, target.kind.kind) {
            ("", "Node") => debugging.node(&target)?,
            ("", "Pod") if args.copy_to().is_some() => debugging.copy(&target)?,
            ("", "Pod") => debugging.add(&target)?,
            (group, kind) => {
                let version = target.kind.version;
                return Err(CliError::text(format!(
                    "\"{group}/{version}, Kind={kind}\" not supported by debug"
                )));
            }
        };
        printer.print(&pod.object)?;
        // `-i` attaches, too, unless `--attach` is given.
        let stays = args.attach || args.stdin && !context.given("attach");
        if stays && !container.is_empty() {
            debugging.stay(&pod, &container)?;
        }
    }
    error.map_or(Ok(ExitCode::SUCCESS), Err)
}

struct Debugging<'a> {
    args: &'a DebugArgs,
    partial: Option<Value>,
    words: &'a [String],
    cluster: &'a Cluster,
    context: &'a Context,
    options: WriteOptions,
}

impl Debugging<'_> {
    fn say(&self, text: &str) -> Result<(), CliError> {
        match self.args.quiet || !self.args.output.is_human() {
            true => Ok(()),
            false => self.context.ui.line(text),
        }
    }

    /// Returns the name for the new container.
    fn name(&self, pod: &Value) -> Result<String, CliError> {
        if let Some(name) = self.args.container() {
            return Ok(name.to_owned());
        }
        loop {
            let name = format!("debugger-{}", suffix());
            if !results::has_container(pod, &name) {
                self.say(&format!("Defaulting debug container name to {name}."))?;
                return Ok(name);
            }
        }
    }

    /// Adds a container to a Pod.
    fn add(&self, target: &Info) -> Result<(Info, String), CliError> {
        let name = self.name(&target.object)?;
        let mut container = results::container(&name, self.args, self.words);
        if let Some(target) = self.args.target.as_deref().filter(|t| !t.is_empty()) {
            container["targetContainerName"] = json!(target);
        }
        // Existing ephemeral containers are immutable, so the patch repeats all of them.
        let mut all = list(field(&target.object, "spec"), "ephemeralContainers").to_vec();
        if let Some(own) = all.iter_mut().find(|own| text(own, "name") == name) {
            results::reset(own, &mut container);
        }
        let container = self.customized(container)?;
        self.warn_of_user(&container, &target.object);
        all.push(container);
        let patch = json!({"spec": {"ephemeralContainers": all}});
        // Ephemeral containers can only be added through their subresource.
        let part = Part::EphemeralContainers;
        let how = (PatchType::Strategic, &patch);
        let answer = self
            .cluster
            .patch(&target.place(), &target.name, how, part, &self.options)?;
        self.context.ui.warn_of(&answer);
        Ok((target.with(answer.object), name))
    }

    /// Creates a copy of a Pod.
    fn copy(&self, target: &Info) -> Result<(Info, String), CliError> {
        let mut default_name = |pod: &Value| self.name(pod);
        let (mut copy, name) =
            results::copy(&target.object, self.args, self.words, &mut default_name)?;
        if self.context.given("share-processes") {
            copy["spec"]["shareProcessNamespace"] = json!(self.args.share_processes);
        }
        if let Some(container) = results::named(&mut copy, &name) {
            *container = self.customized(container.take())?;
            self.warn_of_user(container, &target.object);
        } else if self.partial.is_some() && !name.is_empty() {
            let pod = text(&copy["metadata"], "name");
            return Err(CliError::text(format!(
                "unable to find the {name} container in the pod {pod}"
            )));
        }
        let made = self.cluster.create(&target.place(), &copy, &self.options)?;
        self.context.ui.warn_of(&made);
        // The original is deleted after the copy is created, so that an invalid copy does not cost the original.
        if self.args.replace {
            let options = DeleteOptions {
                grace_period: Some(0),
                ..DeleteOptions::default()
            };
            let gone = self
                .cluster
                .delete(&target.place(), &target.name, &options)?;
            self.context.ui.warn_of(&gone);
        }
        Ok((target.with(made.object), name))
    }

    /// Creates a Pod on a node.
    fn node(&self, target: &Info) -> Result<(Info, String), CliError> {
        let Some(kind) = kinds::find("", "v1", "Pod") else {
            return Err(CliError::text("there are no pods"));
        };
        let mut pod = results::on_node(&target.name, &suffix(), self.args, self.words);
        let container = pod["spec"]["containers"][0].take();
        let name = text(&container, "name").to_owned();
        pod["spec"]["containers"][0] = self.customized(container)?;
        let (shown, node) = (text(field(&pod, "metadata"), "name"), &target.name);
        self.say(&format!(
            "Creating debugging pod {shown} with container {name} on node {node}."
        ))?;
        let place = Place::new(kind, &self.context.namespace()?);
        let made = self.cluster.create(&place, &pod, &self.options)?;
        self.context.ui.warn_of(&made);
        let info = Info {
            kind,
            namespace: place.namespace,
            name: shown.to_owned(),
            source: String::new(),
            object: made.object,
        };
        Ok((info, name))
    }

    /// Warns if the Pod's user makes the capabilities of the profile ineffective.
    fn warn_of_user(&self, container: &Value, pod: &Value) {
        let own = &container["securityContext"];
        // As in kubectl, the finished container decides, because --custom can add capabilities to any profile.
        let granted = own["privileged"] == true || !list(&own["capabilities"], "add").is_empty();
        // kubectl checks only `runAsUser`; with `runAsNonRoot` alone, the image determines the user.
        let user = pod["spec"]["securityContext"]["runAsUser"].as_i64();
        let is_other = user.is_some_and(|user| user != 0);
        // Capabilities have no effect for a user other than root.
        if granted && is_other && own["runAsUser"] != 0 {
            self.context.ui.warn(
                "Non-root user is configured for the entire target Pod, and some capabilities \
                 granted by debug profile may not work. Please consider using \"--custom\" with a \
                 custom profile that specifies \"securityContext.runAsUser: 0\".",
            );
        }
    }

    /// Returns the container merged with the file of `--custom`.
    fn customized(&self, container: Value) -> Result<Value, CliError> {
        match &self.partial {
            Some(partial) => results::customized(&container, partial),
            None => Ok(container),
        }
    }

    /// Waits for the container and attaches to its shell, or prints its log.
    fn stay(&self, pod: &Info, container: &str) -> Result<(), CliError> {
        // kubectl waits without a limit; a limit ends a process that was forgotten.
        let week = waiting::A_WEEK;
        let there = waiting::until(self.cluster, self.context, week, &mut || {
            let pod = self.cluster.get(&pod.place(), &pod.name)?;
            let run = logs::run(&pod, container, false).ok();
            Ok(run.map(|run| (pod, run)))
        })?;
        let Some((now, run)) = there else {
            return Ok(());
        };
        if run.running {
            let pod = &pod.with(now.clone());
            let tty = self.args.tty;
            pods::announce_session(self.args.quiet, self.context);
            if self.args.stdin && join(self.cluster, pod, container, tty, self.context)? {
                return Ok(());
            }
            let (name, why) = (&pod.name, pods::NO_SHELL);
            self.context.ui.note(&format!(
                "warning: couldn't attach to pod/{name}, falling back to streaming logs: {why}"
            ));
        }
        let mode = self.cluster.settings().pods;
        for line in logs::lines(&now, container, mode).unwrap_or_default() {
            self.context.ui.line(line)?;
        }
        Ok(())
    }
}

fn suffix() -> String {
    Seed::random().suffix(&["debug"], 5)
}
