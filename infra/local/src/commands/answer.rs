//! Prints a run's outcome and sets the exit code.

use alfred_core::{EffectState, WorkerOutput, text};
use alfred_demo_model::NAME as DEMO;
use serde_json::{Value, json};

use crate::api::Answer;
use crate::cli::{Cli, Command};
use crate::exit::Exit;
use crate::terminal::{escaped, say_answer, say_json};

const ASK_DEMO: &str = "(demo:offline answered: it knows set phrases, no AI; set OPENAI_API_KEY or ALFRED_MODEL for a real model)";
const WORKER_DEMO: &str = "(demo:offline answered: it knows set phrases and can't follow a worker's instructions; for those, set OPENAI_API_KEY, or ALFRED_MODEL=ollama:qwen3:8b for a model on this computer)";

/// Prints the answer as text or JSON. With JSON, stdout has it even after an error.
pub fn report(cli: &Cli, answered: anyhow::Result<Answer>) -> anyhow::Result<Exit> {
    if cli.json {
        match &answered {
            Ok(Answer { data: Some(it), .. }) => say_json(it)?,
            Ok(answer) => say_json(&cited(&answer.output))?,
            Err(error) => say_json(&WorkerOutput::failed(format!("{error:#}"), Vec::new()))?,
        }
    }
    let answer = answered?;
    if !cli.json {
        print(cli, &answer);
    }
    Ok(exit(&answer))
}

/// The output, where each source has the mark that cites it in the result.
fn cited(output: &WorkerOutput) -> Value {
    let mut shown = json!(output);
    let listed = shown["sources"].as_array_mut().into_iter().flatten();
    for (shown, source) in listed.zip(&output.sources) {
        shown["mark"] = source.mark().into();
    }
    shown
}

fn print(cli: &Cli, answer: &Answer) {
    let output = &answer.output;
    let mut said = answer.reply.clone().or_else(|| output.error.clone());
    let mut lines = vec![String::new()];
    if !answer.waiting.is_empty() {
        let alfred = cli.again();
        let cards = answer.waiting.iter().map(|it| it.in_full(&alfred));
        lines = vec![cards.collect::<Vec<_>>().join("\n\n")];
        said = None;
    }
    if let (true, Some(data)) = (output.success, &answer.data) {
        lines = vec![escaped(&format!("{data:#}"))];
        said = None;
    }
    if answer.data.is_none() {
        let days = answer.days.iter();
        lines.extend(days.flat_map(|day| [String::new(), day.clone()]));
    }
    lines.push(String::new());
    lines.extend(ledger(output));
    if answer.model == DEMO && answer.data.is_none() {
        let is_worker = matches!(cli.command, Some(Command::Worker { .. }));
        let words = if is_worker { WORKER_DEMO } else { ASK_DEMO };
        lines.extend([String::new(), words.to_owned()]);
    }
    let run = answer.run.as_ref();
    let remark = run.map(|run| format!("run {run}  (alfred trace {run})"));
    let said = said.unwrap_or_default();
    say_answer(&said, &lines.join("\n"), remark.as_deref());
}

/// The lines under the reply. Pending approvals are shown in full elsewhere.
fn ledger(output: &WorkerOutput) -> Vec<String> {
    let effects = output.effects.iter();
    let told = effects.filter(|effect| effect.state != EffectState::Waiting);
    let mut lines: Vec<String> = told.map(|effect| effect.line.clone()).collect();
    if !output.effects.iter().any(|effect| effect.state.counts()) {
        lines.push(text::NOTHING_CHANGED.into());
    }
    lines
}

fn exit(answer: &Answer) -> Exit {
    match (answer.output.success, answer.output.requires_approval) {
        (_, true) => Exit::Waiting,
        (true, false) => Exit::Done,
        (false, false) => Exit::Failed,
    }
}
