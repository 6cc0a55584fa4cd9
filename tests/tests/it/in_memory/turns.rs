//! The number of calls and the sizes of requests. What a model's turns lead to is in `stories/turns.txt`.

use alfred_core::ports::{Message, ModelError, Output, TurnRequest, Usage};
use alfred_core::text;
use alfred_testkit::{ManualClock, ScriptedModel, calls, says};
use std::sync::Arc;
use std::time::Duration;

use crate::in_memory::world::{World, by_progress, dm, simple, turns_taken};

#[tokio::test]
async fn a_simple_request_is_answered_once_within_the_call_budget() {
    let look = calls(&[("c1", "task_viewTasks", "{}")]);
    let script = vec![look, says("You have no tasks.")];
    let mut world = World::new(by_progress(script)).await;
    world.say(dm("U1", "1.1", "show my tasks")).await;
    assert_eq!(world.said(), ["You have no tasks."]);
    let calls = world.faults.calls("store.");
    assert!(calls <= 9, "{calls} store calls");
    let sends = world.faults.calls("queue.send");
    assert_eq!(sends, 1, "and one by the receiver");
    let run = world.root().await;
    let story = alfred_tests::story(&world.steps(&run.id).await);
    assert_eq!(story, "classified turn task_viewTasks turn");
    let tokens = run.progress.usage.input_tokens;
    assert_eq!(tokens, 300, "classification and two turns");
    assert_eq!(world.output().await.actions_taken.len(), 1);
}

#[tokio::test]
async fn a_run_without_time_parks_itself_and_goes_on() {
    let script = vec![calls(&[("c1", "time_now", "{}")]), says("done")];
    let mut world = World::new(by_progress(script)).await;
    world.deadline = Some(Duration::from_secs(25));
    world.receive(&dm("U1", "1.1", "go")).await;
    let (queue, envelope) = world.next().unwrap();
    world.deliver(queue, &envelope).await.unwrap();
    // Only the classification: too little time for a turn.
    assert_eq!(world.model.calls(), 1);
    let (queue, again) = world.next().expect("its own continuation");
    assert_eq!(again.hops, envelope.hops + 1);
    world.deadline = Some(Duration::from_secs(120));
    world.deliver(queue, &again).await.unwrap();
    assert_eq!(world.answers(), ["done\nNothing was sent or changed."]);
}

#[tokio::test]
async fn a_request_that_goes_round_too_often_is_a_defect() {
    let mut world = World::new(by_progress(vec![says("done")])).await;
    world.receive(&dm("U1", "1.1", "go")).await;
    let (queue, mut envelope) = world.next().unwrap();
    envelope.hops = 201;
    world.deliver_until_done(queue, envelope).await;
    assert_eq!(world.dead.len(), 1, "it ends in the dead-letter queue");
    let told = format!("{}\n{}", text::UNEXPECTED, text::NOTHING_CHANGED);
    assert_eq!(world.answers(), [told]);
}

#[tokio::test]
async fn a_model_that_takes_less_is_asked_about_the_request_alone() {
    let size = |request: &TurnRequest| {
        let sizes = request.messages.iter().map(|message| match message {
            Message::Tool { text, .. } | Message::User { text } => text.len(),
            Message::Assistant { text, .. } => text.len(),
            Message::System { .. } | Message::Files { .. } => 0,
        });
        sizes.sum::<usize>()
    };
    let model = move |most: usize| {
        simple(move |request| match size(request) {
            size if size > most => Err(ModelError::TooLong {
                detail: "4096 tokens".into(),
            }),
            _ if turns_taken(request) == 0 => Ok(calls(&[("c1", "user_list", "{}")])),
            _ => Ok(says(&"long ".repeat(500))),
        })
    };
    let mut world = World::new(model(2_600)).await;
    for ts in ["1.1", "2.1", "3.1"] {
        world.say(dm("U1", ts, "who is here?")).await;
        let said = world.said().pop().unwrap();
        assert!(said.starts_with("long"), "{ts}: {said}");
    }
    let requests = world.model.requests();
    let sizes: Vec<usize> = requests.iter().map(|it| it.messages.len()).collect();
    assert!(sizes.windows(2).any(|pair| pair[1] < pair[0]), "{sizes:?}");
}

#[tokio::test]
async fn the_prompt_describes_no_tool() {
    let mut world = World::new(by_progress(vec![says("hi")])).await;
    world.say(dm("U1", "1.1", "hello")).await;
    let requests = world.model.requests();
    let mut turns = requests.iter().filter(|asked| asked.output == Output::Text);
    let asked = turns.next().unwrap();
    let Message::System { text } = &asked.messages[0] else {
        panic!("no system prompt")
    };
    let mut tools = asked.tools.iter();
    let twice = tools.find(|tool| text.contains(&tool.description));
    assert!(twice.is_none(), "{twice:?} is described in:\n{text}");
}

#[tokio::test]
async fn attempts_that_gave_no_turn_are_paid_for() {
    let wasted = Usage {
        input_tokens: 1_000,
        cost_micros: Some(7),
        ..Usage::default()
    };
    let refuse = |_: &TurnRequest| {
        let detail = "secret internals 500".into();
        Err(ModelError::Unusable { detail })
    };
    let mut world = World::new(simple(refuse).wasting(wasted)).await;
    world.say(dm("U1", "1.1", "go")).await;
    let used = world.root().await.progress.usage;
    let classifying = says("").usage.cost_micros.unwrap();
    assert_eq!(used.cost_micros, Some(classifying + 2 * 7));
    assert!(!world.answers()[0].contains("internals"));
}

#[tokio::test]
async fn a_model_that_hangs_is_thinking_for_as_long_and_then_no_more() {
    let clock = ManualClock::default();
    let passes = clock.clone();
    let model = ScriptedModel::answering(move |request| {
        passes.advance(request.timeout);
        let detail = "no answer".into();
        Err(ModelError::Timeout { detail })
    });
    let mut world = World::by(model, clock.clone(), Arc::new(clock)).await;
    let asked = alfred_core::ports::Clock::now(&world.clock);
    world.receive(&dm("U1", "1.1", "go")).await;
    world.drain().await;
    let waited = alfred_core::ports::Clock::now(&world.clock).duration_since(asked);
    // Slack clears a status after 120 s, and whenever something is posted.
    let shown: Vec<String> = world.chat.statuses().into_iter().map(|it| it.2).collect();
    insta::assert_snapshot!(format!("{} s, {shown:?}\n{}", waited.as_secs(), world.answers().join("\n")), @r#"
131 s, ["is thinking…", "is thinking…", ""]
The service behind my language model didn't answer in time, which has nothing to do with what you wrote. Please try again in a moment.
Nothing was sent or changed.
"#);
}
