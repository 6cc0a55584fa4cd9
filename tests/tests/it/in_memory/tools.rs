//! Tool calls: errors go to the model, independent calls run concurrently, writes happen once.

use alfred_core::ports::Finish;
use alfred_core::{Role, User};
use alfred_testkit::{calls, says};
use insta::assert_snapshot;

use crate::in_memory::world::{World, by_progress, dm, results};

#[tokio::test]
async fn mistakes_of_the_model_are_told_to_the_model() {
    let asked = calls(&[
        ("c1", "no_suchTool", "{}"),
        ("c2", "task_createTask", "{\"title\": 7}"),
        ("c3", "task_createTask", "{\"titel\": \"x\"}"),
        ("c4", "task_createTask", "{not json"),
        ("c5", "time_now", ""),
    ]);
    let mut world = World::new(by_progress(vec![asked, says("ok")])).await;
    world.say(dm("U1", "1.1", "go")).await;
    let steps = world.steps(&world.root().await.id).await;
    let all = results(&steps);
    assert_eq!(all.len(), 5);
    let of = |id: &str| {
        let found = steps.iter().find_map(|step| match &step.did {
            alfred_agent::StepKind::ToolResult(result) if result.call_id == id => {
                Some(result.output.clone())
            }
            _ => None,
        });
        found.unwrap()
    };
    assert_eq!(of("c1")["error"], "Tool not found: no_suchTool");
    assert!(
        of("c2")["error"].as_str().unwrap().contains("title"),
        "{}",
        of("c2")
    );
    assert!(
        of("c3")["error"].as_str().unwrap().contains("titel"),
        "{}",
        of("c3")
    );
    assert!(
        of("c4")["error"]
            .as_str()
            .unwrap()
            .contains("not valid JSON")
    );
    assert_eq!(of("c5")["success"], true);
    assert_eq!(world.answers(), ["ok\nNothing was sent or changed."]);
}

#[tokio::test]
async fn a_call_that_was_cut_never_runs() {
    for half in ["", " ", "{", "{\"timezone\": \"Asia/To"] {
        let mut cut = calls(&[("c1", "time_now", "{}"), ("c2", "time_now", half)]);
        cut.finish = Finish::Length;
        let mut world = World::new(by_progress(vec![cut, says("ok")])).await;
        world.say(dm("U1", "1.1", "go")).await;
        let all = results(&world.steps(&world.root().await.id).await).into_iter();
        let (ran, refused): (Vec<_>, Vec<_>) = all.partition(|result| result["success"] == true);
        assert_eq!((ran.len(), refused.len()), (1, 1), "{half:?}");
        let told = refused[0]["error"].as_str().unwrap();
        assert!(told.contains("not valid JSON"), "{half:?}: {told}");
        assert_eq!(world.answers(), ["ok\nNothing was sent or changed."]);
    }
}

#[tokio::test]
async fn what_was_done_is_in_the_ledger_and_the_contract() {
    let asked = calls(&[
        ("c1", "task_createTask", "{\"title\": \"Call Ana\"}"),
        ("c2", "task_createTask", "{\"title\": \"Pay <rent>\"}"),
    ]);
    let mut world = World::new(by_progress(vec![asked, says("Both are on your list.")])).await;
    world.say(dm("U1", "1.1", "two tasks")).await;
    let output = world.output().await;
    assert!(output.success && !output.requires_approval);
    assert_eq!(output.actions_taken.len(), 2);
    assert_snapshot!(world.answers()[0], @r#"
    Both are on your list.
    ✓ Created task "Call Ana" (your backlog)
    ✓ Created task "Pay <rent>" (your backlog)
    "#);
}

#[tokio::test]
async fn a_guest_may_read_and_is_told_what_is_missing() {
    let asked = calls(&[
        ("c1", "task_createTask", "{\"title\": \"x\"}"),
        ("c2", "time_now", "{}"),
    ]);
    let mut world = World::new(by_progress(vec![asked, says("sorry")])).await;
    let demote = |user: &mut User| user.role = Role::Guest;
    world.change_user("U1", demote).await;
    world.say(dm("U1", "1.1", "add a task")).await;
    let steps = world.steps(&world.root().await.id).await;
    let refused: Vec<_> = results(&steps)
        .into_iter()
        .filter(|r| r["success"] == false)
        .collect();
    assert_eq!(refused.len(), 1);
    assert_snapshot!(refused[0]["error"], @r#""Changing tasks needs the permission of a member, and you are a guest. An administrator can give it to you; meanwhile I can list your tasks for you.""#);
    let requests = world.model.requests();
    let alfred_core::ports::Message::System { text: prompt } = &requests[1].messages[0] else {
        panic!("no system prompt")
    };
    assert!(prompt.contains("changes need the member role"), "{prompt}");
    let offered = &world.model.requests()[1].tools;
    assert!(offered.iter().all(|tool| tool.name != "task_createTask"));
}

#[tokio::test]
async fn calls_without_or_with_the_same_id_are_told_apart() {
    let asked = calls(&[
        ("", "time_now", "{}"),
        ("", "time_now", "{}"),
        ("x", "time_now", "{}"),
        ("x", "time_now", "{}"),
    ]);
    let mut world = World::new(by_progress(vec![asked, says("ok")])).await;
    world.say(dm("U1", "1.1", "go")).await;
    assert_eq!(results(&world.steps(&world.root().await.id).await).len(), 4);
    assert_eq!(world.said(), ["ok"]);
}

#[tokio::test]
async fn many_writes_to_one_day_in_one_turn_all_happen_once() {
    let written: Vec<(String, String)> = (0..10)
        .map(|n| {
            let block = serde_json::json!({
                "date": "2026-11-23", "type": "work", "title": format!("block {n}"),
                "startTime": format!("{:02}:00", 8 + n), "endTime": format!("{:02}:30", 8 + n),
            });
            (format!("c{n}"), block.to_string())
        })
        .collect();
    let asked: Vec<(&str, &str, &str)> = written
        .iter()
        .map(|(id, block)| (id.as_str(), "schedule_createTimeBlock", block.as_str()))
        .collect();
    let mut world = World::new(by_progress(vec![calls(&asked), says("All blocked.")])).await;
    world.say(dm("U1", "1.1", "block my day")).await;
    assert_eq!(world.output().await.actions_taken.len(), 10);
    assert!(world.dead.is_empty());
    let day = alfred_core::keys::day(&"T1".into(), &"U1".into(), jiff::civil::date(2026, 11, 23));
    let day = alfred_core::ports::Store::get(&*world.store, &day)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(day.body["blocks"].as_array().unwrap().len(), 10);
}
