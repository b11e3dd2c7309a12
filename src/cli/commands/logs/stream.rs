//! Prints and follows logs.

use std::time::Duration;

use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::resource::Info;
use crate::cluster::{Cluster, LogOptions};
use crate::kubelet::follow::{self, Follower};
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

impl Streams<'_> {
    /// Prints the logs in order.
    pub(super) fn print(&self, sources: &[Source]) -> Result<(), CliError> {
        // One after the other, as in kubectl, so that lines of two containers do not mix.
        for source in sources {
            let (place, name) = (source.pod.place(), &source.pod.name);
            let (text, _) = follow::read(self.cluster, &place, name, &self.options_of(source))?;
            self.out(source, &text)?;
        }
        Ok(())
    }

    /// Prints the logs and new lines, until no container runs any more.
    pub(super) fn follow(&self, sources: &[Source]) -> Result<(), CliError> {
        let follower = |source| Follower::new(self.options_of(source));
        let mut all: Vec<_> = sources.iter().map(|own| (own, follower(own))).collect();
        let (limit, since) = (self.context.request_timeout()?, Stopwatch::start());
        loop {
            // Read before the logs: a change in between then ends the wait at once instead of being missed.
            let seen = self.cluster.stored().revision()?;
            for (source, follower) in all.iter_mut().filter(|(_, own)| !own.is_over()) {
                let (place, name) = (source.pod.place(), &source.pod.name);
                match follower.next(self.cluster, &place, name) {
                    Ok(text) => self.out(source, &text)?,
                    // As in kubectl, the error becomes a line of the output, so that the other streams continue.
                    Err(e) if self.ignore_errors => {
                        let error = CliError::from(e);
                        self.context.ui.line(format_args!("error: {error}"))?;
                        follower.give_up();
                    }
                    Err(e) => return Err(e.into()),
                }
            }
            if all.iter().all(|(_, follower)| follower.is_over()) {
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

    /// Returns the options for the log of one container.
    fn options_of(&self, source: &Source) -> LogOptions {
        LogOptions {
            container: Some(source.container.clone()),
            ..self.options.clone()
        }
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
    fn follow_ends_with_the_container_or_the_request() {
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
