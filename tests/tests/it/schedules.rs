//! Jobs on a deployment's store fire once, even if two sweeps serve them at once or an earlier sweep died.
use alfred_agent::Deadline;
use alfred_core::Role;
use alfred_core::ports::{Clock, Message, Output, QueueName, Store};
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

/// Sweeps that must complete. Each is dropped one poll later; the number of polls depends on the network.
const LIVES: usize = 3;
/// A sweep with more polls loops forever.
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
        // The emulator expires items by the real time.
        let clock = ManualClock::at(Timestamp::now());
        let shared = Arc::new(clock.clone());
        let store = alfred_aws::store(&sdk.unwrap(), "state", "audit", shared.clone());
        let store: Arc<dyn Store> = Arc::new(store);
        let queue = Arc::new(MemoryQueue::default());
        let chat = Arc::new(RecordingChat::new(shared.clone()));
        let ids = Arc::new(SequentialIds::default());
        let ana = person("U1", "Ana", Role::Member, clock.now());
        register(&*store, &*ids, &ana).await;
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
        let (functions, message) = (&self.functions, sweep());
        let served = functions.handle(QueueName::Runs, &message, Deadline::none());
        // One of two sweeps that serve a timer loses with an error.
        drop(served.await);
    }

    /// Delivers everything queued; failed messages are redelivered.
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

    fn told(&self, words: &str) -> usize {
        let posted = self.chat.posted().into_iter();
        let wanted = format!("⏰ {words}");
        posted.filter(|kept| kept.text == wanted).count()
    }
}

/// Creates a reminder in a minute for whatever it is asked.
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

/// Polls at most `most` times, then drops the work like a crash. Returns the number of polls.
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
    let ministack = Ministack::start(&[]);
    let deployed = Deployed::start(&ministack).await;
    deployed.sweep().await;
    let functions = &deployed.functions;
    let (mut lived, mut nth) = (0, 0);
    while lived < LIVES {
        let words = format!("Call no. {nth}");
        let asked = dm("U1", &format!("{nth}.1"), &words);
        let handled = functions.handle(QueueName::Ingress, &asked, Deadline::none());
        handled.await.unwrap();
        deployed.drain().await;
        deployed.sweep().await;
        assert_eq!(deployed.told(&words), 0, "before its time");
        deployed.pass(1).await;
        lived += usize::from(polled(nth, deployed.sweep()).await < nth);
        tokio::join!(deployed.sweep(), deployed.sweep());
        deployed.drain().await;
        // The watchdog sends what was committed but not sent.
        deployed.pass(6).await;
        tokio::join!(deployed.sweep(), deployed.sweep());
        deployed.drain().await;
        assert_eq!(deployed.told(&words), 1, "{words}");
        nth += 1;
        assert!(nth < MOST_KILLS, "{lived} of {nth} sweeps lived");
    }
    println!("{lived} of {nth} sweeps lived");
    // Each store call takes at least one more poll.
    assert!(nth > 2 * LIVES, "a sweep is over after {nth} polls");
}
