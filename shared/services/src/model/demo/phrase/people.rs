//! People and preferences in words.

use serde_json::Value;

use super::{bullets, list, number, plain, shown, spaced, text, with_note};

fn person(user: &Value) -> String {
    let mut facts: Vec<String> = ["handle", "email", "timezone", "role"]
        .iter()
        .map(|name| text(user, name))
        .filter(|fact| !fact.is_empty() && *fact != "@")
        .map(str::to_owned)
        .collect();
    let name = text(user, "name");
    if name.is_empty() {
        return facts.join(", ");
    }
    facts.insert(0, format!("**{name}**"));
    facts.join(", ")
}

pub(super) fn user_list(data: &Value) -> String {
    let users = list(data, "users");
    let total = number(data, "total").map_or(users.len(), |total| total as usize);
    let head = match total {
        0 => return "Nobody is registered yet.".into(),
        1 => "One person is registered:".into(),
        n => format!("{n} people are registered:"),
    };
    with_note(
        format!("{head}{}", bullets(users.iter().map(person))),
        data.get("note"),
    )
}

pub(super) fn user_lookup(data: &Value) -> String {
    if let Some(user) = data.get("user") {
        return format!("{}.", person(user));
    }
    let candidates = list(data, "candidates");
    format!(
        "Several people fit. Whom do you mean?{}",
        bullets(candidates.iter().map(person))
    )
}

pub(super) fn preferences(data: &Value) -> String {
    let Some(changed) = data.get("changed").and_then(Value::as_object) else {
        return plain(data);
    };
    let changes: Vec<String> = changed
        .iter()
        .map(|(name, value)| match (value.get("from"), value.get("to")) {
            (Some(from), Some(to)) => {
                format!("{}: {} (was {})", spaced(name), shown(to), shown(from))
            }
            _ => format!("{}: {}", spaced(name), shown(value)),
        })
        .collect();
    format!("Your preferences are updated. {}.", changes.join("; "))
}
