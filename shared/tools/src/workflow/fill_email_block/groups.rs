//! Which group of a triage each mail stands in: exactly one.

use super::Changes;
use crate::email::EmailView;
use crate::email::batch_categorize::Row;
use crate::prelude::*;
use alfred_planner::MailCategory;

/// A score above this is urgent (seed 003).
const URGENT_SCORE: u8 = 80;

/// A mail as the card names it.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Mail {
    pub id: String,
    pub from: String,
    pub subject: String,
    /// What else is to be known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

/// Mails of one kind: the first of them, and how many there are beside.
#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Group {
    pub mails: Vec<Mail>,
    pub more: usize,
}

/// What is done about a mail, or would be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Urgent,
    Answer,
    Task,
    Read,
    Archive,
    /// It would be archived if it weren't wanted otherwise.
    Stays,
}

/// What decides about a mail beside what it says.
pub(super) struct Wanted<'a> {
    pub changes: &'a Changes,
    /// Ids that its owner left out of an earlier proposal.
    pub without: &'a [String],
    /// Whether other people's words may have shaped the changes: they can make a mail urgent, but what is urgent
    /// is then neither archived nor taken for anything else.
    pub tainted: bool,
}

impl Wanted<'_> {
    /// Where a mail stands.
    pub fn place(&self, mail: &Mail, row: &Row) -> Place {
        let changes = self.changes;
        if self.archives(mail, row) {
            return Place::Archive;
        }
        if self.is_urgent(mail, row) {
            return Place::Urgent;
        }
        match row.category {
            MailCategory::CanArchive if self.keeps(mail) || changes.nothing_else => Place::Stays,
            MailCategory::CanArchive => Place::Archive,
            MailCategory::NeedsReply => Place::Answer,
            MailCategory::PotentialTask => Place::Task,
            MailCategory::ImportantInfo => Place::Read,
        }
    }

    /// Whether it stays as it is.
    pub fn keeps(&self, mail: &Mail) -> bool {
        self.without.contains(&mail.id) || named(&self.changes.keep, mail)
    }

    /// Whether it is marked, being urgent.
    pub fn marks(&self, mail: &Mail) -> bool {
        let Changes {
            urgent,
            not_urgent,
            nothing_else,
            ..
        } = self.changes;
        let wanted = named(urgent, mail) || !nothing_else;
        wanted && !self.keeps(mail) && !named(not_urgent, mail)
    }

    /// Whether it would be archived by name, were it not urgent in a run that has read others' words.
    pub fn is_held(&self, mail: &Mail, row: &Row) -> bool {
        named(&self.changes.archive, mail) && !self.keeps(mail) && !self.archives(mail, row)
    }

    fn archives(&self, mail: &Mail, row: &Row) -> bool {
        let held = self.tainted && self.is_urgent(mail, row);
        named(&self.changes.archive, mail) && !self.keeps(mail) && !held
    }

    fn is_urgent(&self, mail: &Mail, row: &Row) -> bool {
        if !row.phishing.is_empty() {
            return false;
        }
        let waits = named(&self.changes.not_urgent, mail) && !self.tainted;
        named(&self.changes.urgent, mail) || row.urgency_score > URGENT_SCORE && !waits
    }
}

impl Group {
    /// The first of these.
    pub fn of(mut mails: Vec<Mail>, most: usize) -> Self {
        let more = mails.len().saturating_sub(most);
        mails.truncate(most);
        Self { mails, more }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.mails.len() + self.more
    }
}

fn named(names: &[String], mail: &Mail) -> bool {
    names.iter().any(|words| mail.is(words))
}

impl Mail {
    pub fn label(&self) -> String {
        format!("{}: {}", self.from, self.subject)
    }

    /// The address alone, in lower case.
    pub fn sender(&self) -> String {
        let address = self.from.rsplit_once('<');
        let address = address.map_or(self.from.as_str(), |(_, rest)| rest);
        address.trim_end_matches('>').trim().to_lowercase()
    }

    /// Whether it is meant: by its id, or by words that all stand in its label.
    pub fn is(&self, meant: &str) -> bool {
        let (own, words) = (self.label().to_lowercase(), meant.to_lowercase());
        let mut words = words.split_whitespace().peekable();
        self.id == meant || words.peek().is_some() && words.all(|word| own.contains(word))
    }
}

impl From<&EmailView> for Mail {
    fn from(mail: &EmailView) -> Self {
        Self {
            id: mail.id.to_string(),
            from: mail.from.clone(),
            subject: mail.subject.clone(),
            remark: None,
        }
    }
}
