//! `alfred approvals` and `alfred audit`, as a person uses them: alone, beside
//! a process that serves, and on a file that somebody has tampered with.

use rusqlite::Connection;
use serde_json::Value;
use std::path::Path;

use crate::commands::{folder, said, said_json, serve};
use crate::process::{alfred, run, stderr, stdout};

const REQUEST: [&str; 2] = ["ask", "tell Ben that lunch is at noon"];

/// Asks for a message to Ben, and gives the card and the approval's id.
async fn ask(data: &Path) -> (String, String) {
    let output = run(&mut alfred(data, &REQUEST)).await;
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let card = stdout(&output);
    let id = card
        .split_whitespace()
        .find(|word| word.starts_with("apr_"));
    let id = id.unwrap_or_else(|| panic!("no id on {card}")).to_owned();
    (card, id)
}

async fn what(data: &Path, arguments: &[&str]) -> Vec<String> {
    let arguments = [&["audit", "list", "--json"], arguments].concat();
    let entries = said_json(data, &arguments).await;
    let entries = entries.as_array().unwrap().iter();
    let what = entries.map(|entry| entry["what"].as_str().unwrap().to_owned());
    what.collect()
}

async fn verify(data: &Path) -> (Option<i32>, String) {
    let output = run(&mut alfred(data, &["audit", "verify"])).await;
    (output.status.code(), stdout(&output))
}

#[tokio::test]
async fn what_waits_is_shown_approved_done_and_recorded() {
    let data = folder();
    let data = data.path();
    let (card, id) = ask(data).await;
    for part in [
        "Send a Slack message",
        "Lunch is at noon",
        "Why I ask: it reaches other people",
        "You can decide until 20",
        &format!("alfred approvals approve {id}"),
        &format!("alfred approvals reject {id}"),
    ] {
        assert!(card.contains(part), "no {part:?} on:\n{card}");
    }
    let listed = said(data, &["approvals", "list"]).await;
    assert!(
        listed.contains(&id) && listed.contains("Lunch is at noon"),
        "{listed}"
    );
    let others = said(data, &["approvals", "list", "--user", "ben"]).await;
    assert!(!others.contains(&id), "{others}");

    let by_ben = run(&mut alfred(
        data,
        &["approvals", "approve", &id, "--user", "ben"],
    ))
    .await;
    assert_eq!(by_ben.status.code(), Some(1), "{}", stdout(&by_ben));
    assert_eq!(what(data, &[]).await, ["approval.asked"]);

    let done = said(data, &["approvals", "approve", &id]).await;
    assert!(done.contains("✓"), "{done}");
    let again = run(&mut alfred(data, &["approvals", "approve", &id])).await;
    assert_eq!(again.status.code(), Some(1));
    assert!(stderr(&again).contains("decided"), "{}", stderr(&again));
    assert!(!said(data, &["approvals", "list"]).await.contains(&id));

    let all = [
        "approval.asked",
        "approval.decided",
        "effect.begun",
        "slack_sendMessage",
        "reply",
    ];
    assert_eq!(what(data, &[]).await, all);
    assert_eq!(
        what(data, &["--tool", "slack_sendMessage"]).await,
        [all[2], all[3]]
    );
    assert_eq!(what(data, &["--user", "ana"]).await, all);
    assert!(what(data, &["--user", "ben"]).await.is_empty());
    assert!(what(data, &["--failed"]).await.is_empty());
    assert!(what(data, &["--until", "2020-01-01"]).await.is_empty());
    let table = said(data, &["audit", "list"]).await;
    assert_eq!(table.lines().count(), all.len(), "{table}");
    assert!(!table.contains("noon"), "no bodies: {table}");
    let (code, words) = verify(data).await;
    assert_eq!(code, Some(0), "{words}");
    assert!(words.starts_with("1 runs, 5 entries"), "{words}");
}

#[tokio::test]
async fn a_rejection_sends_nothing() {
    let data = folder();
    let data = data.path();
    let (_, id) = ask(data).await;
    said(data, &["approvals", "reject", &id, "--reason", "she knows"]).await;
    let recorded = what(data, &[]).await;
    assert_eq!(recorded[..2], ["approval.asked", "approval.decided"]);
    assert!(
        !recorded.contains(&"effect.begun".to_owned()),
        "{recorded:?}"
    );
    assert_eq!(what(data, &["--failed"]).await[0], "slack_sendMessage");
}

#[tokio::test]
async fn everything_works_beside_a_process_that_serves() {
    let data = folder();
    let data = data.path();
    let serving = serve(data).await;
    let (_, id) = ask(data).await;
    assert!(said(data, &["approvals", "list"]).await.contains(&id));
    said(data, &["approvals", "approve", &id]).await;
    let again = run(&mut alfred(data, &["approvals", "reject", &id])).await;
    assert_eq!(again.status.code(), Some(1));
    assert!(stderr(&again).contains("decided"), "{}", stderr(&again));
    assert_eq!(what(data, &[]).await.len(), 5);
    assert_eq!(verify(data).await.0, Some(0));
    let unknown = run(&mut alfred(data, &["approvals", "approve", "apr_none"])).await;
    assert_eq!(unknown.status.code(), Some(1));
    let ages = [
        "audit",
        "list",
        "--since",
        "0000-01-01",
        "--until",
        "9999-12-31",
    ];
    let all = run(&mut alfred(data, &ages)).await;
    assert_eq!(all.status.code(), Some(0), "{all:?}");
    let usage = run(&mut alfred(data, &["audit", "list", "--since", "soon"])).await;
    assert_eq!(usage.status.code(), Some(2));
    serving.kill().await;
}

#[tokio::test]
async fn whoever_changes_the_file_is_found() {
    let data = folder();
    let data = data.path();
    let (_, id) = ask(data).await;
    said(data, &["approvals", "approve", &id]).await;
    let entries = said_json(data, &["audit", "list", "--json"]).await;
    let run_id = entries[0]["run"].as_str().unwrap().to_owned();
    let file = Connection::open(data.join("alfred.db")).unwrap();
    let partition = format!("T0LOCAL001#audit#{run_id}");
    let body = |seq: u32| -> String {
        let read = "SELECT body FROM items WHERE part = ?1 AND range = ?2";
        let key = (&partition, format!("{seq:06}"));
        file.query_row(read, key, |row| row.get(0)).unwrap()
    };
    let write = |seq: u32, text: &str| {
        let update = "UPDATE items SET body = ?3 WHERE part = ?1 AND range = ?2";
        let changed = file.execute(update, (&partition, format!("{seq:06}"), text));
        assert_eq!(changed.unwrap(), 1);
    };
    let honest = body(2);
    let mut forged: Value = serde_json::from_str(&honest).unwrap();
    forged["who"] = "somebody".into();
    write(2, &forged.to_string());
    let (code, words) = verify(data).await;
    assert_eq!(code, Some(1), "{words}");
    assert!(
        words.contains(&format!("changed: entry 2 of {run_id}")),
        "{words}"
    );
    write(2, &honest);
    assert_eq!(verify(data).await.0, Some(0));
    let delete = "DELETE FROM items WHERE part = ?1 AND range = '000005'";
    assert_eq!(file.execute(delete, [&partition]).unwrap(), 1);
    let (code, words) = verify(data).await;
    assert_eq!(code, Some(1));
    assert!(
        words.contains(&format!("{run_id} ends with entry 4")),
        "{words}"
    );
}
