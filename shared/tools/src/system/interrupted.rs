//! Finds workflow runs that were cut off.

use alfred_agent::history::open_calls;
use alfred_agent::store::row;
use alfred_agent::{Run, RunState};
use alfred_core::RunId;
use alfred_core::ports::{Direction, Query, Range};

use crate::prelude::*;

/// A run that is unchanged for this long has no worker, since a function ends sooner.
const QUIET: SignedDuration = SignedDuration::from_secs(130);
/// Most runs to read, the newest of this month and the one before.
const RUNS: usize = 50;

pub fn is_workflow(tool: &str) -> bool {
    tool.starts_with("workflow_")
}

pub struct Interrupted {
    pub run: RunId,
    pub workflow: String,
    pub since: Timestamp,
    pub going: Vec<Write>,
}

/// The asking person's interrupted workflows, newest first.
pub async fn interrupted_runs(context: &ToolContext) -> Result<Vec<Interrupted>> {
    let journal = context.journal();
    let mut found = Vec::new();
    for id in runs(context).await? {
        let Some(item) = row::stored(&*context.store, &keys::run(&context.team, &id)).await? else {
            continue;
        };
        let Some(run) = readable(row::read::<Run>(item.body))? else {
            continue;
        };
        if !is_left_behind(context, &run) {
            continue;
        }
        let Some(loaded) = readable(journal.load(&context.team, &id).await)?.flatten() else {
            continue;
        };
        let open = open_calls(&loaded.steps, &loaded.frame).into_iter();
        if let Some(call) = open.map(|call| call.name).find(|name| is_workflow(name)) {
            found.push(Interrupted {
                run: id,
                workflow: call,
                since: run.updated_at,
                going: journal.set_going(&loaded)?,
            });
        }
    }
    Ok(found)
}

/// `None` for a row that can't be decoded; no worker can continue its run.
pub fn readable<T>(found: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Failure::Bug { .. }) => Ok(None),
        Err(other) => Err(other),
    }
}

/// Whether the run is the person's, can continue, and has no worker.
fn is_left_behind(context: &ToolContext, run: &Run) -> bool {
    let state = &run.state;
    let goes_on = matches!(state, RunState::Ready | RunState::Asking { shown: false });
    let own = context.call.key.split(':').next() == Some(run.id.as_str());
    let quiet = context.now.duration_since(run.updated_at) >= QUIET;
    goes_on && quiet && !own && run.user == *context.user_id() && run.team == context.team
}

pub async fn runs(context: &ToolContext) -> Result<Vec<RunId>> {
    let now = context.now.to_zoned(TimeZone::UTC);
    let before = now.first_of_month().and_then(|first| first.yesterday());
    let before = before.ok().map(|before| before.timestamp());
    let mut found = Vec::new();
    for month in [Some(context.now), before].into_iter().flatten() {
        let partition = keys::user_runs(&context.team, context.user_id(), month);
        let mut query = Query::state(partition, Range::All);
        query.direction = Direction::Backward;
        query.limit = RUNS - found.len();
        if query.limit > 0 {
            let page = context.store.query(&query).await?;
            found.extend(page.items.into_iter().map(|item| RunId(item.key.range)));
        }
    }
    Ok(found)
}
