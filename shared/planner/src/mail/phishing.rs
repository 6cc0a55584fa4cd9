//! Signs of phishing. Each has a sentence that names it. Quoted and forwarded text is ignored.

use super::MailFacts;
use super::phrases::List;
use crate::words;

words! {
    /// Why a mail looks like phishing, in words.
    Phishing {
        BorrowedName = "it shows the name of somebody who doesn't write from there",
        DisguisedLink = "a link leads elsewhere than it shows",
        Hurried = "it asks for a secret or money in a hurry",
        AnswersElsewhere = "it asks for a secret or money, and answers go elsewhere",
    }
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
