//! Recordings in buckets, on web servers and in folders: read by range, stored once.
//!
//! - [`Remote`] is a [`Source`](gametape_wire::Source): `s3://BUCKET/KEY`, `https://…`, `http://…` and
//!   `file:///…` are read by range, in blocks of 64 KiB that are kept, with few requests. What changes while it is
//!   read is an error, never other bytes.
//! - [`Store`] takes finished recordings: a folder, or `s3://BUCKET/PREFIX`. Nothing is ever replaced, and what was
//!   written is read again and compared.
//!
//! The rules are in `spec/store.md` of the repository.
//!
//! ```
//! use gametape_store::{Remote, Store, Stored};
//! use gametape_wire::Source;
//!
//! # fn main() -> gametape_wire::Result<()> {
//! # let folder = tempfile::tempdir()?;
//! # let place = folder.path().to_string_lossy();
//! let store = Store::open(&place)?;
//! assert_eq!(store.put("finals.tape", &b"tape"[..])?, Stored::New);
//! assert_eq!(store.put("finals.tape", &b"tape"[..])?, Stored::Same);
//! assert_eq!(store.put("finals.tape", &b"other"[..])?, Stored::Taken);
//!
//! let mut remote = Remote::open(&store.address("finals.tape"))?;
//! assert_eq!(remote.fetch(1..3)?.as_ref(), b"ap");
//! # Ok(())
//! # }
//! ```
//!
//! Calls wait until they are done, and must not be made from within an asynchronous task. What it does not do: it
//! lists nothing, deletes nothing, writes to no web server, and knows no format. Credentials come from the usual
//! variables (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION`, `AWS_ENDPOINT_URL`);
//! profiles in files are not read.

mod address;
mod blocks;
mod objects;
mod remote;
mod store;

pub use address::is_address;
pub use remote::{Options, Remote};
pub use store::{MAX_BYTES, Store, Stored};
