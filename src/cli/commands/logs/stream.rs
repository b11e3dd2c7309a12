//! Prints and follows logs.

use std::time::Duration;

use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::resource::Info;
use crate::cluster::{Cluster, LogOptions};
use crate::kubelet::logs::{self, Run};
use crate::sys::clock::Stopwatch;

/// The longest sleep if no change wakes the stream.
const PATIENCE: Duration = Duration::from_secs(60);

/// A container of a Pod.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) pod: Info,
    pub(super) container: String,
}

/// The options of the output.
pub(super) struct Streams<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) context: &'a Context,
    pub(super) options: &'a LogOptions,
    pub(super) prefix: bool,
    pub(super) ignore_errors: bool,
}

/// A log that is followed.
struct Followed<'a> {
    source: &'a Source,
    /// The printed part.
    shown: String,
    run: Option<Run>,
    over: bool,
}

impl Streams<'_> {
    /// Prints the logs in order.
    pub(super) fn print(&self, sources: &[Source]) -> Result<(), CliError> {
        // One after the other, as in kubectl, so that lines of two containers do not mix.
        for source in sources {
            let (text, _) = self.read(source, self.options)?;
            self.out(source, &text)?;
        }
        Ok(())
    }

    /// Prints the logs and new lines, until no container runs any more.
    pub(super) fn follow(&self, sources: &[Source]) -> Result<(), CliError> {
        let mut all: Vec<Followed<'_>> = sources
            .iter()
            .map(|source| Followed {
                source,
                shown: String::new(),
                run: None,
                over: false,
            })
            .collect();
        let (limit, since) = (self.context.request_timeout()?, Stopwatch::start());
        loop {
            // Read before the logs: a change in between then ends the wait at once instead of being missed.
            let seen = self.cluster.stored().revision()?;
            for one in all.iter_mut().filter(|one| !one.over) {
                match self.step(one) {
                    Ok(()) => {}
                    // As in kubectl, the error becomes a line of the output, so that the other streams go on.
                    Err(e) if self.ignore_errors => {
                        self.context.ui.line(format_args!("error: {e}"))?;
                        one.over = true;
                    }
                    Err(e) => return Err(e),
                }
            }
            if all.iter().all(|one| one.over) {
                return Ok(());
            }
            let left = limit.map_or(PATIENCE, |limit| limit.saturating_sub(since.elapsed()));
            if left.is_zero() {
                return self.over();
            }
            self.cluster.wait(seen, left.min(PATIENCE))?;
        }
    }

    /// Reports that the request has timed out, in client-go's words.
    fn over(&self) -> Result<(), CliError> {
        let text =
            "context deadline exceeded (Client.Timeout or context cancellation while reading body)";
        match self.ignore_errors {
            true => self.context.ui.line(format_args!("error: {text}")),
            false => Err(CliError::text(text)),
        }
    }

    /// Prints the new part of a log.
    fn step(&self, one: &mut Followed<'_>) -> Result<(), CliError> {
        let begun = one.run.is_some();
        // Later reads are compared with the whole text; --tail and --since select where the first one begins.
        let whole = LogOptions {
            tail_lines: None,
            since_seconds: None,
            ..self.options.clone()
        };
        let options = if begun { &whole } else { self.options };
        let (text, run) = match self.read(one.source, options) {
            // A Pod that is deleted ends its stream, as a closed connection does.
            Err(_) if begun => {
                one.over = true;
                return Ok(());
            }
            read => read?,
        };
        let Some(run) = run else {
            one.over = true;
            return Ok(());
        };
        if one
            .run
            .as_ref()
            // The API server ends a stream with the container's run; a restarted one needs a new request.
            .is_some_and(|own| own.started != run.started)
        {
            one.over = true;
            return Ok(());
        }
        one.over = !run.running;
        one.run = Some(run);
        if !begun {
            self.out(one.source, &text)?;
            one.shown = self.read(one.source, &whole)?.0;
            return Ok(());
        }
        // A log that no longer begins with the shown part was replaced through its annotation.
        if let Some(new) = text.strip_prefix(&one.shown) {
            self.out(one.source, new)?;
        }
        one.shown = text;
        Ok(())
    }

    /// Returns the log of a container and the run that wrote it; `None` before its start.
    fn read(
        &self,
        source: &Source,
        options: &LogOptions,
    ) -> Result<(String, Option<Run>), CliError> {
        let options = LogOptions {
            container: Some(source.container.clone()),
            ..options.clone()
        };
        let (place, name) = (source.pod.place(), &source.pod.name);
        let Some(target) = self
            .cluster
            .subresources()
            .log_target(&place, name, &options)?
        else {
            return Ok((String::new(), None));
        };
        let (pod, container) = (&target.pod, &target.container);
        let run = logs::run(pod, container, options.previous)?;
        let mode = self.cluster.settings().pods;
        let text = logs::read(pod, container, mode, &options, self.cluster.now()?)?;
        Ok((text, Some(run)))
    }

    fn out(&self, source: &Source, text: &str) -> Result<(), CliError> {
        if !self.prefix {
            return self.context.ui.out(text);
        }
        let prefix = format!("[pod/{}/{}] ", source.pod.name, source.container);
        // The prefix is per line, also for the last one without a line feed, as kubectl's writer does it.
        let lines = text.split_inclusive('\n');
        let lines: String = lines.map(|line| format!("{prefix}{line}")).collect();
        self.context.ui.out(&lines)
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn a_log_is_followed_to_the_end_of_its_container_or_of_the_request() {
        let shell = Shell::seeded();
        shell.all(&[
            "run once --image=busybox --restart=Never --command -- sh -c 'echo one; echo two'",
            "settle",
        ]);
        assert_eq!(shell.out("logs -f once"), "one\ntwo\n");
        assert_eq!(
            shell.out("logs -f once --tail=1 --prefix"),
            "[pod/once/once] two\n"
        );
        shell.all(&[
            "run stays --image=nginx --annotations=ctl.dev/logs=here",
            "settle",
        ]);
        // It does not end by itself: the request does.
        let said = shell.run("logs -f stays --request-timeout=30ms");
        assert_eq!((said.code, said.out), (1, shell.out("logs stays")));
        assert!(
            said.err.starts_with("error: context deadline exceeded "),
            "{}",
            said.err
        );
    }
}
