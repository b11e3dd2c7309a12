//! Parses faults on a timeline, such as `node/node-1 down at 30s`.

use jiff::SignedDuration;

use super::durations::span;

/// A fault, and the time after the change at which it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TimedFault {
    at: SignedDuration,
    /// The duration of the fault; none if it is not removed.
    lasts: Option<SignedDuration>,
    kind: String,
    name: String,
    /// The flags of `ctl fault`.
    flags: Vec<String>,
}

const FORM: &str =
    "a fault looks like 'node/node-1 down at 30s' or 'pod/web-0 crash 137 at 1m for 5m'";

/// Parses a fault.
pub(crate) fn parse(text: &str) -> Result<TimedFault, String> {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let lasts = trailing(&mut words, "for")?;
    let at = trailing(&mut words, "at")?.unwrap_or_default();
    let [object, fault @ ..] = &words[..] else {
        return Err(FORM.to_owned());
    };
    let (kind, name) = object.split_once('/').ok_or(FORM)?;
    let kind = match kind {
        "node" | "nodes" | "no" => "node",
        "pod" | "pods" | "po" => "pod",
        other => {
            return Err(format!(
                "{other:?} cannot have faults; expected node/NAME or pod/NAME"
            ));
        }
    };
    let flags = match fault {
        [one] => vec![format!("--{}", one.trim_start_matches('-'))],
        // A value belongs to the preceding flag: `crash 137` means `--crash=137`.
        [name, value] => vec![format!("--{}={value}", name.trim_start_matches('-'))],
        _ => return Err(FORM.to_owned()),
    };
    // `--crash` needs an exit code, and failed programs usually have 1.
    let flags = flags.into_iter().map(|flag| match flag.as_str() {
        "--crash" => "--crash=1".to_owned(),
        _ => flag,
    });
    Ok(TimedFault {
        at,
        lasts,
        kind: kind.to_owned(),
        name: name.to_owned(),
        flags: flags.collect(),
    })
}

/// Removes `WORD TIME` from the end and returns the time.
fn trailing(words: &mut Vec<&str>, word: &str) -> Result<Option<SignedDuration>, String> {
    let [.., own, time] = &words[..] else {
        return Ok(None);
    };
    if *own != word {
        return Ok(None);
    }
    let time = span(time)?;
    words.truncate(words.len() - 2);
    Ok(Some(time))
}

/// Returns the commands that inject and remove the faults, in the order of their times.
pub(crate) fn commands(faults: &[TimedFault]) -> Vec<(SignedDuration, Vec<String>)> {
    let mut all = Vec::new();
    for fault in faults {
        let object = [fault.kind.clone(), fault.name.clone()];
        let words = std::iter::once("fault".to_owned()).chain(object.clone());
        all.push((fault.at, words.chain(fault.flags.iter().cloned()).collect()));
        if let Some(lasts) = fault.lasts {
            let words = ["fault", "clear"].map(str::to_owned).into_iter();
            all.push((
                fault.at.saturating_add(lasts),
                words.chain(object).collect(),
            ));
        }
    }
    // The sort is stable, so faults with equal times keep the order of the command line.
    all.sort_by_key(|(at, _): &(SignedDuration, Vec<String>)| *at);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_become_commands_in_the_order_of_their_times() {
        let faults = [
            "node/node-1 down at 1m for 30s",
            "pod/web-0 crash at 10s",
            "pod/web-0 image not-found",
        ];
        let faults = faults.map(|text| parse(text).unwrap());
        let told = commands(&faults).into_iter().map(|(at, words)| {
            let at = at.as_secs();
            format!("{at} {}", words.join(" "))
        });
        let told: Vec<String> = told.collect();
        let expected = [
            "0 fault pod web-0 --image=not-found",
            "10 fault pod web-0 --crash=1",
            "60 fault node node-1 --down",
            "90 fault clear node node-1",
        ];
        assert_eq!(told, expected);
        for wrong in [
            "",
            "node-1 down",
            "node/a",
            "node/a down at soon",
            "svc/a down",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
