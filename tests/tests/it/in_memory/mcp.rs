//! A card of an MCP tool that an earlier release showed. What else these tools do is in `stories/mcp.txt`.

use alfred_agent::StepKind;
use alfred_agent::model::Snapshot;
use alfred_core::ports::Write;
use alfred_core::{keys, text};
use alfred_testkit::mcp_server::McpServer;
use alfred_testkit::{calls, says};
use alfred_workers::Registry;
use alfred_workers::mcp::{self, Host};
use serde_json::json;

use crate::in_memory::world::{World, by_progress, results, team};

/// A worker of a program with this server.
async fn at_work(shop: &McpServer) -> World {
    let mcp =
        json!({"servers": {"shop": shop.settings()}, "tools": ["shop/look.up"], "approval": {}});
    let file = format!("name: lead\ntoolsets: {{mcp: {mcp}}}\ninstructions: You are lead.");
    let mut snapshot = Snapshot::of("team", [("lead", &*file)]);
    let host = Host::one_machine();
    mcp::learn(&mut snapshot, &host).await.unwrap();
    let mut registry = Registry::of(&[]);
    registry.register(mcp::NAME, mcp::toolset(host)).unwrap();
    let look_up = calls(&[("a", "mcp__shop__look_up", r#"{"what": "tea"}"#)]);
    let mut world = World::new(by_progress(vec![look_up, says("It changed.")])).await;
    world.employ(alfred_workers::program(&snapshot, &registry).unwrap());
    world
}

#[tokio::test]
async fn what_its_card_showed_in_other_words_is_not_called() {
    let shop = McpServer::behaving("well");
    let mut world = at_work(&shop).await;
    let card = world.asked("is there tea?").await;
    // As an earlier release could have shown it.
    let run = world.root().await.id;
    for mut step in world.steps(&run).await {
        if let StepKind::Asked(asked) = &mut step.did {
            asked.shown = Some("another digest".into());
            let key = keys::step(&team(), &run, step.seq);
            let row = serde_json::to_value(&step).unwrap();
            world.write(vec![Write::replace(key, 1, row)]).await;
        }
    }
    world.decide(&card, "approval_approve").await;
    assert_eq!(shop.calls(), Vec::<String>::new());
    let given = results(&world.steps(&run).await);
    assert_eq!(given[0]["error"], text::DRIFTED);
}
