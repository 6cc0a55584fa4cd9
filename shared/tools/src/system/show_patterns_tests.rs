use crate::system::history::Offer;
use crate::testing::*;
use alfred_planner::{ClockTime, Wish};

const NOW: &str = "2026-11-20T18:00:00Z";
const TOOL: &str = "system_showPatterns";

fn lines(data: &Value) -> Vec<String> {
    let line = |one: &Value| {
        let text = one["pattern"].as_str().unwrap();
        format!("{text} {}/{}", one["agree"], one["of"])
    };
    data["patterns"]
        .as_array()
        .unwrap()
        .iter()
        .map(line)
        .collect()
}

async fn about(harness: &ToolHarness, timeframe: &str, about: &[&str]) -> Value {
    let args = json!({"timeframe": timeframe, "about": about});
    harness.ok(TOOL, args).await
}

const BEFORE: &str = "2026-02-01T00:00:00Z";

/// Lunch at 13:00 on the last five days, at 12:00 on the two before.
async fn lunches() -> ToolHarness {
    let harness = ToolHarness::at(BEFORE);
    for n in 14..=20 {
        let span = if n < 16 { "12:00-13:00" } else { "13:00-14:00" };
        let lunch = format!("break {span} Lunch");
        harness.block(&format!("2026-11-{n}"), &lunch).await;
    }
    harness.later(NOW)
}

#[tokio::test]
async fn stored_days_say_when_lunch_is() {
    let harness = lunches().await;
    let data = harness.ok(TOOL, json!({})).await;
    assert_eq!(data["timeframe"], "week");
    assert_eq!(data["from"], "2026-11-14");
    assert_eq!(data["until"], "2026-11-20");
    assert_eq!(
        data["patterns"],
        json!([{
            "pattern": "Lunch is usually at 13:00.", "confidence": 0.36,
            "examples": ["2026-11-20: 13:00–14:00", "2026-11-19: 13:00–14:00", "2026-11-18: 13:00–14:00"],
            "agree": 5, "of": 7, "followed": false, "kind": "lunch_at", "value": "13:00",
        }])
    );
    assert_eq!(data["considered"]["days"], 7);
}

#[tokio::test]
async fn the_timeframe_says_how_far_back() {
    let harness = lunches().await;
    for n in 1..=9 {
        for month in ["11", "02"] {
            let day = format!("2026-{month}-0{n}");
            harness.block(&day, "break 13:00-14:00 Lunch").await;
        }
    }
    // A future block doesn't count.
    harness.block("2026-11-25", "break 11:00-12:00 Lunch").await;
    for (timeframe, line) in [
        ("week", "Lunch is usually at 13:00. 5/7"),
        ("month", "Lunch is usually at 13:00. 14/16"),
        ("all_time", "Lunch is usually at 13:00. 23/25"),
    ] {
        assert_eq!(lines(&about(&harness, timeframe, &["days"]).await), [line]);
    }
    let later = harness.later("2027-12-01T12:00:00Z");
    assert!(lines(&about(&later, "all_time", &["days"]).await).is_empty());
}

#[tokio::test]
async fn tasks_say_how_long_they_take() {
    let mut harness = ToolHarness::at("2026-11-16T08:00:00Z");
    for n in 16..20 {
        harness = harness.later(&format!("2026-11-{n}T08:00:00Z"));
        let block = format!("work 09:00-11:00 Focus {n}");
        let block = harness.block("today", &block).await;
        let task = harness.task(&format!("Report {n}"), 30, "high").await;
        harness.assign(&task, &block).await;
        harness = harness.later(&format!("2026-11-{n}T09:48:00Z"));
        harness.complete(task).await;
    }
    let data = about(&harness, "week", &["tasks"]).await;
    assert_eq!(
        lines(&data),
        ["Tasks usually take longer than estimated, about 160 % of it. 4/4"]
    );
    assert_eq!(
        data["patterns"][0]["examples"][0],
        "2026-11-19: \"Report 19\" took 48 min, estimated 30"
    );
    // A reopened task doesn't count as done.
    for n in [16, 17] {
        let args = json!({"taskId": format!("Report {n}"), "status": "scheduled"});
        harness.ok("task_updateTask", args).await;
    }
    assert!(lines(&about(&harness, "week", &["tasks"]).await).is_empty());
}

#[tokio::test]
async fn what_is_said_counts_unless_others_words_may_have_shaped_it() {
    let harness = ToolHarness::at("2026-11-16T08:00:00Z");
    let say = async |harness: &ToolHarness, changes: Value| {
        let args = json!({"type": "suggestion", "category": "schedule", "message": "as said", "changes": changes});
        harness.ok("system_provideFeedback", args).await;
    };
    let mut now = harness;
    for n in 16..19 {
        now = now.later(&format!("2026-11-{n}T08:00:00Z"));
        say(&now.tainted(), json!({"noLunch": true})).await;
        now = now.later(&format!("2026-11-{n}T09:00:00Z"));
        say(&now, json!({"lunchAt": "13:00"})).await;
    }
    let at = ClockTime::parse("at", "13:00").unwrap();
    now.executed("workflow_schedule", "run_1", |one| {
        one.wishes = vec![Wish::LunchAt(at)]
    })
    .await;
    now.executed("workflow_schedule", "run_2", |one| {
        one.wishes = vec![Wish::NoLunch];
        one.tainted = true;
    })
    .await;
    let data = about(&now, "week", &["feedback"]).await;
    assert_eq!(
        lines(&data),
        ["You often ask for this: lunch at 13:00. 4/4"]
    );
    assert_eq!(data["patterns"][0]["followed"], true);
}

#[tokio::test]
async fn what_is_left_out_of_proposals_taints_where_others_wrote_it() {
    let harness = ToolHarness::at("2026-11-16T08:00:00Z");
    let id = harness.task("Taxes", 30, "low").await;
    let mut now = harness;
    for n in 16..19 {
        now = now.later(&format!("2026-11-{n}T08:00:00Z"));
        let task = |id: &str| Offer::Task {
            id: id.into(),
            title: "Old title".into(),
            taken: false,
        };
        let offers = vec![task(&id), task("tsk_gone")];
        now.executed("workflow_fillWorkBlock", &format!("run_{n}"), |one| {
            one.offers = offers
        })
        .await;
    }
    let args = json!({"about": ["proposals"]});
    let output = now.output(TOOL, args.clone()).await;
    assert_eq!(
        lines(&Value::Object(output.data)),
        ["\"Taxes\" is usually left out where it is proposed. 3/3"]
    );
    assert_eq!(output.flow, Some(Flow::PRIVATE));
    for n in 16..19 {
        now = now.later(&format!("2026-11-{n}T09:00:00Z"));
        let sender = "news@shop.example".to_owned();
        let offers = vec![Offer::Archiving {
            sender,
            taken: false,
        }];
        now.executed("workflow_fillEmailBlock", &format!("run_m{n}"), |one| {
            one.offers = offers
        })
        .await;
    }
    let output = now.output(TOOL, args).await;
    assert_eq!(output.data["patterns"].as_array().unwrap().len(), 2);
    assert_eq!(output.flow, Some(Flow::UNKNOWN));
}

#[tokio::test]
async fn one_proposal_is_one_answer_about_a_sender() {
    let mut harness = ToolHarness::at(NOW);
    let archiving = |taken: bool| Offer::Archiving {
        sender: "news@shop.example".into(),
        taken,
    };
    let args = json!({"about": ["proposals"]});
    // Four mails of one sender; none was archived.
    harness
        .executed("workflow_fillEmailBlock", "run_0", |one| {
            one.offers = vec![archiving(false); 4];
        })
        .await;
    let data = harness.ok(TOOL, args.clone()).await;
    assert_eq!(data["patterns"], json!([]));
    assert_eq!(data["considered"]["proposals"], 1);
    for n in 1..4 {
        harness = harness.later(&format!("2026-11-2{n}T09:00:00Z"));
        harness
            .executed("workflow_fillEmailBlock", &format!("run_{n}"), |one| {
                one.offers = vec![archiving(false), archiving(n == 3), archiving(false)];
            })
            .await;
    }
    let data = harness.ok(TOOL, args).await;
    assert_eq!(
        lines(&data),
        ["Mail from news@shop.example is usually kept where archiving is proposed. 3/4"],
        "where one was archived they weren't kept"
    );
}

#[tokio::test]
async fn what_others_words_may_have_shaped_is_not_counted() {
    let harness = ToolHarness::at(BEFORE).later(NOW);
    for n in 17..=20 {
        let day = format!("2026-11-{n}");
        let tainted = harness.tainted();
        tainted.block(&day, "break 15:00-16:00 Lunch").await;
        tainted.block(&day, "work 09:00-10:30 Focus").await;
        let archiving = Offer::Archiving {
            sender: "news@shop.example".into(),
            taken: false,
        };
        harness
            .executed("workflow_fillEmailBlock", &format!("run_{n}"), |one| {
                one.offers = vec![archiving];
                one.wishes = vec![Wish::NoLunch];
                one.tainted = true;
            })
            .await;
    }
    let data = harness.ok(TOOL, json!({})).await;
    assert_eq!(data["patterns"], json!([]));
}

#[tokio::test]
async fn bad_values_are_named() {
    let harness = ToolHarness::at(NOW);
    for (args, part) in [
        (json!({"timeframe": "year"}), "year"),
        (json!({"about": ["weather"]}), "weather"),
    ] {
        let error = harness.fails(TOOL, args).await;
        assert!(error.contains(part), "{error}");
    }
}
