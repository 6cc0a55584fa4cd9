//! Creates a person's days, tasks, approvals and executed workflows, and other people.

use alfred_agent::model::{Approval, Preview, Question, Status};
use alfred_agent::store::users;
use alfred_core::ports::{Clock, Write};
use alfred_core::{Preferences, Role, Taint, User, keys};
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::ToolHarness;
use crate::system::history::{self, Executed};

impl ToolHarness {
    /// Creates a block from "type times title"; returns its id.
    pub(crate) async fn block(&self, date: &str, block: &str) -> String {
        let [kind, span, title]: [&str; 3] =
            block.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
        let (start, end) = span.split_once('-').unwrap();
        let args = json!({
            "date": date, "type": kind, "title": title, "startTime": start, "endTime": end,
        });
        let data = self.ok("schedule_createTimeBlock", args).await;
        data["block"]["id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn assign(&self, task: &str, block: &str) {
        let args = json!({"taskIds": [task], "blockId": block});
        self.ok("task_assignToTimeBlock", args).await;
    }

    /// Creates a task; returns its id.
    pub(crate) async fn task(&self, title: &str, minutes: u32, priority: &str) -> String {
        let args = json!({
            "title": title, "estimatedMinutes": minutes, "priority": priority,
        });
        let data = self.ok("task_createTask", args).await;
        data["task"]["id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn shown_day(&self, date: &str) -> Value {
        let args = json!({ "date": date });
        self.ok("schedule_viewSchedule", args).await
    }

    /// One line per block: type, times and title.
    pub(crate) async fn day(&self, date: &str) -> Vec<String> {
        let day = self.shown_day(date).await;
        let text = |block: &Value, field: &str| block[field].as_str().unwrap().to_owned();
        let line = |block: &Value| {
            let [kind, start, end, title] =
                ["type", "startTime", "endTime", "title"].map(|field| text(block, field));
            format!("{kind} {start}-{end} {title}")
        };
        day["blocks"].as_array().unwrap().iter().map(line).collect()
    }

    pub(crate) async fn register(&self, id: &str, change: impl FnOnce(&mut User)) {
        let mut user = User {
            slack_user_id: id.into(),
            slack_username: id.to_lowercase(),
            email: format!("{}@example.com", id.to_lowercase()),
            name: format!("Person {id}"),
            role: Role::Member,
            timezone: "UTC".into(),
            is_active: true,
            preferences: Preferences::default(),
            opened_home: false,
            created_at: self.context.now,
            updated_at: self.context.now,
        };
        change(&mut user);
        let write = users::write(&self.context.team, &user, None).unwrap();
        self.put(write).await;
    }

    pub(crate) async fn change(&self, id: &str, change: impl FnOnce(&mut User)) {
        let (store, team) = (&*self.context.store, &self.context.team);
        let mut stored = users::get(store, team, &id.into()).await.unwrap().unwrap();
        change(&mut stored.user);
        stored.user.updated_at = self.clock.now();
        let write = users::write(team, &stored.user, Some(stored.version)).unwrap();
        self.put(write).await;
    }

    pub(crate) fn approval(&self, id: &str, title: &str) -> Approval {
        let context = &self.context;
        let approval = json!({
            "v": 1, "id": id, "revision": 1, "team": context.team, "owner": context.user_id(),
            "run": "run_1", "call_id": "call_1", "session": context.session, "worker": "utility",
            "path": [], "question": Question::MayItRun, "action_type": "slack_sendMessage",
            "payload": {"to": "@ben", "text": "the secret"}, "digest": "d",
            "preview": Preview::new(title).body("the secret"), "reasons": [],
            "recipients": [], "outside": [], "taint": Taint::default(), "asked_in": context.place,
            "status": Status::Pending, "created_at": context.now,
            "expires_at": context.now + SignedDuration::from_mins(60),
        });
        serde_json::from_value(approval).unwrap()
    }

    pub(crate) async fn ask(&self, id: &str, title: &str, change: impl FnOnce(&mut Approval)) {
        let mut approval = self.approval(id, title);
        change(&mut approval);
        let index = keys::pending(&approval.team, &approval.owner, &approval.id);
        let pending = Write::put(index, None, json!({"run": "run_1"}));
        self.put(pending).await;
        let key = keys::approval(&approval.team, &approval.id);
        let row = serde_json::to_value(&approval).unwrap();
        self.put(Write::create(key, row)).await;
    }

    /// Stores the proposal of a plan with two blocks, at 9:00 and at 10:00.
    pub(crate) async fn propose(&self, id: &str, change: impl FnOnce(&mut Approval)) {
        let block = |start: &str, end: &str, title: &str| json!({"type": "work", "title": title, "startTime": start, "endTime": end, "why": ""});
        let place = |at: usize| format!("/confirmation/approvedBlocks/{at}");
        let plan = |approval: &mut Approval| {
            approval.action_type = "workflow_schedule".into();
            approval.payload = json!({
                "wish": {"date": "2026-11-22", "changes": {"lunchAt": "13:00"}},
                "confirmation": {"approvedBlocks": [
                    block("09:00", "10:00", "Focus"), block("10:00", "10:30", "Mail"),
                ]},
                "proposal": {"date": "2026-11-22", "day": []},
                "notes": [],
            });
            approval.preview = Preview::new("Plan Sunday, 22 November")
                .body("09:00–10:00  Focus\n10:00–10:30  Mail")
                .item(place(0), "09:00–10:00 Focus")
                .item(place(1), "10:00–10:30 Mail");
            change(approval);
        };
        self.ask(id, "", plan).await;
    }

    pub(crate) async fn executed(&self, kind: &str, id: &str, change: impl FnOnce(&mut Executed)) {
        let executed = json!({
            "id": id, "type": kind, "executedAt": self.context.now,
            "status": "completed", "outcome": "Created 1 time blocks.",
        });
        let mut executed: Executed = serde_json::from_value(executed).unwrap();
        change(&mut executed);
        self.put(history::write(&self.context, &executed).unwrap())
            .await;
    }
}
