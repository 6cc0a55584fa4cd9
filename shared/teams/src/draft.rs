use alfred_agent::model::{Plan, PlannedTask};
use alfred_agent::turn::fence::unfenced;
use alfred_core::RunId;
use serde::Deserialize;
use std::collections::BTreeSet;

const MAX_TEAMS: usize = 6;

#[derive(Deserialize)]
struct Draft {
    teams: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    team: String,
    task: String,
    #[serde(default)]
    additional_instructions: String,
    #[serde(default)]
    after: BTreeSet<usize>,
    #[serde(default)]
    earlier: Vec<usize>,
    /// Negative if the person didn't mention rounds.
    rounds: Option<i64>,
}

/// A plan without parts means that no team fits. Returns all errors, so the model can correct them.
pub(crate) fn read(answer: &str, teams: &[&str], earlier: &[RunId]) -> Result<Plan, Vec<String>> {
    let draft = serde_json::from_str::<Draft>(unfenced(answer));
    let draft = draft.map_err(|error| vec![format!("it is no plan: {error}")])?;
    let mut wrong = Vec::new();
    if draft.teams.len() > MAX_TEAMS {
        let many = draft.teams.len();
        wrong.push(format!("teams: {many} parts, of at most {MAX_TEAMS}"));
    }
    for (at, part) in draft.teams.iter().enumerate() {
        let mut add = |field, problem| wrong.push(format!("teams.{at}.{field}: {problem}"));
        if !teams.contains(&&*part.team) {
            let (team, valid) = (&part.team, teams.join(", "));
            let problem = format!("there is no team \"{team}\"; there are: {valid}");
            add("team", problem);
        }
        if part.task.trim().is_empty() {
            add("task", "says nothing".into());
        }
        for needed in part.after.range(at..) {
            let problem = format!("part {needed} isn't before it; put what is needed first");
            add("after", problem);
        }
        for named in part.earlier.iter().filter(|named| **named >= earlier.len()) {
            add("earlier", format!("there is no earlier output {named}"));
        }
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let tasks = draft.teams.into_iter().map(|part| PlannedTask {
        team: part.team,
        task: part.task,
        instructions: part.additional_instructions,
        after: part.after.into_iter().collect(),
        earlier: part.earlier.iter().map(|at| earlier[*at].clone()).collect(),
        rounds: part.rounds.and_then(|said| u32::try_from(said).ok()),
        run: None,
    });
    Ok(Plan {
        tasks: tasks.collect(),
        ..Plan::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(answer: &str) -> Result<Plan, String> {
        let found = read(answer, &["marketing", "research"], &["run_1".into()]);
        found.map_err(|wrong| wrong.join("; "))
    }

    #[test]
    fn plan_is_parsed_with_dependencies_and_earlier_outputs() {
        let answer = r#"```json
{"teams": [{"team": "research", "task": "look", "earlier": [0]},
           {"team": "marketing", "task": "write", "additional_instructions": "short", "after": [0, 0]}]}
```"#;
        let tasks = found(answer).unwrap().tasks;
        assert_eq!(tasks[0].earlier, [RunId::from("run_1")]);
        assert_eq!(tasks[1].instructions, "short");
        assert_eq!(tasks[1].after, [0]);
        assert_eq!(found("{\"teams\": []}"), Ok(Plan::default()));
    }

    #[test]
    fn every_error_names_its_field() {
        let many = [r#"{"team": "research", "task": "x"}"#; 7].join(",");
        let many = format!("{many} ==> teams: 7 parts, of at most 6");
        for case in include_str!("draft_cases.txt").lines().chain([&*many]) {
            let (parts, wrong) = case.split_once(" ==> ").unwrap();
            let found = found(&format!("{{\"teams\": [{parts}]}}"));
            assert_eq!(found, Err(wrong.into()));
        }
        let error = found("nonsense").unwrap_err();
        assert!(error.starts_with("it is no plan: "));
    }
}
