//! A client of MCP servers: reads tool descriptions and calls tools. Each operation opens a new connection.

use alfred_core::invisible;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, RequestMetaObject,
};
use rmcp::service::ServiceError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::Duration;
use tokio::time::timeout;

use super::error::{Result, ServerError, Why, brief};
use super::session::Session;
use super::settings::Server;

/// Characters of a result.
const MOST_RESULT: usize = 20_000;
/// Name of the metadata field with a call's idempotency key.
const KEY: &str = "alfred/idempotencyKey";

/// A tool's description for the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Described {
    pub description: String,
    pub schema: Value,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Answer {
    pub text: String,
    pub cut: bool,
}

#[derive(Debug)]
pub(crate) enum CallError {
    NotMade(ServerError),
    /// The server reports a failure, in this text.
    Failed(Answer),
    /// It was made, but its outcome is unknown.
    Unknown(String),
}

/// The current descriptions of these tools, in order. An error if the server can't be reached, lacks a tool,
/// or describes one unusably.
pub(crate) async fn describe(server: &Server, tools: &[&str]) -> Result<Vec<Described>> {
    let asked = async {
        let session = Session::open(server).await?;
        let described = session.describe(tools).await;
        session.close().await;
        described
    };
    in_time(server, server.host.limits.learn, asked).await
}

/// Calls a tool if its description is still the same as when the run began. `key` is the same in every attempt.
pub(crate) async fn call(
    server: &Server,
    tool: &str,
    known: &Described,
    arguments: Map<String, Value>,
    key: &str,
) -> Result<Answer, CallError> {
    let limits = server.host.limits;
    let begun = async {
        let session = Session::open(server).await?;
        let now = session.describe(&[tool]).await?;
        if now.first() != Some(known) {
            return Err(server.fails(Why::Changed(tool.to_owned())));
        }
        Ok(session)
    };
    let begun = in_time(server, limits.start, begun).await;
    let session = begun.map_err(CallError::NotMade)?;
    let mut meta = RequestMetaObject::new();
    meta.insert(KEY.to_owned(), key.into());
    let mut request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    request.meta = Some(meta);
    let called = timeout(limits.call, session.service.call_tool_once(request)).await;
    let answer = match called {
        Err(_) => Err(CallError::Unknown("no answer in time".into())),
        Ok(Ok(CallToolResponse::Complete(result))) => answered(result),
        Ok(Ok(CallToolResponse::InputRequired(_))) => {
            let words = "it asks for more than its arguments, which isn't given here";
            Err(CallError::Failed(Answer::of(words)))
        }
        Ok(Ok(_)) => Err(CallError::Unknown("it is still at it".into())),
        Ok(Err(ServiceError::McpError(error))) => {
            Err(CallError::Failed(Answer::of(&brief(error.message))))
        }
        Ok(Err(error)) => Err(CallError::Unknown(brief(error))),
    };
    session.close().await;
    answer
}

async fn in_time<T>(
    server: &Server,
    limit: Duration,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let done = timeout(limit, work).await;
    done.unwrap_or_else(|_| Err(server.fails(Why::Silent(limit.as_secs()))))
}

/// A result's texts, or its data if there are none.
fn answered(result: CallToolResult) -> Result<Answer, CallError> {
    let texts: Vec<String> = result.content.iter().map(said).collect();
    let text = match (texts.is_empty(), &result.structured_content) {
        (true, Some(data)) => data.to_string(),
        _ => texts.join("\n"),
    };
    let answer = Answer::of(&text);
    match result.is_error {
        Some(true) => Err(CallError::Failed(answer)),
        _ => Ok(answer),
    }
}

fn said(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::ResourceLink(link) => link.uri.clone(),
        ContentBlock::Image(_) => "(a picture, not shown)".into(),
        ContentBlock::Audio(_) => "(a recording, not shown)".into(),
        _ => "(something that isn't shown)".into(),
    }
}

impl Answer {
    fn of(text: &str) -> Self {
        let (text, cut) = start_of(&invisible::removed(text), MOST_RESULT);
        Self { text, cut }
    }
}

/// The first `most` characters of a text, and whether there are more.
pub(crate) fn start_of(text: &str, most: usize) -> (String, bool) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (text[..end].to_owned(), true),
        None => (text.to_owned(), false),
    }
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "http_tests.rs"]
mod http_tests;
