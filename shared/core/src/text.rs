//! Text that several crates show to people or models. All other text is written next to the code that uses it.

use jiff::civil::DateTime;

use crate::ports::{AccountService, Frequency, Provider, Recurrence, RepeatEnd};
use crate::user::Role;

pub const NOT_RECOGNISED: &str = "I don't recognise you yet. Please ask an administrator to register you, then write to me again.";
pub const SAY_SOMETHING: &str = "Your message was empty. What can I do for you?";
pub const UNEXPECTED: &str =
    "Something went wrong on my side, and it has been noted. Please try again.";
pub const STOPPED: &str = "Stopped, as you asked.";
pub const STATUS_THINKING: &str = "is thinking…";
pub const CHAT_BEGINS_ANEW: &str = "All right, from the beginning: what we said here is forgotten.";
pub const DONE: &str = "Done.";
pub const NOT_ASKED_RIGHTLY: &str =
    "I couldn't turn that into a valid request. Please put it in other words.";
pub const NOTHING_LEFT: &str =
    "nothing would be left to do; press Cancel if that is what you want.";
pub const DRIFTED: &str =
    "Not done: something has changed since the approval. Please ask me again.";
pub const NOTHING_CHANGED: &str = "Nothing was sent or changed.";

pub const NOTHING_WAITS: &str = "Nothing waits for you.";
pub const WAITS_FOR_YOU: &str = "Waiting for your decision.";
pub const WHICH_ONE: &str = "Several things wait for you here. Press the button on the card of the one you mean, or answer in its card's thread:";
pub const NO_SUCH_APPROVAL: &str = "I can't find that any more. Please ask me again.";
pub const ALREADY_DECIDED: &str =
    "That has been decided already, or was replaced by an edit. Nothing more was done.";
pub const TOO_LATE: &str =
    "That approval has expired, so nothing was done. You can renew it on its card.";
pub const NOT_YOUR_DECISION: &str =
    "Only the person who asked for this can decide about it. Nothing was done.";

pub const RECIPIENTS_LABEL: &str = "To";
pub const LINES_LABEL: &str = "Lines";
pub const CAREFUL: &str = "⚠️ Careful";
// Titles of modals; Slack takes 24 characters.
pub const MODIFY_TITLE: &str = "Modify the proposal";
pub const EDIT_TITLE: &str = "Edit before approval";
pub const REJECT_TITLE: &str = "Reject";

pub const CONNECT_NOT_NOW: &str =
    "That didn't work just now, and nothing changed. Please try again in a minute.";
pub const MAIL_SERVER_LOGIN: &str = "The mail server doesn't accept the sign-in, so nothing was sent; please ask an administrator to check it.";
pub const NO_MAIL_IN_FILE: &str =
    "The file isn't a mail: it has no sender, recipient, subject or date.";
pub const UNKNOWN_CURSOR: &str =
    "`cursor`: it belongs to no list; please start from the first page.";
pub const SERVERS_NO_CALENDAR: &str = "The calendar server has no calendar at that address.";

pub const EVENT_GONE: &str = "The event isn't in the calendar any more.";
pub const EVENT_NOT_READ: &str = "The event can't be read.";
pub const SERIES_NOT_CHANGED: &str =
    "A whole series can't be moved or changed; single dates of it can.";
pub const UNTITLED_EVENT: &str = "Untitled event";

pub const TITLE_MISSING: &str =
    "The title is empty, or has nothing that could be the name of a file.";
pub const DOCUMENT_CHANGED: &str =
    "The document was changed in the meantime, so nothing was done. Please look at it again.";
pub const DOCUMENT_GONE: &str = "The document isn't there any more.";
pub const DOCUMENT_READ_ONLY: &str = "This document can only be read here.";
pub const DOCUMENT_UNREADABLE: &str =
    "The file is damaged, or isn't what its name says, so it can't be read.";
pub const SHEET_GONE: &str = "The sheet isn't there any more.";
pub const SHEET_READ_ONLY: &str = "This sheet can only be read here.";
pub const CELLS_CHANGED: &str =
    "These cells were changed in the meantime, so nothing was done. Please look at them again.";
pub const CELLS_TOO_FAR: &str = "These cells are too far outside of what the sheet holds.";

/// The first character of a receipt's line.
pub const RECEIPT: char = '✓';

/// The text with single spaces instead of line ends and other white space.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Formats a local time like "Tue 24 Nov 09:00".
pub fn local_moment(at: DateTime) -> String {
    at.strftime("%a %-d %b %H:%M").to_string()
}

/// Formats a number of bytes, rounded up: "12 kB".
pub fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        _ => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}

/// Minutes of a task; the second number is the whole task, of which the first may be a part.
pub fn minutes_of(minutes: u32, of: u32) -> String {
    if minutes == of {
        format!("{of} min")
    } else {
        format!("{minutes} of {of} min")
    }
}

/// Refuses what a role doesn't allow, and names the permission and an alternative.
pub fn denied(what: &str, instead: &str, needs: Role, has: Role) -> String {
    format!(
        "{what} needs the permission of {}, and you are {}. An administrator can give it to you; meanwhile I can {instead} for you.",
        with_article(needs),
        with_article(has)
    )
}

pub fn with_article(role: Role) -> &'static str {
    match role {
        Role::Admin => "an administrator",
        Role::Member => "a member",
        Role::Guest => "a guest",
    }
}

pub fn changed_since_then(name: &str) -> String {
    format!("“{name}” was changed since; I left it.")
}

pub fn account_services(services: &[AccountService]) -> String {
    let words: Vec<&str> = services.iter().map(|one| account_service(*one)).collect();
    words.join(", ")
}

fn account_service(service: AccountService) -> &'static str {
    match service {
        AccountService::Mail => "reading and sorting mail",
        AccountService::MailSend => "sending mail",
        AccountService::Calendar => "calendar",
        AccountService::Documents => "documents",
        AccountService::Sheets => "sheets",
    }
}

pub fn account_not_connected(service: AccountService) -> String {
    let (account, none) = match service {
        AccountService::Mail | AccountService::MailSend => ("e-mail account", "one"),
        AccountService::Calendar => ("calendar", "one"),
        AccountService::Documents => ("documents", "them"),
        AccountService::Sheets => ("sheets", "them"),
    };
    format!("That needs your {account}, and you haven't connected {none} yet.")
}

pub fn account_expired(service: AccountService) -> String {
    let what = account_service(service);
    format!("My access to your account ({what}) has ended; please connect it again.")
}

pub fn account_not_granted(service: AccountService) -> String {
    let what = account_service(service);
    format!(
        "Your account is connected, but without {what}; please connect it again and allow that."
    )
}

/// Follows a sentence that says what can't be connected.
pub fn how_to_set_up_accounts(for_role: Role) -> &'static str {
    match for_role {
        Role::Admin => {
            "How to set that up: docs/google.md, docs/microsoft.md and docs/mail-servers.md."
        }
        Role::Member | Role::Guest => "Please ask an administrator to set that up.",
    }
}

pub fn connect_button(provider: Provider) -> String {
    format!("Connect {}", provider.shown())
}

pub fn client_not_accepted(provider: Provider) -> String {
    format!(
        "{} doesn't accept this deployment of Alfred; please ask an administrator to check its client's settings.",
        provider.shown()
    )
}

pub fn no_address(field: &str, address: &str) -> String {
    format!("`{field}`: \u{201c}{address}\u{201d} is no e-mail address.")
}

pub fn not_invited(title: &str) -> String {
    format!("You aren't invited to \u{201c}{title}\u{201d}, so there is nothing to answer.")
}

pub fn not_your_event(title: &str) -> String {
    format!("Somebody else organises \u{201c}{title}\u{201d}; only they can change or cancel it.")
}

pub fn event_without(field: &str) -> String {
    format!("`{field}` is missing or can't be read.")
}

pub fn outlook_tells_guests(title: &str) -> String {
    format!(
        "Outlook tells everybody who is invited to \u{201c}{title}\u{201d} when it moves or is cancelled, so I can't do that quietly. I can do it and let them know."
    )
}

/// How a meeting repeats: "every 2 weeks on Monday and Wednesday, 10 times".
pub fn repeats(rule: &Recurrence) -> String {
    let step = match rule.frequency {
        Frequency::Daily => "day",
        Frequency::Weekly => "week",
        Frequency::Monthly => "month",
    };
    let every = match rule.interval {
        1 => format!("every {step}"),
        many => format!("every {many} {step}s"),
    };
    let days: Vec<String> = rule.days.iter().map(|day| format!("{day:?}")).collect();
    let on = match days.as_slice() {
        [] => String::new(),
        [one] => format!(" on {one}"),
        [first @ .., last] => format!(" on {} and {last}", first.join(", ")),
    };
    match rule.end {
        RepeatEnd::Never => format!("{every}{on}, without an end"),
        RepeatEnd::After(count) => format!("{every}{on}, {count} times"),
        RepeatEnd::On(last) => format!("{every}{on}, until {}", last.strftime("%-d %b %Y")),
    }
}

pub fn no_such_tab(name: &str) -> String {
    format!("The sheet has no tab \u{201c}{name}\u{201d}.")
}

pub fn values_dont_fit(rows: u32, columns: u32) -> String {
    let rows = if rows == 1 {
        "a row".to_owned()
    } else {
        format!("{rows} rows")
    };
    format!("The values don't fit: these cells are {rows} of {columns}.")
}
