//! A real process between stand-ins of Slack and the model, which outlive it.

use alfred_agent::Journal;
use alfred_core::ports::{
    Clock, Item, Query, QueueName, Range, Spilling, Store, SystemClock, SystemIds,
};
use alfred_core::{Config, RunId, TeamId, TraceId, keys};
use alfred_embedded::{DataFolder, SqliteQueue, SqliteStore};
use alfred_slack_local::seed::{ANA, ANA_DM, GENERAL};
use alfred_slack_local::{Message, Options, PersonError, Running, SlackLocal};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpSocket;
use tokio::process::Command;

use crate::local::model::{SLOWLY, ScriptedModel, answer, titles};
use crate::local::process::{Serving, alfred, claimed_port};

pub const TEAM: &str = "T0LOCAL001";

/// The longest time a new process needs to answer what a killed one left. It searches twice for a reply of unknown
/// outcome, and failed messages wait for their retry.
pub const RECOVERY: Duration = Duration::from_secs(120);

pub struct Scene {
    pub slack: Running,
    pub model: ScriptedModel,
    pub asked: Vec<Asked>,
    folder: TempDir,
    /// Kept over kills and restarts, because Slack knows the address.
    port: TcpSocket,
}

pub struct Asked {
    pub tag: String,
    message: Message,
}

impl Scene {
    pub async fn new() -> Self {
        Self::with(Options::default()).await
    }

    pub async fn with(options: Options) -> Self {
        crate::local::process::binary();
        let slack = SlackLocal::start(options).await.unwrap();
        let port = claimed_port();
        let url = format!("http://{}/slack/events", port.local_addr().unwrap());
        slack.slack.set_request_url(url);
        Self {
            slack,
            model: ScriptedModel::start().await,
            asked: Vec::new(),
            folder: crate::local::cli::folder(),
            port,
        }
    }

    pub async fn start(&self) -> Serving {
        self.started(self.serve()).await
    }

    pub fn serve(&self) -> Command {
        let port = self.port.local_addr().unwrap().port().to_string();
        self.command(&["serve", "--port", &port])
    }

    pub async fn started(&self, command: Command) -> Serving {
        let serving = Serving::start(command, self.folder.path()).await;
        self.slack.slack.deliver_now().unwrap();
        serving
    }

    pub fn data(&self) -> &Path {
        self.folder.path()
    }

    /// A command with the settings for a real Slack.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = alfred(self.folder.path(), arguments);
        let seed = self.slack.slack.seed();
        command
            .env("SLACK_API_URL", self.slack.api_url())
            .env("SLACK_BOT_TOKEN", &seed.bot_token)
            .env("SLACK_SIGNING_SECRET", &seed.signing_secret)
            .env("ALFRED_ADMINS", ANA)
            .env("ALFRED_REPLY_SETTLE", "0.2")
            .env("ALFRED_MODEL", "stand-in:scripted")
            .env("ALFRED_MODEL_URL", &self.model.url)
            .env("RUST_LOG", "error");
        command
    }

    pub fn ask(&mut self, tag: String, in_channel: bool, slowly: bool) {
        let how = if slowly { SLOWLY } else { "together" };
        let text = format!("make the two tasks of #{tag} {how}");
        let slack = &self.slack.slack;
        let message = if in_channel {
            slack.post_as(ANA, GENERAL, &format!("@alfred {text}"), None)
        } else {
            slack.post_as(ANA, ANA_DM, &text, None)
        };
        let message = message.unwrap();
        self.asked.push(Asked { tag, message });
    }

    pub fn posted(&self) -> Vec<Message> {
        let slack = &self.slack.slack;
        let mut found = Vec::new();
        for channel in [ANA_DM, GENERAL] {
            for root in slack.messages(channel, usize::MAX).unwrap() {
                match slack.thread(channel, &root.ts) {
                    Ok(thread) => found.extend(thread),
                    // A live message may have been deleted since.
                    Err(PersonError::UnknownMessage) => {}
                    Err(error) => panic!("{error}"),
                }
            }
        }
        found.retain(|message| message.bot_id.is_some());
        found
    }

    pub fn answers(&self, tag: &str) -> usize {
        let wanted = answer(tag);
        let posted = self.posted();
        posted.iter().filter(|m| m.text == wanted).count()
    }

    pub fn all_answered(&self) -> bool {
        self.asked.iter().all(|asked| self.answers(&asked.tag) > 0)
    }

    pub async fn answered(&self) {
        let all = self.slack.slack.until(|slack| {
            // Slack's retry delay is a minute; skip it.
            slack.deliver_now().unwrap();
            self.all_answered().then_some(())
        });
        if tokio::time::timeout(RECOVERY, all).await.is_err() {
            let tags: Vec<&str> = self.asked.iter().map(|asked| asked.tag.as_str()).collect();
            panic!("no answer to one of {tags:?}; posted: {:#?}", self.posted());
        }
    }

    pub async fn finish(&self, serving: Serving) {
        for asked in &self.asked {
            serving.done(&asked.trace().0, TEAM).await;
        }
        serving.kill().await;
    }

    /// Checks the data on disk: each task once, each journal complete, no dead letters.
    pub async fn check_store(&self) {
        let mut made = self.titles([ANA].into_iter()).await;
        let wanted = self.asked.iter().flat_map(|asked| titles(&asked.tag));
        let mut wanted: Vec<String> = wanted.collect();
        made.sort();
        wanted.sort();
        assert_eq!(made, wanted, "tasks");
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let folder = DataFolder::open(self.folder.path()).unwrap();
        let database = folder.database().unwrap();
        let queue = SqliteQueue::new(database.clone(), clock.clone(), 5);
        for name in QueueName::ALL {
            let dead = queue.dead_letters(name, 10).await.unwrap();
            assert!(dead.is_empty(), "{dead:?}");
        }
        let sqlite = SqliteStore::new(database, clock.clone());
        let store: Arc<dyn Store> = Arc::new(Spilling::new(sqlite.clone(), sqlite.blobs()));
        let ids = Arc::new(SystemIds);
        let journal = Journal::new(store.clone(), clock, ids, &Config::default());
        for asked in &self.asked {
            let claim = keys::claim(&TEAM.into(), &asked.trace());
            let claim = store.get(&claim).await.unwrap().expect("a claim");
            let run = RunId::from(claim.body["run"].as_str().unwrap());
            let loaded = journal.load(&TEAM.into(), &run).await.unwrap().unwrap();
            let seqs: Vec<u32> = loaded.steps.iter().map(|step| step.seq).collect();
            let all: Vec<u32> = (1..=loaded.run.progress.steps).collect();
            assert_eq!(seqs, all, "the journal of {}", asked.tag);
            assert!(loaded.run.output().unwrap().success, "{}", asked.tag);
        }
    }

    /// The titles of these users' tasks. The process must have ended.
    pub async fn titles(&self, people: impl Iterator<Item = &str>) -> Vec<String> {
        let folder = DataFolder::open(self.folder.path()).unwrap();
        let store = SqliteStore::new(folder.database().unwrap(), Arc::new(SystemClock));
        let mut titles = Vec::new();
        for person in people {
            let tasks = Query::state(keys::tasks(&TEAM.into(), &person.into()), Range::All);
            let title = |item: &Item| item.body["title"].as_str().unwrap().to_owned();
            titles.extend(tasks.all(&store).await.unwrap().iter().map(title));
        }
        titles
    }
}

impl Asked {
    fn trace(&self) -> TraceId {
        let identity = format!("msg:{}:{}", self.message.channel, self.message.ts);
        TraceId::derive(&TeamId::from(TEAM), &identity)
    }
}
