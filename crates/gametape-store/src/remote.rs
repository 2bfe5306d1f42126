//! Something at an address, read by range.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use gametape_wire::{Result, Source, check_range};
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStoreExt};

use crate::address::{Place, place_of};
use crate::blocks::{BLOCK, Blocks};
use crate::objects::{Trouble, read, retries, wait, within};

/// Requests that are made at once.
const AT_ONCE: usize = 4;

/// How a recording is read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// A server that sends nothing for this long has failed.
    pub patience: Duration,
    /// The most bytes that are read as a whole, where a server has no range requests.
    pub max_whole: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { patience: Duration::from_secs(30), max_whole: 64 << 20 }
    }
}

impl Options {
    /// The same with another patience.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The same with another limit for what is read as a whole.
    #[must_use]
    pub fn with_max_whole(mut self, bytes: u64) -> Self {
        self.max_whole = bytes;
        self
    }
}

/// A recording at an address, whose bytes are read when they are needed.
///
/// Its length and its version are those of the first request. Where the object is replaced later, every call
/// that needs more of it fails.
#[derive(Debug)]
pub struct Remote {
    place: Place,
    options: Options,
    version: Version,
    bytes: Bytes,
    requests: u64,
}

/// Which object it is: another one at the same address differs in these.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Version {
    size: u64,
    e_tag: Option<String>,
    modified: i64,
}

#[derive(Debug)]
enum Bytes {
    /// All of them.
    Whole(Vec<u8>),
    Blocks(Box<Blocks>),
}

impl Version {
    fn of(meta: &ObjectMeta) -> Self {
        let modified = meta.last_modified.timestamp_millis();
        Self { size: meta.size, e_tag: meta.e_tag.clone(), modified }
    }

    /// The tag that a request can insist on: weak ones match nothing.
    fn strong_tag(&self) -> Option<String> {
        self.e_tag.clone().filter(|tag| !tag.starts_with("W/"))
    }

    /// Is what a later request says still the same? Where there is a tag it alone counts: servers of one
    /// address need not agree on the time.
    fn is_still(&self, now: &Self) -> bool {
        let same_time = self.e_tag.is_some() || self.modified == now.modified;
        self.size == now.size && self.e_tag == now.e_tag && same_time
    }
}

impl Remote {
    /// Opens what is at an address: its first block is read.
    pub fn open(address: &str) -> Result<Self> {
        Self::open_with(address, &Options::default())
    }

    /// The same with options.
    pub fn open_with(address: &str, options: &Options) -> Result<Self> {
        let place = place_of(address, &retries())?;
        wait(async { Self::begin(place, options).await.map_err(|trouble| trouble.reading(0)) })
    }

    /// How many requests were made, as far as this crate makes them: a client that tries again counts once.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.requests
    }

    async fn begin(place: Place, options: &Options) -> std::result::Result<Self, Trouble> {
        let mut blocks = Blocks::default();
        let first = get(&place, 0..BLOCK, None, options.patience).await;
        let (version, bytes, requests) = match first {
            Ok((version, bytes)) => {
                blocks.keep(0, &bytes);
                (version, Bytes::Blocks(Box::new(blocks)), 1)
            }
            Err(Trouble::NoRanges) => {
                let (version, bytes) = get_whole(&place, options).await?;
                (version, Bytes::Whole(bytes), 2)
            }
            // An empty object has no first byte.
            Err(Trouble::Other(why)) => {
                let about = within(options.patience, place.objects.head(&place.path)).await;
                match about {
                    Ok(meta) if meta.size == 0 => (Version::of(&meta), Bytes::Whole(Vec::new()), 2),
                    _ => return Err(Trouble::Other(why)),
                }
            }
            Err(trouble) => return Err(trouble),
        };
        Ok(Self { place, options: options.clone(), version, bytes, requests })
    }

    /// Gets what is missing of these ranges.
    fn complete(&mut self, ranges: &[Range<u64>]) -> Result<()> {
        let Bytes::Blocks(blocks) = &mut self.bytes else { return Ok(()) };
        let requests = blocks.requests(ranges, self.version.size);
        self.requests += requests.len() as u64;
        let (place, version, patience) = (&self.place, &self.version, self.options.patience);
        let got = wait(async {
            let gets = requests.into_iter().map(|range| async move {
                let start = range.start;
                let got = get(place, range, Some(version), patience).await;
                got.map(|(_, bytes)| (start, bytes)).map_err(|trouble| trouble.reading(start))
            });
            stream::iter(gets).buffered(AT_ONCE).try_collect::<Vec<(u64, Vec<u8>)>>().await
        })?;
        got.iter().for_each(|(start, bytes)| blocks.keep(*start, bytes));
        Ok(())
    }
}

/// One range of an object, which must be the one that is known.
async fn get(
    place: &Place,
    range: Range<u64>,
    known: Option<&Version>,
    patience: Duration,
) -> std::result::Result<(Version, Vec<u8>), Trouble> {
    let options = GetOptions {
        range: Some(GetRange::Bounded(range)),
        if_match: known.and_then(Version::strong_tag),
        ..GetOptions::default()
    };
    let answer = within(patience, place.objects.get_opts(&place.path, options)).await?;
    let version = Version::of(&answer.meta);
    if known.is_some_and(|known| !known.is_still(&version)) {
        return Err(Trouble::Changed);
    }
    let expected = answer.range.end - answer.range.start;
    let mut bytes = Vec::with_capacity(expected.min(BLOCK) as usize);
    read(answer, patience, |piece| {
        bytes.extend_from_slice(piece);
        let got = bytes.len() as u64;
        if got <= expected { Ok(()) } else { Err(Trouble::Length { expected, got }) }
    })
    .await?;
    let got = bytes.len() as u64;
    if got == expected { Ok((version, bytes)) } else { Err(Trouble::Length { expected, got }) }
}

/// Everything, where a server gives no ranges and it is small.
async fn get_whole(
    place: &Place,
    options: &Options,
) -> std::result::Result<(Version, Vec<u8>), Trouble> {
    let most = options.max_whole;
    let answer = within(options.patience, place.objects.get(&place.path)).await?;
    let version = Version::of(&answer.meta);
    if version.size > most {
        return Err(Trouble::TooLarge { most });
    }
    let mut bytes = Vec::new();
    read(answer, options.patience, |piece| {
        bytes.extend_from_slice(piece);
        if bytes.len() as u64 <= most { Ok(()) } else { Err(Trouble::TooLarge { most }) }
    })
    .await?;
    let (expected, got) = (version.size, bytes.len() as u64);
    if got == expected { Ok((version, bytes)) } else { Err(Trouble::Length { expected, got }) }
}

impl Source for Remote {
    fn length(&self) -> u64 {
        self.version.size
    }

    fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        check_range(&range, self.version.size)?;
        if range.is_empty() {
            return Ok(Cow::Borrowed(&[]));
        }
        self.complete(std::slice::from_ref(&range))?;
        match &mut self.bytes {
            Bytes::Whole(bytes) => bytes.fetch(range),
            Bytes::Blocks(blocks) => {
                let bytes = blocks.copy(&range);
                blocks.trim();
                let missing = || Trouble::Other("a block is missing".into()).reading(range.start);
                bytes.map(Cow::Owned).ok_or_else(missing)
            }
        }
    }

    fn prepare(&mut self, ranges: &[Range<u64>]) -> Result<()> {
        ranges.iter().try_for_each(|range| check_range(range, self.version.size))?;
        self.complete(ranges)
    }
}
