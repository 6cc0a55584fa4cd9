use crate::testing::*;
use alfred_agent::tool::{ApprovalDefault, Effect};

const TOOL: &str = "email_sendEmail";

fn to(named: &[&str]) -> Value {
    json!({"to": named, "subject": "Tables", "text": "Five of them.\n\nAna"})
}

/// Ana's mailbox, with Ben Okafor and two Chiyos in the workspace.
async fn office() -> (ToolHarness, Arc<MemoryMail>) {
    let (harness, mail) = inbox();
    for (id, name) in [("U2", "Ben Okafor"), ("U3", "Chiyo A"), ("U4", "Chiyo B")] {
        harness.register(id, |user| user.name = name.into()).await;
    }
    (harness, mail)
}

#[tokio::test]
async fn it_is_always_asked_and_goes_to_those_it_shows() {
    let (harness, mail) = office().await;
    let def = crate::tool(TOOL).unwrap().def().clone();
    assert_eq!(def.approval, ApprovalDefault::Always);
    assert_eq!(def.effect, Effect::Outward);
    let mut args = to(&["Ben", "Zoe@Harbour.example", "u2@example.com"]);
    args["cc"] = json!(["@u3", "zoe@harbour.example"]);
    args["subject"] = json!("Five\r\nBcc: all@evil.example");
    assert_snapshot!(harness.card(TOOL, args.clone()).await, @r"
Send an e-mail
To: Ben Okafor <u2@example.com>, zoe@harbour.example, Chiyo A <u3@example.com> (copy)
Subject: Five Bcc: all@evil.example

Five of them.

Ana
");
    let output = harness.output(TOOL, args).await;
    let sent = mail.sent(&harness.context.account()).remove(0);
    let addresses = |boxes: &[Mailbox]| -> Vec<String> {
        boxes.iter().map(|one| one.address.clone()).collect()
    };
    let whom = [addresses(&sent.mail.to), addresses(&sent.mail.cc)];
    assert_eq!(whom[0], ["u2@example.com", "zoe@harbour.example"]);
    assert_eq!(whom[1], ["u3@example.com"]);
    assert_eq!(sent.mail.subject, "Five Bcc: all@evil.example");
    let receipt = output.receipt.unwrap();
    assert_eq!(
        receipt.what,
        "Sent an e-mail to u2@example.com, zoe@harbour.example, u3@example.com"
    );
    assert_eq!(receipt.provider_id, Some(sent.sent.message_id));
    assert_eq!(receipt.undo, []);
}

#[tokio::test]
async fn a_lost_answer_is_found_by_its_key_even_if_a_name_means_nobody_any_more() {
    let (harness, mail) = office().await;
    let args = to(&["Ben"]);
    let none = harness.settle(TOOL, args.clone()).await.unwrap();
    assert!(matches!(none, Settled::NotDone), "{none:?}");
    harness.run(TOOL, args.clone()).await.unwrap();
    for (named, said) in [("Ben", "u2@example.com"), ("Benny", "Benny")] {
        let Settled::Done(found) = harness.settle(TOOL, to(&[named])).await.unwrap() else {
            panic!("it was sent");
        };
        let what = format!("Sent an e-mail to {said}");
        assert_eq!(found.receipt.unwrap().what, what);
    }
    assert_eq!(mail.sent(&harness.context.account()).len(), 1);
}

#[tokio::test]
async fn a_name_that_means_somebody_else_now_voids_the_approval() {
    let shown = office().await.0.preview(TOOL, to(&["Ben"])).await.unwrap();
    let (mut harness, mail) = inbox();
    harness.context.call.shown = shown.digest().ok();
    harness
        .register("U2", |user| {
            user.name = "Ben Okafor".into();
            user.email = "ben@evil.example".into();
        })
        .await;
    let error = harness.fails(TOOL, to(&["Ben"])).await;
    assert_eq!(error, alfred_core::text::DRIFTED);
    assert!(mail.sent(&harness.context.account()).is_empty());
}

#[tokio::test]
async fn what_cant_be_sent_is_named_before_anybody_is_asked() {
    let (harness, mail) = office().await;
    let with = |field: &str, value: Value| {
        let mut args = to(&["Ben"]);
        args[field] = value;
        args
    };
    for (args, part) in [
        (to(&[]), "to: \"\" is empty"),
        (to(&["ben@example.com, eve@evil.example"]), "to: "),
        (to(&["Nobody"]), "to: \"Nobody\" is nobody"),
        (to(&["Chiyo"]), "to: \"Chiyo\" is not clear"),
        (to(&["a@b.example"; 51]), "to: \"51 people\" are too many"),
        (with("cc", json!(["a b@c"])), "cc: \"a b@c\" is no e-mail"),
        (with("subject", json!(" \n")), "subject: \"\" is empty"),
        (with("subject", json!("x".repeat(301))), "301 characters"),
        (with("text", json!("")), "text: \"\" is empty"),
        (with("text", json!("x".repeat(20_001))), "20001 characters"),
    ] {
        let error = harness.fails(TOOL, args.clone()).await;
        assert!(error.contains(part), "{error}");
        let preview = harness.preview(TOOL, args).await;
        assert!(matches!(preview, Err(ToolError::Failed(_))), "{preview:?}");
    }
    assert!(mail.sent(&harness.context.account()).is_empty());
}

#[tokio::test]
async fn a_mail_is_passed_on_whole_with_its_files_and_only_as_it_was_shown() {
    let (mut harness, mail) = office().await;
    let args = json!({"to": ["@u2"], "text": "Have a look.", "forward": "ben budget"});
    let shown = harness.preview(TOOL, args.clone()).await.unwrap();
    assert_snapshot!(shown.as_text(), @r"
Forward an e-mail
To: Ben Okafor <u2@example.com>
Subject: Fwd: Budget for the spring
Forwards: Ben Okafor <ben@example.com>: Budget for the spring
Files: numbers.csv (1 kB)

Have a look.

---------- Forwarded message ---------
From: Ben Okafor <ben@example.com>
Date: Fri, 20 Nov 2026 at 09:30
Subject: Budget for the spring
To: Ana Marques <ana@example.com>
Cc: Chiyo Tanaka <chiyo@example.com>

Hello Ana,

could you look at the numbers by Monday?

Ben
");
    harness.context.call.shown = shown.digest().ok();
    let output = harness.output(TOOL, args.clone()).await;
    let receipt = output.receipt.unwrap();
    assert_eq!(receipt.what, "Forwarded an e-mail to u2@example.com");
    let account = harness.context.account();
    let sent = mail.sent(&account).remove(0).mail;
    assert_eq!(Some(&sent.text), shown.body.as_ref());
    assert_eq!(sent.files[0].content, vec![b'x'; 1_000]);
    assert_eq!(sent.in_reply_to, None);
    // A changed file voids the approval.
    mail.refill_files(&account, b'y');
    let error = harness.fails(TOOL, args).await;
    assert_eq!(error, alfred_core::text::DRIFTED);
}

#[tokio::test]
async fn what_is_passed_on_needs_no_words_and_what_looks_like_phishing_says_so() {
    let (harness, mail) = office().await;
    let mut doubtful = arriving(
        "bank",
        "desk@bank.example",
        "Re: fwd: Account",
        "Sign\u{200b} in.",
    );
    doubtful.disguised_link = true;
    mail.arrive(&harness.context.account(), doubtful);
    let args = json!({"to": ["@u2"], "forward": "bank"});
    let card = harness.card(TOOL, args).await;
    assert!(
        card.contains("Careful: This e-mail looks like phishing"),
        "{card}"
    );
    assert!(card.contains("Subject: Fwd: Account\n"), "{card}");
    assert!(card.ends_with("\n\nSign in."), "{card}");
    let error = harness
        .fails(TOOL, json!({"to": ["@u2"], "forward": "none"}))
        .await;
    assert!(error.contains("forward: \"none\""), "{error}");
}

#[tokio::test]
async fn a_new_mail_is_kept_as_a_draft_with_its_files() {
    let (harness, mail) = office().await;
    let mut args = to(&["Ben"]);
    args["asDraft"] = json!(true);
    args["attach"] = json!([{"emailId": "Budget for the spring"}]);
    assert_snapshot!(harness.card(TOOL, args.clone()).await, @r"
Keep a draft
To: Ben Okafor <u2@example.com>
Subject: Tables
Files: numbers.csv (1 kB)

Five of them.

Ana
");
    let output = harness.output(TOOL, args.clone()).await;
    let again = harness.output(TOOL, args).await;
    assert_eq!(again.data, output.data);
    let account = harness.context.account();
    assert!(mail.sent(&account).is_empty());
    assert_eq!(mail.drafts(&account)[0].mail.files.len(), 1);
    let receipt = output.receipt.unwrap();
    assert_eq!(receipt.what, "Kept a draft to u2@example.com: \"Tables\"");
    harness.undo(receipt.undo).await;
    assert!(mail.drafts(&account).is_empty());
}
