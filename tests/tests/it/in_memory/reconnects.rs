//! Two hundred reconnects of Socket Mode while messages come: the stand-in's sockets over loopback, Alfred's client and
//! keeper, the receiver and the queue. All follow a clock that is twenty times as fast as the machine's.

use alfred_agent::Ports;
use alfred_agent::store::claim::{self, Claimed};
use alfred_core::envelope::Content;
use alfred_core::ports::{Clock, QueueName, SystemIds};
use alfred_core::redelivery::MAX_RECEIVES;
use alfred_core::{Envelope, Failure};
use alfred_embedded::{Consumer, Database, Handler, SqliteQueue};
use alfred_slack::SlackClient;
use alfred_slack::socket::{Dial, Intake, Keeper, OpenError, Reply, Stream};
use alfred_slack_local::seed::{ANA, ANA_DM};
use alfred_slack_local::{Disconnect, EnvelopeFault, Options, SlackLocal};
use alfred_slack_receiver::{Receiver, SigningSecrets};
use alfred_testkit::wait::{eventually, within};
use alfred_testkit::{MemoryStore, RecordingChat, ScriptedModel};
use alfred_tests::ports;
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::Instant;

const SPEED: u32 = 20;
const RECONNECTS: usize = 200;
const EACH: Duration = Duration::from_millis(50);
/// Those of 1.5 s. Slack's last repetition comes five minutes after the one before, so no message meets four gaps.
const MESSAGES_A_ROUND: usize = 30;
/// Some are forced while no socket is open, and do nothing.
const MOST_FORCED: usize = 3 * RECONNECTS;
/// More than Slack's last repetition takes by the fast clock.
const PATIENCE: Duration = Duration::from_secs(120);

struct FastClock(Instant);

#[async_trait]
impl Clock for FastClock {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH + self.0.elapsed() * SPEED
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration / SPEED).await;
    }
}

/// Counts connections.
struct Counted(SlackClient, AtomicUsize);

#[async_trait]
impl Dial for Counted {
    async fn dial(&self) -> Result<Box<dyn Stream>, OpenError> {
        let opened = self.0.dial().await?;
        self.1.fetch_add(1, Ordering::Relaxed);
        Ok(opened)
    }
}

struct Queued(Receiver);

#[async_trait]
impl Intake for Queued {
    async fn take(&self, content: Content, payload: Value) -> Reply {
        let reply = self.0.envelope(content, payload).await;
        assert_eq!(reply.status, 200, "all of it is well-formed");
        Reply::Taken(reply.answer())
    }

    fn unreadable(&self) {}
}

/// Claims what comes out of the queue, as the classifier does with a request. The queue knows a message for five
/// minutes; Slack may repeat it later.
struct Claims {
    ports: Ports,
    first: AtomicUsize,
    again: AtomicUsize,
}

#[async_trait]
impl Handler for Claims {
    async fn handle(&self, _: QueueName, envelope: &Envelope, _: bool) -> Result<(), Failure> {
        let count = match claim::claim(&self.ports, &envelope.into(), None).await? {
            Claimed::First => &self.first,
            Claimed::Again(_) | Claimed::Duplicate => &self.again,
        };
        count.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    async fn give_up(&self, _: &Envelope, why: &str) -> Result<(), Failure> {
        panic!("given up: {why}")
    }
}

/// Makes the app connect anew, in turn in each way that Slack has.
fn force(slack: &SlackLocal, number: usize) {
    if number == 99 {
        return slack.deafen_sockets();
    }
    match number % 10 {
        0 | 2 | 4 | 6 | 8 => slack.disconnect(Disconnect::Warning),
        9 => slack.fail_next_envelope(EnvelopeFault::Cut),
        _ => slack.disconnect(Disconnect::RefreshRequested),
    }
    match number % 10 {
        3 => slack.fail_next_envelope(EnvelopeFault::Twice),
        6 => slack.fail_next_envelope(EnvelopeFault::Late(1_000)),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_reconnects_lose_and_double_no_message() {
    // Another test of this process may have installed it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let clock = Arc::new(FastClock(Instant::now()));
    let options = Options {
        socket_mode: true,
        ..Options::default()
    };
    let app_token = options.seed.app_token.clone();
    let slack = SlackLocal::open(options, clock.clone(), Arc::new(SystemIds)).unwrap();
    let running = slack.listen().await.unwrap();
    let slack = &running.slack;
    let client = SlackClient::new(&running.api_url(), app_token.into(), clock.clone());
    let dial = Arc::new(Counted(client, AtomicUsize::new(0)));
    let queue = SqliteQueue::new(Database::in_memory().unwrap(), clock.clone(), MAX_RECEIVES);
    let secrets = SigningSecrets::new("of no use here", None).unwrap();
    let receiver = Receiver::new(Arc::new(queue.clone()), secrets, clock.clone());
    let (sends, ids) = (Arc::new(queue.clone()), Arc::new(SystemIds));
    let store = Arc::new(MemoryStore::new(clock.clone()));
    let chat = Arc::new(RecordingChat::new(clock.clone()));
    let model = Arc::new(ScriptedModel::new([]));
    let claims = Arc::new(Claims {
        ports: ports(store, sends, chat, model, (clock.clone(), ids)),
        first: AtomicUsize::new(0),
        again: AtomicUsize::new(0),
    });
    let consumer = Consumer::new(queue, clock.clone(), claims.clone());
    let consuming = tokio::spawn(Arc::new(consumer).run());
    let (intake, random) = (Arc::new(Queued(receiver)), fastrand::Rng::with_seed(38));
    let quiet = Arc::new(|_: &str| {});
    let keeper = Keeper::new(dial.clone(), intake, clock.clone(), quiet, random);
    let keeping = tokio::spawn(keeper.run(std::future::pending::<()>()));

    let began = clock.now();
    let opened = || dial.1.load(Ordering::Relaxed);
    let (mut sent, mut forced) = (0, 0);
    while opened() <= RECONNECTS && forced < MOST_FORCED {
        for _ in 0..MESSAGES_A_ROUND {
            let text = format!("message {sent}");
            slack.post_as(ANA, ANA_DM, &text, None).unwrap();
            sent += 1;
            let due = began + EACH * sent;
            let left = Duration::try_from(due.duration_since(clock.now()));
            clock.sleep(left.unwrap_or_default()).await;
        }
        force(slack, forced);
        forced += 1;
    }
    let took = clock.now().duration_since(began);
    let none = |slack: &SlackLocal| slack.pending_deliveries().unwrap().is_empty().then_some(());
    within(PATIENCE, "the deliveries", slack.until(none)).await;
    let sent = usize::try_from(sent).unwrap();
    let first = || claims.first.load(Ordering::Relaxed);
    // On a busy machine, all of Slack's attempts at a message may find no socket. That one Slack gives up.
    let all = async || (first() + slack.given_up() >= sent).then_some(());
    eventually(PATIENCE, "the last messages", all).await;
    keeping.abort();
    consuming.abort();

    let (opened, again) = (opened(), claims.again.load(Ordering::Relaxed));
    let (given_up, first) = (slack.given_up(), first());
    println!(
        "{sent} messages in {took:#}, {opened} connections, {again} repeated, {given_up} given up"
    );
    assert!(opened > RECONNECTS, "{opened} connections");
    assert!(first <= sent, "doubled: {}", first - sent);
    assert!(given_up * 100 <= sent, "given up by Slack: {given_up}");
    assert_eq!(slack.mistakes(), []);
}
