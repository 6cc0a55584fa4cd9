//! The tools shown to a model: those its request needs, and those it opens.

use alfred_core::ports::{Message, Output, Turn, TurnRequest};
use alfred_testkit::{STORE_FAULTS, ScriptedModel, calls, says};
use std::collections::BTreeSet;

use crate::in_memory::proposing::reading;
use crate::in_memory::world::{World, dm, turns_taken};

/// Names these toolsets as needed, then takes these turns.
fn needing(toolsets: &'static str, script: Vec<Turn>) -> ScriptedModel {
    ScriptedModel::answering(move |request| match &request.output {
        Output::Json { .. } => Ok(says(&format!(
            "{{\"result\": false, \"toolsets\": {toolsets}}}"
        ))),
        Output::Text => {
            Ok(reading(request).unwrap_or_else(|| script[turns_taken(request)].clone()))
        }
    })
}

fn turns(world: &World) -> Vec<TurnRequest> {
    let requests = world.model.requests().into_iter();
    requests
        .filter(|request| request.output == Output::Text)
        .collect()
}

fn shown(request: &TurnRequest) -> Vec<String> {
    let sets = request.tools.iter().map(|tool| tool.name.split('_').next());
    let sets: BTreeSet<String> = sets.map(|set| set.unwrap().to_owned()).collect();
    sets.into_iter().collect()
}

fn system(request: &TurnRequest) -> String {
    match &request.messages[0] {
        Message::System { text } => text.to_string(),
        other => panic!("no system prompt: {other:?}"),
    }
}

#[tokio::test]
async fn a_turn_starts_with_what_the_request_needs() {
    let script = vec![calls(&[("c1", "task_viewTasks", "{}")]), says("None.")];
    let mut world = World::new(needing("[\"task\"]", script)).await;
    world.say(dm("U1", "1.1", "show my tasks")).await;
    for request in turns(&world) {
        assert_eq!(shown(&request), ["task", "toolset"]);
        assert!(!system(&request).contains("email_"));
    }
    assert_eq!(world.said(), ["None."]);
}

#[tokio::test]
async fn small_talk_needs_none_and_whoever_was_not_asked_has_all() {
    let mut world = World::new(needing("[]", vec![says("Hello!")])).await;
    world.say(dm("U1", "1.1", "hi")).await;
    assert_eq!(shown(&turns(&world)[0]), ["toolset"]);
    for unread in ["[\"travel\"]", "null", "7"] {
        let mut world = World::new(needing(unread, vec![says("Hello!")])).await;
        world.say(dm("U1", "1.1", "hi")).await;
        let all = shown(&turns(&world)[0]);
        assert!(all.len() > 9 && !all.contains(&"toolset".into()), "{all:?}");
    }
}

/// The prompt's prefix stays the same, which keeps a provider's cache valid.
#[tokio::test]
async fn another_toolset_is_opened_with_its_rules_and_stays_open_through_crashes() {
    let script = || {
        vec![
            calls(&[("c1", "toolset_open", "{\"toolsets\": [\"user\"]}")]),
            calls(&[("c2", "user_list", "{}")]),
            says("Only you."),
        ]
    };
    let mut plain = World::new(needing("[\"task\"]", script())).await;
    plain.say(dm("U1", "1.1", "who is here?")).await;
    let seen = turns(&plain);
    let sets: Vec<Vec<String>> = seen.iter().map(shown).collect();
    assert_eq!(sets[0], ["task", "toolset"]);
    assert_eq!(
        sets[1..],
        [["task", "toolset", "user"], ["task", "toolset", "user"]]
    );
    assert_eq!(system(&seen[0]), system(&seen[2]));
    let Some(Message::Tool { text, .. }) = seen[1].messages.last() else {
        panic!("no result")
    };
    insta::assert_snapshot!(text, @r#"{"opened":["user"],"rules":["When user_lookup gives several candidates, ask which one is meant; never choose."],"success":true}"#);
    for number in 1..=plain.faults.calls("store.commit") {
        for (when, error) in STORE_FAULTS {
            let mut world = World::new(needing("[\"task\"]", script())).await;
            world.faults.fail_at("store.commit", number, when, error());
            world.say(dm("U1", "1.1", "who is here?")).await;
            assert_eq!(world.said(), ["Only you."], "{number} {when:?}");
            assert_eq!(shown(turns(&world).last().unwrap()), sets[2], "{number}");
        }
    }
}

#[tokio::test]
async fn opening_toolsets_takes_no_turn_from_the_ten() {
    let opens = "{\"toolsets\": [\"focus\", \"content\"]}";
    let mut script = vec![calls(&[("c0", "toolset_open", opens)])];
    script.extend((1..9).map(|at| calls(&[(&format!("c{at}"), "user_list", "{}")])));
    script.push(says("Only you."));
    let mut world = World::new(needing("[\"user\"]", script)).await;
    world.say(dm("U1", "1.1", "who is here?")).await;
    assert_eq!(world.said(), ["Only you."]);
    let opened = ["content", "focus", "toolset", "user"];
    assert_eq!(shown(&turns(&world)[1]), opened);
}

#[tokio::test]
async fn a_call_of_a_tool_that_is_not_shown_still_runs() {
    let script = vec![calls(&[("c1", "user_list", "{}")]), says("Only you.")];
    let mut world = World::new(needing("[]", script)).await;
    world.say(dm("U1", "1.1", "who is here?")).await;
    assert_eq!(world.output().await.actions_taken, ["Used user_list"]);
}

#[tokio::test]
async fn what_was_asked_before_is_told_where_toolsets_are_chosen() {
    let script = [says("Two tasks."), says("Three.")];
    let model = ScriptedModel::answering(move |request| match &request.output {
        Output::Json { .. } => Ok(says("{\"result\": false, \"toolsets\": []}")),
        Output::Text => Ok(script[turns_taken(request)].clone()),
    });
    let mut world = World::new(model).await;
    world.say(dm("U1", "1.1", "how many tasks today?")).await;
    world.say(dm("U1", "2.1", "and tomorrow?")).await;
    let requests = world.model.requests().into_iter();
    let asked = requests.filter(|request| request.output != Output::Text);
    let contexts: Vec<String> = asked
        .map(|request| match &request.messages[1] {
            Message::User { text } => text.to_string(),
            other => panic!("{other:?}"),
        })
        .collect();
    insta::assert_debug_snapshot!(contexts, @r#"
[
    "context: {\"before\":null,\"request\":\"how many tasks today?\",\"waits_for_decision\":[]}",
    "context: {\"before\":{\"answered\":\"Two tasks.\",\"asked\":\"how many tasks today?\"},\"request\":\"and tomorrow?\",\"waits_for_decision\":[]}",
]
"#);
}
