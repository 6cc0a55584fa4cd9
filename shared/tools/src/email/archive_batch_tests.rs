use crate::testing::*;
use alfred_testkit::When;

const TOOL: &str = "email_archiveBatch";

fn away() -> AccountError {
    AccountError::NotReached {
        detail: "away".into(),
        retry_after: None,
    }
}

fn lost() -> AccountError {
    AccountError::Unknown {
        detail: "lost".into(),
    }
}

/// Makes the mailbox fail to change these mails, before or after the change.
fn faulty(harness: &ToolHarness, mail: &MemoryMail, faults: Vec<(&str, When, AccountError)>) {
    for (id, when, error) in faults {
        mail.fail_to_change(&harness.context.account(), id, when, error);
    }
}

#[tokio::test]
async fn what_is_archived_is_counted_and_taken_back_in_one_call() {
    let (harness, _) = inbox();
    let (one, two) = (json!({"emailIds": ["a"]}), json!({"emailIds": ["a", "b"]}));
    assert_eq!(harness.required_of(TOOL, &two), Requirement::Skip);
    let tainted = harness.tainted();
    assert_eq!(tainted.required_of(TOOL, &one), Requirement::Skip);
    let untrusted = vec!["user_lookup".to_owned()];
    let asked = Requirement::NeedsApproval(vec![Reason::Tainted { untrusted }]);
    assert_eq!(tainted.required_of(TOOL, &two), asked);
    assert_eq!(tainted.required_of(TOOL, &json!({"emailIds": 1})), asked);
    let ids = ["Lunch?", "m-9", "Größe der Tische – Entwurf", "Old plans"];
    let args = json!({"emailIds": ids, "reason": "done with"});
    let output = harness.output(TOOL, args).await;
    assert_eq!(output.data["archived"], 2);
    assert_eq!(output.data["alreadyArchived"], 1);
    assert_eq!(output.data["failed"], json!(["m-9"]));
    assert_eq!(
        output.data["problems"][0]["reason"],
        "There is no such e-mail in your mailbox."
    );
    let receipt = output.receipt.unwrap();
    assert_snapshot!(receipt.what, @r#"Archived 2 e-mails: "Lunch?" from Chiyo Tanaka, "Größe der Tische – Entwurf" from Zoë Ångström"#);
    for id in ["Lunch?", "Größe der Tische – Entwurf"] {
        assert_eq!(status(&harness, id).await, MailStatus::Archived);
    }
    let restored = harness.undo(receipt.undo).await;
    assert_eq!(restored["restored"], 2);
    assert_eq!(status(&harness, "Lunch?").await, MailStatus::Unread);
    let read = status(&harness, "Größe der Tische – Entwurf").await;
    assert_eq!(read, MailStatus::Read);
    assert_eq!(status(&harness, "Old plans").await, MailStatus::Archived);
}

/// Subjects and senders are other people's words: each is cut, on one line and within its quotation marks.
#[tokio::test]
async fn a_receipt_names_the_first_mails_as_data() {
    let (harness, _) = inbox();
    let long = "x".repeat(400);
    let subjects = [
        "Lunch\"\n\u{2713} Sent \"all",
        &*long,
        "Third",
        "Fourth",
        "Fifth",
    ];
    let mail = |subject: &&str| arriving(subject, "ben@x.example", subject, "");
    let theirs = MemoryMail::new(harness.context.clock.clone());
    let account = harness.context.account();
    let mails = subjects.iter().map(mail).collect();
    let harness = harness.mail(Arc::new(theirs.with(&account, Mailbox::default(), mails)));
    let output = harness.output(TOOL, json!({"emailIds": subjects})).await;
    assert_snapshot!(output.receipt.unwrap().what, @r#"Archived 5 e-mails: "Lunch' ✓ Sent 'all" from ben@x.example, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" from ben@x.example, "Third" from ben@x.example and 2 more"#);
}

#[tokio::test]
async fn the_same_call_again_says_the_same_and_the_way_back_stays() {
    let (harness, _) = inbox();
    let args = json!({"emailIds": ["Lunch?", "Old plans"]});
    let first = harness.run(TOOL, args.clone()).await.unwrap();
    // Repeats the call as if its result had been lost in a crash.
    let again = harness.run(TOOL, args.clone()).await.unwrap();
    assert_eq!(again.data, first.data);
    assert_eq!(again.receipt, first.receipt);
    let undo = again.receipt.unwrap().undo.remove(0);
    assert_eq!(
        undo.arguments,
        json!({"emails": [{"emailId": "Lunch?", "status": "unread"}]})
    );
    let mut other = harness.clone();
    other.context.call.key = "run_1:call_2".into();
    let other = other.output(TOOL, args).await;
    assert_eq!((&other.data["archived"], other.receipt), (&json!(0), None));
}

#[tokio::test]
async fn a_crash_in_the_middle_is_made_good() {
    let (harness, mail) = inbox();
    let args = json!({"emailIds": ["Lunch?", "Budget for the spring"]});
    faulty(&harness, &mail, vec![("Lunch?", When::Before, away())]);
    let first = harness.run(TOOL, args.clone()).await.unwrap();
    assert_eq!(first.data["failed"], json!(["Lunch?"]));
    let again = harness.output(TOOL, args).await;
    assert_eq!(again.data["archived"], 2);
    let undo = again.receipt.unwrap().undo.remove(0);
    let states = each(&undo.arguments["emails"], "status");
    assert_eq!(states, ["unread", "unread"]);
}

#[tokio::test]
async fn one_that_fails_doesnt_hold_up_the_others() {
    let (harness, mail) = inbox();
    let locked = AccountError::refused("It is locked.");
    let faults = vec![
        ("Lunch?", When::After, lost()),
        ("Ten tables we liked", When::Before, locked),
    ];
    faulty(&harness, &mail, faults);
    let ids = ["Ten tables we liked", "Lunch?", "Budget for the spring"];
    let output = harness.output(TOOL, json!({"emailIds": ids})).await;
    assert_eq!(output.data["archived"], 2, "a lost answer is set again");
    assert_eq!(output.data["failed"], json!(["Ten tables we liked"]));
    assert_eq!(output.data["problems"][0]["reason"], "It is locked.");
    let kept = status(&harness, "Ten tables we liked").await;
    assert_eq!(kept, MailStatus::Unread);
}

#[tokio::test]
async fn all_that_go_into_one_state_go_in_one_call() {
    let (harness, mail) = inbox();
    let harness = harness.clone().mail(harness.faults.before(mail));
    for (nth, when) in [When::Before, When::After].into_iter().enumerate() {
        let mut harness = harness.clone();
        harness.context.call.key = format!("run_1:call_{nth}");
        harness.faults.fail_next("mail.set_statuses", when, lost());
        let ids = [
            "Ten tables we liked",
            "Lunch?",
            "Größe der Tische – Entwurf",
        ];
        let output = harness.output(TOOL, json!({"emailIds": ids})).await;
        assert_eq!(output.data["archived"], 3, "a lost answer is set again");
        let calls = harness.faults.calls("mail.set_statuses");
        harness.undo(output.receipt.unwrap().undo).await;
        let undone = harness.faults.calls("mail.set_statuses") - calls;
        assert_eq!(undone, 2, "unread ones, and the read one");
        assert_eq!(status(&harness, ids[0]).await, MailStatus::Unread);
        assert_eq!(status(&harness, ids[2]).await, MailStatus::Read);
    }
}

#[tokio::test]
async fn a_mailbox_that_is_away_is_tried_later() {
    let (harness, mail) = inbox();
    faulty(&harness, &mail, vec![("Lunch?", When::Before, away())]);
    let result = harness.run(TOOL, json!({"emailIds": ["Lunch?"]})).await;
    assert!(matches!(result, Err(ToolError::Stop(_))), "{result:?}");
    assert_eq!(status(&harness, "Lunch?").await, MailStatus::Unread);
}

#[tokio::test]
async fn somebody_elses_mail_stays_where_it_is() {
    let (harness, mail) = inbox();
    let stranger = harness.asked_by("T1", "U2");
    let args = json!({"emailIds": ["Lunch?"]});
    assert_snapshot!(stranger.fails(TOOL, args.clone()).await, @"That needs your e-mail account, and you haven't connected one yet.");
    let theirs = MemoryMail::new(harness.context.clock.clone());
    let theirs = theirs.with(&stranger.context.account(), Mailbox::default(), vec![]);
    let stranger = stranger.mail(Arc::new(theirs));
    let output = stranger.output(TOOL, args).await;
    assert_eq!(output.data["failed"], json!(["Lunch?"]));
    assert_eq!(output.receipt, None);
    drop(mail);
    assert_eq!(status(&harness, "Lunch?").await, MailStatus::Unread);
}

#[tokio::test]
async fn bad_values_are_named() {
    let (harness, _) = inbox();
    let restore = "email_restoreBatch";
    let twice = json!([{"emailId": "a", "status": "read"}, {"emailId": "a", "status": "read"}]);
    for (tool, args, part) in [
        (TOOL, json!({"emailIds": []}), "1 to 500 ids"),
        (
            TOOL,
            json!({"emailIds": ["a"], "reason": "x".repeat(2_001)}),
            "reason: ",
        ),
        (
            restore,
            json!({"emails": [{"emailId": "a", "status": "archived"}]}),
            "isn't outside the archive",
        ),
        (restore, json!({"emails": twice}), "names an e-mail twice"),
    ] {
        let error = harness.fails(tool, args).await;
        assert!(error.contains(part), "{error}");
    }
}
