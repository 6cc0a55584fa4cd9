//! `views.*`: modals.

use serde_json::{Value, json};

use super::args::Args;
use super::chat::pace;
use super::{Answer, ApiError};
use crate::blocks::{self, Schema, Surface};
use crate::db::{HOME, VIEW};
use crate::state::{SlackLocal, lock};
use crate::types::{Change, View};

const TRIGGER_LIVES_MS: i64 = 3_000;
/// Bytes of a Home tab's JSON.
const HOME_BYTES: usize = 250_000;

pub(super) fn open(slack: &SlackLocal, args: &Args) -> Answer {
    let trigger = args.required("trigger_id")?;
    let checked = checked(slack, args)?;
    let external_id = external_id(&checked);
    let open: Vec<View> = slack.db().read().all(VIEW)?;
    let mut open = open.iter();
    if external_id.is_some() && open.any(|view| view.external_id == external_id) {
        return Err("duplicate_external_id".into());
    }
    let user = spend(slack, trigger)?;
    let view = View {
        id: slack.id("V"),
        user,
        external_id,
        hash: slack.id(""),
        view: checked,
    };
    slack.put_view(&view)?;
    Ok(json!({"view": slack.slack_view(&view)}))
}

/// Uses a trigger up. Returns its user.
fn spend(slack: &SlackLocal, trigger: &str) -> Result<String, ApiError> {
    let now = slack.now_ms();
    let mut triggers = lock(&slack.0.triggers);
    let found = triggers.get_mut(trigger).ok_or("invalid_trigger_id")?;
    if now - found.at_ms > TRIGGER_LIVES_MS {
        return Err("expired_trigger_id".into());
    }
    if std::mem::replace(&mut found.used, true) {
        return Err("exchanged_trigger_id".into());
    }
    Ok(found.user.clone())
}

pub(super) fn update(slack: &SlackLocal, args: &Args) -> Answer {
    let found: Option<View> = slack.db().read().get(VIEW, args.required("view_id")?)?;
    let mut view = found.ok_or("not_found")?;
    view.view = checked(slack, args)?;
    view.external_id = external_id(&view.view);
    view.hash = slack.id("");
    slack.put_view(&view)?;
    Ok(json!({"view": slack.slack_view(&view)}))
}

/// Publishes a person's Home tab (tier 4: 100 a minute). With a `hash`, only if the tab is still that version.
pub(super) fn publish(slack: &SlackLocal, args: &Args) -> Answer {
    let user = args.required("user_id")?;
    let given = args.json("view", "invalid_arguments")?;
    let given = given.ok_or(ApiError::invalid("[ERROR] missing required field: view"))?;
    if given.to_string().len() > HOME_BYTES {
        return Err("view_too_large".into());
    }
    let checked = check(slack, &given, &blocks::HOME);
    let checked = checked.map_err(|why| ApiError::Explained("invalid_arguments", why))?;
    let person = slack.db().read().person(user)?;
    let person = person.filter(|person| !person.is_bot && !person.deleted);
    let person = person.ok_or("user_not_found")?;
    if !*lock(&slack.0.home_enabled) {
        return Err("not_enabled".into());
    }
    let before = slack.home_view(&person.id)?;
    let stale = |hash: &str| before.as_ref().is_none_or(|before| before.hash != hash);
    if args.text("hash")?.is_some_and(stale) {
        return Err("hash_conflict".into());
    }
    pace(slack, "views.publish", 600_000, 100)?;
    let view = View {
        id: before.map_or_else(|| slack.id("V"), |before| before.id),
        external_id: external_id(&checked),
        user: person.id,
        hash: slack.id(""),
        view: checked,
    };
    slack.db().write(|tx| tx.put(HOME, &view.user, &view))?;
    slack.tell(Change::Home { view: view.clone() });
    Ok(json!({"view": slack.slack_view(&view)}))
}

fn external_id(view: &Value) -> Option<String> {
    let id = view["external_id"].as_str()?;
    (!id.is_empty()).then(|| id.to_owned())
}

fn checked(slack: &SlackLocal, args: &Args) -> Result<Value, ApiError> {
    let view = args.json("view", "invalid_arguments")?;
    check(slack, &view.unwrap_or(Value::Null), &blocks::VIEW)
        .map_err(|why| ApiError::Explained("invalid_arguments", why))
}

/// Checks a view and adds the ids that Slack adds.
fn check(slack: &SlackLocal, view: &Value, schema: &Schema) -> Result<Value, Vec<String>> {
    let wrong = blocks::errors(schema, "/view", view);
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let mut checked = view.clone();
    let given = view["blocks"].as_array().map_or(&[][..], Vec::as_slice);
    checked["blocks"] = slack.check_blocks(given, Surface::View)?.into();
    Ok(checked)
}

impl SlackLocal {
    pub(crate) fn put_view(&self, view: &View) -> rusqlite::Result<()> {
        self.db().write(|tx| tx.put(VIEW, &view.id, view))?;
        self.tell(Change::View { view: view.clone() });
        Ok(())
    }

    pub(crate) fn home_view(&self, user: &str) -> rusqlite::Result<Option<View>> {
        self.db().read().get(HOME, user)
    }

    pub(crate) fn slack_view(&self, view: &View) -> Value {
        let seed = self.seed();
        let mut out = view.view.clone();
        for (field, default) in [
            ("private_metadata", json!("")),
            ("callback_id", json!("")),
            ("submit", Value::Null),
            ("close", Value::Null),
        ] {
            if out[field].is_null() {
                out[field] = default;
            }
        }
        out["id"] = view.id.clone().into();
        out["team_id"] = seed.team_id.clone().into();
        out["app_id"] = seed.app_id.clone().into();
        out["bot_id"] = seed.bot_id.clone().into();
        out["external_id"] = view.external_id.clone().unwrap_or_default().into();
        out["hash"] = view.hash.clone().into();
        out["root_view_id"] = view.id.clone().into();
        out["previous_view_id"] = Value::Null;
        out["state"] = json!({"values": {}});
        out
    }
}
