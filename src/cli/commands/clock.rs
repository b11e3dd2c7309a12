//! `ctl clock`.

use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use jiff::Timestamp;

use super::Outcome;
use crate::api::json::json;
use crate::cli::context::Context;
use crate::cli::durations::duration;
use crate::cli::error::CliError;
use crate::cli::options::StructuredOutputArgs;
use crate::cluster::{ClockMode, Cluster};

/// Show or move the cluster's clock
///
/// A virtual clock moves only when this command moves it, or when controllers (`ctl settle`, `ctl controllers`,
/// `ctl serve --controllers`) jump to the next timer that the desired state needs. This command runs no
/// controllers: run `ctl settle` afterwards.
///
/// Examples:
///   ctl clock                            show the time
///   ctl clock advance 3d                 three days later
///   ctl clock set 2027-01-01T00:00:00Z   at that time
///   ctl clock mode virtual               stop following the system's clock
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ClockArgs {
    #[command(subcommand)]
    action: Option<Action>,
    #[arg(hide = true)]
    words: Vec<String>,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

#[derive(Debug, Subcommand)]
enum Action {
    #[command(alias = "now")]
    Show(ShowArgs),
    Advance(AdvanceArgs),
    Set(SetArgs),
    Mode(ModeArgs),
}

/// Show the time
///
/// Example: ctl clock show
#[derive(Args, Debug)]
struct ShowArgs {
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

/// Move the time forward
///
/// Examples:
///   ctl clock advance 90s
///   ctl clock advance 3d && ctl settle
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
struct AdvanceArgs {
    /// By how much, such as 90s, 10m, 3d
    #[arg(value_parser = duration)]
    by: jiff::SignedDuration,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

/// Move the time forward to a point in time
///
/// Example: ctl clock set 2027-01-01T00:00:00Z
#[derive(Args, Debug)]
struct SetArgs {
    /// The moment, such as 2027-01-01T00:00:00Z
    #[arg(value_parser = moment)]
    to: Timestamp,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

/// Show or change the mode of the clock: system or virtual
///
/// Example: ctl clock mode virtual
#[derive(Args, Debug)]
struct ModeArgs {
    /// The new mode; without it, the current one is shown
    mode: Option<Mode>,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Mode {
    System,
    Virtual,
}

fn moment(text: &str) -> Result<Timestamp, String> {
    text.parse()
        .map_err(|_| format!("{text:?} is not a time such as 2027-01-01T00:00:00Z"))
}

pub(crate) fn run(args: &ClockArgs, context: &Context) -> Outcome {
    if let Some(word) = args.words.first() {
        let command = context.command();
        let text = format!("unknown command {word:?} for {command:?}");
        let hint = context.subcommand_hint(word);
        return Err(CliError::text(text).hinted(hint));
    }
    let answer = match &args.action {
        None => &args.answer,
        Some(Action::Show(args)) => &args.answer,
        Some(Action::Advance(args)) => &args.answer,
        Some(Action::Set(args)) => &args.answer,
        Some(Action::Mode(args)) => &args.answer,
    };
    answer.check()?;
    // Only the owner of the directory may change the clock; no role grants access to it.
    let mut cluster = context.open_as_administrator()?;
    if let Some(action) = &args.action {
        act(action, &mut cluster, context)?;
    }
    let (mode, now) = (name(cluster.settings().clock), cluster.now()?);
    let sentence = match &args.action {
        Some(Action::Mode(_)) => mode.to_owned(),
        _ => now.to_string(),
    };
    let data = json!({"mode": mode, "time": now.to_string()});
    answer.print(context, sentence, &data)?;
    Ok(ExitCode::SUCCESS)
}

fn act(action: &Action, cluster: &mut Cluster, context: &Context) -> Result<(), CliError> {
    match action {
        Action::Show(_) => {}
        Action::Advance(args) => {
            if args.by.is_negative() {
                return Err(CliError::text("the clock moves only forward"));
            }
            let to = cluster.now()?.checked_add(args.by);
            let to = to.map_err(|_| CliError::text("the time is out of range"))?;
            advance(cluster, to, context)?;
        }
        Action::Set(args) => {
            let now = cluster.now()?;
            if args.to < now {
                let text = format!("it is {now} already: the clock moves only forward");
                return Err(CliError::text(text));
            }
            advance(cluster, args.to, context)?;
        }
        Action::Mode(args) => match args.mode {
            None => {}
            // The system clock may be behind a virtual clock that was moved forward.
            Some(Mode::System) => {
                let was = cluster.now()?;
                cluster.configure().set_clock(ClockMode::System)?;
                if cluster.now()? < was {
                    let text =
                        format!("the system clock is behind the cluster, which was at {was}");
                    context.ui.warn(&text);
                }
            }
            Some(Mode::Virtual) => cluster.configure().set_clock(ClockMode::Virtual)?,
        },
    }
    Ok(())
}

fn advance(cluster: &Cluster, to: Timestamp, context: &Context) -> Result<(), CliError> {
    // ctl cannot move the system clock, and other processes would see a different time.
    if cluster.settings().clock == ClockMode::System {
        let text = "the cluster uses the system clock; switch with `ctl clock mode virtual`";
        return Err(CliError::text(text));
    }
    cluster
        .election()
        // The move is a commit by this command, so that the history explains the jump.
        .move_clock(context.command_line(), "clock: moved by hand", None, to)?;
    Ok(())
}

pub(super) fn name(mode: ClockMode) -> &'static str {
    match mode {
        ClockMode::System => "system",
        ClockMode::Virtual => "virtual",
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn a_virtual_time_moves_forward_and_never_back() {
        let shell = Shell::new();
        let _ = shell.out("clock set 2031-01-01T00:00:00Z");
        assert_eq!(shell.out("clock advance 1h30m"), "2031-01-01T01:30:00Z\n");
        let log = shell.out("log --by you");
        assert!(log.contains(" clock advance 1h30m\n"), "{log}");
        assert_eq!(shell.out("clock show"), "2031-01-01T01:30:00Z\n");
        assert_eq!(shell.json("clock")["time"], "2031-01-01T01:30:00Z");
        shell.refuses(&[
            ("clock advance -- -5m", "the clock moves only forward"),
            (
                "clock set 2001-01-01T00:00:00Z",
                "it is 2031-01-01T01:30:00Z already: the clock moves only forward",
            ),
            ("clock advance 999999999h", "the time is out of range"),
            (
                "clock back",
                "unknown command \"back\" for \"kubectl clock\"",
            ),
        ]);
        let odd = shell.fails("clock set soon");
        assert!(
            odd.contains("\"soon\" is not a time such as 2027-01-01T00:00:00Z"),
            "{odd}"
        );
    }

    #[test]
    fn system_clock_cannot_be_advanced() {
        let shell = Shell::new();
        assert_eq!(shell.out("clock mode"), "virtual\n");
        assert_eq!(shell.out("clock mode system"), "system\n");
        shell.refuses(&[(
            "clock advance 1m",
            "the cluster uses the system clock; switch with `ctl clock mode virtual`",
        )]);
        assert_eq!(shell.json("clock mode virtual")["mode"], "virtual");
        let _ = shell.out("clock advance 1m");
        let _ = shell.out("clock set 2100-01-01T00:00:00Z");
        let said = shell.run("clock mode system");
        assert_eq!(
            (said.out.as_str(), said.err.as_str()),
            (
                "system\n",
                "Warning: the system clock is behind the cluster, which was at 2100-01-01T00:00:00Z\n"
            )
        );
    }
}
