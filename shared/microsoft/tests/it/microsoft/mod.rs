//! Microsoft's clients against a player of Graph.

mod cases;
mod suites;
mod support;
