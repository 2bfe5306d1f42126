//! Recordings at addresses, where this crate is built with them.

#[cfg(feature = "store")]
pub(crate) use gametape_store::{Remote, is_address};
use gametape_wire::Result;

/// Opens what is at an address.
#[cfg(feature = "store")]
pub(crate) fn open(address: &str) -> Result<Remote> {
    Remote::open(address)
}

#[cfg(not(feature = "store"))]
pub(crate) type Remote = Vec<u8>;

#[cfg(not(feature = "store"))]
pub(crate) fn is_address(text: &str) -> bool {
    ["s3://", "https://", "http://", "file://"].iter().any(|scheme| text.starts_with(scheme))
}

#[cfg(not(feature = "store"))]
pub(crate) fn open(address: &str) -> Result<Remote> {
    let problem =
        format!("{address} cannot be read: this program was built without the feature `store`");
    Err(gametape_wire::Error::misuse("address", problem))
}
