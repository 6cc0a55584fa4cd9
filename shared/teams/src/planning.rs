//! Plans and runs teams. Every step is committed before it is sent, so a redelivery repeats only the send.

use alfred_agent::model::{Budget, NewStep, Plan, elapsed_ms};
use alfred_agent::slack::thread;
use alfred_agent::store::dispatch;
use alfred_agent::{Deadline, LoadedRun, Run, RunContext, Step, StepKind};
use alfred_core::ports::{QueueName, Turn, TurnRequest};
use alfred_core::{Classified, Result};
use std::time::Duration;

use crate::earlier::Earlier;
use crate::{Teams, children, progress};

/// An invocation must have this much time left to start another call.
pub(crate) const PLAN_TIMEOUT: Duration = Duration::from_secs(60);
pub(crate) const OUTPUT_TOKENS: u32 = 8_000;

impl Teams {
    /// Plans a request that was classified now, or whose first plan was unusable. An unusable plan is committed and
    /// returned to the model once. Then the utility worker takes the request.
    pub async fn plan(
        &self,
        mut loaded: LoadedRun,
        classified: Option<Classified>,
        deadline: Deadline,
    ) -> Result<()> {
        let mut pending = Vec::new();
        if let Some(found) = &classified {
            // The prompt contains this time; it is stored with the first step.
            loaded.run.progress.began_at = Some(self.ports.clock.now());
            pending.push(StepKind::Classified(found.clone()).took(found.ms));
            pending.extend(thread::before(&self.ports, &loaded.run).await);
        }
        let earlier = self.earlier(&loaded.run).await?;
        let known = loaded.version;
        loop {
            if loaded.version > known && !deadline.allows(self.ports.clock.now(), PLAN_TIMEOUT) {
                return self.send_on(&loaded, QueueName::Runs, None).await;
            }
            let Some((turn, ms)) = self.planned(&mut loaded, &pending, &earlier).await else {
                return match classified.filter(|_| loaded.steps.is_empty()) {
                    None => self.without_plan(loaded, pending).await,
                    found => self.send_on(&loaded, QueueName::Utility, found).await,
                };
            };
            let is_plan = |step: &Step| matches!(step.did, StepKind::Planned(_));
            let first = !loaded.steps.iter().any(is_plan);
            let found = self.plan_of(&turn.text, &earlier);
            pending.push(StepKind::Planned(turn).took(ms));
            match found {
                Ok(mut plan) if !plan.tasks.is_empty() => {
                    loaded.run.taint.absorb(&earlier.taint);
                    plan.budget = self.budget();
                    let mut cx = RunContext::new(&self.ports, &mut loaded, deadline);
                    children::start_children(&mut cx, pending, plan, &Vec::new()).await?;
                    progress::begin(&self.ports, &loaded.run).await;
                    return Ok(());
                }
                Err(wrong) if first => {
                    tracing::info!(run.id = %loaded.run.id, faults = wrong.len(), "a plan is sent back");
                    let unplanned = |run: &mut Run| run.plan = Some(Plan::default());
                    let (journal, steps) = (self.ports.journal(), std::mem::take(&mut pending));
                    let sent_back = journal.commit(&mut loaded, steps, vec![], unplanned);
                    sent_back.await?;
                }
                unusable => {
                    tracing::info!(run.id = %loaded.run.id, faults = unusable.err().map_or(0, |wrong| wrong.len()), "no plan; one worker takes the request");
                    return self.without_plan(loaded, pending).await;
                }
            }
        }
    }

    /// The number is milliseconds.
    async fn planned(
        &self,
        loaded: &mut LoadedRun,
        pending: &[NewStep],
        earlier: &Earlier,
    ) -> Option<(Turn, u64)> {
        let (mut run, began) = (loaded.run.clone(), self.ports.clock.now());
        pending.iter().for_each(|step| run.account(&step.did));
        let steps = loaded.steps.iter().map(|step| &step.did);
        let steps: Vec<&StepKind> = steps.chain(pending.iter().map(|step| &step.did)).collect();
        let left = self.budget().behind(&run.progress.usage);
        let request = self.plan_request(&run, &steps, earlier);
        let turn = self.ask(&mut loaded.run, left, request).await?;
        Some((turn, elapsed_ms(began, self.ports.clock.now())))
    }

    /// `None` if this budget doesn't pay for it or the model fails.
    pub(crate) async fn ask(&self, run: &mut Run, left: Budget, turn: TurnRequest) -> Option<Turn> {
        let Some(request) = left.affords(turn, &*self.ports.model) else {
            tracing::warn!(run.id = %run.id, "the budget doesn't pay for a plan or for combining outputs; going on without");
            return None;
        };
        let used = &mut run.progress.usage;
        match self.ports.model.turn(&request, used).await {
            Ok(turn) => Some(turn),
            Err(error) => {
                tracing::warn!(run.id = %run.id, error = %error, "couldn't plan or combine outputs; going on without");
                None
            }
        }
    }

    fn budget(&self) -> Budget {
        let limits = alfred_workers::limits(&self.programs.orchestrator);
        Budget {
            tokens: limits.max_tokens,
            cost_micros: limits.max_cost_micros,
        }
    }

    async fn without_plan(&self, mut loaded: LoadedRun, steps: Vec<NewStep>) -> Result<()> {
        let alone = |run: &mut Run| run.plan = None;
        let journal = self.ports.journal();
        journal.commit(&mut loaded, steps, vec![], alone).await?;
        self.send_on(&loaded, loaded.run.queue(), None).await
    }

    async fn send_on(
        &self,
        loaded: &LoadedRun,
        queue: QueueName,
        classified: Option<Classified>,
    ) -> Result<()> {
        dispatch::send(&self.ports, &loaded.run, queue, loaded.hops + 1, classified).await
    }

    pub async fn advance(&self, mut loaded: LoadedRun, deadline: Deadline) -> Result<()> {
        let mut cx = RunContext::new(&self.ports, &mut loaded, deadline);
        match children::join_children(&mut cx).await? {
            Some(children) => self.aggregate(cx, children).await,
            None => Ok(()),
        }
    }
}
