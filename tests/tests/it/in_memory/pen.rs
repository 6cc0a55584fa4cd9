//! Drafts, tone, forwarded mail, and contacts known from mail.

use alfred_agent::RunInput;
use alfred_agent::model::Approval;
use alfred_agent::store::users;
use alfred_core::ports::{AccountError, MailMessage, Mailbox};
use alfred_testkit::{When, fixtures};
use insta::assert_snapshot;
use serde_json::json;

use crate::in_memory::accounts::ana;
use crate::in_memory::approvals::{click, waiting};
use crate::in_memory::effects::undo_button;
use crate::in_memory::mail::{Office, office, with_calls};
use crate::in_memory::world::{dm, team};

fn written(id: &str, to: &str, text: &str) -> MailMessage {
    let ana = Mailbox::new("Ana", "ana@example.com");
    let mut mail = fixtures::mail(id, ana, "Plans", text);
    mail.summary.to = vec![Mailbox::new("", to)];
    mail.message_id = Some(format!("{id}@example.com"));
    mail
}

/// A card without its decider and reason lines.
fn shown(office: &Office) -> String {
    let card = office.world.answers().pop().unwrap();
    let lines = card.lines().filter(|line| !line.starts_with("Only <@"));
    let lines: Vec<&str> = lines.collect();
    lines.join("\n")
}

async fn approved(office: &mut Office, approval: &Approval) {
    for _ in 0..2 {
        office.world.decide(approval, "approval_approve").await;
    }
    office.world.settle().await;
}

#[tokio::test]
async fn drafts_are_kept_once_even_if_that_isnt_heard_and_are_taken_back() {
    let args = json!({"drafts": [
        {"emailId": "Budget for the spring", "text": "By Monday, yes."},
        {"emailId": "Lunch?", "text": "At noon."},
        {"emailId": "nowhere", "text": "Hello."},
    ]});
    let args = args.to_string();
    for lose in [false, true] {
        let mut office = office("email_draftReplies", &args, false).await;
        if lose {
            let detail = "lost".into();
            let error = AccountError::Unknown { detail };
            office
                .world
                .faults
                .fail_next("mail.save_draft", When::After, error);
        }
        office.world.ask(dm("U1", "1.1", "Draft my answers")).await;
        office.world.settle().await;
        assert!(waiting(&office.world).await.is_empty());
        assert!(office.mail.sent(&ana()).is_empty());
        assert_eq!(office.mail.drafts(&ana()).len(), 2, "lost: {lose}");
        let said = office.world.answers().pop().unwrap();
        let kept = "✓ Kept 2 drafts to finance@example.com; chiyo@example.com (your drafts)";
        assert!(said.contains(kept), "{said}");
        office.mail.edit_draft(&ana(), "draft-2", "At one.");
        let button = undo_button(&office.world);
        office
            .world
            .ask(click("U1", "effect_undo_0", &button, "t1"))
            .await;
        let left = office.mail.drafts(&ana());
        assert_eq!(left.len(), 1, "its owner went on with the other");
        assert_eq!(left[0].mail.text, "At one.");
    }
}

#[tokio::test]
async fn how_somebody_writes_is_asked_about_and_stands_in_what_later_runs_are_told() {
    let text = "the plans are on the table, have a look at them when you can.\n\nCheers, Ana";
    let ids = ["s1", "s2", "s3"];
    let read = json!({"mode": "specific", "emailIds": ids});
    let set = json!({
        "formality": 3,
        "overallTone": ["warm", "brief"],
        "signaturePhrases": ["Cheers, Ana"],
        "emailIds": ids,
    });
    let calls = [
        format!("email_analyzeTone {read}"),
        format!("email_setTone {set}"),
    ];
    let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
    let mut office = with_calls(&calls, false).await;
    for id in ids {
        office
            .mail
            .sent_elsewhere(&ana(), written(id, "ben@example.com", text));
    }
    let approval = office.world.asked("Learn how I write").await;
    assert_snapshot!(shown(&office), @r"
Remember how you write e-mails
Formality: + 3/10
Sounds: + warm, brief
Phrases: + Cheers, Ana
Why I ask: I've read other people's words (your mail), and they may have asked for it instead of you
");
    approved(&mut office, &approval).await;
    assert_snapshot!(office.world.answers().pop().unwrap(), @"
Here is where it stands.
✓ Remembered how you write e-mails
");
    let user = users::get(&*office.world.ports.store, &team(), &"U1".into()).await;
    let tone = user.unwrap().unwrap().user.preferences.email_tone.unwrap();
    office.world.ask(dm("U1", "2.1", "Hello")).await;
    let last = office.world.runs().await;
    let last = last.iter().max_by_key(|run| run.created_at).unwrap();
    assert!(matches!(last.input, RunInput::Worker(_)));
    assert_eq!(last.before.preferences.email_tone, Some(tone));
    let button = undo_button(&office.world);
    office
        .world
        .ask(click("U1", "effect_undo_0", &button, "t1"))
        .await;
    let user = users::get(&*office.world.ports.store, &team(), &"U1".into()).await;
    assert_eq!(user.unwrap().unwrap().user.preferences.email_tone, None);
}

#[tokio::test]
async fn a_mail_is_passed_on_once_its_owner_saw_all_of_it() {
    let args = json!({"to": ["zoe@harbour.example"], "text": "For you.", "forward": "Budget for the spring"});
    for lose in [false, true] {
        let mut office = office("email_sendEmail", &args.to_string(), lose).await;
        let approval = office.world.asked("Forward the budget to Zoe").await;
        let card = shown(&office);
        for part in [
            "Forward an e-mail",
            "zoe@harbour.example ⚠️ not known",
            "Files: numbers.csv (1 kB)",
            "│ could you look at the numbers by Monday?",
        ] {
            assert!(card.contains(part), "{card}");
        }
        approved(&mut office, &approval).await;
        let sent = office.mail.sent(&ana());
        assert_eq!(sent.len(), 1, "lost: {lose}");
        assert_eq!(Some(&sent[0].mail.text), approval.preview.body.as_ref());
        assert_eq!(sent[0].mail.files.len(), 1);
        let said = office.world.answers().pop().unwrap();
        assert!(
            said.contains("✓ Forwarded an e-mail to zoe@harbour.example"),
            "{said}"
        );
    }
}
