//! Microsoft's own models of Graph, as its client for Python carries them: they say what a request and an answer look
//! like (<https://learn.microsoft.com/graph/sdks/sdks-overview>). Queries aren't described there.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::outlook::Answer;
use alfred_testkit::tools;
use alfred_testkit::wait::{ChildGuard, LIMIT, Parts};

const PACKAGES: [&str; 4] = [
    "msgraph-sdk==1.65.0",
    "microsoft-kiota-abstractions==1.16.0",
    "microsoft-kiota-serialization-json==1.16.0",
    "typing-extensions==4.16.0",
];
const ERROR: &str = "models.o_data_errors.o_data_error.ODataError";

/// A call of Graph with the permission it needs and the models of its bodies, `-` for none.
#[derive(Debug)]
pub struct GraphCall {
    pub name: &'static str,
    verb: &'static str,
    path: Vec<&'static str>,
    pub permission: &'static str,
    request: &'static str,
    answer: &'static str,
}

impl GraphCall {
    /// The call of this verb and path, which is given without `v1.0`.
    pub fn of(verb: &str, path: &[String]) -> Option<&'static Self> {
        static CALLS: OnceLock<Vec<GraphCall>> = OnceLock::new();
        let calls = CALLS.get_or_init(|| {
            let lines = include_str!("calls.txt").lines();
            lines.filter_map(Self::read).collect()
        });
        calls.iter().find(|call| {
            let mut parts = call.path.iter().zip(path);
            call.verb == verb
                && call.path.len() == path.len()
                && parts.all(|(known, part)| *known == "*" || known == part)
        })
    }

    fn read(line: &'static str) -> Option<Self> {
        let columns: Vec<&str> = line.split(' ').collect();
        let [name, verb, path, permission, request, answer] = columns[..] else {
            return None;
        };
        Some(Self {
            name,
            verb,
            path: path.split('/').collect(),
            permission,
            request,
            answer,
        })
    }
}

/// A Python process that reads bodies with the models.
pub struct GraphModels(Mutex<Process>);

struct Process {
    _child: ChildGuard,
    input: ChildStdin,
    output: Parts,
    /// What was said of bodies before: many tests send the same.
    known: HashMap<String, Vec<String>>,
}

impl GraphModels {
    /// The models, which are installed when they are first asked for.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<GraphModels> = OnceLock::new();
        SHARED.get_or_init(|| {
            let mut command = Command::new(tools::python());
            command
                .args(["-c", include_str!("read.py")])
                .env("PYTHONPATH", installed())
                .stdin(Stdio::piped())
                .stdout(Stdio::piped());
            let mut child = ChildGuard::spawn(&mut command);
            Self(Mutex::new(Process {
                input: child.stdin.take().unwrap(),
                output: Parts::lines(child.stdout.take().unwrap()),
                _child: child,
                known: HashMap::new(),
            }))
        })
    }

    /// What the models don't know of a request, of the fields that it selects, and of its answer. Null is no body.
    pub fn check(
        &self,
        call: &GraphCall,
        request: &Value,
        selected: &[&str],
        (status, answer): &Answer,
    ) -> Vec<String> {
        let model = if *status >= 400 { ERROR } else { call.answer };
        let mut wrong = self.read(call, call.request, request, &[]);
        wrong.extend(self.read(call, model, answer, selected));
        wrong
    }

    fn read(&self, call: &GraphCall, model: &str, body: &Value, selected: &[&str]) -> Vec<String> {
        if model == "-" || (body.is_null() && selected.is_empty()) {
            return Vec::new();
        }
        // An error has other fields than those that were selected.
        let selected = if model == ERROR { &[] } else { selected };
        let mut process = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let line = json!([call.name, model, body, selected]).to_string();
        if let Some(known) = process.known.get(&line) {
            return known.clone();
        }
        writeln!(process.input, "{line}").unwrap();
        let said = process.output.next(LIMIT, "the models of Graph").unwrap();
        let wrong: Vec<String> = serde_json::from_str(&said).unwrap();
        process.known.insert(line, wrong.clone());
        wrong
    }
}

fn installed() -> PathBuf {
    tools::installed("msgraph-models-1.65.0", |installation| {
        installation.download(&PACKAGES);
        let mut unpack = Command::new(tools::python());
        unpack.args(["-c", include_str!("unpack.py")]);
        installation.run(unpack.arg(installation.folder()));
    })
}

#[test]
fn mistakes_in_bodies_are_found() {
    for line in include_str!("mistakes.txt").lines().skip(1) {
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        let [call, request, selected, answer, expected] = columns[..] else {
            panic!("{line}");
        };
        let (verb, path) = call.split_once(' ').unwrap();
        let path: Vec<String> = path.split('/').map(str::to_owned).collect();
        let call = GraphCall::of(verb, &path).unwrap();
        let [request, answer] = [request, answer].map(|body| serde_json::from_str(body).unwrap());
        let selected: Vec<&str> = selected.split_whitespace().collect();
        let wrong = GraphModels::shared().check(call, &request, &selected, &(200, answer));
        assert_eq!(wrong.join("; "), expected, "{line}");
    }
    assert!(GraphCall::of("PUT", &["me".into(), "messages".into()]).is_none());
}
