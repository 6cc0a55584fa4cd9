//! What a model learns about time and its own calls, also after a resume.

use alfred_agent::model::{Opened, Step};
use alfred_core::ports::{Message, ModelError, Output, TurnRequest};
use alfred_testkit::{ScriptedModel, calls, says};
use std::time::Duration;

use crate::in_memory::world::{World, by_progress, dm};

fn text_turns(world: &World) -> Vec<TurnRequest> {
    let mut requests = world.model.requests();
    requests.retain(|request| request.output == Output::Text);
    requests
}

fn words(message: &Message) -> &str {
    match message {
        Message::System { text } | Message::User { text } => text,
        Message::Assistant { text, .. } | Message::Tool { text, .. } => text,
        Message::Files { .. } => "",
    }
}

fn hours(n: u64) -> Duration {
    Duration::from_secs(3_600 * n)
}

#[tokio::test]
async fn a_run_that_waited_in_the_queue_is_told_the_time_it_begins() {
    let mut world = World::new(by_progress(vec![says("hi")])).await;
    let request = dm("U1", "1.1", "hello");
    world.receive(&request).await;
    world.clock.advance(hours(3));
    world.drain().await;
    let told = text_turns(&world);
    let prompt = words(&told[0].messages[0]);
    assert!(prompt.contains("2026-11-21 Saturday 13:00"), "{prompt}");
}

#[tokio::test]
async fn a_run_that_goes_on_after_a_pause_is_told_so_and_the_same_again_later() {
    // The second turn first fails with a pause of five minutes, the third one answers.
    let model = ScriptedModel::answering(|request| {
        let heard_of_time = |message: &&Message| words(message).starts_with("Time has passed");
        let told = request.messages.iter().filter(heard_of_time).count();
        let is_result = |message: &&Message| matches!(message, Message::Tool { .. });
        let results = request.messages.iter().filter(is_result).count();
        match (&request.output, results, told) {
            (Output::Json { .. }, ..) => Ok(says("{\"result\": false}")),
            (_, 0, _) => Ok(calls(&[("c1", "time_now", "{}")])),
            (_, 1, 0) => Err(ModelError::RateLimited {
                detail: "slowly".into(),
                retry_after: Some(Duration::from_secs(300)),
            }),
            (_, 1, _) => Ok(calls(&[("c2", "time_now", "{}")])),
            _ => Ok(says("fine")),
        }
    });
    let mut world = World::new(model).await;
    world.sweep().await;
    let request = dm("U1", "1.1", "hello");
    world.receive(&request).await;
    let (queue, work) = world.next().unwrap();
    world.deliver(queue, &work).await.unwrap();
    world.clock.advance(hours(2));
    world.settle().await;
    assert_eq!(world.said(), ["fine"]);
    let requests = text_turns(&world);
    let [.., resumed, last] = requests.as_slice() else {
        panic!("{} turns", requests.len());
    };
    let note = resumed.messages.last().map(words).unwrap();
    assert!(
        note.starts_with("Time has passed") && note.contains("2026-11-21 Saturday 12:0"),
        "{note}"
    );
    assert_eq!(
        last.messages[..resumed.messages.len()],
        resumed.messages[..]
    );
    let run = world.root().await;
    let steps = world.steps(&run.id).await;
    let system = words(&resumed.messages[0]);
    let again = alfred_agent::turn::conversation::build(system, &run, &steps, &[], &Opened::new());
    assert_eq!(again[..last.messages.len()], last.messages[..]);
}

#[tokio::test]
async fn ids_of_calls_are_unique_in_the_whole_run() {
    let twice = [("same", "time_now", "{}"), ("", "time_now", "{}")];
    let taken = [("call_2_2", "time_now", "{}"), ("same", "time_now", "{}")];
    let script = vec![calls(&taken), calls(&twice), calls(&twice), says("fine")];
    let mut world = World::new(by_progress(script)).await;
    world.say(dm("U1", "1.1", "go")).await;
    assert_eq!(world.said(), ["fine"]);
    let steps = world.steps(&world.root().await.id).await;
    let turns = steps.iter().filter_map(Step::turn);
    let made = turns.flat_map(|turn| turn.tool_calls.iter());
    let mut asked: Vec<&str> = made.map(|call| &*call.id).collect();
    let results = steps.iter().filter_map(Step::result);
    let mut answered: Vec<&str> = results.map(|result| &*result.call_id).collect();
    let ids = "call_2_2 same call_2_1 call_2_2_ call_3_1 call_3_2";
    assert_eq!(asked.join(" "), ids);
    answered.sort();
    asked.sort();
    assert_eq!(answered, asked, "one answer each");
}
