use alfred_agent::model::in_words;
use alfred_agent::store::users::{self, StoredUser};
use serde_json::Map;

use super::TOOLSET;
use super::changes::Arguments;
use super::settings::Settings;
use crate::fields::{NOTHING_WOULD_CHANGE, becomes, shown};
use crate::prelude::*;

const NAME: &str = "preference_updatePreferences";
const PERSONALITY_TEXT: &str = "personalityText";

#[derive(Serialize)]
struct Updated {
    changed: Map<String, Value>,
    preferences: Settings,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        NAME,
        "Changes the person's preferences; those left out stay.",
    )
    // The text of a custom personality goes into prompts.
    .flow(Flow::PRIVATE.steering())
    .effect(Effect::ReversibleWrite);
    tool::shown(def, preview, update)
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let changes = Changes::load(&context, args).await?;
    let mut preview = Preview::new("Change your preferences");
    for (field, values) in &changes.changed {
        let (from, to) = (shown(&values["from"]), shown(&values["to"]));
        preview = preview.change(&in_words(field), from, to);
    }
    Ok(preview)
}

struct Changes {
    stored: StoredUser,
    given: Vec<&'static str>,
    before: Settings,
    after: Settings,
    /// Field → `{from, to}`; never empty.
    changed: Map<String, Value>,
}

impl Changes {
    async fn load(context: &ToolContext, args: Arguments) -> Result<Self, ToolError> {
        let stored = users::get(context.store.as_ref(), &context.team, context.user_id())
            .await?
            .filter(|stored| stored.user.is_active)
            .ok_or_else(|| {
                ToolError::failed("you aren't registered. Ask an administrator to register you.")
            })?;
        let before = Settings::from_user(&stored.user);
        let given = args.given();
        let after = args.applied(&before)?;
        let changed = differences(&before, &after)?;
        if changed.is_empty() {
            return Err(nothing_to_change(&given, &after)?);
        }
        Ok(Self {
            stored,
            given,
            before,
            after,
            changed,
        })
    }
}

async fn update(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let Changes {
        stored,
        given,
        before,
        after,
        changed,
    } = Changes::load(&context, args).await?;
    let now = Value::Object(object(&before)?);
    context.ensure_as_left("Your preferences", false, &now)?;
    let undo = undo(&before, &after, &changed)?;
    let left = changed
        .iter()
        .map(|(field, values)| (field.clone(), values["to"].clone()));
    let left = Value::Object(left.collect());
    let mut user = stored.user;
    after.clone().store_in(&mut user);
    if changed.contains_key(PERSONALITY_TEXT) {
        user.preferences.personality_tainted = context.tainted;
    }
    let tainted = user.preferences.personality_tainted;
    user.updated_at = context.now;
    let write = users::write(&context.team, &user, Some(stored.version))?;
    let names = given.into_iter().filter(|name| changed.contains_key(*name));
    let names: Vec<String> = names
        .map(|name| becomes(name, &changed[name]["to"]))
        .collect();
    let action = format!("Updated preferences: {}", names.join(", "));
    let updated = Updated {
        preferences: after,
        changed,
    };
    Ok(ToolOutput::data(&updated)?
        .with_effect(action, vec![write])
        .undone_by(NAME, undo)
        .leaving([left])
        .bringing(Flow::of_stored(tainted)))
}

/// The arguments of the undo. `None` if they can't express it: a text can be replaced but not removed.
fn undo(
    before: &Settings,
    after: &Settings,
    changed: &Map<String, Value>,
) -> Result<Option<Value>, ToolError> {
    let previous: Map<String, Value> = changed
        .iter()
        .map(|(field, values)| (field.clone(), values["from"].clone()))
        .collect();
    let arguments = Value::Object(previous);
    match tool::parsed::<Arguments>(arguments.clone()).and_then(|args| args.applied(after)) {
        Ok(restored) if restored == *before => Ok(Some(arguments)),
        Ok(_) | Err(ToolError::Failed(_)) => Ok(None),
        Err(other) => Err(other),
    }
}

/// Field → `{from, to}` of each difference.
fn differences(before: &Settings, after: &Settings) -> Result<Map<String, Value>, ToolError> {
    let (before, after) = (object(before)?, object(after)?);
    let mut changed = Map::new();
    for (field, to) in after {
        let from = before.get(&field).cloned().unwrap_or_default();
        if from != to {
            changed.insert(field, serde_json::json!({ "from": from, "to": to }));
        }
    }
    Ok(changed)
}

fn object(settings: &Settings) -> Result<Map<String, Value>, ToolError> {
    Ok(ToolOutput::data(settings)?.data)
}

fn nothing_to_change(given: &[&str], settings: &Settings) -> Result<ToolError, ToolError> {
    let values = object(settings)?;
    let mut already = Vec::new();
    for field in given {
        let value = values
            .get(*field)
            .ok_or_else(|| Failure::bug(format!("{field} is no field of the preferences")))?;
        already.push(format!("{field} is already {value}"));
    }
    let error = format!("nothing to change: {}.", already.join(", "));
    Ok(ToolError::failed(error).say(NOTHING_WOULD_CHANGE))
}

#[cfg(test)]
#[path = "update_preferences_tests.rs"]
mod tests;
