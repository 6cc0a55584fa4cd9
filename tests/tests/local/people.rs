//! `alfred users`: registering and forgetting people, with and without a
//! process that serves, with the local Slack and as with a real one.

use alfred_core::ports::{Clock, SystemClock};
use alfred_embedded::{DataFolder, Durability, SqliteStore};
use alfred_slack_local::seed::{ANA, BEN, CHIYO};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

use crate::commands::{folder, said, said_json, serve};
use crate::process::{alfred, eventually, run, stderr, stdout};
use crate::scene::Scene;

#[tokio::test]
async fn people_are_listed_added_and_changed() {
    let data = folder();
    let people = said_json(data.path(), &["users", "list", "--json"]).await;
    let role = |people: &Value, id: &str| {
        let mut all = people.as_array().unwrap().iter();
        let person = all.find(|person| person["slack_user_id"] == id);
        person.map(|person| person["role"].clone())
    };
    assert_eq!(role(&people, "U0ANA00001"), Some("admin".into()));
    assert_eq!(role(&people, "U0CHIYO001"), Some("guest".into()));
    said(
        data.path(),
        &["users", "add", "U0CHIYO001", "--role", "member"],
    )
    .await;
    let people = said_json(data.path(), &["users", "list", "--json"]).await;
    assert_eq!(role(&people, "U0CHIYO001"), Some("member".into()));
    let output = run(&mut alfred(data.path(), &["users", "add", "U0NOBODY"])).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("U0NOBODY"), "{}", stderr(&output));
    assert!(
        said(data.path(), &["users", "list"])
            .await
            .contains("Ana Marques")
    );
}

#[tokio::test]
async fn people_are_seen_to_while_a_process_serves() {
    let data = folder();
    let serving = serve(data.path()).await;
    said(data.path(), &["users", "add", CHIYO, "--role", "member"]).await;
    let people = said_json(data.path(), &["users", "list", "--json"]).await;
    let mut all = people.as_array().unwrap().iter();
    let chiyo = all.find(|person| person["slack_user_id"] == CHIYO).unwrap();
    assert_eq!(chiyo["role"], "member");
    let output = run(&mut alfred(data.path(), &["users", "add", "U0NOBODY"])).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("U0NOBODY"), "{}", stderr(&output));
    serving.kill().await;
}

#[tokio::test]
async fn forgetting_deletes_everything_of_one_person_for_good() {
    let data = folder();
    for (user, task) in [("ben", "secret plan xyzzy"), ("ana", "call the dentist")] {
        let request = format!("Add a task: {task}");
        said(data.path(), &["ask", "--user", user, &request]).await;
    }
    let block = r#"{"date": "tomorrow", "type": "work", "title": "Plan", "startTime": "9am", "endTime": "10am"}"#;
    said(
        data.path(),
        &[
            "run-tool",
            "--user",
            "ben",
            "schedule_createTimeBlock",
            block,
        ],
    )
    .await;
    let told = said_json(data.path(), &["users", "forget", BEN, "--yes", "--json"]).await;
    assert_eq!(told["user"], BEN);
    assert_eq!(told["stopped"], 0);
    for (what, n) in [
        ("runs", 2),
        ("tasks", 1),
        ("days", 1),
        ("sessions", 2),
        ("registration", 1),
    ] {
        assert_eq!(told["deleted"][what], n, "{what} in {told}");
    }
    assert_eq!(named(data.path(), BEN).await, Vec::<String>::new());
    // Nor do the pages of the file hold what was deleted.
    for file in ["alfred.db", "alfred.db-wal"] {
        let bytes = std::fs::read(data.path().join(file)).unwrap_or_default();
        let found = bytes.windows(5).any(|five| five == b"xyzzy");
        assert!(!found, "{file}");
    }
    let output = run(&mut alfred(data.path(), &["ask", "--user", "ben", "hello"])).await;
    assert!(
        stdout(&output).contains("don't recognise you"),
        "{}",
        stdout(&output)
    );
    let shown = said(data.path(), &["ask", "show my tasks"]).await;
    assert!(shown.contains("Call the dentist"), "{shown}");
    let output = run(&mut alfred(
        data.path(),
        &["users", "forget", "U0NOBODY", "--yes"],
    ))
    .await;
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("U0NOBODY"), "{}", stderr(&output));
}

#[tokio::test]
async fn whoever_was_forgotten_is_not_registered_again_by_itself() {
    let data = folder();
    said(data.path(), &["users", "forget", BEN, "--yes"]).await;
    let people = said(data.path(), &["users", "list"]).await;
    assert!(people.contains(ANA) && !people.contains(BEN), "{people}");
    said(data.path(), &["users", "add", BEN]).await;
    said(data.path(), &["ask", "--user", "ben", "What time is it?"]).await;
}

/// As with a real Slack: its process serves, a run is at the model.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_at_work_is_stopped_before_its_person_is_forgotten() {
    let mut scene = Scene::new(77).await;
    let serving = scene.start().await;
    let data = scene.data().to_owned();
    // The classification passes, the first turn waits.
    scene.model.hold_from(1);
    scene.ask("forgotten".into(), false, false);
    scene.model.called(2).await;
    let told = said_json(&data, &["users", "forget", ANA, "--yes", "--json"]).await;
    assert_eq!(told["stopped"], 1, "{told}");
    assert_eq!(told["deleted"]["runs"], 1, "{told}");
    assert_eq!(told["administrator"], true, "{told}");
    scene.model.release();
    scene.model.answered(2).await;
    eventually("the queues are empty", async || {
        let people = said_json(&data, &["users", "list", "--json"]).await;
        (people.as_array().unwrap().is_empty()).then_some(())
    })
    .await;
    serving.kill().await;
    assert_eq!(named(&data, ANA).await, Vec::<String>::new());
    assert!(scene.posted().is_empty(), "{:?}", scene.posted());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_a_real_slack_people_are_registered_by_id() {
    let scene = Scene::new(78).await;
    let added = run(&mut scene.command(&["users", "add", BEN, "--role", "guest"])).await;
    assert_eq!(added.status.code(), Some(0), "{}", stderr(&added));
    let serving = scene.start().await;
    let people = said_json(scene.data(), &["users", "list", "--json"]).await;
    assert_eq!(people[0]["slack_user_id"], BEN);
    assert_eq!(people[0]["role"], "guest");
    said(scene.data(), &["users", "add", CHIYO]).await;
    let app = run(&mut scene.command(&["users", "add", "U0ALFRED01"])).await;
    assert_eq!(app.status.code(), Some(1), "{}", stderr(&app));
    let time = said_json(
        scene.data(),
        &["run-tool", "--user", BEN, "--json", "time_now"],
    )
    .await;
    assert_eq!(time["success"], true, "{time}");
    serving.kill().await;
}

/// The partitions in which anything of a person is left, by their names and by what is in them.
async fn named(data: &Path, user: &str) -> Vec<String> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let folder = DataFolder::open(data).unwrap();
    let database = folder.database(Durability::Full).unwrap();
    let store = SqliteStore::new(database, clock);
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
