//! The list of commands. Each has a file of its own.

mod annotate;
mod api_resources;
mod api_versions;
mod apply;
mod assert;
mod attach;
mod auth;
mod autoscale;
mod blame;
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
mod envtest;
mod events;
mod exec;
mod explain;
mod explore;
mod export;
mod expose;
mod fault;
mod fsck;
mod get;
mod import;
mod kubeconfig;
mod kuberc;
mod kustomize;
mod label;
mod learn;
mod log;
mod logs;
mod make;
mod man;
mod mark;
mod migrate;
mod mirror;
mod options;
mod pairs;
mod patch;
mod pause;
mod plan;
mod plot;
mod plugin;
mod pods;
mod port_forward;
mod proxy;
mod raw;
mod recreate;
mod render;
mod replace;
mod replay;
mod rollout;
mod run;
mod scale;
mod serve;
mod set;
mod settle;
mod step;
mod taint;
mod test;
mod top;
mod trace;
mod tree;
mod ui;
mod undo;
mod validate;
mod version;
mod wait;
mod why;

pub(crate) use config::names_of as config_names;
pub(crate) use envtest::{LaunchOutcome, run_as};

use std::process::ExitCode;

use clap::Subcommand;

use super::context::Context;
use super::error::CliError;
use super::lazy::Lazy;

/// Every command of the program.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    // `Lazy`: building the flags of all commands takes longer than most commands do.
    Annotate(Lazy<annotate::AnnotateArgs>),
    ApiResources(Lazy<api_resources::ApiResourcesArgs>),
    ApiVersions(Lazy<api_versions::ApiVersionsArgs>),
    Apply(Lazy<apply::ApplyArgs>),
    Assert(Lazy<assert::AssertArgs>),
    Auth(Lazy<auth::AuthArgs>),
    Certificate(Lazy<certificate::CertificateArgs>),
    Attach(Lazy<attach::AttachArgs>),
    Autoscale(Lazy<autoscale::AutoscaleArgs>),
    Blame(Lazy<blame::BlameArgs>),
    Clock(Lazy<clock::ClockArgs>),
    Cluster(Lazy<cluster::ClusterArgs>),
    ClusterInfo(Lazy<cluster_info::ClusterInfoArgs>),
    Completion(Lazy<completion::CompletionArgs>),
    Config(Lazy<config::ConfigArgs>),
    Controllers(Lazy<controllers::ControllersArgs>),
    Cordon(Lazy<cordon::CordonArgs>),
    Cp(Lazy<cp::CpArgs>),
    Create(Lazy<create::CreateArgs>),
    Debug(Lazy<debug::DebugArgs>),
    Delete(Lazy<delete::DeleteArgs>),
    Demo(Lazy<demo::DemoArgs>),
    Describe(Lazy<describe::DescribeArgs>),
    Diff(Lazy<diff::DiffArgs>),
    Drain(Lazy<drain::DrainArgs>),
    Edit(Lazy<edit::EditArgs>),
    Envtest(Lazy<envtest::EnvtestArgs>),
    Events(Lazy<events::EventsArgs>),
    Exec(Lazy<exec::ExecArgs>),
    Explain(Lazy<explain::ExplainArgs>),
    Explore(Lazy<explore::ExploreArgs>),
    Export(Lazy<export::ExportArgs>),
    Expose(Lazy<expose::ExposeArgs>),
    Fault(Lazy<fault::FaultArgs>),
    Fsck(Lazy<fsck::FsckArgs>),
    Get(Lazy<get::GetArgs>),
    Import(Lazy<import::ImportArgs>),
    Kubeconfig(Lazy<kubeconfig::KubeconfigArgs>),
    Kuberc(Lazy<kuberc::KubercArgs>),
    Kustomize(Lazy<kustomize::KustomizeArgs>),
    Label(Lazy<label::LabelArgs>),
    Learn(Lazy<learn::LearnArgs>),
    Log(Lazy<log::LogArgs>),
    Logs(Lazy<logs::LogsArgs>),
    Man(Lazy<man::ManArgs>),
    Mark(Lazy<mark::MarkArgs>),
    Migrate(Lazy<migrate::MigrateArgs>),
    Mirror(Lazy<mirror::MirrorArgs>),
    Options(Lazy<options::OptionsArgs>),
    Patch(Lazy<patch::PatchArgs>),
    Pause(Lazy<pause::PauseArgs>),
    Plan(Lazy<plan::PlanArgs>),
    Plot(Lazy<plot::PlotArgs>),
    Plugin(Lazy<plugin::PluginArgs>),
    PortForward(Lazy<port_forward::PortForwardArgs>),
    Proxy(Lazy<proxy::ProxyArgs>),
    // The command is hidden because it is for tests and for developers of the store: it bypasses every rule of
    // Kubernetes.
    #[command(hide = true)]
    Raw(Lazy<raw::RawArgs>),
    Render(Lazy<render::RenderArgs>),
    Replace(Lazy<replace::ReplaceArgs>),
    Replay(Lazy<replay::ReplayArgs>),
    Resume(Lazy<pause::ResumeArgs>),
    Rollout(Lazy<rollout::RolloutArgs>),
    Run(Lazy<run::RunArgs>),
    Scale(Lazy<scale::ScaleArgs>),
    Serve(Lazy<serve::ServeArgs>),
    Set(Lazy<set::SetArgs>),
    Settle(Lazy<settle::SettleArgs>),
    Step(Lazy<step::StepArgs>),
    Taint(Lazy<taint::TaintArgs>),
    Test(Lazy<test::TestArgs>),
    Top(Lazy<top::TopArgs>),
    Trace(Lazy<trace::TraceArgs>),
    Tree(Lazy<tree::TreeArgs>),
    Ui(Lazy<ui::UiArgs>),
    Uncordon(Lazy<cordon::UncordonArgs>),
    Undo(Lazy<undo::UndoArgs>),
    Validate(Lazy<validate::ValidateArgs>),
    Version(Lazy<version::VersionArgs>),
    Wait(Lazy<wait::WaitArgs>),
    Why(Lazy<why::WhyArgs>),
}

/// The result of a command: its exit code.
pub(crate) type Outcome = Result<ExitCode, CliError>;

/// Sets the exit code of an error in the command line. It is 1 unless 1 is a result of the command: a misspelled flag
/// must not look like a failed test.
pub(crate) fn mistyped(path: &[String], error: CliError) -> CliError {
    let code = match path.first().map(String::as_str) {
        Some("assert") => assert::UNCLEAR,
        Some("diff") => diff::TROUBLE,
        Some("explore") => explore::CANNOT_RUN,
        Some("plan") => plan::FAILED,
        Some("test") => test::CANNOT_RUN,
        _ => return error,
    };
    CliError::Coded(Box::new(error), code)
}

/// Runs a command.
#[expect(clippy::too_many_lines, reason = "one line for each command")]
pub(crate) fn run(command: Command, context: &Context) -> Outcome {
    match command {
        Command::Annotate(args) => annotate::run(&args.0, context),
        Command::ApiResources(args) => api_resources::run(&args.0, context),
        Command::ApiVersions(args) => api_versions::run(&args.0, context),
        Command::Apply(args) => apply::run(&args.0, context),
        Command::Assert(args) => assert::run(&args.0, context),
        Command::Auth(args) => auth::run(&args.0, context),
        Command::Certificate(args) => certificate::run(&args.0, context),
        Command::Attach(args) => attach::run(&args.0, context),
        Command::Autoscale(args) => autoscale::run(&args.0, context),
        Command::Blame(args) => blame::run(&args.0, context),
        Command::Clock(args) => clock::run(&args.0, context),
        Command::Cluster(args) => cluster::run(args.0, context),
        Command::ClusterInfo(args) => cluster_info::run(&args.0, context),
        Command::Completion(args) => completion::run(&args.0, context),
        Command::Config(args) => config::run(&args.0, context),
        Command::Controllers(args) => controllers::run(&args.0, context),
        Command::Cordon(args) => cordon::run(&args.0, context),
        Command::Cp(args) => cp::run(&args.0, context),
        Command::Create(args) => create::run(&args.0, context),
        Command::Debug(args) => debug::run(&args.0, context),
        Command::Delete(args) => delete::run(&args.0, context),
        Command::Demo(args) => demo::run(&args.0, context),
        Command::Describe(args) => describe::run(&args.0, context),
        Command::Diff(args) => diff::run(&args.0, context),
        Command::Drain(args) => drain::run(&args.0, context),
        Command::Edit(args) => edit::run(&args.0, context),
        Command::Envtest(args) => envtest::run(&args.0, context),
        Command::Events(args) => events::run(&args.0, context),
        Command::Exec(args) => exec::run(&args.0, context),
        Command::Explain(args) => explain::run(&args.0, context),
        Command::Explore(args) => explore::run(&args.0, context),
        Command::Export(args) => export::run(&args.0, context),
        Command::Expose(args) => expose::run(&args.0, context),
        Command::Fault(args) => fault::run(&args.0, context),
        Command::Fsck(args) => fsck::run(&args.0, context),
        Command::Get(args) => get::run(&args.0, context),
        Command::Import(args) => import::run(&args.0, context),
        Command::Kubeconfig(args) => kubeconfig::run(&args.0, context),
        Command::Kuberc(args) => kuberc::run(&args.0, context),
        Command::Kustomize(args) => kustomize::run(&args.0, context),
        Command::Label(args) => label::run(&args.0, context),
        Command::Learn(args) => learn::run(&args.0, context),
        Command::Log(args) => log::run(&args.0, context),
        Command::Logs(args) => logs::run(&args.0, context),
        Command::Man(args) => man::run(&args.0, context),
        Command::Mark(args) => mark::run(&args.0, context),
        Command::Migrate(args) => migrate::run(&args.0, context),
        Command::Mirror(args) => mirror::run(&args.0, context),
        Command::Options(args) => options::run(&args.0, context),
        Command::Patch(args) => patch::run(&args.0, context),
        Command::Pause(args) => pause::pause(&args.0, context),
        Command::Plan(args) => plan::run(&args.0, context),
        Command::Plot(args) => plot::run(&args.0, context),
        Command::Plugin(args) => plugin::run(&args.0, context),
        Command::PortForward(args) => port_forward::run(&args.0, context),
        Command::Proxy(args) => proxy::run(&args.0, context),
        Command::Raw(args) => raw::run(args.0, context),
        Command::Render(args) => render::run(&args.0, context),
        Command::Replace(args) => replace::run(&args.0, context),
        Command::Replay(args) => replay::run(&args.0, context),
        Command::Resume(args) => pause::resume(&args.0, context),
        Command::Rollout(args) => rollout::run(&args.0, context),
        Command::Run(args) => run::run(&args.0, context),
        Command::Scale(args) => scale::run(&args.0, context),
        Command::Serve(args) => serve::run(&args.0, context),
        Command::Set(args) => set::run(&args.0, context),
        Command::Settle(args) => settle::run(&args.0, context),
        Command::Step(args) => step::run(&args.0, context),
        Command::Taint(args) => taint::run(&args.0, context),
        Command::Test(args) => test::run(&args.0, context),
        Command::Top(args) => top::run(&args.0, context),
        Command::Trace(args) => trace::run(&args.0, context),
        Command::Tree(args) => tree::run(&args.0, context),
        Command::Ui(args) => ui::run(&args.0, context),
        Command::Uncordon(args) => cordon::run_uncordon(&args.0, context),
        Command::Undo(args) => undo::run(&args.0, context),
        Command::Validate(args) => validate::run(&args.0, context),
        Command::Version(args) => version::run(&args.0, context),
        Command::Wait(args) => wait::run(&args.0, context),
        Command::Why(args) => why::run(&args.0, context),
    }
}
