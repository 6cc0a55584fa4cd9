use alfred_agent::model::{AttachmentPolicy, ROW_VERSION};
use alfred_agent::runner::resume;
use alfred_agent::store::ports::Hook;
use alfred_agent::store::users;
use alfred_agent::{Agent, Deadline, Limits, LoadedRun, Ports, Program, Run, Toolbox};
use alfred_classifier::Classifier;
use alfred_core::envelope::ENVELOPE_VERSION;
use alfred_core::ports::{Accounts, Commit, NoFolders, Store, Turn, Web};
use alfred_core::{
    Config, Envelope, Failure, Payload, Preferences, ResponseType, Role, RunId, ScheduleId,
    SessionId, SlackContext, Taint, TeamId, TraceId, User, UserId,
};
use alfred_schedule::JobEnd;
use alfred_schedule::{Does, Job, JobState, When, row};
use alfred_teams::TeamReport;
use alfred_testkit::{
    Faults, ManualClock, MemoryQueue, MemoryStore, MemoryVault, RecordingChat, ScriptedModel,
    SequentialIds,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::collections::BTreeMap;
use std::sync::Arc;

pub struct Office {
    pub clock: ManualClock,
    pub faults: Faults,
    pub chat: Arc<RecordingChat>,
    pub ports: Ports,
    pub team: TeamId,
    pub user: UserId,
    pub runs: BTreeMap<RunId, Run>,
    queue: Arc<MemoryQueue>,
    classifier: Classifier,
    agent: Program,
}

impl Office {
    pub async fn at(now: &str, turns: impl IntoIterator<Item = Turn>) -> Self {
        Self::under(Config::default(), now, turns).await
    }

    pub async fn under(config: Config, now: &str, turns: impl IntoIterator<Item = Turn>) -> Self {
        Self::with(config, Accounts::none(), now, turns).await
    }

    pub async fn with(
        config: Config,
        accounts: Accounts,
        now: &str,
        turns: impl IntoIterator<Item = Turn>,
    ) -> Self {
        let clock = ManualClock::at(now.parse().unwrap());
        let shared = Arc::new(clock.clone());
        let faults = Faults::default();
        let queue = Arc::new(MemoryQueue::default());
        let chat = Arc::new(RecordingChat::new(shared.clone()));
        let ports = Ports {
            hooks: [Arc::new(TeamReport) as Arc<dyn Hook>, Arc::new(JobEnd)].into(),
            store: faults.before(Arc::new(MemoryStore::new(shared.clone()))),
            queue: faults.before(queue.clone()),
            chat: faults.before(chat.clone()),
            accounts: Accounts {
                mail: faults.before(accounts.mail),
                calendar: faults.before(accounts.calendar),
                ..accounts
            },
            web: Web::none(),
            folders: Arc::new(NoFolders),
            model: Arc::new(ScriptedModel::new(turns)),
            clock: shared,
            ids: Arc::new(SequentialIds::default()),
            config: Arc::new(config),
            measure: Arc::new(|_| {}),
            draw: |_| Ok(Vec::new()),
        };
        let office = Self {
            classifier: Classifier::new(ports.clone(), Arc::new(MemoryVault::default())).unwrap(),
            agent: Agent {
                name: "utility".into(),
                prompt: Box::new(|_, _| String::new()),
                tools: Toolbox::default(),
                limits: Limits::default(),
                model: None,
                approval: BTreeMap::new(),
                attachments: AttachmentPolicy::default(),
            }
            .into(),
            team: "T1".into(),
            user: "U1".into(),
            runs: BTreeMap::new(),
            clock,
            faults,
            chat,
            ports,
            queue,
        };
        office.register(true).await;
        // The first sweep stores the position from which later sweeps read.
        office.sweep().await.unwrap();
        office
    }

    pub fn now(&self) -> Timestamp {
        self.ports.clock.now()
    }

    pub fn store(&self) -> &dyn Store {
        self.ports.store.as_ref()
    }

    pub async fn register(&self, is_active: bool) {
        self.register_as(is_active, Preferences::default()).await;
    }

    pub async fn register_as(&self, is_active: bool, preferences: Preferences) {
        let user = User {
            slack_user_id: self.user.clone(),
            slack_username: "ana".into(),
            email: "ana@example.com".into(),
            name: "Ana".into(),
            role: Role::Member,
            timezone: "Europe/Berlin".into(),
            is_active,
            preferences,
            created_at: self.now(),
            updated_at: self.now(),
        };
        let known = users::get(self.store(), &self.team, &self.user)
            .await
            .unwrap();
        let version = known.map(|known| known.version);
        let ids = &*self.ports.ids;
        users::put(self.store(), ids, &self.team, &user, version)
            .await
            .unwrap();
    }

    pub fn job(&self, name: &str, does: Does, when: When, zone: &str) -> Job {
        let channel = format!("D{name}");
        Job {
            v: ROW_VERSION,
            id: ScheduleId::new(&*self.ports.ids),
            team: self.team.clone(),
            user: self.user.clone(),
            name: name.into(),
            does,
            kind: None,
            when,
            zone: zone.into(),
            place: SlackContext {
                channel_id: channel.as_str().into(),
                thread_ts: None,
                response_type: ResponseType::Dm,
            },
            session: SessionId::new(&self.team, &self.user, &channel.as_str().into(), None),
            taint: Taint::default(),
            state: JobState::Active,
            next: None,
            last_run: None,
            last_run_at: None,
            runs: 0,
            failures: 0,
            last_error: None,
            told: BTreeMap::new(),
            created_at: self.now(),
        }
    }

    pub async fn schedule(&self, job: Job) -> ScheduleId {
        let zone = TimeZone::get(&job.zone).unwrap_or(TimeZone::UTC);
        let (id, job) = (job.id.clone(), job.due_after(self.now(), &zone));
        self.put(&job).await;
        id
    }

    pub async fn put(&self, job: &Job) {
        let before = row::load(self.store(), &self.team, &self.user, &job.id)
            .await
            .unwrap();
        let writes = job.instead_of(before.as_ref(), self.now()).unwrap();
        let commit = Commit::new(&*self.ports.ids, writes);
        self.store().commit(&commit).await.unwrap();
    }

    pub async fn stored(&self, id: &ScheduleId) -> Job {
        let found = row::load(self.store(), &self.team, &self.user, id)
            .await
            .unwrap();
        found.unwrap().job
    }

    pub async fn sweep(&self) -> Result<(), Failure> {
        self.sweep_until(Deadline::none()).await
    }

    pub async fn sweep_until(&self, deadline: Deadline) -> Result<(), Failure> {
        let message = Envelope {
            v: ENVELOPE_VERSION,
            identity: "sweep".into(),
            trigger: "sweep".into(),
            trace_id: TraceId::from("sweep"),
            hops: 0,
            team: "*".into(),
            user: "*".into(),
            session: SessionId("*".into()),
            received_at: self.now(),
            payload: Payload::Sweep {},
        };
        self.classifier.handle(&message, deadline).await
    }

    /// Handles queued messages, each up to 20 times until it succeeds. The sweep must recover the rest.
    pub async fn work(&mut self) {
        while let Some(message) = self.queue.take_any(|_| 0) {
            let Payload::Run { run, .. } = &message.envelope.payload else {
                continue;
            };
            for _ in 0..20 {
                if let Ok(loaded) = self.load(run).await
                    && self.attend(loaded, &message.envelope).await.is_ok()
                {
                    break;
                }
            }
        }
        self.queue.forget_dedup();
    }

    async fn load(&self, run: &RunId) -> Result<LoadedRun, Failure> {
        resume::load(&self.ports, &self.team, run, 0).await
    }

    async fn attend(&mut self, loaded: LoadedRun, message: &Envelope) -> Result<(), Failure> {
        let id = loaded.run.id.clone();
        let outcome = match (&loaded.run.state, loaded.run.progress.steps) {
            (alfred_agent::RunState::Queued, _) => {
                self.classifier.handle(message, Deadline::none()).await
            }
            _ => resume::resume(&self.ports, Ok(&self.agent), loaded, None, Deadline::none()).await,
        };
        let run = self.load(&id).await?.run;
        self.runs.insert(id, run);
        outcome
    }

    pub async fn at_time(&mut self, now: &str) {
        self.clock.set(now.parse().unwrap());
        self.sweep().await.unwrap();
        self.work().await;
    }

    /// Each posted message as `channel: text`, plus any notes in the blocks.
    pub fn said(&self) -> Vec<String> {
        let lines = self.chat.posted().into_iter().map(|kept| {
            let blocks = serde_json::to_string(&kept.blocks).unwrap_or_default();
            let small = |words: &str| blocks.contains(words).then(|| format!(" ({words})"));
            let notes = [
                "That was the third time in a row, so I've paused it. Tell me when I should go on with it.",
                "You get this here because I can't write any more where you asked for it.",
            ];
            let notes: String = notes.into_iter().filter_map(small).collect();
            format!("{}: {}{notes}", kept.channel, kept.text)
        });
        lines.collect()
    }
}
