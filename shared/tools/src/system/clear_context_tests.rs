use crate::testing::*;
use alfred_agent::model::{Exchange, Session};
use alfred_core::Taint;

const NOW: &str = "2026-11-21T12:00:00Z";
const TOOL: &str = "system_clearContext";

async fn session(harness: &ToolHarness) -> Session {
    let context = &harness.context;
    let found = Session::load(
        &*context.store,
        &context.team,
        context.user_id(),
        &context.session,
    )
    .await;
    found.unwrap()
}

/// A conversation with two exchanges, and approvals: an open proposal, a decided one, a message, and two of
/// other people.
async fn world() -> ToolHarness {
    let harness = ToolHarness::at(NOW);
    let context = &harness.context;
    let mut talk = session(&harness).await;
    let exchange = |request: &str| Exchange {
        request: request.into(),
        answer: "Done.".into(),
        taint: Taint::default(),
        quotes: false,
        run: None,
    };
    talk.memory = vec![exchange("one"), exchange("two")];
    let stored = talk.write(&context.team, context.user_id(), &context.session);
    for write in stored.unwrap() {
        harness.put(write).await;
    }
    harness.propose("apr_1", |_| ()).await;
    harness
        .propose("apr_2", |approval| approval.status = Status::Approved)
        .await;
    harness.ask("apr_3", "Send a Slack message", |_| ()).await;
    harness.asked_by("T1", "U2").propose("apr_4", |_| ()).await;
    harness.asked_by("T2", "U1").propose("apr_5", |_| ()).await;
    harness
}

fn called_off(output: &ToolOutput) -> Vec<&str> {
    let is_off = |choice: &&alfred_agent::tool::Choice| choice.verdict == Verdict::CallOff;
    let choices = output.choices.iter().filter(is_off);
    choices.map(|choice| choice.approval.as_str()).collect()
}

#[tokio::test]
async fn the_conversation_is_forgotten_and_nothing_else() {
    let harness = world().await;
    let output = harness.output(TOOL, json!({"scope": "conversation"})).await;
    assert_eq!(output.data["exchangesForgotten"], 2);
    assert_eq!(output.data["proposalsCalledOff"], 0);
    assert!(session(&harness).await.memory.is_empty() && output.choices.is_empty());
    let again = harness.ok(TOOL, json!({"scope": "conversation"})).await;
    assert_eq!(again["exchangesForgotten"], 0);
}
