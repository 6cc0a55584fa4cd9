use alfred_slack_local::seed::ANA;
use alfred_testkit::chromium::{Chromium, Tab};
use serde_json::json;

use crate::local::cli::Cli;
use crate::local::model::ScriptedModel;
use crate::local::process::Serving;

/// Ana asks on the page. The model holds its turns from this one on.
async fn asked(held: usize) -> (Cli, ScriptedModel, Serving, Tab) {
    let (cli, model) = (Cli::new(), ScriptedModel::start().await);
    model.hold_from(held);
    let mut command = cli.command("serve --port 0");
    command.env("ALFRED_MODEL", "stand-in:scripted");
    command.env("ALFRED_MODEL_URL", &model.url);
    let serving = Serving::start(command, cli.data()).await;
    let tab = Chromium::start().open(&serving.link);
    let said = json!({"user": ANA, "text": "make the two tasks of #one together"});
    assert_eq!(serving.post("/client/post", &said).await.status(), 200);
    (cli, model, serving, tab)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn page_shows_that_alfred_is_thinking() {
    let (_cli, model, serving, tab) = asked(0).await;
    let status = "document.getElementById('statuses').innerText";
    tab.until(&format!("{status}.includes('is working…')"));
    model.release();
    tab.shows("Both tasks of one are there.");
    tab.until(&format!("{status} === ''"));
    serving.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn page_shows_what_alfred_does_until_the_reply_takes_its_place() {
    // After the classification, and the turn with two calls, which is asked for shorter twice: see `counted_turn`.
    let (_cli, model, serving, tab) = asked(4).await;
    tab.until("document.querySelectorAll('.task.complete').length === 2");
    tab.shows("Create task");
    model.release();
    tab.shows("Both tasks of one are there.");
    tab.until("document.querySelectorAll('.task').length === 0");
    serving.kill().await;
}
