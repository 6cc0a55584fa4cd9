use super::super::remarks;
use crate::testing::*;
use alfred_planner::Wish;
use alfred_planner::patterns::RemarkKind;
use jiff::Timestamp;

const NOW: &str = "2026-11-21T12:00:00Z";
const TOOL: &str = "system_provideFeedback";

async fn kept(harness: &ToolHarness) -> Vec<remarks::Remark> {
    remarks::since(&harness.context, Timestamp::MIN, 100)
        .await
        .unwrap()
        .items
}

fn suggestion(changes: Value) -> Value {
    json!({"type": "suggestion", "category": "schedule", "message": "so machen", "changes": changes})
}

#[tokio::test]
async fn one_call_keeps_one_remark_of_its_person() {
    let harness = ToolHarness::at(NOW);
    for kind in ["positive", "negative", "suggestion", "bug"] {
        let args = json!({"type": kind, "category": "c", "message": " keine Termine vor 10 "});
        harness.ok(TOOL, args).await;
    }
    let found = kept(&harness).await;
    assert_eq!(found.len(), 1, "the key is the call's");
    let kept_as = (found[0].kind, found[0].message.as_str(), found[0].tainted);
    assert_eq!(kept_as, (RemarkKind::Bug, "keine Termine vor 10", false));
    for stranger in harness.strangers() {
        assert!(kept(&stranger).await.is_empty());
    }
}

#[tokio::test]
async fn what_a_run_says_that_read_others_words_is_marked_and_asks_nothing_of_plans() {
    let harness = ToolHarness::at(NOW).tainted();
    let data = harness.ok(TOOL, suggestion(json!({"noLunch": true}))).await;
    assert!(
        data["note"]
            .as_str()
            .unwrap()
            .contains("plans don't follow it")
    );
    let found = kept(&harness).await;
    assert!(found[0].tainted && found[0].followed().is_empty());
    let own = remarks::Remark {
        tainted: false,
        ..found[0].clone()
    };
    assert_eq!(own.followed(), [Wish::NoLunch]);
    for kind in [RemarkKind::Positive, RemarkKind::Negative] {
        let other = remarks::Remark {
            kind,
            ..own.clone()
        };
        assert!(other.followed().is_empty(), "{other:?}");
    }
    // The feedback steers later runs, so the gate asks in a tainted run.
    assert_eq!(
        crate::tool(TOOL).unwrap().def().flow,
        Flow::PRIVATE.steering()
    );
}
