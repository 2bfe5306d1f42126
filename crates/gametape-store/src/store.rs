//! Where finished recordings are kept.

use std::fs;
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gametape_wire::{Error, Limit, Result};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectStoreExt, PutMode, PutOptions, PutPayload};
use xxhash_rust::xxh3::Xxh3;

use crate::address::{Place, place_of};
use crate::objects::{Trouble, read, retries, wait, within};

/// The most bytes of a recording that is stored: it goes out in one request, and is held in memory for it.
pub const MAX_BYTES: u64 = 4 << 30;

/// A recording is read in pieces of this size.
const PIECE: usize = 1 << 20;
/// A server that sends nothing for this long has failed.
const PATIENCE: Duration = Duration::from_secs(30);
/// What is waited for each piece that is written: 64 KiB a second are enough.
const PATIENCE_FOR_PIECE: Duration = Duration::from_secs(16);

/// What came of storing something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Stored {
    /// It is there now, as it was read again.
    New,
    /// The same bytes were there already.
    Same,
    /// Something else of that name is there, and stays: nothing was stored.
    Taken,
}

/// A folder or a part of a bucket that takes finished recordings, each once.
#[derive(Debug, Clone)]
pub struct Store {
    place: Place,
    /// What its addresses begin with.
    base: String,
}

/// What was written, or is there.
#[derive(Debug, PartialEq, Eq)]
struct Sum {
    length: u64,
    hash: u128,
}

impl Store {
    /// The store in a folder, which is made where it is missing, or at `s3://BUCKET/PREFIX`.
    pub fn open(place: &str) -> Result<Self> {
        if let Some(rest) = place.strip_prefix("s3://") {
            let base = format!("s3://{}", rest.trim_end_matches('/'));
            return Ok(Self { place: place_of(&base, &retries())?, base });
        }
        if place.contains("://") {
            let problem = format!("{place} is neither a folder nor s3://BUCKET/PREFIX");
            return Err(Error::misuse("store", problem));
        }
        let unwritable = |why: &dyn std::fmt::Display| Error::unwritable(0, "store", why);
        fs::create_dir_all(place).map_err(|why| unwritable(&why))?;
        let folder = fs::canonicalize(place).map_err(|why| unwritable(&why))?;
        let base = url::Url::from_directory_path(&folder);
        let base = base.map_err(|()| unwritable(&"the folder has no address"))?;
        let objects = LocalFileSystem::new_with_prefix(&folder).map_err(|why| unwritable(&why))?;
        let place = Place { objects: Arc::new(objects), path: Path::default() };
        Ok(Self { place, base: base.as_str().trim_end_matches('/').to_owned() })
    }

    /// The address that [`Remote`](crate::Remote) reads something of this name at.
    #[must_use]
    pub fn address(&self, name: &str) -> String {
        format!("{}/{name}", self.base)
    }

    /// Stores a recording under a name that must be free, and reads it again. Whoever stores the same bytes twice,
    /// or does not know whether it has, stores them once.
    pub fn put(&self, name: &str, recording: impl Read) -> Result<Stored> {
        check_name(name)?;
        let (payload, sum) = take(recording)?;
        let path = self.place.path.clone().join(name);
        let failed = |trouble: Trouble| {
            Error::unwritable(0, "store", format!("{}: {trouble}", self.address(name)))
        };
        wait(async {
            let pieces = sum.length.div_ceil(PIECE as u64) as u32;
            let patience = PATIENCE + PATIENCE_FOR_PIECE * pieces;
            let mode = PutOptions::from(PutMode::Create);
            let written = self.place.objects.put_opts(&path, payload, mode);
            let stored = match within(patience, written).await {
                Ok(_) => Stored::New,
                Err(Trouble::Exists | Trouble::Changed) => Stored::Same,
                Err(trouble) => return Err(failed(trouble)),
            };
            let there = self.sum(&path).await.map_err(failed)?;
            match (there == sum, stored) {
                (true, stored) => Ok(stored),
                (false, Stored::Same | Stored::Taken) => Ok(Stored::Taken),
                (false, Stored::New) => {
                    let expected = sum.length;
                    Err(failed(Trouble::Damaged { expected, got: there.length }))
                }
            }
        })
    }

    /// What is there, read from beginning to end.
    async fn sum(&self, path: &Path) -> std::result::Result<Sum, Trouble> {
        let answer = within(PATIENCE, self.place.objects.get(path)).await?;
        let (mut hasher, mut length) = (Xxh3::new(), 0);
        read(answer, PATIENCE, |piece| {
            hasher.update(piece);
            length += piece.len() as u64;
            Ok(())
        })
        .await?;
        Ok(Sum { length, hash: hasher.digest128() })
    }
}

/// Reads a recording.
fn take(mut recording: impl Read) -> Result<(PutPayload, Sum)> {
    let limit = Limit::new("length of what is stored", MAX_BYTES);
    let (mut pieces, mut hasher, mut length) = (Vec::new(), Xxh3::new(), 0);
    loop {
        let mut piece = Vec::new();
        recording.by_ref().take(PIECE as u64).read_to_end(&mut piece)?;
        if piece.is_empty() {
            break;
        }
        length += piece.len() as u64;
        limit.check(length, 0)?;
        hasher.update(&piece);
        pieces.push(Bytes::from(piece));
    }
    let sum = Sum { length, hash: hasher.digest128() };
    Ok((pieces.into_iter().collect(), sum))
}

/// Refuses names that are more than the name of a file.
fn check_name(name: &str) -> Result<()> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if !name.is_empty() && name.len() <= 255 && !name.starts_with('.') && name.chars().all(is_plain)
    {
        return Ok(());
    }
    let problem = "letters, digits, '.', '_' and '-' alone are allowed, and no '.' in front";
    Err(Error::misuse("name of what is stored", problem))
}
