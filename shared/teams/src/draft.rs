use alfred_agent::model::plan::{BadEdge, Plan, PlannedTask};
use alfred_agent::turn::fence::unfenced;
use alfred_core::RunId;
use serde::Deserialize;
use thiserror::Error;

pub(crate) const MAX_TEAMS: usize = 6;

#[derive(Debug, PartialEq, Eq, Error)]
pub(crate) enum BadPlan {
    #[error("it is no plan: {0}")]
    Unreadable(String),
    #[error("teams: {0} parts, of at most {MAX_TEAMS}")]
    TooMany(usize),
    #[error("teams.{at}.team: there is no team \"{team}\"; there are: {valid}")]
    UnknownTeam {
        at: usize,
        team: String,
        valid: String,
    },
    #[error("teams.{at}.task: says nothing")]
    NoTask { at: usize },
    #[error("teams.{at}.after: {edge}")]
    Edge { at: usize, edge: BadEdge },
    #[error("teams.{at}.earlier: there is no earlier output {named}")]
    NoEarlier { at: usize, named: usize },
}

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
    after: Vec<usize>,
    #[serde(default)]
    earlier: Vec<usize>,
    /// Negative if the person didn't mention rounds.
    #[serde(default)]
    rounds: Option<i64>,
}

/// A plan without parts means that no team fits. Returns all errors, so the model can correct them.
pub(crate) fn read(answer: &str, teams: &[&str], earlier: &[RunId]) -> Result<Plan, Vec<BadPlan>> {
    let unreadable = |error: serde_json::Error| vec![BadPlan::Unreadable(error.to_string())];
    let draft: Draft = serde_json::from_str(unfenced(answer)).map_err(unreadable)?;
    let mut wrong = Vec::new();
    if draft.teams.len() > MAX_TEAMS {
        wrong.push(BadPlan::TooMany(draft.teams.len()));
    }
    for (at, part) in draft.teams.iter().enumerate() {
        if !teams.contains(&&*part.team) {
            wrong.push(BadPlan::UnknownTeam {
                at,
                team: part.team.clone(),
                valid: teams.join(", "),
            });
        }
        if part.task.trim().is_empty() {
            wrong.push(BadPlan::NoTask { at });
        }
        let missing = part.earlier.iter().filter(|named| **named >= earlier.len());
        wrong.extend(missing.map(|named| BadPlan::NoEarlier { at, named: *named }));
    }
    let tasks = draft.teams.into_iter().map(|part| planned(part, earlier));
    let plan = Plan {
        tasks: tasks.collect(),
        ..Plan::default()
    };
    let edges = plan.bad_edges().into_iter();
    wrong.extend(edges.map(|(at, edge)| BadPlan::Edge { at, edge }));
    match wrong.is_empty() {
        true => Ok(plan),
        false => Err(wrong),
    }
}

fn planned(part: Part, earlier: &[RunId]) -> PlannedTask {
    let mut after = part.after;
    after.sort_unstable();
    after.dedup();
    let named = part.earlier.iter().filter_map(|at| earlier.get(*at));
    PlannedTask {
        team: part.team,
        task: part.task,
        instructions: part.additional_instructions,
        after,
        earlier: named.cloned().collect(),
        rounds: part.rounds.and_then(|said| u32::try_from(said).ok()),
        run: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn wrong(answer: &str) -> String {
        let found = read(answer, &["marketing", "research"], &["run_1".into()]);
        let found = found.unwrap_err();
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        found.join("; ")
    }

    #[test]
    fn a_plan_is_read_with_its_edges_and_what_it_goes_on_with() {
        let answer = r#"```json
{"teams": [{"team": "research", "task": "look", "earlier": [0]},
           {"team": "marketing", "task": "write", "additional_instructions": "short", "after": [0, 0]}]}
```"#;
        let plan = read(answer, &["marketing", "research"], &["run_1".into()]).unwrap();
        assert_eq!(plan.tasks[0].earlier, [RunId::from("run_1")]);
        assert_eq!(
            (&*plan.tasks[1].instructions, &*plan.tasks[1].after),
            ("short", &[0][..])
        );
        assert_eq!(read("{\"teams\": []}", &[], &[]), Ok(Plan::default()));
    }

    #[test]
    fn all_that_is_wrong_is_said_by_its_field() {
        let part = |team: &str, task: &str, after: &[usize]| json!({"team": team, "task": task, "after": after});
        let of = |parts: Vec<serde_json::Value>| json!({ "teams": parts }).to_string();
        for (answer, said) in [
            (
                of(vec![part("legal", "x", &[])]),
                "teams.0.team: there is no team \"legal\"; there are: marketing, research",
            ),
            (
                of(vec![part("research", " ", &[0])]),
                "teams.0.task: says nothing; teams.0.after: a part can't need itself",
            ),
            (
                of(vec![
                    part("research", "x", &[1]),
                    part("research", "y", &[]),
                ]),
                "teams.0.after: part 1 stands later in the list; put what is needed first",
            ),
            (
                of(vec![
                    part("research", "x", &[1]),
                    part("research", "y", &[0]),
                ]),
                "teams.0.after: it and part 1 need each other",
            ),
            (
                of(vec![part("research", "x", &[9])]),
                "teams.0.after: there is no part 9",
            ),
            (
                of(vec![part("research", "x", &[]); 7]),
                "teams: 7 parts, of at most 6",
            ),
            (
                json!({"teams": [{"team": "research", "task": "x", "earlier": [1]}]}).to_string(),
                "teams.0.earlier: there is no earlier output 1",
            ),
        ] {
            assert_eq!(wrong(&answer), said);
        }
        assert!(wrong("nonsense").starts_with("it is no plan: "));
    }
}
