//! Pictures of days under a reply. They must match the data and never delay the answer.

use alfred_core::ports::ChatError;
use alfred_core::{ResponseType, Role};
use alfred_testkit::{Kept, When};
use serde_json::{Value, json};
use std::time::Duration;

use crate::in_memory::approvals::waiting;
use crate::in_memory::proposing::world;
use crate::in_memory::world::{World, dm, message, script};

/// Alt texts and file ids of a message's pictures.
fn pictures(message: &Kept) -> Vec<(String, String)> {
    let images = message
        .blocks
        .iter()
        .filter(|block| block["type"] == "image");
    let words = |block: &Value| {
        let word = |at| {
            block
                .pointer(at)
                .and_then(Value::as_str)
                .unwrap()
                .to_owned()
        };
        (word("/alt_text"), word("/slack_file/id"))
    };
    images.map(words).collect()
}

fn last(world: &World) -> (String, Vec<(String, String)>) {
    let answer = world.answers().pop().unwrap();
    (answer, pictures(world.chat.posted().last().unwrap()))
}

async fn a_block(world: &mut World) {
    world.block("tomorrow", "work 09:00-10:30 Deep work").await;
}

#[tokio::test]
async fn a_day_that_is_looked_at_is_shown() {
    let mut world = world().await;
    a_block(&mut world).await;
    assert_eq!(last(&world).1, [], "a change alone shows nothing");
    world
        .called("schedule_viewSchedule", json!({"date": "tomorrow"}))
        .await;
    let (_, shown) = last(&world);
    let uploads = world.chat.uploads();
    assert_eq!((shown.len(), uploads.len()), (1, 1));
    let (alt, id) = &shown[0];
    assert_eq!(id, uploads[0].0.as_str());
    assert_eq!(
        alt,
        "Sunday, 22 November 2026: 09:00 to 10:30 Deep work, focus."
    );
    assert_eq!(uploads[0].1.name, "day-2026-11-22.png");
    assert!(uploads[0].1.png.starts_with(b"\x89PNG"));
}

#[tokio::test]
async fn a_week_and_a_day_are_two_pictures_and_the_same_day_twice_is_one() {
    let model = script(&[
        r#"schedule_viewSchedule {"date":"tomorrow"} & schedule_viewWeek {} & schedule_viewSchedule {"date":"tomorrow"}"#,
        ": Your week.",
    ]);
    let mut world = World::new(model).await;
    world
        .say(dm("U1", "1.0", "what's on tomorrow, and this week?"))
        .await;
    let (_, shown) = last(&world);
    let days: Vec<&str> = shown.iter().map(|(alt, _)| &alt[..6]).collect();
    assert_eq!(days, ["Monday", "Sunday"]);
}

#[tokio::test]
async fn what_changed_since_is_not_shown() {
    let model = script(&[
        r#"schedule_viewSchedule {"date":"tomorrow"}"#,
        r#"schedule_createTimeBlock {"date":"tomorrow","type":"work","title":"Deep work","startTime":"09:00","endTime":"10:30"}"#,
        ": There is room at nine; I created it.",
    ]);
    let mut world = World::new(model).await;
    world
        .say(dm("U1", "1.0", "put deep work somewhere tomorrow"))
        .await;
    let (answer, shown) = last(&world);
    assert!(answer.contains("✓ Created"), "{answer}");
    assert_eq!(shown, []);
    assert_eq!(world.faults.calls("chat.upload"), 0);
}

#[tokio::test]
async fn an_approved_plan_is_shown_as_it_is_then() {
    let mut world = world().await;
    let plan = world.planned().await;
    assert_eq!(
        world.faults.calls("chat.upload"),
        0,
        "a proposal is no day yet"
    );
    world.decide(&plan, "approval_approve").await;
    let (answer, shown) = last(&world);
    assert!(answer.contains("✓ Created"), "{answer}");
    assert_eq!(shown.len(), 1);
    assert!(
        shown[0].0.contains("12:00 to 13:00 Lunch, break"),
        "{}",
        shown[0].0
    );
}

#[tokio::test]
async fn a_picture_that_slack_will_not_have_is_left_out_and_the_answer_is_not() {
    let refused = |code: &str| ChatError::Refused {
        method: "files.getUploadURLExternal",
        code: code.into(),
    };
    let unknown = || ChatError::Unknown {
        detail: "cut off".into(),
    };
    for (when, error) in [
        (When::Before, refused("missing_scope")),
        (When::Before, unknown()),
        (When::After, unknown()),
        (
            When::Before,
            ChatError::NotSent {
                detail: "no route".into(),
            },
        ),
        (
            When::Before,
            ChatError::RateLimited {
                retry_after: Duration::from_secs(300),
            },
        ),
    ] {
        let mut world = world().await;
        world.faults.fail_next("chat.upload", when, error);
        world.called("schedule_viewSchedule", json!({})).await;
        let (answer, shown) = last(&world);
        assert!(answer.contains("2026-11-21"), "{answer}");
        assert_eq!(shown, []);
        assert_eq!(world.answers().len(), 1);
    }
}

#[tokio::test]
async fn a_message_refused_for_its_picture_comes_without_it() {
    let mut world = world().await;
    let invalid = ChatError::Refused {
        method: "chat.postMessage",
        code: "invalid_blocks".into(),
    };
    world.faults.fail_next("chat.post", When::Before, invalid);
    world.called("schedule_viewSchedule", json!({})).await;
    let (answer, shown) = last(&world);
    assert!(answer.contains("2026-11-21"), "{answer}");
    assert_eq!(shown, []);
    let posted = world.chat.posted();
    assert!(
        !posted.last().unwrap().blocks.is_empty(),
        "the words keep their form"
    );
}

#[tokio::test]
async fn a_look_that_is_long_over_is_not_shown() {
    for (minutes, pictures) in [(2, 1), (50, 0)] {
        let model = script(&[
            r#"schedule_viewSchedule {} & slack_sendMessage {"to":"U2","text":"I'm late"}"#,
            ": Your day is empty; Ben was not told.",
        ]);
        let mut world = World::new(model).await;
        world.register("U2", "Ben", Role::Member).await;
        world
            .ask(dm("U1", "1.0", "what's on, and tell Ben I'm late"))
            .await;
        let card = waiting(&world).await.pop().unwrap();
        world.clock.advance(Duration::from_secs(minutes * 60));
        world.decide(&card, "approval_reject").await;
        assert_eq!(last(&world).1.len(), pictures, "{minutes} minutes");
    }
}

#[tokio::test]
async fn in_a_channel_it_goes_where_the_answer_goes() {
    let model = script(&["schedule_viewSchedule {}", ": Nothing is planned today."]);
    let mut world = World::new(model).await;
    world.register("U2", "Ben", Role::Member).await;
    let asked = message(
        "U1",
        "C1",
        "1.0",
        None,
        ResponseType::Channel,
        "what's on today?",
    );
    world.say(asked).await;
    let posted = world.chat.posted();
    let with: Vec<&Kept> = posted
        .iter()
        .filter(|kept| !pictures(kept).is_empty())
        .collect();
    assert_eq!(with.len(), 1);
    assert_eq!(with[0].channel.as_str(), "D1");
}
