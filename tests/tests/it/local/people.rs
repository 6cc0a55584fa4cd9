//! `alfred users`: registers and forgets people, with a real Slack.

use alfred_slack_local::seed::{ANA, BEN, CHIYO};
use alfred_testkit::{LIMIT, eventually};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::path::Path;

use crate::local::cli::{Cli, ends};
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
    let forget = format!("users forget {ANA} --yes --json");
    let told = cli.said_json(&forget).await;
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
    assert_eq!(named(cli.data(), ANA), [""; 0]);
    assert!(scene.posted().is_empty(), "{:?}", scene.posted());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_a_real_slack_people_are_registered_by_id() {
    let scene = Scene::new().await;
    let cli = Cli::on(scene.data());
    let mut add = scene.command(&["users", "add", BEN, "--role", "guest"]);
    ends(0, &mut add).await;
    let serving = scene.start().await;
    assert_eq!(roles(&cli).await, json!({BEN: "guest"}));
    cli.said(&format!("users add {CHIYO}")).await;
    ends(1, &mut scene.command(&["users", "add", "U0ALFRED01"])).await;
    let ask = format!("run-tool --user {BEN} --json time_now");
    let time = cli.said_json(&ask).await;
    assert_eq!(time["success"], true, "{time}");
    serving.kill().await;
}

/// The partitions with data of a user, by their names and contents.
fn named(data: &Path, user: &str) -> Vec<String> {
    let database = Connection::open(data.join("alfred.db")).unwrap();
    let query = "SELECT part FROM items WHERE tbl = 0 AND instr(part || body, ?1) > 0";
    let mut query = database.prepare(query).unwrap();
    let found = query.query_map([user], |row| row.get(0)).unwrap();
    found.map(Result::unwrap).collect()
}
