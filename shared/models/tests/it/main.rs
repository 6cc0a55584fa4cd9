//! The model adapter against servers as providers have them, over HTTP.

#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

mod connection;
mod model_conformance;
mod named;
