use alfred_agent::model::Approval;
use alfred_agent::turn::conversation;
use alfred_core::envelope::{Command, ViewSubmission};
use alfred_core::ports::{MailMessage, Mailbox, Message, Turn, TurnRequest};
use alfred_core::{Envelope, Payload, ReplyAddress, ResponseType, TraceId};
use alfred_testkit::{calls, fixtures, says};
use serde_json::{Map, Value, json};

use crate::in_memory::approvals::{click, value, waiting};
use crate::in_memory::model::simple;
use crate::in_memory::world::{World, dm, results, team};

/// `/alfred run TOOL {…}`, which needs no model.
pub fn run(tool: &str, arguments: Value, trigger: &str) -> Envelope {
    let identity = format!("trg:{trigger}");
    Envelope {
        identity: identity.clone(),
        trigger: trigger.into(),
        trace_id: TraceId::derive(&team(), &identity),
        payload: Payload::Command(Command {
            command: "/alfred".into(),
            text: format!("run {tool} {arguments}"),
            reply_to: ReplyAddress {
                channel: "DU1".into(),
                thread_ts: None,
                response_type: ResponseType::Dm,
            },
        }),
        ..dm("U1", "0", "")
    }
}

/// The model only changes proposals.
pub async fn world() -> World {
    World::new(simple(|request| {
        Ok(reading(request).unwrap_or_else(|| says("no model is needed")))
    }))
    .await
}

/// Words about proposals, and the changes that a model makes of them.
const READ: [(&str, &str); 5] = [
    ("lunch at one", r#"{"lunchAt": "13:00"}"#),
    ("lunch at three", r#"{"lunchAt": "15:00"}"#),
    ("keep the weekly digest", r#"{"keep": ["weekly digest"]}"#),
    (
        "Mittagessen um eins, keine Termine vor 10, und Musik",
        r#"{"lunchAt": "13:00", "noMeetingsBefore": "10:00", "unmet": ["Musik"]}"#,
    ),
    ("eine Pause um halb", r#"{"lunchAt": "half past"}"#),
];

/// The turn of a request with these words: the change of the proposal that waits, then the answer.
pub fn reading(request: &TurnRequest) -> Option<Turn> {
    let (at, said) = conversation::request(&request.messages)?;
    let (_, changes) = READ.iter().find(|(words, _)| *words == said)?;
    let open = waits(&request.messages[..at])?;
    let (_, id) = open.split_once("\n- ")?;
    let id = id.split(' ').next()?;
    let is_result = |message: &Message| matches!(message, Message::Tool { .. });
    if request.messages.iter().any(is_result) {
        return Some(says("The new card has it."));
    }
    let arguments = format!("{{\"proposalId\": \"{id}\", \"changes\": {changes}}}");
    Some(calls(&[("r1", "system_modifyProposal", &arguments)]))
}

/// What a model is told of the proposals that wait.
pub fn waits(messages: &[Message]) -> Option<&str> {
    messages.iter().find_map(|message| match message {
        Message::User { text } if text.starts_with("These wait") => Some(text.as_ref()),
        _ => None,
    })
}

async fn last_result(world: &World) -> Value {
    let runs = world.runs().await;
    let last = runs.iter().max_by_key(|run| run.created_at).unwrap();
    results(&world.steps(&last.id).await)
        .pop()
        .unwrap_or_default()
}

pub fn new_blocks(plan: &Approval) -> &Vec<Value> {
    plan.payload["confirmation"]["approvedBlocks"]
        .as_array()
        .unwrap()
}

pub fn lunch(blocks: &[Value]) -> &Value {
    let is_lunch = |block: &&Value| block["title"] == "Lunch";
    blocks.iter().find(is_lunch).unwrap()
}

pub fn lunch_of(plan: &Approval) -> &str {
    lunch(new_blocks(plan))["startTime"].as_str().unwrap()
}

impl World {
    pub async fn called(&mut self, tool: &str, arguments: Value) -> Value {
        let trigger = self.next_trigger();
        self.ask(run(tool, arguments, &trigger)).await;
        last_result(self).await
    }

    pub async fn task(&mut self, title: &str, minutes: u32) -> Value {
        let task = json!({"title": title, "estimatedMinutes": minutes});
        self.called("task_createTask", task).await
    }

    /// Creates a block, such as "work 09:00-11:00 Focus". Returns the result.
    pub async fn block(&mut self, date: &str, block: &str) -> Value {
        let (kind, rest) = block.split_once(' ').unwrap();
        let (times, title) = rest.split_once(' ').unwrap();
        let (start, end) = times.split_once('-').unwrap();
        let block = json!({
            "date": date, "type": kind, "title": title, "startTime": start, "endTime": end,
        });
        self.called("schedule_createTimeBlock", block).await
    }

    pub async fn proposed(&mut self, workflow: &str, arguments: Value) -> Approval {
        let trigger = self.next_trigger();
        self.ask(run(workflow, arguments, &trigger)).await;
        waiting(self).await.pop().unwrap()
    }

    pub async fn planned(&mut self) -> Approval {
        let tomorrow = json!({"date": "tomorrow"});
        self.proposed("workflow_schedule", tomorrow).await
    }

    pub async fn tomorrow(&mut self) -> Vec<Value> {
        let tomorrow = json!({"date": "tomorrow"});
        let day = self.called("schedule_viewSchedule", tomorrow).await;
        day["blocks"].as_array().unwrap().clone()
    }

    pub async fn decide(&mut self, approval: &Approval, action: &str) {
        let trigger = self.next_trigger();
        let click = click("U1", action, &value(approval), &trigger);
        self.ask(click).await;
    }
}

/// A card's modal, submitted with these parts ticked and these words.
pub fn submitted(
    approval: &Approval,
    keep: &[&str],
    words: Option<&str>,
    trigger: &str,
) -> Envelope {
    let identity = format!("trg:{trigger}");
    let options: Vec<Value> = keep.iter().map(|at| json!({"value": at})).collect();
    let mut values = Map::new();
    values.insert(
        "items#00?".into(),
        json!({"value": {"type": "checkboxes", "selected_options": options}}),
    );
    values.insert(
        "feedback?".into(),
        json!({"value": {"type": "plain_text_input", "value": words}}),
    );
    Envelope {
        identity: identity.clone(),
        trigger: trigger.into(),
        trace_id: TraceId::derive(&team(), &identity),
        payload: Payload::View(ViewSubmission {
            callback_id: "approval_edit".into(),
            view_id: "V1".into(),
            private_metadata: value(approval),
            values: Value::Object(values),
        }),
        ..dm("U1", "0", "")
    }
}

pub fn places(approval: &Approval) -> Vec<&str> {
    let items = approval.preview.items.iter();
    items.map(|item| item.at.as_str()).collect()
}

pub fn noted(plan: &Approval, part: &str) -> String {
    let card = plan.preview.as_text();
    let lines = card.lines().filter(|line| line.contains(part));
    lines.collect::<Vec<_>>().join("\n")
}

/// A mail from the day before.
pub fn mail(id: &str, from: Mailbox, subject: &str, automated: bool) -> MailMessage {
    let mut mail = fixtures::mail(id, from, subject, &format!("{subject}."));
    mail.summary.automated = automated;
    mail
}
