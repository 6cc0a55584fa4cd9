use alfred_core::ports::{MailMessage, Mailbox};
use alfred_testkit::conformance::mail;
use alfred_testkit::{MemoryMail, fixtures};
use std::sync::Arc;

use crate::testing::ToolHarness;

/// User U1 with the five mails of the conformance suite, whose ids are their subjects.
pub fn inbox() -> (ToolHarness, Arc<MemoryMail>) {
    let mut harness = ToolHarness::at("2026-11-21T12:00:00Z");
    let mails = MemoryMail::new(harness.context.clock.clone());
    let mails = mails.with(&harness.context.account(), mail::owner(), mail::mails());
    let mails = Arc::new(mails);
    harness.context.accounts.mail = mails.clone();
    (harness, mails)
}

pub fn arriving(id: &str, from: &str, subject: &str, text: &str) -> MailMessage {
    let mut mail = fixtures::mail(id, Mailbox::new("", from), subject, text);
    mail.summary.received_at = "2026-11-21T08:00:00Z".parse().unwrap();
    mail
}
