//! A proxy before the emulator that answers itself, hangs up, or keeps
//! silent: the faults of AWS that no emulator has. Plain HTTP/1.1, one task a connection.

use serde_json::json;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// What happens to a call.
#[derive(Clone, Debug)]
pub enum Act {
    /// It takes effect, and the connection ends before its answer.
    ForwardAndHangUp,
    /// It takes effect, and no answer ever comes.
    ForwardAndHold,
    /// It never arrives, and the connection ends.
    HangUp,
    /// It never arrives, and this is the answer.
    Answer(u16, String),
}

impl Act {
    /// A service's error, as its JSON protocol writes it.
    pub fn error(code: &str, message: &str) -> Self {
        let is_internal = code == "InternalServerError";
        let status = if is_internal { 500 } else { 400 };
        let body = json!({"__type": code, "message": message});
        Self::Answer(status, body.to_string())
    }

    pub fn cancelled(reasons: &[&str]) -> Self {
        let reasons = reasons.iter();
        let reasons = reasons.map(|code| json!({"Code": code, "Message": "m"}));
        let body = json!({
            "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
            "message": "Transaction cancelled",
            "CancellationReasons": reasons.collect::<Vec<_>>(),
        });
        Self::Answer(400, body.to_string())
    }
}

#[derive(Default)]
struct Plan {
    next: HashMap<String, VecDeque<Act>>,
    always: HashMap<String, Act>,
    seen: Vec<(String, serde_json::Value)>,
    connections: usize,
}

/// The proxy. Calls are named by operation, such as `PutItem`, or for S3 by method; what isn't planned is forwarded.
#[derive(Clone)]
pub struct Proxy {
    port: u16,
    plan: Arc<Mutex<Plan>>,
}

struct Request {
    bytes: Vec<u8>,
    operation: String,
}

impl Proxy {
    /// Before the service on this port of 127.0.0.1.
    pub async fn start(upstream: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Self {
            port: listener.local_addr().unwrap().port(),
            plan: Arc::default(),
        };
        let serving = proxy.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                serving.plan.lock().unwrap().connections += 1;
                tokio::spawn(serving.clone().serve(client, upstream));
            }
        });
        proxy
    }

    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// For the next call of this operation that has no plan yet.
    pub fn next(&self, operation: &str, act: Act) {
        let mut plan = self.plan.lock().unwrap();
        let acts = plan.next.entry(operation.into()).or_default();
        acts.push_back(act);
    }

    /// For every call of this operation, behind those planned one by one.
    pub fn always(&self, operation: &str, act: Act) {
        let mut plan = self.plan.lock().unwrap();
        plan.always.insert(operation.into(), act);
    }

    pub fn count(&self, operation: &str) -> usize {
        self.inputs(operation).len()
    }

    /// What this operation was called with.
    pub fn inputs(&self, operation: &str) -> Vec<serde_json::Value> {
        let plan = self.plan.lock().unwrap();
        let seen = plan.seen.iter().filter(|(name, _)| name == operation);
        seen.map(|(_, input)| input.clone()).collect()
    }

    pub fn connections(&self) -> usize {
        self.plan.lock().unwrap().connections
    }

    fn planned(&self, request: &Request) -> Option<Act> {
        let mut plan = self.plan.lock().unwrap();
        let end = request.bytes.windows(4).position(|w| w == b"\r\n\r\n");
        let body = &request.bytes[end.unwrap() + 4..];
        let input = serde_json::from_slice(body).unwrap_or_default();
        plan.seen.push((request.operation.clone(), input));
        let next = plan.next.get_mut(&request.operation);
        let next = next.and_then(VecDeque::pop_front);
        next.or_else(|| plan.always.get(&request.operation).cloned())
    }

    async fn serve(self, client: TcpStream, upstream: u16) {
        let mut client = BufReader::new(client);
        while let Some(request) = read(&mut client).await {
            let answer = match self.planned(&request) {
                Some(Act::HangUp) => return,
                Some(Act::Answer(status, body)) => answer(status, &body),
                Some(Act::ForwardAndHangUp) => {
                    forward(&request, upstream).await;
                    return;
                }
                Some(Act::ForwardAndHold) => {
                    forward(&request, upstream).await;
                    std::future::pending().await
                }
                None => forward(&request, upstream).await,
            };
            if client.get_mut().write_all(&answer).await.is_err() {
                return;
            }
        }
    }
}

fn answer(status: u16, body: &str) -> Vec<u8> {
    let length = body.len();
    let kind = "application/x-amz-json-1.0";
    format!("HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{body}")
        .into_bytes()
}

async fn forward(request: &Request, upstream: u16) -> Vec<u8> {
    let server = TcpStream::connect(("127.0.0.1", upstream)).await.unwrap();
    let mut server = BufReader::new(server);
    server.get_mut().write_all(&request.bytes).await.unwrap();
    read(&mut server).await.unwrap().bytes
}

/// One message, request or answer, with a length.
async fn read(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let (mut bytes, mut length, mut operation) = (Vec::new(), 0, String::new());
    loop {
        let start = bytes.len();
        if stream.read_until(b'\n', &mut bytes).await.ok()? == 0 {
            return None;
        }
        let line = String::from_utf8_lossy(&bytes[start..]).to_lowercase();
        if start == 0 {
            let method = line.split(' ').next().unwrap_or_default();
            operation = method.to_uppercase();
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.starts_with("x-amz-target:") {
            let line = String::from_utf8_lossy(&bytes[start..]);
            operation = line.trim().rsplit('.').next().unwrap().to_owned();
        }
        if line == "\r\n" {
            break;
        }
    }
    let head = bytes.len();
    bytes.resize(head + length, 0);
    stream.read_exact(&mut bytes[head..]).await.ok()?;
    Some(Request { bytes, operation })
}
