//! The stand-in as a process of its own, killed and started again.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests: a panic is a failed assertion"
)]

mod support;

use alfred_slack_local::seed::{ANA, ANA_DM};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use support::{App, answer, client};

struct Process {
    child: Child,
    url: String,
}

impl Process {
    fn start(data: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_slack-local"))
            .args(["--page-token", "page", "--control", "--data"])
            .arg(data)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let url = said["url"].as_str().unwrap().to_owned();
        Self { child, url }
    }
}

impl Drop for Process {
    /// SIGKILL: nothing gets a chance to be written.
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[tokio::test]
async fn killed_it_comes_back_with_its_history_and_what_it_owes() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("slack.sqlite");
    let first = Process::start(&data);
    let text = json!({"user": ANA, "text": "remember me"});
    let post = client().post(format!("{}/client/post", first.url));
    let written = answer(post.bearer_auth("page").json(&text)).await;
    assert_eq!(written.0, 200);
    drop(first);

    let second = Process::start(&data);
    let mut app = App::start().await;
    let urls = json!({"events": app.url, "interactivity": app.url, "commands": app.url});
    let set = client().put(format!("{}/control/request_urls", second.url));
    assert_eq!(answer(set.json(&urls)).await.0, 200);
    assert_eq!(app.next().await.json()["event"]["text"], "remember me");
    let url = format!("{}/client/messages?channel={ANA_DM}", second.url);
    let (_, messages) = answer(client().get(url).bearer_auth("page")).await;
    assert_eq!(messages["messages"][0]["text"], "remember me");
}
