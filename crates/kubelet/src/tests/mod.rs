//! Tests of the whole engine.

mod golden;
