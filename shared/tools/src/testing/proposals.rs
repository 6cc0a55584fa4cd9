//! Stores approvals and executed workflows.

use alfred_agent::model::{Approval, Preview, Question, Status};
use alfred_core::ports::Write;
use alfred_core::{Taint, keys};
use jiff::SignedDuration;
use serde_json::json;

use super::ToolHarness;
use crate::system::history::{self, Executed};

impl ToolHarness {
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
        };
        self.ask(id, "", |approval| {
            plan(approval);
            change(approval);
        })
        .await;
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
