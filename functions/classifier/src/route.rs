//! Routes simple requests to the utility worker and complex ones to teams. Without a usable answer: simple.

use alfred_agent::slack::status::StatusLine;
use alfred_agent::store::dispatch;
use alfred_agent::turn::conversation;
use alfred_agent::{Deadline, LoadedRun, Run, RunInput, Work};
use alfred_core::ports::QueueName;
use alfred_core::{Classified, Result, text};
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
    let open: Vec<&str> = run
        .before
        .waiting
        .iter()
        .map(|one| one.tool.as_str())
        .collect();
    Predicate {
        predicate: "isComplex",
        meaning: json!({"complex_when": COMPLEX, "simple_when": SIMPLE, "toolsets": sets}),
        context: json!({
            "before": before,
            "waits_for_decision": open,
            "request": conversation::task(&run.input),
        }),
        fallback: false,
        toolsets: sets.into_keys().collect(),
    }
}

impl Classifier {
    pub(crate) async fn route(&self, loaded: LoadedRun, deadline: Deadline) -> Result<()> {
        if let RunInput::Team(_) = loaded.run.input {
            let hops = loaded.hops + 1;
            return dispatch::send(&self.ports, &loaded.run, QueueName::Team, hops, None).await;
        }
        // Direct calls and worker programs need no classification.
        if loaded.run.work != Work::Agent {
            let hops = loaded.hops + 1;
            return dispatch::send(&self.ports, &loaded.run, QueueName::Utility, hops, None).await;
        }
        let mut status = StatusLine::default();
        status.show(&self.ports, &loaded.run, text::STATUS_THINKING);
        let found = evaluate(&self.ports, &question(&loaded.run)).await;
        if found.used_fallback {
            tracing::warn!(
                run.id = %loaded.run.id,
                reason = found.fallback_reason,
                "couldn't classify the request; taking it as simple"
            );
        }
        let classified = Classified {
            complex: found.result,
            toolsets: found.toolsets,
            fallback_reason: found.fallback_reason,
            usage: found.usage,
            ms: found.ms,
        };
        // The worker may clear the status at once.
        status.settle().await;
        if classified.complex {
            Box::pin(self.teams.plan(loaded, Some(classified), deadline)).await
        } else {
            self.to_utility(&loaded, classified).await
        }
    }

    pub(crate) async fn to_utility(
        &self,
        loaded: &LoadedRun,
        classified: Classified,
    ) -> Result<()> {
        let hops = loaded.hops + 1;
        dispatch::send(
            &self.ports,
            &loaded.run,
            QueueName::Utility,
            hops,
            Some(classified),
        )
        .await
    }
}
