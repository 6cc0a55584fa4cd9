//! The input of each team in a complex request, and a team that no longer exists.

use alfred_agent::slack::card::action;
use alfred_agent::{Run, RunInput};
use alfred_core::ports::{Message, TurnRequest, Write};
use alfred_core::{Role, keys};
use alfred_testkit::{ScriptedModel, calls, says};

use crate::in_memory::approvals::{click, value, waiting};
use crate::in_memory::delegation::files;
use crate::in_memory::plans::{planning, plans, system};
use crate::in_memory::taint::steered;
use crate::in_memory::world::{World, dm, in_thread};

const ONE: &str = r#"{"teams":[{"team":"research","task":"look","after":[]}]}"#;
const THEN: &str = r#"{"teams":[{"team":"data","task":"note it","after":[]},{"team":"research","task":"look","additional_instructions":"briefly","rounds":99,"after":[0]}]}"#;

async fn part(world: &World, team: &str) -> Run {
    let runs = world.runs().await.into_iter();
    let mut parts =
        runs.filter(|run| matches!(&run.input, RunInput::Team(input) if input.team == team));
    parts.next().unwrap()
}

fn said(request: &TurnRequest) -> String {
    match request.messages.last() {
        Some(Message::User { text }) => text.to_string(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn predicate_and_plan_are_asked_with_criteria_teams_rules_and_the_person() {
    let mut world = World::new(planning(&[ONE], |_| Ok(says("made it")))).await;
    steered(&world, "jarvis").await;
    world.say(dm("U1", "1.1", "look into oak")).await;
    let requests = world.model.requests();
    let [predicate, plan] = &requests[..2] else {
        panic!("{requests:?}")
    };
    assert!(plans(plan));
    for (request, parts) in [
        (
            predicate,
            &[
                "isComplex",
                "\"complex_when\":\"several steps",
                "creative",
                "iterative",
                "\"simple_when\":\"a single question",
                "direct action",
            ][..],
        ),
        (
            plan,
            &[
                "return an empty list",
                "fewest teams",
                "start together",
                "comes later in the list",
                "The scheduling team only takes part beside other teams",
                "- communications: Communications team: ",
                "- data: Data team: ",
                "- marketing: Marketing team: ",
                "- research: Research team: ",
                "- scheduling: Scheduling team: ",
                "Ana",
                "ana@example.com",
                "Europe/Berlin",
                "dryly witty",
            ],
        ),
    ] {
        let told = system(request);
        for part in parts {
            assert!(told.contains(part), "{part} is not in:\n{told}");
        }
        assert!(said(request).contains("look into oak"));
    }
}

fn calling(worker: &'static str, tool: &'static str, arguments: &'static str) -> ScriptedModel {
    planning(&[THEN], move |request| {
        let told = |message: &Message| matches!(message, Message::Tool { .. });
        let begins = !request.messages.iter().any(told);
        let own = system(request).starts_with(&format!("You are {worker}"));
        Ok(match own && begins {
            true => calls(&[("c1", tool, arguments)]),
            false => says("made it"),
        })
    })
}

#[tokio::test]
async fn a_team_is_given_its_contract_and_what_was_made_before_it() {
    let model = calling("keeper", "docs_createDocument", r#"{"title": "Oak"}"#);
    let mut world = World::new(model).await;
    world.has_documents().await;
    world.found([
        (
            "data".to_owned(),
            files("", &[("keeper", "toolsets: {docs: {}}")]),
        ),
        ("research".to_owned(), files("", &[("scout", "")])),
    ]);
    world
        .ask(in_thread("2.1", "1.1", "note it, then look"))
        .await;
    let run = part(&world, "research").await;
    let RunInput::Team(input) = &run.input else {
        panic!()
    };
    let user = &input.user_context;
    assert_eq!(
        (&*user.email, &*user.timezone, user.role),
        ("ana@example.com", "Europe/Berlin", Role::Member)
    );
    let place = &input.slack_context;
    assert_eq!(
        (place.channel_id.as_str(), place.thread_ts.as_deref()),
        ("C1", Some("1.1"))
    );
    assert_eq!(input.team_config.timeout_seconds, 300);
    let handoff = &input.handoffs[0].context;
    let [artifact] = handoff.artifacts.as_slice() else {
        panic!("{handoff:?}")
    };
    assert!(
        artifact.contains("https://docs.google.com/document/d/"),
        "{artifact}"
    );
    let requests = world.model.requests();
    let scout = requests
        .iter()
        .find(|one| system(one).starts_with("You are scout"))
        .unwrap();
    let told = said(scout);
    for part in [
        "look\n\nGuidance: briefly",
        "Rounds of review: 10 at most.",
        "\"note it\" as part of \"note it, then look\"",
        "<output>\nmade it\n</output>",
        artifact,
    ] {
        assert!(told.contains(part), "{part} is not in:\n{told}");
    }
}

#[tokio::test]
async fn a_team_that_is_gone_ends_its_part_in_words() {
    let boss = |team: &str| files("", &[(team, "toolsets: {slack: {}}")]);
    let lunch = r#"{"to": "U2", "text": "Lunch?"}"#;
    // Removes the waiting team (with the run's stored files), or the one that follows it.
    for (gone, sent) in [("data", 0), ("research", 1)] {
        let mut world = World::new(calling("data", "slack_sendMessage", lunch)).await;
        world.register("U2", "Ben", Role::Member).await;
        let teams = ["data", "research"].map(|team| (team.to_owned(), boss(team)));
        world.found(teams.clone());
        world.ask(dm("U1", "1.1", "note it, then look")).await;
        let asked = waiting(&world).await.remove(0);
        if gone == "data" {
            let kept = keys::program(
                &crate::in_memory::world::team(),
                &part(&world, "data").await.id,
            );
            world.write(vec![Write::delete(kept, None)]).await;
        }
        world.found(teams.into_iter().filter(|(team, _)| team != gone));
        world
            .ask(click("U1", action::APPROVE, &value(&asked), "t1"))
            .await;
        world.settle().await;
        let left = world.chat.posted().into_iter();
        let left = left.filter(|kept| kept.channel.as_str() == "D2").count();
        assert_eq!(left, sent, "{gone}");
        let output = part(&world, gone).await.output().unwrap().clone();
        assert_eq!(
            output.error.unwrap(),
            "The team for this part isn't there any more, so it wasn't done. Asking again finds another way.",
            "{gone}"
        );
        assert!(world.root().await.output().is_some(), "{gone}");
        assert!(world.dead.is_empty(), "{gone}: {:?}", world.dead);
    }
}
