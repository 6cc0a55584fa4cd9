use crate::testing::*;

const TOOL: &str = "email_getBacklog";

#[tokio::test]
async fn unread_and_put_off_mail_waits() {
    let (harness, _) = inbox();
    let account = harness.context.account();
    let mail = &harness.context.accounts.mail;
    for (id, status) in [
        ("Ten tables we liked", MailStatus::Backlog),
        ("Lunch?", MailStatus::Processed),
    ] {
        mail.set_status(&account, &id.into(), status).await.unwrap();
    }
    for (args, ids, total) in [
        (
            json!({}),
            vec!["Budget for the spring", "Ten tables we liked"],
            2,
        ),
        (
            json!({"status": ["unread"]}),
            vec!["Budget for the spring"],
            1,
        ),
        (
            json!({"status": ["backlog"]}),
            vec!["Ten tables we liked"],
            1,
        ),
        (json!({"limit": 1}), vec!["Budget for the spring"], 2),
    ] {
        let data = harness.ok(TOOL, args.clone()).await;
        assert_eq!(each(&data["emails"], "id"), ids, "{args}");
        assert_eq!(data["total"], total, "{args}");
    }
    let data = harness.ok(TOOL, json!({"limit": 1})).await;
    assert_eq!(
        data["emails"][0],
        json!({
            "id": "Budget for the spring", "from": "Ben Okafor <ben@example.com>",
            "subject": "Budget for the spring", "receivedAt": "2026-11-20T09:30:00Z",
            "status": "unread", "hasAttachments": true,
        })
    );
}

#[tokio::test]
async fn bounds_are_named() {
    let (harness, _) = inbox();
    assert_snapshot!(harness.fails(TOOL, json!({"limit": 501})).await, @r#"limit: "501" is out of range: 1 to 500."#);
    assert_snapshot!(harness.fails(TOOL, json!({"status": ["read"]})).await, @r#"bad arguments: status.0: "read" is none of "unread", "backlog""#);
}
