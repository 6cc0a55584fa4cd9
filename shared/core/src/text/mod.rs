//! Everything Alfred says by itself, in one place. Nothing here names an
//! internal, an error code or a stack.

mod accounts;
mod approvals;
mod attached;
mod calls;
mod cards;
mod chat;
mod connect;
mod day;
mod documents;
mod effects;
mod files;
mod focus;
mod habits;
mod handed_on;
mod jobs;
mod ledger;
mod mail;
mod mail_servers;
mod mcp;
mod meetings;
mod modals;
mod outlook;
mod pen;
mod people;
mod reminders;
mod rounds;
mod skills;
mod teams;
mod trouble;
mod web;
mod worker_files;
mod workflows;

pub use accounts::*;
pub use approvals::*;
pub use attached::*;
pub use calls::*;
pub use cards::*;
pub use chat::*;
pub use connect::*;
pub use day::*;
pub use documents::*;
pub use effects::*;
pub use files::*;
pub use focus::*;
pub use habits::*;
pub use handed_on::*;
pub use jobs::*;
pub use ledger::*;
pub use mail::*;
pub use mail_servers::*;
pub use mcp::*;
pub use meetings::*;
pub use modals::*;
pub use outlook::*;
pub use pen::*;
pub use people::*;
pub use reminders::*;
pub use rounds::*;
pub use skills::*;
pub use teams::*;
pub use trouble::*;
pub use web::*;
pub use worker_files::*;
pub use workflows::*;

use crate::progress::Long;

/// The name people see.
pub const NAME: &str = "Alfred";

/// Joins an answer that needs several messages.
pub fn continued(part: usize, parts: usize) -> String {
    format!("_({part}/{parts})_")
}

/// How far long work is, for who waits at a terminal.
pub fn how_far(what: Long, percent: u64) -> String {
    let what = match what {
        Long::Mail => "Looking through the mail",
        Long::AuditDays => "Reading the days of the audit",
        Long::AuditRuns => "Checking the entries of the audit",
    };
    format!("{what}: {percent} %")
}

/// Status line while the model thinks.
pub fn status_thinking() -> &'static str {
    "is thinking…"
}
