//! Bytes under a lock: journal, revisions, YAML projection, watch, hand edits, history.
//!
//! Must not know: which kinds exist.
