//! One WebSocket: reads envelopes, and acknowledges each when it was taken.

use alfred_core::envelope::Content;
use alfred_core::ports::Clock;
use futures_util::{SinkExt, StreamExt};
use jiff::SignedDuration;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use thiserror::Error;
use tokio::sync::oneshot;
use tokio::task::{JoinError, JoinSet};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{Bytes, Message};

use super::frames::{self, Envelope, Frame, Reason, acknowledgement};
use super::{Intake, Reply, Stream};

pub(super) type Socket = WebSocketStream<Box<dyn Stream>>;

const PING_EVERY: SignedDuration = SignedDuration::from_secs(10);
/// A connection without any frame for this long is dead, even if it looks open.
const SILENT: SignedDuration = SignedDuration::from_secs(30);
const WRITE_WITHIN: Duration = Duration::from_secs(10);
/// How long a connection that Slack asked to leave is still read.
const LEAVE_WITHIN: Duration = Duration::from_secs(30);
/// More than an envelope takes, and less than a stopping process is waited for.
const FINISH_WITHIN: Duration = Duration::from_secs(5);
/// Envelopes that are taken at once. Nothing is read while there are this many.
const MOST_IN_FLIGHT: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum Lost {
    #[error("it was closed here")]
    Stopped,
    #[error("Slack closed the connection")]
    Closed,
    #[error("the connection broke")]
    Broken,
    #[error("nothing came for 30 s")]
    Silent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    Hello { num_connections: usize },
    Disconnect(Reason),
    Ended(Lost),
}

pub(super) struct Connection {
    pub socket: Socket,
    pub intake: Arc<dyn Intake>,
    pub clock: Arc<dyn Clock>,
    /// Envelopes that couldn't be read, on all connections.
    pub unreadable: Arc<AtomicU64>,
    /// Ends the reading when its other half is dropped.
    pub stop: oneshot::Receiver<()>,
    pub flights: JoinSet<Taken>,
}

type Taken = (Envelope, Reply);

impl Connection {
    /// Reads until the end, then finishes what is under way.
    pub async fn serve(mut self, news: impl Fn(News)) {
        let lost = self.read(&news).await.unwrap_or_else(|lost| lost);
        news(News::Ended(lost));
        self.finish().await;
    }

    async fn read(&mut self, news: &impl Fn(News)) -> Result<Lost, Lost> {
        let clock = self.clock.clone();
        let mut heard = clock.now();
        let mut ping = clock.sleep(PING_EVERY.unsigned_abs());
        let mut leave: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(std::future::pending());
        loop {
            let has_room = self.flights.len() < MOST_IN_FLIGHT;
            tokio::select! {
                biased;
                _ = &mut self.stop => return Ok(Lost::Stopped),
                Some(taken) = self.flights.join_next() => {
                    if !has_room {
                        heard = clock.now();
                    }
                    self.acknowledge(taken).await?;
                }
                message = self.socket.next(), if has_room => {
                    heard = clock.now();
                    let text = match message {
                        Some(Ok(Message::Text(text))) => text,
                        Some(Ok(Message::Close(_))) | None => return Ok(Lost::Closed),
                        Some(Ok(_)) => continue,
                        Some(Err(error)) => {
                            tracing::warn!(slack.error = %error, "Slack's socket broke");
                            return Ok(Lost::Broken);
                        }
                    };
                    match frames::parse(&text) {
                        Ok(Frame::Hello { num_connections }) => news(News::Hello { num_connections }),
                        Ok(Frame::Disconnect { reason }) => {
                            news(News::Disconnect(reason));
                            leave = clock.sleep(LEAVE_WITHIN);
                        }
                        Ok(Frame::EventsApi(envelope)) => self.take(Content::Event, envelope),
                        Ok(Frame::Interactive(envelope)) => self.take(Content::Interaction, envelope),
                        Ok(Frame::SlashCommands(envelope)) => self.take(Content::Command, envelope),
                        Err(id) => {
                            self.count_unreadable();
                            if let Some(id) = id {
                                self.write(Message::text(acknowledgement(&id, None))).await?;
                            }
                        }
                    }
                }
                () = &mut leave => return Ok(Lost::Stopped),
                () = &mut ping => {
                    let left = SILENT - clock.now().duration_since(heard);
                    if !left.is_positive() {
                        return Ok(Lost::Silent);
                    }
                    self.write(Message::Ping(Bytes::new())).await?;
                    ping = clock.sleep(left.min(PING_EVERY).unsigned_abs());
                }
            }
        }
    }

    fn take(&mut self, content: Content, mut envelope: Envelope) {
        let intake = self.intake.clone();
        self.flights.spawn(async move {
            let reply = intake.take(content, envelope.payload.take()).await;
            (envelope, reply)
        });
    }

    async fn acknowledge(&mut self, taken: Result<Taken, JoinError>) -> Result<(), Lost> {
        let (envelope, reply) = match taken {
            Ok(taken) => taken,
            Err(defect) => {
                tracing::error!(%defect, "an envelope of Slack's wasn't taken");
                return Ok(());
            }
        };
        let answer = match reply {
            Reply::Taken(answer) => answer.filter(|_| envelope.accepts_answer),
            Reply::NotTaken => return Ok(()),
            Reply::Malformed => {
                self.count_unreadable();
                None
            }
        };
        let text = acknowledgement(&envelope.id, answer);
        self.write(Message::text(text)).await
    }

    fn count_unreadable(&self) {
        let count = self.unreadable.fetch_add(1, Ordering::Relaxed) + 1;
        tracing::error!(
            slack.unreadable = count,
            "Slack sent what Alfred can't read; it is lost"
        );
        if count == 1 {
            self.intake.unreadable();
        }
    }

    async fn write(&mut self, message: Message) -> Result<(), Lost> {
        let clock = self.clock.clone();
        tokio::select! {
            biased;
            sent = self.socket.send(message) => sent.map_err(|error| {
                tracing::debug!(slack.error = %error, "couldn't write to Slack's socket");
                Lost::Broken
            }),
            () = clock.sleep(WRITE_WITHIN) => Err(Lost::Silent),
        }
    }

    /// Acknowledges what is under way. Slack sends again what it isn't told of.
    async fn finish(mut self) {
        let clock = self.clock.clone();
        let mut late = clock.sleep(FINISH_WITHIN);
        loop {
            let taken = tokio::select! {
                biased;
                taken = self.flights.join_next() => taken,
                () = &mut late => break,
            };
            let Some(taken) = taken else {
                break;
            };
            // On a socket that is closed already, this fails.
            let _ = self.acknowledge(taken).await;
        }
        let _ = self.write(Message::Close(None)).await;
    }
}
