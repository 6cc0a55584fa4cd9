//! Sends several requests in one (<https://learn.microsoft.com/graph/json-batching>). All are idempotent, so
//! unanswered ones are repeated.

use crate::Result;
use alfred_core::ports::{Account, AccountError, AccountService};
use jiff::Timestamp;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;

use super::Microsoft;
use super::refusal::{IMMUTABLE_IDS, meaning};
use alfred_accounts::api::{CallError, Miss, Retries, retry_after};
use alfred_accounts::ask::{Ask, Body};

/// Requests in one batch. Graph accepts 20 in parallel, but a mailbox only four.
const AT_ONCE: usize = 4;

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
    fn read(self, now: Timestamp) -> Result<Value, Miss> {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_GATEWAY);
        if status.is_success() {
            return Ok(self.body);
        }
        let headers = HeaderMap::try_from(&self.headers).unwrap_or_default();
        let body = self.body.to_string();
        Err(meaning(status, retry_after(&headers, now), body.as_bytes()))
    }
}

type Outcome = Result<Value, CallError>;

impl Microsoft {
    /// A request within a batch, whose URLs are relative.
    fn part(&self, ask: &Ask, id: usize) -> Value {
        let (name, value) = IMMUTABLE_IDS;
        let url = ask.url.strip_prefix(&self.url("")).unwrap_or(&ask.url);
        let mut part = json!({
            "id": id.to_string(),
            "method": ask.verb.as_str(),
            "url": format!("/{url}"),
            "headers": {name: value},
        });
        if let Body::Json(body) = &ask.body {
            part["headers"]["Content-Type"] = json!("application/json");
            part["body"] = body.clone();
        }
        part
    }

    /// The answers in the order of the requests. An error if all of them failed the same way.
    pub(super) async fn batch(&self, account: &Account, asks: &[Ask]) -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::with_capacity(asks.len());
        for some in asks.chunks(AT_ONCE) {
            outcomes.extend(self.at_once(account, some).await?);
        }
        Ok(outcomes)
    }

    async fn at_once(&self, account: &Account, asks: &[Ask]) -> Result<Vec<Outcome>> {
        let mut outcomes: Vec<Option<Outcome>> = asks.iter().map(|_| None).collect();
        let mut retries = Retries::default();
        while outcomes.iter().any(Option::is_none) {
            let open = asks.iter().enumerate();
            let open = open.filter(|(at, _)| outcomes[*at].is_none());
            let requests: Vec<Value> = open.map(|(at, ask)| self.part(ask, at)).collect();
            let body = json!({"requests": requests});
            let ask = Ask::post(AccountService::Mail, self.url("$batch"), body).repeatable();
            let answers: Answers = self.call(account, &ask).await?;
            let mut wait = None;
            for answer in answers.responses {
                let at = answer.id.parse().ok();
                let Some(place) = at.and_then(|at: usize| outcomes.get_mut(at)) else {
                    continue;
                };
                match answer.read(self.clock.now()) {
                    Ok(body) => *place = Some(Ok(body)),
                    Err(Miss::Error(error)) => *place = Some(Err(error)),
                    Err(Miss::NotGranted) => {
                        return Err(AccountError::NotGranted(AccountService::Mail));
                    }
                    Err(Miss::NotNow(after, _)) => wait = wait.max(after),
                    Err(Miss::Lost(_) | Miss::Token) => {}
                }
            }
            let is_done = outcomes.iter().all(Option::is_some);
            if !is_done && !retries.wait(&*self.clock, wait).await {
                return Err(AccountError::NotReached {
                    detail: "requests of a batch aren't answered".into(),
                    retry_after: wait,
                });
            }
        }
        Ok(outcomes.into_iter().flatten().collect())
    }
}
