//! Measures the speed of `ctl` and prints a table of figures with their targets. If the disk is the limit, a figure is
//! compared with the bare file system for the same bytes in the same run.
//!
//! `cargo bench` prints the table. `cargo bench -- --quick` measures smaller counts, `-- --api` only the rows of the
//! API server, `-- --commands` only those of commands, `-- --history` only those of the history, `-- --controllers`
//! only those of the controllers, `-- --serve` only those of `ctl serve`, `-- --etcd` only those of a cluster on etcd,
//! `-- --day` only the simulated day, and `-- --nightly` only the largest cluster, which is part of no other run.
#![expect(clippy::unwrap_used, reason = "a failed measurement is a failed run")]
#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

mod api;
mod commands;
mod controllers;
mod etcd;
mod explore;
mod history;
mod processes;
mod raw;
mod sample;
mod scale;
mod scratch;
mod serve;
mod store;
mod table;
mod writers;

use table::Table;

/// Uses the program's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The amount of work of the measurements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) objects: usize,
    pub(crate) rounds: usize,
    pub(crate) processes: usize,
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|a| a == "--worker") {
        return processes::work(&args[at + 1..]);
    }
    let quick = args.iter().any(|a| a == "--quick");
    let size = if quick {
        Size {
            objects: 2_000,
            rounds: 50,
            processes: 16,
        }
    } else {
        Size {
            objects: 10_000,
            rounds: 200,
            processes: 64,
        }
    };
    let only = |rows: &str| args.iter().any(|a| a == rows);
    let (begin, mut table) = (scratch::making_a_file(), Table::new());
    if only("--commands") {
        processes::versions(&mut table, size);
        commands::small(&mut table, size);
        commands::plan(&mut table, size);
        commands::many(&mut table, size);
        commands::large(&mut table);
    } else if only("--history") {
        commands::plan(&mut table, size);
        history::measure(&mut table, size);
        explore::rollout(&mut table, quick);
    } else if only("--controllers") {
        control(&mut table, quick);
    } else if only("--memory") {
        controllers::in_memory(&mut table);
        scale::in_memory(&mut table, if quick { 1_000 } else { 10_000 });
    } else if only("--serve") {
        serve::measure(&mut table, size);
    } else if only("--day") {
        scale::day(&mut table, if quick { 2 } else { 24 });
    } else if only("--nightly") {
        scale::largest(&mut table);
    } else if only("--etcd") {
        etcd::measure(&mut table, size, quick);
    } else {
        api::patches(&mut table, size);
        api::creates(&mut table, size);
        api::lists(&mut table, size);
        if !only("--api") {
            rest(&mut table, size, quick);
        }
    }
    let end = scratch::making_a_file();
    println!("{}", table.render());
    println!(
        "Making a file of 2.5 KB took this file system {} at the beginning and {} at the end.",
        table::us(begin),
        table::us(end)
    );
    scratch::remove();
}

fn rest(table: &mut Table, size: Size, quick: bool) {
    store::commits(table, size);
    store::batches(table);
    store::big_cluster(table, size);
    store::wake_up(table, size);
    processes::versions(table, size);
    commands::small(table, size);
    commands::plan(table, size);
    commands::many(table, size);
    commands::large(table);
    history::measure(table, size);
    processes::first_pods(table, size);
    processes::many(table, size);
    writers::measure(table, size);
    serve::measure(table, size);
    control(table, quick);
    etcd::measure(table, size, quick);
}

fn control(table: &mut Table, quick: bool) {
    let scale = if quick {
        controllers::QUICK
    } else {
        controllers::FULL
    };
    controllers::scheduler(table);
    controllers::first_steps(table);
    controllers::in_memory(table);
    scale::in_memory(table, if quick { 1_000 } else { 10_000 });
    scale::day(table, if quick { 2 } else { 24 });
    explore::rollout(table, quick);
    controllers::deployments(table, scale);
    controllers::rolling_update(table, scale);
    controllers::many(table, scale);
    controllers::one_more(table, scale);
    controllers::idle(table, scale);
    controllers::files(table, scale);
}
