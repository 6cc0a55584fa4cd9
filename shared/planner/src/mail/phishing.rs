//! Signs of phishing. Each can be named in a sentence, and none is taken from what a mail says about another one.

use serde::{Serialize, Serializer};
use std::fmt;

use super::MailFacts;
use super::phrases::List;

/// Why a mail looks like phishing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phishing {
    /// It shows the name or address of somebody who doesn't write from there.
    BorrowedName,
    /// A link shows another address than the one it leads to.
    DisguisedLink,
    /// It asks for a secret or for money, and leaves no time to think.
    Hurried,
    /// It asks for a secret or for money, and answers go to somebody else.
    AnswersElsewhere,
}

/// The signs in a mail; `text` is its sender's own words in lower case.
pub(super) fn signs(mail: &MailFacts, text: &str) -> Vec<Phishing> {
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

impl fmt::Display for Phishing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BorrowedName => "it shows the name of somebody who doesn't write from there",
            Self::DisguisedLink => "a link leads elsewhere than it shows",
            Self::Hurried => "it asks for a secret or money in a hurry",
            Self::AnswersElsewhere => "it asks for a secret or money, and answers go elsewhere",
        })
    }
}

impl Serialize for Phishing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
