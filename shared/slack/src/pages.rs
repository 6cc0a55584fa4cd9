use alfred_core::ports::ChatMessage;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::answers::SlackMessage;
use super::calls::{fields, unknown};
use super::{Result, SlackClient};

pub(super) struct Pages<'a> {
    client: &'a SlackClient,
    method: &'static str,
    request: Map<String, Value>,
    /// Cursor of the next page. Empty before the first, `None` after the last.
    cursor: Option<String>,
}

impl SlackClient {
    pub(super) fn pages(
        &self,
        method: &'static str,
        request: &impl Serialize,
    ) -> Result<Pages<'_>> {
        Ok(Pages {
            client: self,
            method,
            request: fields(method, request)?,
            cursor: Some(String::new()),
        })
    }
}

impl Pages<'_> {
    pub async fn next<T: DeserializeOwned>(&mut self) -> Result<Option<Vec<T>>> {
        let Some(cursor) = self.cursor.take() else {
            return Ok(None);
        };
        if !cursor.is_empty() {
            self.request.insert("cursor".into(), cursor.into());
        }
        let mut calls = self.client.calls();
        let mut page = calls.read(self.method, &self.request).await?;
        let next = page["response_metadata"]["next_cursor"].as_str();
        self.cursor = next.filter(|next| !next.is_empty()).map(str::to_owned);
        let is_messages = page["messages"].is_array();
        let list = if is_messages { "messages" } else { "channels" };
        let items = serde_json::from_value(page[list].take());
        items.map(Some).map_err(|error| unknown(self.method, error))
    }

    pub async fn all<T: DeserializeOwned>(mut self) -> Result<Vec<T>> {
        let mut all = Vec::new();
        while let Some(mut items) = self.next().await? {
            all.append(&mut items);
        }
        Ok(all)
    }

    /// The last messages of a thread, whose pages come oldest first.
    pub async fn newest(mut self, limit: usize) -> Result<Vec<ChatMessage>> {
        let mut newest = Vec::new();
        while let Some(messages) = self.next::<SlackMessage>().await? {
            newest.extend(messages.into_iter().map(ChatMessage::from));
            newest.drain(..newest.len().saturating_sub(limit));
        }
        Ok(newest)
    }
}
