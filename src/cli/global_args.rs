//! Flags that every command takes.

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser as _};
use clap::{Args, ValueEnum};

use super::flags::Span;

/// The use of colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Flags that every command takes.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct GlobalArgs {
    /// Directory that holds the cluster
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        // clap's own parser would reject an empty variable, which counts as unset, as for KUBECONFIG.
        value_parser = OsStringValueParser::new().map(PathBuf::from),
        env = "CTL_STATE",
        hide_env_values = true
    )]
    pub(crate) state: Option<PathBuf>,
    /// Namespace of the request; by default the context's
    #[arg(short, long, global = true, value_name = "NAMESPACE")]
    pub(crate) namespace: Option<String>,
    /// Context of the configuration file
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) context: Option<String>,
    /// Cluster of the configuration file
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) cluster: Option<String>,
    /// User of the configuration file
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Path of the configuration file
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) kubeconfig: Option<String>,
    /// Location of the cluster: file:///DIRECTORY
    #[arg(short, long, global = true, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// User to impersonate
    #[arg(long = "as", global = true, value_name = "USER")]
    pub(crate) act_as: Option<String>,
    /// Group to impersonate, with --as; can be repeated
    #[arg(long, global = true, value_name = "GROUP")]
    pub(crate) as_group: Vec<String>,
    /// UID to impersonate, with --as
    #[arg(long, global = true, value_name = "UID")]
    pub(crate) as_uid: Option<String>,
    /// Extra property to impersonate, with --as
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    pub(crate) as_user_extra: Vec<String>,
    /// Token of the service account to act as; tokens of other kinds have no effect
    #[arg(long, global = true, value_name = "TOKEN")]
    pub(crate) token: Option<String>,
    /// Time to wait for another writing process, such as 5s; 0 waits forever
    #[arg(long, global = true, value_name = "TIME", default_value = "0")]
    // The type is a text, because client-go accepts a bare number of seconds as well as a duration.
    pub(crate) request_timeout: String,
    /// Treat warnings as errors: exit with 1 if there was one
    #[arg(long, global = true)]
    pub(crate) warnings_as_errors: bool,
    /// Use distinct exit codes: 4 not found, 5 conflict, 6 invalid, 7 timed out
    #[arg(long, global = true)]
    // This is opt-in: kubectl exits with 1 for all of these, and scripts may rely on that.
    pub(crate) exit_codes: bool,
    /// When to use colors
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value = "auto"
    )]
    pub(crate) color: Color,
    /// Verbosity of the log on standard error
    #[arg(
        short,
        long = "v",
        global = true,
        value_name = "LEVEL",
        default_value_t = 0
    )]
    pub(crate) v: i32,
    /// Seconds to wait for another writing process; 0 waits forever
    #[arg(
        long,
        global = true,
        value_name = "SECONDS",
        default_value_t = 0.0,
        hide = true
    )]
    // This flag is hidden, because only tests of the lock use it; for users, --request-timeout limits the same wait.
    pub(crate) lock_timeout: f64,
    /// Use a state directory on a network file system that nobody else uses
    #[arg(long, global = true, hide = true)]
    pub(crate) allow_network_fs: bool,
    // These flags are separate because -v reports that they have no effect, and short help and completion omit them.
    #[command(flatten)]
    pub(crate) remote: RemoteArgs,
}

/// Flags about a connection, which a cluster in a directory does not have: accepted, and mentioned with -v only.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct RemoteArgs {
    /// Has no effect on a cluster in a directory
    #[arg(long, global = true, hide_short_help = true, value_name = "DIR")]
    cache_dir: Option<String>,
    /// Has no effect on a cluster in a directory
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE")]
    pub(crate) certificate_authority: Option<String>,
    /// Has no effect on a cluster in a directory
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE")]
    pub(crate) client_certificate: Option<String>,
    /// Has no effect on a cluster in a directory
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE")]
    pub(crate) client_key: Option<String>,
    /// Has no effect on a cluster in a directory
    #[arg(long, global = true, hide_short_help = true)]
    disable_compression: bool,
    /// Has no effect on a cluster in a directory
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) insecure_skip_tls_verify: bool,
    /// File with preferences (aliases, defaults of flags); KUBERC=off ignores it
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE")]
    pub(crate) kuberc: Option<String>,
    /// Has no effect on a cluster in a directory
    #[arg(long, global = true, hide_short_help = true)]
    match_server_version: bool,
    /// Has no effect on a cluster in a directory
    #[arg(long, global = true, hide_short_help = true, value_name = "WORD")]
    pub(crate) password: Option<String>,
    /// Has no effect on a cluster in a directory
    #[arg(long, global = true, hide_short_help = true, value_name = "NAME")]
    profile: Option<String>,
    /// Has no effect on a cluster in a directory
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE")]
    profile_output: Option<String>,
    /// Has no effect on a cluster in a directory
    #[arg(long, global = true, hide_short_help = true, value_name = "NAME")]
    pub(crate) tls_server_name: Option<String>,
    /// Has no effect on a cluster in a directory
    #[arg(long, global = true, hide_short_help = true, value_name = "NAME")]
    pub(crate) username: Option<String>,
    /// Has no effect on a cluster in a directory
    #[arg(long, global = true, hide_short_help = true, value_name = "LIST")]
    vmodule: Option<String>,
    /// Has no effect on a cluster in a directory
    #[arg(long, global = true, hide_short_help = true, value_name = "TIME")]
    log_flush_frequency: Option<Span>,
}

/// Flags of commands that have no effect here.
pub(crate) const IDLE: &[&str] = &[
    "chunk-size",
    "concurrency",
    "openapi-patch",
    "pod-running-timeout",
];

/// The names of [`RemoteArgs`].
pub(crate) const REMOTE: &[&str] = &[
    "cache-dir",
    "certificate-authority",
    "client-certificate",
    "client-key",
    "disable-compression",
    "insecure-skip-tls-verify",
    "match-server-version",
    "password",
    "profile",
    "profile-output",
    "tls-server-name",
    "username",
    "vmodule",
    "log-flush-frequency",
];
