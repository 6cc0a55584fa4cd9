//! A conversation's next turn: calls that are still to be made, or the answer.

use alfred_agent::turn::conversation;
use alfred_core::ports::{Message, ToolCall, TurnRequest};
use alfred_tools::fold;
use serde_json::Value;

use crate::call::{Asking, Call, Outcome};
use crate::chosen;
use crate::decline;
use crate::look;
use crate::matching::Reading;
use crate::pattern::{Leads, Phrasings, Says};
use crate::prompt;
use crate::say;
use crate::things::Problem;
use crate::times;
use crate::understand::{Understood, understand};

/// A turn of the model.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) calls: Vec<ToolCall>,
    /// Whether nothing was done.
    pub(crate) refused: bool,
}

enum Next {
    Calls(Vec<Call>),
    Done(String),
    Failed(String),
}

/// The model's turn after these messages.
pub(crate) fn reply(request: &TurnRequest, phrasings: &Phrasings) -> Reply {
    let (messages, tools) = (&request.messages, &request.tools);
    let (place, said) = conversation::request(messages).unwrap_or_default();
    let turn = Conversation {
        asking: prompt::asking(messages),
        outcomes: outcomes(messages.get(place + 1..).unwrap_or_default()),
        request,
        phrasings,
        place,
    };
    if let Some(chosen) = chosen::call(said, messages) {
        return turn.with_chosen(chosen);
    }
    match understand(said, phrasings, turn.asking.today) {
        Understood::Requests(requests) => turn.answer(&requests),
        Understood::Two(first, second) => refusal(decline::two(&first, &second)),
        Understood::Several => refusal(decline::unclear(said, true, phrasings, tools)),
        Understood::Foreign => refusal(decline::FOREIGN.into()),
        Understood::Unclear if times::day(&fold(said), turn.asking.today).is_some() => {
            refusal(decline::DAY_ALONE.into())
        }
        Understood::Unclear => refusal(decline::unclear(said, false, phrasings, tools)),
    }
}

fn refusal(text: String) -> Reply {
    Reply {
        text,
        refused: true,
        ..Reply::default()
    }
}

/// The calls after the request, with their results.
fn outcomes(messages: &[Message]) -> Vec<Outcome> {
    let calls = messages.iter().flat_map(|message| match message {
        Message::Assistant { tool_calls, .. } => tool_calls.to_vec(),
        _ => Vec::new(),
    });
    let answered = calls.filter_map(|call| {
        let result = messages.iter().find_map(|message| match message {
            Message::Tool { call_id, text } if *call_id.as_ref() == *call.id => Some(text),
            _ => None,
        })?;
        let arguments = serde_json::from_str(&call.arguments).unwrap_or_default();
        Some(Outcome {
            call: Call::new(&call.name, arguments),
            data: serde_json::from_str(result).unwrap_or_default(),
        })
    });
    answered.collect()
}

struct Conversation<'a> {
    asking: Asking,
    outcomes: Vec<Outcome>,
    request: &'a TurnRequest,
    phrasings: &'a Phrasings,
    /// Where the request stands among the messages.
    place: usize,
}

impl Conversation<'_> {
    fn calling(&self, calls: Vec<Call>) -> Reply {
        let numbered = calls.into_iter().zip(self.outcomes.len()..);
        let calls = numbered.map(|(call, n)| ToolCall {
            id: format!("call_{}_{n}", self.place),
            name: call.tool,
            arguments: Value::Object(call.arguments).to_string(),
            echo: None,
        });
        Reply {
            calls: calls.collect(),
            ..Reply::default()
        }
    }

    fn answer(&self, requests: &[Vec<Reading>]) -> Reply {
        let mut reply = refusal(String::new());
        let (mut calls, mut texts) = (Vec::new(), Vec::new());
        for readings in requests {
            match self.next(readings) {
                Next::Calls(more) => calls.extend(more),
                Next::Failed(text) => texts.push(text),
                Next::Done(text) => {
                    reply.refused = false;
                    texts.push(text);
                }
            }
        }
        if !calls.is_empty() {
            return self.calling(calls);
        }
        reply.text = texts.join("\n\n");
        reply
    }

    /// The call with the thing that was chosen by a button, then its answer.
    fn with_chosen(&self, call: Call) -> Reply {
        match self.outcomes.last() {
            None => self.calling(vec![call]),
            Some(outcome) => Reply {
                text: self.sentence(outcome, None, "", &Value::Null),
                ..Reply::default()
            },
        }
    }

    fn next(&self, readings: &[Reading]) -> Next {
        let tools = &self.request.tools;
        let Some((reading, others)) = readings.split_first() else {
            return Next::Failed(String::new());
        };
        match reading.leads.says {
            Some(Says::Answer(words)) => return Next::Done(self.offering(words)),
            Some(Says::Refusal(words)) => return Next::Failed(words.into()),
            Some(Says::Requests(_)) | None => {}
        }
        let tool = reading.leads.tool;
        if !tools.iter().any(|spec| spec.name == tool) {
            let role = prompt::role(&self.request.messages);
            return Next::Failed(decline::not_offered(tool, role));
        }
        let (calls, look) = reading.calls(&self.asking, self.phrasings);
        let Some(look) = look else {
            return self.made(reading, calls, None);
        };
        let Some(seen) = self.outcome(&look) else {
            return Next::Calls(vec![look]);
        };
        if !seen.succeeded() {
            return Next::Failed(say::failure(seen));
        }
        let form = prompt::proposal(&self.request.messages);
        let calls = calls.into_iter();
        let calls = calls.map(|call| look::complete(call, &look, &seen.data, form));
        match calls.collect::<Result<Vec<_>, _>>() {
            Ok(calls) => self.made(reading, calls, Some(&seen.data)),
            // Without an open proposal the words may be about a block or task.
            Err(Problem::Nothing(_)) if !others.is_empty() => self.next(others),
            Err(Problem::Nothing(problem) | Problem::Unfit(problem)) => Next::Failed(problem),
        }
    }

    /// An answer without the examples that there is no tool for. Lines of examples are `- **topic**: “one”, “two”`.
    fn offering(&self, words: &str) -> String {
        let lines = words.split("\\n").filter_map(|line| {
            let Some((topic, examples)) = line.split_once("**: “") else {
                return Some(line.to_owned());
            };
            let mut examples: Vec<&str> = examples.trim_end_matches('”').split("”, “").collect();
            examples.retain(|example| self.can(example));
            (!examples.is_empty()).then(|| format!("{topic}**: “{}”", examples.join("”, “")))
        });
        let lines: Vec<String> = lines.collect();
        if lines.len() == 1 && words.contains("\\n") {
            return "I'm the demo, and understand nothing that this worker can do.".into();
        }
        lines.join("\n")
    }

    fn can(&self, request: &str) -> bool {
        let has = |leads: &Leads| self.request.tools.iter().any(|it| it.name == leads.tool);
        let asked = understand(request, self.phrasings, self.asking.today);
        matches!(asked, Understood::Requests(all) if all.iter().flatten().all(|one| has(&one.leads)))
    }

    /// The calls without a result, or the answer.
    fn made(&self, reading: &Reading, calls: Vec<Call>, seen: Option<&Value>) -> Next {
        let open = calls.iter().filter(|call| self.outcome(call).is_none());
        let open: Vec<Call> = open.cloned().collect();
        if open.iter().any(|call| call.is_over(&self.asking)) {
            return Next::Failed(decline::OVER.into());
        }
        if !open.is_empty() {
            return Next::Calls(open);
        }
        let outcomes = calls.iter().filter_map(|call| self.outcome(call));
        let beside = reading.aside(&self.asking);
        let answer = |one| self.sentence(one, seen, reading.leads.show, &beside);
        let texts: Vec<String> = outcomes.clone().map(answer).collect();
        let text = texts.join("\n\n");
        if outcomes.into_iter().any(Outcome::succeeded) {
            Next::Done(text)
        } else {
            Next::Failed(text)
        }
    }

    fn sentence(&self, one: &Outcome, seen: Option<&Value>, show: &str, beside: &Value) -> String {
        if one.succeeded() {
            say::sentence(self.phrasings, (one, seen), show, beside)
        } else {
            say::failure(one)
        }
    }

    fn outcome(&self, call: &Call) -> Option<&Outcome> {
        self.outcomes.iter().find(|outcome| outcome.call == *call)
    }
}
