//! The rules, one row each.

use std::fmt;

use gametape_wire::Severity;

/// Declares the rules from rows of `Variant "name" Severity`.
macro_rules! rules {
    ($($(#[$doc:meta])* $variant:ident $name:literal $severity:ident;)*) => {
        /// A rule of the format that a recording can break.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[$doc])* $variant,)*
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name that text and JSON use.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// How bad it is to break it.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self {
                    $(Self::$variant => Severity::$severity,)*
                }
            }
        }
    };
}

rules! {
    /// Checksums are those of the bytes they cover.
    Checksum "checksum" Error;
    /// Everything before the frames is whole and within its limits.
    Setup "setup" Error;
    /// Frames unpack to exactly the announced length.
    Unpack "unpack" Error;
    /// Nothing follows the frames.
    Trailing "trailing" Error;
    /// The last frame is whole.
    FrameCut "frame-cut" Error;
    /// Masks name only views that exist.
    AbsentView "absent-view" Error;
    /// Mask and length agree whether the spectator takes part (v0.1).
    SpectatorBit "spectator-bit" Error;
    /// Every first byte means a message.
    ReservedOpcode "reserved-opcode" Error;
    /// Messages do not straddle frames.
    MessageCut "message-cut" Error;
    /// Players are not above the highest.
    Player "player" Error;
    /// Sub ids are not above the highest (current).
    SubPlayer "sub-player" Error;
    /// Cities exist.
    City "city" Error;
    /// Text is UTF-8.
    Text "text" Error;
    /// Tiles are on the map.
    Tile "tile" Warning;
    /// Payloads have a receiver.
    NoReceiver "no-receiver" Warning;
    /// Keepalives are written as 7F FF (current).
    KeepaliveBit "keepalive-bit" Warning;
    /// Reserved values are not used.
    ReservedValue "reserved-value" Warning;
    /// What can be written in two ways is written in the finer one.
    NotCanonical "not-canonical" Warning;
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
