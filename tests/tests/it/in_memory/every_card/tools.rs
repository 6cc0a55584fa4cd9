use insta::assert_snapshot;

use super::cards;

#[tokio::test]
async fn tasks() {
    assert_snapshot!(cards(&["task"]).await, @r#"
== task_createTask
Create a task
Title: Book a room
Estimated minutes: 15
Priority: medium
Due date: 2026-11-22
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== task_deleteTask
Delete a task
Title: Write the report
Estimated minutes: 60
Priority: medium
Why I ask: 
• an administrator wants it asked
• it can't be undone
[Approve] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== task_updateTask
Change a task
Task: Write the report
Title: Write the report → Write the summary
Estimated minutes: 60 → 90
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== task_completeTask
Mark a task as done
Task: Write the report
Description: + Sent to Ben
Status: backlog → completed
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== task_assignToTimeBlock
Plan 2 tasks for a block
Block: Focus
When: 2026-11-22 09:00–12:00
│ Write the report (60 min)
│ Call Dana (30 min)
Why I ask: an administrator wants it asked
[Approve] [Reject] [Reject, and say why] [View full] [Approve, and remember]
"#);
}

#[tokio::test]
async fn blocks() {
    assert_snapshot!(cards(&["schedule"]).await, @r#"
== schedule_createTimeBlock
Create one block
Title: Mail
When: 2026-11-22 14:00–15:00
Type: work
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== schedule_moveTimeBlock
Move a time block
Block: Focus
When: 2026-11-22 09:00–12:00 → 2026-11-22 13:00–16:00
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== schedule_deleteTimeBlock
Delete a time block
Title: Focus
When: 2026-11-22 09:00–12:00
Type: work
Why I ask: 
• an administrator wants it asked
• it can't be undone
[Approve] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== schedule_fillWorkBlock
Plan 2 tasks for a block
Block: Focus
When: 2026-11-22 09:00–12:00
│ Write the report (60 min)
│ Call Dana (30 min)
Why I ask: an administrator wants it asked
[Approve] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== schedule_batchCreateBlocks
Create one block
Day: 2026-11-22
│ 16:00–17:00 Dentist
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]
"#);
}

#[tokio::test]
async fn focus_blocks() {
    assert_snapshot!(cards(&["focus"]).await, @"
== focus_makeRoom
A meeting landed on your focus block
Focus block: Focus
Meeting: Sales, 10:00–11:00
When: Sun 22 Nov 09:00–12:00 → Sun 22 Nov 13:00–16:00
Why I ask: 
• an administrator wants it asked
• this is always asked
[Move it] [Leave it] [View full]
");
}

#[tokio::test]
async fn documents_and_sheets() {
    assert_snapshot!(cards(&["docs"]).await, @"
== docs_createDocument
Create a document
Title: Agenda
│ - oak
│ - ash
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== docs_appendToDocument
Add to a document
Document: Offsite notes
Version: 2026-11-19 09:00:00
│ - dinner: open
Why I ask: 
• an administrator wants it asked
• it reaches other people
[Approve] [Edit] [Reject] [Reject, and say why] [View full]

== docs_updateDocument
Change a document
Document: Offsite notes
Version: 2026-11-19 09:00:00
Lines, as it is: - house: open
Lines, as it would be: 
│ - house: Sintra
│ - dinner: there
Why I ask: 
• an administrator wants it asked
• it reaches other people
[Approve] [Edit] [Reject] [Reject, and say why] [View full]
");
    assert_snapshot!(cards(&["sheets"]).await, @"
== sheets_createSheet
Create a sheet
Title: Guests
Columns: Name, Comes
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== sheets_appendRows
Add 2 rows to a sheet
Sheet: Offsite budget
Tab: Costs
Version: 2026-11-19 09:00:00
│ Train | 96.6 | TRUE
│ '=SUM(B1:B2)
Why I ask: 
• an administrator wants it asked
• it reaches other people
[Approve] [Reject] [Reject, and say why] [View full]

== sheets_updateCells
Change cells of a sheet
Sheet: Offsite budget
Tab: Costs
Version: 2026-11-19 09:00:00
A1: House → Villa
B1: 640 → 700
Why I ask: 
• an administrator wants it asked
• it reaches other people
[Approve] [Edit] [Reject] [Reject, and say why] [View full]
");
}

#[tokio::test]
async fn the_web() {
    assert_snapshot!(cards(&["web"]).await, @"
== web_search
Search the web
For: museum hours
Only on: museum.example
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== web_readPage
Open a page
Address: https://museum.example/hours?day=monday
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]
");
}

#[tokio::test]
async fn reminders() {
    assert_snapshot!(cards(&["job"]).await, @"
== job_createJob
Set a reminder
Name: Call Ben
When: Sat 21 Nov 10:20
│ Call Ben
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== job_createJob
Schedule a job
Name: What is new in my mail?
When: every Mon, Fri at 08:00
│ What is new in my mail?
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== job_updateJob
Change what is scheduled
Name: Water the plants
When: every Sat at 18:00 → every Sat at 19:30
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== job_deleteJob
Delete what is scheduled
Name: Water the plants
When: every Sat at 18:00
What: Water the plants
Why I ask: an administrator wants it asked
[Approve] [Reject] [Reject, and say why] [View full] [Approve, and remember]
");
}

#[tokio::test]
async fn settings() {
    assert_snapshot!(cards(&["preference"]).await, @"
== preference_updatePreferences
Change your preferences
Work start time: 09:00 → 08:00
Lunch time: 12:00 → 13:00
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]
");
}
