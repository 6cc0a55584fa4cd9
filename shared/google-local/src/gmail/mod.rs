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

use alfred_core::digest::sha256_hex;
use axum::Router;
use axum::extract::State;
use axum::routing::{MethodRouter, delete, get, post};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::error::ApiError;
use crate::exchange::{Asked, Effect, Given, Scene, Spec};
use crate::scope::{GMAIL_COMPOSE, GMAIL_MODIFY};
use crate::state::GoogleLocal;

const MODIFY: &[&str] = &[GMAIL_MODIFY];
const DRAFTS: &[&str] = &[GMAIL_MODIFY, GMAIL_COMPOSE];

/// Its routes; what each costs is from <https://developers.google.com/workspace/gmail/api/reference/quota>.
pub(crate) fn routes() -> Router<GoogleLocal> {
    let methods: [(&str, MethodRouter<GoogleLocal>); 15] = [
        (
            "/profile",
            read("gmail.users.getProfile", DRAFTS, 1, profile),
        ),
        (
            "/labels",
            read("gmail.users.labels.list", MODIFY, 1, labels::list),
        ),
        (
            "/labels",
            write("gmail.users.labels.create", MODIFY, 5, labels::create),
        ),
        (
            "/history",
            read("gmail.users.history.list", MODIFY, 2, history::list),
        ),
        (
            "/messages",
            read("gmail.users.messages.list", MODIFY, 5, messages::list),
        ),
        (
            "/messages/batchModify",
            write(
                "gmail.users.messages.batchModify",
                MODIFY,
                50,
                messages::batch_modify,
            ),
        ),
        (
            "/messages/{id}",
            read("gmail.users.messages.get", MODIFY, 20, messages::get),
        ),
        (
            "/messages/{id}/modify",
            write("gmail.users.messages.modify", MODIFY, 5, messages::modify),
        ),
        (
            "/messages/{id}/attachments/{part}",
            read(
                "gmail.users.messages.attachments.get",
                MODIFY,
                20,
                messages::attachment,
            ),
        ),
        (
            "/threads/{id}",
            read("gmail.users.threads.get", MODIFY, 40, messages::thread),
        ),
        (
            "/drafts",
            read("gmail.users.drafts.list", DRAFTS, 5, drafts::list),
        ),
        (
            "/drafts",
            write("gmail.users.drafts.create", DRAFTS, 10, drafts::create),
        ),
        (
            "/drafts/send",
            write("gmail.users.drafts.send", DRAFTS, 100, drafts::send),
        ),
        (
            "/drafts/{id}",
            read("gmail.users.drafts.get", DRAFTS, 20, drafts::get),
        ),
        (
            "/drafts/{id}",
            remove("gmail.users.drafts.delete", DRAFTS, 10, drafts::delete),
        ),
    ];
    let upload = write("gmail.users.drafts.create", DRAFTS, 10, drafts::upload);
    let uploads = Router::new().route("/upload/gmail/v1/users/{userId}/drafts", upload);
    methods.into_iter().fold(uploads, |router, (path, method)| {
        router.route(&format!("/gmail/v1/users/{{userId}}{path}"), method)
    })
}

type Scopes = &'static [&'static str];

fn read(id: &'static str, scopes: Scopes, units: u64, effect: Effect) -> MethodRouter<GoogleLocal> {
    let spec = Spec::new(id, scopes, units);
    get(move |State(google): State<GoogleLocal>, asked: Asked| google.api(asked, spec, effect))
}

fn write(
    id: &'static str,
    scopes: Scopes,
    units: u64,
    effect: Effect,
) -> MethodRouter<GoogleLocal> {
    let spec = Spec::new(id, scopes, units);
    post(move |State(google): State<GoogleLocal>, asked: Asked| google.api(asked, spec, effect))
}

fn remove(
    id: &'static str,
    scopes: Scopes,
    units: u64,
    effect: Effect,
) -> MethodRouter<GoogleLocal> {
    let spec = Spec::new(id, scopes, units);
    delete(move |State(google): State<GoogleLocal>, asked: Asked| google.api(asked, spec, effect))
}

/// The caller's mailbox; nobody may name somebody else's.
fn mailbox_of<'a>(scene: &'a mut Scene<'_>) -> Result<&'a mut Mailbox, ApiError> {
    let named = scene.asked.param("userId");
    if named != "me" && named != scene.email {
        let message = format!("Delegation denied for {}", scene.email);
        return Err(ApiError::new(403, "forbidden", message));
    }
    Ok(&mut scene.account()?.mailbox)
}

/// The body, which there must be.
fn body_of(scene: &Scene<'_>) -> Result<Value, ApiError> {
    let body = scene.asked.body()?;
    match body.is_object() {
        true => Ok(body),
        false => Err(ApiError::invalid("A body is required")),
    }
}

/// How many of a list are asked for.
fn most(asked: &Asked) -> Result<usize, ApiError> {
    let most = asked.query("maxResults").map_or(Ok(100), str::parse);
    let most = most.ok().filter(|most| (1..=500).contains(most));
    most.ok_or_else(|| ApiError::invalid("Invalid maxResults"))
}

/// A token that only goes on with the same list: where to, behind a digest of what is listed.
fn page_token(list: &str, from: &str) -> String {
    let digest = sha256_hex(list.as_bytes());
    BASE64_URL_SAFE_NO_PAD.encode(format!("{}.{from}", &digest[..16]))
}

/// Where a list goes on.
fn page_start(list: &str, token: &str) -> Result<String, ApiError> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(token).ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    let start = text.as_deref().and_then(|text| {
        let (digest, from) = text.split_once('.')?;
        (digest == &sha256_hex(list.as_bytes())[..16]).then(|| from.to_owned())
    });
    start.ok_or_else(|| ApiError::invalid("Invalid pageToken"))
}

fn profile(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let email = scene.email.clone();
    let mailbox = mailbox_of(scene)?;
    Ok(json!({
        "emailAddress": email,
        "messagesTotal": mailbox.messages.len(),
        "threadsTotal": mailbox.threads(),
        "historyId": mailbox.history_id().to_string(),
    })
    .into())
}
