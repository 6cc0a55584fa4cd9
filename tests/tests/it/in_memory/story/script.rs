//! The model: its turns by request, and by how many it has taken, so that a turn that a crash lost is repeated.

use alfred_agent::turn::conversation;
use alfred_core::ports::{Finish, Message, ModelError, Output, Turn, TurnRequest};
use alfred_testkit::{ManualClock, ScriptedModel, calls, says};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use super::faults::model_error;

#[derive(Default)]
pub struct Script {
    /// By `@NAME` of who takes them, or by the person's words. Turns of a step in which nobody writes are kept under
    /// no words.
    turns: Mutex<BTreeMap<String, Vec<String>>>,
    /// Whether the model took each turn, by its key, its number and its text.
    taken: Mutex<BTreeMap<(String, usize, String), bool>>,
    otherwise: Mutex<Option<String>>,
    /// Named for each request, as JSON.
    toolsets: Mutex<Option<String>>,
    /// Advanced by turns that take time.
    pub clock: OnceLock<ManualClock>,
}

impl Script {
    pub fn expect(&self, words: &str, turns: &[String]) {
        let mut scripted: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for turn in turns {
            let (who, turn) = match turn.split_once(' ') {
                Some((who, turn)) if who.starts_with('@') => (who, turn),
                _ => (words, &**turn),
            };
            let turns = scripted.entry(who.to_owned()).or_default();
            let one = (who.to_owned(), turns.len(), turn.to_owned());
            self.taken.lock().unwrap().entry(one).or_default();
            turns.push(turn.to_owned());
        }
        self.turns.lock().unwrap().extend(scripted);
    }

    /// Each turn, and whether the model took it.
    pub fn taken(&self) -> Vec<(String, bool)> {
        let taken = self.taken.lock().unwrap();
        let each = taken.iter();
        let each =
            each.map(|((key, number, turn), took)| (format!("{key} {number} → {turn}"), *took));
        each.collect()
    }

    pub fn otherwise(&self, answer: &str) {
        *self.otherwise.lock().unwrap() = Some(answer.to_owned());
    }

    pub fn names_toolsets(&self, toolsets: &str) {
        *self.toolsets.lock().unwrap() = Some(toolsets.to_owned());
    }

    pub fn model(self: Arc<Self>) -> ScriptedModel {
        ScriptedModel::answering(move |request| self.turn(request))
    }

    fn classification(&self) -> String {
        let is_complex = self.turns.lock().unwrap().contains_key("@plan");
        match &*self.toolsets.lock().unwrap() {
            Some(named) => format!(": {{\"result\": {is_complex}, \"toolsets\": {named}}}"),
            None => format!(": {{\"result\": {is_complex}}}"),
        }
    }

    fn turn(&self, request: &TurnRequest) -> Result<Turn, ModelError> {
        let who = player(request);
        let turn = self.next(who, request);
        let turn = turn.or_else(|| (who == "classifier").then(|| self.classification()));
        let turn = turn.or_else(|| self.otherwise.lock().unwrap().clone());
        let turn = turn.unwrap_or_else(|| {
            let said = conversation::request(&request.messages);
            panic!("a turn of {who:?} to {said:?} isn't scripted")
        });
        self.take(&turn, request)
    }

    /// The next turn of a worker that has some, or the next one for the person's words.
    fn next(&self, who: &str, request: &TurnRequest) -> Option<String> {
        if who == "summary" {
            return self.turn_of("@summary", 0);
        }
        let (at, words) = conversation::request(&request.messages)?;
        let is_turn = |message: &&Message| match message {
            Message::User { text } => text.starts_with("That plan can't be used"),
            message => matches!(message, Message::Assistant { .. }),
        };
        let taken = request.messages[at..].iter().filter(is_turn).count();
        let all = self.turns.lock().unwrap().clone();
        let own = [format!("@{who}"), format!("@{words}")];
        let [worker, about] = own.each_ref().map(|key| &**key);
        let keys = match request.output {
            Output::Text => vec![worker, about, words, ""],
            Output::Json { .. } => vec![worker, about],
        };
        let key = keys.into_iter().find(|key| all.contains_key(*key))?;
        self.turn_of(key, taken)
    }

    fn turn_of(&self, key: &str, number: usize) -> Option<String> {
        let turn = self.turns.lock().unwrap().get(key)?.get(number)?.clone();
        let one = (key.to_owned(), number, turn.clone());
        self.taken.lock().unwrap().insert(one, true);
        Some(turn)
    }

    /// `(micros 600, saying half of it) TOOL {…}`, or `! refused` for an error.
    fn take(&self, turn: &str, request: &TurnRequest) -> Result<Turn, ModelError> {
        let options = turn.strip_prefix('(');
        let options = options.and_then(|rest| rest.split_once(") "));
        let (options, turn) = options.unwrap_or(("", turn));
        let error = turn.strip_prefix("! ");
        let mut made = parse(if error.is_some() { ": " } else { turn });
        for option in options.split(", ").filter(|option| !option.is_empty()) {
            let (key, value) = option.split_once(' ').unwrap_or((option, ""));
            match key {
                "micros" => made.usage.cost_micros = Some(value.parse().unwrap()),
                "tokens" => {
                    made.usage.input_tokens = value.parse().unwrap();
                    made.usage.cost_micros = None;
                }
                "saying" => value.clone_into(&mut made.text),
                "declined" => made.refused = true,
                "cut" => made.finish = Finish::Length,
                "lasting" => {
                    let given = value.parse().map(Duration::from_secs);
                    let time = given.unwrap_or(request.timeout);
                    self.clock.get().unwrap().advance(time);
                }
                _ => panic!("no option {key}"),
            }
        }
        error.map_or(Ok(made), |error| Err(model_error(error)))
    }
}

/// Who is asked: the worker or team that the instructions name, `classifier`, `plan`, `together`, or `Alfred`.
pub fn player(request: &TurnRequest) -> &str {
    match &request.output {
        Output::Json { name, .. } if *name == "predicate" => return "classifier",
        Output::Json { name: "teams", .. } => return "plan",
        Output::Json { name, .. } => panic!("nobody scripted {name}"),
        Output::Text => {}
    }
    let Message::System { text } = &request.messages[0] else {
        panic!("no instructions: {request:?}")
    };
    if text.starts_with("Several teams worked") {
        return "together";
    }
    if text.starts_with("You summarize") {
        return "summary";
    }
    let rest = text.strip_prefix("You are ");
    let rest = rest.or_else(|| text.strip_prefix("You manage the "));
    let name = rest.and_then(|rest| rest.split([' ', '.', ',']).next());
    name.filter(|name| *name != "the").unwrap_or("Alfred")
}

/// Parses `TOOL {…} & TOOL {…}` or `: words`. A tool alone is called without arguments. `TOOL {…} ×20` stands for twenty calls, with their number for `«n»`.
fn parse(turn: &str) -> Turn {
    if let Some(words) = turn.strip_prefix(": ") {
        return says(words);
    }
    let mut parts: Vec<String> = turn.split(" & ").map(str::to_owned).collect();
    if let Some((call, times)) = turn.rsplit_once(" ×") {
        let times = 1..=times.parse::<u32>().unwrap();
        parts = times.map(|n| call.replace("«n»", &n.to_string())).collect();
    }
    let ids: Vec<String> = (1..=parts.len()).map(|n| format!("c{n}")).collect();
    let made = parts.iter().zip(&ids).map(|(call, id)| {
        let (tool, arguments) = call.split_once(' ').unwrap_or((call, ""));
        (id.as_str(), tool, arguments)
    });
    calls(&made.collect::<Vec<_>>())
}
