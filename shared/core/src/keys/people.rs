use crate::id::{SessionId, TeamId, UserId};
use crate::ports::Key;

pub fn users(team: &TeamId) -> String {
    format!("{team}#users")
}

pub fn user(team: &TeamId, user: &UserId) -> Key {
    Key::state(users(team), user.as_str())
}

pub fn spend(team: &TeamId, user: &UserId) -> Key {
    Key::state(users(team), format!("{user}#spend"))
}

/// The usage of a person's scheduled runs today. The key sorts between the person and `spend`, so
/// that one query reads all.
pub fn scheduled_spend(team: &TeamId, user: &UserId) -> Key {
    Key::state(users(team), format!("{user}#scheduled"))
}

/// A trusted program from a folder, by the digest of all its files.
pub fn trusted(team: &TeamId, user: &UserId, digest: &str) -> Key {
    Key::state(format!("{team}#{user}#trusted"), digest)
}

/// The uploaded picture of the day on a person's Home tab.
pub fn home_picture(team: &TeamId, user: &UserId) -> Key {
    Key::state(format!("{team}#{user}#home"), "picture")
}

/// The switch with which an administrator pauses all effects.
pub fn effects_switch(team: &TeamId) -> Key {
    Key::state(format!("{team}#switch"), "effects")
}

pub fn session(team: &TeamId, user: &UserId, session: &SessionId) -> Key {
    let place = place(team, user, session);
    Key::state(format!("{team}#{user}#sessions"), place)
}

/// The last corrupt row of a conversation.
pub fn session_set_aside(team: &TeamId, user: &UserId, session: &SessionId) -> Key {
    let place = place(team, user, session);
    Key::state(format!("{team}#{user}#sessions-set-aside"), place)
}

pub(super) fn place<'a>(team: &TeamId, user: &UserId, session: &'a SessionId) -> &'a str {
    let prefix = format!("{team}/{user}/");
    let place = session.as_str().strip_prefix(&prefix);
    place.unwrap_or(session.as_str())
}
