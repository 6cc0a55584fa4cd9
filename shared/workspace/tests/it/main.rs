//! Mail, calendars and documents in a folder.

#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

mod any_input;
mod caldav;
mod conformance;
mod folder;
mod mail_changes;
mod sample;
mod smtp_kill;
mod support;
