//! Google's clients against the local Google, over real HTTP.

#![allow(clippy::unwrap_used, reason = "a test stops at the first failure")]

mod calendar;
mod connect;
mod delegation;
mod docs;
mod mail;
mod mail_drafts;
mod mail_list;
mod mail_send;
mod mail_strict;
mod mail_units;
mod sheets;
mod support;
