//! What a block is for.

/// The type of a block by the words of its title.
pub(super) fn kind(title: &str, verb: &[&str]) -> &'static str {
    let low = title.to_lowercase();
    let says = |list: &[&str]| {
        low.split(|c: char| !c.is_alphanumeric() && c != '-' && c != ':')
            .any(|word| list.contains(&word))
    };
    if says(&[
        "break",
        "coffee",
        "lunch",
        "rest",
        "walk",
        "nap",
        "pause",
        "tea",
        "breakfast",
        "dinner",
    ]) {
        "break"
    } else if says(&[
        "email", "e-mail", "emails", "e-mails", "inbox", "mail", "mails",
    ]) {
        "email"
    } else if says(&[
        "meeting",
        "call",
        "sync",
        "1:1",
        "standup",
        "stand-up",
        "interview",
        "catch-up",
        "catchup",
        "chat",
        "workshop",
        "demo",
        "appointment-with",
        "huddle",
    ]) {
        "meeting"
    } else if low.is_empty()
        || says(&[
            "dentist",
            "doctor",
            "gym",
            "appointment",
            "haircut",
            "school",
            "kids",
            "travel",
            "commute",
            "vacation",
            "holiday",
            "private",
            "personal",
            "therapist",
            "errand",
            "errands",
            "yoga",
            "train",
            "pickup",
            "unavailable",
            "busy",
            "workout",
            "run",
            "sport",
            "hairdresser",
            "physio",
            "church",
            "party",
            "birthday",
            "family",
        ])
    {
        // Without any words only "block" means that nothing else fits in.
        if low.is_empty() && verb.first() != Some(&"block") {
            "work"
        } else {
            "blocked"
        }
    } else {
        "work"
    }
}

/// What a block of this type is called when nothing was said.
pub(super) fn default_title(kind: &str) -> String {
    match kind {
        "break" => "Break",
        "meeting" => "Meeting",
        "email" => "E-mail",
        "blocked" => "Blocked",
        _ => "Work",
    }
    .into()
}
