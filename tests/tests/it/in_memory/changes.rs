use alfred_core::ports::Mailbox;
use insta::assert_snapshot;
use serde_json::json;

use crate::in_memory::approvals::waiting;
use crate::in_memory::proposing::{mail, places, run, world};

#[tokio::test]
async fn a_mail_that_is_to_stay_stays_in_whatever_words() {
    let mut world = world().await;
    let from = |name: &str, address: &str| Mailbox::new(name, address);
    let mails = vec![
        mail(
            "m1",
            from("Shop", "news@shop.example"),
            "This week's offers",
            true,
        ),
        mail(
            "m2",
            from("Shop", "orders@shop.example"),
            "Your order has shipped",
            true,
        ),
        mail(
            "m3",
            from("Ben", "ben@example.com"),
            "Can you send me the figures?",
            false,
        ),
    ];
    world.has_mails(mails);
    let changes = json!({"keep": ["shop order", "invoice"], "archive": ["figures"], "unmet": ["den Rest morgen"]});
    let arguments = json!({"changes": changes});
    let triage = world.proposed("workflow_fillEmailBlock", arguments).await;
    assert_eq!(
        triage.payload["confirmation"]["approvedArchiveIds"],
        json!(["m3", "m1"])
    );
    assert_snapshot!(triage.preview.as_text(), @r#"
Triage your mail: 3 e-mails wait
To archive (2): • Ben <ben@example.com>: Can you send me the figures?
• Shop <news@shop.example>: This week's offers
Stays in the inbox (1): Shop <orders@shop.example>: Your order has shipped

No waiting mail fits "invoice".
Not done: "den Rest morgen".
"#);
}

#[tokio::test]
async fn a_work_block_is_filled_as_it_is_wanted() {
    let mut world = world().await;
    for (title, minutes, priority) in [
        ("Write the report", 60, "high"),
        ("Call the bank", 30, "high"),
        ("File the receipts", 30, "low"),
        ("Sort the archive", 120, "low"),
    ] {
        let task = json!({"title": title, "estimatedMinutes": minutes, "priority": priority});
        world.called("task_createTask", task).await;
    }
    world.block("tomorrow", "work 09:00-11:00 Focus time").await;
    let changes =
        json!({"first": ["receipts", "archive"], "drop": ["bank", "foo"], "atMostMinutes": 90});
    let arguments = json!({"blockId": "focus", "changes": changes});
    let filled = world.proposed("workflow_fillWorkBlock", arguments).await;
    assert_snapshot!(filled.preview.body.unwrap(), @r#"
• File the receipts (30 min, low priority, score 10)
• Write the report (60 min, high priority, score 50)

No task fits "foo".
"Sort the archive" takes 120 minutes, more than the 60 that are left.
Chosen from 3 tasks that fit.
2 tasks take 90 of 90 minutes.
"#);
    let few = json!({"blockId": "focus", "changes": {"atMostTasks": 1}});
    let few = world.proposed("workflow_fillWorkBlock", few).await;
    assert_eq!(places(&few).len(), 1);
}

#[tokio::test]
async fn a_bad_change_is_refused_by_the_name_of_its_field() {
    let mut world = world().await;
    let mut said = Vec::new();
    for changes in [
        json!({"lunchAt": "soon"}),
        json!({"lunchMinutes": "an hour"}),
        json!({"breakMinutes": 600}),
        json!({"siesta": true}),
    ] {
        let trigger = world.next_trigger();
        let arguments = json!({"date": "tomorrow", "changes": changes});
        world
            .ask(run("workflow_schedule", arguments, &trigger))
            .await;
        said.push(world.answers().pop().unwrap());
        assert!(waiting(&world).await.is_empty());
    }
    assert_snapshot!(said.join("\n"), @r#"
That didn't work: “soon” is no time. A time such as 14:00, 9am, 2:30 pm or noon would do.
Nothing was sent or changed.
workflow_schedule can't take that: changes.lunchMinutes: "an hour" is not of type "integer".
That didn't work: Break minutes: “600” is out of range: it runs from 5 to 60 minutes.
Nothing was sent or changed.
workflow_schedule can't take that: changes: Additional properties are not allowed ('siesta' was unexpected).
"#);
}
