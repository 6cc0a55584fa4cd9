use alfred_lambda_kit::metrics;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::many;
use super::stack::Stack;

/// The end of the alarms' names | how many they are | what they watch | data points of the failure, oldest first |
/// those of a healthy deployment. `-` is a period without data.
const FAILURES: &str = "
DeadLetters                  | 3 | AWS/SQS ApproximateNumberOfMessagesVisible | 1       | 0
Age                          | 3 | AWS/SQS ApproximateAgeOfOldestMessage      | 301 301 | 400 300
Errors                       | 5 | AWS/Lambda Errors                          | 1       | -
Throttles                    | 5 | AWS/Lambda Throttles                       | 1       | 0
Defects                      | 3 | alfred requests                            | 1       | -
RefusedRequests              | 1 | AWS/Lambda Url4xxCount                     | 8       | 3
FailedRequests               | 1 | AWS/Lambda Url5xxCount                     | 3       | 1
Sweeps                       | 1 | alfred sweeps                              | - -     | - 1
Sweeps                       | 1 | alfred sweeps                              | 0 0     | 5 -
SweepInvocationDroppedCount  | 1 | AWS/Scheduler InvocationDroppedCount       | 5       | 1
SweepTargetErrorCount        | 1 | AWS/Scheduler TargetErrorCount             | 5       | -
TimersSetAside               | 1 | alfred timers.set_aside                    | 1       | -
Spend                        | 1 | alfred cost.micros                         | 3400000 | 3300000
";

type Point = Option<f64>;

/// Whether CloudWatch rings at these data points, the newest of its metrics
/// (<https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html>).
fn rings(alarm: &Value, points: &[Point]) -> bool {
    let number = |name: &str| {
        let text = || alarm[name].as_str()?.parse().ok();
        alarm[name].as_f64().or_else(text)
    };
    let threshold = number("Threshold").unwrap();
    let breaches = |point: &Point| match (point, alarm["ComparisonOperator"].as_str().unwrap()) {
        (None, _) => alarm["TreatMissingData"] == "breaching",
        (Some(value), "GreaterThanThreshold") => *value > threshold,
        (Some(value), "LessThanThreshold") => *value < threshold,
        (_, other) => panic!("a comparison that isn't understood: {other}"),
    };
    assert_eq!(number("EvaluationPeriods"), Some(points.len() as f64));
    points.iter().all(breaches)
}

/// The data points that an alarm sees when each of its metrics has these.
fn seen(alarm: &Value, points: &str) -> Vec<Point> {
    let dollars = |micros: f64| match alarm["Metrics"].as_array() {
        None => micros,
        Some(metrics) => {
            assert_eq!(metrics[0]["Expression"], "SUM(METRICS()) / 1000000");
            micros * (metrics.len() - 1) as f64 / 1_000_000.0
        }
    };
    points
        .split(' ')
        .map(|point| point.parse().ok().map(dollars))
        .collect()
}

/// Namespace and name of the metrics of an alarm.
fn watched(alarm: &Value) -> BTreeSet<String> {
    let metric = |one: &Value| {
        let [namespace, name] = ["Namespace", "MetricName"].map(|part| one[part].as_str());
        Some(format!("{} {}", namespace?, name?))
    };
    let several = many(&alarm["Metrics"]).into_iter();
    let several = several.map(|one| &one["MetricStat"]["Metric"]);
    several.chain([alarm]).filter_map(metric).collect()
}

#[test]
fn each_failure_rings_and_nothing_else_does() {
    let alarms = Stack::whole().of_type("AWS::CloudWatch::Alarm");
    let mut known = BTreeSet::new();
    for line in FAILURES.trim().lines() {
        let columns: Vec<_> = line.split('|').map(str::trim).collect();
        let [end, count, metric, failing, healthy] = columns[..] else {
            panic!("{line}")
        };
        let end = format!("{end}Alarm");
        let own: Vec<_> = alarms
            .iter()
            .filter(|(name, _)| name.ends_with(&end))
            .collect();
        assert_eq!(own.len().to_string(), count, "{line}");
        for (name, alarm) in own {
            assert_eq!(
                watched(alarm),
                BTreeSet::from([metric.to_owned()]),
                "{name}"
            );
            assert!(rings(alarm, &seen(alarm, failing)), "{name} is silent");
            assert!(
                !rings(alarm, &seen(alarm, healthy)),
                "{name} rings for nothing"
            );
            known.insert(name);
        }
    }
    assert_eq!(
        known.len(),
        alarms.len(),
        "an alarm that isn't looked at here"
    );
}

#[test]
fn an_alarm_is_sent_where_the_topic_is_given() {
    for (topic, sent) in [
        ("", Value::Null),
        ("arn:topic", serde_json::json!(["arn:topic"])),
    ] {
        for (name, alarm) in
            Stack::with(&[("AlarmTopicArn", topic)]).of_type("AWS::CloudWatch::Alarm")
        {
            assert_eq!(
                (&alarm["AlarmActions"], &alarm["OKActions"]),
                (&sent, &sent),
                "{name}"
            );
        }
    }
}

#[test]
fn the_alarm_of_the_daily_spend_rings_at_its_parameter() {
    let alarm = Stack::with(&[("DailySpend", "50")]).properties("SpendAlarm");
    assert!(!rings(&alarm, &seen(&alarm, "16000000")));
    assert!(rings(&alarm, &seen(&alarm, "17000000")));
}

/// The filter of the log finds the words that the sweep ends with when it gave a timer up.
#[test]
fn a_timer_that_is_set_aside_is_counted() {
    let stack = Stack::whole();
    let filter = stack.properties("TimersSetAside");
    assert_eq!(
        filter["FilterPattern"],
        "{ $.reason = \"timers set aside*\" }"
    );
    let counted = &filter["MetricTransformations"][0];
    let metric = format!(
        "{} {}",
        counted["MetricNamespace"].as_str().unwrap(),
        counted["MetricName"].as_str().unwrap()
    );
    assert!(watched(&stack.properties("TimersSetAsideAlarm")).contains(&metric));
    let sweep = include_str!("../../../../functions/classifier/src/sweep.rs");
    assert!(sweep.contains("Failure::bug(format!(\"timers set aside: "));
}

fn root(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap()
}

#[test]
fn each_alarm_names_its_section_of_the_runbook() {
    let runbook = root("docs/runbook.md");
    let words = runbook.split_whitespace().count();
    assert!(words <= 900, "{words} words");
    let sections = runbook.split("\n## ").skip(1);
    let sections = sections.map(|section| section.split_once('\n').unwrap());
    let sections: Vec<_> = sections
        .map(|(title, text)| (title.to_lowercase().replace(' ', "-"), text))
        .collect();
    let mut named = BTreeSet::new();
    for (name, alarm) in Stack::whole().of_type("AWS::CloudWatch::Alarm") {
        let description = alarm["AlarmDescription"].as_str().unwrap();
        let (_, section) = description
            .split_once(" Runbook: docs/runbook.md#")
            .expect(name);
        let found = sections.iter().find(|(title, _)| title == section);
        let (_, text) = found.unwrap_or_else(|| panic!("{name}: {section} isn't in the runbook"));
        let commands = text.matches("\n```sh\n").count();
        assert!(
            commands >= 2,
            "{section} has no command to look and one to mend"
        );
        named.insert(section.to_owned());
    }
    let titles = sections.into_iter().map(|(title, _)| title);
    assert_eq!(named, titles.collect(), "a section of no alarm");
}

/// Metrics of the deployment that aren't in requests' lines.
const OTHERS: [&str; 2] = ["sweeps", "timers.set_aside"];

#[test]
fn alarms_and_the_dashboard_name_metrics_that_exist() {
    let stack = Stack::whole();
    let lines = metrics::ALL.iter().map(|metric| metric.name).chain(OTHERS);
    let names: BTreeSet<_> = lines
        .map(|name| format!("{} {name}", metrics::namespace()))
        .collect();
    let mut ours = 0;
    let mut look = |metric: String| {
        assert!(names.contains(&metric), "{metric} isn't a metric");
        ours += 1;
    };
    for (_, alarm) in stack.of_type("AWS::CloudWatch::Alarm") {
        let own = watched(&alarm).into_iter();
        own.filter(|metric| !metric.starts_with("AWS/"))
            .for_each(&mut look);
    }
    let body = stack.properties("Dashboard")["DashboardBody"].take();
    let body: Value = serde_json::from_str(body.as_str().unwrap()).unwrap();
    for widget in many(&body["widgets"]) {
        for metric in many(&widget["properties"]["metrics"]) {
            let expression = metric[0]["expression"].as_str().unwrap_or_default();
            if let Some((space, rest)) = expression.split_once(",service") {
                let space = space.rsplit('{').next().unwrap().trim_matches('"');
                let (_, name) = rest.split_once("MetricName=\"").unwrap();
                look(format!("{space} {}", name.split('"').next().unwrap()));
            } else if !metric[0].as_str().unwrap().starts_with("AWS/") {
                look(format!(
                    "{} {}",
                    metric[0].as_str().unwrap(),
                    metric[1].as_str().unwrap()
                ));
            }
        }
    }
    assert!(ours >= 15, "{ours}");
}
