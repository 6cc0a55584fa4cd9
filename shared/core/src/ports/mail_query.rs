use jiff::Timestamp;

use super::{MailStatus, MailSummary, Mailbox};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MailQuery {
    /// Only mails in these states. Empty means all except archived and deleted.
    pub status: Vec<MailStatus>,
    /// Only mails whose sender, subject or snippet contain all these words, ignoring case.
    pub words: Vec<String>,
    /// Only mails from this sender: an address, a domain or a part of the name.
    pub from: Option<String>,
    /// Selects sent mails instead of received ones. Then `status` is ignored, and `from` and
    /// `words` apply to the recipients. `from` then also matches the part before the `@`, because
    /// recipients often have no name. The state of sent mails has no meaning.
    pub sent: bool,
    /// Only mails received at or after this time.
    pub since: Option<Timestamp>,
    /// Maximum number of mails, clamped to 1–500.
    pub limit: usize,
    pub cursor: Option<String>,
}

impl MailQuery {
    pub const MOST: usize = 500;

    /// Whether a mail in this state matches, ignoring `limit` and `cursor`.
    pub fn fits(&self, mail: &MailSummary, now: MailStatus) -> bool {
        let others = self.others(mail);
        self.wants(now)
            && self.since.is_none_or(|since| mail.received_at >= since)
            && self.from.as_ref().is_none_or(|from| {
                let mut others = others.iter();
                others.any(|other| other.is(from) || self.sent && other.is_addressed(from))
            })
            && (self.words.is_empty() || self.words_in(mail))
    }

    /// Whether mails in this state match.
    pub fn wants(&self, now: MailStatus) -> bool {
        match self.status.as_slice() {
            _ if self.sent => true,
            [] => !matches!(now, MailStatus::Archived | MailStatus::Deleted),
            states => states.contains(&now),
        }
    }

    /// The sender, or the recipients of a sent mail.
    fn others<'m>(&self, mail: &'m MailSummary) -> &'m [Mailbox] {
        if self.sent {
            return &mail.to;
        }
        std::slice::from_ref(&mail.from)
    }

    fn words_in(&self, mail: &MailSummary) -> bool {
        let mut text = format!("{}\n{}", mail.subject, mail.snippet);
        for Mailbox { name, address } in self.others(mail) {
            text.push_str(&format!("\n{name}\n{address}"));
        }
        let text = text.to_lowercase();
        let mut words = self.words.iter();
        words.all(|word| text.contains(&word.to_lowercase()))
    }

    pub fn page(&self) -> usize {
        self.limit.clamp(1, Self::MOST)
    }
}
