//! `alfred worker chat`: a conversation with one worker in the terminal, including its approvals.

use alfred_agent::Work;
use alfred_agent::model::{Snapshot, Verdict};
use alfred_core::text;
use alfred_workers::Mode;
use anyhow::Context;
use std::path::Path;

use super::answer;
use super::owner::Answering;
use super::program::{found, let_run};
use crate::api::{self, Anew, Decide, Start, Waiting};
use crate::cli::{Cli, How};
use crate::exit::{Exit, Usage};
use crate::terminal::{complain, say, typed};

struct Chat<'a> {
    cli: &'a Cli,
    answering: Answering,
    program: Snapshot,
    model: Option<String>,
    work: Work,
    /// Distinguishes it from other conversations of the same person.
    place: String,
}

pub async fn run(cli: &Cli, named: &Path, how: &How) -> anyhow::Result<Exit> {
    let (program, files) = found(cli, named, how.program.as_deref())?;
    let worker = files.first().context("a program without a worker")?;
    if worker.mode != Mode::Chat {
        let path = &program.workers[0].path;
        let words = "it gives one answer; `alfred worker run` asks for it";
        return Err(Usage::error(format!("{path}: mode: {words}")));
    }
    let work = let_run(cli, &program, &files, how, true).await?;
    let mut chat = Chat {
        cli,
        answering: Answering::default(),
        work,
        place: format!("chat-{}/{}", program.name, worker.name),
        program,
        model: how.model.clone(),
    };
    if !cli.json {
        say(&format!(
            "You are talking to {}. /new begins anew, /exit leaves.",
            worker.name
        ));
    }
    let talked = chat.talk().await;
    chat.answering.end().await;
    talked?;
    Ok(Exit::Done)
}

impl Chat<'_> {
    /// Answers lines until the input ends.
    async fn talk(&mut self) -> anyhow::Result<()> {
        while let Some(line) = typed("> ")? {
            match line.trim() {
                "" => {}
                "/exit" => break,
                "/new" => self.begin_anew().await?,
                words if !self.answer(words).await? => break,
                _ => {}
            }
        }
        Ok(())
    }

    async fn begin_anew(&mut self) -> anyhow::Result<()> {
        let (user, place) = (self.cli.user.clone(), self.place.clone());
        let anew = Anew { user, place };
        self.answering.ask(self.cli, &anew).await?;
        if !self.cli.json {
            say(text::CHAT_BEGINS_ANEW);
        }
        Ok(())
    }

    /// Gets an answer and decides its approvals. Returns whether the conversation continues.
    async fn answer(&mut self, words: &str) -> anyhow::Result<bool> {
        let start = Start {
            user: self.cli.user.clone(),
            prompt: words.to_owned(),
            work: self.work.clone(),
            attach: Vec::new(),
            place: self.place.clone(),
            program: Some(self.program.clone()),
            model: self.model.clone(),
            id: api::new_id(),
        };
        let mut answer = self.answering.ask(self.cli, &start).await?;
        // A program that reads JSON decides with `alfred approvals`.
        let json = self.cli.json;
        let asked = |one: &&Waiting| one.yes_or_no && !json;
        while let Some(waiting) = answer.waiting.iter().find(asked) {
            let Some(decided) = self.decided(waiting)? else {
                say("It still waits for you; `alfred approvals list` shows it.");
                return Ok(false);
            };
            match self.answering.ask(self.cli, &decided).await {
                Ok(next) => answer = next,
                Err(error) => {
                    complain(&format!("{error:#}"));
                    return Ok(true);
                }
            }
        }
        answer::report(self.cli, Ok(answer))?;
        Ok(true)
    }

    /// The person's decision on a card. `None` at the end of input.
    fn decided(&self, waiting: &Waiting) -> anyhow::Result<Option<Decide>> {
        say(&waiting.text);
        let can_be_changed = !waiting.written.is_empty();
        let can_be_remembered = waiting.can_be_remembered;
        let decide = |verdict| Decide::new(&self.cli.user, &waiting.id, verdict);
        loop {
            say(&chat_choices(can_be_changed, can_be_remembered));
            let Some(line) = typed("? ")? else {
                return Ok(None);
            };
            let line = line.trim();
            let (choice, rest) = line.split_once(' ').unwrap_or((line, ""));
            match (choice.to_lowercase().as_str(), rest.trim()) {
                ("y" | "yes", "") => return Ok(Some(decide(Verdict::Approve))),
                ("r", "") if can_be_remembered => return Ok(Some(decide(Verdict::Remember))),
                ("n" | "no", reason) => {
                    let reason = (!reason.is_empty()).then(|| reason.to_owned());
                    let reject = decide(Verdict::Reject);
                    return Ok(Some(Decide { reason, ..reject }));
                }
                ("e", "") if can_be_changed => return changed(waiting, decide(Verdict::Edit)),
                _ => {}
            }
        }
    }
}

fn chat_choices(can_be_changed: bool, can_be_remembered: bool) -> String {
    let mut choices = vec!["y: yes", "n: no (a reason may follow)"];
    if can_be_changed {
        choices.push("e: change it first");
    }
    if can_be_remembered {
        choices.push("r: yes, and the same again for 12 hours");
    }
    choices.join(" · ")
}

/// An edit, argument by argument. `None` at the end of input.
fn changed(waiting: &Waiting, mut edit: Decide) -> anyhow::Result<Option<Decide>> {
    say("Write what should stand there instead; an empty line keeps it.");
    for argument in &waiting.written {
        say(&argument.line());
        let Some(line) = typed(&format!("{}: ", argument.label))? else {
            return Ok(None);
        };
        if !line.trim().is_empty() {
            edit.texts.insert(argument.name.clone(), line);
        }
    }
    Ok(Some(edit))
}
