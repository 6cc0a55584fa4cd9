//! The row of a conversation: recent exchanges, the active run and the waiting ones. Runs of a
//! conversation execute one after another.

use alfred_core::ports::{Store, Write};
use alfred_core::{ChannelId, Failure, RunId, SessionId, TeamId, UserId, keys};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::model::run::{Exchange, Run};
use crate::store::row::{ROW_VERSION, body, read, stored};
use crate::turn::chat::Chat;

pub const MEMORY: usize = 10;
/// Maximum characters kept of a request or an answer.
const KEPT_CHARS: usize = 4_000;
/// Maximum characters in a chat, where the exchanges are the worker's whole memory.
const CHAT_CHARS: usize = 20_000;

/// An unanswered question with choice buttons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenQuestion {
    pub run: RunId,
    /// Channel of the message with the buttons.
    pub channel: ChannelId,
    /// Timestamp of that message.
    pub ts: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_ts: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub v: u8,
    /// Recent exchanges, oldest first.
    pub memory: Vec<Exchange>,
    /// Further state of a chat. A chat keeps all exchanges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat: Option<Chat>,
    /// The run that is executing.
    pub active: Option<RunId>,
    /// Runs waiting for it, in order.
    pub waiting: Vec<RunId>,
    /// Whether Alfred has replied here, so that messages without a mention count as requests.
    pub answered: bool,
    /// The last question, until the next request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<OpenQuestion>,
    /// The previous row was corrupt, and the person hasn't been told yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
    /// The corrupt body, until the next write moves it aside.
    #[serde(skip)]
    pub(crate) unreadable: Option<Value>,
}

impl Session {
    /// Loads the row with its version; 0 for a new one. A corrupt row is replaced by an empty one, so that
    /// the conversation and its runs can continue. Fails if the store fails or a newer release wrote the row.
    pub async fn load(
        store: &dyn Store,
        team: &TeamId,
        user: &UserId,
        id: &SessionId,
    ) -> Result<(Self, u64), Failure> {
        let new = Self {
            v: ROW_VERSION,
            ..Self::default()
        };
        let Some(item) = stored(store, &keys::session(team, user, id)).await? else {
            return Ok((new, 0));
        };
        let session = match read(item.body.clone()) {
            Ok(session) => session,
            Err(Failure::Bug { detail }) => {
                tracing::error!(session.id = %id, error = detail, "a conversation's row can't be read; it starts anew");
                Self {
                    // An unneeded reply to a message without a mention is better than a missing one.
                    answered: true,
                    lost: true,
                    unreadable: Some(item.body),
                    ..new
                }
            }
            Err(other) => return Err(other),
        };
        Ok((session, item.version))
    }

    /// The writes that store it, replacing this version.
    pub fn write(
        &self,
        team: &TeamId,
        user: &UserId,
        id: &SessionId,
        version: u64,
    ) -> Result<Vec<Write>, Failure> {
        let key = keys::session(team, user, id);
        let mut writes = vec![Write::over(key, version, body(self)?)];
        if let Some(unreadable) = &self.unreadable {
            let aside = keys::session_set_aside(team, user, id);
            writes.push(Write::put(aside, None, json!({ "unreadable": unreadable })));
        }
        Ok(writes)
    }

    /// Takes over a chat's memory from its run, unless the memory changed since the run began.
    pub(crate) fn take_over(&mut self, run: &Run) {
        if let (Some(known), Some(chat)) = (&mut self.chat, &run.chat)
            && known.changes == chat.changes
        {
            known.clone_from(chat);
            self.memory.clone_from(&run.history);
        }
    }

    pub fn forget(&mut self) {
        self.memory.clear();
        if let Some(chat) = &mut self.chat {
            *chat = Chat {
                worker: chat.worker.take(),
                changes: chat.changes + 1,
                ..Chat::default()
            };
        }
    }

    /// Adds a run. Returns `true` if it may start now. An open question is closed: the run answers
    /// or replaces it.
    pub fn admit(&mut self, run: &RunId) -> bool {
        self.question = None;
        if self.active.is_none() || self.active.as_ref() == Some(run) {
            self.active = Some(run.clone());
            return true;
        }
        if !self.waiting.contains(run) {
            self.waiting.push(run.clone());
        }
        false
    }

    /// Removes a run that ended or was parked, and stores its exchange. Returns the run that may start now.
    pub fn finish(&mut self, run: &RunId, exchange: Option<Exchange>) -> Option<RunId> {
        if let Some(exchange) = exchange {
            let (chars, most) = match &mut self.chat {
                None => (KEPT_CHARS, MEMORY),
                Some(chat) => {
                    chat.changes += 1;
                    (CHAT_CHARS, usize::MAX)
                }
            };
            self.memory.push(Exchange {
                request: cut(&exchange.request, chars),
                answer: cut(&exchange.answer, chars),
                ..exchange
            });
            let surplus = self.memory.len().saturating_sub(most);
            self.memory.drain(..surplus);
        }
        self.answered = true;
        self.waiting.retain(|id| id != run);
        if self.active.as_ref() != Some(run) {
            return None;
        }
        self.active = if self.waiting.is_empty() {
            None
        } else {
            Some(self.waiting.remove(0))
        };
        self.active.clone()
    }
}

fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{} […]", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(n: usize) -> Exchange {
        Exchange {
            request: n.to_string(),
            answer: "x".repeat(5_000),
            taint: alfred_core::Taint::default(),
            quotes: false,
            run: None,
        }
    }

    #[test]
    fn runs_of_a_conversation_go_one_after_the_other() {
        let mut session = Session::default();
        let (a, b, c): (RunId, RunId, RunId) = ("a".into(), "b".into(), "c".into());
        assert!(session.admit(&a));
        assert!(session.admit(&a), "a redelivery finds its place");
        assert!(!session.admit(&b));
        assert!(!session.admit(&b));
        assert!(!session.admit(&c));
        assert_eq!(session.finish(&a, None), Some(b.clone()));
        assert_eq!(session.finish(&a, None), None, "ending twice frees nothing");
        assert_eq!(session.finish(&b, None), Some(c.clone()));
        assert_eq!(session.finish(&c, None), None);
        assert_eq!(session.active, None);
    }

    #[test]
    fn memory_keeps_the_last_ten_and_marks_cuts() {
        let mut session = Session::default();
        for n in 0..12 {
            session.finish(&"r".into(), Some(exchange(n)));
        }
        assert_eq!(session.memory.len(), MEMORY);
        assert_eq!(session.memory[0].request, "2");
        assert!(session.memory[0].answer.ends_with("[…]"));
    }
}
