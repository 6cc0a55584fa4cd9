use alfred_agent::model::Approval;
use alfred_core::Envelope;
use alfred_core::ports::{MailMessage, Mailbox};
use alfred_testkit::{fixtures, says};
use alfred_tests::command;
use serde_json::{Value, json};

use crate::in_memory::approvals::{click, value, waiting};
use crate::in_memory::model::simple;
use crate::in_memory::world::{World, results};

/// `/alfred run TOOL {…}`, which needs no model.
pub fn run(tool: &str, arguments: Value, trigger: &str) -> Envelope {
    command("U1", &format!("run {tool} {arguments}"), trigger)
}

/// A world in which no model is needed.
pub async fn world() -> World {
    World::new(simple(|_| Ok(says("no model is needed")))).await
}

async fn last_result(world: &World) -> Value {
    let runs = world.runs().await;
    let last = runs.iter().max_by_key(|run| run.created_at).unwrap();
    let mut results = results(&world.steps(&last.id).await);
    results.pop().unwrap_or_default()
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
