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
async fn it_is_kept_in_the_persons_words() {
    let harness = ToolHarness::at(NOW);
    for kind in ["positive", "negative", "suggestion", "bug"] {
        let args =
            json!({"type": kind, "category": " schedule ", "message": " keine Termine vor 10 "});
        let (data, action) = harness.done(TOOL, args).await;
        let mut expected = json!({"kept": true, "type": kind, "category": "schedule"});
        if kind == "suggestion" {
            expected["note"] =
                json!("Kept as words: plans of days follow only what stands in changes.");
        }
        assert_eq!(data, expected);
        assert_eq!(action.unwrap(), "Kept your feedback");
    }
    // One call is one remark, since the key is the call's.
    let found = kept(&harness).await;
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].kind, found[0].message.as_str(), found[0].tainted),
        (RemarkKind::Bug, "keine Termine vor 10", false)
    );
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

#[tokio::test]
async fn what_plans_cannot_follow_is_kept_and_said_to_be_so() {
    let harness = ToolHarness::at(NOW);
    let long = "Kept, but plans don't follow it: changes.";
    for (changes, note) in [
        (json!({"lunchAt": "13:00"}), None),
        (
            json!({"breakMinutes": 120}),
            Some("breakMinutes: \"120\" is out of range: it runs from 5 to 60 minutes."),
        ),
        (
            json!({"focusMinutes": 600}),
            Some("focusMinutes: \"600\" is out of range: it runs from 15 to 480 minutes."),
        ),
        (
            json!({"startAt": "18:00"}),
            Some("endAt: \"17:00\" must be later than the start of the working day (18:00)."),
        ),
    ] {
        let data = harness.ok(TOOL, suggestion(changes.clone())).await;
        let note = note.map(|note| format!("{long}{note}"));
        assert_eq!(data["note"].as_str(), note.as_deref(), "{changes}");
        assert_eq!(kept(&harness).await[0].message, "so machen");
    }
    let part = suggestion(json!({"lunchAt": "11:00", "unmet": ["freitags Musik"]}));
    let data = harness.ok(TOOL, part).await;
    assert_eq!(
        data["note"],
        "Kept; plans can't follow this of it: freitags Musik."
    );
    let mut blame = suggestion(json!({"lunchAt": "11:00"}));
    blame["type"] = json!("negative");
    let data = harness.ok(TOOL, blame).await;
    assert!(data["note"].as_str().unwrap().contains("suggestion"));
    assert!(kept(&harness).await[0].followed().is_empty());
}

#[tokio::test]
async fn the_persons_own_hours_decide_what_can_be_followed() {
    let harness = ToolHarness::at(NOW);
    harness
        .register("U1", |user| {
            user.preferences.day.work_end_time = "22:00".into()
        })
        .await;
    let data = harness
        .ok(TOOL, suggestion(json!({"startAt": "18:00"})))
        .await;
    assert_eq!(data.get("note"), None, "{data}");
}

#[tokio::test]
async fn it_is_the_persons_own() {
    let harness = ToolHarness::at(NOW);
    let args = json!({"type": "suggestion", "category": "schedule", "message": "no lunch"});
    harness.ok(TOOL, args).await;
    assert_eq!(kept(&harness).await.len(), 1);
    for stranger in harness.strangers() {
        assert!(kept(&stranger).await.is_empty());
    }
}
