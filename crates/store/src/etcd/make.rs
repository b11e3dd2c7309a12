//! Creates a cluster on etcd.

use ctl_etcd::{Client, Compare, KeyRange, KeyWrite, Txn};

use super::follow::PAGE;
use super::keys::{EPOCH, HEAD, Keys, SETTINGS};
use super::record::Head;
use crate::error::StoreError;
use crate::interface::Result;
use crate::options::Options;
use crate::settings::{ClockMode, Settings};
use crate::sys::clock::virtual_epoch;
use crate::sys::entropy::kernel_random;

/// Creates an empty cluster unless another process does; returns true if it did.
pub(super) fn make(
    client: &Client,
    keys: &Keys,
    settings: &Settings,
    options: &Options,
) -> Result<bool> {
    // The keys of one cluster inside another's would be objects of both.
    refuse_nesting(client, keys)?;
    let time = match settings.clock {
        ClockMode::Virtual => virtual_epoch(),
        ClockMode::System => options.clock.now(),
    };
    let head = Head {
        id: kernel_random(),
        time,
        writer: options.command.clone(),
        rule: "init".to_owned(),
        ..Head::default()
    };
    let txn = Txn {
        compares: vec![Compare::mod_revision(keys.own(HEAD), 0)],
        // In one revision, which is the first of the cluster.
        writes: vec![
            KeyWrite::put(keys.own(HEAD), head.to_bytes()),
            KeyWrite::put(keys.own(EPOCH), "0"),
            KeyWrite::put(keys.own(SETTINGS), settings.to_text()),
        ],
        ..Txn::default()
    };
    Ok(client.txn(&txn)?.succeeded)
}

/// Fails if the prefix lies inside that of another cluster, or another cluster inside it.
fn refuse_nesting(client: &Client, keys: &Keys) -> Result<()> {
    let exists = |head: &str| -> Result<bool> {
        let range = KeyRange {
            keys_only: true,
            ..KeyRange::key(head)
        };
        Ok(!client.range(&range)?.kvs.is_empty())
    };
    let refused = |other: &str| {
        let text = format!(
            "the keys below {} and those of the cluster {other} overlap: choose another prefix",
            keys.prefix()
        );
        Err(StoreError::Refused(text))
    };
    let beside = Keys::new(&format!("{}.ctl", keys.prefix()));
    for outer in keys.outer().chain([beside]) {
        if exists(&outer.own(HEAD))? {
            return refused(outer.prefix());
        }
    }
    // In pages, because the prefix may hold more keys than one response can.
    let mut page = KeyRange {
        keys_only: true,
        limit: PAGE,
        ..KeyRange::prefix(keys.objects())
    };
    loop {
        let found = client.range(&page)?;
        for kv in &found.kvs {
            if let Some(inner) = keys.inner(&kv.key) {
                return refused(inner);
            }
        }
        let Some(last) = found.kvs.last().filter(|_| found.more) else {
            return Ok(());
        };
        page.key.clone_from(&last.key);
        page.key.push(0);
    }
}
