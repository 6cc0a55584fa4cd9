//! AWS on this machine for tests: ministack, an emulator from PyPI, in a child process on a free loopback port.
//!
//! It is installed once into `target/tools`, with any Python from 3.10 on. It ends with the value, or when the test
//! process ends in whatever way: it watches its standard input, which only that process holds open.

use crate::python_server::PythonServer;
use crate::tools;
use serde_json::{Value, json};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

/// The emulator's version; it pins what it needs itself, except its server.
const MINISTACK: &str = "1.5.33";
const HYPERCORN: &str = "0.18.0";
/// It starts within a second; a busy machine may take longer.
const START: Duration = Duration::from_secs(60);
const REGION: &str = "us-east-1";

const SERVER: &str = include_str!("ministack.py");

#[derive(Debug)]
pub struct Ministack(PythonServer);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FifoQueue {
    pub url: String,
    pub dead_letters: String,
}

impl Ministack {
    /// The one of this test process, started by whoever asks first. Tests take names of their own in it.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Ministack> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(&[]))
    }

    /// Starts one, installed first if need be, and waits until it answers. The emulator and its functions get these
    /// variables: `AUTH=true` enforces the rights of roles, `FUNCTIONS_ENDPOINT` is a proxy that functions call.
    pub fn start(variables: &[(&str, &str)]) -> Self {
        let pins = [("ministack", MINISTACK), ("hypercorn", HYPERCORN)];
        let python = tools::python_with(&pins).join("bin/python");
        let mut command = Command::new(&python);
        command
            .args(["-c", SERVER])
            .env_clear()
            // Its environment is also that of the functions it runs.
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("LOG_LEVEL", "ERROR")
            .envs(variables.iter().copied());
        let started = Self(PythonServer::run(&mut command, START));
        // It listens already, and answers as soon as it serves.
        let (status, answer) = started.0.ask("GET /_ministack/health", &[], "");
        assert_eq!(status, 200, "ministack isn't healthy: {answer}");
        started
    }

    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port())
    }

    pub fn port(&self) -> u16 {
        self.0.port()
    }

    pub fn variable(&self, name: &str) -> Option<String> {
        match name {
            "AWS_ENDPOINT_URL" => Some(self.endpoint()),
            "AWS_REGION" => Some(REGION.into()),
            "AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY" => Some("test".into()),
            _ => None,
        }
    }

    /// Makes a table of the keys `pk` and `sk`, with time to live on `_x`.
    pub fn table(&self, name: &str) {
        let table = json!({
            "TableName": name,
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [
                {"AttributeName": "pk", "AttributeType": "S"},
                {"AttributeName": "sk", "AttributeType": "S"},
            ],
            "KeySchema": [
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "sk", "KeyType": "RANGE"},
            ],
        });
        self.call("DynamoDB_20120810.CreateTable", &table);
        let time_to_live = json!({
            "TableName": name,
            "TimeToLiveSpecification": {"AttributeName": "_x", "Enabled": true},
        });
        self.call("DynamoDB_20120810.UpdateTimeToLive", &time_to_live);
    }

    /// Makes `NAME.fifo` and `NAME-dlq.fifo`, where a message goes behind so many receives.
    pub fn fifo_queue(&self, name: &str, visibility: Duration, max_receives: u32) -> FifoQueue {
        let dead_letters =
            self.one_queue(&format!("{name}-dlq.fifo"), json!({"FifoQueue": "true"}));
        let asked = json!({"QueueUrl": dead_letters, "AttributeNames": ["QueueArn"]});
        let answer = self.call("AmazonSQS.GetQueueAttributes", &asked);
        let redrive = json!({
            "deadLetterTargetArn": answer["Attributes"]["QueueArn"],
            "maxReceiveCount": max_receives,
        });
        let attributes = json!({
            "FifoQueue": "true",
            "VisibilityTimeout": visibility.as_secs().to_string(),
            "RedrivePolicy": redrive.to_string(),
        });
        FifoQueue {
            url: self.one_queue(&format!("{name}.fifo"), attributes),
            dead_letters,
        }
    }

    /// Lets this time pass for what a queue hides.
    pub fn elapse(&self, queue: &FifoQueue, time: Duration) {
        for url in [&queue.url, &queue.dead_letters] {
            let name = url.rsplit('/').next().expect("a name");
            let call = format!("POST /_test/elapse?{name}&{}", time.as_secs_f64());
            let (status, answer) = self.0.ask(&call, &[], "");
            assert_eq!(status, 200, "{name}: {answer}");
        }
    }

    fn one_queue(&self, name: &str, attributes: Value) -> String {
        let queue = json!({"QueueName": name, "Attributes": attributes});
        let answer = self.call("AmazonSQS.CreateQueue", &queue);
        let url = answer["QueueUrl"].as_str();
        url.expect("a queue has a URL").to_owned()
    }

    pub fn bucket(&self, name: &str) {
        let signed = [("authorization", credential("s3"))];
        let (status, answer) = self.0.ask(&format!("PUT /{name}"), &signed, "");
        assert_eq!(status, 200, "bucket {name}: {answer}");
    }

    /// One call of a service with a JSON protocol, `SERVICE.Operation`.
    pub fn call(&self, target: &str, input: &Value) -> Value {
        let headers = [
            ("x-amz-target", target.to_owned()),
            ("content-type", "application/x-amz-json-1.0".to_owned()),
            ("authorization", credential(target)),
        ];
        let (status, answer) = self.0.ask("POST /", &headers, &input.to_string());
        assert_eq!(status, 200, "{target} said {answer}");
        serde_json::from_str(&answer).unwrap_or(Value::Null)
    }
}

/// The emulator only looks at which service a signature is for.
pub fn credential(service: &str) -> String {
    let service = service.split(['_', '.']).next().unwrap_or(service);
    let service = service.trim_start_matches("Amazon").to_lowercase();
    format!("AWS4-HMAC-SHA256 Credential=test/20260101/{REGION}/{service}/aws4_request")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_tables_and_queues_and_ends_with_its_input() {
        let mut ministack = Ministack::start(&[]);
        ministack.table("items");
        let items = json!({"TableName": "items"});
        let described = ministack.call("DynamoDB_20120810.DescribeTimeToLive", &items);
        let time_to_live = &described["TimeToLiveDescription"];
        assert_eq!(time_to_live["AttributeName"], "_x", "{described}");
        let queue = ministack.fifo_queue("q", Duration::from_secs(7), 3);
        let asked = json!({"QueueUrl": queue.url, "AttributeNames": ["All"]});
        let answer = ministack.call("AmazonSQS.GetQueueAttributes", &asked);
        let attributes = &answer["Attributes"];
        assert_eq!(attributes["VisibilityTimeout"], "7", "{answer}");
        let redrive = attributes["RedrivePolicy"].as_str().unwrap();
        assert!(redrive.contains("q-dlq.fifo"), "{redrive}");
        // What the end of a test process does.
        let status = ministack.0.end().expect("it ends");
        assert!(status.success(), "{status}");
        assert!(std::net::TcpStream::connect(("127.0.0.1", ministack.port())).is_err());
    }
}
