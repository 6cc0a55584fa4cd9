//! What runs by itself, on the store of a deployment: a job made over the queue fires once, when two sweeps serve it
//! at once and wherever a sweep before them died.
use alfred_agent::Deadline;
use alfred_core::Role;
use alfred_core::ports::{Clock, Ids, Message, Output, QueueName, Store};
use alfred_testkit::ministack::Ministack;
use alfred_testkit::{
    ManualClock, MemoryQueue, MemoryVault, RecordingChat, ScriptedModel, SequentialIds, calls, says,
};
use alfred_tests::{Functions, dm, on_the_wire, person, ports, register, sweep};
use jiff::Timestamp;
use serde_json::json;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

/// Sweeps die a poll later each time, until so many have lived: how often one is polled depends on the network.
const LIVES: usize = 3;
/// A sweep that is polled so often goes round in circles.
const MOST_KILLS: usize = 200;

struct Deployed {
    functions: Functions,
    queue: Arc<MemoryQueue>,
    chat: Arc<RecordingChat>,
    clock: ManualClock,
}

impl Deployed {
    async fn start(ministack: &Ministack) -> Self {
        for table in ["state", "audit"] {
            ministack.table(table);
        }
        let sdk = alfred_aws::from_lookup(|name| ministack.variable(name)).await;
        // The emulator sweeps what has expired by the real time.
        let clock = ManualClock::at(Timestamp::now());
        let shared = Arc::new(clock.clone());
        let store = alfred_aws::store(&sdk.unwrap(), "state", "audit", shared.clone());
        let store: Arc<dyn Store> = Arc::new(store);
        let queue = Arc::new(MemoryQueue::default());
        let chat = Arc::new(RecordingChat::new(shared.clone()));
        let ids = Arc::new(SequentialIds::default());
        let ana = person("U1", "Ana", Role::Member, clock.now());
        register(&*store, ids.uuid(), &ana).await;
        let model = Arc::new(reminding());
        let ports = ports(store, queue.clone(), chat.clone(), model, (shared, ids));
        Self {
            functions: Functions::new(ports, Arc::new(MemoryVault::default())),
            queue,
            chat,
            clock,
        }
    }

    async fn sweep(&self) {
        let message = sweep();
        let served = self
            .functions
            .handle(QueueName::Ingress, &message, Deadline::none());
        // Of two that serve a timer one loses, and says so.
        drop(served.await);
    }

    /// Delivers everything on the queues; what fails is delivered again.
    async fn drain(&self) {
        let next = |queue| Some((queue, self.queue.take(queue)?.envelope));
        while let Some((queue, message)) = QueueName::ALL.into_iter().find_map(next) {
            let message = on_the_wire(&message);
            let handle = || self.functions.handle(queue, &message, Deadline::none());
            let mut done = handle().await;
            for _ in 0..5 {
                if done.is_ok() {
                    break;
                }
                self.clock.advance(Duration::from_secs(1));
                done = handle().await;
            }
            done.unwrap();
        }
        self.queue.forget_dedup();
    }

    async fn pass(&self, minutes: u64) {
        self.clock.advance(Duration::from_secs(60 * minutes));
        self.queue.forget_dedup();
    }

    /// How often she was told this.
    fn told(&self, words: &str) -> usize {
        let posted = self.chat.posted().into_iter();
        posted
            .filter(|kept| kept.text == format!("⏰ {words}"))
            .count()
    }
}

/// A model that sets a reminder of whatever it is asked, in a minute.
fn reminding() -> ScriptedModel {
    ScriptedModel::answering(|request| {
        let (Output::Text, Some(last)) = (&request.output, request.messages.last()) else {
            return Ok(says("{\"result\": false}"));
        };
        Ok(match last {
            Message::User { text } => {
                let words = text.lines().last().unwrap_or_default();
                let job = json!({"say": words, "inMinutes": 1}).to_string();
                calls(&[("c1", "job_createJob", &job)])
            }
            _ => says("It is set."),
        })
    })
}

/// Polls some work so often at most, and then drops it, as a process that dies does; gives how often it was polled.
async fn polled(most: usize, work: impl Future<Output = ()>) -> usize {
    let mut work = pin!(work);
    let mut polls = 0;
    poll_fn(|cx| {
        if polls == most {
            return Poll::Ready(polls);
        }
        polls += 1;
        work.as_mut().poll(cx).map(|()| polls)
    })
    .await
}

#[tokio::test]
async fn a_job_fires_once_however_often_and_badly_the_sweep_is_invoked() {
    let ministack = Ministack::start();
    let deployed = Deployed::start(&ministack).await;
    deployed.sweep().await;
    let (mut lived, mut nth) = (0, 0);
    while lived < LIVES {
        let words = format!("Call no. {nth}");
        let asked = dm("U1", &format!("{nth}.1"), &words);
        deployed
            .functions
            .handle(QueueName::Ingress, &asked, Deadline::none())
            .await
            .unwrap();
        deployed.drain().await;
        assert_eq!(deployed.told(&words), 0, "before its time");
        deployed.pass(1).await;
        lived += usize::from(polled(nth, deployed.sweep()).await < nth);
        tokio::join!(deployed.sweep(), deployed.sweep());
        deployed.drain().await;
        // What was committed and never sent is the watchdog's.
        deployed.pass(6).await;
        tokio::join!(deployed.sweep(), deployed.sweep());
        deployed.drain().await;
        assert_eq!(deployed.told(&words), 1, "{words}");
        nth += 1;
        assert!(nth < MOST_KILLS, "{lived} of {nth} sweeps lived");
    }
    println!("{lived} of {nth} sweeps lived");
    // Each of its calls of the store takes a poll more.
    assert!(nth > 2 * LIVES, "a sweep is over after {nth} polls");
}
