//! Categorizes mails by words and headers. Whatever a mail says about itself, it is archived only if it is automated
//! and nothing in it is important.

use jiff::civil::Date;
use serde::Serialize;

use super::body::own_words;
use super::deadline::deadline;
use super::phrases::List;
use super::{MailCategory, MailFacts};
use crate::{score, words};

/// Characters of a body that are read.
const READ: usize = 20_000;
const URGENT_SUBJECT: u8 = 30;
/// Points for a complaint, or if something follows when nothing is done.
const CONSEQUENCES: u8 = 25;
/// The least score of a mail with consequences or a near deadline: mail is urgent from more than 80 on.
const PRESSING: u8 = 81;
/// Days ahead in which a deadline is near.
const NEAR: i32 = 3;
/// Days for which a deadline that has passed still counts.
const PASSED: i32 = 7;

words! {
    Phishing {
        BorrowedName = "it shows the name of somebody who doesn't write from there",
        DisguisedLink = "a link leads elsewhere than it shows",
        Hurried = "it asks for a secret or money in a hurry",
        AnswersElsewhere = "it asks for a secret or money, and answers go elsewhere",
    }
}

/// What a mail asks for, and how that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Triage {
    pub category: MailCategory,
    /// How sure the category is, 0–100.
    pub confidence: u8,
    /// How soon it should be read, 0–100.
    #[serde(skip)]
    pub urgency_score: u8,
    pub suggested_action: &'static str,
    pub reasons: Vec<String>,
    /// Why it looks like phishing; empty if it doesn't.
    #[serde(skip)]
    pub phishing: Vec<Phishing>,
}

type Found = Option<&'static str>;

struct Seen {
    /// The subject and its sender's own words, in lower case.
    text: String,
    question: bool,
    urgent_subject: Found,
    urgent_body: Found,
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
        let text = format!("{subject}\n{body}");
        Self {
            question: text.split_whitespace().any(is_question),
            urgent_subject: List::Urgent.find(&subject),
            urgent_body: List::Urgent.find(&body),
            due: deadline(&text, mail.received),
            phishing: signs(mail, &text),
            automated_sender: is_automated(&mail.from_address),
            text,
        }
    }

    fn has(&self, list: List) -> bool {
        list.find(&self.text).is_some()
    }

    fn asks(&self) -> bool {
        self.question || self.has(List::Reply)
    }
}

/// Decides what a mail asks for. Nothing that a mail says makes it less urgent, except for signs of phishing.
pub fn categorize(mail: &MailFacts) -> Triage {
    let seen = Seen::in_mail(mail);
    let automated = seen.automated_sender || mail.automated;
    let urgent = seen.urgent_subject.or(seen.urgent_body).is_some();
    let important = mail.known_sender || urgent || seen.has(List::Important);
    // Nobody reads an answer to a machine.
    let answerable = !automated || (mail.known_sender && !seen.automated_sender);
    let suspicious = !seen.phishing.is_empty();
    let (category, base) = if suspicious {
        (MailCategory::ImportantInfo, 20)
    } else if automated && !important {
        (MailCategory::CanArchive, 0)
    } else if answerable && seen.asks() {
        (MailCategory::NeedsReply, 70)
    } else if seen.has(List::Task) {
        (MailCategory::PotentialTask, 60)
    } else if seen.has(List::Information) {
        (MailCategory::ImportantInfo, 40)
    } else {
        (MailCategory::ImportantInfo, 20)
    };
    let urgency_score = if suspicious {
        base
    } else {
        urgency(base, &seen, answerable.then_some(mail.today))
    };
    let suggested_action = match category {
        _ if suspicious => "Check with the sender by another channel before you act on it.",
        MailCategory::NeedsReply if urgency_score >= PRESSING => "Reply today.",
        MailCategory::NeedsReply => "Draft a reply.",
        MailCategory::PotentialTask => "Make a task of it.",
        MailCategory::ImportantInfo => "Read it.",
        MailCategory::CanArchive => "Archive it.",
    };
    Triage {
        category,
        confidence: confidence(category, &seen, mail),
        urgency_score,
        suggested_action,
        reasons: reasons(mail, &seen),
        phishing: seen.phishing,
    }
}

/// The urgency by category and by what makes it urgent. Deadlines and consequences count only in mail of people (then
/// `today` is given): every shop has both.
fn urgency(base: u8, seen: &Seen, today: Option<Date>) -> u8 {
    let mut score = base + seen.urgent_subject.map_or(0, |_| URGENT_SUBJECT);
    let Some(today) = today else {
        return score;
    };
    let left = seen.due.map(|due| score::days_between(today, due));
    let left = left.filter(|days| *days >= -PASSED);
    let mut pressing = left.is_some_and(|days| days <= NEAR);
    score += left.map_or(0, score::by_due);
    if seen.has(List::Consequence) {
        score += CONSEQUENCES;
        pressing = true;
    }
    let least = if pressing { PRESSING } else { 0 };
    score.clamp(least, 100)
}

/// Two signs are surer than one; nothing found is a guess.
fn confidence(category: MailCategory, seen: &Seen, mail: &MailFacts) -> u8 {
    let pair = |a: bool, b: bool| [30, 75, 90][usize::from(a) + usize::from(b)];
    let [task, information] = [List::Task, List::Information].map(|list| seen.has(list));
    let sure = match category {
        MailCategory::NeedsReply => pair(seen.question, seen.has(List::Reply)),
        MailCategory::PotentialTask => pair(task, seen.urgent_subject.is_some()),
        MailCategory::ImportantInfo => pair(information, seen.has(List::Important)),
        MailCategory::CanArchive => pair(seen.automated_sender, mail.automated),
    };
    let kinds = [seen.asks(), task, information];
    match kinds.iter().filter(|kind| **kind).count() {
        0 | 1 => sure,
        _ if category == MailCategory::CanArchive => sure,
        2 => sure - 10,
        _ => sure - 20,
    }
}

fn reasons(mail: &MailFacts, seen: &Seen) -> Vec<String> {
    let says = |is: bool, text: &str| is.then(|| text.to_owned());
    let quotes = |text: &str, found: Found| found.map(|words| format!("{text} (\"{words}\")"));
    let has = |text: &str, list: List| quotes(text, list.find(&seen.text));
    let listed = mail.automated;
    let found = [
        says(listed, "it has the headers of list or automated mail"),
        says(seen.automated_sender, "no person writes from this address"),
        says(seen.question, "it asks a question"),
        has("it asks for an answer", List::Reply),
        has("it asks for something to be done", List::Task),
        has("it informs", List::Information),
        quotes("its subject says it is urgent", seen.urgent_subject),
        quotes("it says it is urgent", seen.urgent_body),
        has("it may matter", List::Important),
        has("something may follow", List::Consequence),
        seen.due.map(|date| format!("it wants something by {date}")),
        says(mail.known_sender, "its sender is known here"),
    ];
    let signs = seen.phishing.iter();
    let signs = signs.map(|sign| format!("it looks like phishing: {sign}"));
    let mut reasons: Vec<String> = signs.chain(found.into_iter().flatten()).collect();
    if reasons.is_empty() {
        reasons.push("nothing in it asks for anything".to_owned());
    }
    reasons
}

/// Signs of phishing in a mail; `text` is its sender's own words in lower case.
fn signs(mail: &MailFacts, text: &str) -> Vec<Phishing> {
    let says = |list: List| list.find(text).is_some();
    let baits = !mail.known_sender && says(List::Bait);
    // Newsletters count clicks, and notices of a service carry the name of the person who caused them.
    let counts = !mail.automated || baits;
    let hurried = says(List::Urgent) || says(List::Hurry);
    let found = [
        (mail.borrowed_name && counts, Phishing::BorrowedName),
        (mail.disguised_link && counts, Phishing::DisguisedLink),
        (baits && hurried, Phishing::Hurried),
        (baits && mail.answers_elsewhere, Phishing::AnswersElsewhere),
    ];
    let found = found.into_iter().filter(|(is, _)| *is);
    found.map(|(_, sign)| sign).collect()
}

/// A word that ends with a question mark; an address of the web is none.
fn is_question(word: &str) -> bool {
    let closed = word.trim_end_matches(['"', '\'', ')', '”', '!', '*', '_']);
    closed.ends_with('?') && !closed.contains("://") && !closed.starts_with("www.")
}

/// Whether the local part of an address, or a part of it, is that of a machine.
fn is_automated(address: &str) -> bool {
    let lower = address.trim().to_lowercase();
    let local = lower.rsplit_once('@').map_or(&*lower, |(local, _)| local);
    let local = local.split('+').next().unwrap_or(local);
    let mut anywhere = List::AutomatedAnywhere.phrases().iter();
    let mut parts = local.split(['.', '-', '_']);
    List::AutomatedSenders.phrases().contains(&local)
        || parts.any(|part| List::AutomatedParts.phrases().contains(&part))
        || anywhere.any(|part| local.contains(part))
}
