//! What people read about drafts, how they write, what is forwarded and whom they know from their mail.

/// Title of a card: a new mail that is kept as a draft.
pub fn draft_mail_title() -> &'static str {
    "Keep a draft"
}

/// Title of a card: answers that are kept as drafts.
pub fn draft_replies_title(count: usize) -> String {
    format!("Keep {}", drafts(count))
}

/// Receipt of a draft.
pub fn kept_draft(to: &str, subject: &str) -> String {
    format!("Kept a draft to {to}: \"{subject}\"")
}

/// Receipt of several drafts.
pub fn kept_drafts(count: usize, to: &str) -> String {
    format!("Kept {} to {to}", drafts(count))
}

/// Where drafts are.
pub fn in_drafts() -> &'static str {
    "your drafts"
}

/// Title of a card: drafts that are deleted.
pub fn discard_drafts_title(count: usize) -> String {
    format!("Delete {}", drafts(count))
}

/// Receipt of deleted drafts.
pub fn discarded_drafts(count: usize) -> String {
    format!("Deleted {}", drafts(count))
}

/// A draft that stays because its owner went on with it.
pub fn draft_edited() -> &'static str {
    "You have edited this draft since, so it stays."
}

/// A draft that isn't there any more.
pub fn draft_gone() -> &'static str {
    "This draft isn't there any more."
}

/// On the card of drafts that are deleted.
pub fn edited_drafts_stay() -> &'static str {
    "Those you have edited since stay."
}

/// An answer without words.
pub fn draft_says_nothing() -> &'static str {
    "There is no text for this draft."
}

/// Why a mail got no draft.
pub fn no_draft_for_doubtful(why: &str) -> String {
    format!("I kept no draft: this e-mail looks like phishing ({why}).")
}

/// The label, on a card, of where addresses come from.
pub fn from_your_mail_label() -> &'static str {
    "⚠️ From your mail"
}

/// On a card: an address that the person has written to.
pub fn known_from_sent(address: &str, day: &str) -> String {
    format!("{address}: you wrote there on {day}")
}

/// On a card: an address that somebody has written from.
pub fn known_from_received(address: &str, day: &str) -> String {
    format!(
        "{address}: they wrote to you on {day} under that name; I found no mail of yours to them"
    )
}

/// A name that several people of somebody's mail have.
pub fn several_in_your_mail(name: &str, listed: &str) -> String {
    format!("Several people in your mail are called “{name}”: {listed}. Which one do you mean?")
}

/// What stands above a mail that is passed on.
#[derive(Clone, Copy, Debug)]
pub struct Forwarded<'a> {
    /// Who wrote it.
    pub from: &'a str,
    /// When it came.
    pub at: &'a str,
    /// Its subject.
    pub subject: &'a str,
    /// To whom it went.
    pub to: &'a str,
    /// Who got a copy; may be empty.
    pub cc: &'a str,
}

/// Above a mail that is passed on, as most mail programs write it.
pub fn forwarded(mail: &Forwarded<'_>) -> String {
    let Forwarded {
        from,
        at,
        subject,
        to,
        cc,
    } = mail;
    let cc = match *cc {
        "" => String::new(),
        cc => format!("\nCc: {cc}"),
    };
    format!(
        "---------- Forwarded message ---------\nFrom: {from}\nDate: {at}\nSubject: {subject}\nTo: {to}{cc}"
    )
}

/// Title of a card: a mail that is passed on.
pub fn forward_mail_title() -> &'static str {
    "Forward an e-mail"
}

/// The label of the mail that is passed on.
pub fn forwards_label() -> &'static str {
    "Forwards"
}

/// Receipt of a mail that was passed on.
pub fn forwarded_mail(to: &str) -> String {
    format!("Forwarded an e-mail to {to}")
}

/// Too few mails to tell how somebody writes.
pub fn too_few_sent_mails(found: usize, least: usize) -> String {
    let found = match found {
        0 => "no e-mail".to_owned(),
        1 => "1 e-mail".to_owned(),
        more => format!("{more} e-mails"),
    };
    format!(
        "I found {found} of yours with enough text to tell how you write; I need at least {least}."
    )
}

/// Somebody who isn't registered any more.
pub fn not_registered_here() -> &'static str {
    "You aren't registered. An administrator can register you."
}

/// Title of a card: how somebody writes is kept.
pub fn set_tone_title() -> &'static str {
    "Remember how you write e-mails"
}

/// Title of a card: it is forgotten.
pub fn forget_tone_title() -> &'static str {
    "Forget how you write e-mails"
}

/// The labels of its parts.
pub fn tone_labels() -> [&'static str; 3] {
    ["Formality", "Sounds", "Phrases"]
}

/// A step between casual and formal.
pub fn formality(step: u8, most: u8) -> String {
    format!("{step}/{most}")
}

/// What a tone is called where it was changed since.
pub fn your_tone() -> &'static str {
    "how you write e-mails"
}

/// Receipt of a tone that was saved.
pub fn tone_saved() -> &'static str {
    "Remembered how you write e-mails"
}

/// Receipt of a tone that was deleted.
pub fn tone_forgotten() -> &'static str {
    "Forgot how you write e-mails"
}

fn drafts(count: usize) -> String {
    match count {
        1 => "1 draft".into(),
        more => format!("{more} drafts"),
    }
}
