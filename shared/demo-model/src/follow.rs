//! A conversation's next turn: calls that are still to be made, or the answer.

use alfred_core::ports::{Message, ToolCall, ToolSpec, TurnRequest};
use serde_json::{Map, Value, json};

use crate::call::{Asking, Call, ending};
use crate::matching::Reading;
use crate::pattern::Phrasings;
use crate::prompt;
use crate::say::{self, list, text};
use crate::understand::{Understood, understand};
use crate::{decline, words};

/// What is said or asked for.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) calls: Vec<ToolCall>,
    /// Whether nothing of the request could be done.
    pub(crate) refused: bool,
}

impl Reply {
    pub(crate) fn says(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }

    fn refuses(text: String) -> Self {
        Self {
            refused: true,
            ..Self::says(text)
        }
    }
}

/// A call that was answered.
pub(crate) struct Outcome {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) data: Value,
}

impl Outcome {
    pub(crate) fn succeeded(&self) -> bool {
        self.data["success"] == true
    }
}

/// How a request goes on.
enum Next {
    Call(Vec<Call>),
    Done(String),
    Failed(String),
}

/// What the conversation so far is answered with.
pub(crate) fn reply(request: &TurnRequest, phrasings: &Phrasings) -> Reply {
    let messages = &request.messages;
    let Some((place, said)) = prompt::asked(messages) else {
        return Reply::says(decline::help(phrasings, &request.tools));
    };
    let turn = Conversation {
        asking: prompt::asking(messages),
        outcomes: outcomes(&messages[place + 1..]),
        request,
        phrasings,
    };
    match understand(&said, phrasings, turn.asking.today) {
        Understood::Unclear(words) => {
            Reply::refuses(decline::unclear(&words, &said, phrasings, &request.tools))
        }
        Understood::Misspelt(meant) => Reply::refuses(decline::misspelt(&meant)),
        Understood::Requests(requests) => turn.answer(&requests, place),
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
        let text = result(&call.id)?;
        Some(Outcome {
            tool: call.name.clone(),
            arguments: serde_json::from_str(&call.arguments).unwrap_or_default(),
            data: serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_string())),
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
        let mut calls: Vec<ToolCall> = Vec::new();
        let mut said: Vec<String> = Vec::new();
        let mut did = false;
        for readings in requests {
            match self.next(readings) {
                Next::Call(more) => calls.extend(more.into_iter().map(|call| ToolCall {
                    id: String::new(),
                    name: call.tool.into(),
                    arguments: Value::Object(call.arguments).to_string(),
                })),
                Next::Done(text) => {
                    did = true;
                    said.push(text);
                }
                Next::Failed(text) => said.push(text),
            }
        }
        if calls.is_empty() {
            let text = said.join("\n\n");
            return if did {
                Reply::says(text)
            } else {
                Reply::refuses(text)
            };
        }
        for (n, call) in calls.iter_mut().enumerate() {
            call.id = format!("call_{place}_{}", self.outcomes.len() + n);
        }
        Reply {
            calls,
            ..Reply::default()
        }
    }

    fn offers(&self, tool: &str) -> bool {
        self.request
            .tools
            .iter()
            .any(|spec: &ToolSpec| spec.name == tool)
    }

    fn next(&self, readings: &[Reading]) -> Next {
        let Some((reading, others)) = readings.split_first() else {
            return Next::Failed(String::new());
        };
        match (reading.leads.say, reading.leads.decline) {
            (Some("help"), _) => {
                return Next::Done(decline::help(self.phrasings, &self.request.tools));
            }
            (Some(words), _) => return Next::Done(words.into()),
            (_, Some(words)) => return Next::Failed(words.into()),
            (None, None) => {}
        }
        let (call, look) = reading.calls(&self.asking);
        if !self.offers(call.tool) {
            let role = prompt::role(&self.request.messages);
            return Next::Failed(decline::not_offered(call.tool, role));
        }
        let Some(look) = look else {
            return self.made(reading, call);
        };
        let Some(seen) = self.outcome(&look) else {
            return Next::Call(vec![look]);
        };
        if !seen.succeeded() {
            return Next::Failed(say::failure(seen));
        }
        match follow(call, &look, seen) {
            Ok(call) => self.made(reading, call),
            // Words that fit a plan, while none is open, may be about what is there.
            Err(_) if look.tool == "approval_list" && others.iter().any(elsewhere) => {
                let others: Vec<Reading> = others
                    .iter()
                    .filter(|one| elsewhere(one))
                    .cloned()
                    .collect();
                self.next(&others)
            }
            Err(problem) => Next::Failed(problem),
        }
    }

    /// The call itself, or what came of it.
    fn made(&self, reading: &Reading, call: Call) -> Next {
        match self.outcome(&call) {
            None => Next::Call(vec![call]),
            Some(outcome) if !outcome.succeeded() => Next::Failed(say::failure(outcome)),
            Some(outcome) => {
                let resumed = resumed(outcome);
                let open = resumed.iter().filter(|call| self.outcome(call).is_none());
                let open: Vec<Call> = open.cloned().collect();
                if !open.is_empty() {
                    return Next::Call(open);
                }
                let followed: Vec<&Outcome> = resumed
                    .iter()
                    .filter_map(|call| self.outcome(call))
                    .collect();
                let outcomes = if followed.is_empty() {
                    vec![outcome]
                } else {
                    followed
                };
                let show = reading.leads.show.unwrap_or_default();
                let said = reading.aside(&self.asking);
                let said = outcomes
                    .into_iter()
                    .map(|one| say::sentence(self.phrasings, one, show, &said));
                Next::Done(said.collect::<Vec<_>>().join("\n\n"))
            }
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
    if outcome.tool != "system_resumeWorkflow" {
        return Vec::new();
    }
    let next = list(&outcome.data, "workflows")
        .iter()
        .flat_map(|one| list(one, "next"));
    let calls = next.filter_map(|next| {
        let tool = WORKFLOWS.iter().find(|tool| **tool == text(next, "tool"))?;
        let arguments = next["arguments"].as_object()?.clone();
        Some(Call { tool, arguments })
    });
    calls.collect()
}

fn elsewhere(reading: &Reading) -> bool {
    reading.leads.via != Some("approval_list")
}

/// The call with what the look found.
fn follow(mut call: Call, look: &Call, seen: &Outcome) -> Result<Call, String> {
    match look.tool {
        "email_viewEmails" => {
            let ids: Vec<&Value> = list(&seen.data, "emails")
                .iter()
                .map(|mail| &mail["id"])
                .collect();
            if ids.is_empty() {
                return Err("There is no such mail in your inbox, so I archived nothing.".into());
            }
            call.arguments = Map::from_iter([("emailIds".to_owned(), json!(ids))]);
        }
        "schedule_viewSchedule" => {
            let named = call
                .arguments
                .get("blockId")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let block = only(named, list(&seen.data, "blocks"), text(&seen.data, "date"))?;
            call.arguments.insert("blockId".into(), block["id"].clone());
        }
        "schedule_findGaps" => {
            let gap = list(&seen.data, "gaps").first();
            let gap = gap.ok_or_else(|| {
                format!(
                    "There is no free time of that length on {}.",
                    text(&seen.data, "date")
                )
            })?;
            call.arguments
                .insert("date".into(), seen.data["date"].clone());
            call.arguments
                .insert("startTime".into(), gap["startTime"].clone());
            let minutes = look.arguments.get("minDuration").and_then(Value::as_u64);
            ending(&mut call.arguments, minutes.unwrap_or_default());
        }
        _ => {
            let kind = call.arguments.remove("for").unwrap_or_default();
            let open = list(&seen.data, "approvals")
                .iter()
                .filter(|one| one["tool"] == kind);
            let open: Vec<&Value> = open.collect();
            let [one] = open.as_slice() else {
                return Err(no_proposal(&kind, open.len()));
            };
            call.arguments
                .insert("proposalId".into(), one["approvalId"].clone());
        }
    }
    Ok(call)
}

fn no_proposal(kind: &Value, open: usize) -> String {
    match (open, kind == "workflow_schedule") {
        (0, true) => "No plan of a day is open that this could change. “plan my day, no meetings before 10” makes one, “remember: no meetings before 10” is for all of them.".into(),
        (0, false) => "No triage is open that this could change. “triage my mail” makes one.".into(),
        (several, _) => format!("{several} of them are open: press Modify on the one that you mean."),
    }
}

/// The one block of a day that has these words in its title.
fn only<'a>(named: &str, blocks: &'a [Value], day: &str) -> Result<&'a Value, String> {
    let wanted = words::words(named);
    let fits = |block: &&Value| {
        let title = words::words(text(block, "title"));
        wanted
            .iter()
            .all(|word| title.iter().any(|part| part.low.starts_with(&word.low)))
    };
    let found: Vec<&Value> = blocks.iter().filter(fits).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(format!(
            "I found nothing called “{named}” on {day}, so I changed nothing."
        )),
        several => {
            let each = several.iter().map(|one| {
                format!(
                    "\n- {}–{} {}",
                    text(one, "startTime"),
                    text(one, "endTime"),
                    text(one, "title")
                )
            });
            Err(format!(
                "{} match on {day}. Which one do you mean? I changed nothing.{}",
                several.len(),
                each.collect::<String>()
            ))
        }
    }
}
