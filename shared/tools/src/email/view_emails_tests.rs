use crate::testing::*;

const TOOL: &str = "email_viewEmails";

#[tokio::test]
async fn the_newest_come_first_and_archived_ones_stay_away() {
    let (harness, _) = inbox();
    let data = harness.ok(TOOL, json!({})).await;
    let subjects = each(&data["emails"], "subject");
    let expected = [
        "Lunch?",
        "Budget for the spring",
        "Ten tables we liked",
        "Größe der Tische – Entwurf",
    ];
    assert_eq!(subjects, expected);
    assert_eq!(data["total"], 4);
    assert_eq!(
        data["emails"][1],
        json!({
            "id": "Budget for the spring", "from": "Ben Okafor <ben@example.com>",
            "subject": "Budget for the spring", "receivedAt": "2026-11-20T09:30:00Z",
            "status": "unread", "hasAttachments": true,
            "snippet": "Hello Ana, could you look at the numbers by Monday? Ben",
        })
    );
}

#[tokio::test]
async fn states_words_senders_and_days_select() {
    let (harness, _) = inbox();
    for (args, ids) in [
        (json!({"status": ["archived"]}), vec!["Old plans"]),
        (
            json!({"query": "ben numbers"}),
            vec!["Budget for the spring"],
        ),
        (
            json!({"from": "kestrel.example"}),
            vec!["Ten tables we liked"],
        ),
        (
            json!({"since": "yesterday"}),
            vec!["Lunch?", "Budget for the spring"],
        ),
        (json!({"query": "nothing of it"}), vec![]),
    ] {
        let data = harness.ok(TOOL, args.clone()).await;
        assert_eq!(each(&data["emails"], "id"), ids, "{args}");
    }
}

#[tokio::test]
async fn pages_follow_one_another() {
    let (harness, _) = inbox();
    let first = harness.ok(TOOL, json!({"limit": 3})).await;
    assert_eq!(first["total"], 4);
    let next = json!({"limit": 3, "cursor": first["nextCursor"]});
    let second = harness.ok(TOOL, next).await;
    assert_eq!(each(&second["emails"], "id").len(), 1);
    assert_eq!(second.get("nextCursor"), None);
}

#[tokio::test]
async fn what_cant_be_read_is_named_beside_the_rest() {
    let (harness, mail) = inbox();
    let broken = Unreadable {
        name: "broken.eml".into(),
        reason: "The file isn't a mail.".into(),
    };
    mail.spoil(&harness.context.account(), broken);
    let data = harness.ok(TOOL, json!({})).await;
    assert_eq!(data["unreadable"][0]["name"], "broken.eml");
    assert_eq!(data["total"], 4);
}

#[tokio::test]
async fn bad_values_are_named() {
    let (harness, _) = inbox();
    for (args, part) in [
        (
            json!({"limit": 0}),
            "limit: \"0\" is out of range: 1 to 100",
        ),
        (json!({"limit": 101}), "limit: \"101\""),
        (json!({"since": "someday"}), "since: \"someday\" is no date"),
        (json!({"query": "x".repeat(501)}), "query: "),
        (json!({"cursor": "7000"}), "`cursor`"),
        (json!({"status": ["lost"]}), "lost"),
    ] {
        let error = harness.fails(TOOL, args).await;
        assert!(error.contains(part), "{error}");
    }
}

#[tokio::test]
async fn whoever_has_no_account_is_told_which_one_is_needed() {
    let (harness, _) = inbox();
    for stranger in [harness.asked_by("T1", "U2"), harness.asked_by("T2", "U1")] {
        for (tool, args) in [
            (TOOL, json!({})),
            ("email_getBacklog", json!({})),
            ("email_readEmail", json!({"emailId": "Lunch?"})),
            ("email_categorizeEmail", json!({"emailId": "Lunch?"})),
            ("email_batchCategorize", json!({"emailIds": ["Lunch?"]})),
            ("email_groupBySender", json!({"emailIds": ["Lunch?"]})),
        ] {
            let error = stranger.fails(tool, args).await;
            let words = "needs your e-mail account, and you haven't connected one yet.";
            assert_eq!(error, format!("That {words}"));
        }
    }
}

#[test]
fn whoever_reads_mail_has_read_other_peoples_private_words() {
    let tools = [crate::toolset("email"), crate::toolset("triage")].concat();
    assert_eq!(tools.len(), 17);
    let read = tools.iter().filter(|tool| !tool.def().flow.steers);
    for tool in read {
        assert_eq!(tool.def().flow, Flow::UNKNOWN, "{}", tool.def().name);
    }
}

#[tokio::test]
async fn without_any_account_it_says_so_too() {
    let error = ToolHarness::at("2026-11-21T12:00:00Z")
        .fails(TOOL, json!({}))
        .await;
    assert_snapshot!(error, @"That needs your e-mail account, and you haven't connected one yet.");
}
