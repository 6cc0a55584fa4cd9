//! `alfred ask`: a direct message to Alfred from the terminal, all the way
//! through the local Slack, and its answer.

use alfred_agent::LoadedRun;
use alfred_agent::claim::{self, Served};
use alfred_agent::run::RunState;
use alfred_core::ports::{Commit, Ids, Key, SystemIds, Write};
use alfred_core::{RunId, TeamId, TraceId, WorkerOutput, text};
use alfred_slack_local::{Message, Person, SlackLocal};
use anyhow::{Context, bail};
use jiff::SignedDuration;
use std::time::Duration;

use crate::answer;
use crate::cli::Cli;
use crate::exit::{Exit, Usage};
use crate::local_api::{ASK_PATH, Answer, Ask};
use crate::local_app::LocalApp;
use crate::owner;

/// Between two looks at the run.
pub const LOOK_EVERY: Duration = Duration::from_millis(15);
/// An answer that takes longer isn't waited for; the run goes on.
pub const LONGEST: Duration = Duration::from_secs(900);
/// Slack's limit of a message's text, escapes included.
const SLACK_TEXT: usize = 40_000;

/// Asks the process that owns the data folder, or starts one for the question.
pub async fn ask(cli: &Cli, request: &str) -> anyhow::Result<Exit> {
    answer::told(cli, answer(cli, request).await)
}

async fn answer(cli: &Cli, request: &str) -> anyhow::Result<Answer> {
    let question = Ask {
        user: cli.user.clone(),
        request: request.into(),
        id: hex::encode(SystemIds.uuid().as_bytes()),
    };
    let here =
        async |app: &LocalApp, asked: &Ask| here(app, &asked.user, &asked.request, &asked.id).await;
    owner::answer(cli, ASK_PATH, &question, here).await
}

/// Asks in this process. The same id is the same question: it is posted once.
pub async fn here(app: &LocalApp, user: &str, request: &str, id: &str) -> anyhow::Result<Answer> {
    let Some(slack) = &app.slack else {
        bail!("a real Slack is configured; write to Alfred there, or unset SLACK_BOT_TOKEN");
    };
    let person = person(slack, user)?;
    let unserved = |words| Answer {
        output: WorkerOutput::failed(words, Vec::new()),
        model: app.model.clone(),
        run: None,
        data: None,
        waiting: Vec::new(),
        days: Vec::new(),
    };
    if request.trim().is_empty() {
        return Ok(unserved(text::say_something()));
    }
    if escaped_length(request) > SLACK_TEXT {
        return Ok(unserved(text::too_long(SLACK_TEXT)));
    }
    let team = TeamId::from(slack.seed().team_id.as_str());
    let message = question(app, slack, &team, &person, request, id).await?;
    let identity = format!("msg:{}:{}", message.channel, message.ts);
    let trace = TraceId::derive(&team, &identity);
    let ended = tokio::time::timeout(LONGEST, end_of(app, &team, &trace)).await;
    match ended.context("no answer yet; the request goes on in the background")?? {
        Some(loaded) => answer::answer(app, &loaded).await,
        // The event is claimed first and the notice posted then.
        None => {
            let notice = notice_after(app, slack, &message);
            let words = tokio::time::timeout(LONGEST, notice).await;
            Ok(unserved(words.context("no answer yet")??))
        }
    }
}

/// The question's message: posted now, or found if this id posted it before.
async fn question(
    app: &LocalApp,
    slack: &SlackLocal,
    team: &TeamId,
    person: &Person,
    request: &str,
    id: &str,
) -> anyhow::Result<Message> {
    let store = &app.ports.store;
    let key = Key::state(format!("{team}#{}#asked#{id}", person.id), "message");
    if let Some(item) = store.get(&key).await? {
        return Ok(serde_json::from_value(item.body)?);
    }
    let message = slack.dm_as(&person.id, request)?;
    let tomorrow = app
        .ports
        .clock
        .now()
        .saturating_add(SignedDuration::from_hours(24))?;
    let write = Write::create(key, serde_json::to_value(&message)?).expiring(tomorrow);
    let commit = Commit {
        id: app.ports.ids.uuid(),
        writes: vec![write],
    };
    store.commit(&commit).await?;
    Ok(message)
}

/// The run once it has ended or waits for its owner; `None` when a notice was the answer.
pub async fn end_of(
    app: &LocalApp,
    team: &TeamId,
    trace: &TraceId,
) -> anyhow::Result<Option<LoadedRun>> {
    loop {
        match claim::served(&*app.ports.store, team, trace).await? {
            Served::Run(id) => return rest_of(app, team, &id).await.map(Some),
            Served::Notice => return Ok(None),
            Served::No => {}
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// A run once it has ended or waits for its owner.
pub async fn rest_of(app: &LocalApp, team: &TeamId, run: &RunId) -> anyhow::Result<LoadedRun> {
    let journal = app.ports.journal();
    loop {
        let loaded = journal.load(team, run).await?;
        if let Some(loaded) = loaded.filter(|loaded| rests(&loaded.run.state)) {
            return Ok(loaded);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Whether nothing more happens by itself.
fn rests(state: &RunState) -> bool {
    matches!(
        state,
        RunState::Done { .. } | RunState::Asking { shown: true }
    )
}

/// The words of the notice behind a message.
async fn notice_after(
    app: &LocalApp,
    slack: &SlackLocal,
    asked: &Message,
) -> anyhow::Result<String> {
    let bot = &slack.seed().bot_user;
    loop {
        let messages = slack.messages(&asked.channel, 20)?;
        let notice = messages
            .into_iter()
            .find(|message| message.ts > asked.ts && message.user == *bot);
        match notice {
            Some(notice) => return Ok(notice.text),
            None => app.ports.clock.sleep(LOOK_EVERY).await,
        }
    }
}

/// Slack counts what it shows, with its three escapes spelled out.
fn escaped_length(text: &str) -> usize {
    let of = |c: char| match c {
        '&' => 5,
        '<' | '>' => 4,
        _ => 1,
    };
    text.chars().map(of).sum()
}

/// A person by id, handle, name or e-mail address.
pub fn person(slack: &SlackLocal, wanted: &str) -> anyhow::Result<Person> {
    let people: Vec<Person> = slack
        .people()?
        .into_iter()
        .filter(|person| !person.is_bot)
        .collect();
    let wanted_lower = wanted.trim_start_matches('@').to_lowercase();
    let found = people.iter().find(|person| {
        [&person.id, &person.username, &person.name, &person.email]
            .iter()
            .any(|name| name.to_lowercase() == wanted_lower)
    });
    found.cloned().ok_or_else(|| {
        let names: Vec<&str> = people
            .iter()
            .map(|person| person.username.as_str())
            .collect();
        Usage::error(format!(
            "--user: nobody is called \"{wanted}\"; there are {}",
            names.join(", ")
        ))
    })
}
