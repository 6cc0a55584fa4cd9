use super::super::remarks;
use crate::testing::Bench;
use alfred_agent::tool::Flow;
use alfred_planner::patterns::RemarkKind;
use jiff::Timestamp;
use serde_json::json;

const NOW: &str = "2026-11-21T12:00:00Z";

async fn kept(bench: &Bench) -> Vec<remarks::Remark> {
    remarks::since(&bench.context, Timestamp::MIN, 100)
        .await
        .unwrap()
}

#[tokio::test]
async fn it_is_kept_in_the_persons_words() {
    let bench = Bench::at(NOW);
    for kind in ["positive", "negative", "suggestion", "bug"] {
        let args =
            json!({"type": kind, "category": " schedule ", "message": " no meetings before 10 "});
        let (data, action) = bench.done("system_provideFeedback", args).await;
        assert_eq!(
            data,
            json!({"kept": true, "type": kind, "category": "schedule"})
        );
        assert_eq!(action.unwrap(), "Kept your feedback");
    }
    // One call is one remark: the key is the call's.
    let found = kept(&bench).await;
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].kind, found[0].message.as_str(), found[0].tainted),
        (RemarkKind::Bug, "no meetings before 10", false)
    );
}

#[tokio::test]
async fn what_a_run_says_that_read_others_words_is_marked_and_asks_nothing_of_plans() {
    let bench = Bench::at(NOW).tainted();
    let args = json!({"type": "suggestion", "category": "schedule", "message": "no lunch"});
    bench.ok("system_provideFeedback", args).await;
    let found = kept(&bench).await;
    assert!(found[0].tainted && !found[0].asks_of_days());
    let own = remarks::Remark {
        tainted: false,
        ..found[0].clone()
    };
    assert!(own.asks_of_days());
    let praise = remarks::Remark {
        kind: RemarkKind::Positive,
        ..own.clone()
    };
    let mail = remarks::Remark {
        category: "email".into(),
        ..own
    };
    assert!(!praise.asks_of_days() && !mail.asks_of_days());
    // It steers later runs, so the gate asks where untrusted words were read.
    assert!(
        crate::tool("system_provideFeedback")
            .unwrap()
            .def()
            .flow
            .steers
    );
    assert_eq!(
        crate::tool("system_provideFeedback").unwrap().def().flow,
        Flow::PRIVATE.steering()
    );
}

#[tokio::test]
async fn bad_values_are_named_and_nothing_is_kept() {
    let bench = Bench::at(NOW);
    let long = |n: usize| "x".repeat(n);
    for (args, part) in [
        (
            json!({"type": "bug", "category": "", "message": "m"}),
            "category: \"\" is empty",
        ),
        (
            json!({"type": "bug", "category": "c", "message": " "}),
            "message: \" \" is empty",
        ),
        (
            json!({"type": "bug", "category": long(51), "message": "m"}),
            "51 characters, at most 50",
        ),
        (
            json!({"type": "bug", "category": "c", "message": long(2_001)}),
            "2001 characters, at most 2000",
        ),
        (
            json!({"type": "praise", "category": "c", "message": "m"}),
            "praise",
        ),
        (json!({"type": "bug", "category": "c"}), "message"),
    ] {
        let error = bench.fails("system_provideFeedback", args).await;
        assert!(error.contains(part), "{error}");
    }
    assert!(kept(&bench).await.is_empty());
}

#[tokio::test]
async fn it_is_the_persons_own() {
    let bench = Bench::at(NOW);
    let args = json!({"type": "suggestion", "category": "schedule", "message": "no lunch"});
    bench.ok("system_provideFeedback", args).await;
    for (team, user) in [("T1", "U2"), ("T2", "U1")] {
        assert!(kept(&bench.asked_by(team, user)).await.is_empty());
    }
}
