//! The rules for a write on the state of its transaction: admission, definitions, addresses, managed fields, admission
//! policies.

pub(crate) mod addresses;
pub(crate) mod admission;
pub(crate) mod api_services;
pub(crate) mod definitions;
pub(crate) mod managed;
pub(crate) mod policies;
