//! Slack's messages over Socket Mode, to a real process.

use alfred_slack_local::Options;

use crate::local::scene::Scene;

#[tokio::test]
async fn a_message_over_the_socket_is_answered() {
    let mut scene = Scene::with(Options {
        socket_mode: true,
        ..Options::default()
    })
    .await;
    let mut command = scene.serve();
    command.env_remove("SLACK_SIGNING_SECRET");
    command.env("SLACK_APP_TOKEN", &scene.slack.slack.seed().app_token);
    let serving = scene.started(command).await;
    scene.ask("one".into(), false, false);
    scene.answered().await;
    assert_eq!(scene.slack.slack.mistakes(), []);
    scene.finish(serving).await;
    scene.check_store().await;
}
