//! Follows a log: returns new text until the run of the container is over.

use crate::cluster::{ApiError, Cluster, LogOptions, Place};
use crate::logs::{self, Run};

/// A log that is followed.
///
/// ```
/// use ctl_cluster::LogOptions;
/// use ctl_kubelet::follow::Follower;
///
/// let mut follower = Follower::new(LogOptions::default());
/// assert!(!follower.is_over());
/// follower.give_up();
/// assert!(follower.is_over());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Follower {
    options: LogOptions,
    /// The part that was returned.
    shown: String,
    run: Option<Run>,
    over: bool,
}

impl Follower {
    /// Follows the log that the options name.
    pub fn new(options: LogOptions) -> Self {
        Self {
            options,
            ..Self::default()
        }
    }

    /// Returns true if the log has ended.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Stops following the log.
    pub fn give_up(&mut self) {
        self.over = true;
    }

    /// Returns the new part of the log of a Pod.
    ///
    /// # Errors
    /// Returns an error if the log is unreadable at the first read. Later, an unreadable log ends.
    pub fn next(
        &mut self,
        cluster: &Cluster,
        place: &Place,
        name: &str,
    ) -> Result<String, ApiError> {
        let begun = self.run.is_some();
        // Later reads are compared with the whole text; the options define the start of the first one.
        let whole = LogOptions {
            tail_lines: None,
            since_seconds: None,
            since_time: None,
            ..self.options.clone()
        };
        let options = if begun { &whole } else { &self.options };
        let (text, run) = match read(cluster, place, name, options) {
            // A Pod that is deleted ends its stream, as a closed connection does.
            Err(_) if begun => {
                self.over = true;
                return Ok(String::new());
            }
            read => read?,
        };
        let Some(run) = run else {
            self.over = true;
            return Ok(String::new());
        };
        // The API server ends a stream with the container's run; a restarted one needs a new request.
        let before = self.run.as_ref();
        if before.is_some_and(|own| own.started != run.started) {
            self.over = true;
            return Ok(String::new());
        }
        self.over = !run.running;
        self.run = Some(run);
        if !begun {
            self.shown = read(cluster, place, name, &whole)?.0;
            return Ok(text);
        }
        // A log that no longer begins with the shown part was replaced through its annotation.
        let new = text
            .strip_prefix(&self.shown)
            .unwrap_or_default()
            .to_owned();
        self.shown = text;
        Ok(new)
    }
}

/// Returns the log of a container and the run that wrote it; `None` before its start.
///
/// # Errors
/// The API's or the node's error if the log cannot be read.
pub fn read(
    cluster: &Cluster,
    place: &Place,
    name: &str,
    options: &LogOptions,
) -> Result<(String, Option<Run>), ApiError> {
    let target = cluster.subresources().log_target(place, name, options)?;
    let Some(target) = target else {
        return Ok((String::new(), None));
    };
    let (pod, container) = (&target.pod, &target.container);
    let run = logs::run(pod, container, options.previous)?;
    let mode = cluster.settings().pods;
    let text = logs::read(pod, container, mode, options, cluster.now()?)?;
    Ok((text, Some(run)))
}
