//! Models that follow a script.

use alfred_core::ports::{Message, ModelError, Output, Turn, TurnRequest};
use alfred_testkit::{ScriptedModel, calls, says};

use crate::in_memory::proposing::reading;

/// A model that finds every request simple, and takes these turns.
pub fn simple(
    turn: impl Fn(&TurnRequest) -> Result<Turn, ModelError> + Send + Sync + 'static,
) -> ScriptedModel {
    ScriptedModel::answering(move |request| match &request.output {
        Output::Json { .. } => Ok(says("{\"result\": false}")),
        Output::Text => turn(request),
    })
}

/// A model that makes these calls, and ends once it knows what became of one of them.
pub fn calling(turn: Turn) -> ScriptedModel {
    let known = |message: &Message| matches!(message, Message::Tool { .. });
    simple(move |request| {
        let known = request.messages.iter().any(known);
        Ok(if known {
            says("Here is where it stands.")
        } else {
            turn.clone()
        })
    })
}

/// The turns of a run's script, by how many turns the run has taken: a turn
/// that was lost in a crash is given again. Words about proposals are read as `reading` does.
pub fn by_progress(script: Vec<Turn>) -> ScriptedModel {
    ScriptedModel::answering(move |request| match &request.output {
        Output::Json {
            name: "predicate", ..
        } => Ok(says("{\"result\": false}")),
        Output::Json { name, .. } => panic!("nobody asked for {name}"),
        Output::Text => {
            if let Some(turn) = reading(request) {
                return Ok(turn);
            }
            let taken = turns_taken(request);
            let turn = script.get(taken);
            Ok(turn
                .unwrap_or_else(|| panic!("no turn {taken} in the script"))
                .clone())
        }
    })
}

pub fn turns_taken(request: &TurnRequest) -> usize {
    let asked = request
        .messages
        .iter()
        .rposition(|message| matches!(message, Message::User { .. }))
        .unwrap_or(0);
    request.messages[asked..]
        .iter()
        .filter(|message| matches!(message, Message::Assistant { .. }))
        .count()
}

/// A model that takes these turns by progress: `TOOL {…}`, several calls of one turn joined by ` & `, or `: WORDS`.
/// Its calls are c1, c2 and so on.
pub fn script(turns: &[&str]) -> ScriptedModel {
    let mut ids = (1..).map(|number| format!("c{number}"));
    let turn = |line: &&str| match line.strip_prefix(": ") {
        Some(words) => says(words),
        None => {
            let made: Vec<_> = line.split(" & ").map(call).zip(&mut ids).collect();
            let made = made.iter().map(|((tool, with), id)| (&**id, *tool, *with));
            calls(&made.collect::<Vec<_>>())
        }
    };
    by_progress(turns.iter().map(turn).collect())
}

/// The tool and the arguments of `TOOL {…}`, as `/alfred run` takes them.
pub fn call(line: &str) -> (&str, &str) {
    line.split_once(' ').expect("a tool and its arguments")
}
