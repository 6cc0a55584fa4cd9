use alfred_agent::tool::Resolution;
use alfred_core::ports::{Calendar, Mail};
use alfred_testkit::{MemoryCalendar, When};

use crate::testing::*;

async fn resolved(harness: &ToolHarness, workflow: &str, wish: Value) -> Resolution {
    let tool = crate::tool(workflow).unwrap();
    tool.resolve(&harness.context, wish).await.unwrap()
}

/// The card of a workflow that proposes something.
async fn card(harness: &ToolHarness, workflow: &str, wish: Value) -> String {
    match resolved(harness, workflow, wish).await {
        Resolution::Call(payload) => {
            let card = harness.preview(workflow, payload).await;
            card.unwrap().as_text()
        }
        Resolution::Nothing(output) => panic!("{workflow} proposes nothing: {:?}", output.data),
    }
}

fn not_reached() -> AccountError {
    AccountError::NotReached {
        detail: "a fault".to_owned(),
        retry_after: None,
    }
}

#[tokio::test]
async fn a_day_is_planned_without_its_calendar_and_the_card_names_the_failed_step() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z").calendar_fails(not_reached);
    harness.task("Write the report", 60, "high").await;
    let card = card(&harness, "workflow_schedule", json!({"date": "tomorrow"})).await;
    let lines = card.lines().map(str::trim);
    let lines = lines.filter(|line| line.contains("calendar") || line.contains("report"));
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @r"
    • Write the report (60 min)
    The calendar could not be read just now, so its meetings are missing here.
    Finding free time didn't work: The calendar could not be read just now, so nothing was planned around it. Try again later.
    ");
}

#[tokio::test]
async fn mail_that_cannot_be_grouped_by_sender_is_proposed_ungrouped() {
    let (harness, mails) = inbox();
    let account = harness.context.account();
    let mut news = arriving("n1", "news@x.example", "Offers", "Buy now.");
    news.summary.automated = true;
    mails.arrive(&account, news);
    mails.arrive(
        &account,
        arriving("q1", "ben@x.example", "Can you send it?", "Can you?"),
    );
    let mail: Arc<dyn Mail> = harness.faults.before(mails);
    let harness = harness.mail(mail);
    let (when, error) = (When::Before, AccountError::refused("It is locked."));
    harness.faults.fail_next("mail.summaries", when, error);
    let card = card(&harness, "workflow_fillEmailBlock", json!({})).await;
    assert!(card.contains("ben@x.example: Can you send it?"), "{card}");
    let failed = "Grouping by sender didn't work: ";
    assert!(card.contains(failed), "{card}");
}

/// Half an hour past midnight until half past three, on a night when clocks change.
#[tokio::test]
async fn a_block_over_a_clock_change_has_the_minutes_that_pass() {
    for (date, free) in [("2026-03-29", 120), ("2026-10-25", 240)] {
        let now = format!("{date}T00:00:00Z")
            .parse::<jiff::Timestamp>()
            .unwrap();
        let before = now - jiff::SignedDuration::from_hours(12);
        let harness = ToolHarness::at(&before.to_string()).zone("Europe/Lisbon");
        harness.block(date, "work 00:30-03:30 Night shift").await;
        harness.task("Check the logs", 30, "high").await;
        let card = card(&harness, "workflow_fillWorkBlock", json!({})).await;
        assert!(
            card.contains(&format!("Free: {free} min")),
            "{date}: {card}"
        );
    }
}

#[tokio::test]
async fn a_block_is_found_with_one_read_of_the_calendar() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    harness.block("2026-12-04", "work 09:00-11:00 Focus").await;
    harness.task("Write the report", 60, "high").await;
    let calendar: Arc<dyn Calendar> = harness.faults.before(Arc::new(MemoryCalendar::default()));
    let harness = harness.calendar(calendar);
    card(&harness, "workflow_fillWorkBlock", json!({})).await;
    assert_eq!(harness.faults.calls("calendar.events"), 1);
}

/// Whether there is something to decide or not.
#[tokio::test]
async fn the_first_phase_returns_these_fields_and_no_others() {
    let fields = [
        "changes",
        "message",
        "phase",
        "proposals",
        "requiresConfirmation",
        "success",
    ];
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    let mails = MemoryMail::new(harness.context.clock.clone());
    let (account, owner) = (harness.context.account(), Mailbox::new("", "u1@x.example"));
    let harness = harness.mail(Arc::new(mails.with(&account, owner, Vec::new())));
    harness.block("tomorrow", "blocked 00:00-24:00 Away").await;
    harness.block("monday", "work 09:00-11:00 Focus").await;
    let workflows = [
        ("workflow_schedule", "tomorrow"),
        ("workflow_fillWorkBlock", ""),
        ("workflow_fillEmailBlock", ""),
    ];
    for (workflow, date) in workflows {
        let wish = if date.is_empty() {
            json!({})
        } else {
            json!({"date": date})
        };
        let Resolution::Nothing(output) = resolved(&harness, workflow, wish).await else {
            panic!("{workflow} proposes something");
        };
        let keys: Vec<&String> = output.data.keys().collect();
        assert_eq!(keys, fields, "{workflow}");
        assert_eq!(output.data["requiresConfirmation"], false, "{workflow}");
    }
}

#[tokio::test]
async fn a_proposal_that_waits_is_presented_with_its_first_phase() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    harness.propose("apr_1", |_| ()).await;
    let shown = harness.ok("system_presentProposal", json!({})).await;
    let item =
        |label: &str| json!({"step": "schedule_batchCreateBlocks", "label": label, "why": ""});
    let expected = json!({
        "success": true,
        "phase": "proposal",
        "requiresConfirmation": true,
        "proposals": [item("09:00–10:00 Focus"), item("10:00–10:30 Mail")],
        "changes": [],
        "message": "Plan Sunday, 22 November 2026. Shall I go ahead?",
    });
    assert_eq!(shown["proposal"], expected);
}
