//! Parses the flags of `kube-apiserver` and `etcd`.

use std::collections::BTreeMap;
use std::ffi::OsString;

/// The flags of a command line by name, without dashes. A later flag replaces an earlier one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Flags(BTreeMap<String, String>);

impl Flags {
    /// Parses arguments in Go's syntax: `--name=value`, `--name value`, `-name=value` and `--switch`.
    pub(super) fn from_args(args: &[OsString]) -> Self {
        let mut flags = BTreeMap::new();
        let mut words = args.iter().map(|arg| arg.to_string_lossy()).peekable();
        while let Some(word) = words.next() {
            let Some(flag) = word.strip_prefix('-') else {
                continue;
            };
            let flag = flag.strip_prefix('-').unwrap_or(flag);
            let (name, value) = match flag.split_once('=') {
                Some((name, value)) => (name, value.to_owned()),
                // A word that is not a flag is the value of the preceding flag; a switch has no value.
                None => {
                    let value = words.next_if(|next| !next.starts_with('-'));
                    (
                        flag,
                        value.map_or_else(|| "true".to_owned(), |v| v.to_string()),
                    )
                }
            };
            flags.insert(name.to_owned(), value);
        }
        Self(flags)
    }

    /// Returns the value of a flag; none if the flag is absent or empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let value = self.0.get(name).map(String::as_str);
        value.filter(|value| !value.is_empty())
    }

    /// Returns the flags that are not in the list.
    pub(super) fn beyond<'f>(&'f self, known: &'f [&str]) -> impl Iterator<Item = &'f str> {
        let names = self.0.keys().map(String::as_str);
        names.filter(|name| !known.contains(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_parsed_like_go() {
        let args = ["--a=1", "--b", "2", "-c", "--d", "--a=3", "word", "--e="];
        let flags = Flags::from_args(&args.map(OsString::from));
        let all = ["a", "b", "c", "d", "e", "f"].map(|name| flags.get(name));
        assert_eq!(
            all,
            [Some("3"), Some("2"), Some("true"), Some("true"), None, None]
        );
        assert_eq!(
            flags.beyond(&["a", "b"]).collect::<Vec<_>>(),
            ["c", "d", "e"]
        );
    }
}
