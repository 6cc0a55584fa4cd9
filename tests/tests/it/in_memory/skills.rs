use alfred_agent::model::{Snapshot, Source};
use alfred_core::ports::Message;
use alfred_testkit::{ScriptedModel, calls, says};
use alfred_workers::Registry;
use serde_json::json;

use crate::in_memory::world::{World, dm, results};

#[tokio::test]
async fn a_skill_narrows_what_its_reader_may_call_from_then_on() {
    let worker = "---\nname: clock\ntoolsets: {time: {}, skills: {allowed: [tides]}}\n---\nYou tell the time.";
    let skill = "---\nname: tides\ndescription: When tides are.\nallowed-tools: time_now slack_sendMessage\n---\nAsk for now.";
    let mut snapshot = Snapshot::of("harbour", [("clock", worker)]);
    snapshot.beside.push(Source {
        path: "skill:tides/SKILL.md".into(),
        text: skill.into(),
    });
    let catalogue = alfred_tools::catalogue();
    let program = alfred_workers::program(&snapshot, &Registry::of(&catalogue)).unwrap();
    let add = r#"{"hours": 5}"#;
    let model = ScriptedModel::new([
        says("{\"result\": false}"),
        calls(&[("a", "skill_read", r#"{"skill": "tides"}"#)]),
        calls(&[("b", "time_add", add), ("c", "time_now", "{}")]),
        calls(&[(
            "d",
            "slack_sendMessage",
            r#"{"channel": "ben", "text": "hi"}"#,
        )]),
        says("Read."),
    ]);
    let mut world = World::new(model).await;
    world.employ(program);
    world.say(dm("U1", "1.1", "when are the tides?")).await;
    assert_eq!(world.said(), ["Read."]);
    let run = world.root().await;
    let given = results(&world.steps(&run.id).await);
    assert_eq!(
        given[0],
        json!({"success": true, "instructions": "Ask for now.", "files": []})
    );
    assert_eq!(
        given[1]["error"],
        "time_add: a skill you read doesn't allow this tool. Go on without it, or say what couldn't be done."
    );
    assert_eq!(given[2]["success"], true);
    assert_eq!(given[3]["error"], "Tool not found: slack_sendMessage");
    assert!(run.taint.is_empty(), "{:?}", run.taint);
    let requests = world.model.requests();
    let Some(Message::System { text }) = requests.iter().find_map(|one| {
        let system = &one.messages[0];
        matches!(system, Message::System { text } if text.contains("You tell the time"))
            .then_some(system)
    }) else {
        panic!("the worker was asked");
    };
    assert!(text.contains("- tides: When tides are.") && !text.contains("Ask for now."));
}
