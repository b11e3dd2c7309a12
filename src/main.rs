//! The `ctl` program: calls the library and turns the result into an exit code.

/// Object trees consist of many small allocations, for which mimalloc is faster than the system allocator
/// (docs/design/0004-speed.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    ctl::cli::main(std::env::args_os())
}
