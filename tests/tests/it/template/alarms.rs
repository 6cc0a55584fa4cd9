use alfred_lambda_kit::metrics;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

use super::stack::Stack;
use super::{many, root, rows};

/// Whether CloudWatch rings when each metric of an alarm has these newest data points, oldest first, `-` for a missing one
/// (<https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html>).
fn rings(alarm: &Value, points: &str) -> bool {
    let threshold = alarm["Threshold"].to_string();
    let threshold: f64 = threshold.trim_matches('"').parse().unwrap();
    let points: Vec<Option<f64>> = points.split(' ').map(|point| point.parse().ok()).collect();
    assert_eq!(alarm["EvaluationPeriods"], points.len());
    let sum = |value: f64| match many(&alarm["Metrics"])[..] {
        [] => value,
        [first, ref metrics @ ..] => {
            assert_eq!(first["Expression"], "SUM(METRICS()) / 1000000");
            metrics.iter().map(|_| value).sum::<f64>() / 1_000_000.0
        }
    };
    points.into_iter().all(
        |point| match (point.map(sum), &alarm["ComparisonOperator"]) {
            (None, _) => alarm["TreatMissingData"] == "breaching",
            (Some(value), operator) if operator == "GreaterThanThreshold" => value > threshold,
            (Some(value), operator) if operator == "LessThanThreshold" => value < threshold,
            (_, other) => panic!("a comparison that isn't understood: {other}"),
        },
    )
}

/// Namespace and name of the metrics of an alarm.
fn watched(alarm: &Value) -> BTreeSet<String> {
    let several = many(&alarm["Metrics"]).into_iter();
    let several = several.map(|one| &one["MetricStat"]["Metric"]);
    let metrics = several.chain([alarm]);
    let names = metrics.map(|one| {
        let (namespace, name) = (one["Namespace"].as_str()?, one["MetricName"].as_str()?);
        Some(format!("{namespace} {name}"))
    });
    names.flatten().collect()
}

#[test]
fn each_failure_rings_and_nothing_else_does() {
    let alarms = Stack::whole().of_type("AWS::CloudWatch::Alarm");
    let mut known = BTreeSet::new();
    for row in rows("alarms.txt") {
        let columns: Vec<_> = row.split('|').map(str::trim).collect();
        let [end, count, metric, failing, healthy] = columns[..] else {
            panic!("{row}")
        };
        let own = |name: &str| name.trim_end_matches("Alarm").ends_with(end);
        let own: Vec<_> = alarms.iter().filter(|(name, _)| own(name)).collect();
        assert_eq!(own.len().to_string(), count, "{row}");
        for (name, alarm) in own {
            let metric = BTreeSet::from([metric.to_owned()]);
            assert_eq!(watched(alarm), metric, "{name}");
            assert!(rings(alarm, failing), "{name} is silent");
            assert!(!rings(alarm, healthy), "{name} rings for nothing");
            known.insert(name);
        }
    }
    let all = alarms.len();
    assert_eq!(known.len(), all, "an alarm that isn't looked at here");
}

#[test]
fn alarms_take_their_topic_and_the_daily_spend_from_parameters() {
    let stack = Stack::with(&[("AlarmTopicArn", "arn:topic"), ("DailySpend", "50")]);
    for (name, alarm) in stack.of_type("AWS::CloudWatch::Alarm") {
        let sent = [&alarm["AlarmActions"], &alarm["OKActions"]].map(|sent| &sent[0]);
        assert_eq!(sent, ["arn:topic"; 2], "{name}");
        let usual = Stack::whole().properties(name);
        assert_eq!(usual["AlarmActions"], Value::Null, "{name}");
    }
    let spend = stack.properties("SpendAlarm");
    assert!(rings(&spend, "17000000") && !rings(&spend, "16000000"));
}

/// The filter of the log finds the words that the sweep ends with when it gave a timer up.
#[test]
fn a_timer_that_is_set_aside_is_counted() {
    let filter = Stack::whole().properties("TimersSetAside");
    let pattern = "{ $.reason = \"timers set aside*\" }";
    assert_eq!(filter["FilterPattern"], pattern);
    let counted = &filter["MetricTransformations"][0];
    let counted = ["MetricNamespace", "MetricName"].map(|part| &counted[part]);
    assert_eq!(counted, ["alfred", "timers.set_aside"]);
    let sweep = fs::read_to_string(root().join("functions/classifier/src/sweep.rs")).unwrap();
    assert!(sweep.contains("Failure::bug(format!(\"timers set aside: "));
}

#[test]
fn each_alarm_names_its_section_of_the_runbook() {
    let runbook = fs::read_to_string(root().join("docs/runbook.md")).unwrap();
    let words = runbook.split_whitespace().count();
    assert!(words <= 900, "{words} words");
    let mut sections = BTreeSet::new();
    for section in runbook.split("\n## ").skip(1) {
        let (title, text) = section.split_once('\n').unwrap();
        let commands = text.matches("\n```sh\n").count();
        let enough = commands >= 2;
        assert!(enough, "{title} has no command to look and one to mend");
        sections.insert(title.to_lowercase().replace(' ', "-"));
    }
    let alarms = Stack::whole().of_type("AWS::CloudWatch::Alarm");
    let named = alarms.iter().map(|(name, alarm)| {
        let description = alarm["AlarmDescription"].as_str().unwrap();
        let parts = description.split_once(" Runbook: docs/runbook.md#");
        parts.expect(name).1.to_owned()
    });
    assert_eq!(named.collect::<BTreeSet<_>>(), sections);
}

#[test]
fn alarms_and_the_dashboard_name_metrics_that_exist() {
    let stack = Stack::whole();
    // These aren't in the lines of requests.
    let others = ["timers.set_aside"];
    let names = metrics::ALL.iter().map(|metric| metric.name).chain(others);
    let names = names.map(|name| format!("{} {name}", alfred_core::config::stage()));
    let names: BTreeSet<_> = names.collect();
    let alarms = stack.of_type("AWS::CloudWatch::Alarm");
    let used = alarms.iter().flat_map(|(_, alarm)| watched(alarm));
    let mut used: Vec<_> = used.collect();
    let body = stack.properties("Dashboard")["DashboardBody"].take();
    let body: Value = serde_json::from_str(body.as_str().unwrap()).unwrap();
    for widget in many(&body["widgets"]) {
        for metric in many(&widget["properties"]["metrics"]) {
            let searched = metric[0]["expression"].as_str();
            let searched = searched.map(|expression| expression.split('"').collect::<Vec<_>>());
            used.push(match searched.as_deref() {
                Some([_, namespace, _, name, ..]) => format!("{namespace} {name}"),
                _ => [0_usize, 1]
                    .map(|part| metric[part].as_str().unwrap())
                    .join(" "),
            });
        }
    }
    used.retain(|metric| !metric.starts_with("AWS/"));
    assert!(used.len() >= 15, "{used:?}");
    used.retain(|metric| !names.contains(metric));
    assert!(used.is_empty(), "not metrics: {used:?}");
}
