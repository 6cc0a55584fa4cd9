//! Socket Mode (docs.slack.dev/apis/events-api/using-socket-mode): each event, click and command goes in an envelope to
//! one of the app's open sockets, which must acknowledge it.

mod connection;
mod faults;

use serde_json::Value;
use std::collections::{HashSet, VecDeque};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;

use crate::delivery::{AppAnswer, NOT_THERE, TOO_SLOW, Undelivered};
use crate::state::{SlackLocal, lock};
use connection::Order;
pub use faults::{Disconnect, EnvelopeFault, Mistake};

pub(crate) const EVENTS: &str = "events_api";
pub(crate) const INTERACTIVE: &str = "interactive";
pub(crate) const COMMANDS: &str = "slash_commands";

/// Open sockets of an app at most.
const SOCKETS: usize = 10;
/// How often a wait looks at the workspace's clock, which a test may stop.
const LOOK: Duration = Duration::from_millis(20);

#[derive(Default)]
pub(crate) struct Sockets {
    /// The app's setting, which a test may change.
    mode: bool,
    pub address: Option<SocketAddr>,
    /// Each opens one socket.
    tickets: HashSet<String>,
    open: Vec<Socket>,
    /// The number of sockets so far, which numbers the next one.
    opened: usize,
    /// Counts deliveries; each goes to the next socket.
    turn: usize,
    /// Sockets that other processes seem to have.
    others: usize,
    envelopes: Vec<Envelope>,
    faults: VecDeque<EnvelopeFault>,
    mistakes: Vec<Mistake>,
}

struct Socket {
    number: usize,
    orders: mpsc::UnboundedSender<Order>,
}

/// What was sent, and who waits for its acknowledgement.
struct Envelope {
    id: String,
    socket: Option<usize>,
    takes_payload: bool,
    /// Acknowledgements that may still come: one for each time it was sent.
    left: u32,
    answer: Option<oneshot::Sender<Value>>,
}

impl Sockets {
    pub fn new(mode: bool) -> Self {
        Self {
            mode,
            ..Self::default()
        }
    }

    /// Sends an envelope to the next socket. Returns whether there is one.
    fn send(&mut self, envelope: &Value, answer: oneshot::Sender<Value>, now_ms: i64) -> bool {
        let count = self.open.len().max(1);
        let socket = self.open.get(self.turn % count);
        let is_sent = socket.is_some();
        let mut sent = Envelope {
            id: envelope["envelope_id"].as_str().unwrap_or_default().into(),
            socket: socket.map(|socket| socket.number),
            takes_payload: envelope["accepts_response_payload"] == true,
            left: 1,
            answer: Some(answer),
        };
        if let Some(socket) = socket {
            self.turn += 1;
            let text = envelope.to_string();
            let fault = self.faults.pop_front();
            if fault == Some(EnvelopeFault::Twice) {
                sent.left = 2;
            }
            for order in faults::orders(fault, text, now_ms) {
                // A socket that ends now loses it.
                drop(socket.orders.send(order));
            }
        }
        self.envelopes.push(sent);
        is_sent
    }

    /// Reads an acknowledgement. Wrong ones are kept as mistakes and change nothing.
    fn acknowledge(&mut self, socket: usize, text: &str) -> Result<(), Mistake> {
        let acknowledgement: Value = serde_json::from_str(text).map_err(|_| Mistake::NotJson)?;
        let id = &acknowledgement["envelope_id"];
        let envelope = self.envelopes.iter_mut().find(|it| *id == it.id);
        let envelope = envelope.ok_or(Mistake::UnknownEnvelope)?;
        if envelope.socket != Some(socket) {
            return Err(Mistake::OtherSocket);
        }
        if envelope.left == 0 {
            return Err(Mistake::Repeated);
        }
        let payload = &acknowledgement["payload"];
        if !payload.is_null() && !envelope.takes_payload {
            return Err(Mistake::UnwantedPayload);
        }
        envelope.left -= 1;
        if let Some(answer) = envelope.answer.take() {
            // Nobody waits for a late one.
            drop(answer.send(payload.clone()));
        }
        Ok(())
    }
}

impl SlackLocal {
    pub(crate) fn socket_mode(&self) -> bool {
        lock(&self.0.sockets).mode
    }

    /// A URL that opens one socket, if they are served.
    pub(crate) fn socket_url(&self) -> Option<String> {
        let ticket = self.id("");
        let mut sockets = lock(&self.0.sockets);
        let address = sockets.address?;
        sockets.tickets.insert(ticket.clone());
        let app = &self.seed().app_id;
        Some(format!("ws://{address}/link/?ticket={ticket}&app_id={app}"))
    }

    /// Number of sockets that envelopes go to.
    pub fn open_sockets(&self) -> usize {
        lock(&self.0.sockets).open.len()
    }

    /// Number of envelopes that wait for their acknowledgement, those that found no socket included.
    pub fn unanswered(&self) -> usize {
        let waits = |it: &&Envelope| it.answer.as_ref().is_some_and(|it| !it.is_closed());
        lock(&self.0.sockets).envelopes.iter().filter(waits).count()
    }

    /// Sends an envelope and waits for its acknowledgement. Without a socket an event counts as unanswered, and
    /// anything else fails at once.
    pub(crate) async fn send_envelope(
        &self,
        mut envelope: Value,
    ) -> Result<AppAnswer, Undelivered> {
        let kind = &envelope["type"];
        let is_event = kind == EVENTS;
        let takes_payload = kind == COMMANDS || envelope["payload"]["type"] == "view_submission";
        envelope["accepts_response_payload"] = takes_payload.into();
        envelope["envelope_id"] = self.0.ids.uuid().to_string().into();
        let (answer, mut answered) = oneshot::channel();
        let now = self.now_ms();
        let is_sent = lock(&self.0.sockets).send(&envelope, answer, now);
        self.active();
        if !is_sent && !is_event {
            return Err(Undelivered(NOT_THERE));
        }
        let within = i64::try_from(self.0.answer_within.as_millis()).unwrap_or(i64::MAX);
        loop {
            tokio::select! {
                answer = &mut answered => {
                    let body = answer.map_err(|_| Undelivered(TOO_SLOW))?;
                    return Ok(AppAnswer { status: 200, body });
                }
                () = sleep(LOOK) => {
                    if self.now_ms() - now >= within {
                        return Err(Undelivered(TOO_SLOW));
                    }
                }
            }
        }
    }
}
