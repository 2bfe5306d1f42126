//! Timelines of every kind: any moment in any order, steps, growth.

mod common;
mod gamelog;
mod minewars;
