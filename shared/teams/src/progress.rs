//! Shows the progress of a request's teams in one Slack message. Failures are only logged.

use alfred_agent::model::join::{Join, join_key};
use alfred_agent::model::plan::{Plan, PlannedTask};
use alfred_agent::store::race::Race;
use alfred_agent::store::row::{body, read};
use alfred_agent::{Ports, Run};
use alfred_core::ports::{Post, Posted, Write};
use alfred_core::{Failure, RunId};

/// Posts the progress message and stores where it is.
pub async fn begin(ports: &Ports, run: &Run) {
    let Some(plan) = &run.plan else { return };
    let slack = run.input.slack();
    let post = Post {
        channel: slack.channel_id.clone(),
        thread_ts: slack.thread_ts.clone(),
        text: words(plan, &Join::default()),
        blocks: Vec::new(),
        idempotency_key: format!("{}:ack", run.id),
    };
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

async fn keep(ports: &Ports, run: &Run, posted: Posted) -> Result<(), Failure> {
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

/// Updates the progress message after a team's end.
pub(crate) async fn of_child(ports: &Ports, child: &Run, parent: &RunId, join: &Join) {
    if join.shown.is_none() {
        return;
    }
    match ports.journal().load(&child.team, parent).await {
        Ok(Some(parent)) => {
            // Includes what other teams reported meanwhile.
            let join = parent.join.map_or_else(|| join.clone(), |(join, _)| join);
            show(ports, &parent.run, &join).await;
        }
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
    let words = words(plan, join);
    if let Err(error) = ports.chat.update(posted, &words, &[]).await {
        tracing::warn!(run.id = %run.id, error = %error, "couldn't show how far a request is");
    }
}

fn words(plan: &Plan, join: &Join) -> String {
    let stands = |task: &PlannedTask| match &task.run {
        Some(run) if join.failed.contains(run) => Stands::Failed,
        Some(run) if join.finished.contains(run) => Stands::Done,
        Some(_) => Stands::Works,
        None => Stands::Waits,
    };
    let parts = plan.tasks.iter();
    let parts: Vec<(&str, Stands)> = parts.map(|task| (&*task.team, stands(task))).collect();
    taken_up(&parts)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stands {
    Waits,
    Works,
    Done,
    Failed,
}

fn taken_up(parts: &[(&str, Stands)]) -> String {
    let teams: Vec<&str> = parts.iter().map(|(team, _)| *team).collect();
    let mut said = format!("On it. I'm bringing in: {}.", teams.join(", "));
    let alike = parts.iter().all(|(_, stands)| *stands == Stands::Works);
    if alike || parts.len() < 2 {
        return said;
    }
    for (team, stands) in parts {
        let stands = match stands {
            Stands::Waits => "waits for its turn",
            Stands::Works => "is at work",
            Stands::Done => "is done",
            Stands::Failed => "couldn't do its part",
        };
        said.push_str(&format!("\n• {team} {stands}"));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_shown_once_they_differ() {
        use Stands::{Done, Failed, Waits, Works};
        let plain = "On it. I'm bringing in: research, marketing.";
        assert_eq!(
            taken_up(&[("research", Works), ("marketing", Works)]),
            plain
        );
        assert_eq!(taken_up(&[("a", Done)]), "On it. I'm bringing in: a.");
        assert_eq!(
            taken_up(&[("a", Done), ("b", Failed), ("c", Works), ("d", Waits)]),
            "On it. I'm bringing in: a, b, c, d.\n• a is done\n• b couldn't do its part\n• c is at work\n• d waits for its turn"
        );
    }
}
