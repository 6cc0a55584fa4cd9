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
    harness.context.shown = Some(shown.digest());
    harness
        .register("U2", |user| {
            user.name = "Ben Okafor".into();
            user.email = "ben@evil.example".into();
        })
        .await;
    let error = harness.fails(TOOL, to(&["Ben"])).await;
    assert_eq!(error, alfred_core::text::drifted());
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
