//! With an unreadable history, an answer of unknown outcome may arrive twice, but it arrives.

use alfred_slack_local::{Fault, Hold, Refusal, Release};

use crate::local::scene::Scene;

async fn killed_while_posting(hold: Hold) -> Scene {
    let mut scene = Scene::new().await;
    let serving = scene.start().await;
    let slack = scene.slack.slack.clone();
    let mut gate = slack.hold("chat.postMessage", hold);
    scene.ask("unread".into(), false, false);
    let held = gate.arrived().await;
    serving.kill().await;
    held.release(Release::Drop);
    drop(gate);
    let refused = Fault::Error(Refusal::Code("missing_scope".to_owned()));
    slack.fail_next("conversations.history", u32::MAX, refused);
    let looked = slack.call_counts().get("conversations.history").copied();
    let serving = scene.start().await;
    scene.finish(serving).await;
    let looks = slack.call_counts().get("conversations.history").copied();
    assert!(looks > looked, "it looked before it posted again");
    scene.check_store().await;
    scene
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_never_arrived_is_posted() {
    let scene = killed_while_posting(Hold::BeforeEffect).await;
    assert_eq!(scene.answers("unread"), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_arrived_unseen_comes_at_most_twice() {
    let scene = killed_while_posting(Hold::AfterEffect).await;
    let answers = scene.answers("unread");
    assert!((1..=2).contains(&answers), "{answers}");
}
