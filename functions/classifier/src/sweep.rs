//! Every minute: runs whose wait is over go on, runs that were left behind
//! are sent again. Nothing else watches; a waiting run costs nothing.

use alfred_agent::approval::{decide, pending, show};
use alfred_agent::run::{Run, RunState};
use alfred_agent::schedule::fire;
use alfred_agent::session::Session;
use alfred_agent::timer::{Purpose, Timer, WATCH_AFTER, due, serve};
use alfred_agent::{LoadedRun, Ports};
use alfred_agent::{children, dispatch, give_up};
use alfred_core::ports::{Commit, Item, QueueName};
use alfred_core::{Envelope, Failure, TraceId};
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
/// up neither the others nor the sweep's progress; one that keeps meeting a defect is set aside, and so,
/// at once, is one for what can't be read: its run ends with words for its person.
///
/// # Errors
/// `Retry` when the store doesn't answer; what was served stays served. `Bug` when a timer
/// was set aside.
pub async fn sweep(ports: &Ports) -> Result<(), Failure> {
    let now = ports.clock.now();
    let mut found = due::due(&*ports.store, now).await?;
    // A job may look at a calendar first, which takes up to seconds: nobody else waits for that.
    found
        .timers
        .sort_by_key(|(timer, _)| timer.purpose == Purpose::Fire);
    let mut aside = Vec::new();
    for (item, why) in found.unreadable {
        serve::set_aside(ports, &item, &why).await?;
        aside.push(format!("{}: {why}", item.key.range));
    }
    let mut unmoved = None;
    for (timer, item) in found.timers {
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
    due::swept(ports, found.until).await?;
    if aside.is_empty() {
        Ok(())
    } else {
        Err(Failure::bug(format!("timers set aside: {aside:?}")))
    }
}

/// Serves one timer; with a failure, whether trying again is of no use.
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
    /// Nobody will ever serve it.
    Unreadable(String),
}

impl From<Failure> for Unserved {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// The run of a timer; `None` when it is gone, and the timer with it.
async fn run_of(
    ports: &Ports,
    timer: &Timer,
    item: &Item,
) -> Result<Option<Box<LoadedRun>>, Unserved> {
    let found = async {
        let loaded = ports.journal().load(&timer.team, &timer.run).await?;
        if let Some(id) = &timer.approval {
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

/// Ends the run of a timer that nobody can serve, with words for its person.
async fn abandon(ports: &Ports, timer: &Timer, why: &str) -> Result<(), Failure> {
    let (Some(user), Some(session)) = (&timer.user, &timer.session) else {
        // A job's timer has no run.
        return Ok(());
    };
    let trace = TraceId::derive(&timer.team, &format!("run:{}", timer.run));
    let (run, now) = (timer.run.clone(), ports.clock.now());
    let envelope = Envelope::of_run(&timer.team, user, session, trace, run, now);
    let asked = timer.purpose == Purpose::Expire;
    Box::pin(give_up::abandon(ports, &envelope, &timer.run, asked, why)).await
}

async fn serve(ports: &Ports, timer: &Timer, item: &Item) -> Result<(), Unserved> {
    match timer.purpose {
        Purpose::Fire => Box::pin(fire::fire(ports, timer, item)).await?,
        Purpose::Wake => {
            if let Some(loaded) = run_of(ports, timer, item).await? {
                dispatch::send(ports, &loaded.run, loaded.run.queue(), 0, None).await?;
                serve::served(ports, item).await?;
            }
        }
        Purpose::Watch => {
            if let Some(loaded) = run_of(ports, timer, item).await? {
                watch(ports, timer, &loaded, item).await?;
            }
        }
        Purpose::Expire => {
            if let Some(loaded) = run_of(ports, timer, item).await? {
                expire(ports, timer, &loaded, item).await?;
            }
        }
    }
    Ok(())
}

/// An approval whose time is over: the run is told, and the card says so.
async fn expire(
    ports: &Ports,
    timer: &Timer,
    loaded: &LoadedRun,
    item: &Item,
) -> Result<(), Failure> {
    if loaded.run.state == RunState::Ready {
        // Who works on the run meanwhile isn't disturbed; what it asks next, or its end, is near.
        let soon = ports.clock.now().saturating_add(BUSY);
        return serve::look_again(ports, soon.map_err(Failure::bug)?, timer, item).await;
    }
    if let Some(id) = &timer.approval
        && let Some(approval) = decide::expire(ports, &timer.team, id).await?
    {
        show::refresh(ports, &approval, None, None).await?;
    }
    serve::served(ports, item).await
}

/// Looks after a run. Looking writes nothing of it, so that whoever works on it goes on; one that
/// didn't move for five minutes is sent again.
async fn watch(
    ports: &Ports,
    timer: &Timer,
    loaded: &LoadedRun,
    item: &Item,
) -> Result<(), Failure> {
    let (run, now) = (&loaded.run, ports.clock.now());
    if matches!(
        run.state,
        RunState::Done { .. } | RunState::Asking { shown: true }
    ) {
        return serve::served(ports, item).await;
    }
    let left_behind_at = run.rests_until().saturating_add(WATCH_AFTER);
    let left_behind_at = left_behind_at.map_err(Failure::bug)?;
    // It moved in what is the future now: the clock was set back since, and nobody can tell how long ago.
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

/// Which look this is since the run last moved. The same for a sweep that is repeated.
fn nth_look(run: &Run, now: Timestamp) -> u16 {
    let left = now.duration_since(run.rests_until()).as_secs();
    let nth = left / WATCH_AFTER.as_secs();
    u16::try_from(nth.clamp(1, MOST_LOOKS)).unwrap_or(1)
}

async fn send_again(ports: &Ports, run: &Run, nth: u16) -> Result<(), Failure> {
    tracing::warn!(run.id = %run.id, "a run was left behind; sending it again");
    match &run.state {
        RunState::Queued => unblock(ports, run, nth).await,
        RunState::Waiting => dispatch::send_again(ports, run, QueueName::Ingress, nth).await,
        RunState::Ready | RunState::Asking { .. } | RunState::Replying { .. } => {
            let unrouted = run.steps == 0 && run.parent.is_none();
            let queue = if unrouted {
                QueueName::Ingress
            } else {
                run.queue()
            };
            dispatch::send_again(ports, run, queue, nth).await
        }
        RunState::Done { .. } => Ok(()),
    }
}

/// A run that waits behind one that has ended, or is gone, takes its place.
async fn unblock(ports: &Ports, run: &Run, nth: u16) -> Result<(), Failure> {
    let (mut session, version) =
        Session::load(&*ports.store, &run.team, &run.user, &run.session).await?;
    let known = session.clone();
    if let Some(active) = session.active.clone().filter(|active| *active != run.id) {
        let ended = match ports.journal().load(&run.team, &active).await {
            Ok(working) => {
                working.is_none_or(|found| matches!(found.run.state, RunState::Done { .. }))
            }
            // Nobody can go on with it.
            Err(Failure::Bug { .. }) => true,
            Err(other) => return Err(other),
        };
        if !ended {
            return Ok(());
        }
        session.finish(&active, None);
    }
    // Also a place that nobody has, since the row was lost.
    session.admit(&run.id);
    if session != known {
        let writes = session.write(&run.team, &run.user, &run.session, version)?;
        ports
            .store
            .commit(&Commit::new(&*ports.ids, writes))
            .await?;
    }
    dispatch::send_again(ports, run, QueueName::Ingress, nth).await
}
