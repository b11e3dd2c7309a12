//! Tests the client against a real etcd: the program named by `CTL_ETCD`, or `etcd` on the path. Without one, each
//! test reports that it is skipped, and passes.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[expect(
    clippy::print_stderr,
    unreachable_pub,
    reason = "the tests of the store use it too, and have no other voice"
)]
mod server;

use std::io::Write as _;
use std::time::Duration;

use ctl_etcd::{Client, Compare, EtcdError, KeyRange, KeyWrite, Tls, Txn};

use server::{Etcd, free_port, until_ready};

const SOON: Duration = Duration::from_secs(10);

fn put(client: &Client, key: &str, value: &str) -> u64 {
    let txn = Txn {
        writes: vec![KeyWrite::put(key, value)],
        ..Txn::default()
    };
    client.txn(&txn).unwrap().revision
}

#[test]
fn transaction_writes_if_comparisons_hold_and_reads_otherwise() {
    let Some((_etcd, client)) = Etcd::plain() else {
        return;
    };
    let create = Txn {
        compares: vec![Compare::mod_revision("/a/1", 0)],
        writes: vec![KeyWrite::put("/a/1", "one"), KeyWrite::put("/a/2", "two")],
        otherwise: vec![KeyRange::key("/a/1")],
    };
    let done = client.txn(&create).unwrap();
    assert!(done.succeeded);
    let again = client.txn(&create).unwrap();
    assert!(!again.succeeded);
    let held = &again.reads[0].kvs[0];
    assert_eq!(
        (&*held.value, held.mod_revision),
        (&b"one"[..], done.revision)
    );

    let guarded = |since| Txn {
        compares: vec![Compare::unwritten_since("/a/", since)],
        writes: vec![KeyWrite::delete("/a/2")],
        ..Txn::default()
    };
    assert!(!client.txn(&guarded(done.revision - 1)).unwrap().succeeded);
    assert!(client.txn(&guarded(done.revision)).unwrap().succeeded);
    assert_eq!(client.range(&KeyRange::prefix("/a/")).unwrap().count, 1);
}

#[test]
fn range_pages_at_one_revision_until_compaction() {
    let Some((_etcd, client)) = Etcd::plain() else {
        return;
    };
    let first = (1..=5)
        .map(|n| put(&client, &format!("/p/{n}"), "old"))
        .last();
    let first = first.unwrap();
    let second = put(&client, "/p/1", "new");
    let page = KeyRange {
        limit: 2,
        revision: first,
        ..KeyRange::prefix("/p/")
    };
    let read = client.range(&page).unwrap();
    assert_eq!((read.kvs.len(), read.more, read.count), (2, true, 5));
    assert_eq!((&*read.kvs[0].value, read.revision), (&b"old"[..], second));
    client.compact(second).unwrap();
    assert_eq!(client.range(&page), Err(EtcdError::Compacted(None)));
    assert_eq!(client.compact(second), Err(EtcdError::Compacted(None)));
}

#[test]
fn a_watch_begins_after_a_revision_and_returns_previous_values() {
    let Some((_etcd, client)) = Etcd::plain() else {
        return;
    };
    let first = put(&client, "/w/1", "a");
    let second = put(&client, "/w/1", "b");
    let mut watch = client.watch(&KeyRange::prefix("/w/"), first).unwrap();
    let removal = Txn {
        writes: vec![KeyWrite::delete("/w/1")],
        ..Txn::default()
    };
    put(&client, "/other", "unseen");
    let third = client.txn(&removal).unwrap().revision;
    let mut events = Vec::new();
    while events.len() < 2 {
        events.extend(watch.next(SOON).unwrap().expect("a message").events);
    }
    let values = |n: usize| {
        let event: &ctl_etcd::Event = &events[n];
        let before = event.before.clone().unwrap_or_default().value;
        (
            event.deleted,
            event.kv.mod_revision,
            event.kv.value.clone(),
            before,
        )
    };
    assert_eq!(values(0), (false, second, b"b".to_vec(), b"a".to_vec()));
    assert_eq!(values(1), (true, third, Vec::new(), b"b".to_vec()));
    assert_eq!(watch.next(Duration::from_millis(50)), Ok(None));
    watch.request_progress().unwrap();
    let progress = watch.next(SOON).unwrap().expect("progress");
    assert_eq!((progress.events.len(), progress.revision), (0, third));

    client.compact(third).unwrap();
    let mut late = client.watch(&KeyRange::prefix("/w/"), first).unwrap();
    let gone = loop {
        match late.next(SOON) {
            Ok(message) => assert!(message.expect("a message").created),
            Err(error) => break error,
        }
    };
    assert_eq!(gone, EtcdError::Compacted(Some(third)));
}

#[test]
fn revoked_lease_deletes_its_keys() {
    let Some((_etcd, client)) = Etcd::plain() else {
        return;
    };
    let lease = client.grant(60).unwrap();
    let txn = Txn {
        writes: vec![KeyWrite {
            lease: lease.id,
            ..KeyWrite::put("/lead", "me")
        }],
        ..Txn::default()
    };
    assert!(client.txn(&txn).unwrap().succeeded);
    assert_eq!(
        client.range(&KeyRange::key("/lead")).unwrap().kvs[0].lease,
        lease.id
    );
    assert_eq!(client.keep_alive(lease.id), Ok(lease));
    client.revoke(lease.id).unwrap();
    assert_eq!(client.range(&KeyRange::key("/lead")).unwrap().count, 0);
    assert_eq!(client.keep_alive(lease.id).unwrap().seconds, 0);
    assert!(matches!(
        client.revoke(lease.id),
        Err(EtcdError::Refused { .. })
    ));
}

#[test]
fn a_too_large_transaction_is_rejected_with_etcds_text() {
    let Some((_etcd, client)) = Etcd::plain() else {
        return;
    };
    let many = Txn {
        writes: (0..129)
            .map(|n| KeyWrite::put(format!("/{n}"), "x"))
            .collect(),
        ..Txn::default()
    };
    let error = client.txn(&many).unwrap_err();
    assert_eq!(
        error.to_string(),
        "etcdserver: too many operations in txn request (gRPC code 3)"
    );
    let large = Txn {
        writes: vec![KeyWrite::put("/large", vec![b'x'; 1_600_000])],
        ..Txn::default()
    };
    let error = client.txn(&large).unwrap_err();
    assert_eq!(
        error.to_string(),
        "etcdserver: request is too large (gRPC code 3)"
    );
    assert_eq!(client.range(&KeyRange::prefix("/")).unwrap().count, 0);
}

#[test]
fn client_uses_the_next_member_and_names_unreachable_ones() {
    let Some((mut etcd, direct)) = Etcd::plain() else {
        return;
    };
    put(&direct, "/k", "v");
    let nobody = format!("127.0.0.1:{}", free_port());
    let client = Client::new(&[nobody.clone(), etcd.address.clone()], None).unwrap();
    assert_eq!(
        client.range(&KeyRange::key("/k")).unwrap().kvs[0].value,
        b"v"
    );
    let mut watch = client.watch(&KeyRange::prefix("/"), 0).unwrap();
    etcd.child.kill().unwrap();
    etcd.child.wait().unwrap();
    let ended = loop {
        match watch.next(SOON) {
            Ok(message) => assert!(message.is_some(), "the end of the stream shows"),
            Err(error) => break error,
        }
    };
    assert!(matches!(ended, EtcdError::Lost(_)), "{ended}");
    let error = client.range(&KeyRange::key("/k")).unwrap_err();
    assert!(matches!(error, EtcdError::Unreachable(_)), "{error}");
    let text = error.to_string();
    assert!(
        text.contains(&nobody) && text.contains(&etcd.address),
        "{text}"
    );
}

#[test]
fn tls_checks_both_sides() {
    let issuer_key = rcgen::KeyPair::generate().unwrap();
    let mut issuer = rcgen::CertificateParams::default();
    issuer.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let ca = issuer.self_signed(&issuer_key).unwrap().pem();
    let issuer = rcgen::Issuer::new(issuer, &issuer_key);
    let key = rcgen::KeyPair::generate().unwrap();
    let mut leaf = rcgen::CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    leaf.extended_key_usages = vec![
        rcgen::ExtendedKeyUsagePurpose::ServerAuth,
        rcgen::ExtendedKeyUsagePurpose::ClientAuth,
    ];
    let certificate = leaf.signed_by(&key, &issuer).unwrap().pem();
    let etcd = Etcd::start("https", |directory| {
        let files = [
            ("trusted-ca-file", &ca),
            ("cert-file", &certificate),
            ("key-file", &key.serialize_pem()),
        ];
        let option = |(name, text): &(&str, &String)| {
            let path = directory.path().join(name);
            let mut file = std::fs::File::create(&path).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            format!("--{name}={}", path.display())
        };
        let mut options: Vec<String> = files.iter().map(option).collect();
        options.push("--client-cert-auth".to_owned());
        options
    });
    let Some(etcd) = etcd else { return };
    assert!(etcd.directory.path().is_dir());
    let members = std::slice::from_ref(&etcd.address);
    let own = Tls {
        ca: ca.clone().into_bytes(),
        identity: Some((certificate.into_bytes(), key.serialize_pem().into_bytes())),
    };
    let client = Client::new(members, Some(&own)).unwrap();
    until_ready(&client);
    put(&client, "/k", "v");
    assert_eq!(client.range(&KeyRange::key("/k")).unwrap().count, 1);

    let nameless = Tls {
        identity: None,
        ..own.clone()
    };
    let client = Client::new(members, Some(&nameless)).unwrap();
    let error = client.range(&KeyRange::key("/k")).unwrap_err();
    assert!(
        error.to_string().contains("etcd refuses the client"),
        "{error}"
    );
    let plain = Client::new(members, None).unwrap();
    let error = plain.range(&KeyRange::key("/k")).unwrap_err();
    assert!(error.to_string().contains("--ca"), "{error}");
    let other = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let stranger = Tls {
        ca: other.cert.pem().into_bytes(),
        ..own
    };
    let client = Client::new(members, Some(&stranger)).unwrap();
    let error = client.range(&KeyRange::key("/k")).unwrap_err();
    assert!(matches!(error, EtcdError::Unreachable(_)), "{error}");
    assert!(
        error.to_string().contains("the authority of --ca"),
        "{error}"
    );
    let broken = Tls {
        ca: b"no certificate".to_vec(),
        identity: None,
    };
    let error = Client::new(members, Some(&broken)).unwrap_err();
    assert_eq!(error.to_string(), "--ca: no certificate in PEM");
}
