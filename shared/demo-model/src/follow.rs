//! A conversation's next turn: calls that are still to be made, or the answer.

use alfred_core::ports::{Message, ToolCall, TurnRequest};
use serde_json::{Map, Value, json};

use crate::call::{Asking, Call, Outcome};
use crate::chosen;
use crate::decline;
use crate::look;
use crate::matching::Reading;
use crate::pattern::{Phrasings, Says};
use crate::prompt;
use crate::say;
use crate::things::{Miss, list, text};
use crate::understand::{Understood, understand};

/// What is said or asked for.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) calls: Vec<ToolCall>,
    /// Whether nothing of the request could be done.
    pub(crate) refused: bool,
}

/// How a request goes on.
enum Next {
    Nothing,
    Calls(Vec<Call>),
    Done(String),
    Failed(String),
}

/// What the conversation so far is answered with.
pub(crate) fn reply(request: &TurnRequest, phrasings: &Phrasings) -> Reply {
    let (messages, tools) = (&request.messages, &request.tools);
    let (place, said) = prompt::asked(messages).unwrap_or_default();
    let turn = Conversation {
        asking: prompt::asking(messages),
        outcomes: outcomes(messages.get(place + 1..).unwrap_or_default()),
        request,
        phrasings,
    };
    if let (Some(words), [tool]) = (prompt::wanted(&said), &tools[..]) {
        return turn.changed(words, &tool.name, place);
    }
    if let Some(chosen) = chosen::call(&said, messages) {
        return turn.with_chosen(chosen, place);
    }
    let text = match understand(&said, phrasings, turn.asking.today) {
        Understood::Requests(requests) => return turn.answer(&requests, place),
        Understood::Unclear(words) if words.is_empty() => decline::help(phrasings, tools),
        Understood::Unclear(words) => decline::unclear(&words, &said, phrasings, tools),
        Understood::Misspelt(meant) => decline::misspelt(&meant),
    };
    Reply {
        text,
        refused: true,
        ..Reply::default()
    }
}

fn one_call(place: usize, tool: String, arguments: &Value) -> Reply {
    let call = ToolCall {
        id: format!("call_{place}_0"),
        name: tool,
        arguments: arguments.to_string(),
        echo: None,
    };
    Reply {
        calls: vec![call],
        ..Reply::default()
    }
}

/// The calls behind the request, with their results.
fn outcomes(messages: &[Message]) -> Vec<Outcome> {
    let result = |id: &str| {
        messages.iter().find_map(|message| match message {
            Message::Tool { call_id, text } if call_id.as_ref() == id => Some(text),
            _ => None,
        })
    };
    let calls = messages.iter().filter_map(|message| match message {
        Message::Assistant { tool_calls, .. } => Some(tool_calls.iter()),
        _ => None,
    });
    let answered = calls.flatten().filter_map(|call| {
        Some(Outcome {
            tool: call.name.clone(),
            arguments: serde_json::from_str(&call.arguments).unwrap_or_default(),
            data: serde_json::from_str(result(&call.id)?).unwrap_or_default(),
        })
    });
    answered.collect()
}

struct Conversation<'a> {
    asking: Asking,
    outcomes: Vec<Outcome>,
    request: &'a TurnRequest,
    phrasings: &'a Phrasings,
}

impl Conversation<'_> {
    fn answer(&self, requests: &[Vec<Reading>], place: usize) -> Reply {
        // Who asks for two things of which one can't be done may not want the other alone.
        let all = requests.iter().flat_map(|readings| readings.first());
        let refusals = all.clone().filter_map(|reading| match reading.leads.says {
            Some(Says::Refusal(words)) => Some(words),
            _ => None,
        });
        let refusals: Vec<&str> = refusals.collect();
        if !refusals.is_empty() {
            return Reply {
                text: refusals.join("\n\n"),
                refused: true,
                ..Reply::default()
            };
        }
        let (mut calls, mut said, mut refused) = (Vec::new(), Vec::new(), true);
        for readings in requests {
            match self.next(readings) {
                Next::Nothing => {}
                Next::Calls(more) => calls.extend(more),
                Next::Failed(text) => said.push(text),
                Next::Done(text) => {
                    refused = false;
                    said.push(text);
                }
            }
        }
        if !calls.is_empty() {
            let numbered = calls.into_iter().zip(self.outcomes.len()..);
            let calls = numbered.map(|(call, n): (Call, usize)| ToolCall {
                id: format!("call_{place}_{n}"),
                name: call.tool.into(),
                arguments: Value::Object(call.arguments).to_string(),
                echo: None,
            });
            return Reply {
                calls: calls.collect(),
                ..Reply::default()
            };
        }
        let remarks = all.filter(|one| one.is_remark() && !refused);
        said.extend(remarks.map(|one| {
            format!(
                "I took “{}” as a remark and did nothing about it.",
                one.said
            )
        }));
        Reply {
            text: said.join("\n\n"),
            refused,
            ..Reply::default()
        }
    }

    /// The call that an open proposal of this tool is worked out anew with. What isn't understood stands on the card.
    fn changed(&self, words: &str, tool: &str, place: usize) -> Reply {
        let changes = match understand(words, self.phrasings, self.asking.today) {
            Understood::Requests(requests) => match requests.as_slice() {
                [readings] => readings.iter().find_map(|one| one.changes(tool)),
                _ => None,
            },
            _ => None,
        };
        let changes = changes.unwrap_or_else(|| json!({"unmet": [words]}));
        one_call(place, tool.into(), &json!({"changes": changes}))
    }

    /// The call with what was chosen by a button, and then what came of it.
    fn with_chosen(&self, (tool, arguments): (String, Map<String, Value>), place: usize) -> Reply {
        let text = match self.outcomes.last() {
            None => return one_call(place, tool, &Value::Object(arguments)),
            Some(failed) if !failed.succeeded() => say::failure(failed),
            Some(done) => say::sentence(self.phrasings, (done, None), "", &Value::Null),
        };
        Reply {
            text,
            ..Reply::default()
        }
    }

    fn next(&self, readings: &[Reading]) -> Next {
        let Some((reading, others)) = readings.split_first() else {
            return Next::Failed(decline::help(self.phrasings, &self.request.tools));
        };
        let tools = &self.request.tools;
        match reading.leads.says {
            Some(Says::Answer("help")) => return Next::Done(decline::help(self.phrasings, tools)),
            Some(Says::Answer(words)) => return Next::Done(words.into()),
            Some(Says::Refusal(words)) => return Next::Failed(words.into()),
            Some(Says::Remark) => return Next::Nothing,
            None => {}
        }
        let (calls, look) = reading.calls(&self.asking);
        let tool = reading.leads.tool;
        if !tools.iter().any(|spec| spec.name == tool) {
            let role = prompt::role(&self.request.messages);
            return Next::Failed(decline::not_offered(tool, role));
        }
        let Some(look) = look else {
            return self.made(reading, calls, None);
        };
        let Some(seen) = self.outcome(&look) else {
            return Next::Calls(vec![look]);
        };
        if !seen.succeeded() {
            return Next::Failed(say::failure(seen));
        }
        let calls = calls.into_iter();
        let calls = calls.map(|call| look::follow(call, &look, &seen.data));
        match calls.collect::<Result<Vec<_>, _>>() {
            Ok(calls) => self.made(reading, calls.concat(), Some(&seen.data)),
            // Words that fit a plan, while none is open, may be about what is there.
            Err(Miss::Nothing(_)) if !others.is_empty() => self.next(others),
            Err(Miss::Nothing(problem) | Miss::Unfit(problem)) => Next::Failed(problem),
        }
    }

    /// The calls themselves, or what came of them and of the calls that they give.
    fn made(&self, reading: &Reading, calls: Vec<Call>, seen: Option<&Value>) -> Next {
        let open = |calls: &[Call]| -> Vec<Call> {
            let open = calls.iter().filter(|call| self.outcome(call).is_none());
            open.cloned().collect()
        };
        let mut next = open(&calls);
        let mut outcomes: Vec<&Outcome> =
            calls.iter().filter_map(|call| self.outcome(call)).collect();
        let resumed: Vec<Call> = outcomes
            .iter()
            .flat_map(|outcome| resumed(outcome))
            .collect();
        next.extend(open(&resumed));
        if !next.is_empty() {
            return Next::Calls(next);
        }
        if !resumed.is_empty() {
            outcomes = resumed
                .iter()
                .filter_map(|call| self.outcome(call))
                .collect();
        }
        let aside = reading.aside(&self.asking);
        let words = |one: &&Outcome| match one.succeeded() {
            true => say::sentence(self.phrasings, (one, seen), reading.leads.show, &aside),
            false => say::failure(one),
        };
        let text = outcomes.iter().map(words).collect::<Vec<_>>().join("\n\n");
        match outcomes.iter().any(|one| one.succeeded()) {
            true => Next::Done(text),
            false => Next::Failed(text),
        }
    }

    fn outcome(&self, call: &Call) -> Option<&Outcome> {
        self.outcomes.iter().find(|outcome| {
            outcome.tool == call.tool && outcome.arguments.as_object() == Some(&call.arguments)
        })
    }
}

/// The calls that a resumed workflow gives.
fn resumed(outcome: &Outcome) -> Vec<Call> {
    const WORKFLOWS: [&str; 3] = [
        "workflow_schedule",
        "workflow_fillWorkBlock",
        "workflow_fillEmailBlock",
    ];
    let workflows = list(&outcome.data, "workflows").iter();
    let next = workflows.flat_map(|one| list(one, "next"));
    let calls = next.filter_map(|next| {
        let tool = WORKFLOWS.iter().find(|tool| **tool == text(next, "tool"))?;
        let arguments = next["arguments"].as_object()?.clone();
        Some(Call { tool, arguments })
    });
    calls.collect()
}
