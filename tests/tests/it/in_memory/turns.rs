use alfred_agent::StepKind;
use alfred_core::ports::{Finish, Message, ModelError, Output, Turn, TurnRequest, Usage};
use alfred_core::text;
use alfred_testkit::{ManualClock, ScriptedModel, calls, says};
use std::sync::Arc;
use std::time::Duration;

use crate::in_memory::world::{World, by_progress, dm, simple, turns_taken};

const UNUSABLE_ANSWER: &str =
    "My language model gave an answer I can't use. Please try again in a moment.";
const TOO_MANY_REQUESTS: &str =
    "The service behind my language model takes no more requests right now. Please try again";
const OVER_BUDGET: &str =
    "I stopped because this request used up its budget. Could you make it smaller?";

#[tokio::test]
async fn a_simple_request_is_answered_once_within_the_call_budget() {
    let script = vec![
        calls(&[("c1", "task_viewTasks", "{}")]),
        says("You have no tasks."),
    ];
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
    assert_eq!(
        run.progress.usage.input_tokens, 300,
        "classification and two turns"
    );
    assert_eq!(world.output().await.actions_taken.len(), 1);
}

#[tokio::test]
async fn the_prompt_names_the_person_the_moment_and_the_rules() {
    let mut world = World::new(by_progress(vec![says("hi")])).await;
    world.say(dm("U1", "1.1", "hello")).await;
    let requests = world.model.requests();
    let asked = requests
        .iter()
        .find(|request| request.output == Output::Text)
        .unwrap();
    let Message::System { text } = &asked.messages[0] else {
        panic!("no system prompt")
    };
    for part in [
        "Ana",
        "ana@example.com",
        "Europe/Berlin",
        "2026-11-21 Saturday 10:00",
        "Never guess the time anywhere",
        "Be concise",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    let twice = asked
        .tools
        .iter()
        .find(|tool| text.contains(&tool.description));
    assert!(twice.is_none(), "{twice:?} is described in:\n{text}");
}

#[tokio::test]
async fn a_request_that_the_model_declines_is_no_success() {
    let mut declined = says("I can't do **that**.\n- but this");
    declined.refused = true;
    let mut world = World::new(by_progress(vec![declined])).await;
    world.say(dm("U1", "1.1", "fly me to the moon")).await;
    let output = world.output().await;
    assert!(!output.success && output.result.is_none());
    assert_eq!(
        output.error.as_deref(),
        Some("I can't do **that**.\n- but this")
    );
    let answer = &world.answers()[0];
    assert!(
        answer.contains("*that*") && answer.contains("• but this"),
        "{answer}"
    );
}

#[tokio::test]
async fn a_budget_ends_a_run_with_a_clear_message() {
    let model = simple(|_| {
        let mut turn = calls(&[("c1", "time_now", "{}")]);
        turn.usage.cost_micros = Some(2_000_000);
        Ok(turn)
    });
    let mut world = World::new(model).await;
    world.say(dm("U1", "1.1", "be dear")).await;
    assert_eq!(world.output().await.error, Some(OVER_BUDGET.to_owned()));
}

#[tokio::test]
async fn without_a_price_the_tokens_are_capped() {
    let model = simple(|_| {
        let mut turn = calls(&[("c1", "time_now", "{}")]);
        turn.usage.cost_micros = None;
        turn.usage.input_tokens = 500_000;
        Ok(turn)
    });
    let mut world = World::new(model).await;
    world.say(dm("U1", "1.1", "be long")).await;
    assert_eq!(world.output().await.error, Some(OVER_BUDGET.to_owned()));
}

#[tokio::test]
async fn a_run_without_time_parks_itself_and_goes_on() {
    let script = vec![calls(&[("c1", "time_now", "{}")]), says("done")];
    let mut world = World::new(by_progress(script)).await;
    world.deadline = Some(Duration::from_secs(25));
    world.receive(&dm("U1", "1.1", "go")).await;
    let (queue, envelope) = world.next().unwrap();
    world.deliver(queue, &envelope).await.unwrap();
    assert_eq!(
        world.model.calls(),
        1,
        "only the classification: too little time for a turn"
    );
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
async fn a_pause_longer_than_anybody_waits_is_told() {
    for (seconds, again) in [
        (301, "in 6 minutes"),
        (36_000, "in 10 hours"),
        (u64::MAX, "later"),
    ] {
        let model = simple(move |_| {
            Err(ModelError::RateLimited {
                retry_after: Some(Duration::from_secs(seconds)),
                detail: "slow down".into(),
            })
        });
        let mut world = World::new(model).await;
        world.say(dm("U1", "1.1", "go")).await;
        let words = format!("{TOO_MANY_REQUESTS} {again}.");
        assert_eq!(world.output().await.error, Some(words));
    }
}

#[tokio::test]
async fn a_provider_that_asks_for_a_pause_gets_it() {
    let script = std::sync::Mutex::new(vec![
        Ok(says("now")),
        Err(ModelError::RateLimited {
            retry_after: Some(Duration::from_secs(90)),
            detail: "slow down".into(),
        }),
    ]);
    let model = simple(move |_| script.lock().unwrap().pop().unwrap());
    let mut world = World::new(model).await;
    let began = alfred_core::ports::Clock::now(&world.clock);
    world.say(dm("U1", "1.1", "go")).await;
    assert_eq!(world.said(), ["now"]);
    let waited = alfred_core::ports::Clock::now(&world.clock).duration_since(began);
    assert!(waited.as_secs() >= 90, "{waited}");
    let shown = world.chat.statuses().len();
    assert_eq!(shown, 3, "at first, before the pause, and behind it");
    assert_eq!(world.root().await.progress.pauses, 1);
}

#[tokio::test]
async fn model_errors_become_friendly_words() {
    let detail = || "secret internals 500".to_owned();
    let cases = [
        (
            ModelError::Timeout { detail: detail() },
            "The service behind my language model didn't answer in time, which has nothing to do with what you wrote. Please try again in a moment.".to_owned(),
        ),
        (
            ModelError::RateLimited {
                retry_after: None,
                detail: detail(),
            },
            format!("{TOO_MANY_REQUESTS} in a minute."),
        ),
        (
            ModelError::Unavailable { detail: detail() },
            "I couldn't reach my language model just now. Please try again in a moment.".to_owned(),
        ),
        (
            ModelError::Refused { detail: detail() },
            "My language model's provider rejects my requests. The cause is the API key, the credit or the settings, not your message. Please tell an administrator; the log has the details.".to_owned(),
        ),
        (
            ModelError::Unusable { detail: detail() },
            UNUSABLE_ANSWER.to_owned(),
        ),
    ];
    for (error, words) in cases {
        let error = std::sync::Mutex::new(Some(error));
        let model = simple(move |_| Err(error.lock().unwrap().take().unwrap()));
        let wasted = Usage {
            input_tokens: 1_000,
            cost_micros: Some(7),
            ..Usage::default()
        };
        let mut world = World::new(model.wasting(wasted)).await;
        world.say(dm("U1", "1.1", "go")).await;
        assert_eq!(world.output().await.error, Some(words.clone()));
        let used = world.root().await.progress.usage;
        let classifying = says("").usage.cost_micros.unwrap();
        assert_eq!(used.cost_micros, Some(classifying + 2 * 7), "{words}");
        assert!(
            world.answers()[0].starts_with(&words) && !world.answers()[0].contains("internals")
        );
    }
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
async fn an_empty_turn_is_asked_again() {
    let model = simple(|request| {
        let assistants = |m: &Message| matches!(m, Message::Assistant { .. });
        let again = request.messages.iter().any(assistants);
        Ok(says(if again { "here" } else { "  " }))
    });
    let mut world = World::new(model).await;
    world.say(dm("U1", "1.1", "go")).await;
    assert_eq!(world.said(), ["here"]);
}

#[tokio::test]
async fn a_model_that_never_gets_to_its_answer_is_asked_twice() {
    let model = simple(|_| {
        Ok(Turn {
            finish: Finish::Length,
            ..says("")
        })
    });
    let mut world = World::new(model).await;
    world.say(dm("U1", "1.1", "go")).await;
    assert_eq!(world.output().await.error, Some(UNUSABLE_ANSWER.to_owned()));
    assert_eq!(world.model.calls(), 3, "the classification, and two turns");
}

#[tokio::test]
async fn a_model_that_hangs_is_thinking_for_as_long_and_then_no_more() {
    let clock = ManualClock::default();
    let passes = clock.clone();
    let model = ScriptedModel::answering(move |request| {
        passes.advance(request.timeout);
        Err(ModelError::Timeout {
            detail: "no answer".into(),
        })
    });
    let mut world = World::by(model, clock.clone(), Arc::new(clock)).await;
    let asked = alfred_core::ports::Clock::now(&world.clock);
    world.receive(&dm("U1", "1.1", "go")).await;
    world.drain().await;
    let waited = alfred_core::ports::Clock::now(&world.clock).duration_since(asked);
    // Slack clears a status after 120 s, and whenever something is posted.
    let shown: Vec<String> = world.chat.statuses().into_iter().map(|it| it.2).collect();
    insta::assert_snapshot!(format!("{} s, {shown:?}\n{}", waited.as_secs(), world.answers().join("\n")), @r#"
131 s, ["is thinking…", "is thinking…"]
The service behind my language model didn't answer in time, which has nothing to do with what you wrote. Please try again in a moment.
Nothing was sent or changed.
"#);
}

#[tokio::test]
async fn an_unreadable_classification_or_none_means_simple() {
    for unreadable in [true, false] {
        let model = ScriptedModel::answering(move |request| match &request.output {
            Output::Json { .. } if unreadable => Ok(says("perhaps")),
            Output::Json { .. } => Err(ModelError::Refused {
                detail: "no".into(),
            }),
            Output::Text => Ok(says("fine")),
        });
        let mut world = World::new(model).await;
        world.say(dm("U1", "1.1", "go")).await;
        assert_eq!(world.said(), ["fine"]);
        assert_eq!(world.model.calls(), 3, "asked twice, then the fallback");
        let steps = world.steps(&world.root().await.id).await;
        let StepKind::Classified(found) = &steps[0].did else {
            panic!("{steps:?}")
        };
        assert!(found.fallback_reason.is_some() && !found.complex);
    }
}
