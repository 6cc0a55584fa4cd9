use alfred_agent::approval::pending;
use alfred_agent::history::actions;
use alfred_agent::history::ledger::Ledger;
use alfred_agent::model::Approval;
use alfred_agent::runner::{finish, resume};
use alfred_agent::slack::rich_text;
use alfred_agent::store::claim::{Claimed, Origin, claim};
use alfred_agent::{Deadline, LoadedRun, Run, RunContext};
use alfred_core::ports::{Direction, Query, Range};
use alfred_core::{
    Envelope, Failure, ReplyAddress, ResponseType, Result, Role, RunId, SessionId, WorkerOutput,
    keys, text,
};
use jiff::SignedDuration;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::people::Press;
use crate::{Classifier, answering};

const NOTHING_RUNS: &str = "Nothing of yours is running.";

/// The button's value is the run's id.
pub const STOP: &str = "run_stop";
/// Most recent requests of this month and the one before that are read.
const LOOKED_AT: usize = 50;
/// Slack accepts 50 blocks.
const LISTED: usize = 20;
const REQUEST_CHARS: usize = 150;

impl Classifier {
    /// The claim stores the run's id, so a redelivery of the press can't stop a later run.
    pub(crate) async fn stop(
        &self,
        envelope: &Envelope,
        reply_to: &ReplyAddress,
        deadline: Deadline,
    ) -> Result<()> {
        let active = match self.active(envelope, reply_to).await? {
            Some(run) => Some(run),
            None => self.asking(envelope, reply_to).await?,
        };
        let (run, again) = match claim(&self.ports, &envelope.into(), active.as_ref()).await? {
            Claimed::First => (active, false),
            Claimed::Again(run) => (run, true),
            Claimed::Duplicate => return Ok(()),
        };
        let Some(run) = run else {
            return Ok(());
        };
        let loaded = self.load(envelope, &run).await?;
        Box::pin(self.end(envelope, loaded, again, deadline)).await
    }

    /// The last request of this conversation that waits for the person's decision.
    async fn asking(&self, envelope: &Envelope, reply_to: &ReplyAddress) -> Result<Option<RunId>> {
        let waiting = pending::pending(&*self.ports.store, &envelope.team, &envelope.user).await?;
        let Some(approval) = waiting.iter().rfind(|approval| asks_in(approval, reply_to)) else {
            return Ok(None);
        };
        let found = self.load(envelope, &approval.run).await?;
        Ok(Some(found.run.parent.unwrap_or(found.run.id)))
    }

    async fn load(&self, envelope: &Envelope, run: &RunId) -> Result<LoadedRun> {
        resume::load(&self.ports, &envelope.team, run, envelope.hops).await
    }

    async fn end(
        &self,
        envelope: &Envelope,
        mut loaded: LoadedRun,
        again: bool,
        deadline: Deadline,
    ) -> Result<()> {
        match (loaded.run.output().is_some(), again) {
            (false, _) => {}
            // The worker that ended the run also does the follow-up.
            (true, false) => return Ok(()),
            // The output may come from this press, if it was cut off after the commit.
            (true, true) => return Box::pin(self.go_on(loaded, deadline)).await,
        }
        let mut ledger = Ledger::at_end(&loaded.run.id, &loaded.steps);
        let mut done = actions(&loaded.steps);
        for team in loaded.run.children() {
            let team = self.load(envelope, team).await?;
            let ended = self.end_team(team, deadline).await?;
            let theirs = Ledger::at_end(&ended.run.id, &ended.steps);
            ledger.entries.extend(theirs.entries);
            done.extend(actions(&ended.steps));
        }
        let output = WorkerOutput::failed(text::STOPPED, done);
        let mut cx = RunContext::new(&self.ports, &mut loaded, deadline);
        cx.live.suspect();
        finish::end_with(&mut cx, vec![], output, &ledger).await
    }

    /// Pending approvals are withdrawn, so a stopped request has no later effects.
    async fn end_team(&self, mut loaded: LoadedRun, deadline: Deadline) -> Result<LoadedRun> {
        if loaded.run.output().is_some() {
            return Ok(loaded);
        }
        let mut cx = RunContext::new(&self.ports, &mut loaded, deadline);
        finish::fail(&mut cx, text::STOPPED).await?;
        Ok(loaded)
    }

    pub(crate) async fn list_running(&self, envelope: &Envelope, to: &ReplyAddress) -> Result<()> {
        let running = self.running(envelope).await?;
        if running.is_empty() {
            return answering::notice(&self.ports, envelope, to, NOTHING_RUNS).await;
        }
        let blocks: Vec<Value> = running.iter().map(stoppable).collect();
        let words = what_runs(running.len());
        answering::notice_with(&self.ports, envelope, to, words, blocks).await
    }

    async fn running(&self, envelope: &Envelope) -> Result<Vec<Run>> {
        let mut running = Vec::new();
        for id in self.last_runs(envelope).await? {
            let run = self.own_run(envelope, &id).await?.map(|found| found.run);
            running.extend(run.filter(|run| run.output().is_none()));
        }
        running.truncate(LISTED);
        Ok(running)
    }

    /// The person's last requests, newest first, at most so many.
    pub(crate) async fn recent(&self, envelope: &Envelope, most: usize) -> Result<Vec<LoadedRun>> {
        let mut recent = Vec::new();
        for id in self.last_runs(envelope).await? {
            if recent.len() == most {
                break;
            }
            recent.extend(self.own_run(envelope, &id).await?);
        }
        Ok(recent)
    }

    /// `None` for a team's run, and for one that can't be read: it must not hide the others.
    async fn own_run(&self, envelope: &Envelope, id: &RunId) -> Result<Option<LoadedRun>> {
        match self.ports.journal().load(&envelope.team, id).await {
            Err(Failure::Bug { .. }) => Ok(None),
            found => Ok(found?.filter(|found| found.run.parent.is_none())),
        }
    }

    async fn last_runs(&self, envelope: &Envelope) -> Result<Vec<RunId>> {
        let now = self.ports.clock.now();
        let days = i64::from(now.to_zoned(TimeZone::UTC).day());
        let month_before = now - SignedDuration::from_hours(24 * days);
        let mut items = Vec::new();
        for at in [now, month_before] {
            let month = keys::user_runs(&envelope.team, &envelope.user, at);
            let mut query = Query::state(month, Range::All);
            (query.limit, query.direction) = (LOOKED_AT, Direction::Backward);
            items.extend(self.ports.store.query(&query).await?.items);
        }
        let latest = items.into_iter().take(LOOKED_AT);
        Ok(latest.map(|item| RunId(item.key.range)).collect())
    }

    /// Only the request's owner or an administrator may stop it.
    pub(crate) async fn stop_run(&self, press: Press<'_>) -> Result<()> {
        let (envelope, by) = (press.envelope, press.by);
        let id = RunId::from(press.click.value.as_str());
        let found = self.ports.journal().load(&envelope.team, &id).await?;
        let Some(mut found) = found else {
            return self.whisper(press, NOTHING_RUNS).await;
        };
        if found.run.user != by.slack_user_id && by.role != Role::Admin {
            let words = "Only the person who asked for this, or an administrator, can stop it.";
            return self.whisper(press, words).await;
        }
        if found.run.output().is_some() {
            return self.whisper(press, NOTHING_RUNS).await;
        }
        found.hops = envelope.hops;
        Box::pin(self.end(envelope, found, true, press.deadline)).await
    }

    /// In a direct message Slack also sends a thread for requests that were made outside one.
    async fn active(&self, envelope: &Envelope, reply_to: &ReplyAddress) -> Result<Option<RunId>> {
        let mut origin = Origin::from(envelope);
        let session = origin.session(&self.ports).await?;
        if session.active.is_some() || reply_to.response_type != ResponseType::Dm {
            return Ok(session.active);
        }
        origin.session = SessionId::new(&origin.team, &origin.user, &reply_to.channel, None);
        Ok(origin.session(&self.ports).await?.active)
    }
}

fn what_runs(count: usize) -> String {
    match count {
        1 => "One request of yours is running or waits:".into(),
        many => format!("{many} requests of yours are running or wait:"),
    }
}

fn asks_in(approval: &Approval, place: &ReplyAddress) -> bool {
    let asked = &approval.asked_in;
    let direct = place.response_type == ResponseType::Dm;
    asked.channel_id == place.channel
        && (asked.thread_ts == place.thread_ts || (direct && asked.thread_ts.is_none()))
}

fn stoppable(run: &Run) -> Value {
    json!({
        "type": "section",
        "text": rich_text::plain(run.input.prompt(), REQUEST_CHARS),
        "accessory": {
            "type": "button",
            "action_id": STOP,
            "style": "danger",
            "text": rich_text::plain("Stop", REQUEST_CHARS),
            "value": run.id.as_str(),
        },
    })
}
