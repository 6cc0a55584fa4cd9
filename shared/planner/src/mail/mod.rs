//! What to do with a mail (annex 2, "E-mail"): one categorizer for single and
//! batch, extraction of a task, groups by sender.

mod body;
mod categorize;
mod deadline;
mod group;
mod phishing;
mod phrases;
mod task;
#[cfg(test)]
mod tests;
mod triage;
#[cfg(test)]
mod urgency_tests;

pub use body::own_words;
pub use categorize::categorize;
pub use group::{SenderGroup, group_by_sender};
pub use phishing::Phishing;
pub use task::{MailTask, extract_task, subject_without_prefixes};
pub use triage::{Reason, SuggestedAction, Triage};

use jiff::civil::Date;

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
    /// Whether its sender is known: somebody registered.
    pub known_sender: bool,
    /// The date of its owner's zone on which it arrived.
    pub received: Date,
    /// The date it is there now.
    pub today: Date,
    /// Whether its sender is shown as somebody who is known to write from elsewhere.
    pub borrowed_name: bool,
    /// Whether a link in it shows another host than the one it leads to.
    pub disguised_link: bool,
    /// Whether answers go to another domain than the sender's.
    pub answers_elsewhere: bool,
}
