//! Unreadable rows: their user gets an error message, and everything else continues.

use alfred_agent::runner::give_up::give_up;
use alfred_agent::store::timer::{self, Timer};
use alfred_agent::{Run, RunState};
use alfred_core::ports::{ChatUser, Clock, Key, Query, QueueName, Range, Store};
use alfred_core::redelivery::{self, Fate, Received};
use alfred_core::{Envelope, Role, RunId, SessionId, keys, text};
use alfred_testkit::says;
use serde_json::{Value, json};
use std::time::Duration;

use crate::in_memory::approvals::{click, sending, value, waiting};
use crate::in_memory::effects::command;
use crate::in_memory::world::{World, dm, simple, sweep, team};

const GAVE_UP: &str = "I couldn't finish what you asked for: something on my side kept failing, and it has been noted. Please ask again.";

/// Wrong types, a truncated row, and a row of another kind.
fn damages() -> [Value; 3] {
    [
        json!({"v": "one", "role": 7, "tokens": "many", "memory": 3}),
        json!("{\"v\":2,\"secret-of-the-row\":\"tea"),
        json!([]),
    ]
}

fn damage(world: &World, key: &Key, body: &Value) {
    world.store.damage(key, body.clone());
}

async fn world() -> World {
    let world = World::new(simple(|_| Ok(says("hello there")))).await;
    world.register("U2", "Ben", Role::Member).await;
    world
}

/// Delivers a message and everything that follows. Returns its fate.
async fn handled(world: &World, envelope: Envelope) -> Fate {
    let fate = deliver(world, QueueName::Ingress, &envelope).await;
    while let Some((queue, next)) = world.next() {
        deliver(world, queue, &next).await;
    }
    fate
}

async fn deliver(world: &World, queue: QueueName, envelope: &Envelope) -> Fate {
    let now = world.ports.clock.now();
    let received = Received {
        id: "m",
        receives: 1,
        deaths: 0,
        until: now,
    };
    let give_up = async |why: String| give_up(&world.ports, envelope, &why).await;
    let work = || world.deliver(queue, envelope);
    redelivery::handle(&world.clock, received, work, give_up).await
}

/// The other user is served, sweeps succeed, and no content of the row leaks.
async fn rest_goes_on(world: &World, ts: &str) {
    let before = world.answers().len();
    assert_eq!(handled(world, dm("U2", ts, "hi")).await, Fate::Done);
    assert_eq!(world.said()[before..], ["hello there"]);
    for _ in 0..12 {
        world.clock.advance(Duration::from_secs(60));
        handled(world, sweep()).await;
    }
    assert_eq!(handled(world, sweep()).await, Fate::Done);
    let told = world.answers().join("\n");
    assert!(!told.contains("secret-of-the-row"), "{told}");
}

#[tokio::test]
async fn a_person_who_cant_be_read_is_told_each_time_and_hides_nobody() {
    for body in damages() {
        let world = world().await;
        damage(&world, &keys::user(&team(), &"U1".into()), &body);
        for ts in ["1.1", "1.2"] {
            let fate = handled(&world, dm("U1", ts, "hi")).await;
            assert!(matches!(fate, Fate::Aside { .. }), "{fate:?}");
        }
        assert_eq!(
            world.answers(),
            vec![
                "I can't read what I keep about you, so I can't work for you right now. An administrator can mend that by adding you again.";
                2
            ]
        );
        rest_goes_on(&world, "2.1").await;
    }
}

#[tokio::test]
async fn adding_a_person_again_mends_them() {
    let world = world().await;
    world.register("U3", "Chiyo", Role::Admin).await;
    damage(&world, &keys::user(&team(), &"U1".into()), &damages()[1]);
    world.chat.add_user(ChatUser {
        id: "U1".into(),
        username: "ana".into(),
        name: "Ana".into(),
        email: String::new(),
        timezone: None,
        is_person: true,
    });
    for (order, trigger) in [("users list", "t1"), ("users add <@U1>", "t2")] {
        let fate = handled(&world, command("U3", order, trigger)).await;
        assert_eq!(fate, Fate::Done, "{order}");
    }
    handled(&world, dm("U1", "1.1", "hi")).await;
    assert_eq!(world.said().pop().unwrap(), "hello there");
}

#[tokio::test]
async fn a_conversation_that_cant_be_read_starts_anew_and_says_so_once() {
    for body in damages() {
        let world = world().await;
        handled(&world, dm("U1", "1.1", "hi")).await;
        let session = SessionId("T1/U1/DU1".into());
        let key = keys::session(&team(), &"U1".into(), &session);
        damage(&world, &key, &body);
        let aside = keys::session_set_aside(&team(), &"U1".into(), &session);
        for ts in ["1.2", "1.3"] {
            assert_eq!(handled(&world, dm("U1", ts, "hi")).await, Fate::Done);
        }
        let hello = "hello there";
        let told = [
            hello,
            "I've lost what was said in this conversation before, so I start afresh here. If an answer is still missing, please ask again.",
            hello,
            hello,
        ];
        assert_eq!(world.said(), told);
        let kept = world.store.get(&aside).await.unwrap().unwrap();
        assert_eq!(kept.body["unreadable"], body);
        assert_eq!(world.session("T1/U1/DU1").await.memory.len(), 2);
        rest_goes_on(&world, "2.1").await;
    }
}

#[tokio::test]
async fn runs_of_a_conversation_outlive_its_row() {
    let world = world().await;
    let session = SessionId("T1/U1/DU1".into());
    let key = keys::session(&team(), &"U1".into(), &session);
    for ts in ["1.1", "1.2"] {
        deliver(&world, QueueName::Ingress, &dm("U1", ts, "hi")).await;
    }
    damage(&world, &key, &damages()[1]);
    for _ in 0..20 {
        world.clock.advance(Duration::from_secs(60));
        handled(&world, sweep()).await;
    }
    assert_eq!(world.said(), ["hello there", "hello there"]);
}

#[tokio::test]
async fn what_was_used_today_counts_from_nothing_where_it_cant_be_read() {
    for body in damages() {
        let world = world().await;
        damage(&world, &keys::spend(&team(), &"U1".into()), &body);
        assert_eq!(handled(&world, dm("U1", "1.1", "hi")).await, Fate::Done);
        assert_eq!(world.said(), ["hello there"]);
        let key = keys::spend(&team(), &"U1".into());
        let row = world.store.get(&key).await.unwrap().unwrap();
        assert_eq!(row.body["model_calls"], 1, "{}", row.body);
        rest_goes_on(&world, "2.1").await;
    }
}

#[tokio::test]
async fn a_claim_that_cant_be_read_ends_its_message_with_words() {
    for body in damages() {
        let world = world().await;
        let message = dm("U1", "1.1", "hi");
        damage(&world, &keys::claim(&team(), &message.trace_id), &body);
        let fate = handled(&world, message).await;
        assert!(matches!(fate, Fate::Aside { .. }), "{fate:?}");
        assert_eq!(world.answers(), [GAVE_UP]);
        handled(&world, dm("U1", "1.2", "hi")).await;
        assert_eq!(world.said().pop().unwrap(), "hello there");
        rest_goes_on(&world, "2.1").await;
    }
}

async fn taken_in(world: &World) -> Run {
    let fate = deliver(world, QueueName::Ingress, &dm("U1", "1.1", "hi")).await;
    assert_eq!(fate, Fate::Done);
    world.root().await
}

#[tokio::test]
async fn a_run_or_a_step_that_cant_be_read_ends_with_words_and_frees_its_conversation() {
    for body in damages() {
        for lost in [false, true] {
            let world = world().await;
            let run = taken_in(&world).await;
            let row = keys::run(&team(), &run.id);
            let step = keys::step(&team(), &run.id, 1);
            damage(&world, &if body.is_object() { row } else { step }, &body);
            if lost {
                // Only the watchdog can find the run now.
                world.next().unwrap();
                world.clock.advance(Duration::from_secs(301));
            }
            handled(&world, sweep()).await;
            assert_eq!(world.answers(), [GAVE_UP], "{lost}");
            handled(&world, dm("U1", "1.2", "hi")).await;
            assert_eq!(world.said().pop().unwrap(), "hello there", "{lost}");
            rest_goes_on(&world, "2.1").await;
            let told = world.answers();
            let gave_up = told.iter().filter(|words| *words == GAVE_UP);
            assert_eq!(gave_up.count(), 1, "{told:?}");
        }
    }
}

#[tokio::test]
async fn what_waits_behind_a_run_that_cant_be_read_goes_on() {
    let world = world().await;
    let run = taken_in(&world).await;
    deliver(&world, QueueName::Ingress, &dm("U1", "1.2", "hi")).await;
    damage(&world, &keys::run(&team(), &run.id), &damages()[1]);
    while let Some((queue, next)) = world.next() {
        deliver(&world, queue, &next).await;
    }
    assert_eq!(world.said(), [GAVE_UP, "hello there"]);
}

#[tokio::test]
async fn an_approval_that_cant_be_read_hides_no_other_and_its_run_ends_with_words() {
    for body in damages() {
        let mut world = sending().await;
        let approval = world.asked("Ask Ben for lunch").await;
        damage(&world, &keys::approval(&team(), &approval.id), &body);
        let fate = handled(
            &world,
            click("U1", "approval_approve", &value(&approval), "t1"),
        )
        .await;
        assert!(matches!(fate, Fate::Aside { .. }), "{fate:?}");
        assert_eq!(world.answers().pop().unwrap(), GAVE_UP);
        assert!(waiting(&world).await.is_empty());
        world
            .clock
            .set(approval.expires_at + Duration::from_secs(1));
        handled(&world, sweep()).await;
        let run = world.ports.journal().load(&team(), &approval.run).await;
        let run = run.unwrap().unwrap().run;
        assert!(
            matches!(run.state, RunState::Done { .. }),
            "{:?}",
            run.state
        );
        assert!(world.answers().pop().unwrap().contains(text::UNEXPECTED));
        let index = Query::state(keys::approvals(&team(), &"U1".into()), Range::All);
        let listed = world.store.query(&index).await.unwrap();
        assert_eq!(listed.items, [], "its owner's list is empty");
        assert_eq!(handled(&world, sweep()).await, Fate::Done);
    }
}

#[tokio::test]
async fn a_timer_that_cant_be_read_is_set_aside_and_hides_no_other() {
    for body in damages() {
        let world = world().await;
        let run = taken_in(&world).await;
        world.next().expect("its message, which is lost here");
        damage(&world, &keys::due(world.clock.now(), "odd"), &body);
        let wake = Timer::wake(&team(), &run.id);
        world
            .write(vec![timer::arm(world.clock.now(), &wake).unwrap()])
            .await;
        handled(&world, sweep()).await;
        assert_eq!(world.said(), ["hello there"]);
        assert_eq!(handled(&world, sweep()).await, Fate::Done);
        rest_goes_on(&world, "2.1").await;
    }
}

#[tokio::test]
async fn the_mark_of_the_last_sweep_is_written_anew_where_it_cant_be_read() {
    for body in damages() {
        let world = world().await;
        let run = taken_in(&world).await;
        world.next().expect("its message, which is lost here");
        let before = world.clock.now() - Duration::from_secs(20 * 86_400);
        let wake = Timer::wake(&team(), &run.id);
        world.write(vec![timer::arm(before, &wake).unwrap()]).await;
        damage(&world, &Key::state("*#sweep", "last"), &body);
        for _ in 0..16 {
            assert_eq!(handled(&world, sweep()).await, Fate::Done);
        }
        assert_eq!(world.said(), ["hello there"], "nothing was skipped");
    }
}

#[tokio::test]
async fn a_month_of_runs_is_listed_without_those_that_cant_be_read() {
    let world = world().await;
    taken_in(&world).await;
    let odd = RunId::from("run_odd");
    let index = keys::user_run(&team(), &"U1".into(), world.clock.now(), &odd);
    damage(&world, &index, &json!({}));
    damage(&world, &keys::run(&team(), &odd), &damages()[0]);
    let fate = deliver(&world, QueueName::Ingress, &command("U1", "stop", "t1")).await;
    assert_eq!(fate, Fate::Done);
    let shown = world.chat.posted().pop().unwrap();
    assert_eq!(shown.text, "One request of yours is running or waits:");
}
