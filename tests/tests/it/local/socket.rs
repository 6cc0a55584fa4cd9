//! What Slack sends over Socket Mode, to a real process.

use alfred_agent::slack::card::action;
use alfred_slack_local::seed::{ANA, ANA_DM, BEN, BEN_DM};
use alfred_slack_local::{Disconnect, EnvelopeFault, Message, Options, SlackLocal};
use alfred_testkit::{LIMIT, within};
use serde_json::{Value, json};

use crate::local::process::{Serving, run, stderr, stdout};
use crate::local::scene::Scene;

async fn over_the_socket() -> (Scene, Serving) {
    let scene = Scene::with(Options {
        socket_mode: true,
        ..Options::default()
    })
    .await;
    let mut command = scene.serve();
    command.env_remove("SLACK_SIGNING_SECRET");
    // As it is pasted.
    let token = format!("{}\n", scene.slack.slack.seed().app_token);
    command.env("SLACK_APP_TOKEN", token);
    let serving = scene.started(command).await;
    (scene, serving)
}

#[tokio::test]
async fn a_refused_token_ends_the_start() {
    let scene = Scene::with(Options::default()).await;
    for (name, token, next) in [
        (
            "SLACK_BOT_TOKEN",
            "xoxb-another",
            "take it from *OAuth & Permissions*",
        ),
        (
            "SLACK_APP_TOKEN",
            "xapp-another",
            "create an app-level token (docs/slack.md)",
        ),
    ] {
        let mut command = scene.serve();
        command.env("SLACK_APP_TOKEN", &scene.slack.slack.seed().app_token);
        let ended = run(command.env(name, token)).await;
        let said = format!("Slack refuses {name} (invalid_auth): {next}");
        assert!(stderr(&ended).contains(&said), "{}", stderr(&ended));
        assert!(!ended.status.success());
    }
}

async fn connected(slack: &SlackLocal) {
    let is_open = |slack: &SlackLocal| (slack.open_sockets() > 0).then_some(());
    within(LIMIT, "a socket", slack.until(is_open)).await;
}

/// The first message of Alfred's in a conversation that fits.
async fn seen(slack: &SlackLocal, channel: &str, fits: impl Fn(&Message) -> bool) -> Message {
    let look = |slack: &SlackLocal| {
        let all = slack.messages(channel, 100).unwrap().into_iter();
        let mut own = all.filter(|message| message.bot_id.is_some());
        own.find(|message| fits(message))
    };
    within(LIMIT, "a message", slack.until(look)).await
}

/// An open card with these words.
fn is_card(message: &Message, words: &str) -> bool {
    let decides = message.blocks.iter().any(|it| it["block_id"] == "decide");
    decides && json!(message.blocks).to_string().contains(words)
}

#[tokio::test]
async fn whatever_slack_does_to_its_socket_each_message_is_answered_once() {
    let (mut scene, serving) = over_the_socket().await;
    let slack = scene.slack.slack.clone();
    let faults = [
        EnvelopeFault::Twice,
        EnvelopeFault::NotJson,
        EnvelopeFault::Late(200),
        EnvelopeFault::NotJson,
        EnvelopeFault::Cut,
    ];
    for (number, fault) in faults.into_iter().enumerate() {
        connected(&slack).await;
        slack.fail_next_envelope(fault);
        scene.ask(format!("fault-{number}"), number == 0, false);
        scene.answered().await;
    }
    for why in [Disconnect::Warning, Disconnect::RefreshRequested] {
        connected(&slack).await;
        slack.disconnect(why);
        scene.ask(format!("{why:?}"), false, false);
        scene.answered().await;
    }
    let reported = |message: &Message| message.text.starts_with("Slack sent me something");
    seen(&slack, ANA_DM, reported).await;
    for asked in &scene.asked {
        assert_eq!(scene.answers(&asked.tag), 1, "{}", asked.tag);
    }
    let reports = scene.posted().iter().filter(|it| reported(it)).count();
    assert_eq!((reports, slack.mistakes()), (1, vec![]));
    scene.finish(serving).await;
    scene.check_store().await;
}

#[tokio::test]
async fn doctor_says_what_the_steps_in_the_documents_promise() {
    let scene = Scene::with(Options {
        socket_mode: true,
        ..Options::default()
    })
    .await;
    let mut command = scene.command(&["doctor"]);
    command.env_remove("SLACK_SIGNING_SECRET");
    command.env("SLACK_APP_TOKEN", &scene.slack.slack.seed().app_token);
    let report = stdout(&run(&mut command).await);
    let lines: Vec<&str> = report.lines().collect();
    let steps = include_str!("../../../../docs/slack.md").lines();
    let promised = steps.map(str::trim).filter(|line| line.starts_with("ok "));
    let workspace = &scene.slack.slack.seed().team_name;
    for line in promised.map(|line| line.replace("Acme", workspace)) {
        assert!(lines.contains(&line.as_str()), "{line} isn't in:\n{report}");
    }
}

#[tokio::test]
async fn a_command_a_form_and_clicks_over_the_socket_send_one_message() {
    let (scene, serving) = over_the_socket().await;
    let slack = &scene.slack.slack;
    connected(slack).await;
    let command = format!("run slack_sendMessage to=<@{BEN}> text=Hello");
    let asked = slack.command(ANA, ANA_DM, "/alfred", &command).await;
    assert_eq!(asked.unwrap().status, 200);
    let card = seen(slack, ANA_DM, |it| is_card(it, "Hello")).await;
    let clicked = slack.click(ANA, ANA_DM, &card.ts, action::EDIT, None).await;
    clicked.unwrap();
    // It opens empty and is filled in a moment later.
    let form = |slack: &SlackLocal| {
        let form = slack.views(ANA).unwrap().pop()?;
        let blocks = form.view["blocks"].as_array()?;
        let holds = |block: &&Value| block["element"]["initial_value"] == "Hello";
        let input = blocks.iter().find(holds)?.clone();
        Some((form.id, input))
    };
    let (form, input) = within(LIMIT, "the form", slack.until(form)).await;
    let (block, element) = (&input["block_id"], &input["element"]["action_id"]);
    let written = json!({block.as_str().unwrap(): {element.as_str().unwrap(): "Good morning"}});
    let submitted = slack.submit_view(ANA, &form, &written).await.unwrap();
    assert_eq!(submitted.status, 200);
    let card = seen(slack, ANA_DM, |it| is_card(it, "Good morning")).await;
    for _ in 0..2 {
        let clicked = slack.click(ANA, ANA_DM, &card.ts, action::APPROVE, None);
        clicked.await.unwrap();
    }
    seen(slack, BEN_DM, |it| it.text.contains("Good morning")).await;
    scene.answered().await;
    scene.finish(serving).await;
    let sent = slack.messages(BEN_DM, 100).unwrap();
    let sent: Vec<&str> = sent.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert_eq!(slack.mistakes(), []);
}
