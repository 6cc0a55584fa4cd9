//! What people read about their mail: titles and lines of cards, receipts.

use crate::ports::PageError;

/// Title of a card: an answer to a mail.
pub fn send_reply_title() -> &'static str {
    "Send an e-mail reply"
}

/// Title of a card: a new mail.
pub fn send_mail_title() -> &'static str {
    "Send an e-mail"
}

/// Receipt of a new mail.
pub fn sent_mail(to: &str) -> String {
    format!("Sent an e-mail to {to}")
}

/// Before the files that go out with a mail.
pub fn files_label() -> &'static str {
    "Files"
}

/// A file on a card.
pub fn file_of_size(name: &str, bytes: usize) -> String {
    format!("{name} ({})", size(bytes))
}

/// More files than a mail takes.
pub fn too_many_files(most: usize) -> String {
    format!("A mail takes {most} files at most.")
}

/// Files that are larger together than a mail takes.
pub fn files_too_large(most: &str) -> String {
    format!("The files are too large for a mail: {most} together at most.")
}

/// A file that somebody shared couldn't be read.
pub fn shared_file_not_read(why: &str) -> String {
    format!("can't go along: {why}.")
}

/// A file that somebody shared was deleted since.
pub fn shared_file_gone() -> &'static str {
    "isn't kept any more. Share it again, and I can send it."
}

/// A number of bytes, rounded up.
pub fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        _ => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}

/// Title of a card: the request to leave a mailing list.
pub fn unsubscribe_title() -> &'static str {
    "Ask to leave a mailing list"
}

/// Receipt of the request to leave a mailing list.
pub fn asked_to_unsubscribe(to: &str) -> String {
    format!("Asked {to} to take you off its list")
}

/// On a card: what becomes of a page by which a list is left.
pub fn asks_page_once(host: &str) -> String {
    format!("one request to {host}; nothing on the page is read")
}

/// Why the page of a list didn't take somebody off it.
pub fn list_not_left(why: &PageError) -> String {
    match why {
        PageError::Inward => {
            "The page of this list lies in a private network, so I don't open it.".into()
        }
        PageError::Status(_) | PageError::NotFound | PageError::TooManyRedirects => {
            "The page of this list didn't confirm that you are off it. The link in the mail may do it.".into()
        }
        PageError::NotSetUp => "I can't open the pages of lists here. Use the link in the mail.".into(),
        _ => "I can't reach the page of this list at the moment. Nothing was asked of it.".into(),
    }
}

/// On a card, somebody who gets a copy.
pub fn gets_copy(shown: &str) -> String {
    format!("{shown} (copy)")
}

/// Above the mail that an answer quotes: who wrote it when.
pub fn wrote(at: &str, who: &str) -> String {
    format!("On {at}, {who} wrote:")
}

/// On a card: that the mail which is answered stands below the answer.
pub fn quotes_original() -> &'static str {
    "the e-mail it answers, below your text, each line behind “>”"
}

/// On a card: what becomes of the mail that was answered.
pub fn then_processed() -> &'static str {
    "the e-mail is marked as processed"
}

/// Receipt of an answer to a mail.
pub fn sent_reply(to: &str) -> String {
    format!("Sent an e-mail reply to {to}")
}

/// Receipt of one archived mail.
pub fn archived_mail(subject: &str) -> String {
    format!("Archived \"{subject}\"")
}

/// Receipt of archived mails.
pub fn archived_mails(count: usize) -> String {
    format!("Archived {}", mails(count))
}

/// The title of a card.
pub fn archive_mails_title(count: usize) -> String {
    format!("Archive {}", mails(count))
}

/// The title of a card.
pub fn restore_mails_title(count: usize) -> String {
    format!("Put {} back", mails(count))
}

/// The title of a card.
pub fn mark_mails_title(count: usize) -> String {
    format!("Mark {} for processing", mails(count))
}

/// Receipt of mails that are to be dealt with.
pub fn marked_mails(count: usize) -> String {
    format!("Marked {} for processing", mails(count))
}

/// The label of a warning on a card.
pub fn careful() -> &'static str {
    "⚠️ Careful"
}

/// Of a mail that may not be what it says: on a card, at the head of a task, for a model that reads it.
pub fn mail_may_pretend(why: &str) -> String {
    format!("This e-mail looks like phishing: {why}.")
}

/// Receipt of a task made of such a mail.
pub fn task_of_doubtful_mail(title: &str) -> String {
    format!("Created task \"{title}\" (its e-mail looks like phishing)")
}

/// A mail of a card that is gone.
pub fn mail_not_there(id: &str) -> String {
    format!("{id} (no such e-mail)")
}

/// Receipt of mails that are out of the archive again.
pub fn restored_mails(count: usize) -> String {
    format!("Restored {}", mails(count))
}

/// Where archived and restored mails are.
pub fn in_mailbox() -> &'static str {
    "your mailbox"
}

pub(crate) fn mails(count: usize) -> String {
    match count {
        1 => "1 e-mail".into(),
        more => format!("{more} e-mails"),
    }
}

/// A mail that can't be found, as the reason beside its id.
pub fn no_such_mail() -> &'static str {
    "There is no such e-mail in your mailbox."
}

/// A mail that isn't marked to be dealt with, as the reason beside its id.
pub fn mail_dealt_with() -> &'static str {
    "It was dealt with or archived already."
}

/// Files of a mailbox that are no mail.
pub fn mails_unreadable(count: usize) -> String {
    match count {
        1 => "1 file of your mailbox can't be read as a mail.".into(),
        more => format!("{more} files of your mailbox can't be read as mails."),
    }
}

/// A mail whose state couldn't be changed.
pub fn mailbox_not_reached() -> &'static str {
    "Your mailbox didn't answer; please check and try again."
}

/// A task made of a mail without a subject.
pub fn untitled_mail_task(from: &str) -> String {
    let title = format!("E-mail from {from}");
    title.chars().take(200).collect()
}

/// At the end of a task's description: which mail it was made of.
pub fn task_source(from: &str, subject: &str, id: &str) -> String {
    format!("From: {from}\nSubject: {subject}\nE-mail: {id}")
}

/// Somebody whose address is no longer known.
pub fn somebody() -> &'static str {
    "the sender"
}
