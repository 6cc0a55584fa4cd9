//! Stores approvals and executed workflows.

use alfred_agent::model::{Approval, Preview, Question, Status};
use alfred_core::ports::Write;
use alfred_core::{ApprovalId, ResponseType, SlackContext, Taint, keys};
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::ToolHarness;
use crate::system::history::{self, Executed};

impl ToolHarness {
    pub(crate) fn approval(&self, id: &str, title: &str) -> Approval {
        let context = &self.context;
        Approval {
            v: 1,
            id: ApprovalId::from(id),
            revision: 1,
            team: context.team.clone(),
            owner: context.user_id().clone(),
            run: "run_1".into(),
            call_id: "call_1".into(),
            session: context.session.clone(),
            worker: "utility".into(),
            path: Vec::new(),
            question: Question::MayItRun,
            action_type: "slack_sendMessage".into(),
            payload: json!({"to": "@ben", "text": "the secret"}),
            digest: "d".into(),
            preview: Preview::new(title).body("the secret"),
            trouble: None,
            reasons: Vec::new(),
            recipients: Vec::new(),
            outside: Vec::new(),
            taint: Taint::default(),
            asked_in: SlackContext {
                channel_id: "D1".into(),
                thread_ts: None,
                response_type: ResponseType::Dm,
            },
            status: Status::Pending,
            created_at: context.now,
            expires_at: context.now + SignedDuration::from_mins(60),
            resolved_at: None,
            resolved_by: None,
            resolved_trigger: None,
            note: None,
        }
    }

    /// Stores an approval as a run does that asks.
    pub(crate) async fn ask(&self, id: &str, title: &str, change: impl FnOnce(&mut Approval)) {
        let mut approval = self.approval(id, title);
        change(&mut approval);
        let index = keys::pending(&approval.team, &approval.owner, &approval.id);
        self.put(Write::put(index, None, json!({"run": "run_1"})))
            .await;
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
        let mut executed = Executed {
            id: id.into(),
            kind: kind.into(),
            executed_at: self.context.now,
            status: "completed".into(),
            outcome: "Created 1 time blocks.".into(),
            changes: Value::Null,
            again: Vec::new(),
            offers: Vec::new(),
            wishes: Vec::new(),
            tainted: false,
        };
        change(&mut executed);
        self.put(history::write(&self.context, &executed).unwrap())
            .await;
    }
}
