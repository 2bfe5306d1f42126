//! Requests, made one after the other or at once, by a small runtime of this crate.

use std::fmt::Display;
use std::future::Future;
use std::sync::OnceLock;
use std::time::Duration;

use futures_util::StreamExt;
use gametape_wire::{Error, Result};
use object_store::{Error as StoreError, GetResult, RetryConfig};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

/// Waits for a future.
pub(crate) fn wait<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    static RUNTIME: OnceLock<std::io::Result<Runtime>> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).thread_name("gametape-store").enable_all().build()
    });
    match runtime {
        Ok(runtime) => runtime.block_on(future),
        Err(why) => Err(Error::unreadable(0, "store", why)),
    }
}

/// How often something is tried again that may work the next time.
pub(crate) fn retries() -> RetryConfig {
    RetryConfig { max_retries: 3, retry_timeout: Duration::from_secs(20), ..RetryConfig::default() }
}

/// What a request gives, unless nothing comes for as long as `patience`.
pub(crate) async fn within<T>(
    patience: Duration,
    request: impl Future<Output = object_store::Result<T>>,
) -> std::result::Result<T, Trouble> {
    match timeout(patience, request).await {
        Ok(done) => done.map_err(Trouble::of),
        Err(_) => Err(Trouble::Silence(patience)),
    }
}

/// Hands the bytes of an answer to `take`, piece by piece.
pub(crate) async fn read(
    answer: GetResult,
    patience: Duration,
    mut take: impl FnMut(&[u8]) -> std::result::Result<(), Trouble>,
) -> std::result::Result<(), Trouble> {
    let mut pieces = answer.into_stream();
    loop {
        match timeout(patience, pieces.next()).await {
            Ok(None) => return Ok(()),
            Ok(Some(piece)) => take(&piece.map_err(Trouble::of)?)?,
            Err(_) => return Err(Trouble::Silence(patience)),
        }
    }
}

/// Why bytes cannot be had.
#[derive(Debug)]
pub(crate) enum Trouble {
    Missing,
    Denied(String),
    /// It is not the object that was there before.
    Changed,
    /// The server answers with everything, whatever part is asked for.
    NoRanges,
    Silence(Duration),
    /// More bytes than the answer should have, or fewer.
    Length {
        expected: u64,
        got: u64,
    },
    TooLarge {
        most: u64,
    },
    Exists,
    /// What is read again is not what was written.
    Damaged {
        expected: u64,
        got: u64,
    },
    Other(String),
}

impl Trouble {
    pub(crate) fn of(error: StoreError) -> Self {
        match error {
            StoreError::NotFound { .. } => Self::Missing,
            StoreError::PermissionDenied { source, .. }
            | StoreError::Unauthenticated { source, .. } => Self::Denied(source.to_string()),
            StoreError::Precondition { .. } => Self::Changed,
            StoreError::NotSupported { .. } => Self::NoRanges,
            StoreError::AlreadyExists { .. } => Self::Exists,
            // Web servers refuse a condition with this, too.
            other if other.to_string().contains("412 Precondition Failed") => Self::Changed,
            other => Self::Other(with_causes(&other)),
        }
    }

    /// The error of who wanted to read from an offset on.
    pub(crate) fn reading(&self, offset: u64) -> Error {
        Error::unreadable(offset, "recording", self)
    }
}

/// An error with everything that it says is its cause, unless it is said already.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

impl Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => f.write_str("there is no such object"),
            Self::Denied(why) => write!(f, "access is denied: {why}"),
            Self::Changed => f.write_str("it was changed while it was read"),
            Self::NoRanges => f.write_str("the server has no range requests"),
            Self::Silence(patience) => write!(f, "nothing came for {} s", patience.as_secs_f32()),
            Self::Length { expected, got } => {
                write!(f, "{got} bytes came where {expected} were announced")
            }
            Self::TooLarge { most } => write!(
                f,
                "the server has no range requests, and it is larger than {most} bytes: download it first"
            ),
            Self::Damaged { expected, got } => write!(
                f,
                "{expected} bytes were written, and what is there are {got} others: it is left as it is"
            ),
            Self::Exists => f.write_str("there is something else of that name already"),
            Self::Other(why) => f.write_str(why),
        }
    }
}
