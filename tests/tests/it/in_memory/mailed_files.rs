use alfred_core::digest::sha256_hex;
use alfred_core::ports::{OutgoingFile, Write};
use alfred_core::{Envelope, keys};
use insta::assert_snapshot;
use serde_json::json;

use crate::in_memory::accounts::ana;
use crate::in_memory::approvals::waiting;
use crate::in_memory::attached::sharing;
use crate::in_memory::mail::{Office, office};
use crate::in_memory::world::{dm, results, team};

const CONTRACT: &[u8] = b"PK\x03\x04\0 five tables";
const NAME: &str = "Vertrag – größer.doc";

async fn mailing(as_draft: bool) -> Office {
    let args = json!({"to": ["zoe@harbour.example"], "subject": "Contract", "text": "Here it is.", "attach": [{}], "asDraft": as_draft});
    let office = office("email_sendEmail", &args.to_string(), false).await;
    office.world.chat.share(&"F1".into(), CONTRACT);
    office
}

fn request() -> Envelope {
    sharing("Send this to zoe@harbour.example", &[("F1", NAME)])
}

fn contract() -> OutgoingFile {
    OutgoingFile {
        name: NAME.into(),
        content_type: "application/msword".into(),
        content: CONTRACT.to_vec(),
    }
}

fn sent(office: &Office) -> Vec<Vec<OutgoingFile>> {
    let sent = office.mail.sent(&ana()).into_iter();
    sent.map(|sent| sent.mail.files).collect()
}

#[tokio::test]
async fn a_file_that_no_model_reads_is_named_on_the_card_and_mailed_as_it_is() {
    let mut office = mailing(false).await;
    office.world.ask(request()).await;
    assert!(sent(&office).is_empty(), "nothing before the yes");
    let card = office.world.answers().pop().unwrap();
    assert!(
        card.contains("Files: Vertrag – größer.doc (17 bytes)"),
        "{card}"
    );
    let approval = waiting(&office.world).await.remove(0);
    for _ in 0..2 {
        office.world.decide(&approval, "approval_approve").await;
    }
    office.world.settle().await;
    assert_eq!(sent(&office), [[contract()]]);
    assert_snapshot!(office.world.answers().pop().unwrap(), @"
    Here is where it stands.
    ✓ Sent an e-mail to zoe@harbour.example
    ");
}

#[tokio::test]
async fn a_file_that_is_gone_before_its_owner_says_yes_isnt_missed_silently() {
    let mut office = mailing(false).await;
    office.world.ask(request()).await;
    let run = office.world.root().await.id;
    let digest = sha256_hex(CONTRACT);
    let row = keys::attached(&team(), &"U1".into(), &run, &digest);
    office.world.write(vec![Write::delete(row, None)]).await;
    let approval = waiting(&office.world).await.remove(0);
    office.world.decide(&approval, "approval_approve").await;
    office.world.settle().await;
    assert!(sent(&office).is_empty());
    let told = format!("{:?}", results(&office.world.steps(&run).await));
    assert!(told.contains("isn't kept any more"), "{told}");
    let said = office.world.answers().pop().unwrap();
    assert!(said.contains("it changed after you approved it"), "{said}");
}

#[tokio::test]
async fn what_was_shared_before_is_mailed_when_that_is_asked_for_later() {
    let mut office = mailing(false).await;
    office.world.ask(request()).await;
    let first = waiting(&office.world).await.remove(0);
    office.world.decide(&first, "approval_reject").await;
    office.world.settle().await;
    office
        .world
        .ask(dm("U1", "1.2", "To zoe@harbour.example after all"))
        .await;
    let second = waiting(&office.world).await.remove(0);
    assert!(second.preview.as_text().contains(NAME));
    office.world.decide(&second, "approval_approve").await;
    office.world.settle().await;
    assert_eq!(sent(&office), [[contract()]]);
}

#[tokio::test]
async fn a_draft_keeps_the_file() {
    let mut office = mailing(true).await;
    office.world.ask(request()).await;
    for approval in waiting(&office.world).await {
        office.world.decide(&approval, "approval_approve").await;
    }
    office.world.settle().await;
    let drafts = office.mail.drafts(&ana());
    assert_eq!(drafts.len(), 1);
    assert_eq!(drafts[0].mail.files, [contract()]);
    assert!(sent(&office).is_empty());
}
