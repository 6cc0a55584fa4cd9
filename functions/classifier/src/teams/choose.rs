//! Which teams a request needs: asked of the model, and checked.

use alfred_agent::attached::Opened;
use alfred_agent::conversation;
use alfred_agent::fence::unfenced;
use alfred_agent::plan::{Plan, PlannedTask};
use alfred_agent::run::Run;
use alfred_core::ports::{Output, Turn, TurnRequest};
use alfred_workers::system_prompt;
use serde::Deserialize;
use serde_json::json;

use super::{OUTPUT_TOKENS, PLAN_TIMEOUT};
use crate::Classifier;

/// Teams in one plan; a model that wants more has lost the thread.
const MAX_TEAMS: usize = 6;

#[derive(Deserialize)]
struct Chosen {
    teams: Vec<ChosenTeam>,
}

#[derive(Deserialize)]
struct ChosenTeam {
    team: String,
    task: String,
    #[serde(default)]
    additional_instructions: String,
    #[serde(default)]
    after: Vec<usize>,
}

impl Classifier {
    pub(super) fn plan_request(&self, run: &Run) -> TurnRequest {
        let mut system = system_prompt(
            &self.programs.orchestrator.instructions,
            run,
            &[],
            self.ports.clock.now(),
        );
        system.push_str("\n## Teams\n");
        for (team, description) in &self.programs.teams {
            system.push_str(&format!("- {team}: {description}\n"));
        }
        let names: Vec<&str> = self
            .programs
            .teams
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let schema = json!({
            "type": "object",
            "properties": {"teams": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "team": {"type": "string", "enum": names},
                    "task": {"type": "string"},
                    "additional_instructions": {"type": "string"},
                    "after": {"type": "array", "items": {"type": "integer"},
                              "description": "positions in this list, from 0, of the teams whose output this one needs"}
                },
                "required": ["team", "task", "additional_instructions", "after"],
                "additionalProperties": false
            }}},
            "required": ["teams"],
            "additionalProperties": false
        });
        TurnRequest {
            messages: conversation::build(&system, run, &[], &Opened::new()),
            tools: [].into(),
            output: Output::Json {
                name: "teams",
                schema,
            },
            max_output_tokens: OUTPUT_TOKENS,
            timeout: PLAN_TIMEOUT,
        }
    }

    pub(super) fn plan_of(&self, turn: &Turn) -> Option<Plan> {
        let chosen: Chosen = serde_json::from_str(unfenced(&turn.text)).ok()?;
        let known = |team: &str| self.programs.teams.iter().any(|(name, _)| name == team);
        if chosen.teams.is_empty()
            || chosen.teams.len() > MAX_TEAMS
            || chosen
                .teams
                .iter()
                .any(|part| !known(&part.team) || part.task.trim().is_empty())
        {
            return None;
        }
        let tasks = chosen.teams.into_iter().map(|part| PlannedTask {
            team: part.team,
            task: part.task,
            instructions: part.additional_instructions,
            after: part.after,
            run: None,
        });
        let mut plan = Plan {
            tasks: tasks.collect(),
        };
        plan.straighten();
        Some(plan)
    }
}
