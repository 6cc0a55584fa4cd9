//! Matches people by name, handle, address or id.

use alfred_agent::tool::ToolError;
use alfred_core::User;

use crate::fields::unclear;
use crate::fold::{every_word, fold};

pub(crate) const LISTED: usize = 10;

/// Returns the best matches: all people who match by the first rule that matches anybody.
pub(crate) fn best<'a>(people: &'a [User], query: &str) -> Vec<&'a User> {
    if let Some(id) = mentioned(query) {
        return pick(people, |user| user.slack_user_id.as_str() == id);
    }
    let plain = unlinked(query);
    let folded = fold(plain);
    if let Some(handle) = plain.strip_prefix('@') {
        return pick(people, |it| it.slack_username.eq_ignore_ascii_case(handle));
    }
    let ways: [&dyn Fn(&User) -> bool; 6] = [
        &|user| user.slack_user_id.as_str() == plain,
        &|user| !user.email.is_empty() && user.email.eq_ignore_ascii_case(plain),
        &|user| !folded.is_empty() && fold(&user.name) == folded,
        &|user| user.slack_username.eq_ignore_ascii_case(plain),
        &|user| every_word(&folded, &user.name, |part, word| part == word),
        &|user| every_word(&folded, &user.name, |part, word| part.starts_with(word)),
    ];
    let mut found = ways.iter().map(|way| pick(people, way));
    found.find(|found| !found.is_empty()).unwrap_or_default()
}

/// Returns all people who match by any rule, for callers that mustn't guess. A handle or an address matches
/// only as such; an unknown handle is tried as a name.
pub(crate) fn named<'a>(people: &'a [User], text: &str) -> Vec<&'a User> {
    let plain = unlinked(text);
    let folded = fold(plain);
    if let Some(handle) = plain.strip_prefix('@') {
        let found = pick(people, |it| it.slack_username.eq_ignore_ascii_case(handle));
        if !found.is_empty() {
            return found;
        }
    } else if plain.contains('@') {
        return pick(people, |user| user.email.eq_ignore_ascii_case(plain));
    }
    pick(people, |user| {
        user.slack_username.eq_ignore_ascii_case(plain)
            || every_word(&folded, &user.name, |part, word| part == word)
    })
}

/// The error for several matches. It lists handles, because people choose their own names.
pub(crate) fn several(field: &str, text: &str, people: &[&User]) -> ToolError {
    let handle = |user: &&User| {
        let id = user.slack_user_id.to_string();
        (format!("@{}", user.slack_username), id)
    };
    let things: Vec<_> = people.iter().take(LISTED).map(handle).collect();
    unclear(field, text, &things, people.len()).offering(people.iter().map(|user| called(user)))
}

/// Button label: the name and the unique handle.
pub(crate) fn called(user: &User) -> String {
    format!("{} (@{})", user.name, user.slack_username)
}

/// The id of `<@U012AB3CD>` or `<@U012AB3CD|ana>`.
pub(crate) fn mentioned(query: &str) -> Option<&str> {
    linked(query, "<@")
}

/// The content of `<…>` after this prefix, without Slack's label.
pub(crate) fn linked<'a>(text: &'a str, open: &str) -> Option<&'a str> {
    let inner = text.strip_prefix(open)?.strip_suffix('>')?;
    Some(inner.split('|').next().unwrap_or(inner))
}

/// Whether the text looks like a Slack id: capitals and at least one digit.
pub(crate) fn is_id(text: &str, kinds: [char; 2]) -> bool {
    let is_digit = |b: u8| b.is_ascii_digit();
    let shaped = text.bytes().all(|b| b.is_ascii_uppercase() || is_digit(b));
    text.starts_with(kinds) && shaped && text.bytes().any(is_digit)
}

/// The address of `<mailto:ana@example.com|ana@example.com>`.
pub(crate) fn unlinked(query: &str) -> &str {
    linked(query, "<mailto:").unwrap_or(query)
}

fn pick(people: &[User], fits: impl Fn(&User) -> bool) -> Vec<&User> {
    people.iter().filter(|user| fits(user)).collect()
}
