//! The web as a client meets it: search providers over HTTP, pages over TLS.

#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

mod pages;
mod searches;
mod site;
