//! Parse, call, print. The only module that reads arguments and the environment, or prints.

use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the program with `args` and answers its exit code.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let _ = args;
    ExitCode::SUCCESS
}
