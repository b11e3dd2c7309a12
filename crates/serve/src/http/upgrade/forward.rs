//! Ports of Pods: each connection from the client leads to a connection to a local address.

use std::collections::HashMap;
use std::future::{Future as _, poll_fn};
use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc;

use super::pump::{self, Link, Message, Taker};
use crate::Nodes;
use crate::api::json::Value;
use crate::kinds::tree::{field, text};
use crate::sys::net::{self, within};
use crate::wire::{Codec, Event, PIECE};

/// The maximum number of bytes that wait for the addresses of one client.
const MOST_HELD: usize = 256 * 1024;

/// The time limit for connecting to an address.
const PATIENCE: Duration = Duration::from_secs(10);

/// The maximum number of messages that wait for the client.
const QUEUE: usize = 8;

/// The Pod whose ports are forwarded.
#[derive(Clone, Debug)]
pub(super) struct Forwarding {
    pub(super) nodes: &'static dyn Nodes,
    pub(super) pod: Value,
}

/// The bytes that are waiting for all addresses together.
#[derive(Debug, Default)]
struct Credit {
    held: AtomicUsize,
    reader: Mutex<Option<Waker>>,
}

impl Credit {
    fn give_back(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Ordering::AcqRel);
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reader) = reader.take() {
            reader.wake();
        }
    }
}

/// The bytes for an address; an empty piece marks the end.
type Input = mpsc::UnboundedSender<Vec<u8>>;

/// A forwarded connection: the streams for its data and its errors.
#[derive(Debug, Default)]
struct Pair {
    port: u16,
    data: Option<u32>,
    error: Option<u32>,
}

struct Ports {
    forwarding: Forwarding,
    credit: Arc<Credit>,
    inputs: HashMap<u32, Input>,
    /// Connections of which only one stream is open, by the client's number.
    pairs: HashMap<String, Pair>,
    /// Where the output of connections goes; `None` if no more connections can start.
    to: Option<mpsc::Sender<Message>>,
}

/// Forwards ports until the client closes the connection or, for older clients with fixed `ports`, until these have
/// ended.
pub(super) async fn run(forwarding: Forwarding, ports: Vec<u16>, link: Link) {
    let (to, from) = mpsc::channel(QUEUE);
    // Each connection to an address has a task of its own, so that a slow one does not block the others.
    let mut taker = Ports {
        forwarding,
        credit: Arc::default(),
        inputs: HashMap::new(),
        pairs: HashMap::new(),
        to: None,
    };
    if Codec::new(link.protocol).has_streams() {
        // While the client is connected, it can open more connections, which need a sender.
        taker.to = Some(to);
    } else {
        for (number, port) in (0..).zip(ports) {
            let (data, error) = (2 * number, 2 * number + 1);
            taker.begin(port, data, error, to.clone(), true);
        }
        // Each connection has a sender; when the last one is dropped, the client's connection closes.
        drop(to);
    }
    pump::run(link, from, taker).await;
}

fn message(stream: u32, bytes: Vec<u8>, ends: bool) -> Message {
    Message {
        stream,
        bytes,
        ends,
    }
}

impl Ports {
    /// Starts a connection to the address of a port. With `announces`, first sends the port on both streams.
    fn begin(
        &mut self,
        port: u16,
        data: u32,
        error: u32,
        to: mpsc::Sender<Message>,
        announces: bool,
    ) {
        let (sender, input) = mpsc::unbounded_channel();
        self.inputs.insert(data, sender);
        // Looked up for each connection, because the port is not known before.
        let address = self.forwarding.nodes.forward(&self.forwarding.pod, port);
        let metadata = field(&self.forwarding.pod, "metadata");
        let shown = format!(
            "error forwarding port {port} to pod {}_{}, uid {}: ",
            text(metadata, "name"),
            text(metadata, "namespace"),
            text(metadata, "uid"),
        );
        let credit = Arc::clone(&self.credit);
        tokio::spawn(async move {
            // Comes first, because clients identify channels by the port.
            for stream in [data, error].into_iter().filter(|_| announces) {
                let bytes = port.to_le_bytes().to_vec();
                let _ = to.send(message(stream, bytes, false)).await;
            }
            let done = match address {
                Ok(address) => copy(&address, data, &to, input, &credit).await,
                Err(why) => Err(why),
            };
            let why = done.err().map(|why| shown + &why).unwrap_or_default();
            // A client that has gone receives nothing.
            for (stream, bytes) in [(data, Vec::new()), (error, why.into_bytes())] {
                let _ = to.send(message(stream, bytes, true)).await;
            }
        });
    }

    fn open(&mut self, stream: u32, headers: &[(String, String)]) {
        let value = |name: &str| {
            let mut all = headers.iter();
            all.find(|(own, _)| own == name)
                .map_or("", |(_, value)| value.as_str())
        };
        // Each connection has a number, which pairs its two streams.
        let id = value("requestid").to_owned();
        let pair = self.pairs.entry(id.clone()).or_default();
        pair.port = value("port").parse().unwrap_or(pair.port);
        match value("streamtype") {
            "data" => pair.data = Some(stream),
            "error" => pair.error = Some(stream),
            _ => {}
        }
        // The two streams of a connection arrive in any order.
        if let (Some(data), Some(error), Some(to)) = (pair.data, pair.error, self.to.clone()) {
            let port = pair.port;
            self.pairs.remove(&id);
            self.begin(port, data, error, to, false);
        }
    }
}

impl Taker for Ports {
    fn take(&mut self, event: Event, _: &mut Codec) {
        match event {
            Event::Open { stream, headers } => self.open(stream, &headers),
            Event::Data { stream, bytes } => {
                let length = bytes.len();
                self.credit.held.fetch_add(length, Ordering::AcqRel);
                // Data on the error stream means nothing.
                let input = self.inputs.get(&stream);
                if input.is_none_or(|input| input.send(bytes).is_err()) {
                    // The address has closed the connection.
                    self.credit.give_back(length);
                }
            }
            Event::End { stream } => {
                if let Some(input) = self.inputs.get(&stream) {
                    // The address may still send data.
                    let _ = input.send(Vec::new());
                }
            }
            Event::Reset { stream } => drop(self.inputs.remove(&stream)),
            // Dropping the senders tells the tasks that the client has gone.
            Event::Over => {
                self.inputs.clear();
                self.to = None;
            }
        }
    }

    fn is_full(&self, cx: &Context<'_>) -> bool {
        let is_full = || self.credit.held.load(Ordering::Acquire) >= MOST_HELD;
        if !is_full() {
            return false;
        }
        let mut reader = self
            .credit
            .reader
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *reader = Some(cx.waker().clone());
        // Checked again, because room that was freed before the waker was set has woken no task.
        is_full()
    }
}

/// Copies bytes in both directions until both have ended or the client has gone.
async fn copy(
    address: &str,
    data: u32,
    to: &mpsc::Sender<Message>,
    mut input: mpsc::UnboundedReceiver<Vec<u8>>,
    credit: &Credit,
) -> Result<(), String> {
    let connected = match within(PATIENCE, net::connect(address)).await {
        Ok(connected) => connected,
        Err(_) => Err(io::ErrorKind::TimedOut.into()),
    };
    let socket = connected.map_err(|e| format!("failed to connect to {address}: {e}"))?;
    let (mut reader, mut writer) = tokio::io::split(socket);
    let copied = {
        let mut reads = pin!(pass_on(&mut reader, data, to));
        let mut writes = pin!(take_in(&mut input, &mut writer, credit));
        let mut is_written = false;
        poll_fn(|cx| {
            if !is_written && let Poll::Ready(is_gone) = writes.as_mut().poll(cx) {
                is_written = true;
                // If the client has gone, no one receives further output of the address.
                if is_gone {
                    return Poll::Ready(Ok(()));
                }
            }
            reads.as_mut().poll(cx)
        })
        .await
    };
    // Bytes that are discarded must not hold up others.
    input.close();
    while let Ok(piece) = input.try_recv() {
        credit.give_back(piece.len());
    }
    copied
}

/// Writes the client's input; returns true if the client has gone.
async fn take_in(
    input: &mut mpsc::UnboundedReceiver<Vec<u8>>,
    writer: &mut (impl AsyncWrite + Unpin),
    credit: &Credit,
) -> bool {
    while let Some(piece) = input.recv().await {
        let written = match piece.is_empty() {
            true => writer.shutdown().await,
            false => writer.write_all(&piece).await,
        };
        credit.give_back(piece.len());
        // An address that has stopped reading may still send data.
        if written.is_err() {
            return false;
        }
    }
    true
}

async fn pass_on(
    reader: &mut (impl AsyncRead + Unpin),
    data: u32,
    to: &mpsc::Sender<Message>,
) -> Result<(), String> {
    // On the heap, because moving a task moves its whole state.
    let mut space = vec![0; PIECE];
    loop {
        let length = reader.read(&mut space).await;
        let length = length.map_err(|e| format!("read: {e}"))?;
        let message = Message {
            stream: data,
            bytes: space[..length].to_vec(),
            ends: false,
        };
        if length == 0 || to.send(message).await.is_err() {
            return Ok(());
        }
    }
}
