//! The edge to the operating system: clock, randomness, files, locks, notifications, signals.
//!
//! Must not know: Kubernetes.
