//! Why mail or a calendar won't do something.

/// A mail to nobody.
#[must_use]
pub fn mail_to_nobody() -> String {
    "The mail has no recipient (`to`).".into()
}

/// What is no address; `field` is where it stands.
#[must_use]
pub fn no_address(field: &str, address: &str) -> String {
    format!("`{field}`: \u{201c}{address}\u{201d} is no e-mail address.")
}

/// A page's cursor that no list gave.
#[must_use]
pub fn unknown_cursor() -> String {
    "`cursor`: it belongs to no list; please start from the first page.".into()
}

/// An event that ends before it starts, or at once.
#[must_use]
pub fn event_ends_first() -> String {
    "`span`: the event must end after it starts.".into()
}

/// A time zone nobody knows.
#[must_use]
pub fn unknown_zone(name: &str) -> String {
    format!("`time_zone`: I don't know the time zone \u{201c}{name}\u{201d}.")
}

/// Another person's event.
#[must_use]
pub fn not_your_event(title: &str) -> String {
    format!("Somebody else organises \u{201c}{title}\u{201d}; only they can move or cancel it.")
}

/// An event that isn't there.
#[must_use]
pub fn event_gone() -> String {
    "The event isn't in the calendar any more.".into()
}
