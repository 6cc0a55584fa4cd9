//! Gmail (<https://developers.google.com/workspace/gmail/api/reference/rest>).

mod drafts;
mod history;
mod index;
mod labels;
mod mailbox;
mod messages;
mod query;
mod shown;

pub use mailbox::Mailbox;

use serde_json::{Value, json};

use crate::error::ApiError;
use crate::exchange::{Asked, Given, Scene};
use crate::routes::{DELETE, GET, POST, Routes, Scopes, Spec};
use crate::scope::{GMAIL_COMPOSE, GMAIL_MODIFY};

const MODIFY: Scopes = &[GMAIL_MODIFY];
const DRAFTS: Scopes = &[GMAIL_MODIFY, GMAIL_COMPOSE];

/// The units of each are from <https://developers.google.com/workspace/gmail/api/reference/quota>.
pub(crate) fn routes() -> Routes {
    let mail = |id, units| Spec::new(id, MODIFY, units);
    let draft = |id, units| Spec::new(id, DRAFTS, units);
    let delete = draft("gmail.users.drafts.delete", 10);
    let batch = mail("gmail.users.messages.batchModify", 50);
    Routes::at("/gmail/v1/users/{userId}")
        .method(GET, "/profile", draft("gmail.users.getProfile", 1))
        .by(profile)
        .method(GET, "/labels", mail("gmail.users.labels.list", 1))
        .by(labels::list)
        .method(POST, "/labels", mail("gmail.users.labels.create", 5))
        .by(labels::create)
        .method(GET, "/history", mail("gmail.users.history.list", 2))
        .by(history::list)
        .method(GET, "/messages", mail("gmail.users.messages.list", 5))
        .by(messages::list)
        .method(GET, "/messages/{id}", mail("gmail.users.messages.get", 20))
        .by(messages::get)
        .method(POST, "/messages/batchModify", batch)
        .by(messages::batch_modify)
        .method(GET, "/drafts", draft("gmail.users.drafts.list", 5))
        .by(drafts::list)
        .method(POST, "/drafts/send", draft("gmail.users.drafts.send", 100))
        .by(drafts::send)
        .method(GET, "/drafts/{id}", draft("gmail.users.drafts.get", 20))
        .by(drafts::get)
        .method(DELETE, "/drafts/{id}", delete)
        .by(drafts::delete)
}

pub(crate) fn uploads() -> Routes {
    let draft = Spec::new("gmail.users.drafts.create", DRAFTS, 10);
    Routes::at("/upload/gmail/v1/users/{userId}")
        .method(POST, "/drafts", draft)
        .by(drafts::create)
}

/// Refuses somebody else's.
fn mailbox_of<'a>(scene: &'a mut Scene<'_>) -> Result<&'a mut Mailbox, ApiError> {
    let named = scene.asked.param("userId");
    if named != "me" && named != scene.email {
        let message = format!("Delegation denied for {}", scene.email);
        return Err(ApiError::new(403, "forbidden", message));
    }
    Ok(&mut scene.account()?.mailbox)
}

fn body_of(scene: &Scene<'_>) -> Result<Value, ApiError> {
    let body = Some(scene.asked.body()?).filter(Value::is_object);
    body.ok_or_else(|| ApiError::invalid("A body is required"))
}

fn most(asked: &Asked) -> Result<usize, ApiError> {
    let most = asked.query("maxResults").map_or(Ok(100), str::parse);
    let most = most.ok().filter(|most| (1..=500).contains(most));
    most.ok_or_else(|| ApiError::invalid("Invalid maxResults"))
}

fn profile(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let email = scene.email.clone();
    let mailbox = mailbox_of(scene)?;
    let history = mailbox.history_id().to_string();
    Ok(json!({"emailAddress": email, "historyId": history}).into())
}
