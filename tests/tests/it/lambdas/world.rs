//! One deployment: the emulator, the local Slack, the model, and the functions' proxy.

use alfred_agent::{Journal, LoadedRun};
use alfred_core::ports::{
    Clock, Item, Key, Query, QueueName, Range, Spilling, Store, SystemClock, SystemIds,
};
use alfred_core::{Config, RunId, TeamId, TraceId, keys};
use alfred_slack_local::{Message, Options, Running, SlackLocal, seed};
use alfred_testkit::ministack::Ministack;
use futures_util::future::join_all;
use jiff::SignedDuration;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{MutexGuard, OnceCell};
use tokio::time::timeout;

use crate::lambdas::clock::MovableClock;
use crate::lambdas::model::ModelServer;
use crate::lambdas::stack;
use crate::lambdas::wire::{Way, Wire};

/// The longest wait for anything. On a busy machine several killed functions start at once.
const PATIENCE: Duration = Duration::from_secs(90);
/// The queues' visibility timeout and the longest retry delay.
const LONGEST_HIDDEN: SignedDuration = SignedDuration::from_secs(180);
/// Concurrent deployments for kill tests, which mostly wait.
const KILL_WORLDS: usize = 2;
/// Distinctive, so that a search of the logs can't find it by chance.
pub const MODEL_KEY: &str = "sk-e5f0c2a9d7";

pub struct World {
    pub wire: Wire,
    pub clock: Arc<MovableClock>,
    pub model: ModelServer,
    pub ministack: Ministack,
    pub store: Arc<dyn Store>,
    /// What it was deployed with.
    pub parameters: BTreeMap<String, String>,
    pub outputs: BTreeMap<String, String>,
    pub receiver: String,
    queue_urls: Mutex<BTreeMap<String, String>>,
    slack: Running,
}

impl World {
    /// A deployment shared by concurrent tests. Each uses its own conversation or mark, and none moves the clock.
    pub async fn shared() -> &'static Self {
        static WORLD: OnceCell<World> = OnceCell::const_new();
        WORLD.get_or_init(Self::start).await
    }

    /// A deployment for tests that run alone, because they count calls or move the clock. Only Ana is registered.
    pub async fn exclusive() -> MutexGuard<'static, Self> {
        static WORLD: Guarded<World> = OnceCell::const_new();
        alone(&WORLD, Self::start).await
    }

    /// New deployments for one kill test, because a request's reads depend on earlier requests.
    pub async fn for_kills() -> Vec<Arc<Self>> {
        let worlds = join_all((0..KILL_WORLDS).map(|_| Self::start())).await;
        worlds.into_iter().map(Arc::new).collect()
    }

    /// The deployment with a local Google, for one test at a time.
    pub async fn with_google() -> MutexGuard<'static, (Self, alfred_google_local::Running)> {
        static WORLD: Guarded<(World, alfred_google_local::Running)> = OnceCell::const_new();
        alone(&WORLD, Self::start_with_google).await
    }

    pub async fn start() -> Self {
        Self::with(&[]).await
    }

    /// A deployment with these parameters of the template instead of the usual ones.
    pub async fn with(parameters: &[(&str, &str)]) -> Self {
        Self::behind(Wire::new(), parameters).await
    }

    async fn start_with_google() -> (Self, alfred_google_local::Running) {
        let wire = Wire::new();
        let way = wire.listen(Way::Google).await;
        let known = alfred_google_local::Client::default();
        let further = [
            ("GoogleClientId", known.id.as_str()),
            ("GoogleClientSecret", &known.secret),
            ("GoogleApiUrl", &way.url),
        ];
        let world = Self::behind(wire, &further).await;
        let client = alfred_google_local::Client {
            redirect_uris: vec![world.outputs["GoogleRedirectUri"].clone()],
            ..known
        };
        let options = alfred_google_local::Options {
            client,
            ..alfred_google_local::Options::default()
        };
        let google = alfred_google_local::GoogleLocal::open(options, world.clock.clone());
        let google = google.unwrap().listen().await.unwrap();
        way.lead_to(&google.url);
        (world, google)
    }

    async fn behind(wire: Wire, further: &[(&str, &str)]) -> Self {
        let aws = wire.listen(Way::Aws).await;
        let (_, port) = aws.url.rsplit_once(':').unwrap();
        let clock = Arc::new(MovableClock::new(port));
        let endpoint = [("FUNCTIONS_ENDPOINT", aws.url.as_str())];
        let ministack = Ministack::start(&[&endpoint, &clock.variables()[..]].concat());
        aws.lead_to(&ministack.endpoint());
        let chat = wire.listen(Way::Slack).await;
        let slack = SlackLocal::open(Options::default(), clock.clone(), Arc::new(SystemIds));
        let slack = slack.unwrap().listen().await.unwrap();
        chat.lead_to(&slack.url);
        let (model, model_url) = ModelServer::start().await;
        let language = wire.listen(Way::Model).await;
        language.lead_to(&model_url);
        let sdk = alfred_aws::from_lookup(|name| ministack.variable(name)).await;
        let sdk = sdk.unwrap();
        let model_url = format!("{}/v1", language.url);
        let chat_url = format!("{}/api", chat.url);
        let seed = slack.slack.seed();
        let mut parameters = BTreeMap::from([
            ("Architecture", "x86_64"),
            ("SlackBotToken", seed.bot_token.as_str()),
            ("SlackSigningSecret", seed.signing_secret.as_str()),
            ("ModelKey", MODEL_KEY),
            // Like a hosted endpoint, so that the context size isn't queried.
            ("ModelContext", "128000"),
            ("Model", "openai:scripted"),
            ("ModelUrl", &model_url),
            ("SlackApiUrl", &chat_url),
            ("Admins", seed::ANA),
        ]);
        parameters.extend(further.iter().copied());
        let outputs = stack::deploy(&ministack, "alfred", &parameters).await;
        let parameters = parameters.into_iter();
        let parameters = parameters.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let (state, audit) = (&outputs["StateTableName"], &outputs["AuditTableName"]);
        let table = alfred_aws::store(&sdk, state, audit, clock.clone());
        let blobs = alfred_aws::blobs(&sdk, &outputs["BlobsBucketName"]);
        let receiver = function_url(&ministack, &outputs["SlackRequestUrl"]);
        slack.slack.set_request_url(receiver.clone());
        Self {
            store: Arc::new(Spilling::new(table, blobs)),
            wire,
            clock,
            model,
            ministack,
            parameters: parameters.collect(),
            outputs,
            receiver,
            queue_urls: Mutex::default(),
            slack,
        }
    }

    pub fn slack(&self) -> &SlackLocal {
        &self.slack.slack
    }

    pub fn team(&self) -> TeamId {
        TeamId::from(self.slack().seed().team_id.as_str())
    }

    pub fn say(&self, user: &str, channel: &str, text: &str) -> Message {
        self.slack().post_as(user, channel, text, None).unwrap()
    }

    /// Alfred's messages in the channel and in the thread of this request.
    pub fn answers(&self, asked: &Message) -> Vec<String> {
        let beside = self.slack().messages(&asked.channel, 10_000).unwrap();
        let under = self.slack().thread(&asked.channel, &asked.ts).unwrap();
        let all = beside.into_iter().chain(under);
        let own = all.filter(|message| message.bot_id.is_some() && message.ts > asked.ts);
        own.map(|message| message.text).collect()
    }

    /// Waits at most `PATIENCE`; panics with `what` otherwise. A failed call on a busy machine hides its message for
    /// minutes, so the clock skips them after half of the time.
    pub async fn within<T>(&self, what: impl Fn() -> String, wait: impl Future<Output = T>) -> T {
        let mut wait = pin!(wait);
        if let Ok(came) = timeout(PATIENCE / 2, &mut wait).await {
            return came;
        }
        self.clock.elapse(LONGEST_HIDDEN);
        let waited = timeout(PATIENCE / 2, wait).await;
        waited.unwrap_or_else(|_| panic!("nothing came for {PATIENCE:?}: {}", what()))
    }

    pub async fn answered(&self, asked: &Message, part: &str) {
        let seen = self.slack().until(|_| {
            let mut answers = self.answers(asked).into_iter();
            answers.any(|answer| answer.contains(part)).then_some(())
        });
        let what = || {
            let answers = self.answers(asked);
            let calls = self.wire.calls();
            let last = calls.iter().rev().take(12).collect::<Vec<_>>();
            format!("an answer with {part:?} among {answers:?}\nlast calls: {last:#?}")
        };
        self.within(what, seen).await;
    }

    pub async fn quiet(&self) {
        let names = || QueueName::ALL.into_iter().map(QueueName::as_str);
        let depths = || names().map(|name| self.depth(name)).collect::<Vec<_>>();
        let emptied = async {
            let mut look = tokio::time::interval(Duration::from_millis(50));
            while depths().into_iter().any(|depth| depth > 0) {
                look.tick().await;
            }
        };
        self.within(|| format!("empty queues: {:?}", depths()), emptied)
            .await;
    }

    /// Types `/alfred TEXT`, and waits until nothing is left to do.
    pub async fn command(&self, user: &str, channel: &str, text: &str) {
        let answer = self.slack().command(user, channel, "/alfred", text).await;
        assert_eq!(answer.unwrap().status, 200);
        self.quiet().await;
    }

    /// Moves the clock of functions and stand-ins, and serves due timers.
    pub async fn elapse(&self, time: SignedDuration) {
        self.clock.elapse(time);
        self.sweep().await;
    }

    pub fn depth(&self, queue: &str) -> u64 {
        let names = [
            "ApproximateNumberOfMessages",
            "ApproximateNumberOfMessagesNotVisible",
        ];
        let asked = json!({"QueueUrl": self.queue_url(queue), "AttributeNames": names});
        let answer = self.ministack.call("AmazonSQS.GetQueueAttributes", &asked);
        let number = |name: &str| -> u64 {
            let text = answer["Attributes"][name].as_str();
            text.and_then(|text| text.parse().ok()).expect("a number")
        };
        names.into_iter().map(number).sum()
    }

    pub fn dead(&self) -> Vec<String> {
        let bodies = QueueName::ALL.into_iter().flat_map(|name| {
            let name = name.as_str().replace(".fifo", "-dlq.fifo");
            let asked = json!({"QueueUrl": self.queue_url(&name), "MaxNumberOfMessages": 10, "VisibilityTimeout": 0});
            let answer = self.ministack.call("AmazonSQS.ReceiveMessage", &asked);
            let messages = answer["Messages"].as_array().cloned().unwrap_or_default();
            messages.into_iter().map(|message| message["Body"].as_str().unwrap().to_owned())
        });
        bodies.collect()
    }

    pub async fn sweep(&self) {
        let body = stack::sweep(&self.clock.now().to_string());
        // The schedule sends no deduplication id either.
        let message = json!({
            "QueueUrl": self.queue_url(QueueName::Runs.as_str()),
            "MessageBody": body,
            "MessageGroupId": "sweep",
        });
        self.ministack.call("AmazonSQS.SendMessage", &message);
        self.quiet().await;
    }

    pub fn queue_url(&self, queue: &str) -> String {
        let mut known = self.queue_urls.lock().unwrap();
        let url = known.entry(queue.to_owned()).or_insert_with(|| {
            let asked = json!({"QueueName": queue});
            let answer = self.ministack.call("AmazonSQS.GetQueueUrl", &asked);
            answer["QueueUrl"].as_str().unwrap().to_owned()
        });
        url.clone()
    }

    pub async fn run_id(&self, asked: &Message) -> Option<RunId> {
        let claim = keys::claim(&self.team(), &self.trace(asked));
        let item: Item = self.store.get(&claim).await.unwrap()?;
        item.body["run"].as_str().map(RunId::from)
    }

    pub fn trace(&self, asked: &Message) -> TraceId {
        TraceId::derive(&self.team(), &format!("msg:{}:{}", asked.channel, asked.ts))
    }

    pub async fn journal(&self, run: &RunId) -> LoadedRun {
        let (clock, ids) = (Arc::new(SystemClock), Arc::new(SystemIds));
        let journal = Journal::new(self.store.clone(), clock, ids, &Config::default());
        let loaded = journal.load(&self.team(), run).await.unwrap();
        loaded.expect("the run is stored")
    }

    pub async fn items(&self, partition: &str) -> Vec<Value> {
        let query = Query::state(partition, Range::All);
        let page = self.store.query(&query).await.unwrap();
        assert!(page.cursor.is_none(), "{partition} is longer than a page");
        page.items.into_iter().map(|item| item.body).collect()
    }

    pub async fn item(&self, key: &Key) -> Value {
        self.store.get(key).await.unwrap().expect("is stored").body
    }
}

type Guarded<T> = OnceCell<tokio::sync::Mutex<T>>;

async fn alone<T>(
    cell: &'static Guarded<T>,
    start: impl AsyncFnOnce() -> T,
) -> MutexGuard<'static, T> {
    let start = async || tokio::sync::Mutex::new(start().await);
    cell.get_or_init(start).await.lock().await
}

/// Rewrites a function URL, because names under `localhost` don't resolve everywhere.
pub fn function_url(ministack: &Ministack, url: &str) -> String {
    let host = url.split("//").nth(1).expect("a URL");
    let id = host.split('.').next().expect("a host");
    format!("{}/_aws/lambda-url/{id}/", ministack.endpoint())
}
