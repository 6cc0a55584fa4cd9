//! One deployment of its own: emulator, local Slack, model, and the wire that
//! its functions speak through.

use alfred_agent::{Journal, LoadedRun};
use alfred_core::ports::{
    Item, Key, Query, QueueName, Range, Spilling, Store, SystemClock, SystemIds,
};
use alfred_core::{Config, RunId, TeamId, TraceId, keys};
use alfred_slack_local::{Message, Options, Running, SlackLocal, seed};
use alfred_testkit::ministack::Ministack;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::timeout;

use crate::lambdas::model::ModelServer;
use crate::lambdas::stack;
use crate::lambdas::wire::{Way, Wire};

/// The longest anything may take; reached only by what never comes.
pub const PATIENCE: Duration = Duration::from_secs(300);
/// Secrets, so that a search in the logs can't find them by chance.
pub const MODEL_KEY: &str = "sk-e5f0c2a9d7";

pub struct World {
    pub wire: Wire,
    pub model: ModelServer,
    pub ministack: Ministack,
    pub store: Arc<dyn Store>,
    /// What the template gave, by name.
    pub outputs: BTreeMap<String, String>,
    /// The receiver's Function URL.
    pub receiver: String,
    queue_urls: Mutex<BTreeMap<String, String>>,
    slack: Running,
}

impl World {
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// With further parameters of the template.
    pub async fn start_with(further: &[(&str, &str)]) -> Self {
        Self::behind(Wire::new(), further).await
    }

    /// With people's Google accounts, which it serves itself.
    pub async fn start_with_google() -> (Self, alfred_google_local::Running) {
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
        let google = alfred_google_local::GoogleLocal::open(options, Arc::new(SystemClock));
        let google = google.unwrap().listen().await.unwrap();
        way.lead_to(&google.url);
        (world, google)
    }

    async fn behind(wire: Wire, further: &[(&str, &str)]) -> Self {
        let aws = wire.listen(Way::Aws).await;
        let ministack = Ministack::start_behind(&aws.url);
        aws.lead_to(&ministack.endpoint());
        let chat = wire.listen(Way::Slack).await;
        let slack = SlackLocal::start(Options::default()).await.unwrap();
        chat.lead_to(&slack.url);
        let (model, model_url) = ModelServer::start().await;
        let language = wire.listen(Way::Model).await;
        language.lead_to(&model_url);
        let sdk = alfred_aws::from_lookup(|name| ministack.variable(name)).await;
        let sdk = sdk.unwrap();
        let model_url = format!("{}/v1", language.url);
        let chat_url = format!("{}/api", chat.url);
        let mut parameters = vec![
            ("Architecture", "x86_64"),
            ("SlackBotToken", slack.slack.seed().bot_token.as_str()),
            (
                "SlackSigningSecret",
                slack.slack.seed().signing_secret.as_str(),
            ),
            ("ModelKey", MODEL_KEY),
            // As a hosted endpoint, which nobody asks how much it takes.
            ("ModelContext", "128000"),
            ("Model", "openai:scripted"),
            ("ModelUrl", &model_url),
            ("SlackApiUrl", &chat_url),
            ("Admins", seed::ANA),
        ];
        parameters.extend(further);
        let outputs = stack::deploy(&ministack, &sdk, &parameters).await;
        let clock = Arc::new(SystemClock);
        let (state, audit) = (&outputs["StateTableName"], &outputs["AuditTableName"]);
        let table = alfred_aws::store(&sdk, state, audit, clock);
        let blobs = alfred_aws::blobs(&sdk, &outputs["BlobsBucketName"]);
        let receiver = function_url(&ministack, &outputs["SlackRequestUrl"]);
        slack.slack.set_request_url(receiver.clone());
        Self {
            store: Arc::new(Spilling::new(table, blobs)),
            wire,
            model,
            ministack,
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

    /// What Alfred wrote where this was asked, beside or under it.
    pub fn answers(&self, asked: &Message) -> Vec<String> {
        let beside = self.slack().messages(&asked.channel, 10_000).unwrap();
        let under = self.slack().thread(&asked.channel, &asked.ts).unwrap();
        let all = beside.into_iter().chain(under);
        let own = all.filter(|message| message.bot_id.is_some() && message.ts > asked.ts);
        own.map(|message| message.text).collect()
    }

    /// Waits until Alfred has written this.
    pub async fn answered(&self, asked: &Message, part: &str) {
        let seen = self.slack().until(|_| {
            let answers = self.answers(asked);
            answers
                .iter()
                .any(|answer| answer.contains(part))
                .then_some(())
        });
        let waited = timeout(PATIENCE, seen).await;
        assert!(
            waited.is_ok(),
            "no answer with {part:?}: {:?}\ncalls: {:#?}",
            self.answers(asked),
            self.wire.calls().iter().rev().take(12).collect::<Vec<_>>()
        );
    }

    /// Waits until nothing is on its way any more.
    pub async fn quiet(&self) {
        let waited = timeout(PATIENCE, async {
            let mut look = tokio::time::interval(Duration::from_millis(50));
            loop {
                look.tick().await;
                let names = QueueName::ALL.into_iter().map(QueueName::as_str);
                if names.map(|name| self.depth(name)).sum::<u64>() == 0 {
                    return;
                }
            }
        });
        assert!(waited.await.is_ok(), "the queues don't empty");
    }

    /// Messages in a queue, those at work included.
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

    /// The messages that were given up, of all queues.
    pub fn dead(&self) -> Vec<String> {
        let names = QueueName::ALL.into_iter().map(QueueName::dead_letters);
        let bodies = names.flat_map(|name| {
            let asked = json!({"QueueUrl": self.queue_url(name), "MaxNumberOfMessages": 10, "VisibilityTimeout": 0});
            let answer = self.ministack.call("AmazonSQS.ReceiveMessage", &asked);
            let messages = answer["Messages"].as_array().cloned().unwrap_or_default();
            messages.into_iter().map(|message| message["Body"].as_str().unwrap().to_owned())
        });
        bodies.collect()
    }

    /// Has the timers that are due served, as the schedule does each minute.
    pub async fn sweep(&self) {
        let body = stack::sweep(&Timestamp::now().to_string());
        // No deduplication id: the schedule sends none either.
        let message = json!({
            "QueueUrl": self.queue_url(QueueName::Ingress.as_str()),
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

    /// The run that serves a message, once there is one.
    pub async fn run_id(&self, asked: &Message) -> Option<RunId> {
        let claim = keys::claim(&self.team(), &self.trace(asked));
        let item: Item = self.store.get(&claim).await.unwrap()?;
        item.body["run"].as_str().map(RunId::from)
    }

    pub fn trace(&self, asked: &Message) -> TraceId {
        TraceId::derive(&self.team(), &format!("msg:{}:{}", asked.channel, asked.ts))
    }

    /// A run with its journal.
    pub async fn journal(&self, run: &RunId) -> LoadedRun {
        let journal = Journal::new(
            self.store.clone(),
            Arc::new(SystemClock),
            Arc::new(SystemIds),
            &Config::default(),
        );
        let loaded = journal.load(&self.team(), run).await.unwrap();
        loaded.expect("the run is stored")
    }

    /// The bodies of a partition.
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

/// The emulator's other form of an address: names under `localhost` don't resolve everywhere.
pub fn function_url(ministack: &Ministack, url: &str) -> String {
    let host = url.split("//").nth(1).expect("a URL");
    let id = host.split('.').next().expect("a host");
    format!("{}/_aws/lambda-url/{id}/", ministack.endpoint())
}
