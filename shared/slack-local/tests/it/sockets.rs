//! Plays `sockets.txt`: an app in Socket Mode. A command holds steps, separated by `; `. A person's click, command or
//! submission goes on until `done` shows what came of it.

use alfred_core::ports::Clock;
use alfred_slack_local::seed::{ANA, ANA_DM};
use alfred_slack_local::{
    AppAnswer, EnvelopeFault, Fault, Hold, Options, PersonError, Refusal, Running, SlackLocal,
};
use alfred_testkit::conformance::words;
use alfred_testkit::play::{Interpreter, assert_played};
use alfred_testkit::{LIMIT, ManualClock, within};
use async_trait::async_trait;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::calls::{answer, answered, at};
use crate::support::{APP_TOKEN, TOKEN, call, client, delivered, served};

#[tokio::test(flavor = "multi_thread")]
async fn the_stand_in_does_what_the_text_says_in_socket_mode() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/sockets.txt");
    assert_played(path, async || Played::open("").await).await;
}

struct Played {
    running: Running,
    clock: ManualClock,
    sockets: BTreeMap<String, WebSocketStream<TcpStream>>,
    /// The newest URL that was opened.
    url: String,
    /// The newest envelope that was read.
    envelope: Value,
    acting: Option<JoinHandle<String>>,
    /// The timestamp of the card, or the id of the modal.
    shown: String,
}

#[async_trait]
impl Interpreter for Played {
    async fn perform(&mut self, command: &str) -> String {
        let mut shown = Vec::new();
        for step in command.split("; ") {
            let words = words(step);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            shown.push(self.step(&words).await);
        }
        shown.retain(|line| !line.is_empty());
        shown.join("\n")
    }
}

impl Played {
    async fn open(option: &str) -> Self {
        let (running, clock) = served(Options {
            socket_mode: true,
            rate_limit: option == "rate_limit",
            ..Options::default()
        })
        .await;
        Self {
            running,
            clock,
            sockets: BTreeMap::new(),
            url: String::new(),
            envelope: Value::Null,
            acting: None,
            shown: String::new(),
        }
    }

    async fn step(&mut self, words: &[&str]) -> String {
        let slack = self.running.slack.clone();
        match *words {
            ["with", option] => *self = Self::open(option).await,
            ["mode", "on"] => slack.enable_socket_mode(),
            ["disconnect", why] => {
                slack.disconnect(serde_json::from_value(why.into()).unwrap());
            }
            ["deafen"] => slack.deafen_sockets(),
            ["fault", fault] => slack.fail_next_envelope(match fault {
                "cut" => EnvelopeFault::Cut,
                "twice" => EnvelopeFault::Twice,
                "not_json" => EnvelopeFault::NotJson,
                late => EnvelopeFault::Late(late.parse().unwrap()),
            }),
            ["fail", method, code] => {
                let refusal = code.parse().map(Refusal::RateLimited);
                let refusal = refusal.unwrap_or_else(|_| Refusal::Code(code.into()));
                slack.fail_next(method, 1, Fault::Error(refusal));
            }
            ["hang", method] => {
                let mut gate = slack.hold(method, Hold::BeforeEffect);
                tokio::select! {
                    _ = gate.arrived() => return "no answer".into(),
                    answer = self.called(method, "app") => return answer.to_string(),
                }
            }
            ["others", count] => slack.set_other_sockets(count.parse().unwrap()),
            ["wait", s] => self.clock.advance(Duration::from_secs(s.parse().unwrap())),
            ["time"] => return self.clock.now().to_string(),
            ["sockets", count] => self.until(count, SlackLocal::open_sockets).await,
            ["waiting", count] => self.until(count, SlackLocal::unanswered).await,
            ["mistakes", count] => {
                self.until(count, |slack| slack.mistakes().len()).await;
                return format!("{:?}", slack.mistakes());
            }
            ["delivered"] => delivered(&slack).await,
            _ => return self.person(words).await,
        }
        String::new()
    }

    async fn until(&self, count: &str, counted: impl Fn(&SlackLocal) -> usize) {
        let is = |slack: &SlackLocal| (counted(slack).to_string() == count).then_some(());
        within(LIMIT, count, self.running.slack.until(is)).await;
    }

    async fn person(&mut self, words: &[&str]) -> String {
        let slack = self.running.slack.clone();
        match *words {
            ["dm", text] => drop(slack.dm_as(ANA, text).unwrap()),
            ["asks", text] => {
                let text = text.to_owned();
                self.act(async move { slack.command(ANA, ANA_DM, "/alfred", &text).await });
            }
            ["clicks"] => {
                let ts = self.shown.clone();
                self.act(async move { slack.click(ANA, ANA_DM, &ts, "approve", None).await });
            }
            ["submits", text] => {
                let (view, values) = (self.shown.clone(), json!({"body": {"text": text}}));
                self.act(async move { slack.submit_view(ANA, &view, &values).await });
            }
            ["bot", method, arguments] => {
                let trigger = self.envelope["payload"]["trigger_id"].as_str();
                let arguments = arguments.replace("$trigger", trigger.unwrap_or_default());
                let arguments = serde_json::from_str(&arguments).unwrap();
                let answer = call(&self.running, method, arguments).await;
                let shown = answer["ts"].as_str().or(answer["view"]["id"].as_str());
                self.shown = shown.unwrap().to_owned();
            }
            ["shortcut", callback_id] => {
                let (ts, callback_id) = (self.shown.clone(), callback_id.to_owned());
                self.act(async move { slack.shortcut(ANA, ANA_DM, &ts, &callback_id).await });
            }
            ["closes", name] => drop(self.sockets.remove(name)),
            ["pings", name] => {
                let socket = self.sockets.get_mut(name).unwrap();
                socket.send(Message::Ping("app".into())).await.unwrap();
                self.comes(name, Message::is_pong).await;
            }
            ["pinged", name] => self.comes(name, Message::is_ping).await,
            ["done"] => {
                let acting = self.acting.take().unwrap();
                return within(LIMIT, "the answer", acting).await.unwrap();
            }
            ["views"] => return slack.views(ANA).unwrap().len().to_string(),
            _ => return self.app(words).await,
        }
        String::new()
    }

    fn act(&mut self, act: impl Future<Output = Result<AppAnswer, PersonError>> + Send + 'static) {
        self.acting = Some(tokio::spawn(async move { answered(act.await) }));
    }

    async fn app(&mut self, words: &[&str]) -> String {
        let text = match *words {
            ["calls", method, token, ref times @ ..] => {
                let mut last = Value::Null;
                for _ in 0..times.first().map_or(1, |times| times.parse().unwrap()) {
                    last = self.called(method, token).await;
                }
                return last["error"].as_str().unwrap_or("ok").to_owned();
            }
            ["connects", name] => {
                let opened = self.called("apps.connections.open", "app").await;
                match opened["url"].as_str() {
                    Some(url) => self.url = url.to_owned(),
                    None => return opened["error"].to_string(),
                }
                return self.connected(name).await;
            }
            ["connects", name, "again"] => return self.connected(name).await,
            ["reads", name, ref pointers @ ..] => return self.read(name, pointers).await,
            ["acks", _, ref payload @ ..] => {
                let mut ack = json!({"envelope_id": self.envelope["envelope_id"]});
                if let [payload] = payload {
                    ack["payload"] = serde_json::from_str(payload).unwrap();
                }
                Message::text(ack.to_string())
            }
            ["says", _, text] => Message::text(text),
            ["sends", _, "bytes"] => Message::binary(&b"{}"[..]),
            _ => panic!("no step {words:?}"),
        };
        let socket = self.sockets.get_mut(words[1]).unwrap();
        within(LIMIT, "a frame's way", socket.send(text))
            .await
            .unwrap();
        String::new()
    }

    async fn comes(&mut self, name: &str, is_it: fn(&Message) -> bool) {
        let socket = self.sockets.get_mut(name).unwrap();
        let comes = async { while !is_it(&socket.next().await.unwrap().unwrap()) {} };
        within(LIMIT, "a frame", comes).await;
    }

    async fn called(&self, method: &str, token: &str) -> Value {
        let request = client().post(format!("{}/{method}", self.running.api_url()));
        let token = match token {
            "-" => return answer(request).await,
            "bot" => TOKEN,
            "app" => APP_TOKEN,
            other => other,
        };
        answer(request.bearer_auth(token)).await
    }

    async fn connected(&mut self, name: &str) -> String {
        let host = self.url.split('/').nth(2).unwrap();
        let stream = TcpStream::connect(host).await.unwrap();
        match within(LIMIT, "a handshake", client_async(&self.url, stream)).await {
            Ok((socket, _)) => drop(self.sockets.insert(name.into(), socket)),
            Err(error) => return error.to_string(),
        }
        self.read(name, &["/type", "/reason", "/num_connections"])
            .await
    }

    /// Reads the next frame that isn't a ping.
    async fn read(&mut self, name: &str, pointers: &[&str]) -> String {
        let socket = self.sockets.get_mut(name).unwrap();
        loop {
            match within(LIMIT, "a frame", socket.next()).await {
                Some(Ok(Message::Text(text))) => {
                    let frame: Value = serde_json::from_str(&text).unwrap_or_default();
                    let shown = at(&frame, pointers);
                    if frame["envelope_id"].is_string() {
                        self.envelope = frame;
                    }
                    return shown;
                }
                Some(Ok(_)) => {}
                Some(Err(_)) => return "cut".into(),
                None => return "closed".into(),
            }
        }
    }
}
