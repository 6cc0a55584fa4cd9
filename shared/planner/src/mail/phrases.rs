//! The phrases by which mails are told apart. All are matched as whole words in lower case.

pub(super) const REPLY: &[&str] = &[
    "can you",
    "could you",
    "would you",
    "will you",
    "are you able",
    "do you",
    "did you",
    "have you",
    "what do you think",
    "let me know",
    "please reply",
    "please respond",
    "please confirm",
    "please advise",
    "get back to me",
    "your thoughts",
    "your opinion",
    "your feedback",
    "looking forward to your",
    "awaiting your",
    "rsvp",
    "any update",
];

pub(super) const TASK: &[&str] = &[
    "deadline",
    "due",
    "due by",
    "due date",
    "by end of day",
    "by eod",
    "by cob",
    "eod",
    "by monday",
    "by tuesday",
    "by wednesday",
    "by thursday",
    "by friday",
    "by tomorrow",
    "by tonight",
    "by next week",
    "to do",
    "to-do",
    "todo",
    "action item",
    "action items",
    "action required",
    "action needed",
    "need you to",
    "needs to be",
    "you need to",
    "please prepare",
    "please review",
    "please send",
    "please complete",
    "please update",
    "please submit",
    "please finish",
    "please sign",
    "please approve",
    "please fill",
    "follow up on",
    "make sure",
    "don't forget",
    "remember to",
];

pub(super) const INFORMATION: &[&str] = &[
    "fyi",
    "for your information",
    "for your records",
    "update",
    "updates",
    "announcement",
    "announcing",
    "heads up",
    "heads-up",
    "just letting you know",
    "status report",
    "minutes of",
    "summary",
    "recap",
    "no action needed",
    "no reply needed",
];

pub(super) const URGENT: &[&str] = &[
    "urgent",
    "urgently",
    "asap",
    "as soon as possible",
    "immediately",
    "emergency",
    "critical",
    "time-sensitive",
    "time sensitive",
];

/// Automated, but nothing that may vanish unread.
pub(super) const IMPORTANT: &[&str] = &[
    "security alert",
    "suspicious",
    "new sign-in",
    "password",
    "verification code",
    "payment failed",
    "payment declined",
    "invoice",
    "overdue",
    "past due",
    "final notice",
    "account suspended",
    "account will be",
    "will expire",
    "expires",
    "expiring",
    "cancelled",
    "canceled",
    "outage",
    "incident",
    "contract",
    "legal notice",
    "tax",
    "action required",
    "deadline",
    "delivery failed",
    "undeliverable",
];

/// Local parts of addresses that no person writes from.
pub(super) const AUTOMATED_SENDERS: &[&str] = &[
    "noreply",
    "no-reply",
    "no_reply",
    "donotreply",
    "do-not-reply",
    "do_not_reply",
    "notification",
    "notifications",
    "newsletter",
    "newsletters",
    "mailer-daemon",
    "postmaster",
    "mailer",
    "automated",
    "auto-confirm",
    "bounce",
    "bounces",
    "alerts",
    "digest",
    "updates",
    "marketing",
    "promo",
    "promotions",
    "news",
];

/// The first phrase that stands in the text as whole words. The text is in lower case.
pub(super) fn find<'a>(text: &str, phrases: &[&'a str]) -> Option<&'a str> {
    phrases
        .iter()
        .copied()
        .find(|phrase| stands_in(text, phrase))
}

fn stands_in(text: &str, phrase: &str) -> bool {
    let inner = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(phrase).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        !inner(before) && !inner(after)
    })
}
