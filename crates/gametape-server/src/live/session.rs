//! A session: somebody publishes, or watches, over any transport.

use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gametape_live::{
    Announce, Join, Message, Outgoing, Pass, Refusal, Shared,
    limits::{MESSAGE_BYTES, SMALL_MESSAGE_BYTES},
};
use gametape_net::framing::code;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::bucket::Allowance;
use super::room::Room;
use super::{Live, Permit, unix_now};

/// Bytes of messages that go out in one write, about.
const BATCH: usize = 32 << 10;
/// A spectator is looked after this often where nothing happens.
const LOOK: Duration = Duration::from_secs(1);
/// A publisher is asked for what is missing this often at most.
const ASK: Duration = Duration::from_millis(100);
/// Messages of a publisher that are taken at once.
const TAKEN: usize = 256;

/// Messages of a spectator that are heard in a second, and at once. Moving about in a match and asking for what is missing takes
/// few; who says more is heard later, and its own buffers fill up.
const HEARD: (u32, u32) = (50, 200);

/// An address that got much of what was before waits this long, and again, until it gets more.
const HELD_BACK: Duration = Duration::from_millis(50);

/// Who reads what was said last ends the connection within this time, or loses it.
pub(crate) const LAST_WORDS: Duration = Duration::from_secs(1);

/// The first byte of a mark.
const MARK: u8 = 0x13;

/// How a session ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The other side is gone, or done.
    Done,
    /// There is nothing here for the other side.
    Refused(Refusal),
    /// The other side does not speak the protocol.
    Malformed,
    /// The server shuts down.
    Stopped,
    /// The other side does not take what is sent.
    Slow,
    /// The other side said nothing for too long.
    Silent,
    /// There is another publisher of the match, or another match of the name.
    Replaced,
    /// The pass has expired.
    Expired,
}

impl End {
    /// For the log.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused(refusal) => refusal.text(),
            Self::Malformed => "malformed",
            Self::Stopped => "stopped",
            Self::Slow => "too slow",
            Self::Silent => "silent",
            Self::Replaced => "replaced",
            Self::Expired => "expired",
        }
    }

    /// The code of QUIC and WebTransport: `spec/live.md`, section 14.
    pub(crate) fn code(self) -> u32 {
        match self {
            Self::Done | Self::Replaced => code::DONE,
            Self::Refused(_) | Self::Expired => code::REFUSED,
            Self::Malformed => code::MALFORMED,
            Self::Stopped => code::SHUT_DOWN,
            Self::Slow | Self::Silent => code::TOO_SLOW,
        }
    }
}

/// A connection that carries messages.
pub(crate) trait Link {
    /// The next message; an error where there is none any more. Nothing is lost where it is not waited for to the end.
    async fn receive(&mut self) -> Result<Shared, End>;

    /// A message that is there already.
    fn received(&mut self) -> Option<Result<Shared, End>>;

    /// Sends messages; comes back when the transport has taken them.
    async fn send(&mut self, messages: &[Outgoing]) -> Result<(), End>;

    /// Messages of the other side may have this many bytes from now on.
    fn allow(&mut self, most: u64);

    /// Asks the other side whether it is there.
    async fn ping(&mut self) -> Result<(), End>;

    /// When something was heard of the other side.
    fn heard(&self) -> Instant;

    /// Ends the connection.
    async fn end(&mut self, end: End);

    /// What it is called in the log.
    fn transport(&self) -> &'static str;
}

/// Who is at the other side, and when everything ends.
pub(crate) struct Visit {
    pub(crate) live: Arc<Live>,
    pub(crate) address: IpAddr,
    pub(crate) stop: watch::Receiver<bool>,
}

/// Waits until it is so.
pub(crate) async fn until<T>(watched: &mut watch::Receiver<T>, is_so: impl FnMut(&T) -> bool) {
    // Where nobody is left to change it, it never is.
    if watched.wait_for(is_so).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Waits until the server stops.
pub(crate) async fn stopped(stop: &mut watch::Receiver<bool>) {
    until(stop, |stopped| *stopped).await;
}

impl Visit {
    /// Serves a connection to its end, which begins with the Join that came with its request, or with a message.
    pub(crate) async fn serve(mut self, link: &mut impl Link, join: Option<Shared>) {
        link.allow(SMALL_MESSAGE_BYTES.max);
        let patience = self.live.limits.first_message;
        let is_in_request = join.is_some();
        let first = match join {
            Some(join) => Ok(join),
            None => tokio::select! {
                first = timeout(patience, link.receive()) => first.unwrap_or(Err(End::Silent)),
                () = stopped(&mut self.stop) => Err(End::Stopped),
            },
        };
        let end = match first {
            Ok(first) => match Message::read(&first) {
                Ok(Message::Announce(announce)) if !is_in_request => {
                    self.publish(link, announce).await
                }
                Ok(Message::Join(join)) => self.watch(link, join).await,
                Ok(_) if is_in_request => End::Refused(Refusal::Malformed),
                Ok(_) => End::Malformed,
                Err(error) => refusal_of(&error),
            },
            Err(end) => end,
        };
        self.report(link, end);
        if let End::Refused(refusal) = end {
            let refuse = Outgoing::new(Message::Refuse(refusal).to_bytes());
            let _ = timeout(patience, link.send(&[refuse])).await;
        }
        let _ = timeout(patience, link.end(end)).await;
    }

    fn report(&self, link: &impl Link, end: End) {
        let live = &self.live;
        let is_refusal = matches!(end, End::Refused(_) | End::Malformed);
        if is_refusal {
            live.figures.refused.add(1);
            live.log.note(
                "refused",
                &[("transport", &link.transport()), ("from", &self.address), ("why", &end.text())],
            );
        }
        if matches!(end, End::Slow | End::Silent) {
            live.figures.too_slow.add(1);
        }
    }

    /// Takes a match from its publisher.
    async fn publish(&mut self, link: &mut impl Link, announce: Announce) -> End {
        let room = match self.live.announced(&announce) {
            Ok(room) => room,
            Err(refusal) => return End::Refused(refusal),
        };
        link.allow(MESSAGE_BYTES.max);
        let number = room.connect();
        self.live.figures.publishers.add(1);
        self.note("published", link, &room, &"begins");
        let end = self.ingest(link, &room, number).await;
        room.disconnect(number);
        self.live.figures.publishers.sub(1);
        let what = if room.is_ended() { "over" } else { "publisher left" };
        self.note(what, link, &room, &end.text());
        end
    }

    async fn ingest(&mut self, link: &mut impl Link, room: &Room, number: u64) -> End {
        let mut current = room.publisher();
        let mut ask = interval(ASK);
        ask.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut wanted = room.wanted();
        if let Err(end) = self.send(link, &[Outgoing::new(room.have())]).await {
            return end;
        }
        let mut pinged = Instant::now();
        loop {
            let done = tokio::select! {
                message = link.receive() => match message {
                    Ok(message) => self.take(link, room, message),
                    Err(end) => Err(end),
                },
                _ = ask.tick() => {
                    let asks: Vec<Outgoing> = room.asks().into_iter().map(Outgoing::new).collect();
                    let sent = self.send(link, &asks).await;
                    match sent {
                        Ok(()) => self.keep(link, &mut pinged).await,
                        Err(end) => Err(end),
                    }
                }
                Ok(()) = wanted.changed() => {
                    self.send(link, &[Outgoing::new(room.have())]).await
                }
                () = until(&mut current, |current| *current != number) => Err(End::Replaced),
                () = stopped(&mut self.stop) => Err(End::Stopped),
            };
            if let Err(end) = done {
                return end;
            }
        }
    }

    /// Takes a message, and those that are there already.
    fn take(&self, link: &mut impl Link, room: &Room, message: Shared) -> Result<(), End> {
        let mut messages = vec![message];
        let mut end = Ok(());
        while messages.len() < TAKEN {
            match link.received() {
                Some(Ok(message)) => messages.push(message),
                Some(Err(ended)) => {
                    end = Err(ended);
                    break;
                }
                None => break,
            }
        }
        // A mark that overtook what it counts would make that late.
        messages.sort_by_key(|message| message.first() == Some(&MARK));
        let bytes: usize = messages.iter().map(|message| message.len()).sum();
        self.live.figures.received_bytes.add(bytes as u64);
        room.take(&messages).map_err(|_| End::Malformed)?;
        end
    }

    /// Gives a seat to who watches.
    async fn watch(&mut self, link: &mut impl Link, join: Join) -> End {
        let (room, permit) = match self.permit(&join) {
            Ok(found) => found,
            Err(refusal) => return End::Refused(refusal),
        };
        // From here on nothing can be missed.
        let news = room.news();
        let seat = match room.join(&join, &permit.grant) {
            Ok(seat) => seat,
            Err(refusal) => return End::Refused(refusal),
        };
        let figures = &self.live.figures;
        figures.seats.add(1);
        figures.joined.add(1);
        self.note("joined", link, &room, &permit.grant.views.and(join.views));
        let allowance = Allowance::new(HEARD.0, HEARD.1, room.time());
        let sitting = Sitting { room: &room, seat, permit, news, allowance };
        let end = self.sit(link, sitting).await;
        room.leave(seat);
        self.live.figures.seats.sub(1);
        self.note("left", link, &room, &end.text());
        end
    }

    fn permit(&self, join: &Join) -> Result<(Arc<Room>, Permit), Refusal> {
        let pass = match &join.pass[..] {
            [] => None,
            bytes => Some(Pass::read(bytes).map_err(|_| Refusal::BadPass)?),
        };
        self.live.permit(&join.name, pass.as_ref())
    }

    async fn sit(&mut self, link: &mut impl Link, mut sitting: Sitting<'_>) -> End {
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // What rarely happens is waited for once, not again after every message.
        let (mut stop, mut close) = (self.stop.clone(), sitting.room.closed());
        let mut stopped = pin!(stopped(&mut stop));
        let mut closed = pin!(until(&mut close, |closed| *closed));
        let mut pinged = Instant::now();
        loop {
            sitting.news.mark_unchanged();
            let batch = sitting.room.poll(sitting.seat, BATCH);
            if let Err(end) = self.send(link, &batch).await {
                return end;
            }
            if is_full(&batch) {
                self.may_catch_up().await;
                continue;
            }
            let pause = sitting.allowance.wait(sitting.room.time());
            let done = tokio::select! {
                biased;
                () = &mut stopped => Err(End::Stopped),
                _ = sitting.news.changed() => Ok(()),
                message = received_after(pause, link) => {
                    let heard = message.and_then(|message| sitting.hear(&message));
                    self.may_catch_up().await;
                    heard
                }
                _ = look.tick() => match sitting.is_valid() {
                    true => self.keep(link, &mut pinged).await,
                    false => Err(End::Expired),
                },
                () = &mut closed => Err(End::Replaced),
            };
            if let Err(end) = done {
                return end;
            }
        }
    }

    /// Waits until the address may have another batch of what was before. Who gets much is not to keep others from the
    /// little that they get, and who asks for something gets a batch of it at least.
    async fn may_catch_up(&self) {
        tokio::task::yield_now().await;
        while !self.live.may_catch_up(self.address, (BATCH >> 10) as u32) && !*self.stop.borrow() {
            sleep(HELD_BACK).await;
        }
    }

    /// Sends in time, or not at all.
    async fn send(&self, link: &mut impl Link, messages: &[Outgoing]) -> Result<(), End> {
        if messages.is_empty() {
            return Ok(());
        }
        let sent = timeout(self.live.limits.slow, link.send(messages)).await;
        sent.unwrap_or(Err(End::Slow))?;
        let bytes: usize = messages.iter().map(|message| message.bytes.len()).sum();
        self.live.figures.sent_messages.add(messages.len() as u64);
        self.live.figures.sent_bytes.add(bytes as u64);
        Ok(())
    }

    /// Finds out whether the other side is there.
    pub(crate) async fn keep(&self, link: &mut impl Link, pinged: &mut Instant) -> Result<(), End> {
        let idle = self.live.limits.idle;
        if link.heard().elapsed() > idle {
            return Err(End::Silent);
        }
        if pinged.elapsed() > idle / 3 {
            *pinged = Instant::now();
            return timeout(self.live.limits.slow, link.ping()).await.unwrap_or(Err(End::Slow));
        }
        Ok(())
    }

    fn note(&self, event: &str, link: &impl Link, room: &Room, what: &dyn std::fmt::Display) {
        self.live.log.note(
            event,
            &[
                ("match", room.name()),
                ("transport", &link.transport()),
                ("from", &self.address),
                ("what", what),
            ],
        );
    }
}

/// The next message, which is not looked for before this time has passed.
async fn received_after(pause: Duration, link: &mut impl Link) -> Result<Shared, End> {
    if !pause.is_zero() {
        sleep(pause).await;
    }
    link.receive().await
}

/// Is there probably more than what fits into one batch?
fn is_full(batch: &[Outgoing]) -> bool {
    batch.iter().map(|message| message.bytes.len()).sum::<usize>() >= BATCH
}

/// What is wrong with a first message.
fn refusal_of(error: &gametape_wire::Error) -> End {
    let is_version = error.class() == gametape_wire::ErrorClass::Unsupported;
    End::Refused(if is_version { Refusal::Version } else { Refusal::Malformed })
}

/// Somebody who has a seat.
struct Sitting<'a> {
    room: &'a Room,
    seat: gametape_live::SeatId,
    permit: Permit,
    news: watch::Receiver<u64>,
    allowance: Allowance,
}

impl Sitting<'_> {
    fn hear(&mut self, message: &[u8]) -> Result<(), End> {
        self.allowance.take(self.room.time());
        self.room.receive(self.seat, message).map_err(|_| End::Malformed)
    }

    fn is_valid(&self) -> bool {
        self.permit.until.is_none_or(|until| unix_now() < until)
    }
}
