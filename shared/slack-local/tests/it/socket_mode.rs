//! A second reading of Socket Mode: slack-morphism's own client.

use alfred_slack_local::seed::{ANA, ANA_DM};
use alfred_slack_local::{Disconnect, Options};
use alfred_testkit::{LIMIT, within};
use hyper_util::client::legacy::connect::HttpConnector;
use slack_morphism::prelude::*;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::support::{APP_TOKEN, delivered, served};

/// Passes on what a callback was called with.
async fn tell(states: &SlackClientEventsUserState, what: String) {
    let states = states.read().await;
    let seen = states.get_user_state::<UnboundedSender<String>>();
    seen.unwrap().send(what).unwrap();
}

#[tokio::test]
async fn another_client_reads_socket_mode_as_slack_has_it() {
    let options = Options {
        socket_mode: true,
        ..Options::default()
    };
    let (running, _) = served(options).await;
    let slack = &running.slack;
    let (seen, mut calls) = unbounded_channel::<String>();
    let connector = SlackClientHyperConnector::with_connector(HttpConnector::new());
    let client = SlackClient::new(connector.with_slack_api_url(&running.api_url()));
    let environment =
        SlackClientEventsListenerEnvironment::new(Arc::new(client)).with_user_state(seen);
    let callbacks = SlackSocketModeListenerCallbacks::new()
        .with_hello_events(|hello, _, states| async move {
            tell(&states, format!("hello {}", hello.num_connections)).await;
        })
        .with_push_events(|event, _, states| async move {
            if let SlackEventCallbackBody::Message(message) = event.event {
                let text = message.content.and_then(|content| content.text);
                tell(&states, text.unwrap_or_default()).await;
            }
            Ok(())
        })
        .with_command_events(|command, _, states| async move {
            tell(&states, command.text.unwrap_or_default()).await;
            let content = SlackMessageContent::new().with_text("Working on it.".into());
            Ok(SlackCommandEventResponse::new(content))
        });
    let config = SlackClientSocketModeConfig::new().with_max_connections_count(1);
    let listener = SlackClientSocketModeListener::new(&config, Arc::new(environment), callbacks);
    let token = SlackApiToken::new(APP_TOKEN.into());
    listener.listen_for(&token).await.unwrap();
    listener.start().await;
    let mut called = async |what: &str| {
        let call = within(LIMIT, "a call", calls.recv()).await;
        assert_eq!(call.as_deref(), Some(what));
    };

    called("hello 1").await;
    slack.dm_as(ANA, "plan my day").unwrap();
    called("plan my day").await;
    delivered(slack).await;
    slack.disconnect(Disconnect::RefreshRequested);
    called("hello 1").await;
    let asked = slack.command(ANA, ANA_DM, "/alfred", "and tomorrow").await;
    assert_eq!(asked.unwrap().body["text"], "Working on it.");
    called("and tomorrow").await;
    assert_eq!(slack.ephemerals(ANA)[0].text, "Working on it.");
    listener.shutdown().await;
    assert_eq!(slack.mistakes(), []);
}
