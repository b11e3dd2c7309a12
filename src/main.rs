//! The `ctl` program: calls the library and turns the result into an exit code.

fn main() -> std::process::ExitCode {
    ctl::cli::main(std::env::args_os())
}
