//! Shows the progress of a request's teams in one Slack message. Failures are only logged.

use alfred_agent::model::{Join, PartState, Plan, join_key};
use alfred_agent::slack::notice;
use alfred_agent::store::race::Race;
use alfred_agent::store::row::{body, read};
use alfred_agent::{Ports, Run};
use alfred_core::ports::{Posted, Write};
use alfred_core::{Failure, Result, RunId};

pub async fn begin(ports: &Ports, run: &Run) {
    let Some(plan) = &run.plan else { return };
    let slack = run.input.slack();
    let (channel, thread_ts) = (slack.channel_id.clone(), slack.thread_ts.clone());
    let (text, key) = (words(plan, &Join::default()), format!("{}:ack", run.id));
    let post = notice::plain(channel, thread_ts, text, key);
    let kept = match ports.chat.post(&post).await {
        // A single team needs no progress; its answer follows.
        Ok(_) if plan.tasks.len() < 2 => return,
        Ok(posted) => keep(ports, run, posted).await,
        Err(error) => Err(Failure::retry(error)),
    };
    if let Err(error) = kept {
        tracing::warn!(run.id = %run.id, error = %error, "a request's progress isn't shown");
    }
}

async fn keep(ports: &Ports, run: &Run, posted: Posted) -> Result<()> {
    let key = join_key(&run.team, &run.id);
    let mut race = Race::over("the join row");
    loop {
        let Some(item) = ports.store.get(&key).await? else {
            return Ok(());
        };
        let mut join: Join = read(item.body)?;
        join.shown = Some(posted.clone());
        let write = Write::replace(key.clone(), item.version, body(&join)?);
        if race.won(ports.commit(vec![write]).await)? {
            return Ok(());
        }
    }
}

pub(crate) async fn of_child(ports: &Ports, child: &Run, parent: &RunId, join: &Join) {
    if join.shown.is_none() {
        return;
    }
    // Includes what other teams reported meanwhile.
    match ports.journal().load(&child.team, parent).await {
        Ok(Some(parent)) => show(ports, &parent.run, &parent.join.unwrap_or_default().0).await,
        Ok(None) => {}
        Err(error) => {
            tracing::warn!(run.id = %parent, error = %error, "couldn't show how far a request is");
        }
    }
}

pub async fn show(ports: &Ports, run: &Run, join: &Join) {
    let (Some(plan), Some(posted)) = (&run.plan, &join.shown) else {
        return;
    };
    if let Err(error) = ports.chat.update(posted, &words(plan, join), &[]).await {
        tracing::warn!(run.id = %run.id, error = %error, "couldn't show how far a request is");
    }
}

fn words(plan: &Plan, join: &Join) -> String {
    let teams: Vec<&str> = plan.tasks.iter().map(|task| &*task.team).collect();
    let mut said = format!("On it. I'm bringing in: {}.", teams.join(", "));
    let states = plan.tasks.iter().map(|task| task.state(join));
    if teams.len() < 2 || states.clone().all(|state| state == PartState::Working) {
        return said;
    }
    let lost = plan.lost(join);
    for (at, (team, state)) in teams.iter().zip(states).enumerate() {
        let state = match state {
            _ if lost.contains(&at) => "wasn't started",
            PartState::Waiting => "waits for its turn",
            PartState::Working => "is at work",
            PartState::Done => "is done",
            PartState::Failed => "couldn't do its part",
        };
        said.push_str(&format!("\n• {team} {state}"));
    }
    said
}
