//! Answers to requests.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::Response;
use futures_util::stream;
use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;

use crate::assets::NotBuilt;
use crate::condition::{is_known, is_range_valid, tag};
use crate::host;
use crate::live::{self, Live};
use crate::negotiate::{Encoding, best};
use crate::range::{Asked, asked, content_range};
use crate::route::Route;
use crate::server::Listen;
use crate::site::Site;

/// What a page of ours may do: nothing of a stranger, and nothing inline.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; \
                      style-src 'self'; img-src 'self' blob: data:; connect-src 'self' https: http:; \
                      font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// On every answer.
const ALWAYS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Asked again each time, with the tag of what is known: usually the answer is 304.
pub(crate) const ASK_AGAIN: &str = "no-cache";
/// What may differ every time.
pub(crate) const NEVER_KEPT: &str = "no-store";

/// A recording goes out in pieces of at most this many bytes; as much of it is in memory for each connection.
const PIECE: u64 = 64 << 10;

/// Pictures and lists that are made at the same time; the others wait.
const MAKERS: usize = 2;

/// What every answer is made of.
pub(crate) struct Shared {
    pub(crate) site: Site,
    pub(crate) secret: Option<String>,
    /// Names that requests may be sent to.
    pub(crate) names: Vec<String>,
    /// Origins of pages that may ask, besides our own.
    pub(crate) origins: Vec<String>,
    pub(crate) live: Option<OnAir>,
    makers: Arc<Semaphore>,
}

/// The live matches, and when the server stops.
#[derive(Clone)]
pub(crate) struct OnAir {
    pub(crate) live: Arc<Live>,
    pub(crate) stop: watch::Receiver<bool>,
}

impl Shared {
    pub(crate) fn new(
        site: Site,
        secret: Option<String>,
        listen: &Listen,
        live: Option<OnAir>,
    ) -> Self {
        let (names, origins) = (listen.names.clone(), listen.origins.clone());
        Self { site, secret, names, origins, live, makers: Arc::new(Semaphore::new(MAKERS)) }
    }
}

/// The service: a guard around what answers.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    let guarded = middleware::from_fn_with_state(Arc::clone(&shared), guard);
    Router::new().fallback(answer).layer(guarded).with_state(shared)
}

/// Refuses what is no request for us, and gives every answer the headers that all have.
async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let origin = origin_of(&request, &shared);
    let mut response = match (refusal(&request, &shared.names), &origin) {
        (Some(response), _) => response,
        (None, Origin::Foreign) => text(StatusCode::FORBIDDEN, "Not for pages of others.\n"),
        (None, _) => next.run(request).await,
    };
    if let Origin::Allowed(origin) = &origin {
        set(&mut response, header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        response.headers_mut().append(header::VARY, HeaderValue::from_static("origin"));
    }
    for (name, value) in ALWAYS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Whose page asks.
enum Origin {
    /// Ours, or none.
    Own,
    /// One that was allowed.
    Allowed(String),
    /// Somebody else's: nothing live is for it.
    Foreign,
}

fn origin_of(request: &Request, shared: &Shared) -> Origin {
    let Some(origin) = get(request.headers(), header::ORIGIN).filter(|_| shared.live.is_some())
    else {
        return Origin::Own;
    };
    let host = get(request.headers(), header::HOST).unwrap_or_default();
    if host::is_own_origin(&origin, &host) {
        return Origin::Own;
    }
    match shared.origins.contains(&origin) {
        true => Origin::Allowed(origin),
        false => Origin::Foreign,
    }
}

fn refusal(request: &Request, names: &[String]) -> Option<Response> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let is_ours = match (hosts.next().map(HeaderValue::to_str), hosts.next()) {
        (Some(Ok(host)), None) => host::is_allowed(host, names),
        _ => false,
    };
    // A request as to a proxy names a host of its own.
    if !is_ours || request.uri().authority().is_some() {
        let problem =
            "This server answers to addresses, localhost, and the names that it was given.\n";
        return Some(text(StatusCode::MISDIRECTED_REQUEST, problem));
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "Only GET and HEAD.\n");
        set(&mut response, header::ALLOW, "GET, HEAD");
        return Some(response);
    }
    None
}

async fn answer(State(shared): State<Arc<Shared>>, mut request: Request) -> Response {
    let route = Route::of(request.uri().path(), shared.secret.as_deref());
    let headers = request.headers();
    match route {
        Route::Live(route) => match &shared.live {
            Some(OnAir { live, stop }) => live::respond(live, stop, route, &mut request),
            None => nothing(),
        },
        Route::Metrics => shared.live.as_ref().map_or_else(nothing, |on| live::metrics(&on.live)),
        Route::Redirect => redirect(shared.secret.as_deref()),
        Route::Asset(name) => asset(&shared.site, &name, headers),
        Route::Matches => made(&shared, "application/json", |site| Some(site.matches.list())).await,
        Route::Picture(number) if number < shared.site.recordings.len() => {
            made(&shared, "image/png", move |site| site.matches.picture(number)).await
        }
        Route::Recording(number, name) => recording(&shared, number, &name, headers).await,
        Route::Picture(_) | Route::Nothing => nothing(),
    }
}

fn redirect(secret: Option<&str>) -> Response {
    let mut response = text(StatusCode::PERMANENT_REDIRECT, "");
    set(&mut response, header::LOCATION, &format!("/{}/", secret.unwrap_or_default()));
    response
}

pub(crate) fn nothing() -> Response {
    text(StatusCode::NOT_FOUND, "There is nothing here.\n")
}

pub(crate) fn text(status: StatusCode, text: &str) -> Response {
    let mut response = Response::new(Body::from(text.to_owned()));
    *response.status_mut() = status;
    set(&mut response, header::CONTENT_TYPE, "text/plain; charset=utf-8");
    set(&mut response, header::CACHE_CONTROL, NEVER_KEPT);
    response
}

/// Sets a header to something that was written by us.
pub(crate) fn set(response: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

/// The text of a header. Several lines of one name are one list.
pub(crate) fn get(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let lines: Vec<&str> =
        headers.get_all(name).iter().filter_map(|line| line.to_str().ok()).collect();
    (!lines.is_empty()).then(|| lines.join(","))
}

/// A file of the viewer, in the smallest encoding that is accepted.
fn asset(site: &Site, name: &str, headers: &HeaderMap) -> Response {
    let Some(asset) = site.assets.get(name) else {
        return match name {
            "index.html" if !site.assets.is_built() => missing_viewer(),
            _ => nothing(),
        };
    };
    let encoding = best(get(headers, header::ACCEPT_ENCODING).as_deref(), &asset.encodings());
    let tag = asset.tag(encoding);
    let is_known = is_known(get(headers, header::IF_NONE_MATCH).as_deref(), &tag);
    let bytes = asset.encoded(encoding).unwrap_or(asset.bytes()).clone();
    let mut response = Response::new(if is_known { Body::empty() } else { Body::from(bytes) });
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        set(&mut response, header::CONTENT_TYPE, asset.media_type());
    }
    if !is_known && encoding != Encoding::Identity {
        set(&mut response, header::CONTENT_ENCODING, encoding.name());
    }
    set(&mut response, header::ETAG, &tag);
    set(&mut response, header::VARY, "accept-encoding");
    set(&mut response, header::CACHE_CONTROL, ASK_AGAIN);
    response
}

fn missing_viewer() -> Response {
    let mut response = text(StatusCode::OK, &NotBuilt::page());
    set(&mut response, header::CONTENT_TYPE, "text/html; charset=utf-8");
    response
}

/// Something that is made when it is asked for.
async fn made(
    shared: &Arc<Shared>,
    media_type: &str,
    make: impl FnOnce(&Site) -> Option<Vec<u8>> + Send + 'static,
) -> Response {
    let permit = Arc::clone(&shared.makers).acquire_owned().await;
    let shared = Arc::clone(shared);
    let made = spawn_blocking(move || {
        let made = make(&shared.site);
        drop(permit);
        made
    });
    // What panics is not there.
    let Ok(Some(bytes)) = made.await else { return nothing() };
    let mut response = Response::new(Body::from(bytes));
    set(&mut response, header::CONTENT_TYPE, media_type);
    set(&mut response, header::CACHE_CONTROL, NEVER_KEPT);
    response
}

/// A recording, or some bytes of it.
async fn recording(shared: &Shared, number: usize, name: &str, headers: &HeaderMap) -> Response {
    let recording = shared.site.recordings.get(number).filter(|recording| recording.name == name);
    let Some(recording) = recording else { return nothing() };
    let path = recording.path.clone();
    let Ok(Ok(opened)) = spawn_blocking(move || Opened::of_file(&path)).await else {
        return text(StatusCode::NOT_FOUND, "This recording cannot be read any more.\n");
    };
    opened.respond(headers)
}

/// A recording that is being read.
struct Opened {
    file: File,
    length: u64,
    tag: String,
}

impl Opened {
    /// A file as it is now. One that is written meanwhile has another tag.
    fn of_file(path: &std::path::Path) -> io::Result<Self> {
        // A pipe would be waited for.
        if !fs::metadata(path)?.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let file = File::open(path)?;
        let about = file.metadata()?;
        let changed = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let changed = changed.map_or(0, |time| time.as_nanos());
        let length = about.len();
        Ok(Self { file, length, tag: tag(&format!("{length:x}-{changed:x}")) })
    }

    fn respond(self, headers: &HeaderMap) -> Response {
        let (length, tag) = (self.length, self.tag.clone());
        let is_known = is_known(get(headers, header::IF_NONE_MATCH).as_deref(), &tag);
        let is_valid = is_range_valid(get(headers, header::IF_RANGE).as_deref(), &tag);
        let range = get(headers, header::RANGE).filter(|_| is_valid && !is_known);
        let asked = range.map_or(Asked::All, |range| asked(&range, length));
        let mut response = match asked {
            _ if is_known => {
                let mut response = Response::new(Body::empty());
                *response.status_mut() = StatusCode::NOT_MODIFIED;
                response
            }
            Asked::All => self.part(0..length),
            Asked::Part(range) => {
                let mut response = self.part(range.clone());
                *response.status_mut() = StatusCode::PARTIAL_CONTENT;
                set(&mut response, header::CONTENT_RANGE, &content_range(Some(&range), length));
                response
            }
            Asked::Outside => {
                let mut response = text(StatusCode::RANGE_NOT_SATISFIABLE, "");
                set(&mut response, header::CONTENT_RANGE, &content_range(None, length));
                response
            }
        };
        set(&mut response, header::ETAG, &tag);
        set(&mut response, header::ACCEPT_RANGES, "bytes");
        set(&mut response, header::CACHE_CONTROL, ASK_AGAIN);
        response
    }

    fn part(self, range: Range<u64>) -> Response {
        let length = range.end - range.start;
        let mut response = Response::new(pieces(self.file, range));
        set(&mut response, header::CONTENT_TYPE, "application/octet-stream");
        set(&mut response, header::CONTENT_LENGTH, &length.to_string());
        response
    }
}

/// Bytes of a file, read when the client has taken those before.
fn pieces(file: File, range: Range<u64>) -> Body {
    Body::from_stream(stream::try_unfold((file, range), |(file, rest)| async move {
        if rest.is_empty() {
            return Ok(None);
        }
        let end = rest.end.min(rest.start + PIECE);
        let here = rest.start..end;
        let read = spawn_blocking(move || read_exactly(file, here)).await;
        let (file, piece) = read.map_err(io::Error::other)??;
        Ok::<_, io::Error>(Some((piece, (file, end..rest.end))))
    }))
}

/// Fails where the file is shorter by now: then the connection ends, and nobody takes the part for the whole.
fn read_exactly(mut file: File, range: Range<u64>) -> io::Result<(File, Bytes)> {
    let mut piece = vec![0; (range.end - range.start) as usize];
    file.seek(SeekFrom::Start(range.start))?;
    file.read_exact(&mut piece)?;
    Ok((file, piece.into()))
}
