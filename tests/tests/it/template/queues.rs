use alfred_core::Envelope;
use alfred_core::ports::QueueName;
use alfred_core::redelivery::MAX_RECEIVES;
use serde_json::json;

use super::stack::Stack;
use super::{CONSUMERS, has};

#[test]
fn consumers_have_time_enough_and_report_single_failures() {
    let stack = Stack::whole();
    let mappings = stack.of_type("AWS::Lambda::EventSourceMapping");
    assert_eq!(mappings.len(), CONSUMERS.len());
    for (name, queue) in CONSUMERS {
        let consumer = json!({"Timeout": 120, "RecursiveLoop": "Allow"});
        has(name, &stack.properties(name), &consumer);
        let single = json!({
            "EventSourceArn": format!("{queue}.Arn"),
            "FunctionResponseTypes": ["ReportBatchItemFailures"],
            "BatchSize": 1,
        });
        has(name, &stack.properties(&format!("{name}Queue")), &single);
        let visibility = stack.properties(queue)["VisibilityTimeout"].as_u64();
        assert!(visibility > Some(120), "{queue}");
    }
}

#[test]
fn every_queue_is_fifo_encrypted_and_has_its_dead_letters() {
    let stack = Stack::whole();
    for (name, queue) in stack.of_type("AWS::SQS::Queue") {
        let safe = json!({"FifoQueue": true, "SqsManagedSseEnabled": true});
        has(name, &queue, &safe);
    }
    for (resource, name) in [
        ("Ingress", QueueName::Ingress),
        ("Utility", QueueName::Utility),
        ("Team", QueueName::Team),
    ] {
        let queue = stack.properties(&format!("{resource}Queue"));
        let dead = format!("{resource}DeadLetters");
        let arn = format!("{dead}.Arn");
        let dead = stack.properties(&dead);
        let wanted = json!({
            "QueueName": name.as_str(),
            "VisibilityTimeout": 180,
            "RedrivePolicy": {"maxReceiveCount": MAX_RECEIVES, "deadLetterTargetArn": arn},
        });
        has(resource, &queue, &wanted);
        assert_eq!(dead["QueueName"], name.dead_letters());
        let kept = |queue: &serde_json::Value| queue["MessageRetentionPeriod"].as_u64().unwrap();
        let longer = kept(&dead) > kept(&queue);
        assert!(longer, "a dead letter keeps the age of its message");
    }
}

/// A receive that Lambda throttles counts, and hides the message for the visibility timeout.
#[test]
fn a_throttled_message_isnt_given_up_for_twenty_five_minutes() {
    for (_, queue) in CONSUMERS {
        let hidden = Stack::whole().properties(queue)["VisibilityTimeout"].as_u64();
        let throttled = u64::from(MAX_RECEIVES - 1) * hidden.unwrap();
        assert!(throttled >= 25 * 60, "{queue}: {throttled} s");
    }
}

#[test]
fn the_sweep_is_an_envelope_with_a_body_of_its_own_each_time() {
    let stack = Stack::whole();
    let sweep = stack.properties("Sweep");
    let wanted = json!({
        "ScheduleExpression": "cron(* * * * ? *)",
        "GroupName": "SweepGroup",
        "Target": {"Arn": "IngressQueue.Arn", "SqsParameters": {"MessageGroupId": "sweep"}},
    });
    has("Sweep", &sweep, &wanted);
    // A schedule sends no deduplication id, so the queue derives one from the body.
    let queue = stack.properties("IngressQueue");
    assert_eq!(queue["ContentBasedDeduplication"], true);
    let input = sweep["Target"]["Input"].as_str().unwrap();
    let at = |time: &str| -> Envelope {
        let body = input.replace("<aws.scheduler.scheduled-time>", time);
        serde_json::from_str(&body).unwrap()
    };
    let [first, next] = ["2026-11-21T10:00:00Z", "2026-11-21T10:01:00Z"].map(at);
    assert_eq!(first.payload, alfred_core::Payload::Sweep {});
    assert_ne!(first.identity, next.identity);
    assert_ne!(first.trace_id, next.trace_id);
}
