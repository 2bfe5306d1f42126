//! NATS: core subjects for what is live, a JetStream stream as the window for who comes late.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use async_nats::jetstream::consumer::pull::Config as ConsumerConfig;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy};
use async_nats::jetstream::context::ContextBuilder;
use async_nats::jetstream::stream::{Config as StreamConfig, StorageType};
use async_nats::jetstream::{Context, Message as KeptMessage};
use async_nats::{
    Client, ConnectError, ConnectErrorKind, ConnectOptions, Message as NatsMessage, ServerAddr,
};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt};
use gametape_live::Shared;
use gametape_wire::{Error, ErrorKind, Place, Result};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep, timeout};

use crate::bus::{Bus, Delivery, Kept, Subscription};
use crate::pieces::{HEAD_BYTES, Joiner, PIECE_BYTES, pieces};
use crate::subject::{Filter, Subject};

/// The stream that is the window.
const STREAM: &str = "gametape";
/// Copies of it in a cluster.
const COPIES: usize = 3;
/// Messages that wait to go out.
const OUTGOING: usize = 16 << 10;
/// Bytes that wait to go out.
const OUTGOING_BYTES: usize = 64 << 20;
/// Messages that wait to be looked at.
const INCOMING: usize = 1024;
/// Messages of the window that are asked for at once.
const BATCH: usize = 500;
/// What the server is asked for takes at most this long.
const REQUEST: Duration = Duration::from_secs(3);
/// A request to the window that is not answered by then is asked again: a cluster that lost its leader answers nobody, and does
/// not say so.
const TRY: Duration = Duration::from_secs(1);
/// Who wants to read the window asks this often.
const TRIES: usize = 3;
/// A window that cannot be made is tried again after this time.
const LATER: Duration = Duration::from_secs(5);
/// A dead connection is noticed within twice this time.
const PING: Duration = Duration::from_secs(2);

/// How the bus is used.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NatsOptions {
    /// How long the window keeps messages.
    pub max_age: Duration,
    /// How many bytes of them.
    pub max_bytes: u64,
    /// How long to wait for the first connection.
    pub connecting: Duration,
    /// How long a cluster that has just been started may take to find its leader; then the window has one copy.
    pub settling: Duration,
    /// A file with credentials, as NATS makes them (`.creds`).
    pub credentials: Option<PathBuf>,
}

impl Default for NatsOptions {
    fn default() -> Self {
        let max_age = Duration::from_secs(600);
        let (connecting, settling) = (Duration::from_secs(10), Duration::from_secs(5));
        Self { max_age, max_bytes: 512 << 20, connecting, settling, credentials: None }
    }
}

impl NatsOptions {
    /// The same with a file of credentials.
    #[must_use]
    pub fn with_credentials(self, file: Option<PathBuf>) -> Self {
        Self { credentials: file, ..self }
    }
}

/// What the bus keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Window {
    /// Messages of the last minutes, in this many copies.
    Copies(usize),
    /// Nothing, and why.
    Missing(String),
}

/// A connection to NATS.
#[derive(Debug)]
pub struct Nats {
    client: Client,
    context: Context,
    /// `None` until it is known.
    window: watch::Receiver<Option<Window>>,
    outgoing: mpsc::Sender<Out>,
    queued: Arc<AtomicUsize>,
    lost: AtomicU64,
}

/// What goes out.
#[derive(Debug)]
enum Out {
    Message { subject: String, reply: Option<String>, bytes: Bytes },
    Flush(oneshot::Sender<()>),
}

impl Nats {
    /// Connects to one of these servers, `nats://HOST:PORT` or `tls://HOST:PORT`, several separated by commas; user and
    /// password, or a token, may come before the host.
    pub async fn connect(addresses: &str, options: &NatsOptions) -> Result<Self> {
        let servers: Vec<ServerAddr> = addresses
            .split(',')
            .map(|address| address.trim().parse().map_err(|_| no_address(address)))
            .collect::<Result<_>>()?;
        let connecting = login(&servers, options.credentials.as_deref())
            .await?
            .name("gametape")
            .ping_interval(PING)
            .connection_timeout(Duration::from_secs(2))
            .request_timeout(Some(REQUEST))
            .event_callback(|_| async {})
            .connect(servers);
        let client = timeout(options.connecting, connecting).await;
        let client = client.map_err(|_| failed("nobody answered in time"))?.map_err(refused)?;
        let most = client.server_info().max_payload;
        if most < PIECE_BYTES + HEAD_BYTES {
            let problem = format!("its max_payload is {most} bytes, and 1 MB are needed");
            return Err(failed(problem));
        }
        let context = ContextBuilder::new().timeout(TRY).build(client.clone());
        let (known, window) = watch::channel(None);
        // A cluster that has lost a node has no window for some seconds: what is live does not wait for it.
        tokio::spawn(keep_window(client.clone(), context.clone(), options.clone(), known));
        let (outgoing, queue) = mpsc::channel(OUTGOING);
        let queued = Arc::new(AtomicUsize::new(0));
        tokio::spawn(send(client.clone(), queue, Arc::clone(&queued)));
        Ok(Self { client, context, window, outgoing, queued, lost: AtomicU64::new(0) })
    }

    /// What the bus keeps for who comes late. Waits until that is known.
    pub async fn window(&self) -> Window {
        let mut window = self.window.clone();
        let known = window.wait_for(Option::is_some).await.ok().and_then(|known| known.clone());
        known.unwrap_or_else(|| Window::Missing("the connection is gone".into()))
    }

    /// A consumer of the window.
    async fn consumer(&self, config: ConsumerConfig) -> Result<Consumer> {
        let mut tries = 1;
        loop {
            let made = self.context.create_consumer_on_stream(config.clone(), STREAM).await;
            match made {
                Ok(consumer) => return Ok(consumer),
                Err(error) if tries >= TRIES => return Err(failed(error)),
                Err(_) => tries += 1,
            }
        }
    }

    fn put(&self, subject: &str, reply: Option<&str>, bytes: Bytes) -> bool {
        let length = bytes.len();
        if self.queued.load(Ordering::Relaxed) + length > OUTGOING_BYTES {
            return false;
        }
        let (subject, reply) = (subject.to_owned(), reply.map(str::to_owned));
        let sent = self.outgoing.try_send(Out::Message { subject, reply, bytes }).is_ok();
        if sent {
            self.queued.fetch_add(length, Ordering::Relaxed);
        }
        sent
    }
}

/// Says who we are: by the file of credentials, else as the first address says that has a user and a password, or a token.
async fn login(servers: &[ServerAddr], file: Option<&Path>) -> Result<ConnectOptions> {
    if let Some(file) = file {
        let options = ConnectOptions::with_credentials_file(file).await;
        return options.map_err(|error| {
            Error::misuse("credentials of the bus", format!("{}: {error}", file.display()))
        });
    }
    let options = ConnectOptions::new();
    let named = servers.iter().find_map(|server| Some((server.username()?, server.password())));
    Ok(match named.map(|(user, password)| (plain(user), password.map(plain))) {
        Some((user, Some(password))) => options.user_and_password(user, password),
        Some((token, None)) => options.token(token),
        None => options,
    })
}

/// What is written in an address with `%` and two digits for some letters.
fn plain(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, more @ ..] = rest {
        let digits = more.first_chunk().filter(|_| *first == b'%');
        let digits = digits.and_then(|two: &[u8; 2]| std::str::from_utf8(two).ok());
        let byte = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &more[2..] } else { more };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Makes the window, until it is there or nobody needs it any more.
async fn keep_window(
    client: Client,
    context: Context,
    options: NatsOptions,
    known: watch::Sender<Option<Window>>,
) {
    let made = async {
        loop {
            let window = make_window(&client, &context, &options).await;
            let is_there = matches!(window, Window::Copies(_));
            known.send_replace(Some(window));
            if is_there {
                return;
            }
            sleep(LATER).await;
        }
    };
    tokio::select! {
        () = made => {}
        () = known.closed() => {}
    }
}

/// Makes sure that the window is there. Without it the bus works, but who comes late asks for everything.
async fn make_window(client: &Client, context: &Context, options: &NatsOptions) -> Window {
    let config = |copies: usize| StreamConfig {
        name: STREAM.into(),
        subjects: vec!["gametape.*.announce".into(), "gametape.*.*.*".into()],
        max_age: options.max_age,
        max_bytes: i64::try_from(options.max_bytes).unwrap_or(i64::MAX),
        storage: StorageType::File,
        num_replicas: copies,
        allow_direct: true,
        // Doubles are seen by our own numbers.
        duplicate_window: Duration::from_secs(1).min(options.max_age),
        ..StreamConfig::default()
    };
    let info = client.server_info();
    let is_alone = info.cluster.is_none();
    if is_alone && !info.jetstream {
        return Window::Missing("the server has no JetStream".into());
    }
    let until = Instant::now() + options.settling;
    loop {
        let is_late = Instant::now() >= until;
        // A cluster that has just been started has no leader yet, and not all of its nodes.
        let copies = if is_alone || is_late { 1 } else { COPIES };
        let problem = match context.get_or_create_stream(config(copies)).await {
            Ok(stream) => return Window::Copies(stream.cached_info().config.num_replicas),
            Err(error) => error.to_string(),
        };
        if is_alone || is_late {
            return Window::Missing(problem);
        }
        sleep(Duration::from_millis(200)).await;
    }
}

/// Sends what is queued, as fast as the server takes it.
async fn send(client: Client, mut queue: mpsc::Receiver<Out>, queued: Arc<AtomicUsize>) {
    while let Some(out) = queue.recv().await {
        match out {
            Out::Message { subject, reply, bytes } => {
                queued.fetch_sub(bytes.len(), Ordering::Relaxed);
                // The connection comes back by itself; what it cannot take is asked for again.
                let _ = match reply {
                    Some(reply) => client.publish_with_reply(subject, reply, bytes).await,
                    None => client.publish(subject, bytes).await,
                };
            }
            Out::Flush(done) => {
                let _ = client.flush().await;
                let _ = done.send(());
            }
        }
    }
}

/// Waits until the server has done everything that was asked of it so far, subscriptions among it: what it does comes in
/// order. *Why not `flush`:* that waits until the bytes are written, and something published meanwhile would be missed.
async fn echo(client: &Client) -> Result<()> {
    let inbox = client.new_inbox();
    let mut messages = client.subscribe(inbox.clone()).await.map_err(failed)?;
    client.publish(inbox, Bytes::new()).await.map_err(failed)?;
    let came = timeout(REQUEST, messages.next()).await.map_err(failed)?;
    came.map(drop).ok_or_else(|| failed("the connection is gone"))
}

/// Puts together and hands on what comes. False where nobody wants it any more.
async fn hand_on(
    joiner: &mut Joiner,
    message: &NatsMessage,
    sender: &mpsc::Sender<Delivery>,
) -> bool {
    let Ok(Some(bytes)) = joiner.take(&message.payload) else { return true };
    let subject = Subject::read(&message.subject);
    let reply = message.reply.as_ref().map(ToString::to_string);
    sender.send(Delivery { subject, reply, bytes }).await.is_ok()
}

impl Bus for Nats {
    fn publish(&self, subject: &str, reply: Option<&str>, message: &Shared) {
        let sent = match message.len() {
            0..=PIECE_BYTES => self.put(subject, reply, Bytes::from_owner(Arc::clone(message))),
            _ => pieces(message).into_iter().all(|piece| self.put(subject, reply, piece.into())),
        };
        if !sent {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn subscribe(&self, filters: &[Filter]) -> BoxFuture<'_, Result<Subscription>> {
        let inbox = self.client.new_inbox();
        let mut subjects: Vec<String> = filters.iter().map(ToString::to_string).collect();
        subjects.push(inbox.clone());
        async move {
            let (sender, incoming) = mpsc::channel(INCOMING);
            let mut tasks = Vec::new();
            for subject in subjects {
                let mut messages = self.client.subscribe(subject).await.map_err(failed)?;
                let sender = sender.clone();
                let task = tokio::spawn(async move {
                    let mut joiner = Joiner::default();
                    while let Some(message) = messages.next().await {
                        if !hand_on(&mut joiner, &message, &sender).await {
                            return;
                        }
                    }
                });
                tasks.push(task.abort_handle());
            }
            echo(&self.client).await?;
            Ok(Subscription { incoming, inbox, tasks })
        }
        .boxed()
    }

    fn kept(&self, filters: &[Filter], kept: Kept) -> BoxFuture<'_, Result<Subscription>> {
        let subjects = filters.iter().map(ToString::to_string).collect();
        async move {
            let (sender, incoming) = mpsc::channel(INCOMING);
            let mut tasks = Vec::new();
            if matches!(self.window().await, Window::Copies(_)) {
                let consumer = self.consumer(config(subjects, kept)?).await?;
                let task = tokio::spawn(read_window(consumer, sender));
                tasks.push(task.abort_handle());
            }
            Ok(Subscription { incoming, inbox: String::new(), tasks })
        }
        .boxed()
    }

    fn flush(&self) -> BoxFuture<'_, Result<()>> {
        async move {
            let (done, is_done) = oneshot::channel();
            self.outgoing.send(Out::Flush(done)).await.map_err(failed)?;
            is_done.await.map_err(failed)
        }
        .boxed()
    }

    fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

/// A consumer that reads the window once. It is gone soon after it is not used any more.
fn config(filter_subjects: Vec<String>, kept: Kept) -> Result<ConsumerConfig> {
    let deliver_policy = match kept {
        Kept::All => DeliverPolicy::All,
        Kept::Last => DeliverPolicy::LastPerSubject,
        Kept::Since(time) => {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            let nanos = now.map_err(failed)?.saturating_sub(time).as_nanos();
            let nanos = i128::try_from(nanos).unwrap_or(i128::MAX);
            let start_time = async_nats::datetime::from_nanos(nanos).map_err(failed)?;
            DeliverPolicy::ByStartTime { start_time }
        }
    };
    Ok(ConsumerConfig {
        deliver_policy,
        filter_subjects,
        ack_policy: AckPolicy::None,
        inactive_threshold: Duration::from_secs(10),
        memory_storage: true,
        num_replicas: 1,
        ..ConsumerConfig::default()
    })
}

type Consumer = async_nats::jetstream::consumer::Consumer<ConsumerConfig>;

/// Reads what the window has, until there is no more.
async fn read_window(consumer: Consumer, sender: mpsc::Sender<Delivery>) {
    let mut left = consumer.cached_info().num_pending;
    let mut joiner = Joiner::default();
    while left > 0 {
        let batch = consumer.batch().max_messages(BATCH).expires(REQUEST).messages().await;
        let Ok(mut batch) = batch else { return };
        let mut came = 0;
        while let Some(Ok(message)) = batch.next().await {
            came += 1;
            let KeptMessage { message, .. } = message;
            // Its reply is for acknowledgements, which nobody waits for.
            let message = NatsMessage { reply: None, ..message };
            if !hand_on(&mut joiner, &message, &sender).await {
                return;
            }
            if came >= left {
                return;
            }
        }
        if came == 0 {
            return;
        }
        left = left.saturating_sub(came);
    }
}

fn no_address(address: &str) -> Error {
    // Credentials are not for others to read.
    let shown = address.rsplit_once('@').map_or(address, |(_, host)| host);
    Error::misuse("bus", format!("{shown} is no address of NATS: nats://HOST:PORT"))
}

/// Why there is no connection. Another try would not help who is not let in.
fn refused(error: ConnectError) -> Error {
    match error.kind() {
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
            Error::misuse("bus", "NATS does not accept these credentials")
        }
        _ => failed(error),
    }
}

fn failed(problem: impl std::fmt::Display) -> Error {
    let problem = format!("NATS: {problem}").into();
    Error::new(Place::Nowhere, "bus", ErrorKind::Io { problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_in_addresses_are_read_as_they_are_meant_and_never_shown() {
        assert_eq!(plain("a%40b%3a%2F100%"), "a@b:/100%");
        assert_eq!(plain("%zz%4"), "%zz%4");
        let error = no_address("nats://me:secret@host:x").to_string();
        assert!(!error.contains("secret"), "{error}");
    }
}
