use alfred_core::ports::{Message, ModelError, Output, Turn, TurnRequest};
use alfred_testkit::{ScriptedModel, calls, says};

/// Classifies every request as simple, and takes these turns.
pub fn simple(
    turn: impl Fn(&TurnRequest) -> Result<Turn, ModelError> + Send + Sync + 'static,
) -> ScriptedModel {
    ScriptedModel::answering(move |request| match &request.output {
        Output::Json { .. } => Ok(says("{\"result\": false}")),
        Output::Text => turn(request),
    })
}

/// Makes these calls, then ends after their results.
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

/// Takes turns by the number of turns so far, so that a turn lost in a crash is repeated.
pub fn by_progress(script: Vec<Turn>) -> ScriptedModel {
    ScriptedModel::answering(move |request| match &request.output {
        Output::Json { name, .. } if *name == "predicate" => Ok(says("{\"result\": false}")),
        Output::Json { name, .. } => panic!("nobody asked for {name}"),
        Output::Text => {
            let taken = turns_taken(request);
            let turn = script.get(taken).cloned();
            Ok(turn.unwrap_or_else(|| panic!("no turn {taken} in the script")))
        }
    })
}

pub fn turns_taken(request: &TurnRequest) -> usize {
    let mut messages = request.messages.iter();
    let asked = messages.rposition(|message| matches!(message, Message::User { .. }));
    let later = request.messages[asked.unwrap_or(0)..].iter();
    let own = later.filter(|message| matches!(message, Message::Assistant { .. }));
    own.count()
}

/// Takes turns by progress: `TOOL {…}` (several calls joined by ` & `) or `: WORDS`. Call ids are c1, c2 and so on.
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

pub fn call(line: &str) -> (&str, &str) {
    line.split_once(' ').expect("a tool and its arguments")
}
