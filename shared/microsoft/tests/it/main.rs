//! Clients of Microsoft accounts against a player of Graph, over HTTP.

#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

mod microsoft;
mod models;
mod outlook;
