//! Plays `slack.txt`. A command holds calls, separated by `; `. `METHOD {json} /pointer…` calls the Web API and shows what
//! its answer has there, its error, or `ok`; `form METHOD name=value…` sends a form. `save NAME /pointer` keeps a part of
//! the last answer, which `$NAME` is from then on. In JSON and texts `x×9` is nine times x.

use alfred_core::ports::Clock;
use alfred_slack_local::{AppAnswer, Options, PersonError, Running};
use alfred_testkit::ManualClock;
use alfred_testkit::conformance::words;
use alfred_testkit::play::{Interpreter, assert_played};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::net::TcpListener;
use wiremock::{MockServer, ResponseTemplate};

use crate::support::{
    TOKEN, app, client, delivered, header, method, png, send, served, trigger, uploaded,
};

#[tokio::test(flavor = "multi_thread")]
async fn the_stand_in_does_what_the_text_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/slack.txt");
    assert_played(path, async || Played::open("").await).await;
}

struct Played {
    app: MockServer,
    running: Running,
    clock: ManualClock,
    last: Value,
    saved: BTreeMap<String, String>,
}

#[async_trait]
impl Interpreter for Played {
    async fn perform(&mut self, command: &str) -> String {
        if let Some(options) = command.strip_prefix("with ") {
            *self = Self::open(options).await;
            return String::new();
        }
        let mut shown = Vec::new();
        for call in command.split("; ") {
            let mut call = call.to_owned();
            for (name, value) in self.saved.iter().rev() {
                call = call.replace(&format!("${name}"), value);
            }
            let words = words(&call);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            shown.push(self.call(&words).await);
        }
        shown.retain(|line| !line.is_empty());
        shown.join("\n")
    }
}

impl Played {
    /// With an app that gives these answers first, such as `500` or `never`.
    async fn open(options: &str) -> Self {
        let mut all = Options::default();
        let mut answers = Vec::new();
        for option in options.split_whitespace() {
            match option {
                "rate_limit" => all.rate_limit = true,
                "file_looks" => all.file_looks = 1,
                // Ten times what an answer needs on a busy machine.
                "impatience" => all.answer_within = Duration::from_secs(2),
                "never" => {
                    let hours = Duration::from_secs(3_600);
                    answers.push(ResponseTemplate::new(200).set_delay(hours));
                }
                "errors" => answers.push(ResponseTemplate::new(200).set_body_json(
                    json!({"response_action": "errors", "errors": {"body": "too short"}}),
                )),
                status => answers.push(ResponseTemplate::new(status.parse::<u16>().unwrap())),
            }
        }
        let app = app(answers).await;
        all.request_url = Some(app.uri());
        let (running, clock) = served(all).await;
        let saved = BTreeMap::new();
        Self {
            app,
            running,
            clock,
            last: Value::Null,
            saved,
        }
    }

    async fn call(&mut self, words: &[&str]) -> String {
        match *words {
            ["form", name, ref fields @ ..] => {
                let (fields, pointers): (Vec<&str>, _) =
                    fields.iter().partition(|word| !word.starts_with('/'));
                let fields = fields.iter().filter_map(|field| field.split_once('='));
                let fields: Vec<_> = fields.collect();
                self.last = answer(method(&self.running, name).form(&fields)).await;
                self.seen(&pointers)
            }
            [name, arguments, ref pointers @ ..] if name.contains('.') => {
                let arguments = json(arguments);
                self.last = answer(method(&self.running, name).json(&arguments)).await;
                self.seen(pointers)
            }
            ["raw", verb, address, token, kind, body] => {
                let url = format!("{}/{address}", self.running.api_url());
                let mut request = client().request(verb.parse().unwrap(), url);
                if token != "-" {
                    request = request.bearer_auth(token.replace("TOKEN", TOKEN));
                }
                if kind != "-" {
                    request = request.header("content-type", kind);
                }
                let sent = send(request.body(body.to_owned())).await;
                match sent.status().as_u16() {
                    200 => sent.json::<Value>().await.unwrap()["error"].to_string(),
                    status => status.to_string(),
                }
            }
            ["save", name, pointer] => {
                let value = self.last.pointer(pointer).unwrap().as_str().unwrap();
                self.saved.insert(name.into(), value.into());
                String::new()
            }
            ["page", "gets", file, "for", user] => {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let url = format!("http://{}/client/file", listener.local_addr().unwrap());
                let routes = self.running.slack.person_routes();
                tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
                let got = send(client().get(&url).query(&[("user", user), ("file", file)])).await;
                let named = |name: &str| got.headers().get(name).cloned();
                let [kind, policy] = ["content-type", "content-security-policy"].map(named);
                let status = got.status().as_u16();
                let is_it = got.bytes().await.unwrap() == png(3, 2);
                format!("{status} {kind:?} {policy:?}, the picture: {is_it}")
            }
            ["upload", ref size @ ..] => self.upload(size).await,
            ["wait", millis] => {
                let millis = Duration::from_millis(millis.parse().unwrap());
                self.clock.advance(millis);
                String::new()
            }
            _ => self.person(words).await,
        }
    }

    /// What a person does in Slack, or sees there.
    async fn person(&mut self, words: &[&str]) -> String {
        let slack = &self.running.slack;
        match *words {
            ["post", user, channel, text] => match slack.post_as(user, channel, text, None) {
                Ok(message) => self.last = json!({"ts": message.ts}),
                Err(error) => return error.to_string(),
            },
            ["advance", seconds] => {
                let seconds = Duration::from_secs(seconds.parse().unwrap());
                self.clock.advance(seconds);
            }
            ["dm", user, text] => self.last = json!({"ts": slack.dm_as(user, text).unwrap().ts}),
            ["home", "of", user] => {
                let shown = slack.open_home_tab(user).unwrap();
                return shown.map_or_else(|| "nothing yet".into(), |home| home.view.to_string());
            }
            ["home", "off"] => slack.enable_home(false),
            ["press", user, view, block, action] => {
                return taken(slack.click_in_view(user, view, (block, action)).await);
            }
            ["home", user] => drop(slack.open_home(user).unwrap()),
            ["asks", user, channel, text] => {
                let asked = slack.command(user, channel, "/alfred", text).await;
                if let Err(error) = asked {
                    return error.to_string();
                }
                self.saved
                    .insert("trigger".into(), trigger(&self.app).await);
            }
            ["click", user, channel, ts, action, ref value @ ..] => {
                let value = value.first().copied();
                return taken(slack.click(user, channel, ts, action, value).await);
            }
            ["shortcut", user, channel, ts, callback_id] => {
                return taken(slack.shortcut(user, channel, ts, callback_id).await);
            }
            ["submit", user, view, values] => {
                return answered(slack.submit_view(user, view, &json(values)).await);
            }
            ["views", user] => return slack.views(user).unwrap().len().to_string(),
            ["messages", channel] => return slack.messages(channel, 10).unwrap().len().to_string(),
            ["thread", channel, ts] => return format!("{:?}", slack.status(channel, ts).unwrap()),
            ["sees", file, ref users @ ..] => {
                let seen = users.iter().filter(|user| slack.file(user, file).is_ok());
                return format!("{:?}", seen.collect::<Vec<_>>());
            }
            ["address", url] => slack.set_request_url(url),
            ["interaction", ref pointers @ ..] => {
                let requests = self.app.received_requests().await.unwrap();
                let body = &requests.last().unwrap().body;
                let fields: BTreeMap<String, String> = serde_urlencoded::from_bytes(body).unwrap();
                self.last = json(&fields["payload"]);
                return at(&self.last, pointers);
            }
            _ => return self.app(words).await,
        }
        String::new()
    }

    async fn app(&self, words: &[&str]) -> String {
        delivered(&self.running.slack).await;
        let requests = self.app.received_requests().await.unwrap();
        match *words {
            ["delivered"] => String::new(),
            ["requests"] => requests.len().to_string(),
            ["same", "bodies"] => {
                let mut bodies = requests.iter().map(|request| &request.body);
                bodies.all(|body| *body == requests[0].body).to_string()
            }
            ["tries"] => {
                let start = ManualClock::default().now().as_second();
                let tries = requests.iter().map(|request| {
                    let at = header(request, "x-slack-request-timestamp").unwrap();
                    let at: i64 = at.parse().unwrap();
                    let [num, reason] = ["num", "reason"]
                        .map(|name| header(request, &format!("x-slack-retry-{name}")));
                    format!("{} {num:?} {reason:?}", at - start)
                });
                tries.collect::<Vec<_>>().join("\n")
            }
            ["events", ref pointers @ ..] => {
                let events = requests.iter().map(|request| {
                    let body: Value = request.body_json().unwrap();
                    at(&body["event"], pointers)
                });
                let mut events: Vec<String> = events.collect();
                // Some are sent at once.
                events.sort();
                events.join("\n")
            }
            _ => panic!("no call {words:?}"),
        }
    }

    /// Uploads a picture of this size, or a text, in all steps but the last look; `$file` is its id.
    async fn upload(&mut self, size: &[&str]) -> String {
        let bytes = match *size {
            [width, height] => png(width.parse().unwrap(), height.parse().unwrap()),
            _ => b"no picture".to_vec(),
        };
        let id = uploaded(&self.running, bytes).await;
        self.saved.insert("file".into(), id);
        String::new()
    }

    fn seen(&self, pointers: &[&str]) -> String {
        if let Some(error) = self.last["error"].as_str() {
            let why = self.last.pointer("/response_metadata/messages/0");
            return format!("{error} {}", why.unwrap_or(&Value::Null)).replace(" null", "");
        }
        assert_eq!(self.last["ok"], true, "{}", self.last);
        at(&self.last, pointers)
    }
}

fn taken(answer: Result<AppAnswer, PersonError>) -> String {
    answer.map_or_else(|error| error.to_string(), |_| "taken".into())
}

pub fn answered(answer: Result<AppAnswer, PersonError>) -> String {
    let shown = |answer: AppAnswer| format!("answered {}", answer.body);
    answer.map_or_else(|error| error.to_string(), shown)
}

/// A refusal without a body is `{"error": "429 after 1 s"}`.
pub async fn answer(request: reqwest::RequestBuilder) -> Value {
    let sent = send(request).await;
    match sent.headers().get("retry-after") {
        Some(after) => {
            let after = after.to_str().unwrap();
            json!({"error": format!("{} after {after} s", sent.status().as_u16())})
        }
        None => sent.json().await.unwrap(),
    }
}

pub fn at(value: &Value, pointers: &[&str]) -> String {
    if pointers.is_empty() {
        return "ok".into();
    }
    let parts = pointers.iter().map(|pointer| value.pointer(pointer));
    let parts = parts.map(|part| part.map_or("-".into(), Value::to_string));
    parts.collect::<Vec<_>>().join(" ")
}

/// JSON, in which `x×9` is nine times x.
pub fn json(text: &str) -> Value {
    fn repeated(value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some((part, times)) = text.clone().split_once('×') {
                    *text = part.repeat(times.parse().unwrap());
                }
            }
            Value::Array(all) => all.iter_mut().for_each(repeated),
            Value::Object(all) => all.values_mut().for_each(repeated),
            _ => {}
        }
    }
    let mut value = serde_json::from_str(text).unwrap();
    repeated(&mut value);
    value
}
