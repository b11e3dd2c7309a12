#![no_main]
//! Sends any bytes to a server, which must respond or close the connection.
use std::sync::LazyLock;

use ctl::cluster::{Cluster, Open};

static CLUSTER: LazyLock<(Cluster, tempfile::TempDir)> = LazyLock::new(|| {
    let directory = tempfile::tempdir().expect("a directory to work in");
    let cluster = Cluster::open(directory.path(), Open::default()).expect("a new cluster");
    cluster.bootstrap().expect("what a fresh cluster holds");
    (cluster, directory)
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ctl::serve::fuzz::connection(&CLUSTER.0, bytes);
});
