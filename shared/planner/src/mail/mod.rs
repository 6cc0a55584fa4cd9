//! What to do with a mail (annex 2, "E-mail"): one categorizer for single and
//! batch, extraction of a task, groups by sender.

mod body;
mod categorize;
mod group;
mod phrases;
mod task;

pub use body::own_words;
pub use categorize::{Reason, SuggestedAction, Triage, categorize};
pub use group::{SenderGroup, group_by_sender};
pub use task::{MailTask, extract_task, subject_without_prefixes};

use jiff::Timestamp;

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
    /// The sender's name, may be empty.
    pub from_name: String,
    /// The subject as it was sent.
    pub subject: String,
    /// The body as plain text, quotes and signature included.
    pub text: String,
    /// What its headers say about automation.
    pub headers: AutomationHeaders,
    /// When it arrived.
    pub received: Timestamp,
    /// Whether the owner has written to the sender before.
    pub known_sender: bool,
    /// Whether sender or provider marked it important.
    pub marked_important: bool,
}

/// Headers that only automated and list mail has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AutomationHeaders {
    /// `List-Id` is there.
    pub list_id: bool,
    /// `List-Unsubscribe` is there.
    pub list_unsubscribe: bool,
    /// `Precedence` is bulk, list or junk.
    pub bulk_precedence: bool,
    /// `Auto-Submitted` is there and isn't "no".
    pub auto_submitted: bool,
}

impl AutomationHeaders {
    /// Whether any of them is there.
    #[must_use]
    pub const fn any(self) -> bool {
        self.list_id || self.list_unsubscribe || self.bulk_precedence || self.auto_submitted
    }
}
