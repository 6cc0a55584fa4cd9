//! Promises of the three workflows' specification that no other test checks. The quotations are from it.

use alfred_testkit::MemoryMail;
use serde_json::json;
use std::sync::Arc;

use crate::in_memory::proposing::{mail, run, world};
use crate::in_memory::world::World;

async fn office() -> (World, Arc<MemoryMail>) {
    let mut world = world().await;
    let from = |address: &str| alfred_core::ports::Mailbox::new("", address);
    let mailbox = world.has_mails(vec![
        mail("m1", from("ann@x.example"), "URGENT: can you sign", false),
        mail("m2", from("news@x.example"), "Ten chairs", true),
    ]);
    world.task("Write the report", 60).await;
    world.task("Call the bank", 30).await;
    world.block("tomorrow", "work 16:00-17:00 Focus").await;
    (world, mailbox)
}

/// "All atomic tools will be available to both workflows AND the orchestrator for direct use". A call with
/// missing arguments names them.
#[tokio::test]
async fn any_tool_is_called_directly_by_its_name() {
    let (mut world, _) = office().await;
    for tool in alfred_tools::catalogue() {
        let name = tool.def().name.to_string();
        let (trigger, before) = (world.next_trigger(), world.answers().len());
        world.ask(run(&name, json!({}), &trigger)).await;
        let said = world.answers().split_off(before).join("\n");
        let called = !world.runs().await.is_empty() || said.contains(&name);
        assert!(called && !said.contains("no tool"), "{name}: {said}");
    }
    let before = world.answers().len();
    world.ask(run("task_fly", json!({}), "none")).await;
    let said = world.answers().split_off(before).join("\n");
    assert!(said.contains("no tool"), "{said}");
}
