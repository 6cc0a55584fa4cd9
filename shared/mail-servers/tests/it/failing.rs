//! Servers that fail, refuse or lack features.

use crate::world;

use alfred_core::ports::{AccountError, Mail, MailQuery, MailStatus, Mailbox, OutgoingMail, Total};
use alfred_mail_servers::imap::{ImapMail, ImapServer};
use alfred_testkit::conformance::mail::mails;
use alfred_testkit::pymap::{PASSWORD, Pymap};
use alfred_testkit::smtp_server::{Act, Point, Server};
use alfred_testkit::wait::LIMIT;
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::time::timeout;
use world::{World, account, mail_at};

fn letter() -> OutgoingMail {
    OutgoingMail {
        to: vec![Mailbox::new("Ben Okafor", "ben@example.com")],
        subject: "Tables".into(),
        text: "Five of them.".into(),
        ..OutgoingMail::default()
    }
}

#[derive(Debug, PartialEq)]
enum Fate {
    Sent,
    Nothing,
    Unknown,
}

fn fate<T: std::fmt::Debug>(of: Result<T, AccountError>) -> Fate {
    match of {
        Ok(_) => Fate::Sent,
        Err(AccountError::NotReached { .. } | AccountError::Refused { .. }) => Fate::Nothing,
        Err(AccountError::Unknown { .. }) => Fate::Unknown,
        Err(other) => panic!("{other:?}"),
    }
}

/// The look-up agrees with the call's error, and a mail with an unknown outcome isn't resent on its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_fails_sends_once_or_says_so() {
    let ana = account("UANA");
    for (at, act, expected, taken) in [
        (Point::Greeting, Act::Drop, Fate::Nothing, 0),
        (Point::Mail, Act::Say("550 no"), Fate::Nothing, 0),
        (Point::Rcpt, Act::Drop, Fate::Nothing, 0),
        (Point::Data, Act::Say("451 later"), Fate::Nothing, 0),
        (Point::Within, Act::Drop, Fate::Unknown, 0),
        (Point::Content, Act::Say("554 spam"), Fate::Nothing, 0),
        (Point::Content, Act::Drop, Fate::Unknown, 1),
        (Point::Quit, Act::Drop, Fate::Sent, 1),
    ] {
        let world = World::holding(&[]).await;
        world.smtp.fail(at, act.clone());
        let told = fate(world.mail.send(&ana, &letter(), "k").await);
        assert_eq!(told, expected, "{at:?} {act:?}");
        assert_eq!(world.smtp.taken().len(), taken, "{at:?} {act:?}");
        let look = match world.mail.find_sent(&ana, "k").await {
            Ok(None) => Fate::Nothing,
            found => fate(found),
        };
        assert_eq!(look, expected, "{at:?} {act:?}");
        let again = fate(world.mail.send(&ana, &letter(), "k").await);
        let sent_by_now = if expected == Fate::Nothing { 1 } else { taken };
        assert_eq!(world.smtp.taken().len(), sent_by_now, "{at:?} {act:?}");
        assert_eq!(again == Fate::Unknown, expected == Fate::Unknown);
    }
}

/// The copy was added by the owner or the server.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_among_what_was_sent_settles_it() {
    let (world, ana) = (World::holding(&[]).await, account("UANA"));
    world.smtp.fail(Point::Content, Act::Drop);
    world.mail.send(&ana, &letter(), "k").await.unwrap_err();
    let out = world.smtp.taken().remove(0);
    let mut session = world.signed_in().await;
    session.create("Sent").await.unwrap();
    let appended = session.append("Sent", None, None, &out.bytes);
    appended.await.unwrap();
    let sent = world.mail.find_sent(&ana, "k").await.unwrap().unwrap();
    let read = world.mail.read(&ana, &sent.id).await.unwrap().unwrap();
    assert_eq!(read.summary.subject, "Tables");
    assert_eq!(world.mail.send(&ana, &letter(), "k").await.unwrap(), sent);
    assert_eq!(world.smtp.taken().len(), 1);
}

/// The owner decided to send it again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_nobody_can_tell_about_goes_out_again_only_later() {
    let (world, ana) = (World::holding(&[]).await, account("UANA"));
    world.smtp.fail(Point::Within, Act::Drop);
    world.mail.send(&ana, &letter(), "k").await.unwrap_err();
    world.clock.advance(std::time::Duration::from_secs(180));
    world.smtp.refuse("ben@example.com", "550 nobody");
    let again = fate(world.mail.send(&ana, &letter(), "k").await);
    assert_eq!(again, Fate::Nothing);
    // The first attempt may have arrived.
    assert_eq!(fate(world.mail.find_sent(&ana, "k").await), Fate::Unknown);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mail_that_is_moved_elsewhere_by_hand_keeps_its_id() {
    let (world, ana) = (World::holding(&mails()).await, account("UANA"));
    let query = MailQuery {
        words: vec!["budget".into()],
        ..MailQuery::default()
    };
    let budget = world.mail.list(&ana, &query).await.unwrap().mails.remove(0);
    let mut session = world.signed_in().await;
    session.select("INBOX").await.unwrap();
    let uid = session.uid_search("SUBJECT Budget").await.unwrap();
    let uid = uid.into_iter().next().unwrap().to_string();
    session.uid_mv(uid, "Archive").await.unwrap();
    let read = world.mail.read(&ana, &budget.id).await.unwrap().unwrap();
    assert_eq!(read.summary.status, MailStatus::Archived);
    let set = world.mail.set_status(&ana, &budget.id, MailStatus::Read);
    assert_eq!(set.await.unwrap(), Some(MailStatus::Archived));
    let back = world.mail.list(&ana, &query).await.unwrap().mails.remove(0);
    assert_eq!((back.id, back.status), (budget.id, MailStatus::Read));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_keywords_says_what_it_cant_keep() {
    let server = Pymap::start(false);
    let (world, ana) = (World::on(&server, &mails()).await, account("UANA"));
    let first = world.mail.list(&ana, &MailQuery::default()).await;
    let first = first.unwrap().mails.remove(0);
    for status in [MailStatus::Backlog, MailStatus::Processed] {
        let set = world.mail.set_status(&ana, &first.id, status).await;
        let Err(AccountError::Refused { reason }) = set else {
            panic!("{set:?}")
        };
        let words = "Your mail server keeps no marks of mine, so a mail there is unread, read or archived, and nothing else.";
        assert_eq!(reason, words);
    }
    for (status, before) in [
        (MailStatus::Read, MailStatus::Unread),
        (MailStatus::Archived, MailStatus::Read),
        (MailStatus::Unread, MailStatus::Archived),
    ] {
        let set = world.mail.set_status(&ana, &first.id, status).await;
        assert_eq!(set.unwrap(), Some(before));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mailbox_without_an_archive_gets_one() {
    let (world, ana) = (World::holding(&mails()[..1]).await, account("UANA"));
    let mut session = world.signed_in().await;
    session.delete("Archive").await.unwrap();
    let first = world.mail.list(&ana, &MailQuery::default()).await;
    let first = first.unwrap().mails.remove(0);
    let set = world.mail.set_status(&ana, &first.id, MailStatus::Archived);
    assert_eq!(set.await.unwrap(), Some(MailStatus::Unread));
    let read = world.mail.read(&ana, &first.id).await.unwrap().unwrap();
    assert_eq!(read.summary.status, MailStatus::Archived);
}

fn at(url: &str, password: &str) -> ImapMail {
    mail_at(url, password, &Server::start(), &Arc::default())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_password_is_said_and_isnt_shown() {
    let server = Pymap::start(true);
    let url = format!("imap://ana@127.0.0.1:{}", server.port());
    let (ana, query) = (account("UANA"), MailQuery::default());
    let error = at(&url, "hush").list(&ana, &query).await.unwrap_err();
    assert!(matches!(error, AccountError::Expired(_)), "{error:?}");
    assert!(!error.to_string().contains("hush"));
    assert!(at(&url, PASSWORD).list(&ana, &query).await.is_ok());
}

/// A mail that was taken is sent, although nothing is heard of its copy.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mailbox_that_is_silent_holds_up_no_mail() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let mut open = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            open.push(stream);
        }
    });
    let (ana, smtp) = (account("UANA"), Server::start());
    let url = format!("imap://ana@127.0.0.1:{port}");
    let mail = mail_at(&url, "x", &smtp, &Arc::default());
    let letter = letter();
    let send = async || {
        let sent = mail.send(&ana, &letter, "k");
        timeout(LIMIT, sent).await.expect("an end")
    };
    assert_eq!(send().await.unwrap(), send().await.unwrap());
    assert_eq!(smtp.taken().len(), 1);
    smtp.fail(Point::Content, Act::Drop);
    assert_eq!(fate(mail.send(&ana, &letter, "other").await), Fate::Unknown);
    let look = timeout(LIMIT, mail.find_sent(&ana, "other"));
    let look = look.await.expect("an end");
    let is_not_reached = matches!(look, Err(AccountError::NotReached { .. }));
    assert!(is_not_reached, "{look:?}");
}

/// A page of the newest costs no metadata of the oldest, and says how many there are.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_of_a_large_mailbox_reads_only_its_weeks() {
    let (world, ana) = (World::holding(&[]).await, account("UANA"));
    let mut session = world.signed_in().await;
    let first: Timestamp = "2024-06-09T00:00:00Z".parse().unwrap();
    for number in 0..450 {
        let at = first + SignedDuration::from_hours(48 * number);
        let at = at.strftime("\"%d-%b-%Y %H:%M:%S +0000\"").to_string();
        let mail = format!("From: ben@example.com\r\nSubject: Number {number}\r\n\r\nHello.\r\n");
        let appended = session.append("INBOX", None, Some(&at), mail);
        appended.await.unwrap();
    }
    let (mail, told) = world.counting().await;
    let mut query = MailQuery {
        status: vec![MailStatus::Unread],
        ..MailQuery::default()
    };
    let mut subjects = Vec::new();
    for limit in [20, 20, 500] {
        let before = told.load(Relaxed);
        query.limit = limit;
        let page = mail.list(&ana, &query).await.unwrap();
        assert_eq!(page.total, Total::Exact(450));
        subjects.extend(page.mails.into_iter().map(|mail| mail.subject));
        query.cursor = page.next;
        let told = told.load(Relaxed) - before;
        assert!(told < limit * 7, "{told} for a page of {limit}");
    }
    let expected = (0..450).rev().map(|number| format!("Number {number}"));
    assert_eq!((subjects, query.cursor), (expected.collect(), None));
}

/// Nothing of the server's text reaches the log.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_talks_nonsense_is_not_reached() {
    let (ana, query) = (account("UANA"), MailQuery::default());
    for said in [
        "",
        "220 mail.example ESMTP secret\r\n",
        "* BYE secret\r\n",
        "* OK hello\r\n* secret secret\r\n",
        "* OK hello\r\na001 BAD secret\r\n",
        "* OK hello\r\na001 OK in\r\n* SEARCH secret\r\n",
    ] {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(said.as_bytes()).await.unwrap();
        });
        let url = format!("imap://ana@127.0.0.1:{port}");
        let error = at(&url, "x").list(&ana, &query).await.unwrap_err();
        let is_not_reached = matches!(error, AccountError::NotReached { .. });
        assert!(is_not_reached, "{said}: {error:?}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}

#[test]
fn the_setting_says_what_is_wrong_with_it() {
    let read = |url: &str, password: Option<&str>| {
        let server = ImapServer::read(url, password.map(Into::into));
        let shown = server.map(|server| server.0.to_string());
        shown.map_err(|error| error.to_string())
    };
    let good = read("imaps://ana%40example.com@mail.example.com", Some("hush"));
    assert_eq!(good.unwrap(), "mail.example.com:993 (TLS)");
    let starttls = read("imap://ana@mail.example.com", Some("hush"));
    assert_eq!(starttls.unwrap(), "mail.example.com:143 (STARTTLS)");
    for case in include_str!("setting_cases.txt").lines() {
        let parts: Vec<_> = case.splitn(3, ' ').collect();
        let password = Some(parts[1]).filter(|password| *password != "-");
        let error = read(parts[0], password).unwrap_err();
        assert!(error.contains(parts[2]), "{case}: {error}");
        assert!(!error.contains("hush"), "{error}");
    }
}
