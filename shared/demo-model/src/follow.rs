//! A conversation's next turn: calls that are still to be made, or the answer.

use alfred_core::ports::{Message, ToolCall, TurnRequest};
use serde_json::{Value, json};
use std::borrow::Borrow;

use crate::call::{Asking, Call, ending};
use crate::decline;
use crate::matching::Reading;
use crate::pattern::{Phrasings, Says};
use crate::prompt;
use crate::say::{self, list, text};
use crate::understand::{Understood, understand};
use crate::words::{self, Word};

/// The look that tells which proposals are open.
pub(crate) const OPEN: &str = "approval_list";

/// What is said or asked for.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) calls: Vec<ToolCall>,
    /// Whether nothing of the request could be done.
    pub(crate) refused: bool,
}

/// A call that was answered.
pub(crate) struct Outcome {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) data: Value,
}

impl Outcome {
    fn succeeded(&self) -> bool {
        self.data["success"] == true
    }
}

/// How a request goes on.
enum Next {
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
        let (mut calls, mut said, mut refused) = (Vec::new(), Vec::new(), true);
        for readings in requests {
            match self.next(readings) {
                Next::Calls(more) => calls.extend(more),
                Next::Failed(text) => said.push(text),
                Next::Done(text) => {
                    refused = false;
                    said.push(text);
                }
            }
        }
        let numbered = calls.into_iter().zip(self.outcomes.len()..);
        let calls = numbered.map(|(call, n): (Call, usize)| ToolCall {
            id: format!("call_{place}_{n}"),
            name: call.tool.into(),
            arguments: Value::Object(call.arguments).to_string(),
        });
        let calls: Vec<ToolCall> = calls.collect();
        match calls.is_empty() {
            false => Reply {
                calls,
                ..Reply::default()
            },
            true => Reply {
                text: said.join("\n\n"),
                calls,
                refused,
            },
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
        let call = ToolCall {
            id: format!("call_{place}_0"),
            name: tool.into(),
            arguments: json!({"changes": changes}).to_string(),
        };
        Reply {
            calls: vec![call],
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
            None => {}
        }
        let (call, look) = reading.calls(&self.asking);
        if !tools.iter().any(|spec| spec.name == call.tool) {
            let role = prompt::role(&self.request.messages);
            return Next::Failed(decline::not_offered(call.tool, role));
        }
        let Some(look) = look else {
            return self.made(reading, call);
        };
        let Some(seen) = self.outcome(&look) else {
            return Next::Calls(vec![look]);
        };
        match follow(call, &look, seen) {
            _ if !seen.succeeded() => Next::Failed(say::failure(seen)),
            Ok(call) => self.made(reading, call),
            // Words that fit a plan, while none is open, may be about what is there.
            Err(_) if look.tool == OPEN && !others.is_empty() => self.next(others),
            Err(problem) => Next::Failed(problem),
        }
    }

    /// The call itself, or what came of it and of the calls that it gives.
    fn made(&self, reading: &Reading, call: Call) -> Next {
        let outcome = match self.outcome(&call) {
            None => return Next::Calls(vec![call]),
            Some(outcome) if !outcome.succeeded() => return Next::Failed(say::failure(outcome)),
            Some(outcome) => outcome,
        };
        let (done, open): (Vec<_>, Vec<_>) = resumed(outcome)
            .into_iter()
            .partition(|call| self.outcome(call).is_some());
        if !open.is_empty() {
            return Next::Calls(open);
        }
        let mut shown: Vec<&Outcome> = done.iter().filter_map(|call| self.outcome(call)).collect();
        if shown.is_empty() {
            shown.push(outcome);
        }
        let aside = reading.aside(&self.asking);
        let words = |one: &&Outcome| say::sentence(self.phrasings, one, reading.leads.show, &aside);
        Next::Done(shown.iter().map(words).collect::<Vec<_>>().join("\n\n"))
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

/// The call with what the look found.
fn follow(mut call: Call, look: &Call, seen: &Outcome) -> Result<Call, String> {
    let data = &seen.data;
    match look.tool {
        "email_viewEmails" => {
            let mails = list(data, "emails");
            let pick = call.arguments.remove("pick").unwrap_or_default();
            let ids: Vec<&Value> = mails.iter().map(|mail| &mail["id"]).collect();
            let ids = match ids.as_slice() {
                [newest, ..] if pick == "newest" => json!([newest]),
                [_] => json!(ids),
                [_, ..] if pick == "all" && data["total"] == mails.len() => json!(ids),
                _ => return Err(which(mails, &["subject", "from"])),
            };
            match call.tool {
                "email_archiveBatch" => call.arguments.insert("emailIds".into(), ids),
                _ => call.arguments.insert("emailId".into(), ids[0].clone()),
            };
        }
        "schedule_viewSchedule" => {
            let named = words::words(call.arguments["blockId"].as_str().unwrap_or_default());
            let fits = |block: &&Value| {
                let title = words::words(text(block, "title"));
                let begins = |word: &Word| title.iter().any(|part| part.low.starts_with(&word.low));
                named.iter().all(begins)
            };
            let found: Vec<&Value> = list(data, "blocks").iter().filter(fits).collect();
            match found.as_slice() {
                [one] => call.arguments.insert("blockId".into(), one["id"].clone()),
                others => return Err(which(others, &["startTime", "endTime", "title"])),
            };
        }
        "schedule_findGaps" => {
            let gap = list(data, "gaps").first();
            let gap = gap.ok_or("There is no free time of that length on that day.")?;
            call.arguments.insert("date".into(), data["date"].clone());
            call.arguments
                .insert("startTime".into(), gap["startTime"].clone());
            let minutes = look.arguments.get("minDuration").and_then(Value::as_u64);
            ending(&mut call.arguments, minutes.unwrap_or_default());
        }
        _ => {
            let kind = call.arguments.remove("for").unwrap_or_default();
            let open = list(data, "approvals").iter();
            let open: Vec<&Value> = open.filter(|one| one["tool"] == kind).collect();
            match open.as_slice() {
                [one] => call.arguments.insert("proposalId".into(), one["approvalId"].clone()),
                [] if kind == "workflow_schedule" => return Err("No plan of a day is open that this could change. “plan my day, no meetings before 10” makes one, “remember: no meetings before 10” is for all of them.".into()),
                [] => return Err("No triage is open that this could change. “triage my mail” makes one.".into()),
                [..] => return Err("Several of them are open: press Modify on the card that you mean.".into()),
            };
        }
    }
    Ok(call)
}

/// Not exactly one thing fits.
fn which<T: Borrow<Value>>(things: &[T], fields: &[&str]) -> String {
    const LISTED: usize = 5;
    let line = |one: &T| {
        let texts: Vec<&str> = fields
            .iter()
            .map(|field| text(one.borrow(), field))
            .collect();
        format!("\n- {}", texts.join(", "))
    };
    let listed = things.iter().take(LISTED).map(line).collect::<String>();
    match things.len() {
        0 => "I found nothing like that, so I did nothing.".into(),
        fit => format!("{fit} fit. Which one do you mean? I did nothing.{listed}"),
    }
}
