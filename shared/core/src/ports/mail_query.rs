//! Which mails are asked for.

use jiff::Timestamp;

use super::{MailStatus, MailSummary, Mailbox};

/// Which mails, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MailQuery {
    /// Only these states; all but archived ones when empty.
    pub status: Vec<MailStatus>,
    /// Only those whose sender, subject or first words hold all of these words, whatever their case.
    pub words: Vec<String>,
    /// Only those from this sender: an address, a domain, or a part of the name.
    pub from: Option<String>,
    /// What was sent, instead of what arrived: `status` selects nothing then, `from` and `words` look at whom it went
    /// to instead of who wrote it (`from` also at what stands before the `@`, since few names are written there), and
    /// what the state of such a mail is says nothing.
    pub sent: bool,
    /// Only those received at or after this.
    pub since: Option<Timestamp>,
    /// How many at most, 1–500; others are taken as the nearest of these.
    pub limit: usize,
    /// Where the page before ended.
    pub cursor: Option<String>,
}

impl MailQuery {
    /// The most mails of a page.
    pub const MOST: usize = 500;

    /// Whether it asks for this mail, which is in this state now; `limit` and `cursor` aside.
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

    /// Whether it asks for mails in this state.
    pub fn wants(&self, now: MailStatus) -> bool {
        match self.status.as_slice() {
            _ if self.sent => true,
            [] => now != MailStatus::Archived,
            states => states.contains(&now),
        }
    }

    /// Who is at the other end of a mail.
    fn others<'m>(&self, mail: &'m MailSummary) -> &'m [Mailbox] {
        match self.sent {
            true => &mail.to,
            false => std::slice::from_ref(&mail.from),
        }
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

    /// How many mails a page holds.
    pub fn page(&self) -> usize {
        self.limit.clamp(1, Self::MOST)
    }
}
