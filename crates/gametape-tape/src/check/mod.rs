//! Is a tape as it should be, and whose is it?

pub(crate) mod baselines;
pub(crate) mod chain;
pub(crate) mod content;
pub(crate) mod coverage;
pub(crate) mod keyframes;
pub(crate) mod sign;
pub(crate) mod verify;
