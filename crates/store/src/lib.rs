//! The storage of a cluster's objects: in a directory under a lock, in memory, or on etcd.
//!
//! [`Store`] is the interface for all layers above; it does not mention files. `docs/format.md` describes the files on
//! disk, `docs/design/0001-journal.md` the reasons.
//!
//! Must not know: the existing kinds.

use ctl_api as api;
use ctl_sys as sys;

mod access;
mod admit;
mod adopt;
mod append;
mod cleanup;
mod comments;
mod compact;
mod contract;
mod copy;
#[cfg(test)]
mod crash;
mod directory;
mod division;
mod dot;
mod draws;
mod edit_reports;
mod edits;
mod error;
mod etcd;
mod exclusive;
mod fast_head;
mod faults;
mod file_store;
mod files;
mod fsck;
mod full_disk;
#[cfg(any(test, feature = "fuzz"))]
#[doc(hidden)]
pub mod fuzz;
mod group;
mod handed_over;
mod handover;
mod head;
mod heartbeats;
mod history;
mod import_reports;
mod index;
mod interface;
mod journal;
mod judge;
mod key;
mod layout;
mod leader;
mod listener;
mod marks;
mod memory;
mod merge;
mod migrate;
mod mirror;
mod mutant;
mod new_tree;
mod open_files;
mod options;
mod past;
mod prepare;
mod prepared;
mod private;
mod record;
mod recover;
mod removal;
mod render;
mod retention;
mod reverse;
mod revision;
mod rules;
mod scan;
mod seen;
mod segment;
mod settings;
mod sharing;
mod show;
mod stage_ahead;
mod transfer;
mod tree;
mod unlocked;
mod visit;
mod wakeup;
mod whole_tree;
mod writers;

pub use admit::{Admit, HandEdit, Intent, OWNED_METADATA, PlainAdmit};
pub use contract::Store;
pub use copy::CopyEnd;
pub use ctl_etcd::Tls;
pub use directory::Directory;
pub use division::{Division, Shares};
pub use error::StoreError;
pub use etcd::{EtcdStore, Members};
pub use files::FileStore;
pub use fsck::Report;
pub use heartbeats::{Heartbeat, Heartbeats};
pub use import_reports::{HAND_EDIT, Imported};
pub use interface::{
    Batch, Cause, CausingChange, Change, ChangeReason, Committed, Event, Expect, HistoryQuery,
    Listing, Op, Result, Revision, Splits, Stored, View, VisitEvent,
};
pub use key::{CLUSTER_SCOPE, Key, KeyError, Range};
pub use layout::LEAVING;
pub use leader::{Candidate, Election, Leadership, SettleLock, Share};
pub use memory::MemoryStore;
pub use mirror::{Mirror, Mirrored};
pub use options::{Notice, OnImport, Options};
pub use removal::{Inventory, half_deleted, inventory, remove};
pub use retention::Retention;
pub use rules::{MAX_BATCH, MAX_BATCH_OBJECTS, MAX_OBJECT};
pub use settings::{ApiFault, ClockMode, FORMAT_VERSION, PodMode, Settings};
pub use transfer::transfer;
pub use visit::{Recorded, RecordedChange, See};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
