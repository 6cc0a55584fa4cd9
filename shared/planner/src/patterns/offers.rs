//! What is taken of proposals, and who gets answers.

use jiff::civil::Date;
use std::collections::BTreeMap;

use super::found::{Example, Pattern, What};

/// Something that was proposed and decided about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// On which day.
    pub date: Date,
    /// What.
    pub what: Offered,
    /// Whether the person took it.
    pub taken: bool,
    /// Whether words its owner didn't write are in it.
    pub tainted: bool,
}

/// What was proposed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Offered {
    /// A task for a work block.
    Task {
        /// Its id.
        id: String,
        /// Its title.
        title: String,
    },
    /// To archive a mail from this address.
    Archiving(String),
}

/// A mail that the person has dealt with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// When it came.
    pub date: Date,
    /// From which address.
    pub sender: String,
    /// Whether it was answered.
    pub answered: bool,
}

pub(super) fn find(offers: &[Offer], answers: &[Answer]) -> Vec<Pattern> {
    let mut found = taken(offers);
    found.extend(answered(answers));
    found
}

fn taken(offers: &[Offer]) -> Vec<Pattern> {
    let mut things: BTreeMap<Key, Vec<&Offer>> = BTreeMap::new();
    for offer in offers {
        things
            .entry(Key::from_offered(&offer.what))
            .or_default()
            .push(offer);
    }
    let pattern = |offers: Vec<&Offer>| {
        let newest = offers.iter().max_by_key(|offer| offer.date)?;
        let (kept, taken): (Vec<&Offer>, Vec<&Offer>) =
            offers.iter().partition(|offer| !offer.taken);
        let (what, agreeing, said) = match &newest.what {
            Offered::Task { id, title } => {
                let (id, title) = (id.clone(), title.clone());
                (
                    What::LeavesTask { id, title },
                    kept,
                    "left out of a proposal",
                )
            }
            Offered::Archiving(sender) if kept.len() >= taken.len() => {
                (What::KeepsMail(sender.clone()), kept, "not archived")
            }
            Offered::Archiving(sender) => (
                What::ArchivesMail(sender.clone()),
                taken,
                "archived as proposed",
            ),
        };
        let example = |offer: &Offer| Example::own(offer.date, said).tainted_if(offer.tainted);
        let agreeing = agreeing.into_iter().map(example).collect();
        Pattern::from_examples(what, agreeing, offers.len())
    };
    things.into_values().filter_map(pattern).collect()
}

/// What makes two proposals the same thing: a title may have changed meanwhile.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key<'a> {
    Task(&'a str),
    Sender(&'a str),
}

impl<'a> Key<'a> {
    fn from_offered(what: &'a Offered) -> Self {
        match what {
            Offered::Task { id, .. } => Self::Task(id),
            Offered::Archiving(sender) => Self::Sender(sender),
        }
    }
}

fn answered(answers: &[Answer]) -> Vec<Pattern> {
    let mut senders: BTreeMap<&str, Vec<&Answer>> = BTreeMap::new();
    for answer in answers {
        senders.entry(&answer.sender).or_default().push(answer);
    }
    let pattern = |(sender, all): (&str, Vec<&Answer>)| {
        let answered = all.iter().filter(|answer| answer.answered);
        let example = |answer: &&Answer| Example::own(answer.date, "answered").tainted_if(true);
        let agreeing = answered.map(example).collect();
        Pattern::from_examples(What::AnswersMail(sender.to_owned()), agreeing, all.len())
    };
    senders.into_iter().filter_map(pattern).collect()
}
