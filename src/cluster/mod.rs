//! The API server in-process: the only door to the store.
//!
//! Must not know: controllers, printing, HTTP.
