//! Builds the binary once, and runs it.

use alfred_testkit::{LIMIT, eventually, within};
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::net::TcpSocket;
use tokio::process::{Child, ChildStdout, Command};

use crate::binaries;

/// The binary that `ALFRED_BINARY` names, else a shared build.
pub fn binary() -> PathBuf {
    // Fails if another test already installed it.
    drop(rustls::crypto::ring::default_provider().install_default());
    match std::env::var_os("ALFRED_BINARY") {
        Some(named) => named.into(),
        None => binaries::alfred().into(),
    }
}

/// `alfred` on this data folder, with a cleared environment.
pub fn alfred(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command.env_clear().arg("--data").arg(data).args(arguments);
    command.stdin(Stdio::null()).kill_on_drop(true);
    command
}

pub async fn run(command: &mut Command) -> Output {
    let what = format!("the end of {:?}", command.as_std());
    within(LIMIT, &what, command.output()).await.unwrap()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

/// A port that no other test or program gets as long as the socket exists. The socket is bound and doesn't listen, so
/// connections are refused until a server of this test listens there.
pub fn claimed_port() -> TcpSocket {
    let socket = TcpSocket::new_v4().unwrap();
    // The server sets this too. Without it on both sockets, it couldn't listen.
    socket.set_reuseaddr(true).unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    socket
}

/// The content of the folder's lock file.
#[derive(Deserialize)]
struct Owner {
    pid: u32,
    address: Option<String>,
    token: Option<String>,
}

pub struct Serving {
    child: Child,
    pub address: String,
    pub token: String,
    /// The printed link to the page; empty with a real Slack.
    pub link: String,
    /// Milliseconds since 1970.
    pub since_ms: i64,
}

impl Serving {
    pub async fn start(mut command: Command, data: &Path) -> Self {
        let since_ms = now_ms();
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let pid = child.id().unwrap();
        let lock = data.join("alfred.lock");
        let (address, token) = eventually(LIMIT, "the process to serve", async || {
            if let Some(status) = child.try_wait().unwrap() {
                panic!("it ended at once: {status}");
            }
            let text = std::fs::read(&lock).ok()?;
            let owner: Owner = serde_json::from_slice(&text).ok()?;
            Some((owner.address?, owner.token?)).filter(|_| owner.pid == pid)
        })
        .await;
        let link = printed_link(&mut child).await;
        Self {
            child,
            address,
            token,
            link,
            since_ms,
        }
    }

    pub async fn kill(mut self) {
        killed(&mut self.child).await;
    }

    pub async fn post(&self, path: &str, body: &Value) -> reqwest::Response {
        let request = client().post(format!("{}{path}", self.address));
        let sent = request.bearer_auth(&self.token).json(body).send().await;
        sent.unwrap()
    }

    pub async fn get(&self, path: &str) -> Value {
        serde_json::from_slice(&self.bytes(path).await).unwrap()
    }

    pub async fn bytes(&self, path: &str) -> Vec<u8> {
        let request = client().get(format!("{}{path}", self.address));
        let sent = request.bearer_auth(&self.token).send().await.unwrap();
        assert_eq!(sent.status(), 200, "{path}");
        sent.bytes().await.unwrap().into()
    }

    /// A run as `alfred trace --json` shows it.
    pub async fn trace(&self, id: &str, team: &str) -> Option<Value> {
        let asked = serde_json::json!({"id": id, "team": team, "json": true});
        let answer = self.post("/local/trace", &asked).await;
        let text: String = answer.error_for_status().ok()?.json().await.unwrap();
        Some(serde_json::from_str(&text).unwrap())
    }

    pub async fn done(&self, trace: &str, team: &str) -> Value {
        eventually(LIMIT, "the end of the run", async || {
            let found = self.trace(trace, team).await?;
            (found["run"]["state"]["is"] == "done").then_some(found)
        })
        .await
    }
}

async fn killed(child: &mut Child) {
    let killed = within(LIMIT, "a killed process to end", child.kill());
    killed.await.unwrap();
}

/// The printed link. Keeps reading the output, or the process would block.
async fn printed_link(child: &mut Child) -> String {
    let (said, mut lines) = start_of(child).await;
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    let link = said.lines().find_map(|line| line.strip_prefix("Open "));
    let link = link.and_then(|rest| rest.split(' ').next());
    link.unwrap_or_default().to_owned()
}

async fn start_of(child: &mut Child) -> (String, Lines<BufReader<ChildStdout>>) {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = String::new();
    let start = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            said.push_str(&line);
            said.push('\n');
            if line.starts_with("Stop with") {
                break;
            }
        }
    };
    within(LIMIT, "the process to print how it is stopped", start).await;
    (said, lines)
}

fn client() -> &'static reqwest::Client {
    static CLIENT: OnceLock<reqwest::Client> = OnceLock::new();
    CLIENT.get_or_init(|| {
        // One connection per request, because the server is often killed.
        let builder = reqwest::Client::builder().no_proxy().timeout(LIMIT);
        builder.pool_max_idle_per_host(0).build().unwrap()
    })
}
