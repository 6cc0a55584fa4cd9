//! The person's side: modals.

use serde_json::{Map, Value, json};

use crate::db::VIEW;
use crate::delivery::AppAnswer;
use crate::person::PersonError;
use crate::state::SlackLocal;
use crate::types::{Change, View};

impl SlackLocal {
    /// Clicks a button of a modal or of the person's own Home tab. An empty block id means any block.
    pub async fn click_in_view(
        &self,
        user: &str,
        view_id: &str,
        (block_id, action_id): (&str, &str),
    ) -> Result<AppAnswer, PersonError> {
        let home = self.home_view(user)?.filter(|home| home.id == view_id);
        let view = home.map_or_else(|| self.open_view(user, view_id), Ok)?;
        let mut blocks = view_blocks(&view);
        blocks.retain(|block| block_id.is_empty() || block["block_id"] == block_id);
        let action = self.action(&blocks, action_id, None)?;
        let mut payload = self.interaction("block_actions", user)?;
        payload["container"] = json!({"type": "view", "view_id": view.id});
        payload["view"] = self.slack_view(&view);
        payload["actions"] = json!([action]);
        self.interact(payload).await
    }

    fn open_view(&self, user: &str, view_id: &str) -> Result<View, PersonError> {
        let view: Option<View> = self.db().read().get(VIEW, view_id)?;
        view.filter(|view| view.user == user)
            .ok_or(PersonError::UnknownView)
    }

    pub fn close_view(&self, user: &str, view_id: &str) -> Result<(), PersonError> {
        let view = self.open_view(user, view_id)?;
        self.db().write(|tx| tx.remove(VIEW, &view.id))?;
        self.tell(Change::ViewClosed {
            id: view.id,
            user: view.user,
        });
        Ok(())
    }

    /// Submits a view. `values` is `{block_id: {action_id: value}}`. A value is text, an option's value, a list of
    /// those, or the object Slack would send. An answer with `errors` leaves the view open.
    pub async fn submit_view(
        &self,
        user: &str,
        view_id: &str,
        values: &Value,
    ) -> Result<AppAnswer, PersonError> {
        let view = self.open_view(user, view_id)?;
        let mut shown = self.slack_view(&view);
        shown["state"]["values"] = input_values(&view_blocks(&view), values)?;
        let mut payload = self.interaction("view_submission", user)?;
        payload["view"] = shown;
        let answer = self.interact(payload).await?;
        match answer.body["response_action"].as_str() {
            None | Some("clear") => self.close_view(user, view_id)?,
            Some("errors") if answer.body["errors"].is_object() => {}
            Some(other) => {
                let reason = format!("response_action {other}");
                return Err(PersonError::BadAnswer { reason });
            }
        }
        Ok(answer)
    }
}

fn view_blocks(view: &View) -> Vec<Value> {
    view.view["blocks"].as_array().cloned().unwrap_or_default()
}

/// `view.state.values` as Slack sends it.
fn input_values(blocks: &[Value], given: &Value) -> Result<Value, PersonError> {
    let mut values = Map::new();
    for block in blocks.iter().filter(|block| block["type"] == "input") {
        let block_id = block["block_id"].as_str().unwrap_or_default();
        let element = &block["element"];
        let action_id = element["action_id"].as_str().unwrap_or_default();
        let given = match &given[block_id][action_id] {
            Value::Null => element["initial_value"].clone(),
            given => given.clone(),
        };
        let empty = given.is_null() || given == "" || given.as_array().is_some_and(Vec::is_empty);
        if empty && block["optional"] != true {
            let block_id = block_id.to_owned();
            return Err(PersonError::MissingInput { block_id });
        }
        let value = input_value(element, &given)?;
        values.insert(block_id.to_owned(), json!({action_id: value}));
    }
    Ok(Value::Object(values))
}

fn option(element: &Value, value: &str) -> Result<Value, PersonError> {
    let options = element["options"].as_array().into_iter().flatten();
    let found = options.into_iter().find(|option| option["value"] == value);
    found.cloned().ok_or(PersonError::UnknownAction)
}

fn input_value(element: &Value, given: &Value) -> Result<Value, PersonError> {
    let kind = &element["type"];
    let selects = element["options"].is_array();
    Ok(match given {
        Value::Object(_) => given.clone(),
        Value::String(value) if selects => {
            json!({"type": kind, "selected_option": option(element, value)?})
        }
        Value::Array(picked) if selects => {
            let one = |value: &Value| option(element, value.as_str().unwrap_or(""));
            let picked: Vec<Value> = picked.iter().map(one).collect::<Result<_, _>>()?;
            json!({"type": kind, "selected_options": picked})
        }
        Value::Null if selects => json!({"type": kind, "selected_option": null}),
        given => json!({"type": kind, "value": given}),
    })
}
