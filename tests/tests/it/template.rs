//! Checks the deployment template, including what emulators ignore: expiry, recovery, timeouts.
use alfred_core::Envelope;
use alfred_core::ports::{EXPIRING, QueueName};
use alfred_core::redelivery::MAX_RECEIVES;
use alfred_testkit::sam;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

const FUNCTIONS: [&str; 5] = [
    "OauthCallback",
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
const ROLES: &str = "AccountsRole ClassifierRole OauthCallbackRole SlackReceiverRole SweepRole TeamManagerRole UtilityWorkerRole";

pub const CODE_BUCKET: &str = "code";

/// The template after SAM's translation, once per test process.
pub fn translated() -> &'static Value {
    static TEMPLATE: OnceLock<Value> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../infra/template.yaml");
        sam::translated(&path, CODE_BUCKET)
    })
}

fn resources() -> &'static Map<String, Value> {
    translated()["Resources"].as_object().unwrap()
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

/// A value, or the items of a list.
fn many(value: &Value) -> Vec<&Value> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(items) => items.iter().collect(),
        one => vec![one],
    }
}

fn texts(value: &'static Value) -> impl Iterator<Item = &'static str> {
    many(value).into_iter().map(|one| one.as_str().unwrap())
}

fn get_att(resource: &str, attribute: &str) -> Value {
    json!({"Fn::GetAtt": [resource, attribute]})
}

fn fits(there: &Value, wanted: &Value) -> bool {
    match wanted {
        Value::Object(fields) => fields.iter().all(|(name, one)| fits(&there[name], one)),
        one => there == one,
    }
}

fn has(name: &str, there: &Value, wanted: &Value) {
    assert!(fits(there, wanted), "{name} has not {wanted}: {there:#}");
}

#[test]
fn functions_are_bootstraps_with_their_own_role_and_logs() {
    let functions = of_type("AWS::Lambda::Function");
    assert_eq!(functions.len(), FUNCTIONS.len());
    for name in FUNCTIONS {
        let logs = format!("{name}Logs");
        let function = json!({
            "Runtime": "provided.al2023",
            "Handler": "bootstrap",
            "Architectures": [{"Ref": "Architecture"}],
            "Role": get_att(&format!("{name}Role"), "Arn"),
            "LoggingConfig": {"LogGroup": {"Ref": logs}},
        });
        has(name, properties(name), &function);
        let kept = properties(&logs)["RetentionInDays"].is_object();
        assert!(kept, "{name} keeps its logs for ever");
    }
}

#[test]
fn whoever_takes_runs_in_knows_what_a_person_may_use() {
    for (name, _) in CONSUMERS {
        let budgets = json!({
            "ALFRED_DAILY_BUDGET": {"Ref": "DailyBudget"},
            "ALFRED_SCHEDULED_BUDGET": {"Ref": "ScheduledBudget"},
        });
        has(
            name,
            &properties(name)["Environment"]["Variables"],
            &budgets,
        );
    }
}

#[test]
fn consumers_have_time_enough_and_report_single_failures() {
    let mappings = of_type("AWS::Lambda::EventSourceMapping");
    assert_eq!(mappings.len(), CONSUMERS.len());
    for (name, queue) in CONSUMERS {
        let consumer = json!({"Timeout": 120, "RecursiveLoop": "Allow"});
        has(name, properties(name), &consumer);
        let mapping = properties(&format!("{name}Queue"));
        let single = json!({
            "EventSourceArn": get_att(queue, "Arn"),
            "FunctionResponseTypes": ["ReportBatchItemFailures"],
            "BatchSize": 1,
        });
        has(name, mapping, &single);
        let most = &mapping["ScalingConfig"]["MaximumConcurrency"];
        assert!(most.is_object(), "{name}");
        let visibility = properties(queue)["VisibilityTimeout"].as_u64();
        assert!(visibility > Some(120), "{queue}");
    }
}

#[test]
fn every_queue_is_fifo_encrypted_and_has_its_dead_letters() {
    for (name, queue) in of_type("AWS::SQS::Queue") {
        let safe = json!({"FifoQueue": true, "SqsManagedSseEnabled": true});
        has(name, queue, &safe);
    }
    for (resource, name) in [
        ("Ingress", QueueName::Ingress),
        ("Utility", QueueName::Utility),
        ("Team", QueueName::Team),
    ] {
        let queue = properties(&format!("{resource}Queue"));
        let dead = format!("{resource}DeadLetters");
        let arn = get_att(&dead, "Arn");
        let dead = properties(&dead);
        let wanted = json!({
            "QueueName": name.as_str(),
            "VisibilityTimeout": 180,
            "RedrivePolicy": {"maxReceiveCount": MAX_RECEIVES, "deadLetterTargetArn": arn},
        });
        has(resource, queue, &wanted);
        assert_eq!(dead["QueueName"], name.dead_letters());
        let kept = |queue: &Value| queue["MessageRetentionPeriod"].as_u64().unwrap();
        let longer = kept(dead) > kept(queue);
        assert!(longer, "a dead letter keeps the age of its message");
    }
}

#[test]
fn tables_expire_recover_and_stay() {
    let tables = of_type("AWS::DynamoDB::Table");
    assert_eq!(tables.len(), 2);
    for (name, table) in tables {
        let wanted = json!({
            "TimeToLiveSpecification": {"AttributeName": "_x", "Enabled": true},
            "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true},
            "SSESpecification": {"SSEEnabled": true},
            "DeletionProtectionEnabled": true,
            "BillingMode": "PAY_PER_REQUEST",
        });
        has(name, table, &wanted);
        let keys = many(&table["KeySchema"]).into_iter();
        let keys: Vec<_> = keys.map(|key| &key["AttributeName"]).collect();
        assert_eq!(keys, ["pk", "sk"]);
        assert_eq!(resources()[name]["DeletionPolicy"], "Retain");
    }
}

/// A private, encrypted bucket that survives the stack's deletion.
fn private(name: &str) -> &'static Value {
    let bucket = properties(name);
    let block = bucket["PublicAccessBlockConfiguration"].as_object();
    let block = block.unwrap();
    assert!(block.len() == 4 && block.values().all(|on| on == true));
    assert!(bucket["BucketEncryption"].is_object());
    assert_eq!(resources()[name]["DeletionPolicy"], "Retain");
    bucket
}

#[test]
fn large_bodies_are_private_and_expire() {
    let rule = &private("BlobsBucket")["LifecycleConfiguration"]["Rules"][0];
    assert_eq!(rule["ExpirationInDays"]["Ref"], "BlobRetentionDays");
    assert_eq!(rule["Prefix"], format!("{EXPIRING}/"));
}

/// The ARNs a tagged session may access.
fn own_secrets() -> Value {
    json!({"Fn::Join": ["", [
        {"Fn::Sub": "arn:${AWS::Partition}:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret:alfred/"},
        "${aws:PrincipalTag/team}/${aws:PrincipalTag/user}/*",
    ]]})
}

fn statements() -> Vec<(&'static str, &'static Value)> {
    let of_roles = ROLES.split(' ').flat_map(|role| {
        let policies = many(&properties(role)["Policies"]).into_iter();
        policies.map(move |policy| (role, policy))
    });
    of_roles
        .chain(of_type("AWS::IAM::ManagedPolicy"))
        .flat_map(|(name, policy)| {
            let found = many(&policy["PolicyDocument"]["Statement"]).into_iter();
            let each = found.flat_map(|statement| match statement.get("Fn::If") {
                Some(either) => many(either).into_iter().skip(1).collect(),
                None => vec![statement],
            });
            each.map(move |statement| (name, statement))
        })
        .collect()
}

#[test]
fn nobody_may_do_everything_or_with_everything() {
    let roles = of_type("AWS::IAM::Role").into_iter();
    let roles: BTreeSet<_> = roles.map(|(name, _)| name).collect();
    let known = ROLES.split(' ').collect();
    assert_eq!(roles, known, "a role that isn't looked at here");
    for role in ROLES.split(' ') {
        // AWS's managed policies cover every resource of an account.
        for policy in many(&properties(role)["ManagedPolicyArns"]) {
            assert_eq!(policy["Ref"], "RunAccess", "{role}");
        }
    }
    let all = statements();
    assert!(all.len() >= 12, "{}", all.len());
    for (owner, statement) in all {
        for action in texts(&statement["Action"]) {
            assert!(!action.contains('*'), "{owner}: {action}");
        }
        assert!(!many(&statement["Resource"]).is_empty(), "{owner}");
        for resource in many(&statement["Resource"]) {
            // Objects have no ARN of their own, and model keys are created later, one per provider. Everything else
            // references one resource.
            let objects = json!({"Fn::Sub": "${BlobsBucket.Arn}/*"});
            let digests = json!({"Fn::Sub": "${AuditBucket.Arn}/*"});
            let keys = json!({"Fn::Sub": "arn:${AWS::Partition}:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret:alfred/*_API_KEY-*"});
            let one = resource.get("Fn::GetAtt").is_some() || resource.get("Ref").is_some();
            let several = [&objects, &digests, &keys, &own_secrets()].contains(&resource);
            assert!(one || several, "{owner}: {resource}");
        }
    }
}

#[test]
fn bedrock_is_asked_only_where_it_is_chosen_and_for_what_is_named() {
    let bedrock = statements().into_iter().filter(|(_, statement)| {
        texts(&statement["Action"]).any(|action| action.starts_with("bedrock:"))
    });
    let [(name, statement)] = bedrock.collect::<Vec<_>>()[..] else {
        panic!("one statement asks models");
    };
    assert_eq!(statement["Action"], "bedrock:InvokeModelWithResponseStream");
    assert_eq!(statement["Resource"], json!({"Ref": "BedrockModels"}));
    assert_eq!(resources()[name]["Condition"], "HasBedrock");
    let roles = CONSUMERS.map(|(function, _)| json!({"Ref": format!("{function}Role")}));
    assert_eq!(properties(name)["Roles"], json!(roles));
}

#[test]
fn the_audit_is_only_ever_appended_to() {
    let audit = get_att("AuditTable", "Arn");
    let about = statements()
        .into_iter()
        .filter(|(_, s)| many(&s["Resource"]).contains(&&audit));
    let (denied, allowed): (Vec<_>, Vec<_>) = about.partition(|(_, s)| s["Effect"] == "Deny");
    for (owner, statement) in allowed {
        let actions: BTreeSet<_> = texts(&statement["Action"]).collect();
        let appends = BTreeSet::from(["dynamodb:ConditionCheckItem", "dynamodb:PutItem"]);
        // The daily digests read the day's heads.
        let reads = BTreeSet::from(["dynamodb:GetItem", "dynamodb:Query"]);
        let digests = owner == "ClassifierRole" && actions == reads;
        assert!(actions == appends || digests, "{owner}: {actions:?}");
    }
    assert_eq!(denied.len(), 1);
    let denied: BTreeSet<_> = texts(&denied[0].1["Action"]).collect();
    for change in ["UpdateItem", "DeleteItem", "BatchWriteItem"] {
        let action = format!("dynamodb:{change}");
        assert!(denied.contains(action.as_str()), "{action}");
    }
}

#[test]
fn digests_are_locked_where_nobody_can_rewrite_them() {
    let days = alfred_core::Config::default().audit_days;
    let locked = json!({
        "ObjectLockEnabled": true,
        "ObjectLockConfiguration": {
            "Rule": {"DefaultRetention": {"Mode": "COMPLIANCE", "Days": days}},
        },
        "VersioningConfiguration": {"Status": "Enabled"},
    });
    has("AuditBucket", private("AuditBucket"), &locked);

    let objects = json!({"Fn::Sub": "${AuditBucket.Arn}/*"});
    let about = statements().into_iter();
    let about = about.filter(|(_, s)| s["Resource"].to_string().contains("AuditBucket"));
    let may = json!({"Action": ["s3:GetObject", "s3:PutObject"], "Resource": objects});
    let about: Vec<_> = about.collect();
    let [(owner @ "ClassifierRole", statement)] = about.as_slice() else {
        panic!("{about:?}");
    };
    has(owner, statement, &may);
    for name in FUNCTIONS {
        let bucket = &properties(name)["Environment"]["Variables"]["AUDIT_BUCKET"];
        let wanted = (name == "Classifier").then(|| json!({"Ref": "AuditBucket"}));
        assert_eq!(bucket, &wanted.unwrap_or_default(), "{name}");
    }
}

/// A function needs a tagged session of a separate role.
#[test]
fn only_a_tagged_session_reaches_a_persons_secret() {
    let trust = &properties("AccountsRole")["AssumeRolePolicyDocument"]["Statement"][0];
    let tags = json!({"StringLike": {"aws:RequestTag/team": "?*", "aws:RequestTag/user": "?*"}});
    assert_eq!(trust["Condition"], tags);
    let trusted = trust["Principal"]["AWS"].as_array().unwrap();
    let given = properties("AccountsAccess")["Roles"].as_array().unwrap();
    let names = |roles: &[Value], name: fn(&Value) -> &Value| -> BTreeSet<String> {
        roles
            .iter()
            .map(|role| name(role).as_str().unwrap().to_owned())
            .collect()
    };
    let trusted = names(trusted, |role| &role["Fn::GetAtt"][0]);
    assert_eq!(trusted, names(given, |role| &role["Ref"]));
    let (mut secrets, mut encrypted) = (0, 0);
    for (owner, statement) in statements() {
        if many(&statement["Resource"]).contains(&&own_secrets()) {
            assert_eq!(owner, "AccountsRole");
            secrets += 1;
        }
        if texts(&statement["Action"]).any(|action| action.starts_with("kms:")) {
            assert_eq!(owner, "AccountsRole");
            let own = json!({"StringEquals": {
                "kms:EncryptionContext:team": "${aws:PrincipalTag/team}",
                "kms:EncryptionContext:user": "${aws:PrincipalTag/user}",
            }});
            assert_eq!(statement["Condition"], own);
            encrypted += 1;
        }
    }
    assert_eq!((secrets, encrypted), (1, 1));
    assert_eq!(properties("OauthCallbackUrl")["AuthType"], "NONE");
}

#[test]
fn the_receiver_may_only_enqueue() {
    let own = statements().into_iter();
    let own = own.filter(|(owner, _)| *owner == "SlackReceiverRole");
    let actions = own.flat_map(|(_, statement)| texts(&statement["Action"]));
    let actions: BTreeSet<_> = actions.collect();
    let may = "logs:CreateLogStream logs:PutLogEvents sqs:SendMessage";
    assert_eq!(actions, may.split(' ').collect());
    let role = properties("SlackReceiverRole");
    assert_eq!(role["ManagedPolicyArns"], Value::Null);
    let variables = &properties("SlackReceiver")["Environment"]["Variables"];
    let secret = variables["SLACK_SIGNING_SECRET"]["Fn::Sub"].as_str();
    let resolved = secret.unwrap().starts_with("{{resolve:secretsmanager:");
    assert!(resolved, "read at each cold start");
    assert_eq!(properties("SlackReceiverUrl")["AuthType"], "NONE");
    // Since October 2025 a public function URL needs both permissions.
    let permissions = of_type("AWS::Lambda::Permission").into_iter();
    let permissions = permissions.flat_map(|(_, one)| texts(&one["Action"]));
    let permissions: BTreeSet<_> = permissions.collect();
    let both = "lambda:InvokeFunction lambda:InvokeFunctionUrl";
    assert_eq!(permissions, both.split(' ').collect());
}

#[test]
fn a_queue_is_sent_to_only_with_its_address_and_the_right() {
    for name in FUNCTIONS {
        let variables = properties(name)["Environment"]["Variables"].as_object();
        let queues = variables.unwrap().iter();
        let queues = queues.filter(|(variable, _)| variable.ends_with("_QUEUE_URL"));
        let mut known: BTreeSet<_> = queues
            .map(|(_, value)| value["Ref"].as_str().unwrap().to_owned())
            .collect();
        // Messages it can't handle go to its queue's dead letters.
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
    assert_eq!(sweep["ScheduleExpression"], "cron(* * * * ? *)");
    assert_eq!(sweep["Target"]["Arn"], get_att("IngressQueue", "Arn"));
    assert_eq!(sweep["Target"]["SqsParameters"]["MessageGroupId"], "sweep");
    // A schedule sends no deduplication id, so the queue derives one from the body.
    let queue = properties("IngressQueue");
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

#[test]
fn what_goes_wrong_rings() {
    let alarms = of_type("AWS::CloudWatch::Alarm");
    let watched = alarms.iter().map(|(_, alarm)| {
        let value = &alarm["Dimensions"][0]["Value"];
        let of = value["Ref"].as_str().or(value["Fn::GetAtt"][0].as_str());
        let metric = alarm["MetricName"].as_str().unwrap();
        (of.unwrap().to_owned(), metric.to_owned())
    });
    let watched: BTreeSet<_> = watched.collect();
    let mut expected = BTreeSet::new();
    let mut expect = |of: &str, metric: &str| expected.insert((of.to_owned(), metric.to_owned()));
    for (_, queue) in CONSUMERS {
        let dead = queue.replace("Queue", "DeadLetters");
        expect(&dead, "ApproximateNumberOfMessagesVisible");
        expect(queue, "ApproximateAgeOfOldestMessage");
    }
    for function in FUNCTIONS {
        expect(function, "Errors");
        expect(function, "Throttles");
    }
    assert_eq!(watched, expected);
    for (name, alarm) in alarms {
        let told = &alarm["AlarmActions"]["Fn::If"][0];
        assert_eq!(told, "HasAlarmTopic", "{name}");
        assert_eq!(alarm["TreatMissingData"], "notBreaching", "{name}");
    }
}

#[test]
fn the_dashboard_is_json_and_names_metrics_that_exist() {
    let body = properties("Dashboard")["DashboardBody"]["Fn::Sub"].as_str();
    let body: Value = serde_json::from_str(body.unwrap()).unwrap();
    let ours = alfred_lambda_kit::metrics::ALL.iter();
    let names: Vec<_> = ours.map(|metric| metric.name).collect();
    let mut ours = 0;
    for widget in many(&body["widgets"]) {
        for metric in many(&widget["properties"]["metrics"]) {
            let expression = metric[0]["expression"].as_str().unwrap_or_default();
            let mut parts = expression.split("MetricName=\"").skip(1);
            let searched = parts.next().and_then(|rest| rest.split('"').next());
            let listed = (metric[0] == "Alfred").then(|| metric[1].as_str().unwrap());
            for name in searched.into_iter().chain(listed) {
                assert!(names.contains(&name), "{name} isn't a metric");
                ours += 1;
            }
        }
    }
    assert!(ours >= 9, "{ours}");
}
