//! Named limits: nothing a file asks for is granted before it passed one.

use crate::error::{Error, ErrorKind, Result};

/// A named upper bound on something that input can ask for.
///
/// ```
/// use gametape_wire::Limit;
///
/// const RADIUS: Limit = Limit::new("map radius", 127);
/// assert!(RADIUS.check(127, 0x21).is_ok());
/// let error = RADIUS.check(255, 0x21).unwrap_err();
/// assert_eq!(error.to_string(), "map radius: 255 is over the limit of 127 (at byte 33)");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// What is limited; becomes the item of the error.
    pub name: &'static str,
    /// The largest value that passes.
    pub max: u64,
}

impl Limit {
    /// A limit of `max` on what `name` says.
    #[must_use]
    pub const fn new(name: &'static str, max: u64) -> Self {
        Self { name, max }
    }

    /// Passes `value` through, or says where (`offset`) the input asked for too much.
    pub fn check(&self, value: u64, offset: u64) -> Result<u64> {
        if value <= self.max {
            return Ok(value);
        }
        Err(Error::at(offset, self.name, ErrorKind::OverLimit { value, limit: self.max }))
    }
}
