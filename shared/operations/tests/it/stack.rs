//! Plays `stack.txt`: `alfred doctor` on a stack whose parts are broken one after another.
//!
//! - `table`, `queue`, `bucket` and `function` make one. `secret NAME VALUE` sets one.
//! - `call OPERATION JSON` calls a service of AWS, and `send SERVICE VERB PLACE HEADER` one without a JSON protocol.
//! - `outside STATUS SCOPES` is what the model and Slack answer from now on. Slack knows the token xoxb-1.
//! - `says START SECONDS STATUS JSON` is what AWS answers outside, where the path begins so, unless it was said before.
//! - `doctor` shows the lines that weren't in its last report, without times.

use alfred_core::config::Config;
use alfred_operations::doctor::stack::Stack;
use alfred_operations::doctor::{report, run};
use alfred_testkit::ministack::{Ministack, credential};
use alfred_testkit::play::{Interpreter, assert_played};
use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use wiremock::matchers::{bearer_token, path, path_regex};
use wiremock::{Mock, MockServer, ResponseTemplate};

/// A zip file without entries.
const NO_CODE: &[u8] = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_broken_part_of_a_stack_is_named_with_the_next_step() {
    drop(rustls::crypto::ring::default_provider().install_default());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/stack.txt");
    assert_played(path, Scene::new).await;
}

struct Scene {
    aws: &'static Ministack,
    outside: MockServer,
    environment: BTreeMap<String, String>,
    reported: Vec<String>,
}

#[async_trait]
impl Interpreter for Scene {
    async fn perform(&mut self, command: &str) -> String {
        let command = command.replace("http://outside", &self.outside.uri());
        let command = command.replace("http://aws", &self.aws.endpoint());
        let (verb, rest) = command.split_once(' ').unwrap_or((&command, ""));
        let (name, more) = rest.split_once(' ').unwrap_or((rest, ""));
        match verb {
            "doctor" => return self.doctor().await,
            "table" => self.aws.table(name),
            "queue" => drop(self.aws.fifo_queue(name, Duration::from_secs(180), 10)),
            "secret" => {
                let secret = json!({"Name": name, "SecretString": more.replace("\\n", "\n")});
                self.aws.call("secretsmanager.CreateSecret", &secret);
            }
            "function" => {
                let variables: Value = serde_json::from_str(more).unwrap();
                let function = json!({
                    "FunctionName": name, "Runtime": "provided.al2023", "Handler": "bootstrap",
                    "Role": "arn:aws:iam::000000000000:role/r", "Architectures": ["arm64"],
                    "Code": {"ZipFile": STANDARD.encode(NO_CODE)}, "Environment": {"Variables": variables},
                });
                let place = "lambda POST /2015-03-31/functions x-any";
                self.send(place, function.to_string()).await;
            }
            "call" => drop(self.aws.call(name, &serde_json::from_str(more).unwrap())),
            "send" => self.send(rest, String::new()).await,
            "outside" => self.answers(name.parse().unwrap(), more).await,
            "set" => drop(self.environment.insert(name.into(), more.into())),
            "says" => {
                let (seconds, answer) = more.split_once(' ').unwrap();
                let (status, body) = answer.split_once(' ').unwrap();
                let answer = ResponseTemplate::new(status.parse::<u16>().unwrap())
                    .set_body_raw(body, "application/json")
                    .set_delay(Duration::from_secs(seconds.parse().unwrap()));
                let mock = Mock::given(path_regex(format!("^{name}"))).respond_with(answer);
                mock.mount(&self.outside).await;
            }
            _ => panic!("there is no command {verb}"),
        }
        String::new()
    }
}

impl Scene {
    async fn new() -> Self {
        let aws = Ministack::shared();
        let names = "AWS_ENDPOINT_URL AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY";
        let variable = |name: &str| Some((name.to_owned(), aws.variable(name)?));
        Self {
            aws,
            outside: MockServer::start().await,
            environment: names.split(' ').filter_map(variable).collect(),
            reported: Vec::new(),
        }
    }

    async fn doctor(&mut self) -> String {
        let wrong = |lookup: &dyn Fn(&str) -> Option<String>| {
            let error = Config::read(lookup).err();
            error.iter().map(ToString::to_string).collect()
        };
        let checks = Stack::checks(self.environment.clone(), wrong).await;
        let report = report(&run(checks).await).replace(&self.aws.endpoint(), "http://aws");
        let timeless = |line: &str| {
            let times = [" answered in ", ", last changed "];
            let end = times.into_iter().find_map(|time| line.find(time));
            line[..end.unwrap_or(line.len())].to_owned()
        };
        let lines: Vec<String> = report.lines().map(timeless).collect();
        let last = std::mem::replace(&mut self.reported, lines);
        let new = self.reported.iter().filter(|line| !last.contains(line));
        new.cloned().collect::<Vec<_>>().join("\n")
    }

    /// `SERVICE VERB PLACE HEADER`, with a header that is `true`.
    async fn send(&self, to: &str, body: String) {
        let [service, verb, place, header] = to.splitn(4, ' ').collect::<Vec<_>>()[..] else {
            panic!("{to} isn't SERVICE VERB PLACE HEADER");
        };
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let url = format!("{}{place}", self.aws.endpoint());
        let request = http.request(verb.parse().unwrap(), url).body(body);
        let request = request.header(header, "true");
        let request = request.header("authorization", credential(service));
        let status = request.send().await.unwrap().status();
        assert!(status.is_success(), "{to}: {status}");
    }

    async fn answers(&self, model: u16, scopes: &str) {
        self.outside.reset().await;
        let json = |status, body: Value| ResponseTemplate::new(status).set_body_json(body);
        let bot = json!({"ok": true, "team": "Acme", "user": "alfred", "bot_id": "B1"});
        let known = json(200, bot).insert_header("x-oauth-scopes", scopes);
        let unknown = json(200, json!({"ok": false, "error": "token_revoked"}));
        let message = json!({"role": "assistant", "content": "yes"});
        let choices = json!({"choices": [{"message": message, "finish_reason": "stop"}]});
        let auth = || Mock::given(path("/api/auth.test"));
        let mocks = [
            auth().and(bearer_token("xoxb-1")).respond_with(known),
            auth().respond_with(unknown),
            Mock::given(path("/v1/chat/completions")).respond_with(json(model, choices)),
        ];
        for mock in mocks {
            mock.mount(&self.outside).await;
        }
    }
}
