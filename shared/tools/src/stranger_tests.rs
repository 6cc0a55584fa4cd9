//! Every tool that lists or names a person's data gives other people nothing. Mail, meetings and documents
//! aren't tested here: they come from the person's own accounts.

use crate::testing::*;
use alfred_planner::Wish;

const NOW: &str = "2026-11-21T12:00:00Z";

/// The data of a call, and the number of its writes and decisions.
async fn said(harness: &ToolHarness, name: &str, args: &Value) -> String {
    match harness.run(name, args.clone()).await {
        Ok(done) => {
            let (writes, choices) = (done.writes.len(), done.choices.len());
            format!("{} {writes} {choices}", Value::Object(done.data))
        }
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn what_is_somebody_elses_is_as_if_it_werent_there() {
    let (nobody, harness) = (ToolHarness::at(NOW), ToolHarness::at(NOW));
    let block = harness.block("today", "work 14:00-16:00 Focus").await;
    let task = harness.task("Call", 15, "low").await;
    harness.propose("apr_1", |_| ()).await;
    for n in 0..3 {
        let wish = |one: &mut crate::system::history::Executed| one.wishes = vec![Wish::NoLunch];
        let id = format!("run_{n}");
        harness.executed("workflow_schedule", &id, wish).await;
    }
    let plan = json!({"taskIds": [task], "blockId": block});
    let proposal = json!({"proposalId": "apr_1"});
    for (name, args) in [
        ("schedule_viewSchedule", json!({})),
        ("schedule_viewWeek", json!({})),
        (
            "schedule_findGaps",
            json!({"date": "today", "minDuration": 15}),
        ),
        ("schedule_analyzeUtilization", json!({"date": "today"})),
        (
            "schedule_moveTimeBlock",
            json!({"blockId": block, "newStartTime": "17:00"}),
        ),
        ("schedule_deleteTimeBlock", json!({ "blockId": block })),
        ("schedule_fillWorkBlock", json!({ "blockId": block })),
        ("task_viewTasks", json!({})),
        ("task_getBacklogWithScores", json!({})),
        (
            "task_suggestForDuration",
            json!({"duration": 15, "strategy": "priority"}),
        ),
        ("task_updateTask", json!({"taskId": task, "title": "Mine"})),
        ("task_completeTask", json!({ "taskId": task })),
        ("task_deleteTask", json!({ "taskId": task })),
        ("task_assignToTimeBlock", plan),
        ("approval_list", json!({})),
        ("approval_state", json!({"approvalId": "apr_1"})),
        ("system_presentProposal", proposal.clone()),
        ("system_awaitConfirmation", proposal),
        (
            "system_confirmProposal",
            json!({"proposalId": "apr_1", "approved": false}),
        ),
        ("system_confirmProposal", json!({"approved": false})),
        (
            "system_modifyProposal",
            json!({"proposalId": "apr_1", "changes": {"noLunch": true}}),
        ),
        ("system_resumeWorkflow", json!({"workflowId": "apr_1"})),
        ("system_showWorkflowHistory", json!({})),
        ("system_showPatterns", json!({})),
        ("system_clearContext", json!({"scope": "proposals"})),
    ] {
        let nothing = said(&nobody, name, &args).await;
        assert_ne!(said(&harness, name, &args).await, nothing, "{name}");
        for stranger in harness.strangers() {
            assert_eq!(said(&stranger, name, &args).await, nothing, "{name}");
        }
    }
}
