//! What to do with a mail: its category, the task in it, groups by sender.

mod body;
mod categorize;
mod deadline;
mod group;
mod phishing;
mod phrases;
mod task;
#[cfg(test)]
mod tests;

pub use body::own_words;
pub use categorize::{Triage, categorize};
pub use group::{SenderGroup, group_by_sender};
pub use phishing::Phishing;
pub use task::{MailTask, capitalized, extract_task, subject_without_prefixes};

use jiff::civil::Date;

use crate::words;

words! {
    MailCategory {
        NeedsReply = "needs_reply",
        ImportantInfo = "important_info",
        PotentialTask = "potential_task",
        CanArchive = "can_archive",
    }
}

/// What is known about a mail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MailFacts {
    pub from_address: String,
    pub subject: String,
    /// The body as plain text, quotes and signature included.
    pub text: String,
    /// Whether it has headers that only automated and list mail have.
    pub automated: bool,
    /// Whether its sender is registered.
    pub known_sender: bool,
    /// The date in its owner's zone on which it arrived.
    pub received: Date,
    /// The date there now.
    pub today: Date,
    /// Whether its sender is shown as somebody who is known to write from another address.
    pub borrowed_name: bool,
    /// Whether a link in it shows another host than the one it leads to.
    pub disguised_link: bool,
    /// Whether answers go to another domain than the sender's.
    pub answers_elsewhere: bool,
}
