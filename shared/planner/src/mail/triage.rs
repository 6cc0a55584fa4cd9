//! What is said of a mail.

use jiff::civil::Date;
use serde::{Serialize, Serializer};
use std::fmt;

use super::MailCategory;
use super::phishing::Phishing;

/// What a mail asks for, and how it was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Triage {
    /// What it asks for.
    pub category: MailCategory,
    /// How sure that is, 0–100.
    pub confidence: u8,
    /// How soon it wants to be read, 0–100; told of many mails, to order them by.
    #[serde(skip)]
    pub urgency_score: u8,
    /// What to do with it.
    pub suggested_action: SuggestedAction,
    /// What was seen.
    pub reasons: Vec<Reason>,
}

impl Triage {
    /// Why it looks like phishing; empty where it doesn't.
    pub fn phishing(&self) -> impl Iterator<Item = Phishing> {
        self.reasons.iter().filter_map(|reason| match reason {
            Reason::LooksLikePhishing(sign) => Some(*sign),
            _ => None,
        })
    }
}

/// What to do with a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuggestedAction {
    /// Answer today.
    ReplyNow,
    /// Draft an answer.
    Reply,
    /// Make a task of it.
    MakeTask,
    /// Read it.
    Read,
    /// Put it away.
    Archive,
    /// Ask its sender on another way before anything else.
    Doubt,
}

/// Something that was seen in a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A header that only list or automated mail has.
    ListHeaders,
    /// A sender's address that no person writes from.
    AutomatedSender,
    /// A question mark in the sender's own words.
    Question,
    /// A phrase that asks for an answer.
    ReplyPhrase(&'static str),
    /// A phrase that asks for something to be done.
    TaskPhrase(&'static str),
    /// A phrase that informs.
    InformationPhrase(&'static str),
    /// The subject says it is urgent.
    UrgentSubject(&'static str),
    /// The body says it is urgent.
    UrgentText(&'static str),
    /// Words that keep automated mail from being archived.
    ImportantWords(&'static str),
    /// Somebody complains, or something follows where nothing is done.
    Consequence(&'static str),
    /// It wants something by this date.
    Deadline(Date),
    /// It may not be what it says.
    LooksLikePhishing(Phishing),
    /// Its sender is somebody registered.
    KnownSender,
    /// Nothing of all that.
    NothingFound,
}

impl fmt::Display for SuggestedAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ReplyNow => "Reply today.",
            Self::Reply => "Draft a reply.",
            Self::MakeTask => "Make a task of it.",
            Self::Read => "Read it.",
            Self::Archive => "Archive it.",
            Self::Doubt => "Don't act on it before its sender was asked on another way.",
        })
    }
}

impl Serialize for SuggestedAction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ListHeaders => f.write_str("it has the headers of list or automated mail"),
            Self::AutomatedSender => f.write_str("no person writes from this address"),
            Self::Question => f.write_str("it asks a question"),
            Self::ReplyPhrase(words) => write!(f, "it asks for an answer (\"{words}\")"),
            Self::TaskPhrase(words) => write!(f, "it asks for something to be done (\"{words}\")"),
            Self::InformationPhrase(words) => write!(f, "it informs (\"{words}\")"),
            Self::UrgentSubject(words) => write!(f, "its subject says \"{words}\""),
            Self::UrgentText(words) => write!(f, "it says \"{words}\""),
            Self::ImportantWords(words) => write!(f, "\"{words}\" may matter"),
            Self::Consequence(words) => write!(f, "something may follow (\"{words}\")"),
            Self::Deadline(date) => write!(f, "it wants something by {date}"),
            Self::LooksLikePhishing(sign) => write!(f, "it looks like phishing: {sign}"),
            Self::KnownSender => f.write_str("its sender is known here"),
            Self::NothingFound => f.write_str("nothing in it asks for anything"),
        }
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
