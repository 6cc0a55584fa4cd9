//! Uploads of pictures: every step, and each way in which one fails.

use alfred_core::ports::{Chat, ChatError, FILE_NOT_PROCESSED, Image, Post};
use alfred_slack_local::seed::{ANA, ANA_DM, BEN};
use alfred_slack_local::{Fault, Options, UPLOAD};
use serde_json::{Value, json};
use std::time::Duration;

use crate::slack::world::{POST, World, client, code, dead, kind, post, world};

const URL: &str = "files.getUploadURLExternal";
const COMPLETE: &str = "files.completeUploadExternal";
const INFO: &str = "files.info";
const STEPS: [&str; 4] = [URL, UPLOAD, COMPLETE, INFO];

/// The header of a PNG, which is all that the stand-in reads.
fn image() -> Image {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend([0, 0, 4, 176, 0, 0, 2, 188, 8, 6, 0, 0, 0]);
    Image {
        name: "day-2026-11-21.png".into(),
        alt: "Saturday: two blocks & a meeting".into(),
        png,
    }
}

async fn processed_after(file_looks: u32) -> World {
    world(Options {
        file_looks,
        ..Options::default()
    })
    .await
}

/// The upload fails, and the next one succeeds.
async fn fails(world: &World, step: &str, fault: Fault) -> ChatError {
    world.slack().fail_next(step, 1, fault.clone());
    let error = world.client.upload(&image()).await.unwrap_err();
    let id = world.client.upload(&image()).await;
    assert!(id.is_ok(), "after {step}, {fault:?}: {id:?}");
    error
}

#[tokio::test]
async fn a_picture_is_uploaded_processed_and_then_shown() {
    let world = processed_after(2).await;
    let image = image();
    let id = world.client.upload(&image).await.unwrap();
    assert_eq!(world.waited(), Duration::from_millis(750));
    let calls = world.slack().calls();
    let methods: Vec<&str> = calls.iter().map(|call| call.method.as_str()).collect();
    assert_eq!(methods, [&STEPS[..], &[INFO, INFO]].concat());
    let arguments = |index: usize| -> &Value { &calls[index].arguments };
    let asked = json!({"filename": image.name, "length": "29", "alt_txt": image.alt});
    assert_eq!(arguments(0), &asked);
    let files = json!({"files": [{"id": id, "title": image.name}]});
    assert_eq!(arguments(2), &files);
    let file = json!({"id": id});
    let block = json!({"type": "image", "alt_text": "Saturday", "slack_file": file});
    let showing = Post {
        blocks: vec![block],
        ..post(ANA_DM, "k")
    };
    world.client.post(&showing).await.unwrap();
    let shown = world.slack().file(ANA, id.as_str()).unwrap();
    assert_eq!((shown.name, shown.png), (image.name, image.png));
    assert!(world.slack().file(BEN, id.as_str()).is_err());
}

#[tokio::test]
async fn a_picture_that_is_never_ready_is_given_up() {
    let world = processed_after(u32::MAX).await;
    let error = world.client.upload(&image()).await.unwrap_err();
    assert_eq!(code(error), FILE_NOT_PROCESSED);
    assert_eq!(world.slack().call_counts()[INFO], 8);
    assert_eq!(world.waited(), Duration::from_millis(9_750));
    assert_eq!(world.slack().call_counts().get(POST), None);
}

#[tokio::test]
async fn refusals_of_each_step_carry_slacks_code() {
    let world = world(Options::default()).await;
    for step in [URL, COMPLETE, INFO] {
        let code_of = "missing_scope".to_owned();
        let scope = Fault::Error { code: code_of };
        assert_eq!(code(fails(&world, step, scope).await), "missing_scope");
    }
    for status in [403, 302] {
        let refused = fails(&world, UPLOAD, Fault::Status { status }).await;
        assert_eq!(code(refused), format!("http_{status}"));
    }
    let mut long = image();
    long.alt = "é".repeat(1_001);
    let refused = world.client.upload(&long).await.unwrap_err();
    assert_eq!(code(refused), "alt_txt_too_large");
}

#[tokio::test]
async fn each_step_waits_for_its_rate_limit_and_all_share_twenty_seconds() {
    let limited = |seconds| Fault::RateLimited { seconds };
    for step in STEPS {
        let world = world(Options::default()).await;
        world.slack().fail_next(step, 2, limited(10));
        world.client.upload(&image()).await.unwrap();
        assert_eq!(world.waited(), Duration::from_secs(20), "{step}");
    }
    let world = world(Options::default()).await;
    for step in STEPS {
        world.slack().fail_next(step, 1, limited(6));
    }
    let error = world.client.upload(&image()).await.unwrap_err();
    assert_eq!(kind(&error), "rate limited");
    assert_eq!(world.waited(), Duration::from_secs(18));
    assert_eq!(world.slack().call_counts()[INFO], 1);
}

#[tokio::test]
async fn a_step_without_an_answer_is_unknown_and_done_again_by_the_next_upload() {
    let world = world(Options::default()).await;
    for step in STEPS {
        for fault in [
            Fault::DropBefore,
            Fault::DropAfter,
            Fault::StatusAfter { status: 500 },
        ] {
            let error = fails(&world, step, fault.clone()).await;
            assert_eq!(kind(&error), "unknown", "{step}, {fault:?}: {error}");
        }
    }
}

#[tokio::test]
async fn without_a_connection_nothing_is_sent() {
    let world = world(Options::default()).await;
    let error = client(&dead(), &world.clock).upload(&image()).await;
    assert_eq!(kind(&error.unwrap_err()), "not sent");
    // The bytes go to another host, which is down.
    world.slack().set_base_url(dead());
    let error = world.client.upload(&image()).await.unwrap_err();
    assert_eq!(kind(&error), "not sent", "{error}");
    assert!(!error.to_string().contains("/upload/"), "{error}");
    assert_eq!(world.slack().call_counts().get(COMPLETE), None);
}
