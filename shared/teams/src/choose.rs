use alfred_agent::model::{Opened, Plan};
use alfred_agent::turn::conversation;
use alfred_agent::{Run, StepKind};
use alfred_core::ports::{Message, Output, TurnRequest};
use serde_json::{Map, Value, json};

use crate::earlier::Earlier;
use crate::planning::{OUTPUT_TOKENS, PLAN_TIMEOUT};
use crate::{Teams, draft};
use alfred_workers::system_prompt;

impl Teams {
    /// Includes earlier plans of this run and their errors.
    pub(crate) fn plan_request(
        &self,
        run: &Run,
        steps: &[&StepKind],
        earlier: &Earlier,
    ) -> TurnRequest {
        let instructions = &self.programs.orchestrator.instructions;
        let mut system = system_prompt(instructions, run, &[], run.began());
        system.push_str("\n## Teams\n");
        for (team, description) in &self.programs.teams {
            system.push_str(&format!("- {team}: {description}\n"));
        }
        let mut messages = conversation::build(&system, run, &[], &[], &Opened::new());
        let before_request = messages.len().saturating_sub(1);
        let thread = steps.iter().find_map(|did| match did {
            StepKind::Context { lines, .. } => Some(conversation::thread_context(lines)),
            _ => None,
        });
        let known = thread.into_iter().chain(earlier.message());
        messages.splice(before_request..before_request, known);
        for did in steps {
            if let StepKind::Planned(turn) = did
                && let Err(wrong) = self.plan_of(&turn.text, earlier)
            {
                messages.push(Message::Assistant {
                    text: turn.text.as_str().into(),
                    tool_calls: [].into(),
                });
                let wrong = wrong.join("\n- ");
                messages.push(Message::user(format!(
                    "That plan can't be used:\n- {wrong}\nGive the whole plan again, mended."
                )));
            }
        }
        TurnRequest {
            output: Output::Json {
                name: "teams",
                schema: self.plan_schema(earlier),
            },
            ..TurnRequest::new(messages, OUTPUT_TOKENS, PLAN_TIMEOUT)
        }
    }

    fn plan_schema(&self, earlier: &Earlier) -> Value {
        let positions = |what: &str| json!({"type": "array", "items": {"type": "integer"}, "description": what});
        let mut part = json!({
            "team": {"type": "string", "enum": self.team_names()},
            "task": {"type": "string"},
            "additional_instructions": {"type": "string"},
            "rounds": {"type": "integer", "description": "review rounds, if the person mentioned them: 0 for a quick draft or no revisions, 1 for one review pass, N for N revisions, 10 for until perfect; otherwise -1"},
            "after": positions("positions in this list, from 0, of the teams whose output this one needs; list those first")
        });
        if !earlier.runs.is_empty() {
            part["earlier"] = positions("numbers of the earlier outputs that it goes on with");
        }
        let fields: Vec<&String> = part.as_object().into_iter().flat_map(Map::keys).collect();
        json!({
            "type": "object",
            "properties": {"teams": {"type": "array", "items": {
                "type": "object",
                "required": fields,
                "properties": part,
                "additionalProperties": false
            }}},
            "required": ["teams"],
            "additionalProperties": false
        })
    }

    fn team_names(&self) -> Vec<&str> {
        let teams = self.programs.teams.iter();
        teams.map(|(name, _)| name.as_str()).collect()
    }

    pub(crate) fn plan_of(&self, answer: &str, earlier: &Earlier) -> Result<Plan, Vec<String>> {
        draft::read(answer, &self.team_names(), &earlier.runs)
    }
}
