//! Follows a log: returns new text until the container's run is over.

use crate::cluster::{ApiError, Cluster, LogOptions, Place};
use crate::logs::{self, Run};

/// A log being followed.
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
    /// The part that has been returned.
    shown: String,
    run: Option<Run>,
    over: bool,
}

impl Follower {
    /// Follows the log that the options select.
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

    /// Returns the new part of a Pod's log.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read at first. If that happens later, the log has ended.
    pub fn next(
        &mut self,
        cluster: &Cluster,
        place: &Place,
        name: &str,
    ) -> Result<String, ApiError> {
        let begun = self.run.is_some();
        // Later reads compare the whole text; the options determine only where the first one starts.
        let whole = LogOptions {
            tail_lines: None,
            since_seconds: None,
            since_time: None,
            ..self.options.clone()
        };
        let options = if begun { &whole } else { &self.options };
        let (text, run) = match read(cluster, place, name, options) {
            // When the Pod is deleted, the stream ends like a closed connection.
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
        // The API server ends a stream with the container's run; after a restart, a new request is needed.
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
        // If the log no longer starts with the returned part, its annotation has replaced it.
        let new = text
            .strip_prefix(&self.shown)
            .unwrap_or_default()
            .to_owned();
        self.shown = text;
        Ok(new)
    }
}

/// Returns the log of a container and the run that wrote it, or `None` before its first start.
///
/// # Errors
/// Returns the API's or the node's error if the log cannot be read.
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
