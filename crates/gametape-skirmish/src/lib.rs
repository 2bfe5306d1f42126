//! Skirmish, the reference game: small, deterministic, with bots.
