use alfred_agent::{RunInput, RunState, StepKind};
use alfred_core::envelope::{Payload, SlackFile};
use alfred_core::ports::{Message, ModelError, Output, TurnRequest};
use alfred_testkit::{ScriptedModel, When, calls, says, unavailable, unsent};

use crate::in_memory::world::{World, dm, turns_taken};

fn system(request: &TurnRequest) -> String {
    match &request.messages[0] {
        Message::System { text } => text.to_string(),
        other => panic!("{other:?}"),
    }
}

/// Plans `plan`; each manager calls a tool, then answers.
fn teams(plan: &'static str) -> ScriptedModel {
    ScriptedModel::answering(move |request| match &request.output {
        Output::Json {
            name: "predicate", ..
        } => Ok(says("{\"result\": true}")),
        Output::Json { .. } => Ok(says(plan)),
        Output::Text if system(request).contains("Several teams worked") => {
            let Message::User { text } = &request.messages[1] else {
                panic!()
            };
            assert!(text.contains("marketing made this"), "{text}");
            Ok(says("Everything together."))
        }
        Output::Text if system(request).contains("marketing team") && turns_taken(request) == 0 => {
            Ok(calls(&[("c1", "writer", r#"{"input": "a brief"}"#)]))
        }
        Output::Text if system(request).contains("marketing team") => {
            Ok(says("marketing made this"))
        }
        Output::Text => Ok(says("research found this")),
    })
}

const ONE: &str = r#"{"teams":[{"team":"marketing","task":"write a brief","additional_instructions":"short","after":[]}]}"#;
const SIDE_BY_SIDE: &str = r#"{"teams":[{"team":"research","task":"look","additional_instructions":"","after":[]},{"team":"marketing","task":"write","additional_instructions":"","after":[]}]}"#;
const IN_SEQUENCE: &str = r#"{"teams":[{"team":"research","task":"look","additional_instructions":"","after":[]},{"team":"marketing","task":"write","additional_instructions":"","after":[0]}]}"#;

#[tokio::test]
async fn one_team_answers_for_itself() {
    let mut world = World::new(teams(ONE)).await;
    world
        .say(dm("U1", "1.1", "research competitors and write a brief"))
        .await;
    assert_eq!(
        world.said(),
        ["On it. I'm bringing in: marketing.", "marketing made this"]
    );
    let runs = world.runs().await;
    let child = runs.iter().find(|run| run.parent.is_some()).unwrap();
    let RunInput::Team(input) = &child.input else {
        panic!()
    };
    assert_eq!(input.team.as_str(), "marketing");
    assert_eq!(input.additional_instructions.as_str(), "short");
    assert_eq!(input.user_context.slack_user_id.as_str(), "U1");
    let steps = world.steps(&child.id).await;
    assert!(
        matches!(steps[0].did, StepKind::Turn(_))
            && steps[2].result().is_some_and(|result| result.ok)
    );
    assert!(matches!(&child.state, RunState::Done { output } if output.success));
    let requests = world.model.requests();
    let mut prompts = requests.iter().map(system);
    let manager = prompts.find(|prompt| prompt.contains("marketing team"));
    let manager = manager.unwrap();
    assert!(
        manager.starts_with("You manage the marketing team"),
        "{manager}"
    );
}

#[tokio::test]
async fn parallel_teams_are_put_together() {
    let mut world = World::new(teams(SIDE_BY_SIDE)).await;
    world.receive(&dm("U1", "1.1", "do both")).await;
    let begun = world.runs().await.into_iter();
    let begun = begun.filter(|run| run.parent.is_some() && run.state == RunState::Ready);
    assert_eq!(begun.count(), 2, "neither waits for the other");
    world.settle().await;
    assert_eq!(world.said()[1..], ["Everything together."]);
    assert_eq!(world.runs().await.len(), 3);
}

#[tokio::test]
async fn a_team_that_needs_another_gets_its_output() {
    let mut world = World::new(teams(IN_SEQUENCE)).await;
    world.say(dm("U1", "1.1", "research, then write")).await;
    let runs = world.runs().await;
    let later = runs.iter().find_map(|run| match &run.input {
        RunInput::Team(input) if input.team == "marketing" => Some(input.clone()),
        _ => None,
    });
    let handoff = &later.unwrap().handoffs[0];
    assert_eq!(handoff.from_team, "research");
    assert_eq!(handoff.context.full_output, "research found this");
    assert_eq!(handoff.context.original_request, "research, then write");
    assert_eq!(handoff.context.completed_subtask, "look");
    assert_eq!(world.said().last().unwrap(), "Everything together.");
}

/// A plan of three. The model fails for these teams, or for "combining".
fn failing(failing: &'static [&'static str]) -> ScriptedModel {
    const PLAN: &str = r#"{"teams":[
        {"team":"research","task":"look","additional_instructions":"","after":[]},
        {"team":"marketing","task":"write","additional_instructions":"","after":[0]},
        {"team":"marketing","task":"draw","additional_instructions":"","after":[]}]}"#;
    ScriptedModel::answering(move |request| {
        let system = system(request);
        let fails = |team: &&str| system.contains(&format!("manage the {team} team"));
        let combines = system.contains("Several teams worked");
        let refuses = failing.iter().any(fails) || combines && failing.contains(&"combining");
        match &request.output {
            Output::Json {
                name: "predicate", ..
            } => Ok(says("{\"result\": true}")),
            Output::Json { .. } => Ok(says(PLAN)),
            Output::Text if refuses => Err(ModelError::Refused {
                detail: "no".into(),
            }),
            Output::Text if combines => Ok(says("Together.")),
            Output::Text => Ok(says("made it")),
        }
    })
}

#[tokio::test]
async fn outputs_that_no_model_combines_are_shown_side_by_side() {
    let (parts, said, together) = tried(failing(&["combining", "research"])).await;
    assert_eq!((parts.len(), together), (2, 1));
    assert!(said.ends_with("*marketing*\n\nmade it"), "{said}");
    assert!(
        said.starts_with("*research*\n\nMy language model"),
        "{said}"
    );
}

/// Tasks of the started teams, the last answer, and the number of combining requests.
async fn tried(model: ScriptedModel) -> (Vec<String>, String, usize) {
    let mut world = World::new(model).await;
    world.say(dm("U1", "1.1", "look, write, draw")).await;
    let runs = world.runs().await.into_iter();
    let parts = runs.filter(|run| run.parent.is_some());
    let mut parts: Vec<String> = parts.map(|run| run.input.prompt().to_owned()).collect();
    parts.sort();
    let requests = world.model.requests();
    let together = requests
        .iter()
        .filter(|request| system(request).contains("Several teams worked"));
    let together = together.count();
    (parts, world.said().pop().unwrap(), together)
}

#[tokio::test]
async fn what_needs_a_team_that_failed_is_not_started_and_the_rest_is_put_together() {
    let (parts, said, together) = tried(failing(&["research"])).await;
    assert_eq!(parts, ["draw", "look"]);
    assert_eq!((said.as_str(), together), ("Together.", 1));
}

#[tokio::test]
async fn aggregator_is_skipped_if_every_team_failed() {
    let (parts, said, together) = tried(failing(&["research", "marketing"])).await;
    assert_eq!(parts, ["draw", "look"]);
    assert_eq!(together, 0);
    insta::assert_snapshot!(said, @"
*research*

My language model's provider rejects my requests. The cause is the API key, the credit or the settings, not your message. Please tell an administrator; the log has the details.

*marketing*

It wasn't started, since the team whose work it needs couldn't do its part.

*marketing*

My language model's provider rejects my requests. The cause is the API key, the credit or the settings, not your message. Please tell an administrator; the log has the details.
");
}

#[tokio::test]
async fn teams_and_their_plan_see_the_conversation_and_the_files() {
    let model = ScriptedModel::answering(|request| match &request.output {
        Output::Json {
            name: "predicate", ..
        } => {
            let Message::User { text } = &request.messages[1] else {
                panic!()
            };
            let complex = text.contains("LinkedIn");
            Ok(says(&format!("{{\"result\": {complex}}}")))
        }
        Output::Json { .. } => Ok(says(ONE)),
        Output::Text => Ok(says("Our offsite was a storm of ideas.")),
    });
    let mut world = World::new(model).await;
    world.say(dm("U1", "1.1", "describe our offsite")).await;
    let mut then = dm("U1", "2.1", "turn that into a LinkedIn post");
    if let Payload::Message(message) = &mut then.payload {
        message.files = vec![SlackFile {
            id: None,
            kept: None,
            name: "offsite.png".into(),
            media_type: "image/png".into(),
            bytes: Some(10),
        }];
    }
    world.say(then).await;
    let requests = world.model.requests();
    let asked = &requests[requests.len() - 3..];
    for request in asked {
        let all = format!("{:?}", request.messages);
        assert!(all.contains("storm of ideas"), "{all}");
        assert!(all.contains("offsite.png"), "{all}");
    }
}

#[tokio::test]
async fn without_a_usable_plan_one_worker_takes_the_request() {
    for plan in [
        "{\"teams\":[]}",
        "nonsense",
        r#"{"teams":[{"team":"legal","task":"x","after":[]}]}"#,
    ] {
        let mut world = World::new(teams(plan)).await;
        world.say(dm("U1", "1.1", "do it")).await;
        assert_eq!(
            world.said(),
            ["research found this"],
            "the utility worker's script"
        );
        assert_eq!(world.runs().await.len(), 1);
    }
}

#[tokio::test]
async fn faults_on_the_way_of_teams_change_nothing() {
    let mut plain = World::new(teams(IN_SEQUENCE)).await;
    plain.say(dm("U1", "1.1", "go")).await;
    let mut injected = 0;
    for kind in ["store.get", "store.query", "store.commit"] {
        for number in 1..=plain.faults.calls(kind).min(40) {
            for when in [When::Before, When::After] {
                let mut world = World::new(teams(IN_SEQUENCE)).await;
                world.faults.fail_at(kind, number, when, unavailable());
                check(&mut world, &format!("{kind} {number} {when:?}")).await;
                injected += 1;
            }
        }
    }
    for number in 1..=plain.faults.calls("queue.send") {
        for when in [When::Before, When::After] {
            let mut world = World::new(teams(IN_SEQUENCE)).await;
            world.faults.fail_at("queue.send", number, when, unsent());
            check(&mut world, &format!("send {number} {when:?}")).await;
            injected += 1;
        }
    }
    println!("{injected} faults injected");
    assert!(injected > 50, "{injected}");
}

async fn check(world: &mut World, what: &str) {
    world.say(dm("U1", "1.1", "go")).await;
    let answers = world.said();
    assert_eq!(
        answers
            .iter()
            .filter(|a| *a == "Everything together.")
            .count(),
        1,
        "{what}: {answers:?}"
    );
    let runs = world.runs().await;
    let done = runs
        .iter()
        .filter(|run| matches!(run.state, RunState::Done { .. }))
        .count();
    assert_eq!((runs.len(), done), (3, 3), "{what}");
    assert!(world.dead.is_empty(), "{what}: {:?}", world.dead);
}
