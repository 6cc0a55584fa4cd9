//! Runs due jobs: one commit claims the occurrence, creates its run and advances the job. Then the
//! run is sent to its queue.

use alfred_agent::model::job::JobOccurrence;
use alfred_agent::model::session::Session;
use alfred_agent::model::usage::UsageSnapshot;
use alfred_agent::runner::admit::{Admitted, Request, admit};
use alfred_agent::store::claim::Origin;
use alfred_agent::store::timer::{Timer, arm};
use alfred_agent::store::{dispatch, users};
use alfred_agent::{Ports, RunInput, Work};
use alfred_core::ports::{Condition, Item, QueueName, StoreError, Write};
use alfred_core::{
    Failure, ReplyAddress, RunId, SessionId, SlackContext, Taint, TeamId, TraceId, User, UserId,
    WorkerInput, text,
};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::row::{self, StoredJob};
use crate::{Does, Job, JobState, Occurrence, When, Why, serve};

const JOBS_USED_UP_TODAY: &str = "Your scheduled jobs have used up what they may use in a day, so those that need thinking rest until tomorrow. Reminders come as always, and you can ask me things as always.";

/// From this delay on, the owner is told when the job was due.
const LATE: SignedDuration = SignedDuration::from_mins(10);

/// Pseudo channel for the session of jobs that call a tool.
const CALLS: &str = "jobs";

/// Serves a job's timer. If several occurrences were missed, only the latest runs. If the occurrence isn't
/// due yet, because the job or the clock changed, the timer is moved. Fails with `Retry` if the store or the
/// queue fails, or the job changed concurrently. `Bug` if the row can't be parsed.
pub async fn fire(ports: &Ports, timer: &Timer, item: &Item) -> Result<(), Failure> {
    let (Some(user), Some(id)) = (&timer.user, &timer.job) else {
        return serve::served(ports, item).await;
    };
    let store = &*ports.store;
    let Some(stored) = row::load(store, &timer.team, user, id).await? else {
        return serve::served(ports, item).await;
    };
    let (JobState::Active, Some(due)) = (stored.job.state, stored.job.next) else {
        return serve::served(ports, item).await;
    };
    let now = ports.clock.now();
    if due.at > now {
        return serve::look_again(ports, due.at, timer, item).await;
    }
    let owner = users::get_with_state(store, &timer.team, user).await?;
    let firing = Firing {
        ports,
        team: &timer.team,
        user,
        stored: &stored,
        item,
        now,
    };
    let known = owner.user.map(|known| known.user);
    let Some(known) = known.filter(|known| known.is_active) else {
        return firing.rest(Why::Owner).await;
    };
    match stored.job.time_zone() {
        Some(zone) if stored.job.kind.is_some() && !known.preferences.proactive_notifications => {
            let next = stored.job.clone().due_after(now, &zone);
            firing.commit(next).await
        }
        Some(zone) => {
            let request = Request {
                spent: owner.scheduled,
                waiting: owner.waiting,
                ..firing.request(&known)
            };
            match &stored.job.does {
                Does::Meetings(meetings) => {
                    firing
                        .tell_of_meetings(meetings, &known, &zone, request)
                        .await
                }
                Does::Say { .. } | Does::Ask { .. } | Does::Call(_) => {
                    firing.occur(due, &zone, request).await
                }
            }
        }
        None => firing.rest_and_tell(&known).await,
    }
}

/// A due job with the timer that is being served.
pub(super) struct Firing<'a> {
    pub ports: &'a Ports,
    pub team: &'a TeamId,
    pub user: &'a UserId,
    pub stored: &'a StoredJob,
    item: &'a Item,
    pub now: Timestamp,
}

impl Firing<'_> {
    async fn occur(
        &self,
        due: Occurrence,
        zone: &TimeZone,
        request: Request,
    ) -> Result<(), Failure> {
        let job = &self.stored.job;
        let latest = job.when.last_until(self.now, zone);
        // A one-time job that was put off to the next day still knows when it was due.
        let latest = latest.unwrap_or(due);
        let counted = matches!(job.when, When::Interval { .. });
        let is_late = !counted && self.now.duration_since(latest.at) > LATE;
        let missed = is_late.then_some(latest.local);
        let next = Job {
            runs: job.runs.saturating_add(1),
            last_run_at: Some(self.now),
            ..job.clone().due_after(self.now, zone)
        };
        let used = request.spent.today(request.input.user(), self.now);
        if request.work == Work::Agent && used.exhausts(&self.ports.config.scheduled_budget) {
            let day = self.now.to_zoned(zone.clone()).date();
            let words = JOBS_USED_UP_TODAY.to_owned();
            let skipped = job.clone().without_budget(self.now, zone);
            let request = self.notice(request, words);
            let once = format!("scheduled-budget:{}:{day}", self.user);
            return self.run(skipped, request, &once).await;
        }
        let mut request = request;
        if let Work::Say { text, .. } = &mut request.work {
            *text = reminder(text, missed.map(text::local_moment).as_deref());
        }
        request.job = Some(JobOccurrence {
            id: job.id.clone(),
            name: job.name.clone(),
            missed,
        });
        let occurrence = job.when.identity(&latest, &job.zone);
        let once = format!("job:{}:{occurrence}", job.id);
        self.run(next, request, &once).await
    }

    /// The request for a run of the job, made in its owner's name.
    fn request(&self, user: &User) -> Request {
        let job = &self.stored.job;
        let (work, prompt) = match &job.does {
            Does::Ask { request } => (Work::Agent, request.clone()),
            Does::Say { text } => {
                let prompt = scheduled_request(&job.name);
                (Work::say(text), prompt)
            }
            Does::Call(call) => (Work::Call(call.clone()), scheduled_request(&job.name)),
            Does::Meetings(_) => (Work::say(""), scheduled_request(&job.name)),
        };
        let calls = matches!(job.does, Does::Call(_));
        let own = || SessionId::new(self.team, self.user, &CALLS.into(), None);
        let input = WorkerInput {
            task_prompt: prompt,
            user_context: user.into(),
            slack_context: job.place.clone(),
            // The calls of one person's jobs run one after another.
            session_id: if calls { own() } else { job.session.clone() },
            files: Vec::new(),
            // Nobody has read a call's result yet, so it counts as other people's text.
            quotes: calls || !job.taint.untrusted.is_empty(),
        };
        Request {
            taint: job.taint.clone(),
            ..Request::new(RunInput::Worker(input), work, user.preferences.clone())
        }
    }

    /// A message to the owner only, instead of the job's request.
    pub(super) fn notice(&self, of: Request, words: String) -> Request {
        let direct = ReplyAddress::direct(self.user);
        let user_context = of.input.user().clone();
        let session_id = SessionId::new(self.team, self.user, &direct.channel, None);
        let input = WorkerInput {
            task_prompt: scheduled_request(&self.stored.job.name),
            user_context,
            slack_context: SlackContext {
                channel_id: direct.channel,
                thread_ts: None,
                response_type: direct.response_type,
            },
            session_id,
            files: Vec::new(),
            quotes: true,
        };
        Request {
            input: RunInput::Worker(input),
            work: Work::say(words),
            taint: Taint::default(),
            spent: UsageSnapshot::default(),
            waiting: Vec::new(),
            ..of
        }
    }

    /// Commits the run and the advanced job, and sends the run. `once` identifies the occurrence,
    /// so that it runs only once.
    pub(super) async fn run(&self, next: Job, request: Request, once: &str) -> Result<(), Failure> {
        let origin = Origin {
            team: self.team.clone(),
            user: self.user.clone(),
            session: request_session(&request, &self.stored.job),
            trace_id: TraceId::derive(self.team, once),
            trigger: once.to_owned(),
            hops: 0,
        };
        let session = origin.session(self.ports).await?;
        if self.waits(&session) {
            tracing::info!(job.id = %next.id, "the last run of a job hasn't begun; this one would be the same");
            return self.commit(next).await;
        }
        let queue = match request.work {
            Work::Agent | Work::Program { .. } => QueueName::Ingress,
            Work::Call(_) | Work::Say { .. } => QueueName::Utility,
        };
        let beside = |run: &RunId| {
            self.writes(Job {
                last_run: Some(run.clone()),
                ..next.clone()
            })
        };
        match admit(self.ports, &origin, request, session, Some(&beside)).await? {
            Admitted::New(loaded) => dispatch::send(self.ports, &loaded.run, queue, 0, None).await,
            Admitted::Queued => Ok(()),
            // The run exists already: today's budget notice, or an occurrence from before the job
            // was changed.
            Admitted::Again(_) | Admitted::Duplicate => self.commit(next).await,
        }
    }

    /// Whether the run of the last occurrence still waits in its conversation, so that a new one
    /// would be the same.
    fn waits(&self, session: &Session) -> bool {
        if let Does::Meetings(_) = self.stored.job.does {
            return false;
        }
        let last = self.stored.job.last_run.as_ref();
        last.is_some_and(|last| session.waiting.contains(last))
    }

    async fn rest(&self, why: Why) -> Result<(), Failure> {
        let job = self.stored.job.clone();
        self.commit(job.resting(JobState::Paused { why })).await
    }

    /// Pauses a job with an unknown time zone, with a message.
    async fn rest_and_tell(&self, user: &User) -> Result<(), Failure> {
        let job = &self.stored.job;
        let why = Why::Zone;
        let resting = job.clone().resting(JobState::Paused { why });
        let words = format!(
            "I've paused “{}”: I don't know the time zone {}. Tell me which one to use, and I'll go on.",
            job.name, job.zone
        );
        let request = self.notice(self.request(user), words);
        let once = format!("job-zone:{}:{}", job.id, job.runs);
        self.run(resting, request, &once).await
    }

    /// Writes that store the advanced job, replace its timer and delete the served one.
    fn writes(&self, next: Job) -> Result<Vec<Write>, Failure> {
        let served = Some(Condition::Version(self.item.version));
        let mut writes = vec![
            next.write(self.team, self.user, self.stored.version, self.now)?,
            Write::delete(self.item.key.clone(), served),
        ];
        if let Some((at, timer)) = next.timer(self.team, self.user) {
            writes.push(arm(at, &timer)?);
        }
        Ok(writes)
    }

    pub(super) async fn commit(&self, next: Job) -> Result<(), Failure> {
        match self.ports.commit(self.writes(next)?).await {
            Ok(()) => Ok(()),
            Err(StoreError::Conflict { .. }) => Err(Failure::retry("a job changed meanwhile")),
            Err(error) => Err(error.into()),
        }
    }
}

fn reminder(words: &str, missed: Option<&str>) -> String {
    match missed {
        None => format!("⏰ {words}"),
        Some(due) => format!("⏰ {words}\n\n_This was due {due}; I couldn't say it earlier._"),
    }
}

fn scheduled_request(name: &str) -> String {
    format!("(scheduled: {name})")
}

fn request_session(request: &Request, job: &Job) -> SessionId {
    match &request.input {
        RunInput::Worker(input) => input.session_id.clone(),
        RunInput::Team(_) => job.session.clone(),
    }
}
