//! `alfred users`: registers and forgets people, with and without a serving process and a real Slack.

use alfred_core::ports::{Clock, SystemClock};
use alfred_embedded::{DataFolder, SqliteStore};
use alfred_slack_local::seed::{ANA, BEN, CHIYO};
use alfred_testkit::{LIMIT, eventually};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

use crate::local::cli::{Cli, ends, steady};
use crate::local::scene::Scene;

async fn roles(cli: &Cli) -> Value {
    let people = cli.said_json("users list --json").await;
    let people = people.as_array().unwrap().iter();
    let role = |person: &Value| {
        let id = person["slack_user_id"].as_str().unwrap().to_owned();
        (id, person["role"].clone())
    };
    Value::Object(people.map(role).collect())
}

#[tokio::test]
async fn people_are_listed_added_and_changed() {
    let cli = Cli::new();
    cli.said("users add U0CHIYO001 --role guest").await;
    assert_snapshot!(roles(&cli).await, @r#"{"U0ANA00001":"admin","U0BEN00001":"member","U0CHIYO001":"guest"}"#);
    cli.said("users add U0CHIYO001 --role member").await;
    assert_eq!(roles(&cli).await[CHIYO], "member");
    assert_snapshot!(cli.ends(1, "users add U0NOBODY").await, @"alfred: Slack knows nobody with the id U0NOBODY");
    assert_snapshot!(cli.said("users list").await, @r"
    U0ANA00001  Ana Marques  ana@example.com  Europe/Lisbon  Admin
    U0BEN00001  Ben Okafor  ben@example.com  America/New_York  Member
    U0CHIYO001  Chiyo Tanaka  chiyo@example.com  Asia/Tokyo  Member
    ");
}

#[tokio::test]
async fn people_are_seen_to_while_a_process_serves() {
    let cli = Cli::new();
    let serving = cli.serve().await;
    cli.said("users add U0CHIYO001 --role member").await;
    assert_eq!(roles(&cli).await[CHIYO], "member");
    assert_snapshot!(cli.ends(1, "users add U0NOBODY").await, @"alfred: Slack knows nobody with the id U0NOBODY");
    serving.kill().await;
}

#[tokio::test]
async fn forgetting_deletes_everything_of_one_person_for_good() {
    let cli = Cli::new();
    cli.said("ask --user ben 'Add a task: secret plan xyzzy'")
        .await;
    cli.said("ask --user ana 'Add a task: call the dentist'")
        .await;
    cli.said(r#"run-tool --user ben schedule_createTimeBlock '{"date": "tomorrow", "type": "work", "title": "Plan", "startTime": "9am", "endTime": "10am"}'"#).await;
    cli.said(r#"run-tool --user ben job_createJob '{"say": "plan xyzzy", "everyMinutes": 60}'"#)
        .await;
    let told = cli
        .said_json(&format!("users forget {BEN} --yes --json"))
        .await;
    assert_eq!((&told["user"], &told["stopped"]), (&json!(BEN), &json!(0)));
    assert_snapshot!(told["deleted"], @r#"{"block-dates":1,"claims":3,"days":1,"index entries":3,"jobs":1,"questions":1,"registration":1,"runs":3,"sessions":2,"steps":10,"tasks":1}"#);
    assert_eq!(named(cli.data(), BEN).await, [""; 0]);
    // Deleted data is overwritten in the database file too.
    for file in ["alfred.db", "alfred.db-wal"] {
        let bytes = std::fs::read(cli.data().join(file)).unwrap_or_default();
        let found = bytes.windows(5).any(|five| five == b"xyzzy");
        assert!(!found, "{file}");
    }
    assert_snapshot!(cli.ends(1, "ask --user ben hello").await, @r"
    I don't recognise you yet. Please ask an administrator to register you, then write to me again.

    Nothing was sent or changed.

    (demo:offline answered, by parsing; set OPENAI_API_KEY or ALFRED_MODEL for a real model)
    ");
    assert_snapshot!(steady(&cli.said("ask 'show my tasks'").await), @"
    You have one task:
    - Call the dentist (medium priority, 30 min)

    Nothing was sent or changed.

    (demo:offline answered, by parsing; set OPENAI_API_KEY or ALFRED_MODEL for a real model)

    run run_1  (alfred trace run_1)
    ");
    assert_snapshot!(cli.ends(1, "users forget U0NOBODY --yes").await, @"alfred: nothing is stored of U0NOBODY");
}

#[tokio::test]
async fn whoever_was_forgotten_is_not_registered_again_by_itself() {
    let cli = Cli::new();
    cli.said("ask --user ben 'What time is it?'").await;
    cli.said(&format!("users forget {BEN} --yes")).await;
    assert_snapshot!(roles(&cli).await, @r#"{"U0ANA00001":"admin","U0CHIYO001":"guest"}"#);
    cli.said(&format!("users add {BEN}")).await;
    cli.said("ask --user ben 'What time is it?'").await;
}

/// With a real Slack and a serving process, while a run waits for the model.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_at_work_is_stopped_before_its_person_is_forgotten() {
    let mut scene = Scene::new().await;
    let serving = scene.start().await;
    let cli = Cli::on(scene.data());
    // Holds the first turn, after the classification.
    scene.model.hold_from(1);
    scene.ask("forgotten".into(), false, false);
    scene.model.called(2).await;
    let told = cli
        .said_json(&format!("users forget {ANA} --yes --json"))
        .await;
    assert_eq!(told["stopped"], 1, "{told}");
    assert_eq!(told["deleted"]["runs"], 1, "{told}");
    assert_eq!(told["administrator"], true, "{told}");
    scene.model.release();
    scene.model.answered(2).await;
    eventually(LIMIT, "the queues are empty", async || {
        (roles(&cli).await == json!({})).then_some(())
    })
    .await;
    serving.kill().await;
    assert_eq!(named(cli.data(), ANA).await, [""; 0]);
    assert!(scene.posted().is_empty(), "{:?}", scene.posted());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_a_real_slack_people_are_registered_by_id() {
    let scene = Scene::new().await;
    let cli = Cli::on(scene.data());
    ends(
        0,
        &mut scene.command(&["users", "add", BEN, "--role", "guest"]),
    )
    .await;
    let serving = scene.start().await;
    assert_eq!(roles(&cli).await, json!({BEN: "guest"}));
    cli.said(&format!("users add {CHIYO}")).await;
    ends(1, &mut scene.command(&["users", "add", "U0ALFRED01"])).await;
    let time = cli
        .said_json(&format!("run-tool --user {BEN} --json time_now"))
        .await;
    assert_eq!(time["success"], true, "{time}");
    serving.kill().await;
}

/// The partitions with data of a user, by their names and contents.
async fn named(data: &Path, user: &str) -> Vec<String> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let folder = DataFolder::open(data).unwrap();
    let store = SqliteStore::new(folder.database().unwrap(), clock);
    let mut left = Vec::new();
    for partition in store.partitions("").await.unwrap() {
        let query = alfred_core::ports::Query::state(&partition, alfred_core::ports::Range::All);
        let page = alfred_core::ports::Store::query(&store, &query)
            .await
            .unwrap();
        let text: Vec<String> = page
            .items
            .iter()
            .map(|item| item.body.to_string())
            .collect();
        if partition.contains(user) || text.iter().any(|body| body.contains(user)) {
            left.push(partition);
        }
    }
    left
}
