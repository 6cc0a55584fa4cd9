//! A model that says what the test wrote down.

use alfred_core::ports::{Finish, Message, Model, ModelError, ToolCall, Turn, TurnRequest, Usage};
use async_trait::async_trait;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex};

type Answer = dyn Fn(&TurnRequest) -> Result<Turn, ModelError> + Send + Sync;

enum Script {
    List(Mutex<VecDeque<Turn>>),
    Answer(Box<Answer>),
}

/// Takes scripted turns and records what it was asked.
///
/// It panics where a provider would refuse the conversation: a tool result that answers no call of the assistant
/// message before it, a call left unanswered, two calls of one id; and when the script has no turn left.
pub struct ScriptedModel {
    script: Script,
    requests: Mutex<Vec<TurnRequest>>,
    others: BTreeMap<String, Arc<ScriptedModel>>,
    wasted: Usage,
}

impl ScriptedModel {
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self::scripted(Script::List(Mutex::new(turns.into_iter().collect())))
    }

    pub fn answering(
        answer: impl Fn(&TurnRequest) -> Result<Turn, ModelError> + Send + Sync + 'static,
    ) -> Self {
        Self::scripted(Script::Answer(Box::new(answer)))
    }

    fn scripted(script: Script) -> Self {
        Self {
            script,
            requests: Mutex::default(),
            others: BTreeMap::new(),
            wasted: Usage::default(),
        }
    }

    /// Each turn has cost this before, for attempts that gave none.
    pub fn wasting(self, wasted: Usage) -> Self {
        Self { wasted, ..self }
    }

    /// With another one beside it, that is asked for by this name.
    pub fn beside(mut self, name: &str, other: Arc<Self>) -> Self {
        self.others.insert(name.to_owned(), other);
        self
    }

    pub fn push(&self, turn: Turn) {
        match &self.script {
            Script::List(turns) => turns.lock().unwrap().push_back(turn),
            Script::Answer(_) => panic!("a closure answers here, there is no list to append to"),
        }
    }

    /// Writes the text in two pieces, and lets others work before and after each.
    async fn write(&self, request: &TurnRequest, text: &str) {
        tokio::task::yield_now().await;
        let middle = text.char_indices().nth(text.chars().count() / 2);
        let ends = middle.map(|(at, _)| at).into_iter().chain([text.len()]);
        for end in ends {
            request.sink.write(|| text[..end].to_owned());
            tokio::task::yield_now().await;
        }
    }

    pub fn requests(&self) -> Vec<TurnRequest> {
        self.requests.lock().unwrap().clone()
    }

    pub fn calls(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

pub fn says(text: &str) -> Turn {
    turn(text, Vec::new(), Finish::Stop)
}

/// A turn that asks for tools: id, name and arguments as the model would write them.
pub fn calls(calls: &[(&str, &str, &str)]) -> Turn {
    let call = |(id, name, arguments): &(&str, &str, &str)| ToolCall {
        id: (*id).to_owned(),
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
        echo: None,
    };
    turn("", calls.iter().map(call).collect(), Finish::ToolCalls)
}

fn turn(text: &str, tool_calls: Vec<ToolCall>, finish: Finish) -> Turn {
    Turn {
        text: text.to_owned(),
        tool_calls,
        finish,
        refused: false,
        usage: Usage {
            input_tokens: 100,
            output_tokens: 10,
            cost_micros: Some(50),
            ..Usage::default()
        },
        model: "scripted:model".into(),
    }
}

/// What is wrong with a conversation, as a provider would see it.
fn fault_of(messages: &[Message]) -> Option<String> {
    let mut open: HashSet<&str> = HashSet::new();
    for (index, message) in messages.iter().enumerate() {
        match message {
            Message::Tool { call_id, .. } => {
                if !open.remove(call_id.as_ref()) {
                    return Some(format!(
                        "message {index} answers {call_id}, which nobody called"
                    ));
                }
            }
            other if !open.is_empty() => {
                return Some(format!(
                    "message {index} ({other:?}) comes before the results of {open:?}"
                ));
            }
            Message::Assistant { tool_calls, .. } => {
                for call in tool_calls.iter() {
                    if !open.insert(&call.id) {
                        return Some(format!("message {index} calls {} twice", call.id));
                    }
                }
            }
            Message::System { .. } | Message::User { .. } | Message::Files { .. } => {}
        }
    }
    (!open.is_empty()).then(|| format!("the calls {open:?} have no results"))
}

#[async_trait]
impl Model for ScriptedModel {
    async fn turn(&self, request: &TurnRequest, wasted: &mut Usage) -> Result<Turn, ModelError> {
        *wasted = wasted.plus(&self.wasted);
        self.requests.lock().unwrap().push(request.clone());
        let number = self.calls();
        if let Some(fault) = fault_of(&request.messages) {
            panic!("request {number} to the scripted model: {fault}");
        }
        let turn = match &self.script {
            Script::Answer(answer) => answer(request),
            Script::List(turns) => match turns.lock().unwrap().pop_front() {
                Some(turn) => Ok(turn),
                None => panic!("request {number} to the scripted model: its script has ended"),
            },
        };
        if let Ok(turn) = &turn {
            self.write(request, &turn.text).await;
        }
        turn
    }

    fn name(&self) -> String {
        "scripted:model".into()
    }

    fn named(&self, name: &str) -> Option<Arc<dyn Model>> {
        Some(self.others.get(name)?.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wait::panic_message;
    use std::time::Duration;

    async fn ask(model: &ScriptedModel, messages: Vec<Message>) -> Turn {
        let request = TurnRequest::new(messages, 100, Duration::from_secs(1));
        model.turn(&request, &mut Usage::default()).await.unwrap()
    }

    fn user() -> Message {
        Message::user("hi")
    }

    fn asks(ids: &[&str]) -> Message {
        let ids: Vec<_> = ids.iter().map(|id| (*id, "t", "{}")).collect();
        Message::Assistant {
            text: "".into(),
            tool_calls: calls(&ids).tool_calls.into(),
        }
    }

    fn result(id: &str) -> Message {
        Message::Tool {
            call_id: id.into(),
            text: "{}".into(),
        }
    }

    #[tokio::test]
    async fn turns_come_in_order() {
        let model = ScriptedModel::new([calls(&[("c1", "time_now", "{}")]), says("It is noon.")]);
        let first = ask(&model, vec![user()]).await;
        assert_eq!(first.finish, Finish::ToolCalls);
        let second = ask(&model, vec![user(), asks(&["c1"]), result("c1")]).await;
        assert_eq!(second.text, "It is noon.");
        assert_eq!(model.calls(), 2);
    }

    #[tokio::test]
    async fn calls_and_results_must_pair() {
        let paired = vec![user(), asks(&["a", "b"]), result("b"), result("a"), user()];
        for (messages, fault) in [
            (paired, "its script has ended"),
            (vec![user(), result("a")], "answers a, which nobody called"),
            (vec![asks(&["a"]), result("a"), result("a")], "answers a"),
            (vec![asks(&["a"]), user()], "before the results"),
            (vec![asks(&["a"]), asks(&["b"])], "before the results"),
            (vec![user(), asks(&["a"])], "have no results"),
            (vec![asks(&["a", "a"])], "twice"),
        ] {
            let asked = async move { ask(&ScriptedModel::new([]), messages).await };
            let cause = tokio::spawn(asked).await.unwrap_err().into_panic();
            let found = panic_message(&*cause);
            assert!(found.contains(fault), "{found}");
        }
    }
}
