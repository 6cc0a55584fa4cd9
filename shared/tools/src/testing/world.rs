//! Creates a person's days and tasks, and other people.

use alfred_agent::store::users;
use alfred_core::ports::Clock;
use alfred_core::{Preferences, Role, User};
use serde_json::{Value, json};

use super::ToolHarness;

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
}
