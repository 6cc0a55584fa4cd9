//! Puts each mail into exactly one group of a triage.

use super::Changes;
use crate::email::batch_categorize::Row;
use crate::prelude::*;
use alfred_planner::MailCategory;
use alfred_planner::patterns::{Pattern, What};

/// A mail with a higher score is urgent.
const URGENT_SCORE: u8 = 80;
/// Most urgent mails that are named and marked.
const URGENT: usize = 5;
/// Most mails named in a group without an action.
const NAMED: usize = 10;

#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Mail {
    pub id: String,
    pub from: String,
    pub subject: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

/// The first mails of a kind, and how many more there are.
#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Group {
    pub place: Section,
    pub mails: Vec<Mail>,
    pub more: usize,
}

/// In the order of the card.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Section {
    Urgent,
    Answer,
    Task,
    Read,
    Archive,
    /// It would be archived without the person's changes or habits.
    Stays,
}

pub(super) struct Wanted<'a> {
    pub changes: &'a Changes,
    /// Ids that the owner left out of an earlier proposal.
    pub without: &'a [String],
    /// Whether other people's words may have shaped the changes. Then changes can make a mail urgent, but
    /// can't archive or demote an urgent one.
    pub tainted: bool,
    /// Habits about proposals.
    pub known: &'a [Pattern],
}

impl Wanted<'_> {
    pub fn place(&self, mail: &Mail, row: &Row) -> Section {
        let changes = self.changes;
        if self.archives(mail, row) {
            return Section::Archive;
        }
        if self.is_urgent(mail, row) {
            return Section::Urgent;
        }
        match row.category {
            MailCategory::CanArchive if self.keeps(mail) || changes.nothing_else => Section::Stays,
            MailCategory::CanArchive if self.habit(mail, row).is_some() => Section::Stays,
            MailCategory::CanArchive => Section::Archive,
            MailCategory::NeedsReply => Section::Answer,
            MailCategory::PotentialTask => Section::Task,
            MailCategory::ImportantInfo => Section::Read,
        }
    }

    /// The habit of keeping this mail, which would be archived otherwise.
    pub fn habit(&self, mail: &Mail, row: &Row) -> Option<&Pattern> {
        let sender = mail.sender();
        let is_kept =
            |habit: &&Pattern| matches!(&habit.what, What::KeepsMail(kept) if *kept == sender);
        let habit = self.known.iter().find(is_kept)?;
        let asked =
            self.keeps(mail) || named(&self.changes.archive, mail) || self.changes.nothing_else;
        let is_due = row.category == MailCategory::CanArchive && !self.is_urgent(mail, row);
        (is_due && !asked).then_some(habit)
    }

    pub fn keeps(&self, mail: &Mail) -> bool {
        self.without.contains(&mail.id) || named(&self.changes.keep, mail)
    }

    pub fn marks(&self, mail: &Mail) -> bool {
        let changes = self.changes;
        let wanted = named(&changes.urgent, mail) || !changes.nothing_else;
        wanted && !self.keeps(mail) && !named(&changes.not_urgent, mail)
    }

    /// Whether archiving was wanted but is refused, because the mail is urgent and the run tainted.
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
    /// Names all mails to archive, and the first of the others.
    pub fn new(place: Section, mut mails: Vec<Mail>) -> Self {
        let most = match place {
            Section::Urgent => URGENT,
            Section::Archive => mails.len(),
            Section::Answer | Section::Task | Section::Read | Section::Stays => NAMED,
        };
        let more = mails.len().saturating_sub(most);
        mails.truncate(most);
        Self { place, mails, more }
    }

    pub fn unremarked(&self) -> impl Iterator<Item = &Mail> {
        self.mails.iter().filter(|mail| mail.remark.is_none())
    }

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

    /// Whether it is named by its id, or by words that are all in its label.
    pub fn is(&self, meant: &str) -> bool {
        let (own, words) = (self.label().to_lowercase(), meant.to_lowercase());
        let mut words = words.split_whitespace().peekable();
        self.id == meant || words.peek().is_some() && words.all(|word| own.contains(word))
    }
}
