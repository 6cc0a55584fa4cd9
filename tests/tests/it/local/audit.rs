//! `alfred approvals` and `alfred audit`, alone, beside a serving process, and on a tampered file.

use insta::assert_snapshot;
use rusqlite::Connection;
use serde_json::Value;

use crate::local::cli::{Cli, steady};

/// Asks for a message to Ben. Returns the card and the approval's id.
async fn ask(cli: &Cli) -> (String, String) {
    let card = cli.ends(3, "ask 'tell Ben that lunch is at noon'").await;
    let mut words = card.split_whitespace();
    let id = words
        .find(|word| word.starts_with("apr_"))
        .map(str::to_owned);
    let id = id.unwrap_or_else(|| panic!("no id on {card}"));
    (card, id)
}

async fn what(cli: &Cli, filter: &str) -> Vec<String> {
    let entries = cli.said_json(&format!("audit list --json {filter}")).await;
    let entries = entries.as_array().unwrap().iter();
    let what = entries.map(|entry| entry["what"].as_str().unwrap().to_owned());
    what.collect()
}

/// Removes the card's deadline, which differs between days.
fn dateless(card: &str) -> String {
    let lines = card
        .lines()
        .map(|line| match line.split_once("You can decide until ") {
            Some((before, moment)) => {
                assert!(moment.starts_with("20"), "{moment}");
                format!("{before}You can decide until MOMENT")
            }
            None => line.to_owned(),
        });
    steady(&lines.collect::<Vec<_>>().join("\n"))
}

#[tokio::test]
async fn what_waits_is_shown_approved_done_and_recorded() {
    let cli = Cli::new();
    let (card, id) = ask(&cli).await;
    assert_snapshot!(dateless(&card), @r"
    Send a Slack message
    To: Ben Okafor (@ben), a direct message
    │ Lunch is at noon
    Why I ask: it reaches other people
    You can decide until MOMENT
    Yes: alfred approvals approve apr_1
    No:  alfred approvals reject apr_1

    Nothing was sent or changed.

    (demo:offline answered, by parsing; set OPENAI_API_KEY or ALFRED_MODEL for a real model)

    run run_1  (alfred trace run_1)
    ");
    let listed = cli.said("approvals list").await;
    assert!(
        listed.contains(&id) && listed.contains("Lunch is at noon"),
        "{listed}"
    );
    let others = cli.said("approvals list --user ben").await;
    assert!(!others.contains(&id), "{others}");

    let approve = format!("approvals approve {id}");
    cli.ends(1, &format!("{approve} --user ben")).await;
    assert_eq!(what(&cli, "").await, ["approval.asked"]);

    assert_snapshot!(steady(&cli.said(&approve).await), @r"
    Done.

    ✓ Sent to Ben Okafor: “Lunch is at noon” (direct message)

    (demo:offline answered, by parsing; set OPENAI_API_KEY or ALFRED_MODEL for a real model)

    run run_1  (alfred trace run_1)
    ");
    assert_snapshot!(steady(&cli.ends(1, &approve).await), @"alfred: That has been decided already, or was replaced by an edit. Nothing more was done.");
    assert!(!cli.said("approvals list").await.contains(&id));

    let all = [
        "approval.asked",
        "approval.decided",
        "effect.begun",
        "slack_sendMessage",
        "reply",
    ];
    assert_eq!(what(&cli, "").await, all);
    assert_eq!(what(&cli, "--tool slack_sendMessage").await, all[2..4]);
    assert_eq!(what(&cli, "--user ana").await, all);
    for nothing in ["--user ben", "--failed", "--until 2020-01-01"] {
        assert!(what(&cli, nothing).await.is_empty(), "{nothing}");
    }
    let table = cli.said("audit list").await;
    assert_eq!(table.lines().count(), all.len(), "{table}");
    assert!(!table.contains("noon"), "no bodies: {table}");
    let words = cli.said("audit verify").await;
    assert!(words.starts_with("1 runs, 5 entries"), "{words}");
}

#[tokio::test]
async fn a_rejection_sends_nothing() {
    let cli = Cli::new();
    let (_, id) = ask(&cli).await;
    cli.said(&format!("approvals reject {id} --reason 'she knows'"))
        .await;
    let recorded = what(&cli, "").await;
    assert_eq!(recorded[..2], ["approval.asked", "approval.decided"]);
    assert!(
        !recorded.iter().any(|what| what == "effect.begun"),
        "{recorded:?}"
    );
    assert_eq!(what(&cli, "--failed").await[0], "slack_sendMessage");
}

#[tokio::test]
async fn everything_works_beside_a_process_that_serves() {
    let cli = Cli::new();
    let serving = cli.serve().await;
    let (_, id) = ask(&cli).await;
    assert!(cli.said("approvals list").await.contains(&id));
    cli.said(&format!("approvals approve {id}")).await;
    let again = cli.ends(1, &format!("approvals reject {id}")).await;
    assert_snapshot!(steady(&again), @"alfred: That has been decided already, or was replaced by an edit. Nothing more was done.");
    assert_eq!(what(&cli, "").await.len(), 5);
    cli.said("audit verify").await;
    cli.ends(1, "approvals approve apr_none").await;
    cli.said("audit list --since 0000-01-01 --until 9999-12-31")
        .await;
    cli.ends(2, "audit list --since soon").await;
    serving.kill().await;
}

#[tokio::test]
async fn whoever_changes_the_file_is_found() {
    let cli = Cli::new();
    let (_, id) = ask(&cli).await;
    cli.said(&format!("approvals approve {id}")).await;
    let entries = cli.said_json("audit list --json").await;
    let run_id = entries[0]["run"].as_str().unwrap().to_owned();
    let file = Connection::open(cli.data().join("alfred.db")).unwrap();
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
    let words = cli.ends(1, "audit verify").await;
    let changed = format!("changed: entry 2 of {run_id}");
    assert!(words.contains(&changed), "{words}");
    write(2, &honest);
    cli.said("audit verify").await;
    let delete = "DELETE FROM items WHERE part = ?1 AND range = '000005'";
    assert_eq!(file.execute(delete, [&partition]).unwrap(), 1);
    let words = cli.ends(1, "audit verify").await;
    let cut_off = format!("{run_id} ends with entry 4");
    assert!(words.contains(&cut_off), "{words}");
}
