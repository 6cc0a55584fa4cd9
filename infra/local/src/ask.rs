//! `alfred ask`: a direct message to Alfred from the terminal, all the way
//! through the local Slack, and its answer.

use alfred_agent::claim::{self, Served};
use alfred_agent::run::{Run, RunState};
use alfred_core::ports::{Commit, Ids, Key, SystemIds, Write};
use alfred_core::{TeamId, TraceId, WorkerOutput, text};
use alfred_embedded::FolderError;
use alfred_slack_local::{Message, Person, SlackLocal};
use anyhow::{Context, anyhow, bail};
use jiff::SignedDuration;
use std::time::{Duration, Instant};

use crate::cli::Cli;
use crate::exit::{Exit, say};
use crate::house::{DEMO, House};
use crate::local_api::{ASK_PATH, Answer, Ask};
use crate::owner::{NoAnswer, Process};
use crate::serve;

/// Between two looks at the run.
pub const LOOK_EVERY: Duration = Duration::from_millis(15);
/// An answer that takes longer isn't waited for; the run goes on.
const LONGEST: Duration = Duration::from_secs(900);
/// How long a folder between two owners is asked again.
const PATIENCE: Duration = Duration::from_secs(15);
/// Slack's limit of a message's text, escapes included.
const SLACK_TEXT: usize = 40_000;

/// Asks the process that owns the data folder, or starts one for the question.
pub async fn ask(cli: &Cli, request: &str) -> anyhow::Result<Exit> {
    let answer = match answer(cli, request).await {
        Ok(answer) => answer,
        // The contract stands on stdout whatever happened.
        Err(error) if cli.json => {
            let output = WorkerOutput::failed(format!("{error:#}"), Vec::new());
            say(&serde_json::to_string_pretty(&output)?);
            return Err(error);
        }
        Err(error) => return Err(error),
    };
    if cli.json {
        say(&serde_json::to_string_pretty(&answer.output)?);
    } else {
        say(&in_words(&answer));
    }
    Ok(
        match (&answer.output.success, answer.output.requires_approval) {
            (_, true) => Exit::Waiting,
            (true, false) => Exit::Done,
            (false, false) => Exit::Failed,
        },
    )
}

/// A folder that is just being opened, or whose owner is just going, is asked again.
async fn answer(cli: &Cli, request: &str) -> anyhow::Result<Answer> {
    let id = hex::encode(SystemIds.uuid().as_bytes());
    let began = Instant::now();
    loop {
        let in_use = match serve::open(cli, 0).await {
            Ok(open) => {
                let answer = here(&open.house, &cli.user, request, &id).await;
                open.close().await;
                return answer;
            }
            Err(error) => error.downcast::<FolderError>()?,
        };
        let asked = Ask {
            user: cli.user.clone(),
            request: request.into(),
            id: id.clone(),
        };
        let failed = match Process::of(in_use) {
            Ok(process) => match process.post(ASK_PATH, &asked).await {
                Ok(text) => return Ok(serde_json::from_str(&text)?),
                Err(NoAnswer::Refused(words)) => return Err(anyhow!(words)),
                Err(NoAnswer::Gone(error)) => error,
            },
            Err(error) => error,
        };
        if began.elapsed() > PATIENCE {
            return Err(failed);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Asks in this process. The same id is the same question: it is posted once.
pub async fn here(house: &House, user: &str, request: &str, id: &str) -> anyhow::Result<Answer> {
    let Some(slack) = &house.slack else {
        bail!("a real Slack is configured; write to Alfred there, or unset SLACK_BOT_TOKEN");
    };
    let person = person(slack, user)?;
    let answer = |output, run| Answer {
        output,
        model: house.model.clone(),
        run,
    };
    let unserved = |words| answer(WorkerOutput::failed(words, Vec::new()), None);
    if request.trim().is_empty() {
        return Ok(unserved(text::say_something()));
    }
    if escaped_length(request) > SLACK_TEXT {
        return Ok(unserved(text::too_long(SLACK_TEXT)));
    }
    let team = TeamId::from(slack.seed().team_id.as_str());
    let message = question(house, slack, &team, &person, request, id).await?;
    let identity = format!("msg:{}:{}", message.channel, message.ts);
    let trace = TraceId::of(&team, &identity);
    let ended = tokio::time::timeout(LONGEST, end_of(house, &team, &trace)).await;
    match ended.context("no answer yet; the request goes on in the background")?? {
        Some(run) => {
            let output = run.output().cloned();
            let output = output.ok_or_else(|| anyhow!("the run has no outcome"))?;
            Ok(answer(output, Some(run.id.0)))
        }
        None => Ok(unserved(notice_after(slack, &message)?)),
    }
}

/// The question's message: posted now, or found if this id posted it before.
async fn question(
    house: &House,
    slack: &SlackLocal,
    team: &TeamId,
    person: &Person,
    request: &str,
    id: &str,
) -> anyhow::Result<Message> {
    let store = &house.ports.store;
    let key = Key::state(format!("{team}#asked#{id}"), "message");
    if let Some(item) = store.get(&key).await? {
        return Ok(serde_json::from_value(item.body)?);
    }
    let message = slack.dm_as(&person.id, request)?;
    let tomorrow = house
        .ports
        .clock
        .now()
        .saturating_add(SignedDuration::from_hours(24))?;
    let write = Write::create(key, serde_json::to_value(&message)?).expiring(tomorrow);
    let commit = Commit {
        id: house.ports.ids.uuid(),
        writes: vec![write],
    };
    store.commit(&commit).await?;
    Ok(message)
}

/// The finished run; `None` when a notice was the answer.
async fn end_of(house: &House, team: &TeamId, trace: &TraceId) -> anyhow::Result<Option<Run>> {
    let journal = house.ports.journal();
    loop {
        match claim::served(&*house.ports.store, team, trace).await? {
            Served::Run(id) => {
                let run = journal.load(team, &id).await?.map(|loaded| loaded.run);
                if let Some(run) = run.filter(|run| matches!(run.state, RunState::Done { .. })) {
                    return Ok(Some(run));
                }
            }
            Served::Notice => return Ok(None),
            Served::No => {}
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// The words of the notice behind a message.
fn notice_after(slack: &SlackLocal, asked: &Message) -> anyhow::Result<String> {
    let messages = slack.messages(&asked.channel, 20)?;
    let bot = &slack.seed().bot_user;
    let notice = messages
        .into_iter()
        .find(|message| message.ts > asked.ts && message.user == *bot);
    Ok(notice.map_or_else(text::not_understood, |message| message.text))
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
fn person(slack: &SlackLocal, wanted: &str) -> anyhow::Result<Person> {
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
        anyhow!(
            "--user: nobody is called \"{wanted}\"; there are {}",
            names.join(", ")
        )
    })
}

fn in_words(answer: &Answer) -> String {
    let output = &answer.output;
    let said = output.result.as_ref().or(output.error.as_ref());
    let mut lines = vec![said.cloned().unwrap_or_default()];
    if !output.actions_taken.is_empty() {
        lines.push(String::new());
        lines.extend(
            output
                .actions_taken
                .iter()
                .map(|action| format!("✓ {action}")),
        );
    }
    if answer.model == DEMO {
        lines.push(String::new());
        lines.push("(demo:offline answered, by parsing; set OPENAI_API_KEY or ALFRED_MODEL for a real model)".into());
    }
    lines.join("\n")
}
