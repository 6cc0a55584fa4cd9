//! Tool calls: errors go to the model, independent calls run concurrently, writes happen once.

use alfred_core::ports::Finish;
use alfred_core::{Role, User};
use alfred_testkit::{calls, says};
use insta::assert_snapshot;

use crate::in_memory::world::{World, by_progress, dm, results};

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
