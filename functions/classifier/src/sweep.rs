//! Every minute: runs whose wait is over go on, runs that were left behind
//! are sent again. Nothing else watches; a waiting run costs nothing.

use alfred_agent::admit::WATCH_AFTER;
use alfred_agent::approval::{decide, show};
use alfred_agent::finish;
use alfred_agent::run::{Run, RunState};
use alfred_agent::session::Session;
use alfred_agent::timer::{self, Purpose, Timer};
use alfred_agent::{CommitError, Loaded, Ports};
use alfred_core::Failure;
use alfred_core::ports::{Commit, Item, QueueName, Write};
use jiff::SignedDuration;

/// Times a timer may meet a defect before it is set aside.
const MAX_DEFECTS: u32 = 5;
/// A run whose teams wait for their owner is looked after so rarely: they wake it themselves.
const LOOK_AT_SLEEPERS: SignedDuration = SignedDuration::from_hours(6);

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
        Purpose::Watch => watch(ports, loaded, item).await,
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

/// A run that didn't move for five minutes is sent again; its timer is set anew.
async fn watch(ports: &Ports, mut loaded: Loaded, item: &Item) -> Result<(), Failure> {
    let over = matches!(
        loaded.run.state,
        RunState::Done { .. } | RunState::Asking { shown: true }
    );
    if over {
        return timer::served(&*ports.store, &*ports.ids, item).await;
    }
    let now = ports.clock.now();
    let sleeps = teams_ask(ports, &loaded.run).await?;
    let left_behind = !sleeps && now.duration_since(loaded.run.updated_at) >= WATCH_AFTER;
    let after = if sleeps {
        LOOK_AT_SLEEPERS
    } else {
        WATCH_AFTER
    };
    let (at, again) = timer::watch_after(&loaded.run, now, after)?;
    let beside = vec![again, Write::delete(item.key.clone(), None)];
    let set = move |run: &mut Run| run.watch_at = at;
    match ports
        .journal()
        .commit(&mut loaded, vec![], beside, set)
        .await
    {
        Ok(()) if left_behind => send_again(ports, &loaded.run).await,
        // Its worker moved it: it is not left behind, and the next sweep looks again.
        Ok(()) | Err(CommitError::Superseded) => Ok(()),
        Err(other) => Err(other.into()),
    }
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

/// Sent after the row was written: whoever receives it finds the row as it stays.
async fn send_again(ports: &Ports, run: &Run) -> Result<(), Failure> {
    tracing::warn!(run.id = %run.id, "a run was left behind; sending it again");
    match &run.state {
        RunState::Queued => unblock(ports, run).await,
        RunState::Waiting => finish::send(ports, run, QueueName::Ingress, 0, None).await,
        RunState::Ready | RunState::Asking { .. } | RunState::Replying { .. } => {
            let unrouted = run.steps == 0 && run.parent.is_none();
            let queue = if unrouted {
                QueueName::Ingress
            } else {
                run.queue()
            };
            finish::send(ports, run, queue, 0, None).await
        }
        RunState::Done { .. } => Ok(()),
    }
}

/// A run that waits behind one that has ended, or is gone, takes its place.
async fn unblock(ports: &Ports, run: &Run) -> Result<(), Failure> {
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
    finish::send(ports, run, QueueName::Ingress, 0, None).await
}
