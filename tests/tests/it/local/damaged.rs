//! Rows truncated on disk: the next process reports them within seconds and serves the rest.

use alfred_slack_local::seed::ANA;
use rusqlite::Connection;

use crate::local::scene::{RECOVERY, Scene};

fn cut_off(scene: &Scene, which: &str) -> usize {
    let connection = Connection::open(scene.data().join("alfred.db")).unwrap();
    let cut = format!("UPDATE items SET body = substr(body, 1, length(body) / 2) WHERE {which}");
    connection.execute(&cut, []).unwrap()
}

async fn posted(scene: &Scene, words: &str) {
    let there = scene.slack.slack.until(|slack| {
        slack.deliver_now().unwrap();
        let found = scene.posted().iter().any(|message| message.text == words);
        found.then_some(())
    });
    if tokio::time::timeout(RECOVERY, there).await.is_err() {
        panic!("never: {words:?}; posted: {:#?}", scene.posted());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_cut_off_on_the_disk_is_told_and_the_rest_goes_on() {
    let mut scene = Scene::new().await;
    let serving = scene.start().await;
    scene.ask("one".into(), false, false);
    scene.answered().await;
    scene.finish(serving).await;

    assert_eq!(cut_off(&scene, "part LIKE '%#sessions'"), 1);
    let spent = format!("part LIKE '%#users' AND range = '{ANA}#spend'");
    assert_eq!(cut_off(&scene, &spent), 1);
    let serving = scene.start().await;
    scene.ask("two".into(), false, false);
    let lost = "I've lost what was said in this conversation before, so I start afresh here. If an answer is still missing, please ask again.";
    posted(&scene, lost).await;
    scene.answered().await;
    scene.finish(serving).await;
    scene.check_store().await;

    let own = format!("part LIKE '%#users' AND range = '{ANA}'");
    assert_eq!(cut_off(&scene, &own), 1);
    let serving = scene.start().await;
    scene.ask("three".into(), false, false);
    let unreadable = "I can't read what I keep about you, so I can't work for you right now. An administrator can mend that by adding you again.";
    posted(&scene, unreadable).await;
    serving.kill().await;
}
