//! Plans and runs teams. Every step is committed before it is sent, so a redelivery repeats only the send.

use alfred_agent::model::budget::Budget;
use alfred_agent::model::plan::Plan;
use alfred_agent::model::run::elapsed_ms;
use alfred_agent::model::step::NewStep;
use alfred_agent::slack::thread;
use alfred_agent::store::dispatch;
use alfred_agent::{Deadline, LoadedRun, Run, RunContext, Step, StepKind};
use alfred_core::ports::{QueueName, Turn};
use alfred_core::{Classified, Failure};
use std::time::Duration;

use crate::earlier::Earlier;
use crate::{Teams, children, progress};

/// Timeout of one model call. An invocation must have this much time left to start another.
pub(crate) const PLAN_TIMEOUT: Duration = Duration::from_secs(60);
pub(crate) const OUTPUT_TOKENS: u32 = 8_000;

impl Teams {
    /// An unusable plan is committed and returned to the model once. Then the utility worker takes the
    /// request.
    pub async fn plan(
        &self,
        mut loaded: LoadedRun,
        classified: Classified,
        deadline: Deadline,
    ) -> Result<(), Failure> {
        // The prompt contains this time; it is stored with the first step.
        loaded.run.progress.began_at = Some(self.ports.clock.now());
        let took = classified.ms;
        let mut first = vec![StepKind::Classified(classified.clone()).took(took)];
        first.extend(thread::before(&self.ports, &loaded.run).await);
        Box::pin(self.draw_up(loaded, first, Some(classified), deadline)).await
    }

    pub async fn plan_again(&self, loaded: LoadedRun, deadline: Deadline) -> Result<(), Failure> {
        Box::pin(self.draw_up(loaded, Vec::new(), None, deadline)).await
    }

    async fn draw_up(
        &self,
        mut loaded: LoadedRun,
        mut pending: Vec<NewStep>,
        classified: Option<Classified>,
        deadline: Deadline,
    ) -> Result<(), Failure> {
        let earlier = self.earlier(&loaded.run).await?;
        let known = loaded.version;
        loop {
            if loaded.version > known && !deadline.allows(self.ports.clock.now(), PLAN_TIMEOUT) {
                return self.send_on(&loaded, QueueName::Ingress).await;
            }
            let Some((turn, ms)) = self.planned(&loaded, &pending, &earlier).await else {
                return match classified.filter(|_| loaded.steps.is_empty()) {
                    Some(found) => {
                        let (queue, hops) = (QueueName::Utility, loaded.hops + 1);
                        dispatch::send(&self.ports, &loaded.run, queue, hops, Some(found)).await
                    }
                    None => self.without_plan(loaded, pending).await,
                };
            };
            let is_plan = |step: &Step| matches!(step.did, StepKind::Planned(_));
            let first = !loaded.steps.iter().any(is_plan);
            let found = self.plan_of(&turn.text, &earlier);
            pending.push(StepKind::Planned(turn).took(ms));
            match found {
                Ok(plan) if !plan.tasks.is_empty() => {
                    loaded.run.taint.absorb(&earlier.taint);
                    return self.start_teams(loaded, pending, plan, deadline).await;
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

    /// `None` if the budget doesn't pay for it or the model fails. The number is milliseconds.
    async fn planned(
        &self,
        loaded: &LoadedRun,
        pending: &[NewStep],
        earlier: &Earlier,
    ) -> Option<(Turn, u64)> {
        let (mut run, began) = (loaded.run.clone(), self.ports.clock.now());
        pending.iter().for_each(|step| run.account(&step.did));
        let steps = loaded.steps.iter().map(|step| &step.did);
        let steps: Vec<&StepKind> = steps.chain(pending.iter().map(|step| &step.did)).collect();
        let left = self.budget().behind(&run.progress.usage);
        let request = self.plan_request(&run, &steps, earlier);
        let Some(request) = left.affords(request, &*self.ports.model) else {
            tracing::warn!(run.id = %run.id, "the budget doesn't pay for a plan; one worker takes the request");
            return None;
        };
        match self.ports.model.turn(&request, &mut |_| {}).await {
            Ok(turn) => Some((turn, elapsed_ms(began, self.ports.clock.now()))),
            Err(error) => {
                tracing::warn!(run.id = %run.id, error = %error, "couldn't choose teams; one worker takes the request");
                None
            }
        }
    }

    async fn start_teams(
        &self,
        mut loaded: LoadedRun,
        steps: Vec<NewStep>,
        mut plan: Plan,
        deadline: Deadline,
    ) -> Result<(), Failure> {
        plan.budget = self.budget();
        let mut cx = RunContext::new(&self.ports, &mut loaded, deadline);
        children::start_children(&mut cx, steps, plan, &Vec::new()).await?;
        progress::begin(&self.ports, &loaded.run).await;
        Ok(())
    }

    /// The model budget of a request, for all its teams together.
    fn budget(&self) -> Budget {
        alfred_workers::limits(&self.programs.orchestrator).into()
    }

    async fn without_plan(
        &self,
        mut loaded: LoadedRun,
        steps: Vec<NewStep>,
    ) -> Result<(), Failure> {
        let alone = |run: &mut Run| run.plan = None;
        let journal = self.ports.journal();
        journal.commit(&mut loaded, steps, vec![], alone).await?;
        self.send_on(&loaded, loaded.run.queue()).await
    }

    async fn send_on(&self, loaded: &LoadedRun, queue: QueueName) -> Result<(), Failure> {
        let hops = loaded.hops + 1;
        dispatch::send(&self.ports, &loaded.run, queue, hops, None).await
    }

    pub async fn advance(&self, mut loaded: LoadedRun, deadline: Deadline) -> Result<(), Failure> {
        let mut cx = RunContext::new(&self.ports, &mut loaded, deadline);
        match children::join_children(&mut cx).await? {
            Some(children) => self.aggregate(cx, children).await,
            None => Ok(()),
        }
    }
}
