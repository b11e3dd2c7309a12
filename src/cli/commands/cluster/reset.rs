//! `ctl cluster reset`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use super::init::{about, directory};
use crate::cli::context::Context;
use crate::cli::options::AnswerArgs;
use crate::cluster::Cluster;

/// Remove every object of a cluster and its history, and keep its settings
///
/// Example: ctl cluster reset
#[derive(Args, Debug)]
pub(crate) struct ResetArgs {
    /// The cluster's name; the current one without it
    name: Option<String>,
    #[command(flatten)]
    answer: AnswerArgs,
}

pub(crate) fn run(args: &ResetArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let path = directory(args.name.as_deref(), context)?;
    let cluster = Cluster::open(&path, context.open()?)?.reset(context.open()?)?;
    context.fill(&cluster)?;
    let name = &cluster.settings().name;
    let sentence = format_args!("cluster {name:?} in {} reset", path.display());
    let data = about(&cluster, "reset")?;
    args.answer.tell(context, sentence, &data)?;
    Ok(ExitCode::SUCCESS)
}
