//! Routes simple requests to the utility worker and complex ones to teams. Without a usable answer: simple.

use alfred_agent::slack::status::StatusLine;
use alfred_agent::store::dispatch;
use alfred_agent::turn::conversation;
use alfred_agent::{Deadline, LoadedRun, Run, RunInput, Work};
use alfred_core::{Result, text};
use serde_json::json;
use std::collections::BTreeMap;

use crate::Classifier;
use crate::predicate::{Predicate, evaluate};

const COMPLEX: &str = "several steps that build on each other, creative or long-form content, \
                       iterative refinement, or the work of more than one specialist";
const SIMPLE: &str = "a single question or look-up, a direct action or a few independent ones, \
                      small talk, or anything about the person's own day, tasks or settings";

const BEFORE_CHARS: usize = 300;

fn question(run: &Run) -> Predicate {
    let sets: BTreeMap<&str, &str> = alfred_tools::purposes().into_iter().collect();
    let short = |text: &str| text.chars().take(BEFORE_CHARS).collect::<String>();
    let before = run.before.history.last();
    let before =
        before.map(|said| json!({"asked": short(&said.request), "answered": short(&said.answer)}));
    let open = run.before.waiting.iter();
    let open: Vec<&str> = open.map(|one| one.tool.as_str()).collect();
    Predicate {
        meaning: json!({"complex_when": COMPLEX, "simple_when": SIMPLE, "toolsets": sets}),
        context: json!({
            "before": before,
            "waits_for_decision": open,
            "request": conversation::task(&run.input),
        }),
        toolsets: sets.into_keys().collect(),
    }
}

impl Classifier {
    pub(crate) async fn route(&self, loaded: LoadedRun, deadline: Deadline) -> Result<()> {
        let (queue, hops) = (loaded.run.queue(), loaded.hops + 1);
        // Teams, direct calls and worker programs need no classification.
        if matches!(loaded.run.input, RunInput::Team(_)) || loaded.run.work != Work::Agent {
            return dispatch::send(&self.ports, &loaded.run, queue, hops, None).await;
        }
        let mut status = StatusLine::default();
        status.show(&self.ports, &loaded.run, text::STATUS_THINKING);
        let classified = evaluate(&self.ports, &question(&loaded.run)).await;
        if let Some(reason) = &classified.fallback_reason {
            tracing::warn!(run.id = %loaded.run.id, reason, "couldn't classify the request; taking it as simple");
        }
        // The worker may clear the status at once.
        status.settle().await;
        if classified.complex {
            Box::pin(self.teams.plan(loaded, Some(classified), deadline)).await
        } else {
            dispatch::send(&self.ports, &loaded.run, queue, hops, Some(classified)).await
        }
    }
}
