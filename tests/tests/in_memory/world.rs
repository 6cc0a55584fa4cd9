//! Alfred with ports in memory, stepped by hand.

use alfred_agent::rich_text::as_text;
use alfred_agent::run::{Run, RunState, Step, StepKind};
use alfred_agent::session::Session;
use alfred_agent::{Agent, Deadline, Ports, users};
use alfred_classifier::Classifier;
use alfred_core::envelope::SlackMessage;
use alfred_core::ports::{
    Accounts, Clock, Commit, Message, Model, Output, QueueName, Store, Turn, TurnRequest, Write,
};
use alfred_core::{
    Config, Envelope, Failure, Payload, Preferences, ReplyAddress, ResponseType, Role, RunId,
    SessionId, TeamId, TraceId, User, UserId, WorkerOutput,
};
use alfred_team_manager::TeamManager;
use alfred_testkit::{
    FaultyQueue, FaultyStore, ManualClock, MemoryQueue, MemoryStore, MemoryVault, RecordingChat,
    ScriptedModel, SequentialIds, says,
};
use alfred_utility_worker::UtilityWorker;
use std::sync::Arc;
use std::time::Duration;

use crate::proposing::reading;

/// How often a message is delivered before it is dead.
const DELIVERIES: u32 = 8;

pub struct World {
    pub store: Arc<FaultyStore<MemoryStore>>,
    pub queue: Arc<FaultyQueue<MemoryQueue>>,
    pub chat: Arc<RecordingChat>,
    pub model: Arc<ScriptedModel>,
    pub clock: ManualClock,
    pub ports: Ports,
    pub vault: Arc<MemoryVault>,
    pub dead: Vec<(Envelope, String)>,
    /// What each invocation may take.
    pub deadline: Option<Duration>,
    /// Whose runs are looked at.
    pub owner: UserId,
    classifier: Classifier,
    worker: UtilityWorker,
    teams: TeamManager,
}

/// The turns of a run's script, by how many turns the run has taken: a turn
/// that was lost in a crash is given again. Words about proposals are read as `reading` does.
pub fn by_progress(script: Vec<Turn>) -> ScriptedModel {
    ScriptedModel::answering(move |request| match &request.output {
        Output::Json {
            name: "predicate", ..
        } => Ok(says("{\"result\": false}")),
        Output::Json { name, .. } => panic!("nobody asked for {name}"),
        Output::Text => {
            if let Some(turn) = reading(request) {
                return Ok(turn);
            }
            let taken = turns_taken(request);
            let turn = script.get(taken);
            Ok(turn
                .unwrap_or_else(|| panic!("no turn {taken} in the script"))
                .clone())
        }
    })
}

pub fn turns_taken(request: &TurnRequest) -> usize {
    let asked = request
        .messages
        .iter()
        .rposition(|message| matches!(message, Message::User { .. }))
        .unwrap_or(0);
    request.messages[asked..]
        .iter()
        .filter(|message| matches!(message, Message::Assistant { .. }))
        .count()
}

impl World {
    pub async fn new(model: ScriptedModel) -> Self {
        let clock = ManualClock::default();
        Self::by(model, clock.clone(), Arc::new(clock)).await
    }

    /// Where time passes as `clock` does, and Alfred's own clock is another.
    pub async fn by(model: ScriptedModel, clock: ManualClock, shared: Arc<dyn Clock>) -> Self {
        let store = Arc::new(FaultyStore::new(MemoryStore::new(shared.clone())));
        let queue = Arc::new(FaultyQueue::new(MemoryQueue::default()));
        let chat = Arc::new(RecordingChat::new(shared.clone()));
        let model = Arc::new(model);
        let ports = Ports {
            store: store.clone(),
            queue: queue.clone(),
            chat: chat.clone(),
            accounts: Accounts::none(),
            model: model.clone() as Arc<dyn Model>,
            clock: shared,
            ids: Arc::new(SequentialIds::default()),
            config: Arc::new(Config::default()),
            measure: Arc::new(()),
        };
        let vault = Arc::new(MemoryVault::default());
        let world = Self {
            vault: vault.clone(),
            classifier: Classifier::new(ports.clone(), vault.clone()).unwrap(),
            worker: UtilityWorker::new(ports.clone()).unwrap(),
            teams: TeamManager::new(ports.clone()).unwrap(),
            store,
            queue,
            chat,
            model,
            clock,
            ports,
            dead: Vec::new(),
            deadline: None,
            owner: "U1".into(),
        };
        world.register("U1", "Ana", Role::Member).await;
        world
    }

    /// The same Alfred under other settings.
    pub fn reconfigure(&mut self, config: Config) {
        self.ports.config = Arc::new(config);
        self.classifier = Classifier::new(self.ports.clone(), self.vault.clone()).unwrap();
        self.worker = UtilityWorker::new(self.ports.clone()).unwrap();
        self.teams = TeamManager::new(self.ports.clone()).unwrap();
    }

    /// Connects accounts of mail and calendars.
    pub fn connect(&mut self, accounts: Accounts) {
        self.ports.accounts = accounts;
        self.reconfigure((*self.ports.config).clone());
    }

    /// Goes on with another model.
    pub fn replace_model(&mut self, model: ScriptedModel) {
        self.model = Arc::new(model);
        self.ports.model = self.model.clone() as Arc<dyn Model>;
        self.reconfigure((*self.ports.config).clone());
    }

    /// Gives the utility worker another agent.
    pub fn employ(&mut self, agent: Agent) {
        self.worker = UtilityWorker::with_agent(self.ports.clone(), agent).unwrap();
    }

    /// Writes past all faults.
    pub async fn write(&self, writes: Vec<Write>) {
        let id = self.ports.ids.uuid();
        let commit = Commit { id, writes };
        self.store.inner().commit(&commit).await.unwrap();
    }

    pub async fn register(&self, id: &str, name: &str, role: Role) {
        let now = self.clock.now();
        let user = User {
            slack_user_id: id.into(),
            slack_username: name.to_lowercase(),
            email: format!("{}@example.com", name.to_lowercase()),
            name: name.into(),
            role,
            timezone: "Europe/Berlin".into(),
            is_active: true,
            preferences: Preferences::default(),
            created_at: now,
            updated_at: now,
        };
        let write = users::write(&team(), &user, None).unwrap();
        self.write(vec![write]).await;
    }

    /// Delivers until nothing is left to do: queues first, then time passes.
    pub async fn settle(&mut self) {
        for _ in 0..60 {
            self.drain().await;
            if !self.unfinished().await {
                return;
            }
            self.clock.advance(Duration::from_secs(60));
            self.queue.inner().forget_dedup();
            let _ = self.deliver(QueueName::Ingress, &sweep()).await;
        }
        panic!("a run is stuck");
    }

    /// One sweep, and what it sets going.
    pub async fn sweep(&mut self) {
        self.deliver_until_done(QueueName::Ingress, sweep()).await;
        self.drain().await;
    }

    /// Delivers everything on the queues; what fails is delivered again.
    pub async fn drain(&mut self) {
        while let Some((queue, envelope)) = self.next() {
            self.deliver_until_done(queue, envelope).await;
        }
    }

    pub fn next(&self) -> Option<(QueueName, Envelope)> {
        QueueName::ALL
            .into_iter()
            .find_map(|queue| Some((queue, self.queue.inner().take(queue)?.envelope)))
    }

    pub async fn deliver_until_done(&mut self, queue: QueueName, envelope: Envelope) {
        for delivery in 1..=DELIVERIES {
            match self.deliver(queue, &envelope).await {
                Ok(()) => return,
                Err(failure) if delivery == DELIVERIES => {
                    self.dead.push((envelope.clone(), failure.to_string()));
                }
                Err(_) => self.clock.advance(Duration::from_secs(1)),
            }
        }
    }

    pub async fn deliver(&self, queue: QueueName, envelope: &Envelope) -> Result<(), Failure> {
        // The contract on the wire is JSON; what doesn't survive it is lost.
        let text = serde_json::to_string(envelope).unwrap();
        let envelope: Envelope = serde_json::from_str(&text).unwrap();
        let deadline = match self.deadline {
            Some(left) => Deadline::after(self.clock.now(), left),
            None => Deadline::none(),
        };
        match queue {
            QueueName::Ingress => self.classifier.handle(&envelope, deadline).await,
            QueueName::Utility => self.worker.handle(&envelope, deadline).await,
            QueueName::Team => self.teams.handle(&envelope, deadline).await,
        }
    }

    /// A person writes, and everything that follows happens.
    pub async fn say(&mut self, envelope: Envelope) {
        self.deliver_until_done(QueueName::Ingress, envelope).await;
        self.settle().await;
    }

    async fn unfinished(&self) -> bool {
        let runs = self.runs().await;
        runs.iter()
            .any(|run| !matches!(run.state, RunState::Done { .. }))
    }

    pub async fn runs(&self) -> Vec<Run> {
        let index = format!(
            "T1#{}#runs#{}",
            self.owner,
            self.clock.now().strftime("%Y-%m")
        );
        let query = alfred_core::ports::Query::state(index, alfred_core::ports::Range::All);
        let page = self.store.inner().query(&query).await.unwrap();
        let mut runs = Vec::new();
        for item in page.items {
            let key = alfred_core::keys::run(&team(), &RunId(item.key.range));
            let row = self.store.inner().get(&key).await.unwrap().unwrap();
            runs.push(serde_json::from_value(row.body).unwrap());
        }
        runs
    }

    pub async fn root(&self) -> Run {
        let roots: Vec<Run> = self
            .runs()
            .await
            .into_iter()
            .filter(|run| run.parent.is_none())
            .collect();
        assert_eq!(roots.len(), 1, "one root run");
        roots.into_iter().next().unwrap()
    }

    pub async fn steps(&self, run: &RunId) -> Vec<Step> {
        let loaded = self.ports.journal().load(&team(), run).await.unwrap();
        loaded.unwrap().steps
    }

    pub async fn output(&self) -> WorkerOutput {
        self.root().await.output().unwrap().clone()
    }

    pub async fn session(&self, id: &str) -> Session {
        let id = SessionId(id.into());
        Session::load(self.store.inner(), &team(), &"U1".into(), &id)
            .await
            .unwrap()
            .0
    }

    /// The texts of what Alfred posted, whole.
    pub fn answers(&self) -> Vec<String> {
        let posted = self.chat.posted();
        posted
            .iter()
            .map(|kept| shown(&kept.text, &kept.blocks))
            .collect()
    }

    /// The same without the ledger of replies after which nothing was changed.
    pub fn said(&self) -> Vec<String> {
        let ledger = format!("\n{}", alfred_core::text::nothing_changed());
        let answers = self.answers().into_iter();
        answers
            .map(|said| said.strip_suffix(&ledger).unwrap_or(&said).to_owned())
            .collect()
    }
}

/// What a person reads of a message.
pub fn shown(text: &str, blocks: &[serde_json::Value]) -> String {
    if blocks.is_empty() {
        return text.to_owned();
    }
    let lines = blocks.iter().flat_map(|block| {
        if block["type"] == "rich_text" {
            return vec![as_text(std::slice::from_ref(block))];
        }
        let own = block["text"]["text"].as_str().map(str::to_owned);
        let elements = block["elements"].as_array().cloned().unwrap_or_default();
        own.into_iter()
            .chain(
                elements
                    .into_iter()
                    .filter_map(|element| element["text"].as_str().map(str::to_owned)),
            )
            .collect()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The results a model was shown, as JSON.
pub fn results(steps: &[Step]) -> Vec<serde_json::Value> {
    let output = |step: &Step| match &step.did {
        StepKind::ToolResult { output, .. } => Some(output.clone()),
        _ => None,
    };
    steps.iter().filter_map(output).collect()
}

pub fn team() -> TeamId {
    "T1".into()
}

/// What the schedule sends each minute.
pub fn sweep() -> Envelope {
    Envelope {
        identity: "sweep".into(),
        payload: Payload::Sweep {},
        ..dm("U1", "0", "")
    }
}

pub fn dm(user: &str, ts: &str, text: &str) -> Envelope {
    let channel = format!("D{user}");
    message(user, &channel, ts, None, ResponseType::Dm, text)
}

pub fn message(
    user: &str,
    channel: &str,
    ts: &str,
    thread_ts: Option<&str>,
    response_type: ResponseType,
    text: &str,
) -> Envelope {
    let (team, user) = (team(), UserId::from(user));
    let identity = format!("msg:{channel}:{ts}");
    Envelope {
        v: 1,
        trace_id: TraceId::derive(&team, &identity),
        trigger: format!("Ev{ts}"),
        identity,
        hops: 0,
        session: SessionId::new(&team, &user, &channel.into(), thread_ts),
        team,
        user,
        received_at: ManualClock::default().now(),
        payload: Payload::Message(SlackMessage {
            text: text.into(),
            files: Vec::new(),
            quotes: false,
            ts: ts.into(),
            mentioned: response_type != ResponseType::Dm,
            reply_to: ReplyAddress {
                channel: channel.into(),
                thread_ts: thread_ts.map(str::to_owned),
                response_type,
            },
        }),
    }
}
