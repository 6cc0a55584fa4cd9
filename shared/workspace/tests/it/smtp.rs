//! Mail that leaves by way of SMTP: what the server gets, what the folder has, and what each failure means.

use crate::support;

use alfred_core::ports::{AccountError, Mail, Mailbox, OutgoingMail};
use alfred_testkit::smtp_server::{Act, Point, Server};
use alfred_workspace::Smtp;
use futures_util::future::join_all;
use mail_parser::MessageParser;
use std::fs;
use std::time::Duration;
use support::{Folder, ana, through};

fn draft() -> OutgoingMail {
    OutgoingMail {
        to: vec![Mailbox::new("Ben Okafor", "ben@example.com")],
        cc: vec![
            Mailbox::new("Zoë", "zoe@büro.example"),
            Mailbox::new("", "ben@example.com"),
        ],
        subject: "Größe der Tische\r\nBcc: eve@evil.example".into(),
        text: format!(
            "Hallo,\n.\n..two dots\nFrom here: grüße\n{}\nQUIT\n",
            "long ".repeat(400)
        ),
        ..support::draft()
    }
}

fn files(folder: &Folder, name: &str) -> Vec<Vec<u8>> {
    let Ok(entries) = fs::read_dir(folder.path(name)) else {
        return Vec::new();
    };
    entries
        .map(|entry| fs::read(entry.unwrap().path()).unwrap())
        .collect()
}

#[tokio::test]
async fn the_server_gets_the_very_bytes_that_are_kept() {
    let (folder, server) = (Folder::new(), Server::start());
    let workspace = through(&folder, &server);
    let sent = workspace.send(&ana(), &draft(), "k").await.unwrap();
    let taken = server.taken().remove(0);
    assert_eq!(
        files(&folder, "mail/sent"),
        std::slice::from_ref(&taken.bytes)
    );
    assert_eq!(files(&folder, "mail/outbox"), [] as [Vec<u8>; 0]);
    assert_eq!(taken.from, "ana@example.com");
    assert_eq!(taken.to, ["ben@example.com", "zoe@xn--bro-hoa.example"]);
    assert!(taken.parameters.is_empty() && taken.bytes.is_ascii());
    let mail = MessageParser::default().parse(&taken.bytes).unwrap();
    assert_eq!(mail.message_id(), Some(sent.message_id.as_str()));
    let subject = "Größe der Tische Bcc: eve@evil.example";
    assert_eq!(mail.subject(), Some(subject));
    assert!(mail.bcc().is_none());
    let text = mail.body_text(0).unwrap().replace("\r\n", "\n");
    assert_eq!(text.trim_end(), draft().text.trim_end());
    // Once for its key, whoever asks again.
    assert_eq!(workspace.send(&ana(), &draft(), "k").await.unwrap(), sent);
    assert_eq!(workspace.find_sent(&ana(), "k").await.unwrap(), Some(sent));
    assert_eq!(server.taken().len(), 1);
}

#[tokio::test]
async fn letters_before_the_at_go_only_where_they_are_understood() {
    let (folder, server) = (Folder::new(), Server::start());
    let workspace = through(&folder, &server);
    let mut mail = draft();
    mail.cc.clear();
    mail.to[0].address = "jörg@example.com".into();
    let refused = workspace.send(&ana(), &mail, "k").await.unwrap_err();
    let is_named = |reason: &str| reason.contains("jörg@example.com");
    assert!(matches!(refused, AccountError::Refused { reason } if is_named(&reason)));
    server.offer(&["8BITMIME", "SMTPUTF8"]);
    workspace.send(&ana(), &mail, "k").await.unwrap();
    let taken = server.taken();
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0].to, ["jörg@example.com"]);
    assert!(taken[0].parameters.contains("SMTPUTF8"), "{taken:?}");
}

#[tokio::test]
async fn the_sign_in_is_given_and_a_wrong_one_is_certain() {
    let (folder, server) = (Folder::new(), Server::start());
    server.offer(&["AUTH PLAIN LOGIN"]);
    let url = format!("smtp://ana%40example.com@127.0.0.1:{}", server.port);
    let smtp = Smtp::read(&url, Some("hush".into())).unwrap();
    let workspace = folder.workspace.clone().with_smtp(smtp);
    server.fail(Point::Auth, Act::Say("535 5.7.8 no"));
    let refused = workspace.send(&ana(), &draft(), "k").await.unwrap_err();
    assert!(
        matches!(&refused, AccountError::Refused { reason } if reason.contains("sign-in")),
        "{refused:?}"
    );
    workspace.send(&ana(), &draft(), "k").await.unwrap();
    // The base 64 of "\0ana@example.com\0hush".
    let login = "AUTH PLAIN AGFuYUBleGFtcGxlLmNvbQBodXNo";
    assert_eq!(server.logins(), [login, login]);
    assert_eq!(server.taken().len(), 1);
}

/// What a failure must come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Means {
    Refused(&'static str),
    NotReached,
    Unknown,
}

fn means(error: &AccountError) -> Means {
    match error {
        AccountError::Refused { reason } => {
            let named = ["ana@example.com", "ben@example.com", "refuses this mail"];
            let said = named.iter().find(|part| reason.contains(**part));
            Means::Refused(said.unwrap_or_else(|| panic!("{reason}")))
        }
        AccountError::NotReached { .. } => Means::NotReached,
        AccountError::Unknown { .. } => Means::Unknown,
        AccountError::NotConnected(_) | AccountError::Expired(_) | AccountError::NotGranted(_) => {
            panic!("{error}")
        }
    }
}

#[tokio::test]
async fn each_failure_says_whether_anything_was_sent() {
    use Act::{Drop, Hang, Say};
    use Point::{Content, Data, Ehlo, Greeting, Mail as From, Rcpt, Within};
    let (later, never) = ("451 4.7.1 later", "550 5.7.1 never");
    let cases = [
        (Greeting, Say("421 busy"), Means::NotReached),
        (Greeting, Say("554 no service"), Means::NotReached),
        (Greeting, Say("nonsense"), Means::NotReached),
        (Greeting, Drop, Means::NotReached),
        (Greeting, Hang, Means::NotReached),
        (Ehlo, Drop, Means::NotReached),
        (From, Say(later), Means::NotReached),
        (From, Say(never), Means::Refused("ana@example.com")),
        (From, Drop, Means::NotReached),
        (Rcpt, Say(later), Means::NotReached),
        (Rcpt, Say(never), Means::Refused("ben@example.com")),
        (Rcpt, Drop, Means::NotReached),
        (Rcpt, Hang, Means::NotReached),
        (Data, Say(later), Means::NotReached),
        (Data, Say(never), Means::Refused("refuses this mail")),
        (Data, Say("250 what?"), Means::NotReached),
        (Data, Drop, Means::NotReached),
        (Content, Say(later), Means::NotReached),
        (Content, Say(never), Means::Refused("refuses this mail")),
        (Content, Say("nonsense"), Means::Unknown),
        (Content, Say("354 more"), Means::Unknown),
        (Content, Drop, Means::Unknown),
        (Content, Hang, Means::Unknown),
        (Within, Drop, Means::Unknown),
    ];
    // All cases run at once, because three of them wait for a silent server.
    join_all(cases.map(|(at, act, expected)| check_failure(at, act, expected))).await;
}

async fn check_failure(at: Point, act: Act, expected: Means) {
    let case = format!("{at:?} {act:?}");
    let (folder, server) = (Folder::new(), Server::start());
    let workspace = through(&folder, &server);
    let first = match act {
        // Short, so that the silent server uses it up.
        Act::Hang => {
            let smtp = Smtp::read(&server.url(), None).unwrap();
            let smtp = smtp.with_patience(Duration::from_secs(5));
            folder.workspace.clone().with_smtp(smtp)
        }
        _ => workspace.clone(),
    };
    server.fail(at, act);
    let error = first.send(&ana(), &draft(), "k").await.unwrap_err();
    assert_eq!(means(&error), expected, "{case}");
    assert_eq!(files(&folder, "mail/sent").len(), 0, "{case}");
    let in_doubt = usize::from(expected == Means::Unknown);
    assert_eq!(files(&folder, "mail/outbox").len(), in_doubt, "{case}");
    // The next process sees the same.
    let look = folder.reopened().find_sent(&ana(), "k").await;
    match expected {
        Means::Unknown => assert!(matches!(look, Err(AccountError::Unknown { .. })), "{case}"),
        _ => assert_eq!(look.unwrap(), None, "{case}"),
    }
    let before = server.taken().len();
    assert!(before <= in_doubt, "{case}");
    // Sent again, as its owner wants it where nobody could tell, it is one mail more and no doubt is left.
    let sent = workspace.send(&ana(), &draft(), "k").await.unwrap();
    let taken = server.taken();
    assert_eq!(taken.len(), before + 1, "{case}");
    assert_eq!(workspace.find_sent(&ana(), "k").await.unwrap(), Some(sent));
    assert_eq!(files(&folder, "mail/outbox").len(), 0, "{case}");
    assert!(taken.iter().all(|mail| *mail == taken[0]), "{case}");
}

#[tokio::test]
async fn one_who_isnt_taken_keeps_it_from_everybody() {
    let (folder, server) = (Folder::new(), Server::start());
    let workspace = through(&folder, &server);
    server.refuse("zoe@xn--bro-hoa.example", "550 5.1.1 nobody here");
    let refused = workspace.send(&ana(), &draft(), "k").await.unwrap_err();
    let names = |reason: &str| reason.contains("zoe@xn--bro-hoa.example");
    assert!(
        matches!(&refused, AccountError::Refused { reason } if names(reason)),
        "{refused:?}"
    );
    assert!(server.taken().is_empty());
    server.refuse("zoe@xn--bro-hoa.example", "450 4.2.0 greylisted");
    match workspace.send(&ana(), &draft(), "k").await.unwrap_err() {
        AccountError::NotReached { retry_after, .. } => assert!(retry_after.is_some()),
        other => panic!("{other:?}"),
    }
    assert!(server.taken().is_empty());
}

#[tokio::test]
async fn nobody_listens_is_not_reached() {
    let (folder, server) = (Folder::new(), Server::start());
    let closed = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = closed.local_addr().unwrap().port();
    drop(closed);
    let smtp = Smtp::read(&format!("smtp://127.0.0.1:{port}"), None).unwrap();
    let workspace = folder.workspace.clone().with_smtp(smtp);
    let error = workspace.send(&ana(), &draft(), "k").await.unwrap_err();
    assert_eq!(means(&error), Means::NotReached);
    assert_eq!(server.connections(), 0);
}

/// Encryption that a server doesn't offer isn't left out.
#[tokio::test]
async fn nothing_is_said_in_the_clear_where_tls_is_wanted() {
    for tls in ["starttls", "tls"] {
        let (folder, server) = (Folder::new(), Server::start());
        server.offer(&["AUTH PLAIN LOGIN"]);
        // A name of this machine that isn't one of those which go without.
        let url = match tls {
            "tls" => format!("smtps://ana@127.0.0.1:{}", server.port),
            _ => format!("smtp://ana@127.0.0.2:{}", server.port),
        };
        let smtp = Smtp::read(&url, Some("hush".into())).unwrap();
        let smtp = smtp.with_patience(Duration::from_millis(300));
        let workspace = folder.workspace.clone().with_smtp(smtp);
        let error = workspace.send(&ana(), &draft(), "k").await.unwrap_err();
        assert_eq!(means(&error), Means::NotReached, "{tls}");
        assert!(server.logins().is_empty());
    }
}

#[tokio::test]
async fn who_waits_for_a_mail_in_doubt_doesnt_repeat_it() {
    let (folder, server) = (Folder::new(), Server::start());
    let workspace = through(&folder, &server);
    let (draft, ana) = (draft(), ana());
    // Then two want to repeat it while another mail has its turn: one does.
    for (keys, sent) in [(["k"; 3], 1), (["other", "k", "k"], 3)] {
        server.fail(Point::Content, Act::Drop);
        server.fail(Point::Content, Act::Drop);
        let sends = keys.map(|key| workspace.send(&ana, &draft, key));
        for one in join_all(sends).await {
            assert_eq!(means(&one.unwrap_err()), Means::Unknown);
        }
        assert_eq!((server.taken().len(), server.connections()), (sent, sent));
    }
}
