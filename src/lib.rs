//! `ctl`: a Kubernetes cluster in a directory.
//!
//! The modules below are layers; `tests/it/layers.rs` holds the table of which may use which.
//! Start reading at [`store`] for the directory that loses nothing and at [`cli`] for the commands.

/// Trees of small objects are what this program makes and drops all day.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub mod api;
pub mod cli;
pub mod cluster;
pub mod controllers;
pub mod kinds;
pub mod kubelet;
pub mod kustomize;
pub mod print;
pub mod runtime;
pub mod serve;
pub mod store;
pub mod sys;
