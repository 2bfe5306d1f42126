//! How much a test does.

/// More where `GAMETAPE_SCALE` multiplies it.
pub(crate) fn scaled(count: u64) -> u64 {
    let scale = std::env::var("GAMETAPE_SCALE").ok().and_then(|text| text.parse().ok());
    count * scale.unwrap_or(1)
}
