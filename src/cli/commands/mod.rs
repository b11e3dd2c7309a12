//! The list of commands, one file each.

mod annotate;
mod api_resources;
mod api_versions;
mod apply;
mod attach;
mod auth;
mod autoscale;
mod certificate;
mod clock;
mod cluster;
mod cluster_info;
mod completion;
mod config;
mod controllers;
mod cordon;
mod cp;
mod create;
mod debug;
mod delete;
mod demo;
mod describe;
mod diff;
mod drain;
mod edit;
mod events;
mod exec;
mod explain;
mod expose;
mod fault;
mod fsck;
mod get;
mod kuberc;
mod kustomize;
mod label;
mod logs;
mod make;
mod man;
mod migrate;
mod options;
mod pairs;
mod patch;
mod plugin;
mod pods;
mod port_forward;
mod proxy;
mod raw;
mod replace;
mod rollout;
mod run;
mod scale;
pub(crate) mod serve;
mod set;
mod settle;
mod taint;
mod top;
mod validate;
mod version;
mod wait;

pub(crate) use config::names_of as config_names;

use std::process::ExitCode;

use clap::Subcommand;

use super::context::Context;
use super::error::CliError;

/// Every command of the program.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Annotate(annotate::AnnotateArgs),
    ApiResources(api_resources::ApiResourcesArgs),
    ApiVersions(api_versions::ApiVersionsArgs),
    Apply(apply::ApplyArgs),
    Auth(auth::AuthArgs),
    Certificate(certificate::CertificateArgs),
    Attach(attach::AttachArgs),
    Autoscale(autoscale::AutoscaleArgs),
    Clock(clock::ClockArgs),
    Cluster(cluster::ClusterArgs),
    ClusterInfo(cluster_info::ClusterInfoArgs),
    Completion(completion::CompletionArgs),
    Config(config::ConfigArgs),
    Controllers(controllers::ControllersArgs),
    Cordon(cordon::CordonArgs),
    Cp(cp::CpArgs),
    Create(create::CreateArgs),
    Debug(debug::DebugArgs),
    Delete(delete::DeleteArgs),
    Demo(demo::DemoArgs),
    Describe(describe::DescribeArgs),
    Diff(diff::DiffArgs),
    Drain(drain::DrainArgs),
    Edit(edit::EditArgs),
    Events(events::EventsArgs),
    Exec(exec::ExecArgs),
    Explain(explain::ExplainArgs),
    Expose(expose::ExposeArgs),
    Fault(fault::FaultArgs),
    Fsck(fsck::FsckArgs),
    Get(get::GetArgs),
    Kuberc(kuberc::KubercArgs),
    Kustomize(kustomize::KustomizeArgs),
    Label(label::LabelArgs),
    Logs(logs::LogsArgs),
    Man(man::ManArgs),
    Migrate(migrate::MigrateArgs),
    Options(options::OptionsArgs),
    Patch(patch::PatchArgs),
    Plugin(plugin::PluginArgs),
    PortForward(port_forward::PortForwardArgs),
    Proxy(proxy::ProxyArgs),
    #[command(hide = true)]
    Raw(raw::RawArgs),
    Replace(replace::ReplaceArgs),
    Rollout(rollout::RolloutArgs),
    Run(run::RunArgs),
    Scale(scale::ScaleArgs),
    Serve(serve::ServeArgs),
    Set(set::SetArgs),
    Settle(settle::SettleArgs),
    Taint(taint::TaintArgs),
    Top(top::TopArgs),
    Uncordon(cordon::UncordonArgs),
    Validate(validate::ValidateArgs),
    Version(version::VersionArgs),
    Wait(wait::WaitArgs),
}

/// What a command answers: its exit code.
pub(crate) type Outcome = Result<ExitCode, CliError>;

/// Runs a command.
pub(crate) fn run(command: Command, context: &Context) -> Outcome {
    match command {
        Command::Annotate(args) => annotate::run(&args, context),
        Command::ApiResources(args) => api_resources::run(&args, context),
        Command::ApiVersions(args) => api_versions::run(&args, context),
        Command::Apply(args) => apply::run(&args, context),
        Command::Auth(args) => auth::run(&args, context),
        Command::Certificate(args) => certificate::run(&args, context),
        Command::Attach(args) => attach::run(&args, context),
        Command::Autoscale(args) => autoscale::run(&args, context),
        Command::Clock(args) => clock::run(&args, context),
        Command::Cluster(args) => cluster::run(args, context),
        Command::ClusterInfo(args) => cluster_info::run(&args, context),
        Command::Completion(args) => completion::run(&args, context),
        Command::Config(args) => config::run(&args, context),
        Command::Controllers(args) => controllers::run(&args, context),
        Command::Cordon(args) => cordon::run(&args, context),
        Command::Cp(args) => cp::run(&args, context),
        Command::Create(args) => create::run(&args, context),
        Command::Debug(args) => debug::run(&args, context),
        Command::Delete(args) => delete::run(&args, context),
        Command::Demo(args) => demo::run(&args, context),
        Command::Describe(args) => describe::run(&args, context),
        Command::Diff(args) => diff::run(&args, context),
        Command::Drain(args) => drain::run(&args, context),
        Command::Edit(args) => edit::run(&args, context),
        Command::Events(args) => events::run(&args, context),
        Command::Exec(args) => exec::run(&args, context),
        Command::Explain(args) => explain::run(&args, context),
        Command::Expose(args) => expose::run(&args, context),
        Command::Fault(args) => fault::run(&args, context),
        Command::Fsck(args) => fsck::run(&args, context),
        Command::Get(args) => get::run(&args, context),
        Command::Kuberc(args) => kuberc::run(&args, context),
        Command::Kustomize(args) => kustomize::run(&args, context),
        Command::Label(args) => label::run(&args, context),
        Command::Logs(args) => logs::run(&args, context),
        Command::Man(args) => man::run(&args, context),
        Command::Migrate(args) => migrate::run(&args, context),
        Command::Options(args) => options::run(&args, context),
        Command::Patch(args) => patch::run(&args, context),
        Command::Plugin(args) => plugin::run(&args, context),
        Command::PortForward(args) => port_forward::run(&args, context),
        Command::Proxy(args) => proxy::run(&args, context),
        Command::Raw(args) => raw::run(args, context),
        Command::Replace(args) => replace::run(&args, context),
        Command::Rollout(args) => rollout::run(&args, context),
        Command::Run(args) => run::run(&args, context),
        Command::Scale(args) => scale::run(&args, context),
        Command::Serve(args) => serve::run(&args, context),
        Command::Set(args) => set::run(&args, context),
        Command::Settle(args) => settle::run(&args, context),
        Command::Taint(args) => taint::run(&args, context),
        Command::Top(args) => top::run(&args, context),
        Command::Uncordon(args) => cordon::run_uncordon(&args, context),
        Command::Validate(args) => validate::run(&args, context),
        Command::Version(args) => version::run(&args, context),
        Command::Wait(args) => wait::run(&args, context),
    }
}
