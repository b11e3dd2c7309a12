//! `cluster.yaml`, the settings that users edit, and `.ctl/format`, the file that programs check.

use std::sync::{Arc, PoisonError, RwLock};

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::interface::Result;
use super::layout::{FORMAT, SETTINGS, STAGING};
use super::retention::Retention;
use crate::sys::entropy::Seed;
use crate::sys::fs::{self, Fs};

/// The format that this program writes and the newest that it reads.
pub const FORMAT_VERSION: u32 = 1;

/// The largest settings file that is read.
const MAX_SETTINGS: u64 = 1 << 20;

/// Features of the format that this program supports.
const KNOWN_FEATURES: &[&str] = &[];

/// The clock of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ClockMode {
    /// The machine's.
    #[default]
    System,
    /// Its own clock: time moves only on request.
    Virtual,
}

/// The default behavior of fake Pods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PodMode {
    /// They become ready at once; Pods of Jobs succeed at once.
    #[default]
    Default,
    /// They become ready at once and run until a user changes that.
    Running,
}

/// A rule by which requests to the API are rejected or delayed.
///
/// ```
/// use ctl_store::{ApiFault, ClockMode, PodMode, Settings};
/// use ctl_sys::entropy::Seed;
///
/// // Every tenth update of a Pod fails with a conflict; the draws depend on the seed alone.
/// let conflict = ApiFault {
///     name: "conflicts".to_owned(),
///     verbs: vec!["update".to_owned()],
///     resources: vec!["pods".to_owned()],
///     rate: 0.1,
///     code: Some(409),
///     latency: None,
///     seed: Some(1),
/// };
/// let settings = Settings {
///     clock: ClockMode::Virtual,
///     pods: PodMode::Running,
///     faults: vec![conflict],
///     ..Settings::new(Seed(1))
/// };
/// assert_eq!(settings.faults.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "a map of settings")]
pub struct ApiFault {
    /// Its name.
    pub name: String,
    /// The verbs that it applies to; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verbs: Vec<String>,
    /// The resources, such as `pods`, `pods/status` or `deployments.apps`; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    /// The fraction of the requests that it applies to, from 0 to 1.
    #[serde(default = "every_time")]
    pub rate: f64,
    /// The code of the response; `None` executes the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<u16>,
    /// The delay of the response, such as `200ms`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<String>,
    /// The seed of its draws; `None` for the cluster's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

fn every_time() -> f64 {
    1.0
}

/// A cluster's settings.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "a map of settings")]
pub struct Settings {
    /// The format of the directory.
    pub format: u32,
    /// Features of the format that a reader must support.
    #[serde(default)]
    pub features: Vec<String>,
    /// The name of the cluster.
    #[serde(default = "default_name")]
    pub name: String,
    /// The source of uids and generated names.
    pub seed: u64,
    /// Its clock.
    #[serde(default)]
    pub clock: ClockMode,
    /// The number of fake nodes that it was created with.
    #[serde(default = "default_nodes")]
    pub nodes: u32,
    /// The behavior of its fake Pods.
    #[serde(default)]
    pub pods: PodMode,
    /// The part of the past that is kept next to the current state.
    #[serde(default)]
    pub history: Retention,
    /// The time to live of events after their last write, if it is not Kubernetes' hour; zero keeps them forever.
    #[serde(
        default,
        rename = "eventTTL",
        with = "span",
        skip_serializing_if = "Option::is_none"
    )]
    pub event_ttl: Option<SignedDuration>,
    /// The audit level of `.ctl/audit.log`; empty for no log.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub audit: String,
    /// The injected API faults.
    #[serde(default)]
    pub faults: Vec<ApiFault>,
    /// The names of the controllers that do not run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paused: Vec<String>,
    /// True until the copy of another cluster is complete: nothing else opens it before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
}

/// A span of time as users write it.
mod span {
    use super::SignedDuration;
    use crate::api::duration;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        span: &Option<SignedDuration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&text(span.unwrap_or_default()))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<SignedDuration>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let span = duration::parse(&text).filter(|span| !span.is_negative());
        let span = span.ok_or_else(|| {
            D::Error::custom(format!(
                "eventTTL: {text:?} is not a duration such as 30m, 1h or 0"
            ))
        })?;
        Ok(Some(span))
    }

    pub(super) fn text(span: SignedDuration) -> String {
        format!("{}s", span.as_secs_f64())
    }
}

fn default_name() -> String {
    "ctl".to_owned()
}

fn default_nodes() -> u32 {
    3
}

impl Settings {
    /// Returns the settings of a new cluster with this seed.
    pub fn new(seed: Seed) -> Self {
        Self {
            format: FORMAT_VERSION,
            features: Vec::new(),
            name: default_name(),
            seed: seed.0,
            clock: ClockMode::System,
            nodes: default_nodes(),
            pods: PodMode::Default,
            history: Retention::default(),
            event_ttl: None,
            audit: String::new(),
            faults: Vec::new(),
            paused: Vec::new(),
            unfinished: false,
        }
    }

    /// Rejects the beginning of a copy that was interrupted, which would be taken for the whole.
    pub(crate) fn check_finished(&self, place: &str) -> Result<()> {
        match self.unfinished {
            false => Ok(()),
            true => Err(StoreError::Refused(format!(
                "{place} holds the beginning of a copy that was interrupted: remove it, and copy again"
            ))),
        }
    }

    /// Returns the generator of uids and names.
    pub fn seed(&self) -> Seed {
        Seed(self.seed)
    }

    /// The file's content, with a word on each line.
    pub(crate) fn to_text(&self) -> String {
        let Self {
            format,
            features,
            name,
            seed,
            clock,
            nodes,
            pods,
            history,
            event_ttl,
            audit,
            faults,
            paused,
            unfinished,
        } = self;
        let clock = if *clock == ClockMode::Virtual {
            "virtual"
        } else {
            "system"
        };
        let pods = if *pods == PodMode::Running {
            "running"
        } else {
            "default"
        };
        // Quoted as JSON, which is YAML too: a name may contain anything.
        let name = crate::api::json::Value::from(name.as_str());
        let features = crate::api::json::json!(features);
        let history = serde_json::to_string(history).unwrap_or_default();
        let mut orders = String::new();
        // An older program rejects unknown settings, so the line is only written if it is set.
        if let Some(ttl) = event_ttl {
            let ttl = span::text(*ttl);
            orders.push_str(&format!(
                "eventTTL: {ttl} # how long events are kept; 0 keeps them forever\n"
            ));
        }
        if !audit.is_empty() {
            let audit = crate::api::json::Value::from(audit.as_str());
            orders.push_str(&format!(
                "audit: {audit} # level of .ctl/audit.log: Metadata, Request or RequestResponse\n"
            ));
        }
        if !paused.is_empty() {
            let paused = crate::api::json::json!(paused);
            orders.push_str(&format!(
                "paused: {paused} # controllers that do not run: `ctl pause`\n"
            ));
        }
        if *unfinished {
            orders.push_str("unfinished: true # until the copy of another cluster is complete\n");
        }
        let mut first = true;
        for fault in faults {
            let head = if std::mem::take(&mut first) {
                "faults: # injected API faults: `ctl fault api`\n"
            } else {
                ""
            };
            // One line of JSON for each: an editor's mistake stays in its line.
            orders.push_str(&format!(
                "{head}- {}\n",
                serde_json::to_string(fault).unwrap_or_default()
            ));
        }
        format!(
            "# A cluster of `ctl`: this directory is the cluster. Each object is a YAML file in\n\
             # NAMESPACE/RESOURCE/NAME.yaml (_cluster for those without a namespace); edit, copy,\n\
             # remove and version them like any other file. `.ctl` is the machine's memory.\n\
             format: {format} # of this directory; a newer one is not touched by an older ctl\n\
             features: {features}\n\
             name: {name}\n\
             seed: {seed} # where uids and generated names come from\n\
             clock: {clock} # system or virtual\n\
             nodes: {nodes} # fake nodes that it was made with\n\
             pods: {pods} # default: Pods of Jobs succeed; running: every Pod runs until told\n\
             history: {history} # how much of the past is kept for log, undo and watches: MiB, \"2GiB\" or \"30d\"\n\
             {orders}"
        )
    }

    /// Reads `cluster.yaml`; `None` if it does not exist.
    ///
    /// # Errors
    /// It cannot be read or parsed.
    pub fn load(fs: &dyn Fs) -> Result<Option<Self>> {
        let bytes = match fs::read_all(fs, SETTINGS, MAX_SETTINGS) {
            Ok(bytes) => bytes,
            Err(e) if e.is_not_found() => return Ok(None),
            Err(e) => return Err(e.into()),
        };
        Self::of_text(&bytes, SETTINGS).map(Some)
    }

    /// Reads the content of a file, or of something else of that name.
    ///
    /// # Errors
    /// If it cannot be understood.
    pub(crate) fn of_text(bytes: &[u8], name: &str) -> Result<Self> {
        let settings: Self = serde_yaml::from_slice(bytes).map_err(|e| {
            let place = e
                .location()
                .map(|l| format!(":{}:{}", l.line(), l.column()));
            StoreError::Settings {
                file: format!("{name}{}", place.unwrap_or_default()),
                reason: e.to_string(),
            }
        })?;
        check_features(settings.format, &settings.features)?;
        Ok(settings)
    }

    /// Writes `cluster.yaml`.
    pub(crate) fn save(&self, fs: &dyn Fs) -> Result<()> {
        // By rename, so that a process that reads the settings meanwhile gets the old or the new ones.
        let temporary = format!("{STAGING}/index-{:016x}", fs.fresh());
        Ok(fs::replace(
            fs,
            SETTINGS,
            &temporary,
            self.to_text().as_bytes(),
            true,
        )?)
    }
}

/// The settings of an open store.
#[derive(Debug)]
pub(crate) struct CurrentSettings(RwLock<Arc<Settings>>);

impl CurrentSettings {
    pub(crate) fn new(settings: Settings) -> Self {
        Self(RwLock::new(Arc::new(settings)))
    }

    pub(crate) fn get(&self) -> Arc<Settings> {
        // A reference count instead of a copy, because every commit reads the clock mode.
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn set(&self, settings: Settings) -> Arc<Settings> {
        let settings = Arc::new(settings);
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&settings);
        settings
    }
}

fn check_features(format: u32, features: &[String]) -> Result<()> {
    // Refused rather than guessed: a newer format may mean something else by the same bytes.
    if format > FORMAT_VERSION {
        return Err(StoreError::Newer(format!(
            "the directory has format {format}, this ctl knows {FORMAT_VERSION}: use a newer ctl"
        )));
    }
    match features
        .iter()
        .find(|f| !KNOWN_FEATURES.contains(&f.as_str()))
    {
        Some(unknown) => Err(StoreError::Newer(format!(
            "the directory uses the feature {unknown:?}, which this ctl does not know: use a newer ctl"
        ))),
        None => Ok(()),
    }
}

/// The content of `.ctl/format`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Format {
    /// The format's version.
    pub(crate) format: u32,
    /// The oldest version that can read it.
    pub(crate) min_reader: u32,
    /// The oldest version that may write it.
    pub(crate) min_writer: u32,
    /// Further features that a reader must support.
    pub(crate) features: Vec<String>,
}

/// The operations that this program may perform on a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rights {
    /// Everything.
    ReadWrite,
    /// Looking only: a newer program's writes must not be disturbed.
    ReadOnly,
}

impl Format {
    /// Returns the format that this program writes.
    pub(crate) fn current() -> Self {
        Self {
            format: FORMAT_VERSION,
            min_reader: FORMAT_VERSION,
            min_writer: FORMAT_VERSION,
            features: Vec::new(),
        }
    }

    /// Returns the file's content.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// Reads the file; `None` if it does not exist.
    pub(crate) fn read(fs: &dyn Fs) -> Result<Option<Self>> {
        let bytes = match fs::read_all(fs, FORMAT, MAX_SETTINGS) {
            Ok(bytes) => bytes,
            Err(e) if e.is_not_found() => return Ok(None),
            Err(e) => return Err(e.into()),
        };
        let format = serde_json::from_slice(&bytes).map_err(|e| StoreError::Settings {
            file: FORMAT.to_owned(),
            reason: format!("{e}; delete the file if the directory was never used by a newer ctl"),
        })?;
        Ok(Some(format))
    }

    /// Returns the permitted operations; a directory without the file has the first format.
    pub(crate) fn check(fs: &dyn Fs) -> Result<Rights> {
        let Some(format) = Self::read(fs)? else {
            return Ok(Rights::ReadWrite);
        };
        check_features(format.min_reader, &format.features)?;
        // A newer writer may allow older readers; then this program reads and never writes.
        let writable = format.min_writer <= FORMAT_VERSION;
        Ok(if writable {
            Rights::ReadWrite
        } else {
            Rights::ReadOnly
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::real_fs::RealFs;

    fn scratch() -> (tempfile::TempDir, RealFs) {
        let dir = tempfile::tempdir().unwrap();
        let fs = RealFs::open(dir.path()).unwrap();
        fs.make_dir(".ctl").unwrap();
        fs.make_dir(STAGING).unwrap();
        (dir, fs)
    }

    #[test]
    fn settings_read_back_as_written() {
        let (_dir, fs) = scratch();
        assert_eq!(Settings::load(&fs).unwrap(), None);
        let settings = Settings {
            name: "it's \"mine\": # yes".to_owned(),
            clock: ClockMode::Virtual,
            pods: PodMode::Running,
            event_ttl: Some(SignedDuration::from_millis(90_500)),
            faults: vec![
                ApiFault {
                    name: "1".to_owned(),
                    verbs: vec!["get".to_owned()],
                    rate: 0.25,
                    code: Some(500),
                    seed: Some(u64::MAX),
                    ..ApiFault::default()
                },
                ApiFault {
                    name: "slow: \"all\"".to_owned(),
                    latency: Some("1s".to_owned()),
                    rate: 1.0,
                    ..ApiFault::default()
                },
            ],
            paused: vec!["deployment".to_owned(), "job".to_owned()],
            history: Retention::Age(SignedDuration::from_hours(720)),
            ..Settings::new(Seed(u64::MAX))
        };
        settings.save(&fs).unwrap();
        assert_eq!(Settings::load(&fs).unwrap(), Some(settings));
    }

    #[test]
    fn invalid_settings_are_reported_with_line_and_column() {
        let (dir, fs) = scratch();
        std::fs::File::create(dir.path().join(SETTINGS)).unwrap();
        fs.open(SETTINGS, crate::sys::fs::Access::Write)
            .unwrap()
            .write_at(b"format: 1\nseed: 3\nclok: system\n", 0)
            .unwrap();
        let error = Settings::load(&fs).unwrap_err().to_string();
        assert!(
            error.starts_with("cluster.yaml:3:1: ") && error.contains("clok"),
            "{error}"
        );
        for wrong in ["soon", "-1h"] {
            let text = format!("format: 1\nseed: 3\neventTTL: {wrong}\n");
            let file = fs.open(SETTINGS, crate::sys::fs::Access::Write).unwrap();
            file.write_at(text.as_bytes(), 0).unwrap();
            let error = Settings::load(&fs).unwrap_err().to_string();
            let told = format!("eventTTL: {wrong:?} is not a duration such as 30m, 1h or 0");
            assert!(
                error.starts_with("cluster.yaml:") && error.contains(&told),
                "{error}"
            );
        }
    }

    #[test]
    fn newer_formats_are_refused_or_read_only() {
        let (_dir, fs) = scratch();
        let write = |format: &Format| {
            let temporary = format!("{STAGING}/x");
            fs::replace(&fs, FORMAT, &temporary, &format.to_bytes(), false).unwrap();
            Format::check(&fs)
        };
        let current = Format::current();
        assert_eq!(write(&current).unwrap(), Rights::ReadWrite);
        let newer_writer = Format {
            format: 2,
            min_writer: 2,
            ..current.clone()
        };
        assert_eq!(write(&newer_writer).unwrap(), Rights::ReadOnly);
        let newer_reader = Format {
            min_reader: 2,
            ..current.clone()
        };
        assert!(matches!(write(&newer_reader), Err(StoreError::Newer(_))));
        let feature = Format {
            features: vec!["zstd".to_owned()],
            ..current
        };
        assert!(matches!(write(&feature), Err(StoreError::Newer(_))));
    }
}
