//! A conversation: recent exchanges, the active run and the waiting ones.

use alfred_core::{ChannelId, RunId, Taint};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub const MEMORY: usize = 10;

const KEPT_CHARS: usize = 4_000;

/// In a chat the exchanges are the worker's whole memory.
const CHAT_CHARS: usize = 20_000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenQuestion {
    pub run: RunId,
    pub channel: ChannelId,
    pub ts: String,
    pub thread_ts: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chat {
    pub worker: Option<String>,
    pub summary: Option<Summary>,
    /// Of the last run's first turn, since later ones contain tool results that aren't kept.
    pub context_tokens: u64,
    /// Number of changes, by which a run notices those since it began.
    pub changes: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub text: String,
    pub taint: Taint,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    pub request: String,
    pub answer: String,
    pub taint: Taint,
    /// The request contains text not written by the owner.
    pub quotes: bool,
    pub run: Option<RunId>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub v: u8,
    pub memory: Vec<Exchange>,
    /// A chat keeps all exchanges.
    pub chat: Option<Chat>,
    pub active: Option<RunId>,
    pub waiting: Vec<RunId>,
    /// Alfred has replied here, so messages without a mention count.
    pub answered: bool,
    pub question: Option<OpenQuestion>,
    /// The previous row was corrupt, and the person hasn't been told yet.
    pub lost: bool,
    /// 0 for a new one.
    #[serde(skip)]
    pub version: u64,
    /// The corrupt body, until the next write moves it aside.
    #[serde(skip)]
    pub(crate) unreadable: Option<Value>,
}

impl Session {
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

    /// Adds a run; `true` if it may start. It answers or replaces an open question.
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

    /// Removes a run. Returns the one that may start.
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
        self.active = (!self.waiting.is_empty()).then(|| self.waiting.remove(0));
        self.active.clone()
    }
}

pub fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{} […]", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_keeps_the_last_ten_and_marks_cuts() {
        let mut session = Session::default();
        for n in 0..12 {
            let exchange = Exchange {
                request: n.to_string(),
                answer: "x".repeat(5_000),
                ..Exchange::default()
            };
            session.finish(&"r".into(), Some(exchange));
        }
        assert_eq!(session.memory.len(), MEMORY);
        assert_eq!(session.memory[0].request, "2");
        assert!(session.memory[0].answer.ends_with("[…]"));
    }
}
