//! How a piece of work ends: with an answer, with an error, handed on to the
//! next invocation, or waiting for a moment. What ends a run and what follows
//! from it (reply, report to the parent, the next run of the conversation)
//! are committed first and then done; a redelivery repeats only the doing.

use alfred_core::ports::Write;
use alfred_core::{Deadline, Failure, WorkerOutput, keys, text};
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;

use crate::approval::show;
use crate::approval::withdraw::{self, withdraw};
use crate::dispatch;
use crate::journal::{CommitError, JOIN_RANGE, LoadedRun};
use crate::ledger::Ledger;
use crate::plan::Join;
use crate::ports::Ports;
use crate::respond::{self, Delivery};
use crate::row::{body, read};
use crate::run::{Exchange, RUN_VERSION, Run, RunState, StepKind, actions, elapsed_ms};
use crate::session::Session;
use crate::status::StatusLine;
use crate::timer::{self, Timer};
use crate::usage;

/// A wait up to this long happens in process; a longer one parks the run.
const SHORT_WAIT: Duration = Duration::from_secs(20);
/// Times a lost race over a row beside the run is tried again.
const MAX_CONFLICT_RETRIES: u32 = 20;

/// How far a run came in this invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It is done, its reply posted.
    Finished,
    /// It goes on in another message or at a set time.
    Parked,
    /// Another worker has it.
    Superseded,
}

impl Progress {
    /// Whether its message may go. Another worker's may not be there to go on for long: a message
    /// stays until its run is seen at rest.
    ///
    /// # Errors
    /// `Retry` when another worker has the run.
    pub fn settled(self) -> Result<(), Failure> {
        match self {
            Self::Finished | Self::Parked => Ok(()),
            Self::Superseded => Err(CommitError::Superseded.into()),
        }
    }
}

/// Ends the run with the model's answer, and replies.
///
/// # Errors
/// What the queue's runner must do about it.
pub async fn with_output(
    ports: &Ports,
    loaded: &mut LoadedRun,
    steps: Vec<(u64, StepKind)>,
    output: WorkerOutput,
    status: &mut StatusLine,
    deadline: Deadline,
) -> Result<Progress, Failure> {
    let ledger = Ledger::at_end(&loaded.run.id, &loaded.steps);
    with_ledger(ports, loaded, steps, output, &ledger, status, deadline).await
}

/// The same with what other runs did for this one.
///
/// # Errors
/// What the queue's runner must do about it.
pub async fn with_ledger(
    ports: &Ports,
    loaded: &mut LoadedRun,
    steps: Vec<(u64, StepKind)>,
    mut output: WorkerOutput,
    ledger: &Ledger,
    status: &mut StatusLine,
    deadline: Deadline,
) -> Result<Progress, Failure> {
    output.effects = ledger.effects();
    if loaded.run.parent.is_some() {
        return report(ports, loaded, steps, output).await;
    }
    let pictures = respond::pictures::timelines(&loaded.steps);
    // The thread that was read goes into the same commit as an answer in one turn.
    let mut read = loaded.run.clone();
    steps.iter().for_each(|(_, did)| read.absorb(did));
    let reply = respond::render(&read, &output, ledger, pictures);
    let mut watch_at = loaded.run.watch_at;
    let mut watched = Vec::new();
    if matches!(loaded.run.state, RunState::Asking { .. }) {
        // Nobody looked after it while it slept.
        let (at, watch) = timer::watch_again(&loaded.run, ports.clock.now())?;
        watch_at = at;
        watched.push(watch);
    }
    for _ in 0..MAX_CONFLICT_RETRIES {
        let (output, reply) = (output.clone(), reply.clone());
        let replying = move |run: &mut Run| {
            run.watch_at = watch_at;
            run.state = RunState::Replying { output, reply };
        };
        let withdrawn = withdraw(ports, loaded).await?;
        let steps = steps.clone();
        let mut beside = withdrawn.writes.clone();
        beside.extend(watched.iter().cloned());
        match ports
            .journal()
            .commit(loaded, steps, beside, replying)
            .await
        {
            Ok(()) => {
                withdraw::tell(ports, &withdrawn).await;
                status.settle().await;
                return reply_and_close(ports, loaded, true, deadline).await;
            }
            Err(CommitError::Superseded) => return Ok(Progress::Superseded),
            Err(CommitError::Conflict(_)) => {}
            Err(other) => return Err(other.into()),
        }
    }
    Err(Failure::retry("an approval of the run is contended"))
}

/// Ends the run with words for the person instead of an answer.
///
/// # Errors
/// What the queue's runner must do about it.
pub async fn with_error(
    ports: &Ports,
    loaded: &mut LoadedRun,
    steps: Vec<(u64, StepKind)>,
    reason: String,
    status: &mut StatusLine,
    deadline: Deadline,
) -> Result<Progress, Failure> {
    let output = WorkerOutput::failed(reason, actions(&loaded.steps, false));
    with_output(ports, loaded, steps, output, status, deadline).await
}

/// Queues the run's continuation: this invocation is out of time. A
/// classification that isn't in the journal yet goes along.
///
/// # Errors
/// When the queue doesn't take it.
pub async fn hand_on(
    ports: &Ports,
    loaded: &LoadedRun,
    pending: &[(u64, StepKind)],
) -> Result<Progress, Failure> {
    let classified = pending.iter().find_map(|(_, did)| match did {
        StepKind::Classified(found) => Some(found.clone()),
        StepKind::Context { .. }
        | StepKind::Turn(_)
        | StepKind::Asked { .. }
        | StepKind::Decided { .. }
        | StepKind::Intent { .. }
        | StepKind::NotReached { .. }
        | StepKind::Challenged
        | StepKind::Interpreted { .. }
        | StepKind::ToolResult { .. }
        | StepKind::Planned(_) => None,
    });
    let (queue, hops) = (loaded.run.queue(), loaded.hops + 1);
    dispatch::send(ports, &loaded.run, queue, hops, classified).await?;
    Ok(Progress::Parked)
}

/// Lets the run wait, because its model's provider asked for it.
///
/// # Errors
/// When the wait can't be committed.
pub async fn pause(
    ports: &Ports,
    loaded: &mut LoadedRun,
    steps: Vec<(u64, StepKind)>,
    after: Duration,
) -> Result<Progress, Failure> {
    wake_after(ports, loaded, steps, after, |run| run.pauses += 1).await
}

/// Gets a reply into Slack and closes the run: the conversation remembers the
/// exchange, the next request of it may start, the watchdog goes.
///
/// # Errors
/// What the queue's runner must do about it.
pub async fn reply_and_close(
    ports: &Ports,
    loaded: &mut LoadedRun,
    mut fresh: bool,
    deadline: Deadline,
) -> Result<Progress, Failure> {
    loop {
        let RunState::Replying { output, reply } = loaded.run.state.clone() else {
            return Ok(Progress::Finished);
        };
        if reply.next_untried && !fresh {
            // Of two that know that nobody has tried, one tries.
            match ports.journal().commit(loaded, vec![], vec![], tried).await {
                Ok(()) => {}
                Err(CommitError::Superseded) => return Ok(Progress::Superseded),
                Err(other) => return Err(other.into()),
            }
        }
        let delivery = respond::deliver(
            &*ports.chat,
            &*ports.clock,
            &ports.config,
            &loaded.run,
            &reply,
            fresh,
        )
        .await;
        match delivery {
            Delivery::Posted => return close(ports, loaded, output).await,
            Delivery::Refused { code } => {
                tracing::error!(run.id = %loaded.run.id, slack.error = code, "Slack refuses the reply in every form and place");
                let effects = output.effects;
                let failed = WorkerOutput::failed(text::answer_refused(), output.actions_taken);
                let output = WorkerOutput { effects, ..failed };
                loaded.run.refused_reply = Some(code);
                return close(ports, loaded, output).await;
            }
            Delivery::Later { after, missed } => {
                let now = ports.clock.now();
                let look = move |run: &mut Run| {
                    if let RunState::Replying { reply, .. } = &mut run.state {
                        reply.missed_at = if missed {
                            reply.missed_at.or(Some(now))
                        } else {
                            None
                        };
                        reply.next_untried = !missed;
                    }
                };
                if after > SHORT_WAIT || !deadline.allows(now, after + SHORT_WAIT) {
                    return wake_after(ports, loaded, vec![], after, look).await;
                }
                match ports.journal().commit(loaded, vec![], vec![], look).await {
                    Ok(()) => {}
                    Err(CommitError::Superseded) => return Ok(Progress::Superseded),
                    Err(other) => return Err(other.into()),
                }
                ports.clock.sleep(after).await;
                fresh = false;
            }
        }
    }
}

fn tried(run: &mut Run) {
    if let RunState::Replying { reply, .. } = &mut run.state {
        reply.next_untried = false;
    }
}

/// Lets the run wait for a moment.
///
/// # Errors
/// When the wait can't be committed.
pub async fn wake_after(
    ports: &Ports,
    loaded: &mut LoadedRun,
    steps: Vec<(u64, StepKind)>,
    after: Duration,
    change: impl FnOnce(&mut Run) + Send,
) -> Result<Progress, Failure> {
    let after = SignedDuration::try_from(after).unwrap_or(SignedDuration::MAX);
    let at = ports
        .clock
        .now()
        .saturating_add(after)
        .map_err(Failure::bug)?;
    let timer = Timer::wake(&loaded.run.team, &loaded.run.id).for_run(&loaded.run);
    let wake = timer::arm(at, &timer)?;
    let waits = move |run: &mut Run| {
        run.wake_at = Some(at);
        change(run);
    };
    match ports
        .journal()
        .commit(loaded, steps, vec![wake], waits)
        .await
    {
        Ok(()) => Ok(Progress::Parked),
        Err(CommitError::Superseded) => Ok(Progress::Superseded),
        Err(other) => Err(other.into()),
    }
}

/// Closes a run whose reply was posted, or will never be.
pub(crate) async fn close(
    ports: &Ports,
    loaded: &mut LoadedRun,
    output: WorkerOutput,
) -> Result<Progress, Failure> {
    let answer = output.result.clone().or_else(|| output.error.clone());
    let exchange = Exchange {
        request: loaded.run.input.prompt().to_owned(),
        answer: answer.unwrap_or_default(),
        taint: loaded.run.taint.clone(),
        quotes: loaded.run.input.carried().contains(&"quote"),
        run: Some(loaded.run.id.clone()),
    };
    // What the row holds if nobody else wrote it since this run began; saves a read.
    let mut session = Session {
        v: RUN_VERSION,
        memory: loaded.run.history.clone(),
        active: Some(loaded.run.id.clone()),
        waiting: Vec::new(),
        answered: true,
        ..Session::default()
    };
    let mut version = loaded.run.session_version;
    let mut spent = loaded.run.spent_before;
    let now = ports.clock.now();
    for _ in 0..MAX_CONFLICT_RETRIES {
        let next = session.finish(&loaded.run.id, Some(exchange.clone()));
        let run = &loaded.run;
        let watch = Timer::watch(&run.team, &run.id);
        let mut beside = session.write(&run.team, &run.user, &run.session, version)?;
        beside.push(spent.with_run(run, now)?);
        beside.push(timer::disarm(run.watch_at, &watch));
        let outcome = output.clone();
        let done = move |run: &mut Run| run.state = RunState::Done { output: outcome };
        match ports.journal().commit(loaded, vec![], beside, done).await {
            Ok(()) => {
                log_end(&loaded.run, ports.clock.now());
                show::tell_outcomes(ports, loaded).await;
                if let Some(next) = next {
                    dispatch::start_waiting(ports, &loaded.run, next).await?;
                }
                return Ok(Progress::Finished);
            }
            Err(CommitError::Superseded) => return Ok(Progress::Superseded),
            Err(CommitError::Conflict(_)) => {
                let run = &loaded.run;
                (session, version) =
                    Session::load(&*ports.store, &run.team, &run.user, &run.session).await?;
                spent = usage::load(&*ports.store, &run.team, &run.user).await?;
            }
            Err(other) => return Err(other.into()),
        }
    }
    Err(Failure::retry("the conversation's row is contended"))
}

/// Repeats what follows from a run that finished, or gave up its place to ask, in case it was cut
/// off behind its commit.
///
/// # Errors
/// When the store or the queue doesn't answer.
pub async fn follow_up(ports: &Ports, run: &Run) -> Result<(), Failure> {
    let done = matches!(run.state, RunState::Done { .. });
    if let Some(parent) = run.parent.as_ref().filter(|_| done) {
        return dispatch::to_parent(ports, run, parent).await;
    }
    let (session, _) = Session::load(&*ports.store, &run.team, &run.user, &run.session).await?;
    match session.active {
        Some(next) if next != run.id && Some(&next) != run.parent.as_ref() => {
            dispatch::start_waiting(ports, run, next).await
        }
        _ => Ok(()),
    }
}

/// Ends a team's run: its outcome and its report in one commit, then the parent is called.
async fn report(
    ports: &Ports,
    loaded: &mut LoadedRun,
    steps: Vec<(u64, StepKind)>,
    output: WorkerOutput,
) -> Result<Progress, Failure> {
    let Some(parent) = loaded.run.parent.clone() else {
        return Err(Failure::bug("a run without a parent can't report to one"));
    };
    let mut key = keys::run(&loaded.run.team, &parent);
    key.range = JOIN_RANGE.into();
    let journal = ports.journal();
    for _ in 0..MAX_CONFLICT_RETRIES {
        let Some(item) = ports.store.get(&key).await? else {
            return Err(Failure::bug(format!("run {parent} has no join row")));
        };
        let mut join: Join = read(item.body)?;
        let last = join.report(&loaded.run.id);
        let spent = usage::load(&*ports.store, &loaded.run.team, &loaded.run.user).await?;
        let watch = Timer::watch(&loaded.run.team, &loaded.run.id);
        let withdrawn = withdraw(ports, loaded).await?;
        let mut beside = vec![
            Write::replace(key.clone(), item.version, body(&join)?),
            spent.with_run(&loaded.run, ports.clock.now())?,
            timer::disarm(loaded.run.watch_at, &watch),
        ];
        beside.extend(withdrawn.writes.iter().cloned());
        let outcome = output.clone();
        let commit = journal.commit(loaded, steps.clone(), beside, move |run| {
            run.state = RunState::Done { output: outcome };
        });
        match commit.await {
            Ok(()) => {
                log_end(&loaded.run, ports.clock.now());
                withdraw::tell(ports, &withdrawn).await;
                if last {
                    dispatch::to_parent(ports, &loaded.run, &parent).await?;
                }
                return Ok(Progress::Finished);
            }
            Err(CommitError::Superseded) => return Ok(Progress::Superseded),
            Err(CommitError::Conflict(_)) => {}
            Err(other) => return Err(other.into()),
        }
    }
    Err(Failure::retry("the join row is contended"))
}

fn log_end(run: &Run, now: Timestamp) {
    let success = run.output().is_some_and(|output| output.success);
    tracing::info!(
        run.id = %run.id,
        run.success = success,
        run.iterations = run.iterations,
        run.ms = elapsed_ms(run.created_at, now),
        model.input_tokens = run.usage.input_tokens,
        model.output_tokens = run.usage.output_tokens,
        model.cost_dollars = run.usage.cost_dollars(),
        "a run ended"
    );
}
