//! `alfred doctor` on a stack: everything is in order, then one thing after another is broken.

use alfred_operations::doctor::stack::Stack;
use alfred_operations::doctor::{report, run};
use alfred_testkit::ministack::{FifoQueue, Ministack};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use wiremock::matchers::{any, bearer_token, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

const SCOPES: &str = "app_mentions:read,assistant:write,channels:history,channels:read,chat:write,commands,\
    files:read,groups:history,groups:read,im:history,im:read,im:write,mpim:history,metadata.message:read,\
    users:read,users:read.email";
/// A zip file without entries.
const NO_CODE: &[u8] = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

struct Scene {
    aws: &'static Ministack,
    outside: MockServer,
    environment: BTreeMap<String, String>,
    queues: Vec<FifoQueue>,
    lines: Vec<String>,
}

impl Scene {
    async fn new() -> Self {
        drop(rustls::crypto::ring::default_provider().install_default());
        let (aws, outside) = (Ministack::shared(), MockServer::start().await);
        let queue = |name: &&str| aws.fifo_queue(name, Duration::from_secs(180), 10);
        let queues: Vec<FifoQueue> = ["alfred-ingress", "alfred-utility", "alfred-team"]
            .iter()
            .map(queue)
            .collect();
        for table in ["alfred-state", "alfred-audit"] {
            aws.table(table);
            let protected = json!({"TableName": table, "DeletionProtectionEnabled": true});
            aws.call("DynamoDB_20120810.UpdateTable", &protected);
            backed_up(aws, table, true);
        }
        aws.bucket("alfred-bodies");
        let mut scene = Self {
            aws,
            environment: BTreeMap::new(),
            queues,
            outside,
            lines: Vec::new(),
        };
        let lock = [("x-amz-bucket-object-lock-enabled", "true")];
        scene
            .rest("PUT", "s3", "/alfred-digests", &lock, String::new())
            .await;
        for (name, value) in [
            ("SLACK_BOT_TOKEN", "xoxb-1"),
            (
                "SLACK_SIGNING_SECRET",
                r#"{"current": "s", "previous": ""}"#,
            ),
            ("GOOGLE_CLIENT_SECRET", "g"),
            ("OPENAI_API_KEY", "k"),
        ] {
            let secret = json!({"Name": format!("alfred/{name}"), "SecretString": value});
            aws.call("secretsmanager.CreateSecret", &secret);
        }
        scene
            .outside_answers(&format!("{SCOPES},files:write"), 200)
            .await;
        let [ingress, utility, team] = [0, 1, 2].map(|place| scene.queues[place].url.clone());
        let model = format!("{}/v1", scene.outside.uri());
        let settings = json!({
            "STATE_TABLE": "alfred-state", "AUDIT_TABLE": "alfred-audit",
            "BLOBS_BUCKET": "alfred-bodies", "AUDIT_BUCKET": "alfred-digests",
            "INGRESS_QUEUE_URL": ingress, "UTILITY_QUEUE_URL": utility, "TEAM_QUEUE_URL": team,
            "ALFRED_MODEL": "custom:m", "ALFRED_MODEL_URL": model, "ALFRED_ADMINS": "U1",
            "SLACK_API_URL": format!("{}/api", scene.outside.uri()), "GOOGLE_CLIENT_ID": "id",
        });
        let receiver = json!({"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_SIGNING_SECRET": "s"});
        for (name, variables) in [
            ("slack-receiver", &receiver),
            ("classifier", &settings),
            ("utility-worker", &json!({})),
            ("team-manager", &json!({})),
            ("oauth-callback", &json!({})),
        ] {
            let function = json!({
                "FunctionName": format!("alfred-{name}"), "Runtime": "provided.al2023", "Handler": "bootstrap",
                "Role": "arn:aws:iam::000000000000:role/r", "Code": {"ZipFile": STANDARD.encode(NO_CODE)},
                "Architectures": ["arm64"], "Environment": {"Variables": variables},
            });
            let functions = "/2015-03-31/functions";
            scene
                .rest("POST", "lambda", functions, &[], function.to_string())
                .await;
        }
        let of_aws = [
            "AWS_ENDPOINT_URL",
            "AWS_REGION",
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
        ];
        for name in of_aws {
            let value = aws.variable(name).unwrap();
            scene.environment.insert(name.into(), value);
        }
        scene
    }

    /// A call of a service without a JSON protocol.
    async fn rest(
        &self,
        verb: &str,
        service: &str,
        place: &str,
        headers: &[(&str, &str)],
        body: String,
    ) {
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let url = format!("{}{place}", self.aws.endpoint());
        let signature =
            format!("AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/{service}/aws4_request");
        let mut request = http.request(verb.parse().unwrap(), url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.header("authorization", signature).body(body);
        let answer = request.send().await.unwrap();
        let status = answer.status();
        let said = answer.text().await.unwrap();
        assert!(status.is_success(), "{verb} {place}: {status} {said}");
    }

    /// What Slack and the model's server answer from now on.
    async fn outside_answers(&self, scopes: &str, model: u16) {
        self.outside.reset().await;
        let bot = json!({"ok": true, "team": "Acme", "user": "alfred", "bot_id": "B1"});
        let known = ResponseTemplate::new(200).set_body_json(bot);
        let known = known.insert_header("x-oauth-scopes", scopes);
        let auth = || Mock::given(method("GET")).and(path("/api/auth.test"));
        let auth_known = auth().and(bearer_token("xoxb-1")).respond_with(known);
        auth_known.mount(&self.outside).await;
        let revoked = json!({"ok": false, "error": "token_revoked"});
        let revoked = ResponseTemplate::new(200).set_body_json(revoked);
        auth().respond_with(revoked).mount(&self.outside).await;
        let said = json!({"choices": [{"message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}]});
        let answer = ResponseTemplate::new(model).set_body_json(said);
        let chat = Mock::given(method("POST")).and(path("/v1/chat/completions"));
        chat.respond_with(answer).mount(&self.outside).await;
    }

    fn secret(&self, name: &str, value: &str) {
        let secret = json!({"SecretId": format!("alfred/{name}"), "SecretString": value});
        self.aws.call("secretsmanager.PutSecretValue", &secret);
    }

    /// Checks the lines that weren't in the last report, without the summary.
    async fn shows(&mut self, expected: &[&str]) {
        let mut changed = self.changed().await;
        changed.pop();
        assert_eq!(changed, expected, "{:#?}", self.lines);
    }

    /// The lines that weren't in the last report.
    async fn changed(&mut self) -> Vec<String> {
        let checks = Stack::checks(self.environment.clone(), |_| Vec::new()).await;
        let report = report(&run(checks).await);
        let lines: Vec<String> = report.lines().map(without_time).collect();
        let is_new = |line: &&String| !self.lines.contains(line);
        let new = lines.iter().filter(is_new).cloned().collect();
        self.lines = lines;
        new
    }
}

fn without_time(line: &str) -> String {
    let before = line.split(" answered in ").next().unwrap_or_default();
    let before = before.split(", last changed ").next().unwrap_or_default();
    before.to_owned()
}

fn backed_up(aws: &Ministack, table: &str, is_on: bool) {
    let recovery = json!({"PointInTimeRecoveryEnabled": is_on});
    let backups = json!({"TableName": table, "PointInTimeRecoverySpecification": recovery});
    aws.call("DynamoDB_20120810.UpdateContinuousBackups", &backups);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_broken_part_of_a_stack_is_named_with_the_next_step() {
    let mut scene = Scene::new().await;
    let (aws, queues) = (scene.aws, scene.queues.clone());
    let all = scene.changed().await;
    let bad = all
        .iter()
        .find(|line| !line.is_empty() && !line.starts_with("ok "));
    assert_eq!(bad.unwrap(), "Everything is in order.", "{all:#?}");
    assert_eq!(all.len(), 16, "{all:#?}");

    scene.outside_answers(SCOPES, 401).await;
    scene.secret(
        "SLACK_SIGNING_SECRET",
        r#"{"current": "", "previous": "s"}"#,
    );
    scene.shows(&[
        "problem  model: model refused the request: custom:m: status 401: check the provider's key. docs/models.md has the variables of models, keys and addresses.",
        "problem  slack: workspace Acme, bot @alfred; scopes are missing: files:write (pictures of a day). Paste infra/slack-app.yaml into *App Manifest* with your addresses, and install the app again.",
        "problem  secrets: SLACK_SIGNING_SECRET is missing. Deploy it with its parameter (docs/deploying.md); on one machine set it.",
    ]).await;

    scene.secret("GOOGLE_CLIENT_SECRET", "g\n");
    scene.secret("SLACK_BOT_TOKEN", "xoxb-2");
    scene.shows(&[
        "problem  slack: the bot token is refused: token_revoked. Take the bot token from *OAuth & Permissions* of the Slack app, installed again if need be, and set SLACK_BOT_TOKEN, on AWS SlackBotToken.",
        "problem  secrets: the receiver was deployed with another SLACK_BOT_TOKEN than the stored one. Deploy with a SecretsRevision one higher.",
        "problem  secrets: GOOGLE_CLIENT_SECRET begins or ends with white space, such as a line end. Store it again without.",
    ]).await;

    let letter = json!({
        "QueueUrl": queues[0].dead_letters, "MessageBody": "x",
        "MessageGroupId": "g", "MessageDeduplicationId": "d",
    });
    aws.call("AmazonSQS.SendMessage", &letter);
    aws.call("AmazonSQS.DeleteQueue", &json!({"QueueUrl": queues[1].url}));
    let nowhere = json!({"QueueUrl": queues[2].url, "Attributes": {"RedrivePolicy": ""}});
    aws.call("AmazonSQS.SetQueueAttributes", &nowhere);
    scene.shows(&[
        "problem  queue alfred-ingress-dlq.fifo: dead letters: 1. `alfred dlq list` shows why (docs/runbook.md#dead-letters).",
        "problem  queue alfred-utility.fifo: it doesn't exist. Deploy the stack again (docs/deploying.md).",
        "problem  queue alfred-team.fifo: messages that fail don't go to alfred-team-dlq.fifo. Deploy the stack again (docs/deploying.md).",
    ]).await;

    let off = |what: &str, value: Value| json!({"TableName": "alfred-state", what: value});
    let dynamo = |operation: &str, input: &Value| {
        aws.call(&format!("DynamoDB_20120810.{operation}"), input);
    };
    let mortal = json!({"AttributeName": "_x", "Enabled": false});
    dynamo("UpdateTimeToLive", &off("TimeToLiveSpecification", mortal));
    backed_up(aws, "alfred-state", false);
    for table in ["alfred-state", "alfred-audit"] {
        let unprotected = json!({"TableName": table, "DeletionProtectionEnabled": false});
        dynamo("UpdateTable", &unprotected);
    }
    dynamo("DeleteTable", &json!({"TableName": "alfred-audit"}));
    let keys = json!({
        "TableName": "alfred-audit", "BillingMode": "PAY_PER_REQUEST", "DeletionProtectionEnabled": true,
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    });
    dynamo("CreateTable", &keys);
    let lives = json!({"AttributeName": "_x", "Enabled": true});
    let lives = json!({"TableName": "alfred-audit", "TimeToLiveSpecification": lives});
    dynamo("UpdateTimeToLive", &lives);
    backed_up(aws, "alfred-audit", true);
    scene.shows(&[
        "warning  table alfred-state: it can be deleted by mistake. Deploy with DeletionProtection=true.",
        "warning  table alfred-state: nothing expires: time to live on _x is off. Deploy the stack again (docs/deploying.md).",
        "warning  table alfred-state: it has no backup: point-in-time recovery is off. Deploy the stack again (docs/deploying.md).",
        "problem  table alfred-audit: it isn't a table of this release: its keys are id, not the texts pk and sk. Name another table, or deploy the release that made it.",
    ]).await;

    let nothing = String::new;
    for bucket in ["alfred-bodies", "alfred-digests"] {
        scene
            .rest("DELETE", "s3", &format!("/{bucket}"), &[], nothing())
            .await;
    }
    aws.bucket("alfred-digests");
    let function = "/2015-03-31/functions/alfred-team-manager";
    scene
        .rest("DELETE", "lambda", function, &[], nothing())
        .await;
    scene.shows(&[
        "problem  functions: alfred-team-manager doesn't exist. Set ALFRED_STAGE to the parameter Stage, or deploy the stack (docs/deploying.md).",
        "problem  bucket alfred-bodies: it doesn't exist. Deploy the stack again (docs/deploying.md).",
        "problem  bucket alfred-digests: the audit's digests aren't locked in it, so they can be changed. Let the stack make another bucket: Object Lock is chosen when a bucket is made.",
    ]).await;
}

#[tokio::test]
async fn a_missing_right_is_a_warning_that_names_it() {
    drop(rustls::crypto::ring::default_provider().install_default());
    let aws = MockServer::start().await;
    let denied = json!({"__type": "AccessDeniedException", "message": "not authorized"});
    let denied = ResponseTemplate::new(403).set_body_json(denied);
    Mock::given(any()).respond_with(denied).mount(&aws).await;
    let (endpoint, queue) = (aws.uri(), format!("{}/0/alfred-team.fifo", aws.uri()));
    let environment = [
        ("AWS_ENDPOINT_URL", &*endpoint),
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", "test"),
        ("STATE_TABLE", "alfred-state"),
        ("TEAM_QUEUE_URL", &queue),
        ("AUDIT_BUCKET", "alfred-digests"),
        ("ALFRED_MODLE", "custom:m"),
    ];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let checks = Stack::checks(environment.into(), |_| Vec::new()).await;
    let report = report(&run(checks).await);
    let lacks = |check: &str, action: &str| {
        format!(
            "warning  {check}: not checked: your credentials lack {action}. Allow it to have this checked."
        )
    };
    for line in [
        "warning  settings: there is no setting ALFRED_MODLE. Do you mean ALFRED_MODEL?".to_owned(),
        lacks("functions", "lambda:GetFunctionConfiguration"),
        lacks("table alfred-state", "dynamodb:DescribeTable"),
        lacks("queue alfred-team.fifo", "sqs:GetQueueAttributes"),
        lacks("bucket alfred-digests", "s3:ListBucket"),
        "warning  AUDIT_TABLE: it isn't set, so what it names isn't checked. Export the stack's outputs (docs/debugging.md#on-aws).".to_owned(),
    ] {
        assert!(report.lines().any(|shown| shown == line), "{line}\n{report}");
    }
    assert!(report.contains("secretsmanager:GetSecretValue"), "{report}");
}
