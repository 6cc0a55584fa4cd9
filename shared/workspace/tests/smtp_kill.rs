//! Kills a process at each point of a conversation with an SMTP server: the next one knows what was
//! certainly not sent, what was, and what nobody can tell.
//!
//! Without the test harness, because the same binary is the process that is killed.

#![allow(clippy::unwrap_used, reason = "a test stops at the first failure")]

mod support;

use alfred_core::ports::{AccountError, Mail};
use alfred_testkit::smtp_server::{Act, Point, Server};
use alfred_workspace::Smtp;
use std::path::Path;
use std::process::Command;
use support::{Folder, ana, draft, opened};

const CHILD: &str = "--send-until-killed";

async fn child(root: &str, url: &str) {
    let smtp = Smtp::read(url, None).unwrap();
    let workspace = opened(Path::new(root)).with_smtp(smtp);
    workspace.send(&ana(), &draft(), "k").await.unwrap();
    // It had its receipt before anybody killed it.
    std::future::pending::<()>().await;
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
    let mut child = command
        .arg(CHILD)
        .arg(folder.path(""))
        .arg(server.url())
        .spawn()
        .unwrap();
    assert_eq!(server.reached(), at);
    child.kill().unwrap();
    child.wait().unwrap();
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
    println!("killed at {at:?}: {found:?}");
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [flag, root, url] if flag == CHILD => runtime.block_on(child(root, url)),
        _ => runtime.block_on(async {
            use Point::{Accepted, Content, Data, Ehlo, Greeting, Mail as From, Rcpt, Within};
            for at in [Greeting, Ehlo, From, Rcpt, Data, Within, Content, Accepted] {
                killed_at(at).await;
            }
        }),
    }
}
