//! Keeps a connection to Slack open.

use alfred_core::ports::Clock;
use fastrand::Rng;
use std::collections::BTreeMap;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::connection::{Connection, News};
use super::plan::{Id, Plan};
use super::{Dial, Intake, OpenError, SocketError, Stream};
use crate::calls::MAX_REPLY_BYTES;

type Opening = Pin<Box<dyn Future<Output = Result<Box<dyn Stream>, OpenError>> + Send>>;

/// Shows a line in the terminal.
type Say = Arc<dyn Fn(&str) + Send + Sync>;

pub struct Keeper {
    dial: Arc<dyn Dial>,
    intake: Arc<dyn Intake>,
    clock: Arc<dyn Clock>,
    say: Say,
    plan: Plan,
    open: BTreeMap<Id, oneshot::Sender<()>>,
    tasks: JoinSet<()>,
    news: mpsc::UnboundedSender<(Id, News)>,
    heard: mpsc::UnboundedReceiver<(Id, News)>,
    unreadable: Arc<AtomicU64>,
}

impl Keeper {
    /// `say` gets a line for each change. `random` spreads the attempts.
    pub fn new(
        dial: Arc<dyn Dial>,
        intake: Arc<dyn Intake>,
        clock: Arc<dyn Clock>,
        say: Say,
        random: Rng,
    ) -> Self {
        let (news, heard) = mpsc::unbounded_channel();
        Self {
            dial,
            intake,
            clock,
            say,
            plan: Plan::new(random),
            open: BTreeMap::new(),
            tasks: JoinSet::new(),
            news,
            heard,
            unreadable: Arc::default(),
        }
    }

    /// Takes what Slack sends until `stop` is done, and finishes what is under way then, within 15 s. An error if no
    /// connection can be opened any more.
    pub async fn run<T>(mut self, stop: impl Future<Output = T>) -> Result<T, SocketError> {
        let kept = {
            let stop = pin!(stop);
            tokio::select! {
                biased;
                stopped = stop => Ok(stopped),
                error = self.keep() => Err(error),
            }
        };
        self.open.clear();
        while self.tasks.join_next().await.is_some() {}
        kept
    }

    async fn keep(&mut self) -> SocketError {
        let mut opening: Option<Opening> = Some(self.open_in(Duration::ZERO));
        loop {
            let stream = async {
                match &mut opening {
                    Some(opening) => opening.await,
                    None => std::future::pending().await,
                }
            };
            let step = tokio::select! {
                biased;
                Some((id, news)) = self.heard.recv() => {
                    if matches!(news, News::Ended(_)) {
                        self.open.remove(&id);
                    }
                    self.plan.hear(id, news, self.clock.now())
                }
                opened = stream => {
                    opening = None;
                    match opened {
                        Ok(stream) => {
                            self.begin(stream).await;
                            continue;
                        }
                        Err(error) => self.plan.failed(&error),
                    }
                }
            };
            let step = match step {
                Ok(step) => step,
                Err(hopeless) => return hopeless,
            };
            if let Some(id) = step.close {
                self.open.remove(&id);
            }
            for change in step.say {
                (self.say)(&change.to_string());
            }
            if let Some(pause) = step.open {
                opening = Some(self.open_in(pause));
            }
            while self.tasks.try_join_next().is_some() {}
        }
    }

    fn open_in(&self, pause: Duration) -> Opening {
        let (dial, clock) = (self.dial.clone(), self.clock.clone());
        Box::pin(async move {
            if !pause.is_zero() {
                clock.sleep(pause).await;
            }
            dial.dial().await
        })
    }

    async fn begin(&mut self, stream: Box<dyn Stream>) {
        let config = WebSocketConfig::default().max_message_size(Some(MAX_REPLY_BYTES));
        let socket = WebSocketStream::from_raw_socket(stream, Role::Client, Some(config)).await;
        let id = self.plan.opened();
        let (keep, stop) = oneshot::channel();
        self.open.insert(id, keep);
        let connection = Connection {
            socket,
            intake: self.intake.clone(),
            clock: self.clock.clone(),
            unreadable: self.unreadable.clone(),
            stop,
            flights: JoinSet::new(),
        };
        let news = self.news.clone();
        self.tasks.spawn(connection.serve(move |heard| {
            // The keeper is gone when the process ends.
            let _ = news.send((id, heard));
        }));
    }
}
