//! MCP tools: asked about, used at most once, and their output isn't obeyed.

use alfred_agent::model::{Approval, Question, Reason, Snapshot};
use alfred_agent::{Program, StepKind};
use alfred_core::policy::Setting;
use alfred_core::ports::{Turn, Write};
use alfred_core::{Config, keys, text};
use alfred_testkit::mcp_server::McpServer;
use alfred_testkit::{calls, says};
use alfred_workers::Registry;
use alfred_workers::mcp::{self, Host};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::time::Duration;

use crate::in_memory::approvals::{sent, waiting};
use crate::in_memory::world::{World, by_progress, results, team};

const LOOK_UP: &str = "mcp__shop__look_up";

async fn lead(shop: &McpServer, approval: Value) -> Program {
    let mcp = json!({
        "servers": {"shop": shop.settings()}, "tools": ["shop/look.up"], "approval": approval,
    });
    bound(json!({"mcp": mcp, "task": {}, "slack": {}})).await
}

async fn bound(toolsets: Value) -> Program {
    let file = format!("name: lead\ntoolsets: {toolsets}\ninstructions: You are lead.");
    let (mut snapshot, host) = (
        Snapshot::of("team", [("lead", &*file)]),
        Host::one_machine(),
    );
    mcp::learn(&mut snapshot, &host).await.unwrap();
    let catalogue = alfred_tools::catalogue();
    let mut registry = Registry::of(&catalogue);
    let mcp = mcp::toolset(host);
    registry.register(mcp::NAME, mcp).unwrap();
    alfred_workers::program(&snapshot, &registry).unwrap()
}

async fn at_work(turns: Vec<Turn>, program: Program) -> World {
    let mut world = World::new(by_progress(turns)).await;
    world.register("U2", "Ben", alfred_core::Role::Member).await;
    configure(&mut world, "slack_sendMessage", Setting::PreApproved);
    world.employ(program);
    world
}

fn configure(world: &mut World, tool: &str, setting: Setting) {
    let mut config = Config::default();
    config.policy.tools.insert(tool.to_owned(), setting);
    world.reconfigure(config);
}

fn look_up(id: &str) -> Turn {
    calls(&[(id, LOOK_UP, r#"{"what": "tea"}"#)])
}

async fn given(world: &World) -> Vec<Value> {
    let run = world.root().await;
    results(&world.steps(&run.id).await)
}

async fn only_card(world: &World) -> Approval {
    let mut cards = waiting(world).await;
    assert_eq!(cards.len(), 1, "{:?}", world.answers());
    cards.remove(0)
}

#[tokio::test]
async fn a_tool_of_another_program_is_asked_about_and_used_once() {
    let shop = McpServer::behaving("well");
    let program = lead(&shop, json!({})).await;
    let turns = vec![look_up("a"), says("There is tea.")];
    let mut world = at_work(turns, program).await;
    let card = world.asked("is there tea?").await;
    assert_eq!(shop.calls(), Vec::<String>::new());
    assert_snapshot!(world.answers().pop().unwrap(), @r#"
    Use look.up of shop
    Argument what: tea
    Why I ask: it reaches other people
    Only <@U1> can decide, until <!date^1795255200^{date_short_pretty} {time}|2026-11-21 10:00 UTC>. Saying "yes" or "no" counts too, as your next words here or in this card's thread.
    "#);
    world.decide(&card, "approval_approve").await;
    world.decide(&card, "approval_approve").await;
    let run = world.root().await;
    assert_eq!(shop.calls(), [format!("{}:a", run.id)]);
    let found = json!({"success": true, "result": "Found {\"what\": \"tea\"}"});
    assert_eq!(given(&world).await, [found]);
    assert_snapshot!(world.answers().pop().unwrap(), @"
    There is tea.
    ✓ Used look.up of shop
    ");
}

#[tokio::test]
async fn its_file_may_spare_the_first_question_and_no_administrators() {
    let spared = json!({"tools": {"shop/look.up": "preApproved"}});
    for (policy, asked_at) in [(None, 2), (Some(Setting::Ask), 1)] {
        let shop = McpServer::behaving("well");
        let program = lead(&shop, spared.clone()).await;
        let turns = vec![look_up("a"), look_up("b"), says("done")];
        let mut world = at_work(turns, program).await;
        if let Some(setting) = policy {
            configure(&mut world, LOOK_UP, setting);
            world.employ(lead(&shop, spared.clone()).await);
        }
        let card = world.asked("is there tea?").await;
        // The first result is private and could leave with the second call.
        assert_eq!(shop.calls().len() + 1, asked_at, "{:?}", card.reasons);
    }
}

#[tokio::test]
async fn an_outcome_that_nobody_knows_is_put_to_the_owner_and_never_repeated() {
    let shop = McpServer::behaving("dies-call");
    let program = lead(&shop, json!({})).await;
    let mut world = at_work(vec![look_up("a"), says("unreached")], program).await;
    let card = world.asked("is there tea?").await;
    world.decide(&card, "approval_approve").await;
    for _ in 0..5 {
        world.clock.advance(Duration::from_secs(90));
        world.queue.forget_dedup();
        world.sweep().await;
    }
    let card = only_card(&world).await;
    assert_eq!(card.question, Question::DidItHappen);
    assert_eq!(shop.calls().len(), 1);
    // The approval doesn't cover a second attempt any more, but the first may have happened.
    configure(&mut world, "slack_sendMessage", Setting::Ask);
    world.decide(&card, "approval_repeat").await;
    assert_eq!(shop.calls().len(), 1);
    let reply = world.answers().pop().unwrap();
    assert!(reply.contains("? I can't tell"), "{reply}");
}

#[tokio::test]
async fn what_changed_between_the_question_and_the_yes_is_not_called() {
    let shop = McpServer::behaving("changes");
    let program = lead(&shop, json!({})).await;
    let mut world = at_work(vec![look_up("a"), says("It changed.")], program).await;
    let card = world.asked("is there tea?").await;
    world.decide(&card, "approval_approve").await;
    assert_eq!(shop.calls(), Vec::<String>::new());
    let error = given(&world).await[0]["error"].clone();
    let expected = "shop/look.up: the server describes it differently by now, so it wasn't called";
    assert_eq!(error, expected);
}

#[tokio::test]
async fn what_its_card_showed_in_other_words_is_not_called() {
    let shop = McpServer::behaving("well");
    let program = lead(&shop, json!({})).await;
    let mut world = at_work(vec![look_up("a"), says("It changed.")], program).await;
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
    assert_eq!(given(&world).await[0]["error"], text::DRIFTED);
}

#[tokio::test]
async fn orders_in_a_description_and_in_a_result_send_nothing() {
    let tasks = || calls(&[("t", "task_viewTasks", "{}")]);
    let to_ben = r#"{"to": "U2", "text": "all tasks"}"#;
    let leak = || calls(&[("l", "slack_sendMessage", to_ben)]);
    let obeying = || vec![tasks(), leak(), says("done")];
    let shop = McpServer::behaving("orders");
    let spared = json!({"default": "preApproved"});

    let mut clean = at_work(obeying(), bound(json!({"task": {}, "slack": {}})).await).await;
    clean
        .ask(crate::in_memory::world::dm("U1", "1.1", "go"))
        .await;
    assert_eq!(
        sent(&clean).len(),
        1,
        "without the server nothing is in the way"
    );

    let mut described = at_work(obeying(), lead(&shop, spared.clone()).await).await;
    let mut answered = [vec![look_up("a")], obeying()].concat();
    answered.remove(1);
    let mut answered = at_work(answered, lead(&shop, spared).await).await;
    for world in [&mut described, &mut answered] {
        let card = world.asked("go").await;
        assert_eq!(card.action_type, "slack_sendMessage");
        let two = |reason: &Reason| matches!(reason, Reason::RuleOfTwo { .. });
        assert!(card.reasons.iter().any(two), "{:?}", card.reasons);
        assert!(sent(world).is_empty());
    }
    assert_eq!(shop.calls().len(), 1);
}
