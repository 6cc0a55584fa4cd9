//! The focus guard: a meeting on a block is asked about once, without a model.

use alfred_core::User;
use alfred_core::ports::{AccountError, Event};
use alfred_schedule::{JobState, Why, row};
use alfred_testkit::{STORE_FAULTS, When, fixtures};
use insta::assert_snapshot;
use serde_json::json;
use std::time::Duration;

use crate::in_memory::approvals::{click, waiting};
use crate::in_memory::proposing::world;
use crate::in_memory::world::{World, team};

const MONDAY: &str = "2026-11-23";

/// A meeting of Ana's on Monday, such as "10:00-10:30 Stand-up".
fn meeting(said: &str) -> Event {
    let (times, title) = said.split_once(' ').unwrap();
    let (start, end) = times.split_once('-').unwrap();
    let [start, end] = [start, end].map(|time| format!("{MONDAY}T{time}:00+01:00"));
    fixtures::event(said, title, &start, &end)
}

/// A day that is busy from seven to seven.
fn full(day: i8) -> Event {
    let [start, end] = ["07:00", "19:00"].map(|time| format!("2026-11-{day}T{time}:00Z"));
    fixtures::event(&format!("full {day}"), "Away", &start, &end)
}

impl World {
    fn meets(&mut self, meetings: &[&str]) {
        let events = meetings.iter().map(|said| meeting(said)).collect();
        self.has_events(events, &[]);
    }

    async fn looks(&mut self) {
        self.clock.advance(Duration::from_secs(15 * 60));
        self.sweep().await;
    }

    fn asked_about(&self) -> Vec<String> {
        let mut said = self.answers();
        said.retain(|one| one.contains("landed on your focus block"));
        said
    }

    async fn monday(&mut self) -> Vec<String> {
        let day = self
            .called("schedule_viewSchedule", json!({"date": MONDAY}))
            .await;
        let blocks = day["blocks"].as_array().unwrap().iter();
        let own = blocks.filter(|block| block["type"] == "work");
        let shown = own.map(|block| {
            let [start, end] = ["startTime", "endTime"].map(|at| block[at].as_str().unwrap());
            format!("{start}-{end} {}", block["title"].as_str().unwrap())
        });
        shown.collect()
    }

    async fn prefers(&self, is_active: bool, proactive: bool) {
        let change = |user: &mut User| {
            user.is_active = is_active;
            user.preferences.proactive_notifications = proactive;
        };
        self.change_user("U1", change).await;
    }
}

/// Ana has deep work on Monday and a guard, and the stand-up has just landed on it.
async fn landed(meetings: &[&str]) -> World {
    let mut world = guarded(&["work 09:30-11:00 Deep work"]).await;
    world.meets(meetings);
    world.looks().await;
    world
}

async fn guarded(blocks: &[&str]) -> World {
    let mut world = world().await;
    world.meets(&[]);
    for block in blocks {
        world.block(MONDAY, block).await;
    }
    world
        .called("job_createJob", json!({"kind": "focusGuard"}))
        .await;
    world.looks().await;
    assert_eq!(world.asked_about().len(), 0);
    world
}

const STAND_UP: &str = "10:00-10:30 Stand-up";

#[tokio::test]
async fn a_block_moves_once_as_it_was_shown_and_comes_back() {
    let mut world = landed(&[STAND_UP]).await;
    assert_snapshot!(world.answers().pop().unwrap(), @r#"
A meeting landed on your focus block
Focus block: Deep work
Meeting: Stand-up, 10:00–10:30
When: Mon 23 Nov 09:30–11:00 → Mon 23 Nov 10:30–12:00
Why I ask: this is always asked
Only <@U1> can decide, until <!date^1795257000^{date_short_pretty} {time}|2026-11-21 10:30 UTC>. Saying "yes" or "no" counts too, as your next words here or in this card's thread.
"#);
    world.looks().await;
    assert_eq!(world.asked_about().len(), 1, "asked once");
    let card = waiting(&world).await.remove(0);
    assert!(
        !card.taint.untrusted.is_empty(),
        "the title is others' words"
    );
    for _ in 0..2 {
        world.decide(&card, "approval_approve").await;
    }
    assert_snapshot!(world.answers().pop().unwrap(), @r#"
Done.
✓ Moved work block "Deep work" from 2026-11-23 09:30–11:00 to 2026-11-23 10:30–12:00 (Monday)
Scheduled: Focus guard
"#);
    assert_eq!(world.monday().await, ["10:30-12:00 Deep work"]);
    let undo = world.undo_buttons().pop().unwrap().1;
    for trigger in ["u1", "u2"] {
        world.ask(click("U1", "effect_undo", &undo, trigger)).await;
    }
    assert_eq!(world.monday().await, ["09:30-11:00 Deep work"]);
    world.looks().await;
    assert_eq!(world.asked_about().len(), 1, "they know");
    assert_eq!(world.model.calls(), 0, "no model was asked");
}

#[tokio::test]
async fn what_is_left_stays_and_nothing_more_is_said() {
    let mut world = landed(&[STAND_UP]).await;
    let said = world.answers().len();
    for _ in 0..4 {
        for card in waiting(&world).await {
            world.decide(&card, "approval_reject").await;
        }
        world.looks().await;
    }
    assert_eq!(world.answers().len(), said, "{:?}", world.answers());
    assert_eq!(world.monday().await, ["09:30-11:00 Deep work"]);
    let jobs = row::list(&*world.store, &team(), &"U1".into())
        .await
        .unwrap();
    assert_eq!(jobs[0].job.failures, 0, "leaving it is no failure");
    assert_eq!(
        world.session("T1/U1/DU1").await.memory.len(),
        3,
        "its looks aren't remembered there"
    );
    world.meets(&[STAND_UP, "09:45-10:00 Coffee"]);
    world.looks().await;
    assert_eq!(world.asked_about().len(), 2);
}

#[tokio::test]
async fn what_changed_before_the_press_is_told_and_nothing_moves() {
    let cases = [
        (
            "no meeting",
            "the meeting isn't on it any more.",
            "09:30-11:00 Deep work",
        ),
        (
            "moved",
            "it was moved, changed or deleted since I asked.",
            "12:00-13:30 Deep work",
        ),
        ("taken", "is taken on 2026-11-23", "09:30-11:00 Deep work"),
        ("away", "could not be read", "09:30-11:00 Deep work"),
    ];
    for (change, told, stays) in cases {
        let mut world = landed(&[STAND_UP]).await;
        let card = waiting(&world).await.remove(0);
        match change {
            "no meeting" => world.meets(&[]),
            "moved" => {
                let to = json!({"blockId": "Deep work", "newStartTime": "12:00"});
                world.called("schedule_moveTimeBlock", to).await;
            }
            "taken" => world.meets(&[STAND_UP, "11:00-12:00 Lunch with Ben"]),
            _ => {
                let error = AccountError::refused("no");
                world
                    .faults
                    .fail_next("calendar.events", When::Before, error);
            }
        }
        world.decide(&card, "approval_approve").await;
        let said = world.answers().pop().unwrap();
        assert!(said.contains(told), "{change}: {said}");
        assert_eq!(world.monday().await[0], stays, "{change}");
        assert!(
            said.starts_with("I left the focus block"),
            "{change}: {said}"
        );
    }
}

#[tokio::test]
async fn one_card_has_all_meetings_and_all_blocks() {
    let two = landed(&[STAND_UP, "10:45-11:15 Sales"]).await;
    let card = waiting(&two).await.remove(0);
    let meetings = card
        .preview
        .fields
        .iter()
        .filter(|field| field.label == "Meeting");
    assert_eq!(meetings.count(), 2);
    assert_eq!(card.preview.changes[0].after, "Mon 23 Nov 11:15–12:45");

    let mut world = guarded(&["work 09:00-10:00 Deep work", "work 10:00-11:00 Report"]).await;
    world.meets(&["09:30-10:30 All hands"]);
    world.looks().await;
    let [card] = &waiting(&world).await[..] else {
        panic!("{:?}", world.answers());
    };
    world.decide(card, "approval_approve").await;
    assert_eq!(
        world.monday().await,
        ["11:00-12:00 Deep work", "12:00-13:00 Report"]
    );
}

#[tokio::test]
async fn where_there_is_no_place_words_say_so_once() {
    let mut world = guarded(&["work 09:30-11:00 Deep work"]).await;
    let mut events: Vec<Event> = [21, 22, 24, 25, 26, 27].into_iter().map(full).collect();
    events.push(meeting(
        "07:00-19:00 *Now* `move` <https://evil.example|it>",
    ));
    world.has_events(events, &[]);
    world.looks().await;
    assert_snapshot!(world.answers().pop().unwrap(), @"
A meeting landed on your focus block, and I found no free place in the next 7 days. You may want to shorten a block or decline a meeting:

• Mon 23 Nov 09:30–11:00: `*Now* 'move' &lt;evil.example|it&gt;, 07:00–19:00`
Nothing was sent or changed.
Scheduled: Focus guard
");
    assert!(waiting(&world).await.is_empty());
    world.looks().await;
    assert_eq!(world.asked_about().len(), 1);
}

#[tokio::test]
async fn what_has_begun_or_is_done_or_not_for_focus_is_left_alone() {
    let mut world = guarded(&[]).await;
    world.block(MONDAY, "meeting 09:00-10:00 Prepare").await;
    let task = world.task("Write the report", 60).await;
    let block = world.block(MONDAY, "work 10:00-11:00 Report").await;
    let plan = json!({"taskIds": [task["task"]["id"]], "blockId": block["block"]["id"]});
    world.called("task_assignToTimeBlock", plan).await;
    let done = json!({"taskId": task["task"]["id"]});
    world.called("task_completeTask", done).await;
    world.block("today", "work 09:30-11:00 Begun").await;
    let now = fixtures::event("now", "Now", "2026-11-21T09:30:00Z", "2026-11-21T10:00:00Z");
    world.has_events(vec![meeting("09:15-10:45 All hands"), now], &[]);
    world.looks().await;
    world.looks().await;
    assert_eq!(world.asked_about().len(), 0, "{:?}", world.answers());
}

#[tokio::test]
async fn who_wants_nothing_unasked_or_isnt_served_hears_nothing() {
    let mut world = guarded(&["work 09:30-11:00 Deep work"]).await;
    world.meets(&[STAND_UP]);
    world.prefers(true, false).await;
    world.looks().await;
    assert!(waiting(&world).await.is_empty());
    world.prefers(true, true).await;
    world.looks().await;
    assert_eq!(waiting(&world).await.len(), 1);

    let mut world = guarded(&["work 09:30-11:00 Deep work"]).await;
    world.meets(&[STAND_UP]);
    world.prefers(false, true).await;
    world.looks().await;
    assert!(waiting(&world).await.is_empty());
    let jobs = row::list(&*world.store, &team(), &"U1".into())
        .await
        .unwrap();
    assert_eq!(jobs[0].job.state, JobState::Paused { why: Why::Owner });
}

/// Another guard already asked. An unreachable calendar causes no message.
#[tokio::test]
async fn a_second_guard_and_a_calendar_that_is_away_say_nothing() {
    let mut world = guarded(&["work 09:30-11:00 Deep work"]).await;
    world
        .called("job_createJob", json!({"kind": "focusGuard"}))
        .await;
    world.meets(&[STAND_UP]);
    for _ in 0..2 {
        let error = AccountError::NotReached {
            detail: "away".into(),
            retry_after: None,
        };
        world
            .faults
            .fail_next("calendar.events", When::Before, error);
    }
    world.looks().await;
    assert_eq!(world.asked_about().len(), 0, "{:?}", world.answers());
    world.looks().await;
    assert_eq!(world.asked_about().len(), 1);
}

#[tokio::test]
async fn a_fault_at_any_store_call_leaves_one_card() {
    let kinds = ["store.get", "store.query", "store.commit"];
    let mut plain = guarded(&["work 09:30-11:00 Deep work"]).await;
    plain.meets(&[STAND_UP]);
    let before = kinds.map(|kind| plain.faults.calls(kind));
    plain.looks().await;
    let after = kinds.map(|kind| plain.faults.calls(kind));
    let mut injected = 0;
    for (at, kind) in kinds.into_iter().enumerate() {
        for number in before[at] + 1..=after[at] {
            for (when, error) in STORE_FAULTS {
                let mut world = guarded(&["work 09:30-11:00 Deep work"]).await;
                world.meets(&[STAND_UP]);
                world.faults.fail_at(kind, number, when, error());
                world.clock.advance(Duration::from_secs(15 * 60));
                for _ in 0..8 {
                    // A failed sweep is repeated by the next one.
                    let _ = world
                        .deliver(
                            alfred_core::ports::QueueName::Ingress,
                            &crate::in_memory::world::sweep(),
                        )
                        .await;
                    world.drain().await;
                    world.queue.forget_dedup();
                    world.clock.advance(Duration::from_secs(60));
                }
                let what = format!("{kind} {number} {when:?}");
                assert_eq!(world.asked_about().len(), 1, "{what}");
                assert_eq!(waiting(&world).await.len(), 1, "{what}");
                injected += 1;
            }
        }
    }
    println!("{injected} faults injected");
    assert!(injected > 100, "{injected}");
}
