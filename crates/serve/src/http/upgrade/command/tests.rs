use super::*;
use crate::wire::Protocol;

fn state(tty: bool) -> State {
    State {
        tty: tty.then(Tty::default),
        ..State::default()
    }
}

#[test]
fn line_editing_and_interrupts_require_a_tty() {
    let mut echo = Vec::new();
    let mut raw = state(false);
    raw.press(b"a\x03\x04", &mut echo);
    assert_eq!(
        (raw.input, raw.held),
        (VecDeque::from([b"a\x03\x04".to_vec()]), 3)
    );
    assert!(echo.is_empty() && !raw.interrupted);
    let mut tty = state(true);
    tty.press(b"ls\r\x04", &mut echo);
    assert_eq!(tty.input, [b"ls\n".to_vec(), Vec::new()]);
    assert_eq!(echo, b"ls\r\n");
    tty.press(b"x\x03", &mut echo);
    assert!(tty.interrupted && tty.input.is_empty() && tty.held == 0);
}

#[test]
fn terminal_size_may_arrive_in_two_chunks() {
    let mut state = state(true);
    state.resize(b"{\"Width\":120,");
    assert_eq!(state.size, None);
    state.resize(b"\"Height\":40}\n");
    assert_eq!(state.size, Some((120, 40)));
    state.resize(b"nonsense");
    state.resize(&[b'x'; MOST_SIZE]);
    state.resize(b"{\"Width\":80,\"Height\":24}");
    assert_eq!(state.size, Some((80, 24)));
}

#[test]
fn streams_are_identified_by_their_opening_number() {
    let mut inbox = Arc::new(Inbox::default());
    let mut codec = Codec::new(Protocol::Spdy);
    for (stream, kind) in [(1, "error"), (3, "stdin"), (5, "other")] {
        let headers = vec![("streamtype".to_owned(), kind.to_owned())];
        inbox.take(Event::Open { stream, headers }, &mut codec);
    }
    let bytes = b"in".to_vec();
    inbox.take(Event::Data { stream: 3, bytes }, &mut codec);
    inbox.take(Event::End { stream: 1 }, &mut codec);
    assert!(!inbox.lock().has_ended);
    inbox.take(Event::End { stream: 3 }, &mut codec);
    let state = inbox.lock();
    assert_eq!(
        state.streams,
        BTreeMap::from([(Role::Error, 1), (Role::Stdin, 3)])
    );
    assert!(state.has_ended && state.input == [b"in".to_vec()]);
}

#[test]
fn exec_status_contains_the_exit_code_as_cause() {
    assert_eq!(verdict(Ok(0), "")["status"], "Success");
    let failed = verdict(Ok(3), "sh -c x");
    assert_eq!(failed["details"]["causes"][0]["message"], "3");
    assert_eq!(failed["reason"], "NonZeroExitCode");
    let error = verdict(
        Err(Status::internal("Internal error occurred: x").into()),
        "",
    );
    assert_eq!(
        (&error["code"], &error["status"]),
        (&json!(500), &json!("Failure"))
    );
}
