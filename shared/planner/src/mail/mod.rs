//! What to do with a mail: its category, the task in it, groups by sender.

mod body;
mod categorize;
mod deadline;
mod facts;
mod group;
mod phishing;
mod phrases;
mod task;
#[cfg(test)]
mod tests;

pub use body::own_words;
pub use categorize::{Triage, categorize};
pub use facts::{MailCategory, MailFacts};
pub use group::{SenderGroup, group_by_sender};
pub use phishing::Phishing;
pub use task::{MailTask, capitalized, extract_task, subject_without_prefixes};
