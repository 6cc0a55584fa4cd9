use alfred_core::ports::QueueName;
use std::collections::BTreeSet;

use super::stack::Stack;
use super::translated;

/// What is unique in an account and region. Other resources are named by CloudFormation, after the stack.
const NAMES: [&str; 4] = ["Name", "FunctionName", "QueueName", "LogGroupName"];

#[test]
fn two_stages_share_no_name() {
    let [live, test] = ["alfred", "alfred-test"].map(|stage| {
        let given = [
            ("TavilyKey", "t"),
            ("ModelKey", "k"),
            ("MailServers", "public"),
            ("Stage", stage),
        ];
        let all = Stack::with(&given).resources().into_iter();
        let names = all.flat_map(|(_, one)| NAMES.map(|key| one["Properties"][key].clone()));
        let names = names.filter_map(|name| name.as_str().map(str::to_owned));
        // Those that refer to another resource are its id here.
        let ids = &translated()["Resources"];
        let own = names.filter(|name| ids.get(name).is_none());
        own.collect::<BTreeSet<_>>()
    });
    // 5 functions and their logs, 8 queues, 4 secrets, and the schedule's group.
    assert_eq!(live.len(), 23, "{live:?}");
    let names = live.iter();
    let expected = names.map(|name| name.replacen("alfred", "alfred-test", 1));
    assert_eq!(test, expected.collect());
    assert!(live.is_disjoint(&test));
}

/// The code names queues, secrets and metrics itself.
#[test]
fn the_code_is_told_its_stage_and_knows_its_queues() {
    let stack = Stack::with(&[("Stage", "alfred-test")]);
    for (name, function) in stack.of_type("AWS::Lambda::Function") {
        let stage = &function["Environment"]["Variables"]["ALFRED_STAGE"];
        assert_eq!(stage, "alfred-test", "{name}");
    }
    for (resource, queue) in QueueName::ALL.map(|queue| (format!("{queue:?}"), queue)) {
        let named = ["Queue", "DeadLetters"].map(|end| {
            let queue = stack.properties(&format!("{resource}{end}"));
            QueueName::named(queue["QueueName"].as_str().unwrap())
        });
        assert_eq!(named, [Some(queue), None], "{resource}");
    }
    for (name, alarm) in stack.of_type("AWS::CloudWatch::Alarm") {
        assert!(!alarm.to_string().contains("\"alfred\""), "{name}");
    }
}
