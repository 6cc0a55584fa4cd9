//! The suite of Bedrock's model adapter. The wire forms of alfred-models are tested by text cases there.

mod answers;
mod faults;

pub use answers::*;
pub use faults::*;

use alfred_core::ports::{
    Clock, Message, Model, ModelError, Output, ToolCall, ToolSpec, Turn, TurnRequest, Usage,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::ManualClock;
use crate::stand_in::{self, Asked, Reply};

/// Makes a test of each function of this suite; the argument makes a `Provider`.
#[macro_export]
macro_rules! model_conformance {
    ($provider:expr) => {
        $crate::model_conformance!(
            $provider,
            [
                text_comes_in_pieces,
                a_call_is_put_together,
                calls_at_once_are_told_apart,
                calls_and_results_go_back_in_order,
                files_are_shown_beside_the_words,
                reasoning_goes_back_to_whom_it_came_from,
                json_after_a_schema,
                a_withheld_answer_calls_nothing,
                a_cut_text_says_so,
                half_a_call_is_never_whole,
                an_answer_is_counted,
                an_answer_of_nothing_is_unusable,
                too_many_requests_wait_as_long_as_is_said,
                a_long_wait_is_the_callers,
                too_many_requests_without_a_word_are_tried_again,
                a_server_that_fails_is_asked_again,
                a_broken_connection_leaves_nothing_behind,
                too_long_is_said_once,
                a_wrong_key_and_an_unknown_model_are_refused,
                no_answer_in_time,
            ]
        );
    };
    ($provider:expr, [$($name:ident,)*]) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let provider = $provider;
                $crate::conformance::model::$name(&provider).await;
            }
        )*
    };
}

/// One endpoint: its bytes, and how it is asked.
pub trait Provider: Send + Sync + 'static {
    /// The model of this side behind an address such as `http://127.0.0.1:1234`, with its attempts and
    /// waits on this clock. Its key is `k`.
    fn model(&self, url: &str, clock: Arc<dyn Clock>) -> Arc<dyn Model>;

    /// The reply that says this in the provider's own bytes.
    fn reply(&self, say: &Say) -> Reply;

    /// What a request says, or what it would refuse it for.
    fn hear(&self, asked: &Asked) -> Result<Heard, String>;
}

/// A call in an answer: id, name, the pieces of its arguments.
pub type Piecewise = (&'static str, &'static str, &'static [&'static str]);

/// What an endpoint says. Answers that end are counted: 1000 tokens read, 400 of them from the cache, 20 written.
#[derive(Clone, Debug)]
pub enum Say {
    Text(&'static [&'static str]),
    /// Calls, behind this text.
    Calls(&'static str, &'static [Piecewise]),
    /// The same behind reasoning that must come back.
    Reasoned(&'static [Piecewise]),
    /// The provider withholds the answer behind this text and half a call.
    Withheld(&'static str),
    /// Text up to the limit.
    CutText(&'static str),
    /// A call up to the limit, in the middle of its arguments.
    CutCall(Piecewise),
    Nothing,
    /// Text, and the connection breaks.
    Broken(&'static str),
    /// Nothing, for ever.
    Silence,
    /// 429 with these words on when to come back.
    TooMany(Option<&'static str>),
    Failing,
    /// Too many asked at once, at any hour.
    Overloaded,
    /// The same in the middle of an answer.
    OverloadedLater(&'static str),
    /// The conversation is longer than the model takes.
    TooLong,
    WrongKey,
    UnknownModel,
}

/// A request, in no provider's form.
#[derive(Debug, Default, PartialEq)]
pub struct Heard {
    pub messages: Vec<Said>,
    pub tools: Vec<String>,
    /// Whether JSON after a schema is asked for, in a field or in words.
    pub json: bool,
    pub limit: u64,
}

#[derive(Debug, PartialEq)]
pub enum Said {
    System(String),
    User(String),
    /// Files with them, as media type and base64.
    Files(Vec<(String, String)>),
    Assistant {
        text: String,
        calls: Vec<(String, String, Value)>,
        /// Whether its reasoning came back as it was given.
        reasoned: bool,
    },
    /// Results of all calls before, by their ids.
    Results(Vec<(String, String)>),
}

pub fn also(said: &mut Vec<Said>, file: (String, String)) {
    match said.last_mut() {
        Some(Said::Files(files)) => files.push(file),
        _ => said.push(Said::Files(vec![file])),
    }
}

pub struct Scene {
    model: Arc<dyn Model>,
    clock: ManualClock,
    heard: Arc<Mutex<Vec<Result<Heard, String>>>>,
}

impl Scene {
    /// A side whose endpoint says these in turn, the last again and again.
    pub fn new(provider: &Arc<impl Provider>, says: &[Say]) -> Self {
        let replies: Vec<Reply> = says.iter().map(|say| provider.reply(say)).collect();
        let (mut replies, mut last) = (replies.into_iter(), Reply::default());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (side, list) = (provider.clone(), heard.clone());
        let url = stand_in::serve(move |asked| {
            let understood = side.hear(&asked);
            let refused = understood.as_ref().err().cloned();
            list.lock().unwrap().push(understood);
            if let Some(reason) = refused {
                let error = json!({"error": {"message": reason}, "message": reason});
                return Reply::new(400, "application/json", error.to_string());
            }
            last = replies.next().unwrap_or(std::mem::take(&mut last));
            last.clone()
        });
        let clock = ManualClock::default();
        let model = provider.model(&url, Arc::new(clock.clone()));
        Self {
            model,
            clock,
            heard,
        }
    }

    /// What comes of a request, and the cost of attempts that gave no turn.
    pub async fn ask(&self, request: &TurnRequest) -> (Result<Turn, ModelError>, Usage) {
        let mut wasted = Usage::default();
        let turn = self.model.turn(request, &mut wasted).await;
        (turn, wasted)
    }

    pub async fn turn(&self, request: &TurnRequest) -> Turn {
        let (turn, _) = self.ask(request).await;
        turn.unwrap_or_else(|error| panic!("{error}; heard {:?}", self.heard.lock().unwrap()))
    }

    /// All requests so far, each as its provider takes it.
    pub fn heard(&self) -> Vec<Heard> {
        let list = std::mem::take(&mut *self.heard.lock().unwrap());
        let list = list.into_iter();
        list.map(|heard| heard.unwrap_or_else(|reason| panic!("refused: {reason}")))
            .collect()
    }

    pub fn waited(&self) -> Duration {
        let since = self
            .clock
            .now()
            .duration_since(ManualClock::default().now());
        since.try_into().unwrap()
    }
}

/// A question with one tool, 60 s for everything.
pub fn question() -> TurnRequest {
    TurnRequest {
        messages: vec![
            Message::system("Be Alfred."),
            Message::user("What time is it?"),
        ],
        tools: Arc::new([ToolSpec {
            name: "time_now".into(),
            description: "The time.".into(),
            parameters: json!({"type": "object", "properties": {"timezone": {"type": "string"}}}),
        }]),
        output: Output::Text,
        max_output_tokens: 500,
        timeout: Duration::from_secs(60),
    }
}

/// The results of the calls of a turn, as a run sends them back.
pub fn go_on(request: &mut TurnRequest, turn: &Turn) {
    let result = |call: &ToolCall| Message::Tool {
        call_id: call.id.as_str().into(),
        text: format!("{{\"of\":\"{}\"}}", call.id).into(),
    };
    request.messages.push(Message::Assistant {
        text: turn.text.as_str().into(),
        tool_calls: turn.tool_calls.as_slice().into(),
    });
    request.messages.extend(turn.tool_calls.iter().map(result));
}
