//! Something of everything that can be stored of a person.

use alfred_agent::model::{Asked, Before, Frame, Progress, ROW_VERSION};
use alfred_agent::store::timer::{self, Timer};
use alfred_agent::store::users;
use alfred_agent::{Journal, Run, RunInput, RunState, Step, StepKind, Work};
use alfred_core::ports::{
    Account, ChatUser, Commit, Key, Provider, SPILL_BYTES, Store, SystemClock, SystemIds, Write,
};
use alfred_core::{Config, Role, RunId, Taint, User, WorkerInput, keys};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

pub struct Person<'a> {
    pub store: &'a Arc<dyn Store>,
    pub account: Account,
}

impl Person<'_> {
    fn id(&self, kind: &str) -> String {
        format!("{kind}_{}", self.account.user)
    }

    async fn commit(&self, writes: Vec<Write>) {
        let commit = Commit::new(&SystemIds, writes);
        self.store.commit(&commit).await.unwrap();
    }

    fn body(&self) -> Value {
        json!({"of": self.account.user})
    }

    /// With what has expired, if the side keeps that for a while.
    pub async fn stored(&self, with_expired: bool) {
        let Account { team, user } = &self.account;
        let now = Timestamp::now();
        let registered = ago(now, 60);
        let person = ChatUser {
            id: user.clone(),
            username: self.id("name"),
            email: String::new(),
            name: self.id("name"),
            timezone: None,
            is_person: true,
        };
        let person = User::register(person, Role::Member, "UTC", registered);
        let put = users::put(&**self.store, &SystemIds, team, &person, None);
        put.await.unwrap();
        let days = BTreeSet::from([ago(now, 1), ago(now, 40)].map(date));
        let mut partitions = keys::of_person(&self.account, &days);
        // Far away, so that only the index leads to it.
        let far = "2039-01-02".parse().unwrap();
        partitions.insert(keys::day(team, user, far).partition);
        let row = |place: &String| Write::create(Key::state(place, "row"), self.body());
        let mut writes: Vec<Write> = partitions.iter().map(row).collect();
        let block = keys::block_date(team, user, &self.id("block").as_str().into());
        writes.push(Write::create(block, json!({"date": far})));
        for key in [
            keys::spend(team, user),
            keys::connected(&self.account, Provider::Microsoft),
        ] {
            writes.push(Write::create(key, self.body()));
        }
        let large = json!({"of": user, "text": "x".repeat(SPILL_BYTES)});
        let file = Key::state(keys::files(team, user), "/large");
        writes.push(Write::create(file, large));
        self.commit(writes).await;
        self.run("waits", now).await;
        if with_expired {
            self.run("old", ago(now, 40)).await;
        }
    }

    /// A run that asked something that waits, with a large body.
    async fn run(&self, name: &str, at: Timestamp) {
        let Account { team, user } = &self.account;
        let id = RunId(self.id(&format!("run_{name}")));
        let run = self.new_run(&id, at);
        let clock = Arc::new(SystemClock);
        let ids = Arc::new(SystemIds);
        let journal = Journal::new(self.store.clone(), clock, ids, &Config::default());
        let mut writes = journal.create(&run).unwrap();
        if name == "old" {
            // Its watchdog was served long ago.
            writes.pop();
        }
        let gone = ago(at, -30);
        let approval = self.id(&format!("apr_{name}")).as_str().into();
        let asked = StepKind::Asked(Asked {
            call_id: "call_1".into(),
            approval: self.id(&format!("apr_{name}")).as_str().into(),
            revision: 1,
            title: "Send a message".into(),
            arguments: json!({"text": "x".repeat(SPILL_BYTES), "of": user}),
            digest: String::new(),
            reasons: Vec::new(),
            shown: None,
            tainted: false,
            private: false,
        });
        let step = Step {
            v: ROW_VERSION,
            seq: 1,
            at,
            ms: 1,
            frame: Frame::default(),
            did: asked,
        };
        let step = serde_json::to_value(&step).unwrap();
        let expires = at.checked_add(SignedDuration::from_hours(1)).unwrap();
        let entry = json!({"run": id, "expires_at": expires, "of": user});
        let timer = Timer::expire(team, &id, &approval).for_run(&run);
        for (key, body) in [
            (keys::step(team, &id, 1), step),
            (keys::claim(team, &run.trace_id), self.body()),
            (keys::approval(team, &approval), self.body()),
            (keys::pending(team, user, &approval), entry),
            (keys::open_approval(team, user, &approval), self.body()),
        ] {
            writes.push(Write::create(key, body).expiring(gone));
        }
        writes.push(timer::arm(expires, &timer).unwrap());
        self.commit(writes).await;
    }

    fn new_run(&self, id: &RunId, at: Timestamp) -> Run {
        let Account { team, user } = &self.account;
        let session = format!("{team}/{user}/D1");
        let input: WorkerInput = serde_json::from_value(json!({
            "task_prompt": "Tell Ben",
            "user_context": {
                "slack_user_id": user, "email": "", "name": "", "timezone": "UTC", "role": "member",
            },
            "slack_context": {"channel_id": "D1", "thread_ts": null},
            "session_id": session,
        }))
        .unwrap();
        Run {
            v: ROW_VERSION,
            id: id.clone(),
            team: team.clone(),
            user: user.clone(),
            session: session.as_str().into(),
            trace_id: format!("trace_{id}").as_str().into(),
            parent: None,
            asked_ts: None,
            input: RunInput::Worker(input),
            work: Work::Agent,
            taint: Taint::default(),
            before: Before::default(),
            progress: Progress::default(),
            state: RunState::Asking { shown: true },
            plan: None,
            granted: None,
            job: None,
            watch_at: at,
            created_at: at,
            updated_at: at,
        }
    }

    /// An audit entry, which stays.
    pub async fn audited(&self) -> Key {
        let Account { team, user } = &self.account;
        let key = keys::audit(team, &RunId(self.id("run_ended")), 1);
        let entry = Write::create(key.clone(), json!({"user": user}));
        self.commit(vec![entry]).await;
        key
    }
}

fn ago(at: Timestamp, days: i64) -> Timestamp {
    at.checked_sub(SignedDuration::from_hours(24 * days))
        .unwrap()
}

fn date(at: Timestamp) -> jiff::civil::Date {
    at.to_zoned(jiff::tz::TimeZone::UTC).date()
}
