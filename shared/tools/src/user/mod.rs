pub mod list;
pub mod lookup;

pub(crate) mod matching;
pub(crate) mod people;

use alfred_agent::store::users;
use alfred_core::User;
use alfred_core::user::DayPreferences;

use crate::prelude::*;

pub const TOOLSET: Toolset = Toolset::new(
    "user",
    "colleagues: who they are, addresses",
    "is looking people up…",
    "That",
    "look people up",
);

/// Public data of a person, without preferences and accounts.
fn person(user: &User) -> Value {
    json!({
        "name": user.name,
        "handle": format!("@{}", user.slack_username),
        "email": user.email,
        "timezone": user.timezone,
        "role": user.role,
    })
}

pub(crate) async fn day_preferences(context: &ToolContext) -> Result<DayPreferences> {
    let stored = users::get(&*context.store, &context.team, context.user_id()).await?;
    Ok(stored.map_or_else(DayPreferences::default, |found| found.user.preferences.day))
}

/// Active people, sorted by name.
pub(crate) async fn active(context: &ToolContext) -> Result<Vec<User>> {
    let stored = users::list(context.store.as_ref(), &context.team).await?;
    let people = stored.into_iter().map(|stored| stored.user);
    let mut people: Vec<User> = people.filter(|user| user.is_active).collect();
    people.sort_by_cached_key(|user| (user.name.to_lowercase(), user.slack_user_id.clone()));
    Ok(people)
}
