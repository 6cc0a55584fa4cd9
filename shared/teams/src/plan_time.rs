//! Limits a plan's working time. Time in which all unfinished teams wait for their owner doesn't count.

use alfred_agent::runner::finish;
use alfred_agent::store::timer::{self, AFTER_DECISION, Timer};
use alfred_agent::turn::exhausted::work_spans;
use alfred_agent::{LoadedRun, Run, RunContext, RunState};
use alfred_core::ports::Write;
use alfred_core::{Failure, Result};
use jiff::{SignedDuration, Timestamp};

use crate::children::Children;

pub const PLAN_TIME: SignedDuration = SignedDuration::from_mins(10);

/// Whether the plan's time is over. Then no further part starts, and working teams end with what
/// they have, except while they carry out a recent decision. Otherwise schedules the next check,
/// unless all teams wait; then a decision schedules it.
pub(crate) async fn look_at_time(cx: &mut RunContext<'_>, children: &Children) -> Result<bool> {
    let now = cx.now();
    let left = PLAN_TIME.saturating_sub(busy(children, now));
    let Some(mut plan) = cx.run().plan.clone() else {
        return Ok(false);
    };
    let asks = |child: &LoadedRun| matches!(child.run.state, RunState::Asking { .. });
    let started = children.iter().flatten();
    let mut working = started.filter(|child| child.run.output().is_none() && !asks(child));
    if left > SignedDuration::ZERO && !plan.out_of_time {
        if plan.look_at.is_some_and(|at| at <= now) && working.next().is_some() {
            let (at, look) = look_again(cx, left)?;
            plan.look_at = Some(at);
            let set = |run: &mut Run| run.plan = Some(plan);
            cx.commit(vec![], vec![look], set).await?;
        }
        return Ok(false);
    }
    if !plan.out_of_time {
        tracing::warn!(run.id = %cx.run().id, "a plan's time is over; its teams end");
        plan.out_of_time = true;
        let close = |run: &mut Run| run.plan = Some(plan);
        cx.commit(vec![], vec![], close).await?;
    }
    for child in working.filter(|child| !carries_out(child, now)) {
        let mut child = child.clone();
        let mut cx = RunContext::new(cx.ports, &mut child, cx.deadline);
        let reason = "It wasn't finished when the time for the whole request was over.";
        finish::fail(&mut cx, reason).await?;
    }
    Ok(true)
}

pub(crate) fn look_again(cx: &RunContext<'_>, left: SignedDuration) -> Result<(Timestamp, Write)> {
    let run = cx.run();
    let at = cx.now().saturating_add(left).map_err(Failure::bug)?;
    let wake = Timer::wake(&run.team, &run.id).for_run(run);
    Ok((at, timer::arm(at, &wake)?))
}

pub(crate) fn no_look(run: &Run) -> Option<Write> {
    let at = run.plan.as_ref()?.look_at?;
    Some(timer::disarm(at, &Timer::wake(&run.team, &run.id)))
}

fn carries_out(child: &LoadedRun, now: Timestamp) -> bool {
    let mut steps = child.steps.iter().rev();
    let last = steps.find(|step| step.decided().is_some());
    last.is_some_and(|step| now.duration_since(step.at) < AFTER_DECISION)
}

/// The total time in which at least one child worked.
fn busy(children: &[Option<LoadedRun>], now: Timestamp) -> SignedDuration {
    let spans = children.iter().flatten().flat_map(|child| {
        let run = &child.run;
        let end = run.output().map_or(now, |_| run.updated_at);
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
