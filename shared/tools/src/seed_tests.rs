//! Checks the 36 tools that the product specification requires: their parameters and results. More of either
//! is allowed.

use crate::testing::*;
use alfred_core::ports::Calendar;
use alfred_testkit::MemoryCalendar;
use std::collections::BTreeSet;

/// Name, required parameters, optional parameters and result fields. A field is a path with its kind:
/// s(tring), n(umber), b(oolean), a(rray) or o(bject).
const TOOLS: &str = "\
schedule_viewSchedule | | date | blocks:a stats/totalHours:n stats/focusHours:n stats/meetingHours:n stats/utilization:n blocks/0/id:s blocks/0/type:s blocks/0/title:s blocks/0/startTime:s blocks/0/endTime:s blocks/0/duration:n blocks/0/description:s blocks/0/tasks:a
schedule_createTimeBlock | date type title startTime endTime | | block:o conflicts:a
schedule_moveTimeBlock | blockId newStartTime | | block:o previousTime:o
schedule_deleteTimeBlock | blockId | | deleted:o
schedule_fillWorkBlock | blockId | strategy maxTasks | assignedTasks:a utilization:n remainingMinutes:n
task_viewTasks | | status priority | tasks:a
task_createTask | title | description priority estimatedMinutes dueDate source | task/id:s task/title:s task/score:n task/scoreBreakdown:o task/estimatedMinutes:n task/status:s task/priority:s task/source:s
task_updateTask | taskId | title description priority estimatedMinutes status dueDate | task:o
task_completeTask | taskId | notes | task:o
email_viewEmails | | status limit | emails/0/id:s emails/0/from:s emails/0/subject:s emails/0/receivedAt:s emails/0/status:s emails/0/hasAttachments:b
email_readEmail | emailId | | email/id:s email/from:s email/subject:s email/receivedAt:s email/text:s
email_processEmail | emailId action | | emailId:s action:s
calendar_scheduleMeeting | attendees | duration preferredTimes needsPrepTime | event:o
calendar_rescheduleMeeting | eventId newTime | reason notifyAttendees | event:o previousTime:s
preference_updatePreferences | | workStartTime workEndTime lunchTime lunchDuration focusBlockDuration breakFrequency emailBatchSize meetingBuffer | preferences:o
system_confirmProposal | approved | proposalId approvedBlocks approvedTaskIds approvedArchiveIds | proposalId:s
system_showWorkflowHistory | | workflowType limit includeDetails | workflows/0/id:s workflows/0/type:s workflows/0/executedAt:s workflows/0/status:s workflows/0/changes:a workflows/0/outcome:s
system_resumeWorkflow | | workflowId | resumed:n workflows/0/workflowId:s workflows/0/type:s workflows/0/state:s
system_provideFeedback | type category message | | kept:b
system_showPatterns | | timeframe | patterns/0/pattern:s patterns/0/confidence:n patterns/0/examples:a
system_clearContext | scope | | exchangesForgotten:n proposalsCalledOff:n
schedule_findGaps | date minDuration | between | totalAvailableMinutes:n gaps/0/startTime:s gaps/0/endTime:s gaps/0/duration:n
schedule_batchCreateBlocks | date blocks | | created:a conflicts/0/block:o conflicts/0/reason:s conflicts/0/conflictsWith:a
schedule_analyzeUtilization | date | | utilization:n focusTime:n fragmentedTime:n suggestions/0:s
task_getBacklogWithScores | | minScore maxDuration includeCompleted | averageScore:n totalTasks:n tasks/0/id:s tasks/0/title:s tasks/0/score:n tasks/0/estimatedMinutes:n tasks/0/scoreBreakdown/priority:n tasks/0/scoreBreakdown/age:n tasks/0/scoreBreakdown/urgency:n
task_assignToTimeBlock | taskIds blockId | | assigned:a failed/0/taskId:s failed/0/reason:s
task_suggestForDuration | duration strategy | | suggestions/0/combination:a suggestions/0/totalMinutes:n suggestions/0/totalScore:n suggestions/0/reasoning:s
email_getBacklog | | status limit | total:n emails/0/id:s emails/0/from:s emails/0/subject:s emails/0/receivedAt:s emails/0/status:s emails/0/hasAttachments:b
email_categorizeEmail | emailId | | category:s confidence:n suggestedAction:s
email_batchCategorize | emailIds | | categorized/0/emailId:s categorized/0/category:s categorized/0/urgencyScore:n
email_groupBySender | emailIds | minGroupSize | groups/0/sender:s groups/0/count:n groups/0/emailIds:a
email_archiveBatch | emailIds | reason | archived:n failed:a
email_createTaskFromEmail | emailId | customTitle | task/id:s task/title:s task/description:s task/estimatedMinutes:n task/source:s
system_presentProposal | | proposalId | proposalId:s text:s items:a
system_awaitConfirmation | | proposalId | confirmed:b proposal/status:s proposal/approvalId:s proposal/expiresAt:s
system_modifyProposal | changes | proposalId | proposalId:s revision:n";

fn tools() -> impl Iterator<Item = [&'static str; 4]> {
    let columns = |line: &'static str| line.split('|').map(str::trim).collect::<Vec<_>>();
    TOOLS
        .lines()
        .map(move |line| columns(line).try_into().unwrap())
}

#[test]
fn the_36_tools_take_what_the_seed_says() {
    assert_eq!(tools().count(), 36);
    for [name, needed, optional, _] in tools() {
        let tool = crate::tool(name).unwrap_or_else(|| panic!("{name} is missing"));
        let schema = tool.schema();
        let required = schema["required"].as_array().into_iter().flatten();
        let required: BTreeSet<&str> = required.filter_map(Value::as_str).collect();
        assert_eq!(required, needed.split_whitespace().collect(), "{name}");
        for field in optional.split_whitespace() {
            let taken = schema["properties"][field].is_object();
            assert!(taken, "{name} takes no {field}");
        }
    }
}

/// Calls a tool, checks its result fields and returns its data.
async fn given(harness: &ToolHarness, name: &str, arguments: Value) -> Value {
    let data = harness.ok(name, arguments).await;
    let [.., fields] = tools().find(|tool| tool[0] == name).unwrap();
    for field in fields.split_whitespace() {
        let (path, kind) = field.split_once(':').unwrap();
        let there = data.pointer(&format!("/{path}"));
        let fits = there.is_some_and(|there| match kind {
            "s" => there.is_string(),
            "n" => there.is_number(),
            "b" => there.is_boolean(),
            "a" => there.is_array(),
            _ => there.is_object(),
        });
        assert!(fits, "{name}: {path} is no {kind}: {data:#}");
    }
    data
}

#[tokio::test]
async fn schedule_and_task_tools_give_what_the_seed_says() {
    let harness = ToolHarness::at("2026-11-20T07:00:00Z");
    let gives = |name: &'static str, arguments: Value| given(&harness, name, arguments);
    let block = json!({"date": "today", "type": "work", "title": "Focus", "startTime": "09:00", "endTime": "11:00"});
    let made = gives("schedule_createTimeBlock", block).await;
    let block = made["block"]["id"].clone();
    let task = gives("task_createTask", json!({"title": "Report"})).await;
    gives("schedule_viewSchedule", json!({"date": "today"})).await;
    gives(
        "schedule_findGaps",
        json!({"date": "today", "minDuration": 30}),
    )
    .await;
    gives("schedule_analyzeUtilization", json!({"date": "today"})).await;
    let new = json!({"type": "work", "title": "X", "startTime": "10:00", "endTime": "12:00"});
    let batch = json!({"date": "today", "blocks": [new]});
    gives("schedule_batchCreateBlocks", batch).await;
    gives("task_getBacklogWithScores", json!({})).await;
    gives(
        "task_suggestForDuration",
        json!({"duration": 60, "strategy": "mixed"}),
    )
    .await;
    let assign = json!({"taskIds": [task["task"]["id"], "tsk_9"], "blockId": block});
    let assigned = gives("task_assignToTimeBlock", assign).await;
    assert_eq!(assigned["assigned"], json!([task["task"]["id"]]));
    gives("schedule_fillWorkBlock", json!({"blockId": block})).await;
    gives(
        "schedule_moveTimeBlock",
        json!({"blockId": block, "newStartTime": "13:00"}),
    )
    .await;
    gives("task_viewTasks", json!({})).await;
    gives(
        "task_updateTask",
        json!({"taskId": "Report", "priority": "high"}),
    )
    .await;
    gives("task_completeTask", json!({"taskId": "Report"})).await;
    gives("schedule_deleteTimeBlock", json!({"blockId": block})).await;
    harness.register("U1", |_| ()).await;
    gives(
        "preference_updatePreferences",
        json!({"lunchTime": "13:00"}),
    )
    .await;
}

#[tokio::test]
async fn email_tools_give_what_the_seed_says() {
    let (harness, mails) = inbox();
    let gives = |name: &'static str, arguments: Value| given(&harness, name, arguments);
    for n in 0..2 {
        let asks = arriving(
            &format!("x{n}"),
            "ben@x.example",
            "Can you send it?",
            "Can you?",
        );
        mails.arrive(&harness.context.account(), asks);
    }
    gives("email_getBacklog", json!({})).await;
    gives("email_viewEmails", json!({})).await;
    gives("email_readEmail", json!({"emailId": "x0"})).await;
    gives("email_categorizeEmail", json!({"emailId": "x0"})).await;
    let ids = json!({"emailIds": ["x0", "x1"]});
    gives("email_batchCategorize", ids.clone()).await;
    gives("email_groupBySender", ids).await;
    let task = gives("email_createTaskFromEmail", json!({"emailId": "x0"})).await;
    assert_eq!(task["task"]["source"], "email");
    let gone = json!({"emailIds": ["x0", "nothing"], "reason": "done"});
    let archived = gives("email_archiveBatch", gone).await;
    assert_eq!(archived["archived"], 1);
    assert_eq!(archived["failed"], json!(["nothing"]));
    gives(
        "email_processEmail",
        json!({"emailId": "x1", "action": "archive"}),
    )
    .await;
}

#[tokio::test]
async fn calendar_and_system_tools_give_what_the_seed_says() {
    let harness = ToolHarness::at("2026-11-17T00:00:00Z").later("2026-11-20T07:00:00Z");
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
    let gives = |name: &'static str, arguments: Value| given(&harness, name, arguments);
    let args = json!({"attendees": ["ben@x.example"], "needsPrepTime": true});
    gives("calendar_scheduleMeeting", args).await;
    let move_it = json!({"eventId": "e1", "newTime": "2026-11-23T14:00"});
    gives("calendar_rescheduleMeeting", move_it).await;
    harness.propose("apr_1", |_| ()).await;
    gives("system_presentProposal", json!({})).await;
    gives("system_awaitConfirmation", json!({})).await;
    gives("system_confirmProposal", json!({"approved": false})).await;
    gives(
        "system_modifyProposal",
        json!({"changes": {"noLunch": true}}),
    )
    .await;
    harness
        .executed("workflow_schedule", "run_1:c1", |_| ())
        .await;
    gives("system_showWorkflowHistory", json!({})).await;
    gives("system_resumeWorkflow", json!({})).await;
    for n in 17..20 {
        let day = format!("2026-11-{n}");
        harness.block(&day, "break 12:00-13:00 Lunch").await;
    }
    gives("system_showPatterns", json!({"timeframe": "month"})).await;
    let feedback = json!({"type": "bug", "category": "c", "message": "m"});
    gives("system_provideFeedback", feedback).await;
    gives("system_clearContext", json!({"scope": "all"})).await;
}
