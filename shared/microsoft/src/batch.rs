//! Sends several requests in one (<https://learn.microsoft.com/graph/json-batching>). All are idempotent, so
//! unanswered ones are repeated.

use alfred_core::ports::{Account, AccountError, AccountService};
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;

use super::Microsoft;
use super::refusal::{IMMUTABLE_IDS, meaning};
use alfred_accounts::api::{CallError, FIRST_PAUSE, Miss, PATIENCE, TRIES};
use alfred_accounts::ask::Ask;

/// Requests in one batch. Graph accepts 20 in parallel, but a mailbox only four.
const AT_ONCE: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct Part {
    verb: &'static str,
    /// Relative to `/v1.0/`.
    path: String,
    body: Option<Value>,
}

impl Part {
    pub fn get(path: String) -> Self {
        Self {
            verb: "GET",
            path,
            body: None,
        }
    }

    pub fn patch(path: String, body: Value) -> Self {
        Self {
            verb: "PATCH",
            path,
            body: Some(body),
        }
    }

    pub fn post(path: String, body: Value) -> Self {
        Self {
            verb: "POST",
            path,
            body: Some(body),
        }
    }

    fn written(&self, id: usize) -> Value {
        let (name, value) = IMMUTABLE_IDS;
        let mut written = json!({
            "id": id.to_string(),
            "method": self.verb,
            "url": format!("/{}", self.path),
            "headers": {name: value},
        });
        if let Some(body) = &self.body {
            written["headers"]["Content-Type"] = json!("application/json");
            written["body"] = body.clone();
        }
        written
    }
}

#[derive(Deserialize)]
struct Answers {
    responses: Vec<Answer>,
}

#[derive(Deserialize)]
struct Answer {
    id: String,
    status: u16,
    #[serde(default)]
    headers: HashMap<String, String>,
    #[serde(default)]
    body: Value,
}

impl Answer {
    fn read(self) -> Result<Value, Miss> {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_GATEWAY);
        if status.is_success() {
            return Ok(self.body);
        }
        let mut headers = self.headers.iter();
        let after = headers.find(|(name, _)| name.eq_ignore_ascii_case("retry-after"));
        let after = after.and_then(|(_, value)| value.parse().ok());
        let body = self.body.to_string();
        Err(meaning(
            status,
            after.map(Duration::from_secs),
            body.as_bytes(),
        ))
    }
}

type Outcome = Result<Value, CallError>;

impl Microsoft {
    /// The answers in the order of the requests. An error if all of them failed the same way.
    pub(super) async fn batch(
        &self,
        account: &Account,
        parts: &[Part],
    ) -> Result<Vec<Outcome>, AccountError> {
        let mut outcomes = Vec::with_capacity(parts.len());
        for some in parts.chunks(AT_ONCE) {
            outcomes.extend(self.at_once(account, some).await?);
        }
        Ok(outcomes)
    }

    async fn at_once(
        &self,
        account: &Account,
        parts: &[Part],
    ) -> Result<Vec<Outcome>, AccountError> {
        let mut outcomes: Vec<Option<Outcome>> = parts.iter().map(|_| None).collect();
        let (mut pause, mut waited) = (FIRST_PAUSE, Duration::ZERO);
        for tries in 1.. {
            let open = parts.iter().enumerate();
            let open = open.filter(|(at, _)| outcomes[*at].is_none());
            let requests: Vec<Value> = open.map(|(at, part)| part.written(at)).collect();
            if requests.is_empty() {
                break;
            }
            let body = json!({"requests": requests});
            let ask = Ask::post(AccountService::Mail, self.url("$batch"), body).repeatable();
            let answers: Answers = self.call(account, &ask).await?;
            let mut wait = pause;
            for answer in answers.responses {
                let at = answer.id.parse().ok();
                let Some(place) = at.and_then(|at: usize| outcomes.get_mut(at)) else {
                    continue;
                };
                match answer.read() {
                    Ok(body) => *place = Some(Ok(body)),
                    Err(Miss::Error(error)) => *place = Some(Err(error)),
                    Err(Miss::NotGranted) => {
                        return Err(AccountError::NotGranted(AccountService::Mail));
                    }
                    Err(Miss::NotNow(after, _)) => wait = wait.max(after.unwrap_or(pause)),
                    Err(Miss::Lost(_) | Miss::Token) => {}
                }
            }
            if outcomes.iter().all(Option::is_some) {
                break;
            }
            if tries >= TRIES || waited + wait > PATIENCE {
                return Err(AccountError::NotReached {
                    detail: "requests of a batch aren't answered".into(),
                    retry_after: Some(wait),
                });
            }
            self.clock.sleep(wait).await;
            waited += wait;
            pause *= 2;
        }
        Ok(outcomes.into_iter().flatten().collect())
    }
}
