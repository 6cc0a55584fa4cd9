//! Microsoft's clients against a player of Graph.

mod case;
mod cases;
mod once;
mod suites;
mod support;
