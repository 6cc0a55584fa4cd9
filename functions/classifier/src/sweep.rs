//! The sweep, every minute: continues runs whose timer is due and resends stalled runs.

use alfred_agent::approval::{decide, pending};
use alfred_agent::model::Session;
use alfred_agent::runner::give_up;
use alfred_agent::slack::{home, show};
use alfred_agent::store::dispatch;
use alfred_agent::store::timer::{self, Purpose, Timer, WATCH_AFTER};
use alfred_agent::{LoadedRun, Ports, Run, RunState};
use alfred_core::ports::{Account, Connection, Item, Provider, QueueName};
use alfred_core::{Deadline, Envelope, Failure, Result, TraceId};
use alfred_schedule::{due, fire, serve};
use alfred_teams::children;
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;

/// Attempts that end in a `Bug` before a timer is set aside.
const MAX_DEFECTS: u32 = 5;
/// Interval of the checks on a run that only waits for decisions. Its teams wake it themselves.
const LOOK_AT_SLEEPERS: SignedDuration = SignedDuration::from_hours(6);

/// Stays below the number of hops that counts as a loop.
const MOST_LOOKS: i64 = 100;
/// With less time left, a sweep leaves the remaining timers to the next one.
pub const ONE_TIMER: Duration = Duration::from_secs(30);
/// Delay of an approval's expiry while its run is working.
const BUSY: SignedDuration = SignedDuration::from_mins(1);
/// Between two looks for an account. Less than the time between two sweeps.
const EACH_LOOK: SignedDuration = SignedDuration::from_secs(30);
/// A link to connect an account works for ten minutes.
const LAST_LOOK: SignedDuration = SignedDuration::from_mins(11);

/// Serves all due timers. A failing timer is postponed; after repeated defects, or with unreadable data, it
/// is set aside. Setting one aside returns `Bug`; other timers stay served.
pub async fn sweep(ports: &Ports, deadline: Deadline) -> Result<()> {
    let now = ports.clock.now();
    let mut found = due::due(&*ports.store, now).await?;
    // Jobs go last: they may read a calendar, which takes seconds.
    let is_job = |(timer, _): &(Timer, Item)| matches!(timer.purpose, Purpose::Fire(_));
    found.timers.sort_by_key(is_job);
    let mut aside = Vec::new();
    for (item, why) in found.unreadable {
        serve::set_aside(ports, &item, &why).await?;
        aside.push(format!("{}: {why}", item.key.range));
    }
    let (mut unmoved, mut is_whole) = (None, true);
    for (timer, item) in found.timers {
        if !deadline.allows(ports.clock.now(), ONE_TIMER) {
            tracing::warn!("a sweep ran out of time; the next one continues");
            is_whole = false;
            break;
        }
        let Err((failure, hopeless)) = Box::pin(attend(ports, &timer, &item)).await else {
            continue;
        };
        let moved = if hopeless {
            aside.push(format!("{}: {failure}", item.key.range));
            serve::set_aside(ports, &item, &failure.to_string()).await
        } else {
            tracing::warn!(run.id = %timer.run, timer.tries = timer.tries, error = %failure, "couldn't serve a timer; trying again later");
            serve::postpone(ports, &timer, &item).await
        };
        unmoved = moved.err().or(unmoved);
    }
    if let Some(failure) = unmoved {
        return Err(failure);
    }
    if is_whole {
        due::swept(ports, found.until).await?;
    }
    if aside.is_empty() {
        return Ok(());
    }
    Err(Failure::bug(format!("timers set aside: {aside:?}")))
}

/// The error's flag is true if another attempt is useless.
async fn attend(ports: &Ports, timer: &Timer, item: &Item) -> Result<(), (Failure, bool)> {
    match Box::pin(serve(ports, timer, item)).await {
        Ok(()) => Ok(()),
        Err(Unserved::Failed(failure)) => {
            let hopeless = matches!(failure, Failure::Bug { .. }) && timer.tries + 1 >= MAX_DEFECTS;
            Err((failure, hopeless))
        }
        Err(Unserved::Unreadable(why)) => match Box::pin(abandon(ports, timer, &why)).await {
            Ok(()) => Err((Failure::bug(why), true)),
            Err(failure) => Err((failure, false)),
        },
    }
}

enum Unserved {
    Failed(Failure),
    Unreadable(String),
}

impl From<Failure> for Unserved {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// If the run is gone, the timer is deleted and `None` returned.
async fn run_of(
    ports: &Ports,
    timer: &Timer,
    item: &Item,
) -> Result<Option<Box<LoadedRun>>, Unserved> {
    let found = async {
        let loaded = ports.journal().load(&timer.team, &timer.run).await?;
        if let Purpose::Expire(id) = &timer.purpose {
            pending::load(&*ports.store, &timer.team, id).await?;
        }
        Ok(loaded.map(Box::new))
    };
    let loaded = found.await.map_err(|failure| match failure {
        Failure::Bug { detail } => Unserved::Unreadable(detail),
        other => Unserved::Failed(other),
    })?;
    if loaded.is_none() {
        serve::served(ports, item).await?;
    }
    Ok(loaded)
}

async fn abandon(ports: &Ports, timer: &Timer, why: &str) -> Result<()> {
    let (Some(user), Some(session)) = (&timer.user, &timer.session) else {
        return Ok(());
    };
    let (run, now) = (timer.run.clone(), ports.clock.now());
    let envelope = Envelope::of_run(&timer.team, user, session, run, now);
    let asked = matches!(timer.purpose, Purpose::Expire(_));
    Box::pin(give_up::abandon(ports, &envelope, &timer.run, asked, why)).await
}

async fn serve(ports: &Ports, timer: &Timer, item: &Item) -> Result<(), Unserved> {
    match &timer.purpose {
        Purpose::Fire(_) => Box::pin(fire::fire(ports, timer, item)).await?,
        Purpose::Connect(..) => look_for_account(ports, timer, item).await?,
        Purpose::Watch => {
            if let Some(loaded) = run_of(ports, timer, item).await? {
                watch(ports, timer, &loaded, item).await?;
            }
        }
        Purpose::Expire(_) => {
            if let Some(loaded) = run_of(ports, timer, item).await? {
                expire(ports, timer, &loaded, item).await?;
            }
        }
        Purpose::Wake => {
            if let Some(loaded) = run_of(ports, timer, item).await? {
                dispatch::send(ports, &loaded.run, loaded.run.queue(), 0, None).await?;
                serve::served(ports, item).await?;
            }
        }
    }
    Ok(())
}

/// From now on looks with each sweep whether this account is connected.
pub(crate) async fn await_account(
    ports: &Ports,
    owner: &Account,
    provider: Provider,
    since: Timestamp,
) -> Result<()> {
    let at = since.saturating_add(EACH_LOOK).map_err(Failure::bug)?;
    let armed = timer::arm(at, &Timer::connect(owner, provider, since))?;
    ports.commit_once(vec![armed]).await
}

/// Has the Home tab published once the account is connected. The function that connects it can't: it is public, so it
/// may not write to the queues.
async fn look_for_account(ports: &Ports, timer: &Timer, item: &Item) -> Result<()> {
    let (Some(user), Purpose::Connect(provider, since)) = (&timer.user, &timer.purpose) else {
        return serve::served(ports, item).await;
    };
    let (now, owner) = (ports.clock.now(), Account::of(&timer.team, user));
    let is_new = |one: &Connection| one.provider == *provider && one.since >= *since;
    let connected = match ports.accounts.connect.connections(&owner).await {
        Ok(all) => all.iter().any(is_new),
        Err(error) => {
            tracing::warn!(user.id = %user, %error, "can't see whether an account is connected");
            false
        }
    };
    if connected {
        let change = format!("{}:{since}", provider.as_str());
        let trace = TraceId::derive(&timer.team, &change);
        home::publish(ports, &owner, &trace, &change).await?;
    } else if now.duration_since(*since) < LAST_LOOK {
        let at = now.saturating_add(EACH_LOOK).map_err(Failure::bug)?;
        return serve::look_again(ports, at, timer, item).await;
    }
    serve::served(ports, item).await
}

async fn expire(ports: &Ports, timer: &Timer, loaded: &LoadedRun, item: &Item) -> Result<()> {
    if loaded.run.state == RunState::Ready {
        // The run is working. It will ask again or end soon, so the expiry waits.
        let soon = ports.clock.now().saturating_add(BUSY);
        return serve::look_again(ports, soon.map_err(Failure::bug)?, timer, item).await;
    }
    if let Purpose::Expire(id) = &timer.purpose
        && let Some(approval) = decide::expire(ports, &timer.team, id).await?
    {
        show::refresh(ports, &approval, None, None).await?;
        home::changed(ports, &loaded.run, &show::home_change(&approval)).await;
    }
    serve::served(ports, item).await
}

/// Resends a run that hasn't moved for five minutes. It doesn't write the run, so it can't conflict with its worker.
async fn watch(ports: &Ports, timer: &Timer, loaded: &LoadedRun, item: &Item) -> Result<()> {
    let (run, now) = (&loaded.run, ports.clock.now());
    if let RunState::Done { .. } | RunState::Asking { shown: true } = run.state {
        return serve::served(ports, item).await;
    }
    let left_behind_at = run.rests_until().saturating_add(WATCH_AFTER);
    let left_behind_at = left_behind_at.map_err(Failure::bug)?;
    // The run's last change is in the future: the clock was set back, so its age is unknown.
    let is_ahead = run.updated_at.duration_since(now) > due::DIFFERENCE;
    let at = if children::only_ask(ports, run).await? {
        now.saturating_add(LOOK_AT_SLEEPERS).map_err(Failure::bug)?
    } else if now < left_behind_at && !is_ahead {
        left_behind_at
    } else {
        send_again(ports, run, nth_look(run, now)).await?;
        now.saturating_add(WATCH_AFTER).map_err(Failure::bug)?
    };
    serve::look_again(ports, at, timer, item).await
}

/// A repeated sweep computes the same number.
fn nth_look(run: &Run, now: Timestamp) -> u16 {
    let left = now.duration_since(run.rests_until()).as_secs();
    let nth = left / WATCH_AFTER.as_secs();
    u16::try_from(nth.clamp(1, MOST_LOOKS)).unwrap_or(1)
}

async fn send_again(ports: &Ports, run: &Run, nth: u16) -> Result<()> {
    tracing::warn!(run.id = %run.id, "a run was left behind; sending it again");
    match &run.state {
        RunState::Queued => unblock(ports, run, nth).await,
        RunState::Waiting => dispatch::send_again(ports, run, QueueName::Runs, nth).await,
        RunState::Ready | RunState::Asking { .. } | RunState::Replying { .. } => {
            let is_new = run.progress.steps == 0 && run.parent.is_none();
            let queue = if is_new { QueueName::Runs } else { run.queue() };
            dispatch::send_again(ports, run, queue, nth).await
        }
        RunState::Done { .. } => Ok(()),
    }
}

async fn unblock(ports: &Ports, run: &Run, nth: u16) -> Result<()> {
    let mut session = Session::load(&*ports.store, &run.team, &run.user, &run.session).await?;
    let known = session.clone();
    if let Some(active) = session.active.clone().filter(|active| *active != run.id) {
        let ended = match ports.journal().load(&run.team, &active).await {
            Ok(working) => {
                working.is_none_or(|found| matches!(found.run.state, RunState::Done { .. }))
            }
            // An unreadable run can't continue, so it counts as ended.
            Err(Failure::Bug { .. }) => true,
            Err(other) => return Err(other),
        };
        if !ended {
            return Ok(());
        }
        session.finish(&active, None);
    }
    // Also claims the place if it is free because the session row was lost.
    session.admit(&run.id);
    if session != known {
        let writes = session.write(&run.team, &run.user, &run.session)?;
        ports.commit(writes).await?;
    }
    dispatch::send_again(ports, run, QueueName::Runs, nth).await
}
