//! `ctl cluster set`.

use std::process::ExitCode;

use clap::Args;
use jiff::SignedDuration;

use super::Outcome;
use super::init::about;
use crate::cli::context::Context;
use crate::cli::durations::span;
use crate::cli::options::StructuredOutputArgs;
use crate::cluster::Retention;

/// Change the settings of the current cluster
///
/// --history limits the history for log, why, undo, --at and watches, and deletes older commits immediately. It
/// never deletes the newest part.
///
/// --event-ttl sets how long events are kept after their last update. Controllers that run use it
/// after their next start; on etcd, it is also the lease of new events.
///
/// Examples:
///   ctl cluster set --history 30d     at least the last 30 days
///   ctl cluster set --history 2GiB    the newest 2 GiB
///   ctl cluster set --event-ttl 24h   events for a day
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct SetArgs {
    /// Limit of the history: a size such as 2GiB, or an age such as 30d
    #[arg(long, value_name = "AGE|SIZE", required_unless_present = "event_ttl")]
    history: Option<Retention>,
    /// Time to live of events after their last update; 0 keeps them forever
    #[arg(long, value_name = "DURATION", value_parser = span)]
    event_ttl: Option<SignedDuration>,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

pub(crate) fn run(args: &SetArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    // Settings belong to the owner of the directory; no role grants access to them.
    let mut cluster = context.open_as_administrator()?;
    if let Some(ttl) = args.event_ttl {
        cluster.configure().set_event_ttl(ttl)?;
    }
    if let Some(history) = args.history {
        cluster.configure().set_history(history)?;
    }
    let settings = cluster.settings();
    let history = args
        .history
        .map(|_| format!("a history of {}", settings.history));
    let events = args.event_ttl.map(|ttl| match ttl.is_zero() {
        true => "events forever".to_owned(),
        false => format!("events for {ttl:#}"),
    });
    let kept: Vec<String> = history.into_iter().chain(events).collect();
    let sentence = format_args!("cluster {:?} keeps {}", settings.name, kept.join(" and "));
    args.answer
        .print(context, sentence, &about(&cluster, "set")?)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    /// Returns a shell with a cluster whose history no longer reaches back to its first mark.
    fn cut() -> Shell {
        let shell = Shell::empty();
        shell.all(&[
            "cluster init --clock virtual --seed 7 --history 1h",
            "create configmap old",
            "mark first",
            "create configmap web --from-literal=v=1",
            "raw compact",
            "clock advance 1h",
            "raw compact",
            "patch configmap web -p '{\"data\":{\"v\":\"2\"}}'",
        ]);
        // The first generation ended only an hour ago, so it is still retained.
        assert!(shell.run("get cm --at first").code == 0);
        shell.all(&[
            "clock advance 1s",
            "raw compact",
            "patch configmap web -p '{\"data\":{\"v\":\"3\"}}'",
        ]);
        shell
    }

    #[test]
    fn history_limit_is_kept_by_forks_copies_and_exports() {
        let shell = Shell::empty();
        shell.all(&["cluster init --history 30d"]);
        let kept = |at: &str| shell.json(&format!("cluster init {at}"))["history"].clone();
        assert_eq!(kept(""), json!("30d"));
        let out = shell.out("cluster set --history 2GiB");
        assert_eq!(out, "cluster \"state\" keeps a history of 2GiB\n");
        let _ = shell.out("cluster fork @/fork");
        let _ = shell.out("cluster set --history 36h");
        let _ = shell.out("cluster copy @/state @/copy");
        let _ = shell.out("export @/run.tgz");
        let _ = shell.out("import @/run.tgz --state @/run");
        assert_eq!(kept("--state @/fork"), json!("2GiB"));
        for copy in ["@/copy", "@/run"] {
            assert_eq!(kept(&format!("--state {copy}")), json!("36h"), "{copy}");
        }
        for line in ["cluster set --history soon", "cluster init --history -1d"] {
            let told = shell.fails(line);
            assert!(
                told.contains("neither a size such as 2GiB nor an age such as 30d"),
                "{told}"
            );
        }
    }

    #[test]
    fn events_are_kept_as_long_as_the_setting_says() {
        let shell = Shell::empty();
        shell.all(&["cluster init --clock virtual --seed 7"]);
        let out = shell.out("cluster set --event-ttl 2h --history 3d");
        assert_eq!(
            out,
            "cluster \"state\" keeps a history of 3d and events for 2h\n"
        );
        shell.all(&["create deployment web --image=i", "settle --for 90m"]);
        assert_ne!(shell.out("get events -o name"), "");
        shell.all(&["settle --for 40m"]);
        assert_eq!(shell.out("get events -o name"), "");
        let out = shell.out("cluster set --event-ttl 0");
        assert_eq!(out, "cluster \"state\" keeps events forever\n");
        let told = shell.fails("cluster set");
        assert!(told.contains("--history"), "{told}");
    }

    #[test]
    fn reads_beyond_the_retained_history_report_its_beginning() {
        let shell = cut();
        let begins = shell.json("log")["historyBegins"].as_u64().unwrap();
        assert!(begins > 1);
        let text = format!("the history begins at revision {begins}, 2026-01-01T01:00:00Z");
        for line in [
            "log",
            "log --since 2h",
            "log configmap/web",
            "blame configmap/web",
            "why configmap/old",
            "undo 40",
            "get configmaps --at 40",
            "get configmaps --at 2h",
            "get configmaps --at first",
            "diff --revision first..",
            "assert configmap/web --never data.v==\"9\"",
            "cluster fork @/none --at first",
        ] {
            let ran = shell.run(line);
            assert!(ran.err.contains(&text), "{line}: {ran:?}");
        }
        for line in ["log --since 1s", "why configmap/web", "undo --last"] {
            let ran = shell.run(line);
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{line}: {ran:?}");
        }
    }

    #[test]
    fn compacted_history_is_intact_in_forks_and_copies() {
        let shell = cut();
        for (line, copy) in [
            ("cluster fork @/fork", "@/fork"),
            ("cluster copy @/state @/copy", "@/copy"),
        ] {
            let _ = shell.out(line);
            let fsck = shell.out(&format!("fsck --history --state {copy}"));
            assert!(fsck.ends_with(", no problem\n"), "{fsck}");
            let writers = |at: &str| {
                let log = shell.json(&format!("log configmap/web {at}"));
                let commits = log["commits"].as_array().unwrap().iter();
                commits.map(|c| c["writer"].clone()).collect::<Vec<_>>()
            };
            // A copy begins with a commit of the objects at the beginning of the original's history.
            let (copied, all) = (writers(&format!("--state {copy}")), writers(""));
            assert!(copied.ends_with(&all), "{copy}: {copied:?}");
        }
    }
}
