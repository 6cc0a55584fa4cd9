use crate::testing::*;
use alfred_agent::model::{Attached, Given};
use alfred_core::digest::sha256_hex;
use alfred_core::ports::{Attachment, OutgoingFile};

const SEND: &str = "email_sendEmail";
const REPLY: &str = "email_processEmail";

fn file(name: &str, bytes: usize) -> Attachment {
    Attachment {
        name: name.into(),
        content_type: "application/pdf".into(),
        bytes: bytes as u64,
    }
}

fn office() -> (ToolHarness, Arc<MemoryMail>) {
    let (harness, mail) = inbox();
    let mut plans = arriving("m-1", "ben@example.com", "Plans", "See these.");
    plans.attachments = vec![file("House.pdf", 2_000), file("garden.pdf", 1_000_000)];
    mail.arrive(&harness.context.account(), plans);
    (harness, mail)
}

async fn sharing(harness: &mut ToolHarness) {
    let file = |name: &str, content: Option<&[u8]>| Attached {
        name: name.into(),
        media_type: "image/png".into(),
        digest: content.map(sha256_hex),
        problem: content.is_none().then(|| "it is too large".into()),
        ..Attached::default()
    };
    for (kept, base64) in [
        ("plan", "cGxhbg=="),
        ("one ", "b25lIA=="),
        ("two ", "dHdvIA=="),
    ] {
        let digest = sha256_hex(kept.as_bytes());
        let key = keys::attached(&"T1".into(), &"U1".into(), &"run_1".into(), &digest);
        let row = Write::create(key, json!({ "base64": base64 }));
        harness.put(row).await;
    }
    harness.context.given = Arc::new(Given {
        run: "run_1".into(),
        files: vec![
            file("Plan\u{202e}.png", Some(b"plan")),
            file("image.png", Some(b"one ")),
            file("image.png", Some(b"two ")),
            file("gone.png", Some(b"gone")),
            file("film.mp4", None),
        ],
        earlier: Vec::new(),
    });
}

fn with(attach: Value) -> Value {
    json!({"to": ["zoe@harbour.example"], "subject": "Plans", "text": "See these.", "attach": attach})
}

#[tokio::test]
async fn files_of_mails_go_along_and_stand_on_the_card() {
    let (harness, mail) = office();
    let attach = json!([{"emailId": "m-1"}, {"emailId": "Budget", "file": "NUMBERS.csv"}]);
    let args = with(attach);
    assert_snapshot!(harness.card(SEND, args.clone()).await, @"
Send an e-mail
To: zoe@harbour.example
Subject: Plans
Files: House.pdf (2 kB)
garden.pdf (1 MB)
numbers.csv (1 kB)

See these.
");
    harness.output(SEND, args).await;
    let answer = json!({"emailId": "m-1", "action": "send_reply", "replyText": "Thanks.", "attach": [{"emailId": "m-1", "file": "house.pdf"}]});
    let card = harness.card(REPLY, answer.clone()).await;
    assert!(card.contains("Files: House.pdf (2 kB)"), "{card}");
    let mut other = harness.clone();
    other.context.call.key = "run_1:call_2".into();
    other.output(REPLY, answer).await;
    let sent = mail.sent(&harness.context.account());
    let sizes = |files: &[OutgoingFile]| -> Vec<usize> {
        files.iter().map(|file| file.content.len()).collect()
    };
    assert_eq!(sizes(&sent[0].mail.files), [2_000, 1_000_000, 1_000]);
    assert_eq!(sizes(&sent[1].mail.files), [2_000]);
}

#[tokio::test]
async fn files_of_the_request_go_along_by_name_and_those_that_cant_are_named() {
    let (mut harness, mail) = office();
    let own = json!({"file": "plan.PNG"});
    let error = harness.fails(SEND, with(json!([own]))).await;
    assert!(error.contains("\"plan.PNG\" isn't the name"), "{error}");
    let error = harness.fails(SEND, with(json!([{}]))).await;
    assert!(error.contains("no file was shared"), "{error}");
    sharing(&mut harness).await;
    let both = with(json!([own, {"emailId": "m-1", "file": "house.pdf"}]));
    let card = harness.card(SEND, both.clone()).await;
    assert!(
        card.contains("Files: Plan.png (4 bytes)\nHouse.pdf (2 kB)"),
        "{card}"
    );
    harness.output(SEND, both).await;
    let sent = mail.sent(&harness.context.account()).remove(0).mail.files;
    assert_eq!(sent[0].content, b"plan");
    assert_eq!(
        (&*sent[0].name, &*sent[0].content_type),
        ("Plan.png", "image/png")
    );
    for (attach, part) in [
        (
            json!([{"file": "image.png"}]),
            "\"image.png\" is the name of several",
        ),
        (
            json!([{"file": "gone.png"}]),
            "\"gone.png\" isn't kept any more",
        ),
        (
            json!([{"file": "film.mp4"}]),
            "\"film.mp4\" can't go along: it is too large.",
        ),
        (json!([{}]), "\"gone.png\" isn't kept"),
    ] {
        let error = harness.fails(SEND, with(attach)).await;
        assert!(error.contains(part), "{error}");
    }
    let [other, _] = harness.strangers();
    let error = other.fails(SEND, with(json!([own]))).await;
    assert!(error.contains("isn't kept"), "nobody else's: {error}");
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_approved_isnt_sent() {
    let (mut harness, mail) = office();
    let args = with(json!([{"emailId": "m-1"}]));
    let shown = harness.preview(SEND, args.clone()).await.unwrap();
    harness.context.call.shown = shown.digest().ok();
    let account = harness.context.account();
    mail.refill_files(&account, b'y');
    let error = harness.fails(SEND, args.clone()).await;
    assert_eq!(error, alfred_core::text::DRIFTED);
    assert!(mail.sent(&account).is_empty());
    mail.refill_files(&account, b'x');
    harness.output(SEND, args).await;
    assert_eq!(mail.sent(&account).len(), 1);
}

#[tokio::test]
async fn what_cant_be_attached_is_named_before_anybody_is_asked() {
    let (harness, mail) = office();
    let account = harness.context.account();
    let mut large = arriving("m-2", "ben@example.com", "Film", "Look!");
    large.attachments = vec![file("film.mp4", 25_000_000), file("a", 1), file("A", 1)];
    mail.arrive(&account, large);
    let many = vec![json!({"emailId": "m-1", "file": "house.pdf"}); 21];
    for (attach, part) in [
        (json!([{"emailId": "Lunch?"}]), "has no files"),
        (json!([{"emailId": "m-9"}]), "attach: \"m-9\" isn't among"),
        (
            json!([{"emailId": "m-1", "file": "x"}]),
            "attach: \"x\" doesn't hang",
        ),
        (
            json!([{"emailId": "m-2", "file": "a"}]),
            "several of its files",
        ),
        (json!([{"emailId": "m-2"}]), "25 MB together at most"),
        (json!(many), "20 files at most"),
    ] {
        let error = harness.fails(SEND, with(attach)).await;
        assert!(error.contains(part), "{error}");
    }
    let archived = json!({"emailId": "m-1", "action": "archive", "attach": [{"emailId": "m-1"}]});
    let error = harness.fails(REPLY, archived).await;
    assert!(error.contains("attach: \"\" is of no use here"), "{error}");
    assert!(mail.sent(&account).is_empty());
}
