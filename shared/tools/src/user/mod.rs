pub mod list;
pub mod lookup;

pub(crate) mod matching;
pub(crate) mod people;

use alfred_agent::store::users;
use alfred_agent::tool::Toolset;
use alfred_core::user::DayPreferences;
use alfred_core::{Role, User};

use crate::prelude::*;

pub const TOOLSET: Toolset = Toolset::new(
    "user",
    "colleagues: who they are, addresses",
    "is looking people up…",
    "That",
    "look people up",
);

/// Public data of a person, without preferences and accounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Person {
    name: String,
    handle: String,
    email: String,
    timezone: String,
    role: Role,
}

impl From<&User> for Person {
    fn from(user: &User) -> Self {
        Self {
            name: user.name.clone(),
            handle: format!("@{}", user.slack_username),
            email: user.email.clone(),
            timezone: user.timezone.clone(),
            role: user.role,
        }
    }
}

pub(crate) async fn day_preferences(context: &ToolContext) -> Result<DayPreferences, ToolError> {
    let stored = users::get(&*context.store, &context.team, context.user_id()).await?;
    Ok(stored.map_or_else(DayPreferences::default, |found| found.user.preferences.day))
}

/// Active people, sorted by name.
pub(crate) async fn active(context: &ToolContext) -> Result<Vec<User>, ToolError> {
    let stored = users::list(context.store.as_ref(), &context.team).await?;
    let mut people: Vec<User> = stored
        .into_iter()
        .map(|stored| stored.user)
        .filter(|user| user.is_active)
        .collect();
    people.sort_by_cached_key(|user| (user.name.to_lowercase(), user.slack_user_id.clone()));
    Ok(people)
}
