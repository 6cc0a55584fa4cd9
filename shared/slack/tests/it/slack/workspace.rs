//! The workspace that the token belongs to.

use alfred_core::ports::{Chat, ChatError};
use alfred_slack::SlackClient;
use alfred_slack_local::Options;
use std::sync::Arc;

use crate::slack::world::world;

#[tokio::test]
async fn the_workspace_belongs_to_the_token() {
    let world = world(Options::default()).await;
    let seed = world.slack().seed();
    assert_eq!(world.client.team().await.unwrap().as_str(), seed.team_id);
    let stranger = SlackClient::new(
        &world.running.api_url(),
        "xoxb-other".into(),
        Arc::new(world.clock.clone()),
    );
    let refused = stranger.team().await;
    assert!(
        matches!(&refused, Err(ChatError::Refused { code, .. }) if code == "invalid_auth"),
        "{refused:?}"
    );
}
