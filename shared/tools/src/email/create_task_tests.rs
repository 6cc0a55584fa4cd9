use crate::testing::*;

const TOOL: &str = "email_createTaskFromEmail";

#[tokio::test]
async fn a_mail_becomes_a_tainted_task_that_names_it() {
    let (harness, mail) = inbox();
    let words = "Hi Ana, please send the signed contract by Friday.\n\n> Can you?";
    let asks = arriving("m-1", "zoe@harbour.example", "Re: Fwd: Contract", words);
    mail.arrive(&harness.context.account(), asks);
    let output = harness.output(TOOL, json!({"emailId": "m-1"})).await;
    let task = output.data["task"].clone();
    assert_eq!(task["title"], "Send the signed contract by Friday");
    assert_eq!(task["estimatedMinutes"], 30);
    assert_eq!(task["source"], "email");
    let description = task["description"].as_str().unwrap();
    assert!(description.contains("zoe@harbour.example"), "{description}");
    assert!(description.ends_with("E-mail: m-1"), "{description}");
    assert!(!description.contains("Can you?"), "{description}");
    let stored = harness.output("task_viewTasks", json!({})).await;
    assert_eq!(stored.data["tasks"][0]["id"], task["id"]);
    let flow = stored.flow.unwrap();
    assert!(
        flow.untrusted && flow.private,
        "whoever reads it has read mail"
    );
    harness.undo(output.receipt.unwrap().undo).await;
    assert_eq!(harness.ok("task_viewTasks", json!({})).await["total"], 0);
}

#[tokio::test]
async fn a_title_of_ones_own_and_odd_mails() {
    let (harness, mail) = inbox();
    let account = harness.context.account();
    mail.arrive(&account, arriving("m-1", "a@b.example", "", ""));
    mail.arrive(
        &account,
        arriving("m-2", "a@b.example", &"s".repeat(900), &"w ".repeat(9_000)),
    );
    let data = harness
        .ok(
            TOOL,
            json!({"emailId": "m-1", "customTitle": " Call\nthem "}),
        )
        .await;
    assert_eq!(data["task"]["title"], "Call them");
    let data = harness.ok(TOOL, json!({"emailId": "m-1"})).await;
    let title = data["task"]["title"].as_str().unwrap();
    assert!(!title.is_empty(), "{data}");
    let data = harness.ok(TOOL, json!({"emailId": "m-2"})).await;
    let chars = |field: &str| data["task"][field].as_str().unwrap().chars().count();
    assert!(
        chars("title") <= 200 && chars("description") <= 2_000,
        "{data}"
    );
}

#[tokio::test]
async fn nothing_is_made_of_what_isnt_there() {
    let (harness, _) = inbox();
    for (harness, args, part) in [
        (
            harness.clone(),
            json!({"emailId": "m-9"}),
            "isn't among the e-mails",
        ),
        (
            harness.clone(),
            json!({"emailId": "Lunch?", "customTitle": " "}),
            "customTitle: ",
        ),
        (
            harness.asked_by("T1", "U2"),
            json!({"emailId": "Lunch?"}),
            "haven't connected",
        ),
    ] {
        let error = harness.fails(TOOL, args).await;
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(harness.ok("task_viewTasks", json!({})).await["total"], 0);
}
