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
async fn meetings_of_the_calendar_count_by_their_times() {
    let meeting = |n: u32| {
        event(
            &format!("e{n}"),
            "Secret",
            &format!("2026-11-{n}T09:00:00Z"),
            &format!("2026-11-{n}T10:00:00Z"),
        )
    };
    let harness = ToolHarness::at(NOW).events((16..=20).map(meeting).collect());
    let output = harness.output(TOOL, json!({})).await;
    let data = Value::Object(output.data);
    assert_eq!(lines(&data), ["Meetings are mostly in the morning. 5/5"]);
    assert!(!data.to_string().contains("Secret") && output.flow == Some(Flow::PRIVATE));
    let failing = harness.calendar_fails(|| AccountError::Unknown {
        detail: "down".into(),
    });
    let data = failing.ok(TOOL, json!({})).await;
    assert!(
        data["notes"][0].as_str().unwrap().contains("calendar"),
        "{data}"
    );
}

#[tokio::test]
async fn tasks_say_how_long_they_take_and_when_they_are_done() {
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
        [
            "Tasks are mostly done in the morning. 4/4",
            "Tasks of high priority are mostly done in the morning. 4/4",
            "Tasks usually take longer than estimated, about 160 % of it. 4/4",
        ]
    );
    assert_eq!(
        data["patterns"][2]["examples"][0],
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
async fn what_is_put_off_is_seen_wherever_it_is_done() {
    let harness = ToolHarness::at("2026-11-16T08:00:00Z");
    let task = harness
        .ok(
            "task_createTask",
            json!({"title": "Taxes", "dueDate": "2026-11-17"}),
        )
        .await;
    let id = task["task"]["id"].clone();
    let update =
        async |harness: &ToolHarness, args: Value| harness.ok("task_updateTask", args).await;
    update(&harness, json!({"taskId": id, "dueDate": "2026-11-19"})).await;
    // An earlier due date doesn't count as postponed.
    let harness = harness.later("2026-11-16T09:00:00Z");
    update(&harness, json!({"taskId": id, "dueDate": "2026-11-18"})).await;
    let plan = async |harness: &ToolHarness, date: &str| {
        let block = harness.block(date, "work 09:00-11:00 Focus").await;
        harness
            .ok(
                "task_assignToTimeBlock",
                json!({"taskIds": [id], "blockId": block}),
            )
            .await;
        block
    };
    let block = plan(&harness, "2026-11-18").await;
    let move_it = json!({"blockId": block, "newStartTime": "09:00", "newDate": "2026-11-20"});
    harness.ok("schedule_moveTimeBlock", move_it).await;
    assert!(lines(&about(&harness, "week", &["tasks"]).await).is_empty());
    let harness = harness.later("2026-11-18T08:00:00Z");
    harness.delete_block(block).await;
    let data = about(&harness, "week", &["tasks"]).await;
    assert_eq!(lines(&data), ["\"Taxes\" is put off again and again. 3/3"]);
    plan(&harness, "2026-11-19").await;
    let harness = harness.later("2026-11-18T09:00:00Z");
    update(&harness, json!({"taskId": id, "status": "backlog"})).await;
    let data = about(&harness, "week", &["tasks"]).await;
    assert_eq!(lines(&data), ["\"Taxes\" is put off again and again. 4/4"]);
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
        [
            "This is asked for again and again: lunch at 13:00. 4/4",
            "Feedback about schedule is mostly of one kind: suggestion. 3/3",
        ]
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
async fn two_are_none() {
    let few = ToolHarness::at(BEFORE);
    for n in 19..=20 {
        few.block(&format!("2026-11-{n}"), "break 13:00-14:00 Lunch")
            .await;
    }
    let few = few.later(NOW);
    assert_eq!(few.ok(TOOL, json!({})).await["patterns"], json!([]));
}

#[tokio::test]
async fn who_is_answered_is_read_from_the_mailbox() {
    let mail = |n: u32, from: &str, status: MailStatus| {
        let mut mail = arriving(&format!("m{n}-{from}"), from, "Hi", "Hello.");
        mail.summary.received_at = format!("2026-11-{n}T08:00:00Z").parse().unwrap();
        (mail.summary.status, mail.summary.automated) = (status, false);
        mail
    };
    let mut mails = Vec::new();
    for n in 15..20 {
        mails.push(mail(n, "Ben@x.example", MailStatus::Processed));
        mails.push(mail(n, "eve@x.example", MailStatus::Read));
        mails.push(mail(n, "new@x.example", MailStatus::Unread));
    }
    let harness = ToolHarness::at(NOW);
    let box_of = MemoryMail::new(harness.context.clock.clone());
    let box_of = box_of.with(
        &harness.context.account(),
        Mailbox::new("", "u1@x.example"),
        mails,
    );
    let harness = harness.mail(Arc::new(box_of));
    let output = harness.output(TOOL, json!({"about": ["mail"]})).await;
    assert_eq!(output.data["considered"]["mails"], 10);
    let data = Value::Object(output.data);
    assert_eq!(
        lines(&data),
        ["Mail from ben@x.example usually gets an answer. 5/5"]
    );
    assert_eq!(
        output.flow,
        Some(Flow::UNKNOWN),
        "an address is others' words"
    );
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
