//! Live matches over HTTP: lists, segments, and sockets.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use gametape_live::{MatchName, Pass, Refusal, SegmentFile};
use gametape_wire::{View, ViewSet};
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::cast::{CAST_BYTES, Cast, tick_of};
use super::frames::Frame;
use super::report::OPEN_METRICS;
use super::room::Room;
use super::session::{End, Link, Visit, stopped};
use super::socket::{Socket, Upgrade};
use super::{Live, Permit};
use crate::condition::is_known;
use crate::link::decoded;
use crate::respond::{ASK_AGAIN, NEVER_KEPT, get, nothing, set, text};
use crate::route::LiveRoute;

/// What strangers may have, for every cache.
const PUBLIC: &str = "public, max-age=31536000, immutable";
/// What the holder of a pass may have, for its own cache.
const PRIVATE: &str = "private, max-age=31536000, immutable";
/// What everybody begins with, who joins within a second.
const PUBLIC_SECOND: &str = "public, max-age=1";
/// The same for the holder of a pass.
const PRIVATE_SECOND: &str = "private, max-age=1";
/// A follower is looked after this often.
const LOOK: Duration = Duration::from_millis(100);

/// Who asks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// Answers a request for something live.
pub(crate) fn respond(
    live: &Arc<Live>,
    stop: &watch::Receiver<bool>,
    route: LiveRoute,
    request: &mut Request,
) -> Response {
    let peer = request.extensions().get::<Peer>().map(|Peer(address)| address.ip());
    let Some(address) = peer else { return nothing() };
    live.figures.requests.add(1);
    let is_session = matches!(route, LiveRoute::Session | LiveRoute::Cast(..));
    let may = if is_session { live.may_join(address) } else { live.may_ask(address) };
    if !may {
        return too_many(live, address);
    }
    let pass = match pass_of(request) {
        Ok(pass) => pass,
        Err(refusal) => return refused(live, address, refusal),
    };
    match route {
        LiveRoute::Matches => list(live, pass.as_ref()),
        LiveRoute::Server => json(&About::of(live), NEVER_KEPT),
        LiveRoute::Session => session(live, stop, address, request),
        LiveRoute::Cast(name, caster) => {
            let visit = Visit { live: Arc::clone(live), address, stop: stop.clone() };
            follow(visit, &name, caster, pass.as_ref(), request)
        }
        LiveRoute::File(name, view, file) => match live.permit(&name, pass.as_ref()) {
            Ok((room, permit)) => segment(live, &room, &permit, view, file, request.headers()),
            Err(refusal) => refused(live, address, refusal),
        },
    }
}

/// The figures.
pub(crate) fn metrics(live: &Live) -> Response {
    let mut response = text(StatusCode::OK, &live.figures.text());
    set(&mut response, header::CONTENT_TYPE, OPEN_METRICS);
    response
}

fn too_many(live: &Live, address: IpAddr) -> Response {
    live.figures.refused.add(1);
    live.log.note("refused", &[("from", &address), ("why", &"too many")]);
    let mut response = text(StatusCode::TOO_MANY_REQUESTS, "Too many requests.\n");
    set(&mut response, header::RETRY_AFTER, "1");
    response
}

/// What who asks may not know does not exist.
fn refused(live: &Live, address: IpAddr, refusal: Refusal) -> Response {
    live.figures.refused.add(1);
    if refusal == Refusal::BadPass {
        live.log.note("refused", &[("from", &address), ("why", &refusal.text())]);
    }
    nothing()
}

/// The pass of a request, if it has one.
fn pass_of(request: &Request) -> Result<Option<Pass>, Refusal> {
    let bearer = get(request.headers(), header::AUTHORIZATION)
        .and_then(|value| Some(value.strip_prefix("Bearer ")?.to_owned()));
    let query = request.uri().query().unwrap_or_default().split('&');
    let parameter = query.filter_map(|pair| pair.strip_prefix("pass=")).find_map(decoded);
    let given = bearer.or(parameter);
    given.map(|text| text.parse().map_err(|_| Refusal::BadPass)).transpose()
}

/// The document `live/matches.json`.
#[derive(Debug, Serialize)]
struct List {
    matches: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    #[serde(rename = "match")]
    name: String,
    views: Vec<u8>,
    delay_ticks: u64,
    tick_us: u32,
    tick: i64,
    over: bool,
    title: String,
    seats: usize,
}

/// The document `live/server.json`.
#[derive(Debug, Serialize)]
struct About {
    version: u8,
    /// What it speaks, the best first.
    transports: Vec<&'static str>,
    /// Where a Join may be besides in a first message.
    join: &'static str,
    /// The hash of a certificate that nobody vouches for.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate_sha256: Option<String>,
}

impl About {
    fn of(live: &Live) -> Self {
        let quic = live.quic.get();
        let mut transports = vec!["websocket", "segments"];
        if quic.is_some() {
            transports.splice(0..0, ["webtransport", "quic"]);
        }
        let certificate_sha256 = quic.and_then(crate::tls::Identity::hash);
        let (version, join) = (gametape_live::VERSION, "request");
        Self { version, transports, join, certificate_sha256 }
    }
}

fn list(live: &Live, pass: Option<&Pass>) -> Response {
    let rooms = live.rooms();
    let of = |room: &Arc<Room>| {
        let own = pass.filter(|pass| pass.name == *room.name());
        let (room, permit) = live.permit(room.name(), own).ok()?;
        row(&room, &permit)
    };
    json(&List { matches: rooms.iter().filter_map(of).collect() }, NEVER_KEPT)
}

fn row(room: &Room, permit: &Permit) -> Option<Row> {
    let views = permit.grant.views.and(room.views());
    // Nothing is known of a view that nobody needs, but of the match.
    let now = room.now(views.iter().next()?, permit.grant.delay);
    let released = || room.released(permit.grant.delay).and_then(|tick| i64::try_from(tick.0).ok());
    Some(Row {
        name: room.name().to_string(),
        views: views.iter().map(View::number).collect(),
        delay_ticks: permit.grant.delay,
        tick_us: room.tick_length().micros(),
        tick: now.as_ref().map_or_else(|| released().unwrap_or(-1), |now| now.tick),
        over: now.is_some_and(|now| now.over),
        title: room.title(),
        seats: rounded(room.seats()),
    })
}

/// Rounded down to two digits that count: one more is somebody who came.
fn rounded(count: usize) -> usize {
    let mut unit = 1;
    while count / unit >= 100 {
        unit *= 10;
    }
    count / unit * unit
}

fn json(document: &impl Serialize, cache: &str) -> Response {
    let Ok(body) = serde_json::to_vec(document) else { return nothing() };
    let mut response = Response::new(Body::from(body));
    set(&mut response, header::CONTENT_TYPE, "application/json");
    set(&mut response, header::CACHE_CONTROL, cache);
    response
}

fn segment(
    live: &Live,
    room: &Room,
    permit: &Permit,
    view: View,
    file: SegmentFile,
    headers: &HeaderMap,
) -> Response {
    if !permit.grant.views.contains(view) {
        return nothing();
    }
    if room.need(ViewSet::EMPTY.with(view)).is_err() {
        return nothing();
    }
    let delay = permit.grant.delay;
    if file == SegmentFile::Now {
        return room.now(view, delay).map_or_else(nothing, |now| json(&now, ASK_AGAIN));
    }
    let Some(segment) = room.file(view, file, delay) else { return nothing() };
    let is_known = is_known(get(headers, header::IF_NONE_MATCH).as_deref(), &segment.tag);
    let mut response = Response::new(Body::empty());
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        live.figures.segments.add(1);
        live.figures.segment_bytes.add(segment.bytes.len() as u64);
        *response.body_mut() = Body::from(segment.bytes);
        set(&mut response, header::CONTENT_TYPE, "application/octet-stream");
    }
    set(&mut response, header::ETAG, &segment.tag);
    let cache = match (file == SegmentFile::Entry, permit.is_public()) {
        (false, true) => PUBLIC,
        (false, false) => PRIVATE,
        (true, true) => PUBLIC_SECOND,
        (true, false) => PRIVATE_SECOND,
    };
    set(&mut response, header::CACHE_CONTROL, cache);
    // The same address with another pass is another answer.
    set(&mut response, header::VARY, "authorization");
    response
}

/// A session over a WebSocket.
fn session(
    live: &Arc<Live>,
    stop: &watch::Receiver<bool>,
    address: IpAddr,
    request: &mut Request,
) -> Response {
    let Some(Upgrade { response, join, pending }) = Upgrade::of(request) else {
        return no_upgrade();
    };
    let visit = Visit { live: Arc::clone(live), address, stop: stop.clone() };
    tokio::spawn(async move {
        let opened = timeout(visit.live.limits.first_message, Upgrade::socket(pending)).await;
        if let Ok(Some(mut socket)) = opened {
            visit.live.figures.connections.add(1);
            let live = Arc::clone(&visit.live);
            visit.serve(&mut socket, join).await;
            live.figures.connections.sub(1);
        }
    });
    response
}

fn no_upgrade() -> Response {
    let mut response = text(StatusCode::UPGRADE_REQUIRED, "This is a WebSocket.\n");
    set(&mut response, header::UPGRADE, "websocket");
    set(&mut response, header::CONNECTION, "upgrade");
    response
}

/// A WebSocket on which a caster shares its playhead, or somebody follows it.
fn follow(
    visit: Visit,
    name: &MatchName,
    caster: String,
    pass: Option<&Pass>,
    request: &mut Request,
) -> Response {
    let (room, permit) = match visit.live.permit(name, pass) {
        Ok(found) => found,
        Err(refusal) => return refused(&visit.live, visit.address, refusal),
    };
    let Some(Upgrade { response, pending, .. }) = Upgrade::of(request) else {
        return no_upgrade();
    };
    tokio::spawn(async move {
        let opened = timeout(visit.live.limits.first_message, Upgrade::socket(pending)).await;
        if let Ok(Some(mut socket)) = opened {
            socket.allow(CAST_BYTES);
            let mut following = Following { visit, room, permit, caster, known: 0 };
            let end = following.run(&mut socket).await;
            let _ = timeout(LOOK, socket.end(end)).await;
        }
    });
    response
}

/// Somebody who follows a caster, or is one.
struct Following {
    visit: Visit,
    room: Arc<Room>,
    permit: Permit,
    caster: String,
    /// The number of the message that was sent last.
    known: u64,
}

impl Following {
    async fn run(&mut self, socket: &mut Socket) -> End {
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut pinged = std::time::Instant::now();
        let mut stop = self.visit.stop.clone();
        loop {
            let done = tokio::select! {
                frame = socket.frame() => frame.and_then(|frame| self.hear(frame)),
                _ = look.tick() => match self.send_newest(socket).await {
                    Ok(()) => self.visit.keep(socket, &mut pinged).await,
                    Err(end) => Err(end),
                },
                () = stopped(&mut stop) => Err(End::Stopped),
            };
            if let Err(end) = done {
                return end;
            }
        }
    }

    fn cast(&self, may_make: bool) -> Option<Arc<Cast>> {
        self.room.cast(&self.caster, may_make)
    }

    /// What a caster shares; others say nothing.
    fn hear(&self, frame: Frame) -> Result<(), End> {
        let Frame::Text(bytes) = frame else { return Err(End::Malformed) };
        if self.permit.is_public() {
            return Err(End::Refused(Refusal::BadPass));
        }
        let text = String::from_utf8(bytes).map_err(|_| End::Malformed)?;
        let tick = tick_of(&text).ok_or(End::Malformed)?;
        let cast = self.cast(true).ok_or(End::Refused(Refusal::TooMany))?;
        cast.share(&text, tick, self.room.over());
        Ok(())
    }

    async fn send_newest(&mut self, socket: &mut Socket) -> Result<(), End> {
        let Some(cast) = self.cast(false) else { return Ok(()) };
        let released = self.room.released(self.permit.grant.delay);
        let Some((number, text)) = cast.newest(released, self.known) else { return Ok(()) };
        self.known = number;
        let said = timeout(self.visit.live.limits.slow, socket.say(&text)).await;
        said.unwrap_or(Err(End::Slow))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seat_more_is_not_to_be_seen() {
        let seats =
            [(0, 0), (7, 7), (99, 99), (100, 100), (109, 100), (1234, 1200), (99_999, 99_000)];
        assert!(seats.into_iter().all(|(count, shown)| rounded(count) == shown));
    }
}
