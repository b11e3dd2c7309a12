//! The API server in-process: the only access to the store.
//!
//! Must not know: controllers, printing, HTTP.

use ctl_api as api;
use ctl_kinds as kinds;
use ctl_pki as pki;
use ctl_store as store;
use ctl_sys as sys;

mod access;
mod admin;
mod audit;
mod calls;
mod cluster;
mod commit;
mod components;
mod context;
mod discovery;
mod entry;
mod events;
mod hand_edit;
mod identity;
mod impersonation;
mod objects;
mod read;
mod repeats;
mod request;
mod rules;
mod scale_paths;
mod series;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
#[expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
pub mod testing;
mod verbs;
mod webhooks;

pub use crate::kinds::admission::kinds_that_affect_admission;
pub use crate::kinds::{Kind, find_by_api_version as find_kind};
pub use crate::store::{
    ApiFault, Candidate, CausingChange, Change, ClockMode, CopyEnd, Division, Event, Expect,
    HistoryQuery, Imported, Inventory, Key, KeyError, Leadership, Listing, Notice, OnImport,
    PodMode, Range, Recorded, RecordedChange, Report, Retention, Revision, See, Settings,
    SettleLock, Share, Shares, StoreError, Stored,
};
pub use admin::bootstrap::kept_objects;
pub use admin::configuration::Configuration;
pub use admin::directory::InitOutcome;
pub use admin::empty::STORE_FILE;
pub use admin::files::{Files, restore};
pub use admin::import::{DroppedOwner, Import, LiveChange};
pub use admin::leadership::ControllerLead;
pub use admin::mirror::Mirroring;
pub use admin::profile::{Profile, ProfileError};
pub use admin::raw::{RawOp, StoredObjects};
pub use admin::registrations::{Registration, registrations};
pub use admin::remote::Remote;
pub use admin::removal::{destroy, inventory, reset};
pub use audit::{AuditLog, Audited, AuditedRequest, Level, Notes, ObjectRef, Outcome};
pub use calls::feed::Feed;
pub use calls::recreation::check_recreation;
pub use calls::rights::Rights;
pub use calls::subresources::Subresources;
pub use cluster::{Cluster, Open, Result};
pub use entry::faults::{FAULT_CODES, FAULT_VERBS};
pub use events::write_times;
pub use events::{
    EventWrite, Telling, last_write, namespace_of, next_allowed, plan as plan_events,
};
pub use hand_edit::KubernetesAdmit;
pub use identity::Identity;
pub use impersonation::{Acting, Impersonation};
pub use objects::stored_key;
pub use read::informer::Changed;
pub use read::list::{List, ObjectFilter, Page, WatchEvent};
pub use read::page::ListOptions;
pub use read::recent::{Followed, Follower};
pub use read::select::Selection;
pub use read::selected::{Encode, Memory, Room};
pub use read::watch::Watching;
pub use repeats::Repeats;
pub use request::options::{
    ApplyOptions, DeleteOptions, FieldValidation, Propagation, WriteOptions, administrator,
    anonymous, impersonated,
};
pub use request::part::Part;
pub use request::response::{ApiError, Response, add_warnings};
pub use request::{PatchType, Place, Request, Verb};
pub use rules::admission::address_record;
pub use rules::api_services::custom_api_service;
pub use scale_paths::ScalePaths;
pub use series::{Described, exposed};
pub use verbs::log::{LogOptions, LogTarget};
pub use verbs::recreate::Recreated;
pub use verbs::scale::no_subresource;
pub use webhooks::{Call, Caller, Reply};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
