//! The one categorizer of mails. It reads words and headers; whatever a mail
//! says about itself, it is archived only on a sign of automation that isn't
//! contradicted by anything important.

use serde::{Serialize, Serializer};
use std::fmt;

use jiff::civil::Date;

use super::deadline::deadline;
use super::phishing::{self, Phishing};
use super::phrases::{
    self, AUTOMATED_SENDERS, CONSEQUENCE, IMPORTANT, INFORMATION, REPLY, TASK, URGENT,
};
use super::{MailCategory, MailFacts, own_words};
use crate::score;

/// Characters of a body that are read.
const READ: usize = 20_000;
/// Points for a subject that says urgent.
const URGENT_SUBJECT: u8 = 30;
/// Points for a complaint, or for what follows where nothing is done.
const CONSEQUENCES: u8 = 25;
/// Whatever a mail asks for, it is at least so urgent where something follows or its deadline is near: more
/// than the 80 from which on mail is urgent (seed 003).
const PRESSING: u8 = 81;
/// Days ahead in which a deadline is near.
const NEAR: i32 = 3;
/// Days for which a deadline that has passed still counts.
const PASSED: i32 = 7;

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
    consequence: Option<&'static str>,
    /// The first date by which it wants something.
    due: Option<Date>,
    phishing: Vec<Phishing>,
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
            consequence: phrases::find(&both, CONSEQUENCE),
            due: deadline(&both, mail.received),
            phishing: phishing::signs(mail, &subject, &body),
            automated_sender: is_automated(&mail.from_address),
        }
    }
}

/// Decides what a mail asks for. Nothing that a mail says makes it or another one less urgent, but for signs
/// that it pretends to be what it isn't.
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
    let suspicious = !seen.phishing.is_empty();
    let (category, base) = if suspicious {
        (MailCategory::ImportantInfo, 20)
    } else if automated && !important {
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
    let urgency_score = match suspicious {
        true => base,
        false => urgency(base, &seen, answerable.then_some(mail.today)),
    };
    Triage {
        category,
        confidence: confidence(category, &seen, mail),
        urgency_score,
        suggested_action: match suspicious {
            true => SuggestedAction::Doubt,
            false => action(category, urgency_score >= PRESSING),
        },
        reasons: reasons(mail, &seen),
    }
}

/// What it asks for, and what makes it urgent. Deadlines and consequences count where a person wrote them, on
/// `today`: every shop has both.
fn urgency(base: u8, seen: &Seen, today: Option<Date>) -> u8 {
    let mut score = base;
    if seen.urgent_subject.is_some() {
        score += URGENT_SUBJECT;
    }
    let Some(today) = today else {
        return score;
    };
    let left = seen.due.map(|due| score::days_between(today, due));
    let left = left.filter(|days| *days >= -PASSED);
    let mut pressing = left.is_some_and(|days| days <= NEAR);
    score += left.map_or(0, score::by_due);
    if seen.consequence.is_some() {
        score += CONSEQUENCES;
        pressing = true;
    }
    let least = if pressing { PRESSING } else { 0 };
    score.clamp(least, 100)
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
        seen.consequence.map(Reason::Consequence),
        seen.due.map(Reason::Deadline),
        mail.known_sender.then_some(Reason::KnownSender),
    ];
    let pretends = seen.phishing.iter().copied();
    let pretends = pretends.map(Reason::LooksLikePhishing);
    let found: Vec<Reason> = pretends.chain(found.into_iter().flatten()).collect();
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
    let whole = phrases::each(AUTOMATED_SENDERS).any(|known| known == local);
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
