//! What Graph allows: four requests at once, so many in ten minutes, what was granted, and categories of one's own.

use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, AccountService, Mail, MailQuery, MailStatus, OutgoingMail};
use alfred_graph_local::{Fault, Options};

use crate::microsoft::support::{Outlook, account};

fn everything() -> MailQuery {
    MailQuery {
        limit: 500,
        ..MailQuery::default()
    }
}

#[tokio::test]
async fn many_mails_are_put_away_four_at_a_time() {
    let outlook = Outlook::new().await;
    let arrive = |at: usize| outlook.arrive(&format!("Mail {at}"), "2026-11-20T08:00:00Z");
    let ids: Vec<MailId> = (0..150).map(|at| arrive(at).into()).collect();
    let (mail, whose) = (&outlook.mail, account());
    let listed = mail.list(&whose, &everything()).await.unwrap();
    assert_eq!((listed.mails.len(), listed.next), (150, None));
    let set = mail.set_statuses(&whose, &ids, MailStatus::Archived);
    for told in set.await.unwrap() {
        assert_eq!(told.unwrap(), Some(MailStatus::Unread));
    }
    assert_eq!(mail.list(&whose, &everything()).await.unwrap().mails, []);
    let counts = outlook.graph().call_counts();
    assert_eq!(counts["messages.list"], 3);
    assert_eq!((counts["messages.move"], counts["batch"]), (150, 77));
}

#[tokio::test]
async fn one_that_is_turned_away_is_asked_again() {
    let outlook = Outlook::new().await;
    let id = MailId::from(outlook.arrive("Lunch", "2026-11-20T08:00:00Z"));
    outlook.mailbox(|mailbox| mailbox.categorise(id.as_str(), "Red"));
    let busy = Fault::Error {
        status: 429,
        code: "ApplicationThrottled",
        retry_after: Some(2),
    };
    for call in ["messages.get", "messages.patch", "mailFolders.get"] {
        outlook.graph().fail_next(call, 2, busy.clone());
    }
    let whose = account();
    let set = outlook.mail.set_status(&whose, &id, MailStatus::Backlog);
    assert_eq!(set.await.unwrap(), Some(MailStatus::Unread));
    let categories = outlook.mailbox(|mailbox| mailbox.categories(id.as_str()));
    assert_eq!(categories.len(), 2, "{categories:?}");
}

#[tokio::test]
async fn a_mailbox_that_is_used_up_says_when_to_come_back() {
    let options = Options {
        requests: 3,
        ..Options::default()
    };
    let outlook = Outlook::with(options).await;
    let (mail, whose) = (&outlook.mail, account());
    for _ in 0..3 {
        mail.list(&whose, &everything()).await.unwrap();
    }
    let told = mail.list(&whose, &everything()).await.err().unwrap();
    let AccountError::NotReached {
        retry_after: Some(after),
        ..
    } = told
    else {
        panic!("{told}");
    };
    outlook.clock.advance(after);
    mail.list(&whose, &everything()).await.unwrap();
}

#[tokio::test]
async fn what_wasnt_granted_is_named() {
    let outlook = Outlook::new().await;
    let reads = outlook.granted(&["User.Read", "Mail.ReadWrite"]);
    let mail = OutgoingMail {
        to: vec![alfred_core::ports::Mailbox::new("", "ben@example.com")],
        ..OutgoingMail::default()
    };
    let told = reads.send(&account(), &mail, "k").await;
    assert!(
        matches!(
            told,
            Err(AccountError::NotGranted(AccountService::MailSend))
        ),
        "{told:?}"
    );
    let none = outlook.granted(&["User.Read"]);
    let id = MailId::from(outlook.arrive("Lunch", "2026-11-20T08:00:00Z"));
    for told in [
        none.list(&account(), &everything()).await.err(),
        none.set_status(&account(), &id, MailStatus::Read)
            .await
            .err(),
    ] {
        let named = matches!(told, Some(AccountError::NotGranted(AccountService::Mail)));
        assert!(named, "{told:?}");
    }
}
