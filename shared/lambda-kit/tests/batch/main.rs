//! Batches as SQS delivers them.
#![allow(clippy::unwrap_used, reason = "a broken fixture ends the test")]

mod rig;

use alfred_core::redelivery::MAX_RECEIVES;
use alfred_core::{Payload, WorkerInput};
use alfred_lambda_kit::{BatchRunner, Delivery, Inbound};
use rig::*;
use serde_json::json;
use std::sync::{Arc, Mutex};

#[tokio::test]
async fn only_failed_records_go_back_and_a_panic_is_a_defect_of_its_record() {
    let ran = run(&batch([
        "1a ok",
        "2b retry",
        "3c reject",
        "4d bug",
        "5e panic",
        "6f ok",
    ]))
    .await;
    assert_eq!(ran.failed, ["2"]);
    assert_eq!(ran.seen, ["1", "2", "3", "4", "5", "6"]);
    let outcomes = ["done", "retry", "rejected", "bug", "panic", "done"];
    assert_eq!(ran.outcomes(), outcomes);
}

#[tokio::test]
async fn a_retry_that_asks_for_a_delay_gets_it() {
    for refuses in [false, true] {
        let (records, settled) = (batch(["1a retry", "2b ok"]), settled(refuses, false));
        let ran = run_settling(&records, NOW + 120_000, settled).await;
        assert_eq!(ran.failed, ["1"], "it goes back all the same");
        assert_eq!(ran.said, ["receipt-1 in 25 s"]);
    }
}

#[tokio::test]
async fn a_fault_that_may_pass_is_waited_out_and_then_goes_back_for_longer_each_time() {
    let mut waits = Vec::new();
    for receives in [1, 2, 3, 4, 9] {
        let body = envelope("soon").to_string();
        let ran = run(&[received("1", Some("a"), &body, receives)]).await;
        assert_eq!(ran.failed, ["1"]);
        // After 2, 4 and 8 s, and at the end of the 20 s.
        assert!((4..=5).contains(&ran.seen.len()), "{}", ran.seen.len());
        waits.extend(ran.said);
    }
    let wait = |said: &String| said.split(' ').nth(2).unwrap().parse().unwrap();
    let waits: Vec<u32> = waits.iter().map(wait).collect();
    let steps = [2, 16, 128, 360, 360];
    for (wait, step) in waits.iter().zip(steps) {
        assert!(*wait <= step && wait * 10 >= (step - 1) * 9, "{waits:?}");
    }
}

#[tokio::test]
async fn a_defect_goes_to_the_dead_letters_at_once_when_its_person_was_told() {
    let records = batch(["1a bug", "2a ok"]);
    let ran = run(&records).await;
    assert!(ran.failed.is_empty(), "its group goes on");
    assert_eq!(ran.seen, ["1", "2"]);
    let told = "bug is given up: odd";
    assert_eq!(ran.said, [told, "1 of a aside behind 2: odd"]);

    let ran = run_settling(&records, NOW + 120_000, settled(false, true)).await;
    assert_eq!(ran.failed, ["1", "2"], "nobody could be told");
    assert!(!ran.said.iter().any(|said| said.contains("aside")));

    let ran = run_settling(&records, NOW + 120_000, settled(true, false)).await;
    assert_eq!(ran.failed, ["1", "2"], "it is nowhere else");
}

#[tokio::test]
async fn the_last_delivery_ends_the_message_or_starts_it_anew() {
    for (store_is_down, then) in [
        (true, "1 anew: the store is down"),
        (false, "1 of a aside behind 10: received 10 times"),
    ] {
        let settled = settled(false, store_is_down);
        let record = received("1", Some("a"), &envelope("ok").to_string(), MAX_RECEIVES);
        let ran = run_settling(&[record], NOW + 120_000, settled).await;
        let is_tried = !ran.failed.is_empty() || !ran.seen.is_empty();
        assert!(!is_tried, "none is tried");
        assert_eq!(ran.said, ["ok is given up: received 10 times", then]);
    }
}

#[tokio::test]
async fn what_stands_behind_a_failed_record_of_its_group_stays_there() {
    let ran = run(&batch(["1a retry", "2b ok", "3a ok", "4a ok"])).await;
    assert_eq!(ran.failed, ["1", "3", "4"]);
    assert_eq!(ran.seen, ["1", "2"]);
}

#[tokio::test]
async fn a_record_that_cannot_be_read_is_put_aside_at_once() {
    for body in ["", "{", "[]", "null", "{\"v\":1}", "{\"v\":\"x\"}"] {
        let [first, third] = batch(["1a ok", "3a ok"]);
        let ran = run(&[first, record("2", Some("a"), body), third]).await;
        assert!(ran.failed.is_empty(), "{body}");
        assert_eq!(ran.outcomes(), ["done", "unreadable", "done"], "{body}");
        let said = &ran.said;
        assert!(said[0].starts_with("2 of a aside behind 2: "), "{said:?}");
    }
}

/// Workers may send to every queue but ingress.
#[tokio::test]
async fn a_click_from_a_queue_of_workers_is_put_aside_unhandled() {
    let reply_to = json!({"channel": "D1", "thread_ts": null, "response_type": "dm"});
    let click = json!({"kind": "click", "action_id": "a", "value": "apr_1", "reply_to": &reply_to});
    let stop = json!({"kind": "stop", "reply_to": reply_to});
    let all = ["ingress", "runs", "utility", "team", "renamed"];
    for (payload, carried_by) in [
        (click, &all[..1]),
        (stop, &all[..1]),
        (json!({"kind": "sweep"}), &all[..2]),
        (json!({"kind": "run", "run": "run_1"}), &all[..]),
    ] {
        let mut sent = envelope("ok");
        sent["payload"] = payload;
        for queue in all {
            let mut record = record("1", Some("a"), &sent.to_string());
            record["eventSourceARN"] = json!(format!("arn:aws:sqs:eu:1:alfred-test-{queue}.fifo"));
            let ran = run(&[record]).await;
            let refusal = format!("alfred-{queue}.fifo carries no message of this kind");
            if carried_by.contains(&queue) {
                assert_eq!(ran.seen, ["1"], "{refusal}");
            } else {
                assert_eq!(ran.seen, [""; 0], "{refusal}");
                // The dead letters of an unknown queue are unknown too.
                let aside = format!("1 of a aside behind 2: {refusal}");
                let aside = Some(aside).filter(|_| queue != "renamed");
                assert_eq!(ran.said, Vec::from_iter(aside));
            }
        }
    }
}

#[tokio::test]
async fn a_record_of_a_newer_release_is_left_to_it() {
    let mut newer = envelope("ok");
    newer["v"] = json!(2);
    let ran = run(&[record("1", Some("a"), &newer.to_string())]).await;
    assert_eq!(ran.failed, ["1"]);
    assert!(ran.said[0].starts_with("receipt-1 in "));
}

#[tokio::test]
async fn a_later_record_is_not_begun_without_time() {
    let records = batch(["1a ok", "2b ok"]);
    // Every look at the clock takes a second: of eight, the first record leaves four.
    let ran = run_settling(&records, NOW + 8_000, Settled::default()).await;
    assert_eq!((ran.failed, ran.seen), (vec!["2".into()], vec!["1".into()]));
    // The duration that cargo lambda sends is no date long past.
    let ran = run_settling(&records, 600_000, Settled::default()).await;
    assert_eq!(ran.seen, ["1", "2"]);
}

#[tokio::test]
async fn a_request_leaves_one_line_of_metrics() {
    let ran = run(&batch(["1a ok"])).await;
    let [line] = ran.lines.as_slice() else {
        panic!("{:?}", ran.lines)
    };
    // Sent four seconds before, the second look at the clock started it, the fourth ended it.
    for (field, value) in [
        ("service", json!("test")),
        ("requests", json!(1.0)),
        ("queue.wait", json!(6_000.0)),
        ("handler.time", json!(2_000.0)),
        ("model.calls", json!(2.0)),
        ("trace.id", json!("7".repeat(32))),
    ] {
        assert_eq!(line[field], value, "{field}");
    }
}

#[tokio::test]
async fn contracts_may_come_inline() {
    let input = json!({
        "task_prompt": "What time is it?", "session_id": "T1/U1/D1",
        "user_context": {"slack_user_id": "U1", "email": "", "name": "Ana", "timezone": "UTC", "role": "member"},
        "slack_context": {"channel_id": "D1", "thread_ts": null, "response_type": "dm"},
    });
    let records = [
        record("1", Some("a"), &input.to_string()),
        record("2", Some("b"), &envelope("ok").to_string()),
        record("3", None, "{\"task_prompt\": 7}"),
    ];
    let clock = Arc::new(Ticking(Mutex::new(NOW)));
    let settled = Arc::new(Settled::default());
    let runner = BatchRunner::new("test", clock, settled.clone(), settled.clone());
    let runner = runner.emitting(|_| {});
    let seen = Mutex::new(Vec::new());
    let handler = |message: Inbound<WorkerInput>, delivery: Delivery| {
        let kind = match message {
            Inbound::Inline(input) => format!("{}:{}", delivery.message_id, input.task_prompt),
            Inbound::Envelope(envelope) => match envelope.payload {
                Payload::Run { run, .. } => run.0,
                other => panic!("{other:?}"),
            },
        };
        seen.lock().unwrap().push(kind);
        async { Ok(()) }
    };
    let context = context(NOW + 120_000);
    let response = runner.run(event(&records), &context, handler).await;
    assert_eq!(response.batch_item_failures.len(), 0);
    assert_eq!(seen.into_inner().unwrap(), ["1:What time is it?", "run_1"]);
    assert!(settled.said.lock().unwrap()[0].starts_with("3 of  aside"));
}
