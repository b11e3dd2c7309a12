//! `ctl`: a Kubernetes cluster in a directory.
//!
//! Each re-exported crate is a layer; `docs/architecture.md` has a table of them. Start reading at [`store`] for the
//! durable directory and at [`cli`] for the commands.

pub use ctl_api as api;
pub mod cli;
pub use ctl_cluster as cluster;
pub use ctl_controllers as controllers;
pub use ctl_history as history;
pub use ctl_kinds as kinds;
pub use ctl_kubelet as kubelet;
pub use ctl_kustomize as kustomize;
pub use ctl_pki as pki;
pub use ctl_print as print;
pub use ctl_runtime as runtime;
pub use ctl_serve as serve;
pub use ctl_store as store;
pub use ctl_sys as sys;
