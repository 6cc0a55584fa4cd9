//! Slack's stop button ends exactly what worked when it was pressed.

use alfred_core::ports::{ChatError, QueueName};
use alfred_core::{Envelope, Payload, ReplyAddress, ResponseType, TraceId, text};
use alfred_testkit::{ScriptedModel, When, says};

use crate::in_memory::approvals::{sending, sent, waiting};
use crate::in_memory::world::{World, dm, simple, team};

fn agreeing() -> ScriptedModel {
    simple(|_| Ok(says("fine")))
}

pub fn stop(event: &str) -> Envelope {
    let identity = format!("evt:{event}");
    Envelope {
        trace_id: TraceId::derive(&team(), &identity),
        identity,
        trigger: event.into(),
        payload: Payload::Stop {
            reply_to: ReplyAddress {
                channel: "DU1".into(),
                thread_ts: None,
                response_type: ResponseType::Dm,
            },
        },
        ..dm("U1", "1.2", "")
    }
}

fn stopped() -> String {
    format!("{}\n{}", text::STOPPED, text::NOTHING_CHANGED)
}

async fn working() -> (World, QueueName, Envelope) {
    let mut world = World::new(agreeing()).await;
    ask(&mut world, "1.1").await;
    let (queue, envelope) = world.next().unwrap();
    (world, queue, envelope)
}

async fn ask(world: &mut World, ts: &str) {
    let request = dm("U1", ts, "long work");
    world.receive(&request).await;
}

#[tokio::test]
async fn it_ends_the_request() {
    let (mut world, queue, envelope) = working().await;
    world.receive(&stop("Ev9")).await;
    world.deliver(queue, &envelope).await.unwrap();
    world.settle().await;
    assert_eq!(world.answers(), [stopped()]);
    assert_eq!(world.model.calls(), 1, "no turn after the stop");
}

#[tokio::test]
async fn the_same_press_again_leaves_the_next_request_alone() {
    let (mut world, ..) = working().await;
    world.receive(&stop("Ev9")).await;
    ask(&mut world, "2.1").await;
    world.receive(&stop("Ev9")).await;
    world.settle().await;
    let fine = format!("fine\n{}", text::NOTHING_CHANGED);
    assert_eq!(world.answers(), [stopped(), fine]);
    ask(&mut world, "3.1").await;
    world.receive(&stop("Ev10")).await;
    world.settle().await;
    assert_eq!(
        world.answers()[2],
        stopped(),
        "another press is another stop"
    );
}

#[tokio::test]
async fn a_press_on_nothing_stops_nothing_later() {
    let mut world = World::new(agreeing()).await;
    for _ in 0..2 {
        world.receive(&stop("Ev9")).await;
        if world.runs().await.is_empty() {
            ask(&mut world, "2.1").await;
        }
    }
    world.settle().await;
    assert_eq!(world.said(), ["fine"]);
}

#[tokio::test]
async fn a_stop_that_was_cut_off_is_finished_by_its_redelivery() {
    let (mut world, ..) = working().await;
    world.clock.advance(std::time::Duration::from_secs(1));
    // The reply is rate-limited, so the run parks; then the press is redelivered.
    let limited = ChatError::RateLimited {
        retry_after: std::time::Duration::from_secs(300),
    };
    world.faults.fail_next("chat.post", When::Before, limited);
    for _ in 0..2 {
        world.receive(&stop("Ev9")).await;
    }
    assert!(world.answers().is_empty());
    world.drain().await;
    assert_eq!(world.answers(), [stopped()]);
    world.settle().await;
    assert_eq!(world.answers(), [stopped()]);
}

#[tokio::test]
async fn it_reaches_a_request_that_waits_for_its_owner() {
    let mut world = sending().await;
    world.ask(dm("U1", "1.1", "Ask Ben for lunch")).await;
    assert_eq!(waiting(&world).await.len(), 1);
    world.say(stop("Ev9")).await;
    assert!(waiting(&world).await.is_empty() && sent(&world).is_empty());
    let last = world.answers().pop().unwrap();
    assert!(last.starts_with(text::STOPPED), "{last}");
}
