//! Socket Mode's keeper in front of a server in memory, under a clock that moves when everything waits. The cases are in
//! `socket.txt`:
//!
//! ```text
//! connections ok limited:40 invalid_auth   what the next attempts meet; afterwards each succeeds
//! send 1 {"type":"hello"}                  what the first socket's server sends
//! deaf 1 / close 1 / cut 1                 the server stops reading, closes the socket, or breaks it off
//! wait 30                                  lets so many seconds pass
//! ```
//!
//! Each shows what happened since, with the seconds from the start of the case.

use alfred_core::envelope::Content;
use alfred_core::ports::{ChatError, Clock};
use alfred_slack::socket::{Dial, Intake, Keeper, OpenError, Reply, SocketError, Stream};
use alfred_testkit::play::{Interpreter, assert_played};
use async_trait::async_trait;
use futures_util::{SinkExt, StreamExt};
use jiff::Timestamp;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{DuplexStream, duplex};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;

#[tokio::test(start_paused = true)]
async fn socket_cases_go_as_they_are_written() {
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/in_memory/socket.txt");
    assert_played(cases, World::new).await;
}

/// What the server of a socket does next.
enum Order {
    Send(String),
    Deaf,
    Close,
    Cut,
}

/// Everything that is shared with the keeper.
struct Scene {
    start: Instant,
    shown: Mutex<Vec<String>>,
    attempts: Mutex<VecDeque<String>>,
    servers: Mutex<Vec<mpsc::UnboundedSender<Order>>>,
}

impl Scene {
    fn show(&self, line: impl AsRef<str>) {
        let (seconds, line) = (self.start.elapsed().as_secs_f64(), line.as_ref());
        let line = format!("{seconds:.0} s: {line}");
        self.shown.lock().unwrap().push(line);
    }
}

#[async_trait]
impl Clock for Scene {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH + self.start.elapsed()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

struct Server(Arc<Scene>);

#[async_trait]
impl Dial for Server {
    async fn dial(&self) -> Result<Box<dyn Stream>, OpenError> {
        let Self(scene) = self;
        let attempt = scene.attempts.lock().unwrap().pop_front();
        let attempt = attempt.unwrap_or_else(|| "ok".into());
        scene.show(format!("an attempt: {attempt}"));
        let (name, value) = attempt.split_once(':').unwrap_or((&attempt, ""));
        let refused = match name {
            "ok" => {
                let (near, far) = duplex(1 << 16);
                let mut servers = scene.servers.lock().unwrap();
                let (order, orders) = mpsc::unbounded_channel();
                servers.push(order);
                tokio::spawn(serve(servers.len(), far, orders, scene.clone()));
                return Ok(Box::new(near));
            }
            "limited" => ChatError::RateLimited {
                retry_after: Duration::from_secs(value.parse().unwrap()),
            },
            "lost" => return Err(OpenError::Handshake("no route".into())),
            code => ChatError::Refused {
                method: "apps.connections.open",
                code: code.into(),
            },
        };
        Err(refused.into())
    }
}

async fn serve(
    number: usize,
    stream: DuplexStream,
    mut orders: mpsc::UnboundedReceiver<Order>,
    scene: Arc<Scene>,
) {
    let mut socket = WebSocketStream::from_raw_socket(stream, Role::Server, None).await;
    let mut hears = true;
    loop {
        tokio::select! {
            order = orders.recv() => match order {
                Some(Order::Send(text)) => socket.send(Message::text(text)).await.unwrap(),
                Some(Order::Deaf) => hears = false,
                Some(Order::Close) => socket.close(None).await.unwrap(),
                Some(Order::Cut) | None => return,
            },
            heard = socket.next(), if hears => match heard {
                Some(Ok(Message::Text(text))) => scene.show(format!("{number} hears {text}")),
                Some(Ok(Message::Close(_))) => scene.show(format!("{number} is closed by Alfred")),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => hears = false,
            },
        }
    }
}

/// Does what payloads say: `{"take": SECONDS, "answer": …}`, `{"refuse": true}`, `{"odd": true}`.
struct Queue(Arc<Scene>);

#[async_trait]
impl Intake for Queue {
    async fn take(&self, content: Content, payload: Value) -> Reply {
        self.0.show(format!("{content:?} {payload}"));
        if let Some(seconds) = payload["take"].as_u64() {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
        }
        assert!(payload["panic"].is_null(), "as the payload says");
        if payload["refuse"] == true {
            return Reply::NotTaken;
        }
        if payload["odd"] == true {
            return Reply::Malformed;
        }
        Reply::Taken(payload.get("answer").cloned())
    }

    fn unreadable(&self) {
        self.0.show("the administrator is told");
    }
}

struct World {
    scene: Arc<Scene>,
    keeping: Option<JoinHandle<Result<(), SocketError>>>,
    stop: Option<oneshot::Sender<()>>,
}

impl World {
    async fn new() -> Self {
        let scene = Arc::new(Scene {
            start: Instant::now(),
            shown: Mutex::default(),
            attempts: Mutex::default(),
            servers: Mutex::default(),
        });
        Self {
            scene,
            keeping: None,
            stop: None,
        }
    }

    fn start(&mut self) {
        let scene = self.scene.clone();
        let (server, queue) = (Server(scene.clone()), Queue(scene.clone()));
        let (clock, random) = (scene.clone(), fastrand::Rng::with_seed(7));
        let say = Arc::new(move |line: &str| scene.show(line));
        let keeper = Keeper::new(Arc::new(server), Arc::new(queue), clock, say, random);
        let (stop, stopped) = oneshot::channel();
        let scene = self.scene.clone();
        self.keeping = Some(tokio::spawn(async move {
            let ended = keeper.run(async { drop(stopped.await) }).await;
            scene.show(match &ended {
                Ok(()) => "it ended".into(),
                Err(error) => format!("it ended: {error}"),
            });
            ended
        }));
        self.stop = Some(stop);
    }
}

#[async_trait]
impl Interpreter for World {
    async fn perform(&mut self, command: &str) -> String {
        let (verb, rest) = command.split_once(' ').unwrap_or((command, ""));
        let (number, frame) = rest.split_once(' ').unwrap_or((rest, ""));
        let order = match verb {
            "send" => Some(Order::Send(frame.into())),
            "deaf" => Some(Order::Deaf),
            "close" => Some(Order::Close),
            "cut" => Some(Order::Cut),
            _ => None,
        };
        match (order, verb) {
            (Some(order), _) => {
                let servers = self.scene.servers.lock().unwrap();
                let at = number.parse::<usize>().unwrap() - 1;
                assert!(servers[at].send(order).is_ok(), "the server is gone");
            }
            (None, "connections") => {
                let attempts = rest.split(' ').map(str::to_owned).collect();
                *self.scene.attempts.lock().unwrap() = attempts;
            }
            (None, "start") => self.start(),
            (None, "stop") => drop(self.stop.take()),
            (None, "wait") => {
                tokio::time::sleep(Duration::from_secs(rest.parse().unwrap())).await;
            }
            (None, other) => panic!("{other}"),
        }
        // Virtual time, which passes when every task waits.
        tokio::time::sleep(Duration::from_millis(1)).await;
        std::mem::take(&mut *self.scene.shown.lock().unwrap()).join("\n")
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if let Some(keeping) = &self.keeping {
            keeping.abort();
        }
    }
}
