use crate::testing::*;

const TOOL: &str = "approval_state";

#[tokio::test]
async fn what_waits_is_listed_oldest_first_without_what_it_holds() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    assert_eq!(
        harness.ok("approval_list", json!({})).await,
        json!({"approvals": [], "total": 0})
    );
    harness.ask("apr_2", "Delete a task", |_| ()).await;
    harness.ask("apr_1", "Send a Slack message", |_| ()).await;
    harness
        .ask("apr_3", "Decided", |approval| {
            approval.status = Status::Rejected
        })
        .await;
    harness
        .asked_by("T1", "U2")
        .ask("apr_4", "Theirs", |_| ())
        .await;
    harness
        .asked_by("T2", "U1")
        .ask("apr_5", "Elsewhere", |_| ())
        .await;
    let output = harness.output("approval_list", json!({})).await;
    assert_eq!(output.data["total"], 2);
    assert_eq!(
        output.data["approvals"][0],
        json!({
            "approvalId": "apr_1", "title": "Send a Slack message", "tool": "slack_sendMessage",
            "question": "may_it_run", "status": "pending",
            "createdAt": "2026-11-21T12:00:00Z", "expiresAt": "2026-11-21T13:00:00Z",
        })
    );
    assert_eq!(output.data["approvals"][1]["approvalId"], "apr_2");
    let shown = serde_json::to_string(&output.data).unwrap();
    assert!(!shown.contains("secret"), "{shown}");
    assert_eq!(output.flow, Some(Flow::PRIVATE));
    let later = harness.later("2026-11-21T13:00:00Z");
    assert_eq!(later.ok("approval_list", json!({})).await["total"], 0);
}

#[tokio::test]
async fn the_state_of_one() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    harness.ask("apr_1", "Send a Slack message", |_| ()).await;
    harness
        .ask("apr_2", "Delete a task", |approval| {
            approval.status = Status::Rejected;
            approval.resolved_at = Some(approval.created_at);
            approval.note = Some("Not that one.".into());
        })
        .await;
    let state = async |harness: &ToolHarness, id: &str| {
        let data = harness.ok(TOOL, json!({ "approvalId": id })).await;
        data["approval"].clone()
    };
    assert_eq!(state(&harness, "apr_1").await["status"], "pending");
    let rejected = state(&harness, "apr_2").await;
    assert_eq!(rejected["status"], "rejected");
    assert_eq!(rejected["note"], "Not that one.");
    assert_eq!(rejected["resolvedAt"], "2026-11-21T12:00:00Z");
    let later = harness.later("2026-11-21T13:00:00Z");
    assert_eq!(state(&later, "apr_1").await["status"], "expired");
}

#[tokio::test]
async fn a_wrong_index_gives_nothing_away_and_bad_ids_are_named() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    harness.ask("apr_1", "Mine", |_| ()).await;
    let other = harness.asked_by("T1", "U2");
    let index = keys::pending(&"T1".into(), &"U2".into(), &"apr_1".into());
    harness.put(Write::put(index, None, json!({}))).await;
    assert_eq!(other.ok("approval_list", json!({})).await["total"], 0);
    for bad in ["", "apr_", "1", "apr_#"] {
        let error = harness.fails(TOOL, json!({ "approvalId": bad })).await;
        assert!(
            error.starts_with(&format!("approvalId: \"{bad}\" is no id")),
            "{error}"
        );
    }
}

#[tokio::test]
async fn what_other_peoples_words_asked_for_taints_its_reader() {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    harness
        .ask("apr_1", "Send a Slack message", |approval| {
            approval.taint.untrusted.insert("thread".into());
        })
        .await;
    let listed = harness.output("approval_list", json!({})).await;
    assert_eq!(listed.flow, Some(Flow::UNKNOWN));
    let args = json!({"approvalId": "apr_1"});
    let state = harness.output(TOOL, args).await;
    assert_eq!(state.flow, Some(Flow::UNKNOWN));
}
