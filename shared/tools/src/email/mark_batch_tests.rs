use crate::testing::*;

const TOOL: &str = "email_markBatch";

#[tokio::test]
async fn what_is_marked_stays_in_the_inbox_and_gets_its_state_back() {
    let (harness, _) = inbox();
    let read = "Größe der Tische – Entwurf";
    let args = json!({"emailIds": ["Lunch?", read, "Old plans", "m-9"]});
    let output = harness.output(TOOL, args).await;
    assert_eq!(output.data["marked"], 2);
    assert_eq!(output.data["failed"], json!(["m-9", "Old plans"]));
    assert_eq!(
        output.data["problems"][1]["reason"],
        "It was dealt with or archived already."
    );
    let receipt = output.receipt.unwrap();
    assert_eq!(receipt.what, "Marked 2 e-mails for processing");
    assert_eq!(status(&harness, "Lunch?").await, MailStatus::Backlog);
    let waits = harness.ok("email_getBacklog", json!({})).await;
    assert!(waits.to_string().contains("Lunch?"), "{waits}");
    harness.undo(receipt.undo).await;
    assert_eq!(status(&harness, "Lunch?").await, MailStatus::Unread);
    assert_eq!(status(&harness, read).await, MailStatus::Read);
    assert_eq!(status(&harness, "Old plans").await, MailStatus::Archived);
}

/// The undo of an undo must mark, not archive.
#[tokio::test]
async fn an_undo_that_is_undone_marks_again() {
    let (harness, _) = inbox();
    let marked = harness.output(TOOL, json!({"emailIds": ["Lunch?"]})).await;
    let undo = marked.receipt.unwrap().undo.remove(0);
    let mut later = harness.clone();
    later.context.call.key = "run_2:c1".into();
    let back = later.output(&undo.tool, undo.arguments).await;
    assert_eq!(status(&harness, "Lunch?").await, MailStatus::Unread);
    later.undo(back.receipt.unwrap().undo).await;
    assert_eq!(status(&harness, "Lunch?").await, MailStatus::Backlog);
}
