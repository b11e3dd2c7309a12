//! The command line: what every command shares, and the list of commands.

use std::path::PathBuf;

use clap::{Args, Parser};

use super::commands::Command;

/// A Kubernetes cluster in a directory
#[derive(Debug, Parser)]
#[command(version, disable_help_subcommand = true, propagate_version = false)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags that every command takes.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct GlobalArgs {
    /// The directory that holds the cluster
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "CTL_STATE",
        hide_env_values = true
    )]
    pub(crate) state: Option<PathBuf>,
    /// Seconds to wait for another process that writes; 0 waits for ever
    #[arg(
        long,
        global = true,
        value_name = "SECONDS",
        default_value_t = 0.0,
        hide = true
    )]
    pub(crate) lock_timeout: f64,
    /// Use a state directory on a network file system that nobody else uses
    #[arg(long, global = true, hide = true)]
    pub(crate) allow_network_fs: bool,
    /// How much to tell on stderr
    #[arg(short, long, global = true, value_name = "LEVEL", default_value_t = 0)]
    pub(crate) v: u8,
}
