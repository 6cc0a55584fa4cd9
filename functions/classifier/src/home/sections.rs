//! The sections of a Home tab. Each has a limit of its own and says how many more there are.

use alfred_agent::Run;
use alfred_agent::approval::pending;
use alfred_agent::model::RunState;
use alfred_agent::slack::{card, connect, rich_text};
use alfred_agent::store::{usage, users};
use alfred_core::invisible::shown_on_one_line;
use alfred_core::ports::{AccountService, Item, Key};
use alfred_core::user::Verbosity;
use alfred_core::{Result, Role, UserContext, keys, text};
use alfred_schedule::{Job, JobState};
use serde_json::{Value, json};
use std::collections::HashMap;

use super::Home;
use super::buttons::{PAUSE_JOB, RESUME_JOB, RUN_JOB, SWITCH};
use crate::accounts::connections;

const PAUSED: &str = "I'm paused: I send and change nothing for anybody.";
const AT_WORK: &str = "I send and change things, under the usual approvals.";
/// Approvals and jobs that are listed. Each takes two blocks.
const MOST_LISTED: usize = 10;
const MOST_RECENT: usize = 5;
const MOST_EFFECTS: usize = 5;
const MOST_NAMES: usize = 10;
const LINE_CHARS: usize = 200;
const MICROS_PER_CENT: u64 = 10_000;

pub(super) fn header(words: &str) -> Value {
    json!({"type": "header", "text": rich_text::plain(words, LINE_CHARS)})
}

/// Text as it is, since names and titles may hold markup, but with names for ids.
pub(super) fn lines(words: &str) -> Value {
    rich_text::line_block(rich_text::with_names(words))
}

fn cut(words: &str) -> String {
    rich_text::cut(&shown_on_one_line(words), LINE_CHARS)
}

fn more(all: usize, listed: usize) -> Option<Value> {
    let left = all.saturating_sub(listed);
    (left > 0).then(|| lines(&format!("and {left} more")))
}

impl Home<'_> {
    pub(super) async fn waiting(&self) -> Result<Vec<Value>> {
        let store = &*self.classifier.ports.store;
        let (team, user) = (&self.envelope.team, &self.envelope.user);
        let waiting = pending::pending(store, team, user).await?;
        let mut blocks = vec![header("Waiting for you")];
        if waiting.is_empty() {
            blocks.push(lines(text::NOTHING_WAITS));
        }
        blocks.extend(waiting.iter().take(MOST_LISTED).flat_map(card::row));
        blocks.extend(more(waiting.len(), MOST_LISTED));
        Ok(blocks)
    }

    pub(super) async fn accounts(&self) -> Vec<Value> {
        let connect = &self.classifier.ports.accounts.connect;
        let mut blocks = vec![header("Accounts")];
        match connect.connections(&self.context.account()).await {
            Ok(all) => {
                let has = |service: &AccountService| {
                    let mut working = all.iter().filter(|one| !one.ended);
                    working.any(|one| one.services.contains(service))
                };
                let mut missing = AccountService::ALL.to_vec();
                missing.retain(|service| !has(service));
                blocks.push(lines(&connections(&all)));
                let providers = connect.providers();
                blocks.extend(connect::button(providers, &missing));
                if providers.is_empty() && self.user.role == Role::Admin {
                    blocks.push(connect::none_offered(Role::Admin));
                }
            }
            Err(error) => {
                tracing::warn!(%error, "accounts can't be read for a Home tab");
                blocks.push(lines("I can't read your accounts right now."));
            }
        }
        blocks
    }

    pub(super) async fn jobs(&self) -> Result<Vec<Value>> {
        let jobs = alfred_tools::job_lines(&self.context).await?;
        let mut blocks = vec![header("Scheduled")];
        if jobs.is_empty() {
            let example = "Nothing is scheduled. Tell me, such as “every Friday at 4, write my weekly report”.";
            blocks.push(lines(example));
        }
        let listed = jobs.iter().take(MOST_LISTED);
        blocks.extend(listed.flat_map(|(job, line)| job_row(job, line)));
        blocks.extend(more(jobs.len(), MOST_LISTED));
        Ok(blocks)
    }

    pub(super) fn preferences(&self) -> Vec<Value> {
        let (preferences, day) = (&self.user.preferences, &self.user.preferences.day);
        let answers = match preferences.verbosity {
            Verbosity::Concise => "short",
            Verbosity::Detailed => "detailed",
        };
        let unasked = if preferences.proactive_notifications {
            "I may write unasked."
        } else {
            "I only write when asked."
        };
        let words = format!(
            "You work from {} to {} ({}), with {} minutes for lunch at {}. My answers are {answers}. {unasked}\nTo change this, tell me, such as “I work from 8 to 16”.",
            day.work_start_time,
            day.work_end_time,
            self.user.timezone,
            day.lunch_duration,
            day.lunch_time
        );
        vec![header("Preferences"), lines(&words)]
    }

    pub(super) async fn recent(&self) -> Result<Vec<Value>> {
        let recent = self.classifier.recent(self.envelope, MOST_RECENT).await?;
        if recent.is_empty() {
            return Ok(Vec::new());
        }
        let rows = recent.iter().map(|it| lines(&self.run_lines(&it.run)));
        let title = [header("Recent requests")].into_iter();
        Ok(title.chain(rows).collect())
    }

    /// The request, when it was made, how it ended, and the receipts of what was done.
    fn run_lines(&self, run: &Run) -> String {
        let at = run.created_at.to_zoned(self.context.zone()).datetime();
        let state = match &run.state {
            RunState::Queued => "waits for another request".to_owned(),
            RunState::Asking { .. } => "waits for your decision".to_owned(),
            RunState::Ready | RunState::Waiting => "at work".to_owned(),
            RunState::Replying { output, .. } | RunState::Done { output } => match &output.error {
                Some(error) => error.clone(),
                None => "done".to_owned(),
            },
        };
        let request = cut(run.input.prompt());
        let moment = text::local_moment(at);
        let mut all = vec![format!("“{request}”"), cut(&format!("{moment}: {state}"))];
        let effects = run.output().map_or(&[][..], |output| &output.effects);
        let done = effects.iter().take(MOST_EFFECTS);
        all.extend(done.map(|effect| cut(&effect.line)));
        if effects.len() > MOST_EFFECTS {
            all.push(format!("and {} more", effects.len() - MOST_EFFECTS));
        }
        all.join("\n")
    }

    pub(super) async fn administration(&self) -> Result<Vec<Value>> {
        let store = &*self.classifier.ports.store;
        let team = &self.envelope.team;
        let rows = users::rows(store, team).await?;
        let mut people = users::people(&rows);
        people.retain(|stored| stored.user.is_active);
        people.sort_by_key(|stored| stored.user.name.to_lowercase());
        let named = people.iter().take(MOST_NAMES);
        let mut names: Vec<String> = named.map(|stored| cut(&stored.user.name)).collect();
        if people.len() > MOST_NAMES {
            names.push(format!("and {} more", people.len() - MOST_NAMES));
        }
        let (now, mut micros) = (self.context.now, 0);
        let rows: HashMap<&Key, &Item> = rows.iter().map(|item| (&item.key, item)).collect();
        for stored in &people {
            let (user, id) = (UserContext::from(&stored.user), &stored.user.slack_user_id);
            let own = [keys::spend(team, id), keys::scheduled_spend(team, id)];
            for item in own.iter().filter_map(|key| rows.get(key)) {
                micros += usage::parse((*item).clone())?.today(&user, now).cost_micros;
            }
        }
        let paused = users::effects_paused(store, team).await?;
        let cents = micros.div_ceil(MICROS_PER_CENT);
        let spent = format!("${}.{:02}", cents / 100, cents % 100);
        let (state, value, label) = if paused {
            (PAUSED, "resume", "Resume")
        } else {
            (AT_WORK, "pause", "Pause")
        };
        let count = people.len();
        let words = format!(
            "Registered: {count} ({}).\nSpent on models today: {spent}.\n{state}",
            names.join(", ")
        );
        let switch = vec![rich_text::button(SWITCH, label, value)];
        let blocks = [header("Administration"), lines(&words)].into_iter();
        Ok(blocks.chain(rich_text::actions(SWITCH, switch)).collect())
    }
}

fn job_row(job: &Job, line: &str) -> Vec<Value> {
    let value = job.id.as_str();
    let mut buttons = vec![if job.state == JobState::Active {
        rich_text::button(PAUSE_JOB, "Pause", value)
    } else {
        rich_text::button(RESUME_JOB, "Resume", value)
    }];
    if job.runs_by_hand() {
        buttons.push(rich_text::button(RUN_JOB, "Run now", value));
    }
    let buttons = rich_text::actions(&format!("job:{value}"), buttons);
    [lines(&cut(line))].into_iter().chain(buttons).collect()
}
