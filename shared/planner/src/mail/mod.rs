//! What to do with a mail (annex 2, "E-mail"): one categorizer for single and
//! batch, extraction of a task, groups by sender.

mod body;
mod categorize;
mod group;
mod phrases;
mod task;
#[cfg(test)]
mod tests;

pub use body::own_words;
pub use categorize::{Reason, SuggestedAction, Triage, categorize};
pub use group::{SenderGroup, group_by_sender};
pub use task::{MailTask, extract_task, subject_without_prefixes};

use crate::words;

words! {
    /// What a mail asks for.
    MailCategory {
        /// An answer.
        NeedsReply = "needs_reply",
        /// To be read.
        ImportantInfo = "important_info",
        /// Something to be done.
        PotentialTask = "potential_task",
        /// Nothing.
        CanArchive = "can_archive",
    }
}

/// What is known about a mail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MailFacts {
    /// The sender's address.
    pub from_address: String,
    /// The subject as it was sent.
    pub subject: String,
    /// The body as plain text, quotes and signature included.
    pub text: String,
    /// Whether it has headers that only automated and list mail has.
    pub automated: bool,
    /// Whether the owner has written to the sender before.
    pub known_sender: bool,
}
