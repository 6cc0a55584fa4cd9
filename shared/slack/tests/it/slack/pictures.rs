//! Pictures: every step, and what becomes of one that fails.

use alfred_core::ports::{Chat, ChatError, FILE_NOT_PROCESSED, Image, Post};
use alfred_slack_local::seed::{ANA, ANA_DM, BEN};
use alfred_slack_local::{Fault, Hold, Options, Release, UPLOAD};
use alfred_testkit::wait::out_of_time;
use serde_json::{Value, json};
use std::time::Duration;

use crate::slack::world::{POST, World, client, code, kind, post, world};

const URL: &str = "files.getUploadURLExternal";
const COMPLETE: &str = "files.completeUploadExternal";
const INFO: &str = "files.info";
const STEPS: [&str; 4] = [URL, UPLOAD, COMPLETE, INFO];

/// A PNG as far as the stand-in looks.
fn image() -> Image {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend([0, 0, 4, 176, 0, 0, 2, 188, 8, 6, 0, 0, 0]);
    Image {
        name: "day-2026-11-21.png".into(),
        alt: "Saturday: two blocks & a meeting".into(),
        png,
    }
}

fn showing(id: &str, key: &str) -> Post {
    let block = json!({"type": "image", "alt_text": "Saturday", "slack_file": {"id": id}});
    Post {
        blocks: vec![block],
        ..post(ANA_DM, key)
    }
}

fn calls(world: &World) -> Vec<(String, Value)> {
    let calls = world.slack().calls().into_iter();
    calls.map(|call| (call.method, call.arguments)).collect()
}

/// The upload fails so, and the next one is none the worse for it.
async fn fails(world: &World, step: &str, fault: Fault) -> ChatError {
    world.slack().fail_next(step, 1, fault.clone());
    let error = world.client.upload(&image()).await.unwrap_err();
    let id = world.client.upload(&image()).await;
    assert!(id.is_ok(), "after {step}, {fault:?}: {id:?}");
    error
}

#[tokio::test]
async fn a_picture_is_uploaded_and_then_shown() {
    let world = world(Options::default()).await;
    let image = image();
    let id = world.client.upload(&image).await.unwrap();
    assert_eq!(world.waited(), Duration::ZERO);
    let calls = calls(&world);
    let methods: Vec<&str> = calls.iter().map(|(method, _)| method.as_str()).collect();
    assert_eq!(methods, STEPS);
    assert_eq!(
        calls[0].1,
        json!({"filename": image.name, "length": "29", "alt_txt": image.alt})
    );
    assert_eq!(
        calls[2].1,
        json!({"files": [{"id": id, "title": image.name}]})
    );
    assert!(world.slack().file(ANA, id.as_str()).is_err());
    world.client.post(&showing(id.as_str(), "k")).await.unwrap();
    let shown = world.slack().file(ANA, id.as_str()).unwrap();
    assert_eq!((shown.name, shown.png), (image.name, image.png));
    assert!(world.slack().file(BEN, id.as_str()).is_err());
}

#[tokio::test]
async fn processing_is_waited_for() {
    let world = world(Options {
        file_looks: 2,
        ..Options::default()
    })
    .await;
    let id = world.client.upload(&image()).await.unwrap();
    assert_eq!(world.slack().call_counts()[INFO], 3);
    assert_eq!(world.waited(), Duration::from_millis(750));
    world.client.post(&showing(id.as_str(), "k")).await.unwrap();
}

#[tokio::test]
async fn a_picture_that_is_never_ready_is_given_up() {
    let world = world(Options {
        file_looks: u32::MAX,
        ..Options::default()
    })
    .await;
    let error = world.client.upload(&image()).await.unwrap_err();
    assert_eq!(code(error), FILE_NOT_PROCESSED);
    assert_eq!(world.slack().call_counts()[INFO], 8);
    assert_eq!(world.waited(), Duration::from_millis(9_750));
    assert_eq!(world.slack().call_counts().get(POST), None);
}

#[tokio::test]
async fn an_installation_without_the_scopes_is_refused() {
    let world = world(Options::default()).await;
    for step in [URL, COMPLETE, INFO] {
        let scope = Fault::Error {
            code: "missing_scope".into(),
        };
        assert_eq!(code(fails(&world, step, scope).await), "missing_scope");
    }
    world.client.post(&post(ANA_DM, "k")).await.unwrap();
}

#[tokio::test]
async fn what_slack_does_not_take_is_refused() {
    let world = world(Options::default()).await;
    let long = Image {
        alt: "é".repeat(1_001),
        ..image()
    };
    let empty = Image {
        png: Vec::new(),
        ..image()
    };
    let huge = Image {
        png: vec![0; 10_000_001],
        ..image()
    };
    for (image, expected) in [
        (long, "alt_txt_too_large"),
        (empty, "missing_argument"),
        (huge, "file_upload_size_restricted"),
    ] {
        assert_eq!(
            code(world.client.upload(&image).await.unwrap_err()),
            expected
        );
    }
    let refused = Fault::Status { status: 403 };
    assert_eq!(code(fails(&world, UPLOAD, refused).await), "http_403");
    let elsewhere = Fault::Status { status: 302 };
    assert_eq!(code(fails(&world, UPLOAD, elsewhere).await), "http_302");
}

#[tokio::test]
async fn each_step_waits_for_its_rate_limit_and_all_share_twenty_seconds() {
    for step in STEPS {
        let world = world(Options::default()).await;
        let limited = |seconds| Fault::RateLimited { seconds };
        world.slack().fail_next(step, 2, limited(10));
        world.client.upload(&image()).await.unwrap();
        assert_eq!(world.waited(), Duration::from_secs(20), "{step}");
        let error = fails(&world, step, limited(21)).await;
        assert!(
            matches!(error, ChatError::RateLimited { retry_after } if retry_after.as_secs() == 21),
            "{step}: {error}"
        );
        assert_eq!(world.waited(), Duration::from_secs(20), "{step}");
    }
    let world = world(Options::default()).await;
    for step in STEPS {
        world
            .slack()
            .fail_next(step, 1, Fault::RateLimited { seconds: 6 });
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
            Fault::Status { status: 503 },
            Fault::StatusAfter { status: 500 },
        ] {
            let error = fails(&world, step, fault.clone()).await;
            assert_eq!(kind(&error), "unknown", "{step}, {fault:?}: {error}");
        }
    }
    for step in [URL, COMPLETE, INFO] {
        let error = fails(&world, step, Fault::GarbledAfter).await;
        assert_eq!(kind(&error), "unknown", "{step}: {error}");
    }
}

#[tokio::test]
async fn a_step_that_does_not_end_is_given_up() {
    let world = world(Options::default()).await;
    for step in STEPS {
        let mut gate = world.slack().hold(step, Hold::BeforeEffect);
        let (picture, client) = (image(), client(&world.running.api_url(), &world.clock));
        let (uploaded, held) = out_of_time(gate.arrived(), client.upload(&picture)).await;
        let error = uploaded.unwrap_err();
        assert_eq!(kind(&error), "unknown", "{step}: {error}");
        held.release(Release::Complete);
    }
}

#[tokio::test]
async fn without_a_connection_nothing_is_sent() {
    let world = world(Options::default()).await;
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let dead = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let error = client(&dead, &world.clock).upload(&image()).await;
    assert_eq!(kind(&error.unwrap_err()), "not sent");
    // The address of the bytes is another host's, and that one is gone.
    world.slack().set_base_url(dead);
    let error = world.client.upload(&image()).await.unwrap_err();
    assert_eq!(kind(&error), "not sent", "{error}");
    assert!(!error.to_string().contains("/upload/"), "{error}");
    assert_eq!(world.slack().call_counts().get(COMPLETE), None);
}
