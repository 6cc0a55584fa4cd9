use alfred_slack_local::seed::ANA;
use alfred_testkit::chromium::Chromium;
use serde_json::json;

use crate::local::cli::Cli;
use crate::local::model::ScriptedModel;
use crate::local::process::Serving;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn page_shows_that_alfred_is_thinking() {
    let (cli, model) = (Cli::new(), ScriptedModel::start().await);
    model.hold_from(0);
    let mut command = cli.command("serve --port 0");
    command.env("ALFRED_MODEL", "stand-in:scripted");
    command.env("ALFRED_MODEL_URL", &model.url);
    let serving = Serving::start(command, cli.data()).await;
    let tab = Chromium::start().open(&serving.link);
    let said = json!({"user": ANA, "text": "make the two tasks of #one together"});
    assert_eq!(serving.post("/client/post", &said).await.status(), 200);
    let status = "document.getElementById('statuses').innerText";
    tab.until(&format!("{status}.includes('is thinking…')"));
    model.release();
    tab.shows("Both tasks of one are there.");
    tab.until(&format!("{status} === ''"));
    serving.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn page_shows_what_alfred_does_until_the_reply_takes_its_place() {
    let (cli, model) = (Cli::new(), ScriptedModel::start().await);
    // After the classification, and the turn with two calls, which is asked for shorter twice: see `counted_turn`.
    model.hold_from(4);
    let mut command = cli.command("serve --port 0");
    command.env("ALFRED_MODEL", "stand-in:scripted");
    command.env("ALFRED_MODEL_URL", &model.url);
    let serving = Serving::start(command, cli.data()).await;
    let tab = Chromium::start().open(&serving.link);
    let said = json!({"user": ANA, "text": "make the two tasks of #one together"});
    assert_eq!(serving.post("/client/post", &said).await.status(), 200);
    tab.until("document.querySelectorAll('.task.complete').length === 2");
    tab.shows("Create task");
    model.release();
    tab.shows("Both tasks of one are there.");
    tab.until("document.querySelectorAll('.task').length === 0");
    serving.kill().await;
}
