//! The history of a cluster in readable form: a log of commits, and the chain of causes of each change.
//!
//! Every commit stores its writer, its rule and the revision that triggered it. [`log()`] lists the commits.
//! [`History`] follows the triggers back to their origin: a command, an edited file or the clock. Must not know:
//! printing, the terminal, or the list of controllers.

use ctl_api as api;
use ctl_cluster as cluster;
use ctl_kinds as kinds;
use ctl_runtime as runtime;

mod blockers;
mod chain;
mod claim;
mod difference;
mod effects;
mod fields;
mod history_start;
mod log;
mod merge;
mod moment;
mod origin;
mod pod_counts;
mod read;
mod states;
mod undo;
mod versions;
mod words;

pub use blockers::{Blocker, blockers};
pub use chain::{Chain, End, Step};
pub use claim::{Claim, Expression, Verdict, judge};
pub use difference::{ObjectDiff, between, between_as};
pub use effects::{Effects, PodChange, WorkloadRange, effects, is_noise};
pub use fields::{FieldPath, changed_fields, fields_between, last_change_of};
pub use history_start::HistoryStart;
pub use log::{Changed, Filter, LogEntry, log};
pub use moment::{Moment, mark_of, mark_rule, moment};
pub use origin::Origin;
pub use pod_counts::{Count, PodCounts};
pub use read::{Change, ChangeKind, History};
pub use states::{State, Subject, states};
pub use undo::{ConflictingWrite, Undo, UndoError, last_user_commit, undo};
pub use versions::{Version, Versions, versions_of};
pub use words::Names;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
