//! Lists, page by page.

use alfred_core::ports::{ChatError, ChatMessage};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::VecDeque;
use std::time::Duration;

use super::answers::{Page, SlackMessage};
use super::{Query, SlackClient, query};

/// The pages of a list that are still to be read.
pub(super) struct Pages<'a> {
    client: &'a SlackClient,
    method: &'static str,
    query: Query,
    /// Of the next page: empty before the first, none behind the last.
    cursor: Option<String>,
}

impl SlackClient {
    pub(super) fn pages(
        &self,
        method: &'static str,
        request: &impl Serialize,
    ) -> Result<Pages<'_>, ChatError> {
        Ok(Pages {
            client: self,
            method,
            query: query(method, request)?,
            cursor: Some(String::new()),
        })
    }
}

impl Pages<'_> {
    pub async fn next<T: DeserializeOwned + Send>(&mut self) -> Result<Option<Vec<T>>, ChatError> {
        let Some(cursor) = self.cursor.take() else {
            return Ok(None);
        };
        let mut query = self.query.clone();
        if !cursor.is_empty() {
            query.push(("cursor".into(), cursor));
        }
        let mut waited = Duration::ZERO;
        let page = self.client.get(self.method, &query, &mut waited);
        let page: Page<T> = page.await?;
        let next = page.response_metadata.next_cursor;
        self.cursor = (!next.is_empty()).then_some(next);
        Ok(Some(page.items))
    }

    pub async fn all<T: DeserializeOwned + Send>(mut self) -> Result<Vec<T>, ChatError> {
        let mut all = Vec::new();
        while let Some(mut items) = self.next().await? {
            all.append(&mut items);
        }
        Ok(all)
    }

    /// The last of all pages of a thread, which come oldest first.
    pub async fn newest(mut self, limit: usize) -> Result<Vec<ChatMessage>, ChatError> {
        let mut newest = VecDeque::new();
        while let Some(messages) = self.next::<SlackMessage>().await? {
            newest.extend(messages.into_iter().map(ChatMessage::from));
            let surplus = newest.len().saturating_sub(limit);
            newest.drain(..surplus);
        }
        Ok(newest.into())
    }
}
