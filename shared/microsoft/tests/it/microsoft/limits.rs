//! What Graph allows: four requests at once, so many in ten minutes, what was granted, and categories of one's own.

use alfred_core::id::MailId;
use alfred_core::ports::{
    AccountError, AccountService, Calendar, Clock, Mail, MailQuery, MailStatus,
};
use serde_json::json;

use crate::microsoft::case::answer;
use crate::microsoft::support::{BUSY, Outlook, account};
use crate::outlook::Fault;

fn everything() -> MailQuery {
    MailQuery {
        limit: 500,
        ..MailQuery::default()
    }
}

#[tokio::test]
async fn many_mails_are_put_away_four_at_a_time() {
    let outlook = Outlook::new().await;
    let ids = (0..150).map(|at| outlook.arrive(&format!("Mail {at}")).into());
    let ids: Vec<MailId> = ids.collect();
    let (mail, whose) = (&outlook.mail, account());
    let listed = mail.list(&whose, &everything()).await.unwrap();
    assert_eq!((listed.mails.len(), listed.next), (150, None));
    let set = mail.set_statuses(&whose, &ids, MailStatus::Archived);
    for told in set.await.unwrap() {
        assert_eq!(told.unwrap(), Some(MailStatus::Unread));
    }
    assert_eq!(mail.list(&whose, &everything()).await.unwrap().mails, []);
    let calls = ["messages.list", "messages.move", "batch"].map(|call| outlook.graph().calls(call));
    assert_eq!(calls, [3, 150, 77]);
}

#[tokio::test]
async fn one_that_is_turned_away_is_asked_again() {
    let outlook = Outlook::new().await;
    let id = outlook.arrive("Lunch");
    let red = json!({"categories": ["Red"]});
    outlook.mailbox().change(&id, &red).unwrap();
    let busy_for = |seconds| Fault::Error(429, "ApplicationThrottled", Some(seconds));
    for call in ["messages.get", "messages.patch", "mailFolders.get"] {
        outlook.graph().fail_next(call, 2, busy_for("2"));
    }
    let (whose, mail) = (account(), MailId::from(id.as_str()));
    let set = outlook.mail.set_status(&whose, &mail, MailStatus::Backlog);
    assert_eq!(set.await.unwrap(), Some(MailStatus::Unread));
    let categories = outlook.mailbox().messages[&id]["categories"].clone();
    assert_eq!(categories, json!(["Alfred/Backlog", "Red"]));
    // A pause follows even if the server asks for none.
    let (at_once, before) = (busy_for("0"), outlook.clock.now());
    outlook.graph().fail_next("messages.get", 1, at_once);
    let set = outlook.mail.set_status(&whose, &mail, MailStatus::Read);
    assert_eq!(set.await.unwrap(), Some(MailStatus::Backlog));
    assert!(outlook.clock.now() > before);
}

#[tokio::test]
async fn a_mailbox_that_is_used_up_says_when_to_come_back() {
    let outlook = Outlook::new().await;
    outlook.graph().fail_next("messages.list", 1, BUSY);
    let (mail, whose) = (&outlook.mail, account());
    let told = mail.list(&whose, &everything()).await.err().unwrap();
    let after = matches!(told, AccountError::NotReached { retry_after: Some(after), .. } if after.as_secs() == 60);
    assert!(after, "{told}");
    mail.list(&whose, &everything()).await.unwrap();
}

#[tokio::test]
async fn what_wasnt_granted_is_named() {
    let outlook = Outlook::new().await;
    let reads = outlook.granted("User.Read,Mail.ReadWrite");
    let none = outlook.granted("User.Read");
    let (id, whose) = (MailId::from(outlook.arrive("Lunch")), account());
    let read = none.set_status(&whose, &id, MailStatus::Read).await;
    for (told, missing) in [
        (
            reads.send(&whose, &answer(), "k").await.err(),
            AccountService::MailSend,
        ),
        (
            none.list(&whose, &everything()).await.err(),
            AccountService::Mail,
        ),
        (read.err(), AccountService::Mail),
        (
            none.video_calls(&whose).await.err(),
            AccountService::Calendar,
        ),
    ] {
        let named = matches!(told, Some(AccountError::NotGranted(service)) if service == missing);
        assert!(named, "{told:?}");
    }
}
