//! `ctl settle`.

use std::process::ExitCode;
use std::sync::atomic::Ordering;

use clap::Args;

use super::Outcome;
use super::controllers::{Which, all, duration};
use crate::cli::context::Context;
use crate::cli::error::FAILURE;
use crate::runtime::{self, Config, Manager, Until};
use crate::sys::signal;

/// The exit code where the same changes come again and again.
const OSCILLATING: u8 = 2;

/// Run the controllers until nothing is left to do
///
/// On a virtual clock time jumps to what is due next, so that minutes take milliseconds; on the
/// system's clock they are waited for. Schedules, times to live and the like do not keep a cluster from
/// being settled; --for lets time pass with them.
///
/// Exit code 0: settled. 1: nothing more can be done, but not all is as it should be; says which
/// objects and why. 2: the same changes come again and again; shows one round of them.
///
/// Examples:
///   ctl apply -f app.yaml && ctl settle    until the application runs, or says why it does not
///   ctl settle --for 24h                   what happens in a day, CronJobs included
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct SettleArgs {
    /// Let this much of the cluster's time pass
    #[arg(long = "for", value_name = "DURATION", value_parser = duration)]
    pass: Option<jiff::SignedDuration>,
    /// Spend at most this much real time
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "5m")]
    timeout: jiff::SignedDuration,
    #[command(flatten)]
    which: Which,
}

pub(crate) fn run(args: &SettleArgs, context: &Context) -> Outcome {
    let cluster = context.api()?;
    let controllers = all(&args.which)?;
    let epoch = cluster.lead("settle")?;
    cluster.hold_tree();
    let mut manager = Manager::new(&cluster, controllers, &|_| Config::default());
    manager.lead_under(epoch);
    let stop = signal::stop_flag()?;
    let until = Until {
        pass: args.pass,
        timeout: Some(args.timeout.unsigned_abs()),
    };
    let outcome = manager
        .load()
        .and_then(|()| manager.settle(&until, &|| stop.load(Ordering::Relaxed)));
    cluster.show_held()?;
    // The process ends: taking the cache apart object by object would be time for nothing.
    std::mem::forget(manager);
    match outcome? {
        runtime::Outcome::Settled => Ok(ExitCode::SUCCESS),
        runtime::Outcome::Stuck(objects) => {
            for (object, reason) in objects {
                context.ui.note(&format!("stuck: {object}: {reason}"));
            }
            Ok(ExitCode::from(FAILURE))
        }
        runtime::Outcome::Oscillating(cycle) => {
            context
                .ui
                .note("oscillating: these changes come again and again");
            for line in cycle {
                context.ui.note(&format!("  {line}"));
            }
            Ok(ExitCode::from(OSCILLATING))
        }
        runtime::Outcome::Stopped => {
            context.ui.note("stopped before it was settled");
            Ok(ExitCode::from(FAILURE))
        }
    }
}
