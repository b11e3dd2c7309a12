//! Prints and follows logs.

use std::time::Duration;

use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::resource::Info;
use crate::cluster::{ApiError, Cluster, LogOptions};
use crate::kubelet::follow::{self, Follower};
use crate::sys::clock::Stopwatch;

/// The longest sleep without a change.
const PATIENCE: Duration = Duration::from_secs(60);

/// The interval between requests for the log of a container that has not started.
const BETWEEN_REQUESTS: Duration = Duration::from_secs(1);

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
    /// The time to wait for a single container to start.
    pub(super) patience: Duration,
}

impl Streams<'_> {
    /// Prints the logs in order.
    pub(super) fn print(&self, sources: &[Source]) -> Result<(), CliError> {
        // As in kubectl, logs are printed one after the other, so that lines of two containers do not mix.
        for source in sources {
            let (place, name) = (source.pod.place(), &source.pod.name);
            match follow::read(self.cluster, &place, name, &self.options_of(source)) {
                Ok((text, _)) => self.out(source, &text)?,
                Err(e) if self.ignore_errors => self.tell(e)?,
                Err(e) => return Err(e.into()),
            }
        }
        Ok(())
    }

    /// Prints the logs and then new lines, until no container runs any more.
    pub(super) fn follow(&self, sources: &[Source]) -> Result<(), CliError> {
        let follower = |source| Follower::new(self.options_of(source));
        let mut all: Vec<_> = sources.iter().map(|own| (own, follower(own))).collect();
        let (limit, since) = (self.context.request_timeout()?, Stopwatch::start());
        let is_alone = sources.len() == 1;
        'requests: loop {
            // The revision is read before the logs, so that a change in between ends the wait at once.
            let seen = self.cluster.stored().revision()?;
            for (source, follower) in all.iter_mut().filter(|(_, own)| !own.is_over()) {
                let (place, name) = (source.pod.place(), &source.pod.name);
                match follower.next(self.cluster, &place, name) {
                    Ok(text) => self.out(source, &text)?,
                    // As in kubectl, the error becomes a line of output and the other streams continue.
                    Err(e) if self.ignore_errors => {
                        self.tell(e)?;
                        follower.give_up();
                    }
                    Err(e) if is_alone && e.status().is_some_and(|s| s.reason == "BadRequest") => {
                        self.context.ui.note(&e.to_string());
                        if since.elapsed() >= self.patience {
                            return Err(CliError::text("context deadline exceeded"));
                        }
                        self.pause()?;
                        continue 'requests;
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

    /// Prints the error of a log in place of its lines.
    fn tell(&self, error: ApiError) -> Result<(), CliError> {
        let error = CliError::from(error);
        self.context.ui.line(format_args!("error: {error}"))
    }

    /// Waits until the next request for a container that has not started.
    fn pause(&self) -> Result<(), CliError> {
        let since = Stopwatch::start();
        loop {
            let left = BETWEEN_REQUESTS.saturating_sub(since.elapsed());
            if left.is_zero() {
                return Ok(());
            }
            self.cluster.wait(self.cluster.stored().revision()?, left)?;
        }
    }

    /// Reports a request timeout with client-go's text: as a line of output if errors are ignored, or else as an error.
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
        // As in kubectl's writer, every line gets the prefix, even a last one without a line feed.
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
        // kubectl repeats the request every second while the container is waiting.
        shell.all(&["run waits --image=nginx:404"]);
        let stuck = shell.fails("settle");
        assert!(stuck.starts_with("stuck: container waits: "), "{stuck}");
        let why = "container \"waits\" in pod \"waits\" is waiting to start: ";
        let said = shell.run("logs -f waits --pod-running-timeout=10ms");
        let lines: Vec<&str> = said.err.lines().collect();
        let is_told = |line: &&str| line.starts_with(why);
        let (last, told) = lines.split_last().unwrap();
        assert!(told.len() == 2 && told.iter().all(is_told), "{}", said.err);
        assert_eq!((said.code, *last), (1, "error: context deadline exceeded"));
        for flags in ["", "-f"] {
            let said = shell.run(&format!("logs waits --ignore-errors {flags}"));
            assert!(
                said.out.starts_with(&format!("error: {why}")),
                "{}",
                said.out
            );
            assert_eq!((said.code, said.err.as_str()), (0, ""));
        }
        // The container does not end by itself, so the request timeout ends the command.
        let said = shell.run("logs -f stays --request-timeout=30ms");
        assert_eq!((said.code, said.out), (1, shell.out("logs stays")));
        assert!(
            said.err.starts_with("error: context deadline exceeded "),
            "{}",
            said.err
        );
    }
}
