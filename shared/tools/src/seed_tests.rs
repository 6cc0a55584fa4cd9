//! The tools of seed 003 as it names them: 36 with their parameters, and what each gives. More of ours is fine.

use alfred_core::ports::Calendar;
use alfred_testkit::MemoryCalendar;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::email::inbox::{arriving, inbox};
use crate::testing::{ToolHarness, event};

/// Name, parameters that are needed, parameters that may be left out.
const TOOLS: [(&str, &str, &str); 36] = [
    ("schedule_viewSchedule", "", "date"),
    (
        "schedule_createTimeBlock",
        "date type title startTime endTime",
        "",
    ),
    ("schedule_moveTimeBlock", "blockId newStartTime", ""),
    ("schedule_deleteTimeBlock", "blockId", ""),
    ("schedule_fillWorkBlock", "blockId", "strategy maxTasks"),
    ("task_viewTasks", "", "status priority"),
    (
        "task_createTask",
        "title",
        "description priority estimatedMinutes dueDate source",
    ),
    (
        "task_updateTask",
        "taskId",
        "title description priority estimatedMinutes status dueDate",
    ),
    ("task_completeTask", "taskId", "notes"),
    ("email_viewEmails", "", "status limit"),
    ("email_readEmail", "emailId", ""),
    ("email_processEmail", "emailId action", ""),
    (
        "calendar_scheduleMeeting",
        "attendees",
        "duration preferredTimes needsPrepTime",
    ),
    (
        "calendar_rescheduleMeeting",
        "eventId newTime",
        "reason notifyAttendees",
    ),
    (
        "preference_updatePreferences",
        "",
        "workStartTime workEndTime lunchTime lunchDuration focusBlockDuration breakFrequency emailBatchSize meetingBuffer",
    ),
    (
        "system_confirmProposal",
        "approved",
        "proposalId approvedBlocks approvedTaskIds approvedArchiveIds",
    ),
    (
        "system_showWorkflowHistory",
        "",
        "workflowType limit includeDetails",
    ),
    ("system_resumeWorkflow", "", "workflowId"),
    ("system_provideFeedback", "type category message", ""),
    ("system_showPatterns", "", "timeframe"),
    ("system_clearContext", "scope", ""),
    ("schedule_findGaps", "date minDuration", "between"),
    ("schedule_batchCreateBlocks", "date blocks", ""),
    ("schedule_analyzeUtilization", "date", ""),
    (
        "task_getBacklogWithScores",
        "",
        "minScore maxDuration includeCompleted",
    ),
    ("task_assignToTimeBlock", "taskIds blockId", ""),
    ("task_suggestForDuration", "duration strategy", ""),
    ("email_getBacklog", "", "status limit"),
    ("email_categorizeEmail", "emailId", ""),
    ("email_batchCategorize", "emailIds", ""),
    ("email_groupBySender", "emailIds", "minGroupSize"),
    ("email_archiveBatch", "emailIds", "reason"),
    ("email_createTaskFromEmail", "emailId", "customTitle"),
    ("system_presentProposal", "", "proposalId"),
    ("system_awaitConfirmation", "", "proposalId"),
    ("system_modifyProposal", "feedback", "proposalId"),
];

#[test]
fn the_36_tools_take_what_the_seed_says() {
    for (name, needed, optional) in TOOLS {
        let schema = crate::tool(name)
            .unwrap_or_else(|| panic!("{name} is missing"))
            .schema();
        let required: Vec<&str> = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut wanted: Vec<&str> = needed.split_whitespace().collect();
        wanted.sort_unstable();
        let mut required_now = required.clone();
        required_now.sort_unstable();
        assert_eq!(required_now, wanted, "{name}");
        for field in optional.split_whitespace() {
            assert!(
                schema["properties"][field].is_object(),
                "{name} takes no {field}"
            );
        }
    }
}

/// That these fields are there, and of what kind: s(tring), n(umber), b(oolean), a(rray), o(bject).
fn has(name: &str, value: &Value, fields: &str) {
    for field in fields.split_whitespace() {
        let (field, kind) = field.split_once(':').unwrap();
        let there = &value[field];
        let fits = match kind {
            "s" => there.is_string(),
            "n" => there.is_number(),
            "b" => there.is_boolean(),
            "a" => there.is_array(),
            _ => there.is_object(),
        };
        assert!(fits, "{name}: {field} is no {kind}: {value:#}");
    }
}

async fn gives(harness: &ToolHarness, name: &str, arguments: Value, fields: &str) -> Value {
    let data = harness.ok(name, arguments).await;
    has(name, &data, fields);
    data
}

#[tokio::test]
async fn schedule_and_task_tools_give_what_the_seed_says() {
    let harness = ToolHarness::at("2026-11-20T07:00:00Z");
    let block = json!({"date": "today", "type": "work", "title": "Focus", "startTime": "09:00", "endTime": "11:00"});
    let made = gives(
        &harness,
        "schedule_createTimeBlock",
        block,
        "block:o conflicts:a",
    )
    .await;
    let block = made["block"]["id"].clone();
    let task = gives(
        &harness,
        "task_createTask",
        json!({"title": "Report"}),
        "task:o",
    )
    .await;
    has(
        "task",
        &task["task"],
        "id:s title:s score:n scoreBreakdown:o estimatedMinutes:n status:s priority:s source:s",
    );
    let day = gives(
        &harness,
        "schedule_viewSchedule",
        json!({"date": "today"}),
        "blocks:a stats:o",
    )
    .await;
    has(
        "block",
        &day["blocks"][0],
        "id:s type:s title:s startTime:s endTime:s duration:n description:s tasks:a",
    );
    has(
        "stats",
        &day["stats"],
        "totalHours:n focusHours:n meetingHours:n utilization:n",
    );
    let gaps = gives(
        &harness,
        "schedule_findGaps",
        json!({"date": "today", "minDuration": 30}),
        "gaps:a totalAvailableMinutes:n",
    )
    .await;
    has("gap", &gaps["gaps"][0], "startTime:s endTime:s duration:n");
    let use_of = gives(
        &harness,
        "schedule_analyzeUtilization",
        json!({"date": "today"}),
        "utilization:n focusTime:n fragmentedTime:n suggestions:a",
    )
    .await;
    assert!(use_of["suggestions"][0].is_string());
    let new = json!({"type": "work", "title": "X", "startTime": "10:00", "endTime": "12:00"});
    let batch = json!({"date": "today", "blocks": [new]});
    let batch = gives(
        &harness,
        "schedule_batchCreateBlocks",
        batch,
        "created:a conflicts:a",
    )
    .await;
    has(
        "conflict",
        &batch["conflicts"][0],
        "block:o reason:s conflictsWith:a",
    );
    let backlog = gives(
        &harness,
        "task_getBacklogWithScores",
        json!({}),
        "tasks:a averageScore:n totalTasks:n",
    )
    .await;
    has(
        "task",
        &backlog["tasks"][0],
        "id:s title:s score:n scoreBreakdown:o estimatedMinutes:n",
    );
    has(
        "breakdown",
        &backlog["tasks"][0]["scoreBreakdown"],
        "priority:n age:n urgency:n",
    );
    let found = gives(
        &harness,
        "task_suggestForDuration",
        json!({"duration": 60, "strategy": "mixed"}),
        "suggestions:a",
    )
    .await;
    has(
        "suggestion",
        &found["suggestions"][0],
        "combination:a totalMinutes:n totalScore:n reasoning:s",
    );
    let assign = json!({"taskIds": [task["task"]["id"], "tsk_9"], "blockId": block});
    let assigned = gives(
        &harness,
        "task_assignToTimeBlock",
        assign,
        "assigned:a failed:a",
    )
    .await;
    has("failed", &assigned["failed"][0], "taskId:s reason:s");
    assert_eq!(assigned["assigned"], json!([task["task"]["id"]]));
    gives(
        &harness,
        "schedule_fillWorkBlock",
        json!({"blockId": block}),
        "assignedTasks:a utilization:n remainingMinutes:n",
    )
    .await;
    gives(
        &harness,
        "schedule_moveTimeBlock",
        json!({"blockId": block, "newStartTime": "13:00"}),
        "block:o previousTime:o",
    )
    .await;
    gives(&harness, "task_viewTasks", json!({}), "tasks:a").await;
    gives(
        &harness,
        "task_updateTask",
        json!({"taskId": "Report", "priority": "high"}),
        "task:o",
    )
    .await;
    gives(
        &harness,
        "task_completeTask",
        json!({"taskId": "Report"}),
        "task:o",
    )
    .await;
    gives(
        &harness,
        "schedule_deleteTimeBlock",
        json!({"blockId": block}),
        "deleted:o",
    )
    .await;
    harness.register("U1", |_| ()).await;
    gives(
        &harness,
        "preference_updatePreferences",
        json!({"lunchTime": "13:00"}),
        "preferences:o",
    )
    .await;
}

#[tokio::test]
async fn email_tools_give_what_the_seed_says() {
    let (harness, mails) = inbox();
    for n in 0..2 {
        mails.arrive(
            &harness.context.account(),
            arriving(
                &format!("x{n}"),
                "ben@x.example",
                "Can you send it?",
                "Can you?",
            ),
        );
    }
    let waiting = gives(&harness, "email_getBacklog", json!({}), "emails:a total:n").await;
    let one = "id:s from:s subject:s receivedAt:s status:s hasAttachments:b";
    has("email", &waiting["emails"][0], one);
    let shown = gives(&harness, "email_viewEmails", json!({}), "emails:a").await;
    has("email", &shown["emails"][0], one);
    let read = gives(
        &harness,
        "email_readEmail",
        json!({"emailId": "x0"}),
        "email:o",
    )
    .await;
    has(
        "email",
        &read["email"],
        "id:s from:s subject:s receivedAt:s text:s",
    );
    gives(
        &harness,
        "email_categorizeEmail",
        json!({"emailId": "x0"}),
        "category:s confidence:n suggestedAction:s",
    )
    .await;
    let ids = json!({"emailIds": ["x0", "x1"]});
    let kinds = gives(
        &harness,
        "email_batchCategorize",
        ids.clone(),
        "categorized:a",
    )
    .await;
    has(
        "kind",
        &kinds["categorized"][0],
        "emailId:s category:s urgencyScore:n",
    );
    let groups = gives(&harness, "email_groupBySender", ids, "groups:a").await;
    has("group", &groups["groups"][0], "sender:s count:n emailIds:a");
    let task = gives(
        &harness,
        "email_createTaskFromEmail",
        json!({"emailId": "x0"}),
        "task:o",
    )
    .await;
    has(
        "task",
        &task["task"],
        "id:s title:s description:s estimatedMinutes:n source:s",
    );
    assert_eq!(task["task"]["source"], "email");
    let gone = json!({"emailIds": ["x0", "nothing"], "reason": "done"});
    let archived = gives(&harness, "email_archiveBatch", gone, "archived:n failed:a").await;
    assert_eq!(
        (&archived["archived"], &archived["failed"]),
        (&json!(1), &json!(["nothing"]))
    );
    gives(
        &harness,
        "email_processEmail",
        json!({"emailId": "x1", "action": "archive"}),
        "emailId:s action:s",
    )
    .await;
}

#[tokio::test]
async fn calendar_and_system_tools_give_what_the_seed_says() {
    let harness = ToolHarness::at("2026-11-20T07:00:00Z");
    harness.register("U1", |_| ()).await;
    let mut own = event("e1", "Sync", "2026-11-23T10:00:00Z", "2026-11-23T11:00:00Z");
    own.own = true;
    let owner = alfred_core::ports::Mailbox::new("Person", "u1@example.com");
    let calendar = MemoryCalendar::default();
    let calendar: Arc<dyn Calendar> = Arc::new(calendar.with(
        &harness.context.account(),
        owner,
        harness.context.zone(),
        vec![own],
    ));
    let harness = harness.calendar(calendar);
    let args = json!({"attendees": ["ben@x.example"], "needsPrepTime": true});
    gives(&harness, "calendar_scheduleMeeting", args, "event:o").await;
    let move_it = json!({"eventId": "e1", "newTime": "2026-11-23T14:00"});
    gives(
        &harness,
        "calendar_rescheduleMeeting",
        move_it,
        "event:o previousTime:s",
    )
    .await;
    harness.propose("apr_1", |_| ()).await;
    gives(
        &harness,
        "system_presentProposal",
        json!({}),
        "proposalId:s text:s items:a",
    )
    .await;
    let state = gives(
        &harness,
        "system_awaitConfirmation",
        json!({}),
        "proposal:o confirmed:b",
    )
    .await;
    has(
        "state",
        &state["proposal"],
        "status:s approvalId:s expiresAt:s",
    );
    gives(
        &harness,
        "system_confirmProposal",
        json!({"approved": false}),
        "proposalId:s",
    )
    .await;
    gives(
        &harness,
        "system_modifyProposal",
        json!({"feedback": "no lunch"}),
        "proposalId:s revision:n",
    )
    .await;
    harness
        .executed("workflow_schedule", "run_1:c1", |_| ())
        .await;
    let history = gives(
        &harness,
        "system_showWorkflowHistory",
        json!({}),
        "workflows:a",
    )
    .await;
    has(
        "workflow",
        &history["workflows"][0],
        "id:s type:s executedAt:s status:s changes:a outcome:s",
    );
    let resumed = gives(
        &harness,
        "system_resumeWorkflow",
        json!({}),
        "resumed:n workflows:a",
    )
    .await;
    has(
        "workflow",
        &resumed["workflows"][0],
        "workflowId:s type:s state:s",
    );
    for n in 17..20 {
        harness
            .block(&format!("2026-11-{n}"), "break", "Lunch", "12:00-13:00")
            .await;
    }
    let found = gives(
        &harness,
        "system_showPatterns",
        json!({"timeframe": "month"}),
        "patterns:a",
    )
    .await;
    has(
        "pattern",
        &found["patterns"][0],
        "pattern:s confidence:n examples:a",
    );
    let feedback = json!({"type": "bug", "category": "c", "message": "m"});
    gives(&harness, "system_provideFeedback", feedback, "kept:b").await;
    gives(
        &harness,
        "system_clearContext",
        json!({"scope": "all"}),
        "exchangesForgotten:n proposalsCalledOff:n",
    )
    .await;
}
