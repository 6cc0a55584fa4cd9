//! Kills a process at each point of a conversation with an SMTP server: the next one knows what was
//! certainly not sent, what was, and what nobody can tell.
//!
//! The process that is killed runs this same test, with the folder and the server named in its environment.

use crate::support;

use alfred_core::ports::{AccountError, Mail};
use alfred_testkit::smtp_server::{Act, Point, Server};
use alfred_testkit::{ChildGuard, LIMIT, within};
use alfred_workspace::Smtp;
use std::path::Path;
use std::process::Command;
use support::{Folder, ana, draft, opened};

/// Name the folder and the server to a process that is to be killed.
const FOLDER: &str = "ALFRED_TEST_KILLED_FOLDER";
const SERVER: &str = "ALFRED_TEST_KILLED_SERVER";
const THIS_TEST: &str = "smtp_kill::killed_while_sending_is_sent_or_not_or_unknown";

async fn child(root: &str, url: &str) {
    let smtp = Smtp::read(url, None).unwrap();
    let workspace = opened(Path::new(root), None).with_smtp(smtp);
    workspace.send(&ana(), &draft(), "k").await.unwrap();
    // It had its receipt before anybody killed it.
    within(LIMIT, "the kill", std::future::pending()).await
}

#[derive(Debug, PartialEq, Eq)]
enum Look {
    Sent,
    Not,
    Unknown,
}

async fn look(folder: &Folder) -> Look {
    match folder.reopened().find_sent(&ana(), "k").await {
        Ok(Some(_)) => Look::Sent,
        Ok(None) => Look::Not,
        Err(AccountError::Unknown { .. }) => Look::Unknown,
        Err(other) => panic!("{other:?}"),
    }
}

async fn killed_at(at: Point) {
    let (folder, server) = (Folder::new(), Server::start());
    server.fail(at, Act::Hang);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([THIS_TEST, "--exact"])
        .env(FOLDER, folder.path(""))
        .env(SERVER, server.url());
    let child = ChildGuard::spawn(&mut command);
    assert_eq!(server.reached(), at);
    drop(child);
    let (found, taken) = (look(&folder).await, server.taken().len());
    match at {
        Point::Within => assert_eq!((&found, taken), (&Look::Unknown, 0)),
        Point::Content => assert_eq!((&found, taken), (&Look::Unknown, 1)),
        // It may have read the answer and not yet written it down.
        Point::Accepted => assert!(found != Look::Not && taken == 1, "{found:?}"),
        _ => assert_eq!((&found, taken), (&Look::Not, 0), "{at:?}"),
    }
    if found == Look::Not {
        let smtp = Smtp::read(&server.url(), None).unwrap();
        let workspace = folder.reopened().with_smtp(smtp);
        workspace.send(&ana(), &draft(), "k").await.unwrap();
        assert_eq!(server.taken().len(), 1, "{at:?}");
        assert_eq!(look(&folder).await, Look::Sent, "{at:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_while_sending_is_sent_or_not_or_unknown() {
    if let (Ok(root), Ok(url)) = (std::env::var(FOLDER), std::env::var(SERVER)) {
        return child(&root, &url).await;
    }
    use Point::{Accepted, Content, Data, Ehlo, Greeting, Mail as From, Rcpt, Within};
    for at in [Greeting, Ehlo, From, Rcpt, Data, Within, Content, Accepted] {
        killed_at(at).await;
    }
}
