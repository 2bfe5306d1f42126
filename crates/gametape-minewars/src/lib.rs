//! MineWars streams and replay files.
