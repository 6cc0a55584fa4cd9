//! Limits a plan's working time. Time in which all unfinished teams wait for their owner doesn't count.

use alfred_agent::runner::finish;
use alfred_agent::store::timer::{self, AFTER_DECISION, Timer};
use alfred_agent::turn::exhausted::work_spans;
use alfred_agent::{LoadedRun, Run, RunContext, RunState};
use alfred_core::Failure;
use alfred_core::ports::Write;
use jiff::{SignedDuration, Timestamp};

pub const PLAN_TIME: SignedDuration = SignedDuration::from_mins(10);

/// Checks whether the plan's time is over. If so, no further part starts, and working teams end with what
/// they have. Teams still carrying out a recent decision continue. Otherwise the next check is scheduled,
/// unless all teams wait; then a decision schedules it.
pub(crate) async fn look_at_time(
    cx: &mut RunContext<'_>,
    children: &[Option<LoadedRun>],
) -> Result<bool, Failure> {
    let now = cx.now();
    let started: Vec<&LoadedRun> = children.iter().flatten().collect();
    let left = PLAN_TIME.saturating_sub(busy(&started, now));
    let Some(plan) = cx.run().plan.clone() else {
        return Ok(false);
    };
    if left > SignedDuration::ZERO && !plan.out_of_time {
        let works = |child: &&LoadedRun| is_open(child) && !asks(child);
        if plan.look_at.is_some_and(|at| at <= now) && started.iter().any(works) {
            let (at, look) = look_again(cx.run(), now, left)?;
            let set = move |run: &mut Run| {
                run.plan.iter_mut().for_each(|plan| plan.look_at = Some(at));
            };
            cx.commit(vec![], vec![look], set).await?;
        }
        return Ok(false);
    }
    if !plan.out_of_time {
        tracing::warn!(run.id = %cx.run().id, "a plan's time is over; its teams end");
        let close = |run: &mut Run| {
            run.plan.iter_mut().for_each(|plan| plan.out_of_time = true);
        };
        cx.commit(vec![], vec![], close).await?;
    }
    for child in started {
        if is_open(child) && !asks(child) && !carries_out(child, now) {
            let mut child = child.clone();
            let mut cx = RunContext::new(cx.ports, &mut child, cx.deadline);
            let reason = "It wasn't finished when the time for the whole request was over.";
            finish::fail(&mut cx, reason).await?;
        }
    }
    Ok(true)
}

/// The time of a plan's next check, given its remaining time, and the write that schedules it.
pub(crate) fn look_again(
    run: &Run,
    now: Timestamp,
    left: SignedDuration,
) -> Result<(Timestamp, Write), Failure> {
    let at = now.saturating_add(left).map_err(Failure::bug)?;
    let wake = Timer::wake(&run.team, &run.id).for_run(run);
    Ok((at, timer::arm(at, &wake)?))
}

/// The write that cancels the scheduled check.
pub(crate) fn no_look(run: &Run) -> Option<Write> {
    let at = run.plan.as_ref()?.look_at?;
    Some(timer::disarm(at, &Timer::wake(&run.team, &run.id)))
}

fn is_open(child: &LoadedRun) -> bool {
    child.run.output().is_none()
}

fn asks(child: &LoadedRun) -> bool {
    matches!(child.run.state, RunState::Asking { .. })
}

/// Whether the owner made a decision within the last `AFTER_DECISION`.
fn carries_out(child: &LoadedRun, now: Timestamp) -> bool {
    let mut steps = child.steps.iter().rev();
    let last = steps.find(|step| step.decided().is_some());
    last.is_some_and(|step| now.duration_since(step.at) < AFTER_DECISION)
}

/// The total time in which at least one child worked.
fn busy(children: &[&LoadedRun], now: Timestamp) -> SignedDuration {
    let spans = children.iter().flat_map(|child| {
        let run = &child.run;
        let end = if is_open(child) { now } else { run.updated_at };
        work_spans(&child.steps, run.created_at, end)
    });
    let mut spans: Vec<(Timestamp, Timestamp)> = spans.collect();
    spans.sort_unstable();
    let mut reached = Timestamp::MIN;
    let mut busy = SignedDuration::ZERO;
    for (from, to) in spans {
        let from = from.max(reached);
        if to > from {
            busy += to.duration_since(from);
            reached = to;
        }
    }
    busy
}
