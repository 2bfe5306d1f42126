//! The tools that make another recording out of one; normative text: `spec/minewars-tools.md`.

mod anonymize;
mod convert;
mod cut;
pub(crate) mod losses;
mod repair;
mod thin;

pub use anonymize::{AnonymizeOptions, Anonymized, Removed, anonymize};
pub use convert::{Converted, convert};
pub use cut::{Cut, Selection, cut};
pub use losses::{Loss, LossCount, Losses};
pub use repair::{Change, Lost, RepairOptions, Repaired, SetupItem, repair};
pub use thin::{thin_frames, without_unreliable};
