//! A conversation: the last exchanges, which run works in it, and which wait.
//! A message that comes while a run works queues behind it through this row.

use alfred_core::ports::{Store, Write};
use alfred_core::{ChannelId, Failure, RunId, SessionId, TeamId, UserId, keys};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::chat::Chat;
use crate::row::{ROW_VERSION, body, read, stored};
use crate::run::{Exchange, Run};

/// Exchanges that are remembered (seed 000, annex 1).
pub const MEMORY: usize = 10;
/// Characters kept of one side of an exchange; what is longer is cut with a mark.
const KEPT_CHARS: usize = 4_000;
/// The same in a chat, whose exchanges are its worker's whole memory.
const CHAT_CHARS: usize = 20_000;

/// A question with buttons under it that nobody has answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenQuestion {
    /// The run that ended by asking.
    pub run: RunId,
    /// Where its buttons stand.
    pub channel: ChannelId,
    /// The message's timestamp.
    pub ts: String,
    /// Its thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_ts: Option<String>,
}

/// The row of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Schema version.
    pub v: u8,
    /// The last exchanges, oldest first.
    pub memory: Vec<Exchange>,
    /// What it has beside them, where it is a chat: of that all exchanges are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat: Option<Chat>,
    /// The run that works.
    pub active: Option<RunId>,
    /// Those that wait behind it, in order.
    pub waiting: Vec<RunId>,
    /// Whether Alfred has answered here, so that replies without a mention count.
    pub answered: bool,
    /// What was asked last, until the next request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<OpenQuestion>,
    /// The row before couldn't be read, and the person wasn't told yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
    /// What couldn't be read, until the first write sets it aside.
    #[serde(skip)]
    pub(crate) unreadable: Option<Value>,
}

impl Session {
    /// The row with its version; a new one with version 0. In the stead of one that can't be read a new one
    /// goes over it, so that no conversation ends with its row: its runs find their places again.
    ///
    /// # Errors
    /// When the store doesn't answer, or a newer release wrote the row.
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
                    // A reply without a mention rather gets an answer too many than none.
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

    /// The writes that store it over the version it was loaded at.
    ///
    /// # Errors
    /// `Bug` when it can't be written as JSON.
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

    /// Takes over what a run of a chat made of the memory, unless that was changed since the run began.
    pub(crate) fn take_over(&mut self, run: &Run) {
        if let (Some(known), Some(chat)) = (&mut self.chat, &run.chat)
            && known.changes == chat.changes
        {
            known.clone_from(chat);
            self.memory.clone_from(&run.history);
        }
    }

    /// Forgets all that was said.
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

    /// Takes a run in: `true` when it may start at once. It is the answer to what was asked, or makes it void.
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

    /// Ends the active run, or lets it give up its place, and gives the one that may start now.
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
