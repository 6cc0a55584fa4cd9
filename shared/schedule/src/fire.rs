use alfred_agent::model::JobOccurrence;
use alfred_agent::runner::admit::{Admitted, Request, admit};
use alfred_agent::store::claim::Origin;
use alfred_agent::store::timer::{Purpose, Timer, arm};
use alfred_agent::store::{dispatch, users};
use alfred_agent::{Ports, RunInput, Work};
use alfred_core::ports::{Account, Condition, Item, QueueName, Write};
use alfred_core::{ReplyAddress, Result, RunId, ScheduleId, SessionId, User, WorkerInput, text};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::row::{self, StoredJob};
use crate::{Does, Job, JobState, Occurrence, When, Why, serve};

const JOBS_USED_UP_TODAY: &str = "Your scheduled jobs have used up what they may use in a day, so those that need thinking rest until tomorrow. Reminders come as always, and you can ask me things as always.";

const NO_SUCH_JOB: &str = "That isn't scheduled any more, so I didn't run it.";

/// From this delay on, the reply says when the job was due.
const LATE: SignedDuration = SignedDuration::from_mins(10);

/// The pseudo channel of jobs that call a tool.
const CALLS: &str = "jobs";

/// Serves a job's timer. If several occurrences were missed, only the latest runs. If the occurrence isn't due yet,
/// because the job or the clock changed, the timer is moved. `Retry` if the job changed concurrently.
pub async fn fire(ports: &Ports, timer: &Timer, item: &Item) -> Result<()> {
    let store = &*ports.store;
    let stored = match (&timer.user, &timer.purpose) {
        (Some(user), Purpose::Fire(id)) => row::load(store, &timer.team, user, id).await?,
        _ => None,
    };
    let active = stored.filter(|stored| stored.job.state == JobState::Active);
    let due = active.and_then(|stored| Some((stored.job.next?, stored)));
    let Some((due, stored)) = due else {
        return serve::served(ports, item).await;
    };
    let (job, now) = (&stored.job, ports.clock.now());
    if due.at > now {
        return serve::look_again(ports, due.at, timer, item).await;
    }
    let owner = users::get_with_state(store, &job.team, &job.user).await?;
    let firing = Firing {
        ports,
        stored: &stored,
        item,
        now,
    };
    let known = owner.user.map(|known| known.user);
    let Some(known) = known.filter(|known| known.is_active) else {
        let paused = job.clone().resting(JobState::Paused { why: Why::Owner });
        return firing.commit(paused).await;
    };
    let Some(zone) = job.time_zone() else {
        return firing.pause_for_zone(&known).await;
    };
    if job.kind.is_some() && !known.preferences.proactive_notifications {
        return firing.commit(job.clone().due_after(now, &zone)).await;
    }
    let request = Request {
        spent: owner.scheduled,
        waiting: owner.waiting,
        ..request(job, &known)
    };
    if let Does::Meetings(meetings) = &job.does {
        let looking = firing.tell_of_meetings(meetings, &known, &zone, request);
        return looking.await;
    }
    firing.occur(due, &zone, request).await
}

/// Runs a job of this person once more, now, beside its schedule. Repeated calls with the same `once` run it once.
/// Returns what to tell the person if it doesn't run.
pub async fn run_now(
    ports: &Ports,
    owner: &Account,
    id: &ScheduleId,
    once: &str,
) -> Result<Option<&'static str>> {
    let (store, now) = (&*ports.store, ports.clock.now());
    let stored = row::load(store, &owner.team, &owner.user, id).await?;
    let known = users::get_with_state(store, &owner.team, &owner.user).await?;
    let is_runnable = |stored: &StoredJob| stored.job.is_kept() && stored.job.runs_by_hand();
    let (Some(stored), Some(person)) = (stored.filter(is_runnable), known.user) else {
        return Ok(Some(NO_SUCH_JOB));
    };
    let mut request = Request {
        spent: known.scheduled,
        waiting: known.waiting,
        ..request(&stored.job, &person.user)
    };
    let used = request.spent.today(request.input.user(), now);
    if request.work == Work::Agent && used.exhausts(&ports.config.scheduled_budget) {
        return Ok(Some(JOBS_USED_UP_TODAY));
    }
    if let Work::Say { text, .. } = &mut request.work {
        *text = reminder(text, None);
    }
    let queue = queue_of(&request);
    let RunInput::Worker(input) = &request.input else {
        return Ok(Some(NO_SUCH_JOB));
    };
    let (team, user) = (owner.team.clone(), owner.user.clone());
    let origin = Origin::inline(team, user, input.session_id.clone(), once);
    let session = origin.session(ports).await?;
    if let Admitted::New(loaded) = admit(ports, &origin, request, session, None).await? {
        dispatch::send(ports, &loaded.run, queue, 0, None).await?;
    }
    Ok(None)
}

fn queue_of(request: &Request) -> QueueName {
    if request.work.is_by_hand() {
        QueueName::Utility
    } else {
        QueueName::Runs
    }
}

pub(super) struct Firing<'a> {
    pub ports: &'a Ports,
    pub stored: &'a StoredJob,
    item: &'a Item,
    pub now: Timestamp,
}

impl Firing<'_> {
    async fn occur(&self, due: Occurrence, zone: &TimeZone, mut request: Request) -> Result<()> {
        let job = &self.stored.job;
        let used = request.spent.today(request.input.user(), self.now);
        if request.work == Work::Agent && used.exhausts(&self.ports.config.scheduled_budget) {
            let day = self.now.to_zoned(zone.clone()).date();
            let once = format!("scheduled-budget:{}:{day}", job.user);
            let skipped = job.clone().without_budget(self.now, zone);
            let notice = self.notice(request, JOBS_USED_UP_TODAY.to_owned());
            return self.run(skipped, notice, &once).await;
        }
        // A one-time job that was put off to the next day still knows when it was due.
        let latest = job.when.last_until(self.now, zone).unwrap_or(due);
        let counted = matches!(job.when, When::Interval { .. });
        let is_late = !counted && self.now.duration_since(latest.at) > LATE;
        let missed = is_late.then_some(latest.local);
        if let Work::Say { text, .. } = &mut request.work {
            *text = reminder(text, missed);
        }
        request.job.iter_mut().for_each(|of| of.missed = missed);
        let occurrence = job.when.identity(&latest, &job.zone);
        let once = format!("job:{}:{occurrence}", job.id);
        let next = job.clone().due_after(self.now, zone);
        self.run(next, request, &once).await
    }

    /// To the owner only, instead of the job's request.
    pub(super) fn notice(&self, of: Request, words: String) -> Request {
        let job = &self.stored.job;
        let direct = ReplyAddress::direct(&job.user);
        let input = WorkerInput {
            task_prompt: scheduled_request(job),
            user_context: of.input.user().clone(),
            session_id: SessionId::new(&job.team, &job.user, &direct.channel, None),
            slack_context: direct.into(),
            files: Vec::new(),
            quotes: true,
        };
        Request::new(RunInput::Worker(input), Work::say(words), of.preferences)
    }

    /// Commits the run and the advanced job, and sends the run. `once` identifies the occurrence, so that it runs only
    /// once. A notice doesn't count as an occurrence.
    pub(super) async fn run(&self, mut next: Job, request: Request, once: &str) -> Result<()> {
        if request.job.is_some() {
            next.runs += 1;
            next.last_run_at = Some(self.now);
        }
        let session = match &request.input {
            RunInput::Worker(input) => input.session_id.clone(),
            RunInput::Team(_) => next.session.clone(),
        };
        let origin = Origin::inline(next.team.clone(), next.user.clone(), session, once);
        let session = origin.session(self.ports).await?;
        let last = self.stored.job.last_run.as_ref();
        let waits = last.is_some_and(|last| session.waiting.contains(last));
        if waits && !matches!(next.does, Does::Meetings(_)) {
            tracing::info!(job.id = %next.id, "the last run of a job hasn't begun; this one would be the same");
            return self.commit(next).await;
        }
        let queue = queue_of(&request);
        let beside = |run: &RunId| {
            self.writes(&Job {
                last_run: Some(run.clone()),
                ..next.clone()
            })
        };
        match admit(self.ports, &origin, request, session, Some(&beside)).await? {
            Admitted::New(loaded) => dispatch::send(self.ports, &loaded.run, queue, 0, None).await,
            Admitted::Queued => Ok(()),
            // The run exists already: today's budget notice, or an occurrence from before the job was changed.
            Admitted::Again(_) | Admitted::Duplicate => self.commit(next).await,
        }
    }

    async fn pause_for_zone(&self, user: &User) -> Result<()> {
        let job = &self.stored.job;
        let paused = job.clone().resting(JobState::Paused { why: Why::Zone });
        let words = format!(
            "I've paused “{}”: I don't know the time zone {}. Tell me which one to use, and I'll go on.",
            job.name, job.zone
        );
        let once = format!("job-zone:{}:{}", job.id, job.runs);
        let notice = self.notice(request(job, user), words);
        self.run(paused, notice, &once).await
    }

    /// Stores the advanced job, replaces its timer and deletes the served one.
    fn writes(&self, next: &Job) -> Result<Vec<Write>> {
        let served = Some(Condition::Version(self.item.version));
        let row = next.write(self.stored.version, self.now)?;
        let mut writes = vec![row, Write::delete(self.item.key.clone(), served)];
        if let Some((at, timer)) = next.timer() {
            writes.push(arm(at, &timer)?);
        }
        Ok(writes)
    }

    pub(super) async fn commit(&self, next: Job) -> Result<()> {
        Ok(self.ports.commit(self.writes(&next)?).await?)
    }
}

/// The request of one occurrence.
fn request(job: &Job, user: &User) -> Request {
    let scheduled = scheduled_request(job);
    let (work, task_prompt) = match &job.does {
        Does::Ask { request } => (Work::Agent, request.clone()),
        Does::Say { text } => (Work::say(text), scheduled),
        Does::Call(call) => (Work::Call(call.clone()), scheduled),
        Does::Meetings(_) => (Work::say(""), scheduled),
    };
    let calls = matches!(job.does, Does::Call(_));
    let input = WorkerInput {
        task_prompt,
        user_context: user.into(),
        slack_context: job.place.clone(),
        // The calls of one person's jobs run one after another.
        session_id: if calls {
            SessionId::new(&job.team, &job.user, &CALLS.into(), None)
        } else {
            job.session.clone()
        },
        files: Vec::new(),
        // Nobody has read a call's result yet, so it counts as other people's text.
        quotes: calls || !job.taint.untrusted.is_empty(),
    };
    let occurrence = JobOccurrence {
        id: job.id.clone(),
        name: job.name.clone(),
        missed: None,
    };
    Request {
        taint: job.taint.clone(),
        job: Some(occurrence),
        ..Request::new(RunInput::Worker(input), work, user.preferences.clone())
    }
}

fn reminder(words: &str, missed: Option<DateTime>) -> String {
    match missed.map(text::local_moment) {
        None => format!("⏰ {words}"),
        Some(due) => format!("⏰ {words}\n\n_This was due {due}; I couldn't say it earlier._"),
    }
}

fn scheduled_request(job: &Job) -> String {
    format!("(scheduled: {})", job.name)
}
