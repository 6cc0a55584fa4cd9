//! What can go wrong with sockets: Slack's side as a test asks for it, the app's side as it was found.

use serde::{Deserialize, Serialize};

use super::connection::Order;
use crate::state::{SlackLocal, lock};

/// Why Slack ends a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disconnect {
    /// The socket ends ten seconds later.
    Warning,
    RefreshRequested,
    /// Socket Mode is off; every new socket ends with this too.
    LinkDisabled,
    /// The app had ten already.
    TooManyWebsockets,
}

/// What happens to an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnvelopeFault {
    /// The connection is cut after half of its frame.
    Cut,
    Twice,
    /// It is sent so many milliseconds later, by the workspace's clock.
    Late(i64),
    /// A frame with half of its JSON is sent.
    NotJson,
}

pub(super) fn orders(fault: Option<EnvelopeFault>, mut text: String, now_ms: i64) -> Vec<Order> {
    match fault {
        None => vec![Order::Text(text)],
        Some(EnvelopeFault::Cut) => vec![Order::Cut(text)],
        Some(EnvelopeFault::Twice) => vec![Order::Text(text.clone()), Order::Text(text)],
        Some(EnvelopeFault::Late(by)) => vec![Order::Later(now_ms + by, text)],
        Some(EnvelopeFault::NotJson) => {
            text.truncate(text.floor_char_boundary(text.len() / 2));
            vec![Order::Text(text)]
        }
    }
}

/// How the app broke the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    NotJson,
    BinaryFrame,
    UnknownEnvelope,
    /// The envelope came over another socket.
    OtherSocket,
    /// The envelope was acknowledged already.
    Repeated,
    /// The envelope takes no payload. It stays unacknowledged.
    UnwantedPayload,
}

impl SlackLocal {
    /// Switches Socket Mode on in the app's settings.
    pub fn enable_socket_mode(&self) {
        lock(&self.0.sockets).mode = true;
        self.0.wake.notify_one();
    }

    /// Ends all open sockets. [`Disconnect::LinkDisabled`] switches Socket Mode off.
    pub fn disconnect(&self, why: Disconnect) {
        lock(&self.0.sockets).mode &= why != Disconnect::LinkDisabled;
        self.order(|| Order::Disconnect(why));
    }

    /// Leaves all open sockets open but dead: nothing comes any more, and nothing that the app sends arrives.
    pub fn deafen_sockets(&self) {
        self.order(|| Order::Deafen);
    }

    fn order(&self, order: impl Fn() -> Order) {
        for socket in &lock(&self.0.sockets).open {
            drop(socket.orders.send(order()));
        }
    }

    /// The next envelope without a fault that goes to a socket gets this one.
    pub fn fail_next_envelope(&self, fault: EnvelopeFault) {
        lock(&self.0.sockets).faults.push_back(fault);
    }

    /// Counts so many sockets of other processes in `hello` and in the limit of ten.
    pub fn set_other_sockets(&self, count: usize) {
        lock(&self.0.sockets).others = count;
    }

    /// All mistakes so far, oldest first.
    pub fn mistakes(&self) -> Vec<Mistake> {
        lock(&self.0.sockets).mistakes.clone()
    }
}
