//! `views.*`: modals.

use serde_json::{Value, json};

use super::args::Args;
use super::{Answer, ApiError};
use crate::blocks::{self, Surface};
use crate::db::VIEW;
use crate::state::{SlackLocal, lock};
use crate::types::{Change, View};

const TRIGGER_LIVES_MS: i64 = 3_000;

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

fn external_id(view: &Value) -> Option<String> {
    let id = view["external_id"].as_str()?;
    (!id.is_empty()).then(|| id.to_owned())
}

fn checked(slack: &SlackLocal, args: &Args) -> Result<Value, ApiError> {
    let view = args.json("view", "invalid_arguments")?;
    check(slack, &view.unwrap_or(Value::Null))
        .map_err(|why| ApiError::Explained("invalid_arguments", why))
}

/// Checks a modal and adds the ids that Slack adds.
fn check(slack: &SlackLocal, view: &Value) -> Result<Value, Vec<String>> {
    let wrong = blocks::errors(&blocks::VIEW, "/view", view);
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
