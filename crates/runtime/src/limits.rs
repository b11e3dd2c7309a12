//! The limits of a controller, read from the file of `--config`.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use thiserror::Error;

use super::backoff::Backoff;
use crate::api::duration;

/// The settings of one controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// The number of keys that are reconciled and committed together.
    pub workers: usize,
    /// The number of waiting keys beyond which the rate limits do not apply.
    pub queue_size: usize,
    /// The writes per second; `None` means no limit.
    pub qps: Option<f64>,
    /// The number of writes at once before that limit applies.
    pub burst: u32,
    /// The back-off after failures.
    pub backoff: Backoff,
    /// The period after which each key is reconciled even without a change; `None` is never.
    pub resync: Option<SignedDuration>,
    /// The shard of this process and the number of shards.
    pub shard: Option<(u32, u32)>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            workers: 5000,
            queue_size: 100_000,
            qps: None,
            burst: 100,
            backoff: Backoff::default(),
            resync: None,
            shard: None,
        }
    }
}

/// The reason why a configuration is invalid.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file is not valid YAML of this schema.
    #[error("{0}")]
    Form(#[from] serde_yaml::Error),
    /// A value is invalid.
    #[error("{field}: {value:?} {reason}")]
    Value {
        /// The field.
        field: String,
        /// The value in the file.
        value: String,
        /// The problem.
        reason: &'static str,
    },
}

/// The settings of all controllers.
///
/// ```
/// use ctl_runtime::{Config, Configs};
///
/// let configs = Configs::read("defaults: {workers: 2}\ncontrollers: {job: {clientQPS: 5}}\n")?;
/// let jobs: Config = configs.of("job");
/// assert_eq!((jobs.workers, jobs.qps), (2, Some(5.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Configs {
    default: Config,
    own: BTreeMap<String, Config>,
}

#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a map of `defaults` and `controllers`"
)]
struct File {
    #[serde(default)]
    defaults: Entry,
    #[serde(default)]
    controllers: BTreeMap<String, Entry>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(
    default,
    deny_unknown_fields,
    rename_all = "camelCase",
    expecting = "a map of settings"
)]
struct Entry {
    workers: Option<serde_yaml::Value>,
    queue_size: Option<serde_yaml::Value>,
    #[serde(rename = "clientQPS")]
    client_qps: Option<serde_yaml::Value>,
    client_burst: Option<serde_yaml::Value>,
    max_retries: Option<serde_yaml::Value>,
    retry_backoff: Option<String>,
    resync_period: Option<String>,
    shard: Option<String>,
}

impl Configs {
    /// Reads the file's text.
    ///
    /// # Errors
    /// Fails if a field is unknown or has an invalid value.
    pub fn read(text: &str) -> Result<Self, ConfigError> {
        let file: File = serde_yaml::from_str(text)?;
        let default = file.defaults.over("defaults", Config::default())?;
        let own = file.controllers.iter().map(|(name, entry)| {
            let config = entry.over(&format!("controllers.{name}"), default)?;
            Ok((name.clone(), config))
        });
        Ok(Self {
            default,
            own: own.collect::<Result<_, ConfigError>>()?,
        })
    }

    /// Returns the settings of a controller.
    pub fn of(&self, controller: &str) -> Config {
        self.own.get(controller).copied().unwrap_or(self.default)
    }

    /// Returns the common shard of these controllers, or `None` if they have all namespaces or different shards.
    pub fn part<'n>(&self, controllers: impl Iterator<Item = &'n str>) -> Option<(u32, u32)> {
        let mut parts = controllers.map(|name| self.of(name).shard);
        let first = parts.next()??;
        // A lease is for one shard; controllers with different shards cannot share it.
        parts.all(|part| part == Some(first)).then_some(first)
    }

    /// Returns the controllers that are named.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.own.keys().map(String::as_str)
    }
}

impl Entry {
    fn over(&self, path: &str, base: Config) -> Result<Config, ConfigError> {
        let mut config = base;
        let wrong = |field: &str, value: &str, reason| wrong(path, field, value, reason);
        config.workers = at_least_one(path, "workers", self.workers.as_ref(), base.workers)?;
        config.queue_size =
            at_least_one(path, "queueSize", self.queue_size.as_ref(), base.queue_size)?;
        if let Some(value) = &self.client_qps {
            let reason = "must be a number, 0 or more";
            let qps = value.as_f64().filter(|qps| qps.is_finite() && *qps >= 0.0);
            let qps = qps.ok_or_else(|| wrong("clientQPS", &said(value), reason))?;
            config.qps = (qps > 0.0).then_some(qps);
        }
        let burst = whole(path, "clientBurst", self.client_burst.as_ref(), base.burst)?;
        // Without a token in the bucket no write would ever be made.
        config.burst = burst.max(1);
        let tries = self.max_retries.as_ref();
        config.backoff.tries = whole(path, "maxRetries", tries, base.backoff.tries)?;
        if let Some(text) = &self.retry_backoff {
            let (least, most) = text
                .split_once('-')
                .and_then(|(least, most)| Some((span(least)?, span(most)?)))
                .filter(|(least, most)| least <= most)
                .ok_or_else(|| wrong("retryBackoff", text, "must be two durations like 1s-5m"))?;
            (config.backoff.base, config.backoff.most) = (least, most);
        }
        if let Some(text) = &self.resync_period {
            let period =
                span(text).ok_or_else(|| wrong("resyncPeriod", text, "must be a duration"))?;
            config.resync = (!period.is_zero()).then_some(period);
        }
        if let Some(text) = &self.shard {
            let shard = text
                .split_once('/')
                .and_then(|(own, of)| Some((own.parse().ok()?, of.parse().ok()?)))
                .filter(|(own, of)| own < of)
                .ok_or_else(|| wrong("shard", text, "must be a number and a count like 0/2"))?;
            config.shard = Some(shard);
        }
        Ok(config)
    }
}

fn wrong(path: &str, field: &str, value: &str, reason: &'static str) -> ConfigError {
    ConfigError::Value {
        field: format!("{path}.{field}"),
        value: value.to_owned(),
        reason,
    }
}

/// Returns a value as the file has it.
fn said(value: &serde_yaml::Value) -> String {
    let text = serde_yaml::to_string(value).unwrap_or_default();
    text.trim_end().to_owned()
}

/// Reads a whole number, or returns the base value if it is absent.
fn whole<T: TryFrom<u64>>(
    path: &str,
    field: &str,
    value: Option<&serde_yaml::Value>,
    base: T,
) -> Result<T, ConfigError> {
    let Some(value) = value else {
        return Ok(base);
    };
    let number = value.as_u64().and_then(|n| T::try_from(n).ok());
    number.ok_or_else(|| {
        wrong(
            path,
            field,
            &said(value),
            "must be a whole number, 0 or more",
        )
    })
}

fn at_least_one(
    path: &str,
    field: &str,
    value: Option<&serde_yaml::Value>,
    base: usize,
) -> Result<usize, ConfigError> {
    match whole(path, field, value, base)? {
        0 => Err(wrong(path, field, "0", "must be at least 1")),
        number => Ok(number),
    }
}

fn span(text: &str) -> Option<SignedDuration> {
    duration::parse(text.trim()).filter(|d| !d.is_negative())
}

/// Sums of fractions may miss a whole write by a rounding error.
const ALMOST: f64 = 1e-9;

/// A token bucket for writes: a first burst, then a number in a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pace {
    tokens: f64,
    at: Option<Timestamp>,
}

impl Pace {
    /// Creates a pace that starts with its whole burst.
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            tokens: f64::from(config.burst),
            at: None,
        }
    }

    /// Returns the delay until the next write, or `None` if it may be made now.
    pub(crate) fn wait(&mut self, config: &Config, now: Timestamp) -> Option<SignedDuration> {
        let qps = config.qps?;
        if let Some(at) = self.at {
            let passed = now.duration_since(at).as_secs_f64().max(0.0);
            // A token bucket, as client-go's default rate limiter: unused time counts up to the
            // burst.
            self.tokens = (self.tokens + passed * qps).min(f64::from(config.burst));
        }
        self.at = Some(now);
        (self.tokens + ALMOST < 1.0)
            .then(|| SignedDuration::from_secs_f64((1.0 - self.tokens) / qps))
    }

    /// Returns the number of writes that may be made now; `None` without a limit.
    pub(crate) fn allowed(&self, config: &Config) -> Option<usize> {
        config.qps?;
        Some((self.tokens + ALMOST).max(0.0) as usize)
    }

    /// Counts writes that were made.
    pub(crate) fn count(&mut self, writes: usize) {
        // May become negative: a batch is committed as a whole, and the deficit delays the next one.
        self.tokens -= writes as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_shard_requires_the_same_shard_in_all_controllers() {
        let read = |text: &str| Configs::read(text).unwrap();
        let names = || ["job", "deployment"].into_iter();
        assert_eq!(read("").part(names()), None);
        let all = read("defaults: {shard: 1/3}");
        assert_eq!(all.part(names()), Some((1, 3)));
        let mixed = read("defaults: {shard: 1/3}\ncontrollers: {job: {shard: 0/3}}");
        assert_eq!(mixed.part(names()), None);
        assert_eq!(mixed.part(["job"].into_iter()), Some((0, 3)));
    }

    #[test]
    fn a_file_has_defaults_and_overrides() {
        let text = "defaults: {workers: 10, retryBackoff: 2s-1m}\n\
                    controllers:\n  deployment: {clientQPS: 5, clientBurst: 7, maxRetries: 3, \
                    resyncPeriod: 10m, shard: 0/2, queueSize: 4}\n";
        let configs = Configs::read(text).unwrap();
        let own = configs.of("deployment");
        assert_eq!((own.workers, own.queue_size, own.burst), (10, 4, 7));
        assert_eq!(
            (own.qps, own.backoff.tries, own.shard),
            (Some(5.0), 3, Some((0, 2)))
        );
        assert_eq!(own.resync, Some(SignedDuration::from_mins(10)));
        assert_eq!(own.backoff.base, SignedDuration::from_secs(2));
        let other = configs.of("job");
        assert_eq!((other.workers, other.qps), (10, None));
        assert_eq!(Configs::read("{}").unwrap(), Configs::default());
    }

    #[test]
    fn invalid_setting_error_contains_the_field() {
        for (text, words) in [
            (
                "defaults: {retryBackoff: 5m-1s}",
                "defaults.retryBackoff: \"5m-1s\"",
            ),
            (
                "controllers: {job: {shard: 2/2}}",
                "controllers.job.shard: \"2/2\"",
            ),
            (
                "controllers: {job: {clientQPS: -1}}",
                "controllers.job.clientQPS",
            ),
            ("defaults: {wokers: 1}", "unknown field"),
            (
                "defaults: {queueSize: 0}",
                "defaults.queueSize: \"0\" must be at least 1",
            ),
            (
                "defaults: {workers: -1}",
                "defaults.workers: \"-1\" must be a whole number, 0 or more",
            ),
            (
                "controllers: {job: {maxRetries: 1.5}}",
                "controllers.job.maxRetries: \"1.5\" must be a whole number",
            ),
            (
                "defaults: {clientQPS: fast}",
                "defaults.clientQPS: \"fast\" must be a number",
            ),
            ("defaults: 5", "expected a map of settings"),
            ("fast", "expected a map of `defaults` and `controllers`"),
        ] {
            let error = Configs::read(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn rate_limit_allows_a_burst_and_then_the_qps() {
        let config = Config {
            qps: Some(2.0),
            burst: 3,
            ..Config::default()
        };
        let at = |ms| Timestamp::from_millisecond(ms).unwrap();
        let mut pace = Pace::new(&config);
        assert_eq!(pace.wait(&config, at(0)), None);
        assert_eq!(pace.allowed(&config), Some(3));
        pace.count(3);
        assert_eq!(pace.allowed(&config), Some(0));
        assert_eq!(
            pace.wait(&config, at(0)),
            Some(SignedDuration::from_millis(500))
        );
        assert_eq!(pace.wait(&config, at(500)), None);
        assert_eq!(Pace::new(&config).wait(&Config::default(), at(0)), None);
    }
}
