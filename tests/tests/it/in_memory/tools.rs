//! Tool calls: errors go to the model, independent calls run concurrently, writes happen once.

use alfred_agent::model::Step;
use alfred_core::ports::Finish;
use alfred_testkit::{calls, says};

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
