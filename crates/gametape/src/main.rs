//! The `gametape` tool.
fn main() {}
