//! The orchestrator's plan: checked, returned once, made from the conversation, shown as steps.

use alfred_agent::{RunInput, StepKind};
use alfred_core::ports::{Message, ModelError, Output, TurnRequest};
use alfred_core::{Role, Taint};
use alfred_testkit::{ScriptedModel, When, says, unavailable};

use crate::in_memory::world::{World, dm};

pub fn system(request: &TurnRequest) -> &str {
    match &request.messages[0] {
        Message::System { text } => text,
        other => panic!("{other:?}"),
    }
}

pub fn plans(request: &TurnRequest) -> bool {
    matches!(&request.output, Output::Json { name: "teams", .. })
}

pub fn combines(request: &TurnRequest) -> bool {
    system(request).starts_with("Several teams worked")
}

/// Classifies every request as complex, answers the n-th planning request with the n-th plan, and works for
/// every team as `team` does.
pub fn planning(
    plans_given: &'static [&'static str],
    team: impl Fn(&TurnRequest) -> Result<alfred_core::ports::Turn, ModelError> + Send + Sync + 'static,
) -> ScriptedModel {
    let asked = std::sync::atomic::AtomicUsize::new(0);
    ScriptedModel::answering(move |request| match &request.output {
        Output::Json {
            name: "predicate", ..
        } => Ok(says("{\"result\": true}")),
        Output::Json { .. } => {
            let nth = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            Ok(says(plans_given[nth.min(plans_given.len() - 1)]))
        }
        Output::Text if combines(request) => Ok(says("Together.")),
        Output::Text => team(request),
    })
}

const GOOD: &str = r#"{"teams":[{"team":"research","task":"look","after":[]}]}"#;
const CIRCLE: &str = r#"{"teams":[{"team":"research","task":"look","after":[1]},{"team":"marketing","task":"write","after":[0]}]}"#;

#[tokio::test]
async fn a_bad_plan_is_sent_back_once_with_what_is_wrong() {
    for (given, said, plans_made, runs) in [
        (&[CIRCLE, GOOD][..], "made it", 2, 2),
        (&[CIRCLE, "nonsense", GOOD], "made it", 2, 1),
        (&[r#"{"teams":[]}"#, GOOD], "made it", 1, 1),
    ] {
        let mut world = World::new(planning(given, |_| Ok(says("made it")))).await;
        world.say(dm("U1", "1.1", "look and write")).await;
        assert_eq!(world.said().last().unwrap(), said, "{given:?}");
        assert_eq!(world.runs().await.len(), runs, "{given:?}");
        let root = world.root().await;
        let steps = world.steps(&root.id).await;
        let planned = steps
            .iter()
            .filter(|step| matches!(step.did, StepKind::Planned(_)));
        assert_eq!(planned.count(), plans_made, "{given:?}");
        let requests = world.model.requests();
        let asked: Vec<_> = requests.iter().filter(|request| plans(request)).collect();
        assert_eq!(asked.len(), plans_made);
        if let Some(again) = asked.get(1) {
            let Message::User { text } = again.messages.last().unwrap() else {
                panic!("{again:?}")
            };
            assert_eq!(
                &**text,
                "That plan can't be used:\n- teams.0.after: part 1 isn't before it; put what is needed first\nGive the whole plan again, mended."
            );
        }
    }
}

#[tokio::test]
async fn a_bad_plan_survives_whatever_strikes_behind_it() {
    let plain = || planning(&[CIRCLE, GOOD], |_| Ok(says("made it")));
    let mut calm = World::new(plain()).await;
    calm.say(dm("U1", "1.1", "go")).await;
    let commits = calm.faults.calls("store.commit");
    for number in 1..=commits {
        for when in [When::Before, When::After] {
            let mut world = World::new(plain()).await;
            world
                .faults
                .fail_at("store.commit", number, when, unavailable());
            world.say(dm("U1", "1.1", "go")).await;
            let what = format!("{number} {when:?}");
            let answers = world.said();
            assert_eq!(
                answers.iter().filter(|said| *said == "made it").count(),
                1,
                "{what}: {answers:?}"
            );
            assert!(world.dead.is_empty(), "{what}");
        }
    }
    assert!(commits > 5, "{commits}");
}

#[tokio::test]
async fn the_orchestrator_has_no_tool_and_tries_no_team_again() {
    const BOTH: &str = r#"{"teams":[{"team":"research","task":"look","after":[]},{"team":"marketing","task":"write","after":[]}]}"#;
    let model = planning(&[BOTH], |request| {
        match system(request).contains("research team") {
            true => Err(ModelError::Refused {
                detail: "no".into(),
            }),
            false => Ok(says("the brief")),
        }
    });
    let mut world = World::new(model).await;
    world.say(dm("U1", "1.1", "do both")).await;
    let requests = world.model.requests();
    let own = requests
        .iter()
        .filter(|request| plans(request) || combines(request));
    let own: Vec<_> = own.collect();
    assert_eq!(own.len(), 2);
    assert!(own.iter().all(|request| request.tools.is_empty()));
    let tried = requests
        .iter()
        .filter(|request| system(request).contains("research team"));
    assert_eq!(tried.count(), 1);
    let Message::User { text } = &own[1].messages[1] else {
        panic!()
    };
    assert!(
        text.contains("rejects my requests"),
        "the failure is told: {text}"
    );
}

#[tokio::test]
async fn make_that_shorter_knows_what_that_is() {
    const SHORTER: &str =
        r#"{"teams":[{"team":"marketing","task":"make it shorter","after":[],"earlier":[0]}]}"#;
    let long = || format!("{} </output> the end", "All about foxes. ".repeat(400));
    let model = planning(&[GOOD, SHORTER], move |request| {
        match system(request).contains("research team") {
            true => Ok(says(&long())),
            false => Ok(says("Foxes.")),
        }
    });
    let mut world = World::new(model).await;
    world.say(dm("U1", "1.1", "look into foxes")).await;
    let mut first = world
        .runs()
        .await
        .into_iter()
        .find(|run| run.parent.is_some())
        .unwrap();
    // The first run was tainted, so a run that continues it is too.
    first.taint = Taint {
        untrusted: ["web_search".to_owned()].into(),
        ..Taint::default()
    };
    let key = alfred_core::keys::run(&crate::in_memory::world::team(), &first.id);
    let row = serde_json::to_value(&first).unwrap();
    world
        .write(vec![alfred_core::ports::Write::put(key, None, row)])
        .await;
    world.say(dm("U1", "2.1", "make that shorter")).await;
    assert_eq!(world.said().last().unwrap(), "Foxes.");
    let runs = world.runs().await.into_iter();
    let child = runs
        .filter(|run| run.parent.is_some())
        .find(|run| run.id != first.id)
        .unwrap();
    assert!(child.taint.untrusted.contains("web_search"));
    let RunInput::Team(input) = &child.input else {
        panic!()
    };
    let handoff = &input.handoffs[0];
    assert_eq!(
        (&*handoff.from_team, &*handoff.to_team),
        ("research", "marketing")
    );
    assert_eq!(handoff.context.original_request, "look into foxes");
    assert_eq!(handoff.next_task.instruction, "make it shorter");
    assert!(
        handoff.context.full_output.ends_with("the end"),
        "whole, beyond what memory keeps"
    );
    assert!(handoff.context.output_summary.chars().count() < 310);
    let requests = world.model.requests();
    let planned = requests.iter().rfind(|request| plans(request)).unwrap();
    let shown = format!("{:?}", planned.messages);
    assert!(
        shown.contains("<earlier>") && shown.contains("All about foxes"),
        "{shown}"
    );
    let Message::User { text } = requests.last().unwrap().messages.last().unwrap() else {
        panic!()
    };
    assert_eq!(
        text.matches("</output>").count(),
        1,
        "an output can't end its own fence"
    );
}

#[tokio::test]
async fn one_message_shows_how_far_the_teams_are() {
    const IN_SEQUENCE: &str = r#"{"teams":[{"team":"research","task":"look","after":[]},{"team":"marketing","task":"write","after":[0]}]}"#;
    let world = World::new(planning(&[IN_SEQUENCE], |_| Ok(says("made it")))).await;
    world.register("U2", "Ben", Role::Member).await;
    world.receive(&dm("U1", "1.1", "look, then write")).await;
    let first = "On it. I'm bringing in: research, marketing.";
    assert_eq!(
        world.said(),
        [format!(
            "{first}\n• research is at work\n• marketing waits for its turn"
        )]
    );
    let mut seen = vec![];
    while let Some((queue, envelope)) = world.next() {
        world.deliver(queue, &envelope).await.unwrap();
        let shown = world.said().remove(0).replace(first, "").replace('\n', "");
        if seen.last() != Some(&shown) {
            seen.push(shown);
        }
    }
    assert_eq!(
        seen,
        [
            "• research is done• marketing waits for its turn",
            "• research is done• marketing is at work",
            "• research is done• marketing is done",
        ]
    );
    assert_eq!(world.said().len(), 2, "one message beside the answer");
}
