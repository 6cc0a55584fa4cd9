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

/// What was proposed; what is the same is called the same.
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
    let mut things: BTreeMap<&Offered, Vec<&Offer>> = BTreeMap::new();
    for offer in offers {
        things.entry(&offer.what).or_default().push(offer);
    }
    let pattern = |(offered, offers): (&Offered, Vec<&Offer>)| {
        let (kept, taken): (Vec<&Offer>, Vec<&Offer>) =
            offers.iter().partition(|offer| !offer.taken);
        let (what, agreeing, said) = match offered {
            Offered::Task { id, title } => {
                let (id, title) = (id.clone(), title.clone());
                let what = What::LeavesTask { id, title };
                (what, kept, "left out of a proposal")
            }
            Offered::Archiving(sender) if kept.len() >= taken.len() => {
                (What::KeepsMail(sender.clone()), kept, "not archived")
            }
            Offered::Archiving(sender) => {
                let what = What::ArchivesMail(sender.clone());
                (what, taken, "archived as proposed")
            }
        };
        let example = |offer: &Offer| Example::own(offer.date, said).tainted_if(offer.tainted);
        let agreeing = agreeing.into_iter().map(example).collect();
        Pattern::from_examples(what, agreeing, offers.len())
    };
    things.into_iter().filter_map(pattern).collect()
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
