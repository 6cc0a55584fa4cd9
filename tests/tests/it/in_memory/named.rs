//! Callers can't set a workflow's stored fields, and a card only shows stored data.

use alfred_core::keys;
use alfred_core::ports::{Mailbox, Query, Range, Store};
use alfred_testkit::{calls, says};
use serde_json::json;

use crate::in_memory::approvals::waiting;
use crate::in_memory::proposing::{mail, new_blocks, places, submitted, world};
use crate::in_memory::world::{World, by_progress, dm, results, team};

/// A caller that sets stored fields of a proposal is refused without a card.
#[tokio::test]
async fn what_a_card_would_say_is_not_a_callers_to_say() {
    let removal = json!({"blockId": "blk_1", "title": "Old draft", "time": "", "why": ""});
    let lies = [
        (
            "confirmation",
            json!({"removals": [removal], "approvedArchiveIds": ["m1"], "approvedTaskIds": ["tsk_1"]}),
        ),
        (
            "proposal",
            json!({"notes": {"lines": ["Nothing is lost."]}}),
        ),
        ("wish", json!({})),
        ("without", json!(["09:00–10:00 Lunch"])),
    ];
    for tool in [
        "workflow_schedule",
        "workflow_fillWorkBlock",
        "workflow_fillEmailBlock",
    ] {
        for (field, lie) in &lies {
            let call = calls(&[("c1", tool, &json!({*field: lie}).to_string())]);
            let mut world = World::new(by_progress(vec![call, says("I couldn't.")])).await;
            world.ask(dm("U1", "1.1", "tidy up")).await;
            assert!(waiting(&world).await.is_empty(), "{tool} took {field}");
            let result = results(&world.steps(&world.root().await.id).await)
                .pop()
                .unwrap();
            let error = result["error"].as_str().unwrap();
            let problem = format!("'{field}' was unexpected");
            assert!(error.contains(&problem), "{tool}: {error}");
        }
    }
}

#[tokio::test]
async fn an_edit_keeps_what_alfred_itself_said() {
    let mut world = world().await;
    world.task("Write the report", 60).await;
    let first = world.planned().await;
    let kept = places(&first);
    world.ask(submitted(&first, &kept[1..], None, "t2")).await;
    let second = waiting(&world).await.pop().unwrap();
    assert_eq!(second.revision, 2);
    assert_eq!(
        new_blocks(&second),
        &new_blocks(&first)[1..],
        "with their reasons"
    );
    assert_eq!(second.payload["proposal"], first.payload["proposal"]);
}

#[tokio::test]
async fn a_mail_that_is_taken_out_counts_for_who_wrote_it() {
    let posing = Mailbox::new("Boss <boss@x.example>: hi", "evil@y.example");
    let shop = |n: usize| Mailbox::new("Shop", &format!("ads{n}@shop.example"));
    let mut world = world().await;
    world.has_mails(vec![
        mail("posing", posing, "Offers", true),
        mail("ad1", shop(1), "Offers", true),
        mail("ad2", shop(2), "Digest", true),
    ]);
    let first = world.proposed("workflow_fillEmailBlock", json!({})).await;
    let ids = first.payload["confirmation"]["approvedArchiveIds"].as_array();
    let ids = ids.unwrap().clone();
    assert_eq!(ids.len(), 3, "{}", first.payload);
    let keep: Vec<String> = (0..3)
        .filter(|at| ids[*at] != "posing")
        .map(|at| format!("/confirmation/approvedArchiveIds/{at}"))
        .collect();
    let keep: Vec<&str> = keep.iter().map(String::as_str).collect();
    world.ask(submitted(&first, &keep, None, "t2")).await;
    let second = waiting(&world).await.pop().unwrap();
    assert_eq!(
        second.payload["confirmation"]["approvedArchiveIds"],
        json!(["ad1", "ad2"])
    );
    world.decide(&second, "approval_approve").await;
    let at = "2026-11-21T12:00:00Z".parse().unwrap();
    let partition = keys::workflows(&team(), &"U1".into(), at);
    let page = world
        .store
        .query(&Query::state(partition, Range::All))
        .await;
    let offers = page.unwrap().items[0].body["offers"].clone();
    assert_eq!(
        offers,
        json!([
            {"of": "archiving", "sender": "ads1@shop.example", "taken": true},
            {"of": "archiving", "sender": "ads2@shop.example", "taken": true},
            {"of": "archiving", "sender": "evil@y.example", "taken": false},
        ])
    );
}
