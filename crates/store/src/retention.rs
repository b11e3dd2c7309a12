//! The part of the past that is kept next to the current state: a size or an age.

use std::fmt;
use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::api::duration;

/// The unit of a number without one.
const MIB: u64 = 1 << 20;

/// Units of sizes, largest first, so that a size is printed in the largest one that divides it.
const SIZES: &[(&str, u64)] = &[
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", MIB),
    ("KiB", 1 << 10),
    ("B", 1),
];

/// Units of ages, largest first.
const AGES: &[(&str, i64)] = &[("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)];

/// The part of the past that is kept.
///
/// ```
/// use ctl_store::Retention;
///
/// let month: Retention = "30d".parse()?;
/// assert!(matches!(month, Retention::Age(_)));
/// // A number alone means MiB, as in `cluster.yaml`.
/// assert_eq!("2048".parse::<Retention>()?.to_string(), "2GiB");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retention {
    /// The newest part of the history, up to this many bytes.
    Size(u64),
    /// Everything that is not older than this.
    Age(SignedDuration),
}

impl Retention {
    /// Returns true if a part of the past stays that ended at `ended` and that takes, with everything after it,
    /// `bytes`.
    pub(crate) fn keeps(self, bytes: u64, ended: Timestamp, now: Timestamp) -> bool {
        match self {
            Self::Size(most) => bytes <= most,
            // The end of a part counts: a promise to keep 30 days covers a part that began before them.
            Self::Age(most) => now.duration_since(ended) <= most,
        }
    }

    /// Returns a limit of twice the size, for histories that are cut once in a while and not with each commit.
    pub(crate) fn doubled(self) -> Self {
        match self {
            Self::Size(most) => Self::Size(most.saturating_mul(2)),
            Self::Age(_) => self,
        }
    }

    /// Returns the size in whole MiB, if it is one.
    fn mib(self) -> Option<u64> {
        match self {
            Self::Size(bytes) if bytes.is_multiple_of(MIB) => Some(bytes / MIB),
            _ => None,
        }
    }
}

impl Default for Retention {
    fn default() -> Self {
        Self::Size(64 * MIB)
    }
}

impl fmt::Display for Retention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Size(0) => f.write_str("0"),
            Self::Size(bytes) => {
                let found = SIZES.iter().find(|(_, unit)| bytes.is_multiple_of(*unit));
                let (name, unit) = found.copied().unwrap_or(("B", 1));
                write!(f, "{}{name}", bytes / unit)
            }
            Self::Age(age) => {
                let seconds = age.as_secs();
                let whole = |(_, unit): &&(&str, i64)| seconds % unit == 0;
                match AGES.iter().find(whole) {
                    Some((name, unit)) if age.subsec_nanos() == 0 => {
                        write!(f, "{}{name}", seconds / unit)
                    }
                    _ => write!(f, "{}s", age.as_secs_f64()),
                }
            }
        }
    }
}

impl FromStr for Retention {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let size = |text: &str, unit: u64| {
            let number = text.parse::<u64>().ok()?;
            number.checked_mul(unit).map(Self::Size)
        };
        let named = SIZES
            .iter()
            .find_map(|(name, unit)| size(text.strip_suffix(name)?, *unit));
        // Sizes first: `0` is a duration as well, and means the same.
        let found = size(text, MIB).or(named).or_else(|| {
            let age = duration::parse(text).filter(|age| !age.is_negative());
            age.map(Self::Age)
        });
        found.ok_or_else(|| {
            format!("{text:?} is neither a size such as 2GiB nor an age such as 30d")
        })
    }
}

impl Serialize for Retention {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A number where it can be one: earlier versions read no other form.
        match self.mib() {
            Some(mib) => serializer.serialize_u64(mib),
            None => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Retention {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Words;

        impl Visitor<'_> for Words {
            type Value = Retention;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                // Shown by the parser together with the file, the line and the column.
                f.write_str("a number of MiB, a size such as 2GiB or an age such as 30d")
            }

            fn visit_u64<E: serde::de::Error>(self, mib: u64) -> Result<Retention, E> {
                Ok(Retention::Size(mib.saturating_mul(MIB)))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Retention, E> {
                text.parse().map_err(|e| E::custom(format!("history: {e}")))
            }
        }

        deserializer
            .deserialize_any(Words)
            .map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Retention {
        text.parse().unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn sizes_and_ages_are_read_and_printed() {
        for (text, printed) in [
            ("30d", "30d"),
            ("720h", "30d"),
            ("90m", "90m"),
            ("1.5s", "1.5s"),
            ("2GiB", "2GiB"),
            ("1536MiB", "1536MiB"),
            ("64", "64MiB"),
            ("1000B", "1000B"),
            ("0", "0"),
        ] {
            assert_eq!(read(text).to_string(), printed, "{text}");
            assert_eq!(read(printed), read(text), "{text}");
        }
        for wrong in ["", "soon", "-1d", "2GB", "1.5GiB", "99999999TiB"] {
            let error = wrong.parse::<Retention>().unwrap_err();
            assert!(error.contains("neither a size such as 2GiB nor"), "{error}");
        }
    }

    #[test]
    fn whole_mib_sizes_serialize_as_a_number() {
        for (kept, written) in [("2GiB", "2048"), ("512KiB", "512KiB"), ("30d", "30d")] {
            let text = serde_yaml::to_string(&read(kept)).unwrap();
            assert_eq!(text.trim(), written);
            assert_eq!(
                serde_yaml::from_str::<Retention>(&text).unwrap(),
                read(kept)
            );
        }
        let odd = serde_yaml::from_str::<Retention>("soon").unwrap_err();
        assert!(odd.to_string().contains("history: \"soon\""), "{odd}");
    }

    #[test]
    fn part_is_kept_within_the_size_or_age_limit() {
        let now = Timestamp::new(1_800_000_000, 0).unwrap();
        let ago = |seconds| now - SignedDuration::from_secs(seconds);
        for (kept, bytes, age, stays) in [
            ("1KiB", 1024, 99, true),
            ("1KiB", 1025, 0, false),
            ("1m", u64::MAX, 60, true),
            ("1m", 0, 61, false),
        ] {
            assert_eq!(read(kept).keeps(bytes, ago(age), now), stays, "{kept}");
        }
    }
}
