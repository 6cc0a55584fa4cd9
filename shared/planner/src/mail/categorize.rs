//! The one categorizer of mails. It reads words and headers; whatever a mail
//! says about itself, it is archived only on a sign of automation that isn't
//! contradicted by anything important.

use serde::{Serialize, Serializer};
use std::fmt;

use super::phrases::{self, AUTOMATED_SENDERS, IMPORTANT, INFORMATION, REPLY, TASK, URGENT};
use super::{MailCategory, MailFacts, own_words};

/// Characters of a body that are read.
const READ: usize = 20_000;
/// Points for a subject that says urgent.
const URGENT_SUBJECT: u8 = 30;

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
    /// The owner has written to the sender before.
    KnownSender,
    /// Nothing of all that.
    NothingFound,
}

struct Seen {
    question: bool,
    reply: Option<&'static str>,
    task: Option<&'static str>,
    information: Option<&'static str>,
    urgent_subject: Option<&'static str>,
    urgent_text: Option<&'static str>,
    important: Option<&'static str>,
    automated_sender: bool,
}

impl Seen {
    fn in_mail(mail: &MailFacts) -> Self {
        let subject = mail.subject.to_lowercase();
        let cut: String = mail.text.chars().take(READ).collect();
        let body = own_words(&cut).to_lowercase().replace('’', "'");
        let both = format!("{subject}\n{body}");
        Self {
            question: both.split_whitespace().any(is_question),
            reply: phrases::find(&both, REPLY),
            task: phrases::find(&both, TASK),
            information: phrases::find(&both, INFORMATION),
            urgent_subject: phrases::find(&subject, URGENT),
            urgent_text: phrases::find(&body, URGENT),
            important: phrases::find(&both, IMPORTANT),
            automated_sender: is_automated(&mail.from_address),
        }
    }
}

/// Decides what a mail asks for.
#[must_use]
pub fn categorize(mail: &MailFacts) -> Triage {
    let seen = Seen::in_mail(mail);
    let automated = seen.automated_sender || mail.automated;
    let important = mail.known_sender
        || seen.important.is_some()
        || seen.urgent_subject.is_some()
        || seen.urgent_text.is_some();
    // A machine's question is no question, and nobody reads an answer to it.
    let answerable = !automated || (mail.known_sender && !seen.automated_sender);
    let (category, base) = if automated && !important {
        (MailCategory::CanArchive, 0)
    } else if answerable && (seen.question || seen.reply.is_some()) {
        (MailCategory::NeedsReply, 70)
    } else if seen.task.is_some() {
        (MailCategory::PotentialTask, 60)
    } else if seen.information.is_some() {
        (MailCategory::ImportantInfo, 40)
    } else {
        (MailCategory::ImportantInfo, 20)
    };
    let raise = if seen.urgent_subject.is_some() {
        URGENT_SUBJECT
    } else {
        0
    };
    let reasons = reasons(mail, &seen);
    Triage {
        category,
        confidence: confidence(category, &seen, mail),
        urgency_score: (base + raise).min(100),
        suggested_action: action(category, seen.urgent_subject.is_some()),
        reasons,
    }
}

const fn action(category: MailCategory, urgent: bool) -> SuggestedAction {
    match category {
        MailCategory::NeedsReply if urgent => SuggestedAction::ReplyNow,
        MailCategory::NeedsReply => SuggestedAction::Reply,
        MailCategory::PotentialTask => SuggestedAction::MakeTask,
        MailCategory::ImportantInfo => SuggestedAction::Read,
        MailCategory::CanArchive => SuggestedAction::Archive,
    }
}

/// Two signs are surer than one; nothing found is a guess.
fn confidence(category: MailCategory, seen: &Seen, mail: &MailFacts) -> u8 {
    let pair = |a: bool, b: bool| match (a, b) {
        (true, true) => 90,
        (true, false) | (false, true) => 75,
        (false, false) => 30,
    };
    let sure = match category {
        MailCategory::NeedsReply => pair(seen.question, seen.reply.is_some()),
        MailCategory::PotentialTask => pair(seen.task.is_some(), seen.urgent_subject.is_some()),
        MailCategory::ImportantInfo => pair(seen.information.is_some(), seen.important.is_some()),
        MailCategory::CanArchive => pair(seen.automated_sender, mail.automated),
    };
    let kinds = [
        seen.question || seen.reply.is_some(),
        seen.task.is_some(),
        seen.information.is_some(),
    ];
    let rivals = kinds.iter().filter(|kind| **kind).count().saturating_sub(1);
    let doubt = if category == MailCategory::CanArchive {
        0
    } else {
        10 * rivals.min(2)
    };
    sure - u8::try_from(doubt).unwrap_or(0)
}

fn reasons(mail: &MailFacts, seen: &Seen) -> Vec<Reason> {
    let found = [
        mail.automated.then_some(Reason::ListHeaders),
        seen.automated_sender.then_some(Reason::AutomatedSender),
        seen.question.then_some(Reason::Question),
        seen.reply.map(Reason::ReplyPhrase),
        seen.task.map(Reason::TaskPhrase),
        seen.information.map(Reason::InformationPhrase),
        seen.urgent_subject.map(Reason::UrgentSubject),
        seen.urgent_text.map(Reason::UrgentText),
        seen.important.map(Reason::ImportantWords),
        mail.known_sender.then_some(Reason::KnownSender),
    ];
    let found: Vec<Reason> = found.into_iter().flatten().collect();
    if found.is_empty() {
        vec![Reason::NothingFound]
    } else {
        found
    }
}

/// A word that ends with a question mark; an address of the web is none.
fn is_question(word: &str) -> bool {
    let closed = word.trim_end_matches(['"', '\'', ')', '”', '!', '*', '_']);
    closed.ends_with('?') && !closed.contains("://") && !closed.starts_with("www.")
}

/// Whether the local part, or a part of it, is that of a machine.
fn is_automated(address: &str) -> bool {
    let lower = address.trim().to_lowercase();
    let local = lower
        .rsplit_once('@')
        .map_or(lower.as_str(), |(local, _)| local);
    let local = local.split('+').next().unwrap_or(local);
    let whole = AUTOMATED_SENDERS.contains(&local);
    whole
        || [
            "noreply",
            "no-reply",
            "no_reply",
            "donotreply",
            "do-not-reply",
            "mailer-daemon",
        ]
        .iter()
        .any(|part| local.contains(part))
        || local
            .split(['.', '-', '_'])
            .any(|part| matches!(part, "notifications" | "newsletter" | "bounces"))
}

impl fmt::Display for SuggestedAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ReplyNow => "Reply today.",
            Self::Reply => "Draft a reply.",
            Self::MakeTask => "Make a task of it.",
            Self::Read => "Read it.",
            Self::Archive => "Archive it.",
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
            Self::KnownSender => f.write_str("you have written to its sender"),
            Self::NothingFound => f.write_str("nothing in it asks for anything"),
        }
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
