//! The deployment template, as CloudFormation gets it. What emulators drop
//! without a word (expiry, recovery, time-outs) is held here.
#![allow(clippy::unwrap_used, reason = "a broken fixture ends the test")]

use alfred_core::Envelope;
use alfred_core::ports::QueueName;
use alfred_core::redelivery::MAX_RECEIVES;
use alfred_testkit::sam;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

const FUNCTIONS: [&str; 4] = [
    "SlackReceiver",
    "Classifier",
    "UtilityWorker",
    "TeamManager",
];
const CONSUMERS: [(&str, &str); 3] = [
    ("Classifier", "IngressQueue"),
    ("UtilityWorker", "UtilityQueue"),
    ("TeamManager", "TeamQueue"),
];
const ROLES: [&str; 5] = [
    "SlackReceiverRole",
    "ClassifierRole",
    "UtilityWorkerRole",
    "TeamManagerRole",
    "SweepRole",
];

fn resources() -> &'static Map<String, Value> {
    static TEMPLATE: OnceLock<Value> = OnceLock::new();
    let template = TEMPLATE.get_or_init(|| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../infra/template.yaml");
        sam::translated(&path, "code")
    });
    template["Resources"].as_object().unwrap()
}

fn properties(name: &str) -> &'static Value {
    &resources()[name]["Properties"]
}

fn of_type(kind: &str) -> Vec<(&'static str, &'static Value)> {
    let found = resources()
        .iter()
        .filter(|(_, resource)| resource["Type"] == kind);
    found
        .map(|(name, resource)| (name.as_str(), &resource["Properties"]))
        .collect()
}

/// A value, or the values of a list.
fn many(value: &Value) -> Vec<&Value> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(items) => items.iter().collect(),
        one => vec![one],
    }
}

fn get_att(resource: &str, attribute: &str) -> Value {
    json!({"Fn::GetAtt": [resource, attribute]})
}

#[test]
fn functions_are_bootstraps_with_their_own_role_and_logs() {
    let functions = of_type("AWS::Lambda::Function");
    assert_eq!(functions.len(), FUNCTIONS.len());
    for name in FUNCTIONS {
        let function = properties(name);
        assert_eq!(function["Runtime"], "provided.al2023");
        assert_eq!(function["Handler"], "bootstrap");
        assert_eq!(function["Architectures"], json!([{"Ref": "Architecture"}]));
        assert_eq!(function["Role"], get_att(&format!("{name}Role"), "Arn"));
        let logs = format!("{name}Logs");
        assert_eq!(function["LoggingConfig"]["LogGroup"]["Ref"], logs);
        assert!(
            properties(&logs)["RetentionInDays"].is_object(),
            "{name} keeps its logs for ever"
        );
    }
}

#[test]
fn consumers_have_time_enough_and_report_single_failures() {
    assert_eq!(
        of_type("AWS::Lambda::EventSourceMapping").len(),
        CONSUMERS.len()
    );
    for (name, queue) in CONSUMERS {
        let function = properties(name);
        assert_eq!(function["Timeout"], 120, "{name}");
        assert_eq!(function["RecursiveLoop"], "Allow", "{name}");
        let mapping = properties(&format!("{name}Queue"));
        assert_eq!(mapping["EventSourceArn"], get_att(queue, "Arn"));
        assert_eq!(
            mapping["FunctionResponseTypes"],
            json!(["ReportBatchItemFailures"])
        );
        assert_eq!(mapping["BatchSize"], 1);
        assert!(
            mapping["ScalingConfig"]["MaximumConcurrency"].is_object(),
            "{name}"
        );
        let visibility = properties(queue)["VisibilityTimeout"].as_u64().unwrap();
        assert!(
            visibility > function["Timeout"].as_u64().unwrap(),
            "{queue}"
        );
    }
}

#[test]
fn every_queue_is_fifo_encrypted_and_has_its_dead_letters() {
    for (name, queue) in of_type("AWS::SQS::Queue") {
        assert_eq!(queue["FifoQueue"], true, "{name}");
        assert_eq!(queue["SqsManagedSseEnabled"], true, "{name}");
    }
    for (resource, name) in [
        ("Ingress", QueueName::Ingress),
        ("Utility", QueueName::Utility),
        ("Team", QueueName::Team),
    ] {
        let (queue, dead) = (
            properties(&format!("{resource}Queue")),
            format!("{resource}DeadLetters"),
        );
        assert_eq!(queue["QueueName"], name.as_str());
        assert_eq!(queue["VisibilityTimeout"], 180);
        assert_eq!(queue["RedrivePolicy"]["maxReceiveCount"], MAX_RECEIVES);
        assert_eq!(
            queue["RedrivePolicy"]["deadLetterTargetArn"],
            get_att(&dead, "Arn")
        );
        assert_eq!(properties(&dead)["QueueName"], name.dead_letters());
        let kept = |queue: &Value| queue["MessageRetentionPeriod"].as_u64().unwrap();
        assert!(
            kept(properties(&dead)) > kept(queue),
            "a dead letter keeps the age of its message"
        );
    }
}

#[test]
fn tables_expire_recover_and_stay() {
    let tables = of_type("AWS::DynamoDB::Table");
    assert_eq!(tables.len(), 2);
    for (name, table) in tables {
        assert_eq!(
            table["TimeToLiveSpecification"],
            json!({"AttributeName": "_x", "Enabled": true}),
            "{name}"
        );
        assert_eq!(
            table["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"],
            true
        );
        assert_eq!(table["SSESpecification"]["SSEEnabled"], true);
        assert_eq!(table["DeletionProtectionEnabled"], true);
        assert_eq!(table["BillingMode"], "PAY_PER_REQUEST");
        let keys: Vec<_> = many(&table["KeySchema"])
            .iter()
            .map(|key| key["AttributeName"].clone())
            .collect();
        assert_eq!(keys, ["pk", "sk"]);
        assert_eq!(resources()[name]["DeletionPolicy"], "Retain");
    }
}

#[test]
fn large_bodies_are_private_and_expire() {
    let bucket = properties("BlobsBucket");
    let block = bucket["PublicAccessBlockConfiguration"]
        .as_object()
        .unwrap();
    assert_eq!(block.len(), 4);
    assert!(block.values().all(|on| on == true));
    assert!(bucket["BucketEncryption"].is_object());
    assert_eq!(
        bucket["LifecycleConfiguration"]["Rules"][0]["ExpirationInDays"]["Ref"],
        "BlobRetentionDays"
    );
    assert_eq!(resources()["BlobsBucket"]["DeletionPolicy"], "Retain");
}

/// All statements of the roles and of the policy they share.
fn statements() -> Vec<(&'static str, &'static Value)> {
    let mut all = Vec::new();
    for role in ROLES {
        for policy in many(&properties(role)["Policies"]) {
            let found = many(&policy["PolicyDocument"]["Statement"]);
            all.extend(found.into_iter().map(|statement| (role, statement)));
        }
    }
    for (name, policy) in of_type("AWS::IAM::ManagedPolicy") {
        let found = many(&policy["PolicyDocument"]["Statement"]);
        all.extend(found.into_iter().map(|statement| (name, statement)));
    }
    all
}

#[test]
fn nobody_may_do_everything_or_with_everything() {
    let roles: BTreeSet<_> = of_type("AWS::IAM::Role")
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        roles,
        BTreeSet::from(ROLES),
        "a role that isn't looked at here"
    );
    for role in ROLES {
        // Managed policies of AWS reach every resource of an account.
        for policy in many(&properties(role)["ManagedPolicyArns"]) {
            assert_eq!(policy["Ref"], "RunAccess", "{role}");
        }
    }
    let all = statements();
    assert!(all.len() >= 12, "{}", all.len());
    for (owner, statement) in all {
        for action in many(&statement["Action"]) {
            assert!(!action.as_str().unwrap().contains('*'), "{owner}: {action}");
        }
        assert!(!many(&statement["Resource"]).is_empty(), "{owner}");
        for resource in many(&statement["Resource"]) {
            // Objects have no other name, and models' keys are made later, one a provider;
            // everything else is a reference to one resource.
            let objects = json!({"Fn::Sub": "${BlobsBucket.Arn}/*"});
            let digests = json!({"Fn::Sub": "${AuditBucket.Arn}/*"});
            let keys = json!({"Fn::Sub": "arn:${AWS::Partition}:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret:alfred/*_API_KEY-*"});
            let one = resource.get("Fn::GetAtt").is_some() || resource.get("Ref").is_some();
            let several = [&objects, &digests, &keys].contains(&resource);
            assert!(one || several, "{owner}: {resource}");
        }
    }
}

#[test]
fn the_audit_is_only_ever_appended_to() {
    let audit = get_att("AuditTable", "Arn");
    let about = statements()
        .into_iter()
        .filter(|(_, s)| many(&s["Resource"]).contains(&&audit));
    let (denied, allowed): (Vec<_>, Vec<_>) = about.partition(|(_, s)| s["Effect"] == "Deny");
    for (owner, statement) in allowed {
        let actions: BTreeSet<_> = many(&statement["Action"])
            .into_iter()
            .map(|a| a.as_str().unwrap())
            .collect();
        let appends = BTreeSet::from(["dynamodb:ConditionCheckItem", "dynamodb:PutItem"]);
        // The daily digests are made of the heads of the day.
        let reads = BTreeSet::from(["dynamodb:GetItem", "dynamodb:Query"]);
        let digests = owner == "ClassifierRole" && actions == reads;
        assert!(actions == appends || digests, "{owner}: {actions:?}");
    }
    assert_eq!(denied.len(), 1);
    let denied = many(&denied[0].1["Action"]);
    for action in [
        "dynamodb:UpdateItem",
        "dynamodb:DeleteItem",
        "dynamodb:BatchWriteItem",
    ] {
        assert!(denied.contains(&&json!(action)), "{action}");
    }
}

#[test]
fn digests_are_locked_where_nobody_can_rewrite_them() {
    let bucket = properties("AuditBucket");
    assert_eq!(bucket["ObjectLockEnabled"], true);
    assert_eq!(
        bucket["ObjectLockConfiguration"]["Rule"]["DefaultRetention"],
        json!({"Mode": "COMPLIANCE", "Days": alfred_core::Config::default().audit_days})
    );
    assert_eq!(bucket["VersioningConfiguration"]["Status"], "Enabled");
    let block = bucket["PublicAccessBlockConfiguration"]
        .as_object()
        .unwrap();
    assert_eq!(block.len(), 4);
    assert!(block.values().all(|on| on == true));
    assert!(bucket["BucketEncryption"].is_object());
    assert_eq!(resources()["AuditBucket"]["DeletionPolicy"], "Retain");

    let objects = json!({"Fn::Sub": "${AuditBucket.Arn}/*"});
    let about: Vec<_> = statements()
        .into_iter()
        .filter(|(_, s)| s["Resource"].to_string().contains("AuditBucket"))
        .collect();
    let [(owner, statement)] = about.as_slice() else {
        panic!("{about:?}");
    };
    assert_eq!(*owner, "ClassifierRole");
    assert_eq!(statement["Action"], json!(["s3:GetObject", "s3:PutObject"]));
    assert_eq!(statement["Resource"], objects);
    for name in FUNCTIONS {
        let bucket = &properties(name)["Environment"]["Variables"]["AUDIT_BUCKET"];
        let wanted = (name == "Classifier").then(|| json!({"Ref": "AuditBucket"}));
        assert_eq!(bucket, &wanted.unwrap_or_default(), "{name}");
    }
}

#[test]
fn the_receiver_may_only_enqueue() {
    let own: Vec<_> = statements()
        .into_iter()
        .filter(|(owner, _)| *owner == "SlackReceiverRole")
        .collect();
    let actions: BTreeSet<_> = own
        .iter()
        .flat_map(|(_, s)| many(&s["Action"]))
        .map(|a| a.as_str().unwrap())
        .collect();
    assert_eq!(
        actions,
        BTreeSet::from([
            "logs:CreateLogStream",
            "logs:PutLogEvents",
            "sqs:SendMessage"
        ])
    );
    assert_eq!(
        properties("SlackReceiverRole")["ManagedPolicyArns"],
        Value::Null
    );
    let secret =
        &properties("SlackReceiver")["Environment"]["Variables"]["SLACK_SIGNING_SECRET"]["Fn::Sub"];
    assert!(
        secret
            .as_str()
            .unwrap()
            .starts_with("{{resolve:secretsmanager:"),
        "read at each cold start"
    );
    assert_eq!(properties("SlackReceiverUrl")["AuthType"], "NONE");
    // Since October 2025 a public address needs both.
    let permissions: BTreeSet<_> = of_type("AWS::Lambda::Permission")
        .into_iter()
        .map(|(_, p)| p["Action"].as_str().unwrap())
        .collect();
    assert_eq!(
        permissions,
        BTreeSet::from(["lambda:InvokeFunction", "lambda:InvokeFunctionUrl"])
    );
}

#[test]
fn a_queue_is_sent_to_only_with_its_address_and_the_right() {
    for name in FUNCTIONS {
        let variables = properties(name)["Environment"]["Variables"]
            .as_object()
            .unwrap();
        let mut known: BTreeSet<_> = variables
            .iter()
            .filter(|(variable, _)| variable.ends_with("_QUEUE_URL"))
            .map(|(_, value)| value["Ref"].as_str().unwrap().to_owned())
            .collect();
        // What it receives and can't handle goes to the dead letters beside its own queue.
        let drained = CONSUMERS.iter().filter(|(consumer, _)| *consumer == name);
        known.extend(drained.map(|(_, queue)| queue.replace("Queue", "DeadLetters")));
        let role = format!("{name}Role");
        let may: BTreeSet<_> = statements()
            .into_iter()
            .filter(|(owner, s)| *owner == role && s["Sid"] == "Send")
            .flat_map(|(_, s)| many(&s["Resource"]))
            .map(|arn| arn["Fn::GetAtt"][0].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(known, may, "{name}");
    }
}

#[test]
fn the_sweep_is_an_envelope_with_a_body_of_its_own_each_time() {
    let sweep = properties("Sweep");
    assert_eq!(sweep["ScheduleExpression"], "rate(1 minute)");
    assert_eq!(sweep["Target"]["Arn"], get_att("IngressQueue", "Arn"));
    assert_eq!(sweep["Target"]["SqsParameters"]["MessageGroupId"], "sweep");
    // A schedule sends no deduplication id, so the queue makes one of the body.
    assert_eq!(
        properties("IngressQueue")["ContentBasedDeduplication"],
        true
    );
    let input = sweep["Target"]["Input"].as_str().unwrap();
    let body = |time: &str| input.replace("<aws.scheduler.scheduled-time>", time);
    let envelope: Envelope = serde_json::from_str(&body("2026-11-21T10:00:00Z")).unwrap();
    assert_eq!(envelope.payload, alfred_core::Payload::Sweep {});
    let next: Envelope = serde_json::from_str(&body("2026-11-21T10:01:00Z")).unwrap();
    assert_ne!(
        (envelope.identity, envelope.trace_id),
        (next.identity, next.trace_id)
    );
}

#[test]
fn what_goes_wrong_rings() {
    let alarms = of_type("AWS::CloudWatch::Alarm");
    let watched: BTreeSet<_> = alarms
        .iter()
        .map(|(_, alarm)| {
            let value = &alarm["Dimensions"][0]["Value"];
            let of = value["Ref"]
                .as_str()
                .or(value["Fn::GetAtt"][0].as_str())
                .unwrap();
            (
                of.to_owned(),
                alarm["MetricName"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    let mut expected = BTreeSet::new();
    for (_, queue) in CONSUMERS {
        let dead = queue.replace("Queue", "DeadLetters");
        expected.insert((dead, "ApproximateNumberOfMessagesVisible".to_owned()));
        expected.insert((queue.to_owned(), "ApproximateAgeOfOldestMessage".to_owned()));
    }
    for function in FUNCTIONS {
        expected.insert((function.to_owned(), "Errors".to_owned()));
        expected.insert((function.to_owned(), "Throttles".to_owned()));
    }
    assert_eq!(watched, expected);
    for (name, alarm) in alarms {
        assert_eq!(
            alarm["AlarmActions"]["Fn::If"][0], "HasAlarmTopic",
            "{name}"
        );
        assert_eq!(alarm["TreatMissingData"], "notBreaching", "{name}");
    }
}

#[test]
fn the_dashboard_is_json_and_names_metrics_that_exist() {
    let body = properties("Dashboard")["DashboardBody"]["Fn::Sub"]
        .as_str()
        .unwrap();
    let body: Value = serde_json::from_str(body).unwrap();
    let names: Vec<_> = alfred_lambda_kit::metrics::ALL
        .iter()
        .map(|metric| metric.name)
        .collect();
    let mut ours = 0;
    for widget in many(&body["widgets"]) {
        for metric in many(&widget["properties"]["metrics"]) {
            let expression = metric[0]["expression"].as_str().unwrap_or_default();
            let searched = expression
                .split("MetricName=\"")
                .nth(1)
                .and_then(|rest| rest.split('"').next());
            let listed = (metric[0] == "Alfred").then(|| metric[1].as_str().unwrap());
            for name in searched.into_iter().chain(listed) {
                assert!(names.contains(&name), "{name} isn't a metric");
                ours += 1;
            }
        }
    }
    assert!(ours >= 9, "{ours}");
}
