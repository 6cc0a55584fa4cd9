//! Microsoft's clients against the local Graph, over real HTTP.

#![allow(clippy::unwrap_used, reason = "a test stops at the first failure")]

mod calendar;
mod connect;
mod limits;
mod mail;
mod mail_send;
mod support;
