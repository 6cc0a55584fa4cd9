//! The one categorizer of mails. It reads words and headers; whatever a mail
//! says about itself, it is archived only on a sign of automation that isn't
//! contradicted by anything important.

use jiff::civil::Date;

use super::deadline::deadline;
use super::phishing::{self, Phishing};
use super::phrases::{
    self, AUTOMATED_SENDERS, CONSEQUENCE, IMPORTANT, INFORMATION, REPLY, TASK, URGENT,
};
use super::triage::{Reason, SuggestedAction, Triage};
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
