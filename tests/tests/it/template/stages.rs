use alfred_core::ports::QueueName;
use serde_json::Value;
use std::collections::BTreeSet;

use super::rights::{Decision, decide};
use super::stack::Stack;
use super::translated;

/// What a name is unique by in an account and region. Other resources are named by CloudFormation, after the stack.
const NAMES: [&str; 4] = ["Name", "FunctionName", "QueueName", "LogGroupName"];

fn names(stack: &Stack) -> BTreeSet<String> {
    let all = stack.resources().into_iter();
    let properties = all.map(|(_, mut one)| one["Properties"].take());
    let given = properties.flat_map(|one| NAMES.map(|key| one[key].as_str().map(str::to_owned)));
    // Those that refer to another resource are its id here.
    let ids = &translated()["Resources"];
    given
        .flatten()
        .filter(|name| ids.get(name).is_none())
        .collect()
}

fn stages() -> [Stack; 2] {
    let given = [
        ("GoogleClientId", "g"),
        ("GoogleClientSecret", "s"),
        ("ModelKey", "k"),
        ("TavilyKey", "t"),
    ];
    ["alfred", "alfred-test"].map(|stage| Stack::with(&[&given[..], &[("Stage", stage)]].concat()))
}

#[test]
fn two_stages_share_no_name() {
    let [live, test] = stages();
    let [live, test] = [names(&live), names(&test)];
    // 5 functions and their logs, 6 queues, 5 secrets, and the schedule's group.
    assert_eq!(live.len(), 22, "{live:?}");
    let expected = live.iter().map(|name| {
        let name = name.replacen("alfred", "alfred-test", 1);
        assert!(!live.contains(&name));
        name
    });
    assert_eq!(test, expected.collect());
}

#[test]
fn a_stage_reads_only_its_own_secrets() {
    let arn = "arn:AWS::Partition:secretsmanager:AWS::Region:AWS::AccountId:secret:";
    let own = ["alfred/", "alfred-test/"];
    for (stage, mine) in stages().iter().zip(own) {
        for prefix in own {
            let resource = format!("{arn}{prefix}OPENAI_API_KEY-a1B2c3");
            let action = "secretsmanager:GetSecretValue";
            let allowed = decide(stage, "ClassifierRole", action, &resource, &[]);
            assert_eq!(allowed == Decision::Allowed, prefix == mine, "{resource}");
        }
    }
}

/// The code names queues, secrets and metrics itself.
#[test]
fn the_code_is_told_its_stage_and_knows_its_queues() {
    let [_, test] = stages();
    for (name, function) in test.of_type("AWS::Lambda::Function") {
        let stage = &function["Environment"]["Variables"]["ALFRED_STAGE"];
        assert_eq!(stage, "alfred-test", "{name}");
    }
    let queues = [
        ("Ingress", QueueName::Ingress),
        ("Utility", QueueName::Utility),
        ("Team", QueueName::Team),
    ];
    for (resource, queue) in queues {
        let name = |end: &str| test.properties(&format!("{resource}{end}"))["QueueName"].take();
        assert_eq!(
            QueueName::named(name("Queue").as_str().unwrap()),
            Some(queue)
        );
        assert_eq!(
            QueueName::named(name("DeadLetters").as_str().unwrap()),
            None
        );
    }
    for (name, alarm) in test.of_type("AWS::CloudWatch::Alarm") {
        let own = |one: &Value| {
            one.to_string().contains("alfred-test")
                || one["Namespace"].as_str().unwrap().starts_with("AWS/")
        };
        assert!(own(&alarm), "{name}");
    }
}
