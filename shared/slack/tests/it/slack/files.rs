//! Downloads of files that people share.

use alfred_core::FileId;
use alfred_core::ports::{Chat, ChatError, FILE_TOO_LARGE};
use alfred_slack::SlackClient;
use alfred_slack_local::seed::{ANA, ANA_DM};
use alfred_slack_local::{DOWNLOAD, Fault, Options, SharedFile};
use std::sync::Arc;

use crate::slack::world::{World, code, kind, world};

const INFO: &str = "files.info";
const MOST: u64 = 100;

fn shared(world: &World, bytes: &[u8]) -> FileId {
    let file = SharedFile {
        name: "plan.pdf".into(),
        media_type: "application/pdf".into(),
        bytes: bytes.to_owned(),
    };
    let message = world.slack().share_as(ANA, ANA_DM, "", None, &[file]);
    message.unwrap().files[0]["id"].as_str().unwrap().into()
}

#[tokio::test]
async fn a_shared_file_is_read() {
    let world = world(Options::default()).await;
    let id = shared(&world, b"%PDF-1.7");
    assert_eq!(world.client.download(&id, MOST).await.unwrap(), b"%PDF-1.7");
    let calls = world.slack().calls().into_iter().map(|call| call.method);
    assert_eq!(calls.collect::<Vec<_>>(), [INFO, DOWNLOAD]);
}

#[tokio::test]
async fn a_file_over_the_limit_is_not_downloaded() {
    let world = world(Options::default()).await;
    let id = shared(&world, &[0; 101]);
    let error = world.client.download(&id, MOST).await.unwrap_err();
    assert_eq!(code(error), FILE_TOO_LARGE);
    assert_eq!(world.slack().calls().len(), 1);
    let gone = world.client.download(&"F404".into(), MOST).await;
    assert_eq!(code(gone.unwrap_err()), "file_not_found");
}

#[tokio::test]
async fn each_failed_step_has_its_outcome() {
    let world = world(Options::default()).await;
    let id = shared(&world, b"%PDF-1.7");
    let error = |code: &str| Fault::Error { code: code.into() };
    let faults = [
        (INFO, error("missing_scope"), "refused"),
        (DOWNLOAD, Fault::Status { status: 503 }, "unknown"),
        (DOWNLOAD, Fault::DropBefore, "unknown"),
    ];
    for (step, fault, expected) in faults {
        world.slack().fail_next(step, 1, fault.clone());
        let error = world.client.download(&id, MOST).await.unwrap_err();
        assert_eq!(kind(&error), expected, "{fault:?}: {error}");
    }
    let limited = Fault::RateLimited { seconds: 3 };
    world.slack().fail_next(DOWNLOAD, 1, limited);
    assert!(world.client.download(&id, MOST).await.is_ok());
    assert_eq!(world.waited().as_secs(), 3);
}

#[tokio::test]
async fn another_token_is_sent_to_sign_in_and_reads_nothing() {
    let world = world(Options::default()).await;
    let id = shared(&world, b"%PDF-1.7");
    let other = SlackClient::new(
        &world.running.api_url(),
        "xoxb-other".into(),
        Arc::new(world.clock.clone()),
    );
    let error: ChatError = other.download(&id, MOST).await.unwrap_err();
    assert_eq!(code(error), "invalid_auth");
}
