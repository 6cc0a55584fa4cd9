//! Every minute: runs whose wait is over go on, runs that were left behind
//! are sent again. Nothing else watches; a waiting run costs nothing.

use alfred_agent::admit::WATCH_AFTER;
use alfred_agent::approval::{decide, show};
use alfred_agent::finish;
use alfred_agent::run::{Run, RunState};
use alfred_agent::session::Session;
use alfred_agent::timer::{self, Purpose, Timer};
use alfred_agent::{Loaded, Ports};
use alfred_core::Failure;
use alfred_core::ports::{Commit, Item, QueueName};
use jiff::{SignedDuration, Timestamp};

/// Times a timer may meet a defect before it is set aside.
const MAX_DEFECTS: u32 = 5;
/// A run whose teams wait for their owner is looked after so rarely: they wake it themselves.
const LOOK_AT_SLEEPERS: SignedDuration = SignedDuration::from_hours(6);

/// Looks that are told apart: fewer than the hops after which a request loops.
const MOST_LOOKS: i64 = 100;
/// An approval's end waits so long for a run that is at work.
const BUSY: SignedDuration = SignedDuration::from_mins(1);

/// Serves all timers that are due. One that can't be served is moved later, so that it holds
/// up neither the others nor the sweep's progress; one that keeps meeting a defect is set aside.
///
/// # Errors
/// `Retry` when the store doesn't answer; what was served stays served. `Bug` when a timer
/// was set aside.
pub async fn sweep(ports: &Ports) -> Result<(), Failure> {
    let now = ports.clock.now();
    let (store, ids) = (&*ports.store, &*ports.ids);
    let due = timer::due(store, now).await?;
    let mut aside = Vec::new();
    for (item, why) in due.unreadable {
        timer::set_aside(store, ids, &item, &why).await?;
        aside.push(format!("{}: {why}", item.key.range));
    }
    let mut unmoved = None;
    for (timer, item) in due.timers {
        let Err(failure) = serve(ports, &timer, &item).await else {
            continue;
        };
        let hopeless = matches!(failure, Failure::Bug { .. }) && timer.tries + 1 >= MAX_DEFECTS;
        let moved = if hopeless {
            aside.push(format!("{}: {failure}", item.key.range));
            timer::set_aside(store, ids, &item, &failure.to_string()).await
        } else {
            tracing::warn!(run.id = %timer.run, timer.tries = timer.tries, error = %failure, "couldn't serve a timer; trying again later");
            timer::postpone(store, ids, now, &timer, &item).await
        };
        unmoved = moved.err().or(unmoved);
    }
    if let Some(failure) = unmoved {
        return Err(failure);
    }
    timer::swept(store, ids, now).await?;
    if aside.is_empty() {
        Ok(())
    } else {
        Err(Failure::bug(format!("timers set aside: {aside:?}")))
    }
}

async fn serve(ports: &Ports, timer: &Timer, item: &Item) -> Result<(), Failure> {
    let Some(loaded) = ports.journal().load(&timer.team, &timer.run).await? else {
        return timer::served(&*ports.store, &*ports.ids, item).await;
    };
    match timer.purpose {
        Purpose::Wake => {
            finish::send(ports, &loaded.run, loaded.run.queue(), 0, None).await?;
            timer::served(&*ports.store, &*ports.ids, item).await
        }
        Purpose::Watch => watch(ports, timer, &loaded, item).await,
        // Who works on the run meanwhile isn't disturbed; what it asks next, or its end, is near.
        Purpose::Expire if loaded.run.state == RunState::Ready => {
            let at = ports
                .clock
                .now()
                .saturating_add(BUSY)
                .map_err(Failure::bug)?;
            timer::look_again(&*ports.store, &*ports.ids, at, timer, item).await
        }
        Purpose::Expire => expire(ports, timer, item).await,
    }
}

/// An approval whose time is over: the run is told, and the card says so.
async fn expire(ports: &Ports, timer: &Timer, item: &Item) -> Result<(), Failure> {
    if let Some(id) = &timer.approval
        && let Some(approval) = decide::expire(ports, &timer.team, id).await?
    {
        show::refresh(ports, &approval, None, None).await?;
    }
    timer::served(&*ports.store, &*ports.ids, item).await
}

/// Looks after a run. Looking writes nothing of it, so that whoever works on it goes on; one that
/// didn't move for five minutes is sent again.
async fn watch(ports: &Ports, timer: &Timer, loaded: &Loaded, item: &Item) -> Result<(), Failure> {
    let (run, now) = (&loaded.run, ports.clock.now());
    let (store, ids) = (&*ports.store, &*ports.ids);
    if matches!(
        run.state,
        RunState::Done { .. } | RunState::Asking { shown: true }
    ) {
        return timer::served(store, ids, item).await;
    }
    let left_behind_at = run.rests_until().saturating_add(WATCH_AFTER);
    let left_behind_at = left_behind_at.map_err(Failure::bug)?;
    let at = if teams_ask(ports, run).await? {
        now.saturating_add(LOOK_AT_SLEEPERS).map_err(Failure::bug)?
    } else if now < left_behind_at {
        left_behind_at
    } else {
        send_again(ports, run, nth_look(run, now)).await?;
        now.saturating_add(WATCH_AFTER).map_err(Failure::bug)?
    };
    timer::look_again(store, ids, at, timer, item).await
}

/// Which look this is since the run last moved. The same for a sweep that is repeated.
fn nth_look(run: &Run, now: Timestamp) -> u16 {
    let left = now.duration_since(run.rests_until()).as_secs();
    let nth = left / WATCH_AFTER.as_secs();
    u16::try_from(nth.clamp(1, MOST_LOOKS)).unwrap_or(1)
}

/// Whether a run waits for teams of which every one that isn't done waits for its owner.
async fn teams_ask(ports: &Ports, run: &Run) -> Result<bool, Failure> {
    let tasks = run.plan.iter().flat_map(|plan| &plan.tasks);
    let mut asking = false;
    for team in tasks.filter_map(|task| task.run.as_ref()) {
        let found = ports.journal().load(&run.team, team).await?;
        match found.map(|found| found.run.state) {
            Some(RunState::Asking { shown: true }) => asking = true,
            Some(RunState::Done { .. }) => {}
            _ => return Ok(false),
        }
    }
    Ok(asking && run.state == RunState::Waiting)
}

async fn send_again(ports: &Ports, run: &Run, nth: u16) -> Result<(), Failure> {
    tracing::warn!(run.id = %run.id, "a run was left behind; sending it again");
    match &run.state {
        RunState::Queued => unblock(ports, run, nth).await,
        RunState::Waiting => finish::send_again(ports, run, QueueName::Ingress, nth).await,
        RunState::Ready | RunState::Asking { .. } | RunState::Replying { .. } => {
            let unrouted = run.steps == 0 && run.parent.is_none();
            let queue = if unrouted {
                QueueName::Ingress
            } else {
                run.queue()
            };
            finish::send_again(ports, run, queue, nth).await
        }
        RunState::Done { .. } => Ok(()),
    }
}

/// A run that waits behind one that has ended, or is gone, takes its place.
async fn unblock(ports: &Ports, run: &Run, nth: u16) -> Result<(), Failure> {
    let (mut session, version) =
        Session::load(&*ports.store, &run.team, &run.user, &run.session).await?;
    if let Some(active) = session.active.clone().filter(|active| *active != run.id) {
        let working = ports.journal().load(&run.team, &active).await?;
        let ended = working.is_none_or(|found| matches!(found.run.state, RunState::Done { .. }));
        if !ended {
            return Ok(());
        }
        session.finish(&active, None);
        let key = alfred_core::keys::session(&run.team, &run.user, &run.session);
        let commit = Commit {
            id: ports.ids.uuid(),
            writes: vec![session.write(key, version)?],
        };
        ports.store.commit(&commit).await?;
    }
    finish::send_again(ports, run, QueueName::Ingress, nth).await
}
