//! Complex requests: which teams work, in which order, and their outputs put
//! together (seed 002). Every step is committed before it is sent, so a
//! redelivery repeats the sending only.

mod aggregate;
mod choose;
mod draft;
mod earlier;
mod programs;

pub(crate) use programs::Programs;

use alfred_agent::budget::Budget;
use alfred_agent::plan::Plan;
use alfred_agent::run::{NewStep, Run, StepKind, elapsed_ms};
use alfred_agent::{Deadline, LoadedRun, RunContext, dispatch, progress, thread};
use alfred_core::ports::{QueueName, Turn, TurnRequest};
use alfred_core::{Classified, Failure};
use std::time::Duration;

use choose::with_pending;

use crate::Classifier;

const PLAN_TIMEOUT: Duration = Duration::from_secs(60);
/// Time kept back behind a turn to commit it.
const RESERVE: Duration = Duration::from_secs(10);
const OUTPUT_TOKENS: u32 = 8_000;
/// Times that a model is asked for a plan: a bad one is sent back once.
const ATTEMPTS: usize = 2;

impl Classifier {
    /// Chooses teams, commits the plan with its first runs, and starts them. A plan that can't be used is committed
    /// and sent back once; without a usable one, or a team that fits, the utility worker takes the request.
    pub(crate) async fn plan_teams(
        &self,
        mut loaded: LoadedRun,
        classified: Classified,
        deadline: Deadline,
    ) -> Result<(), Failure> {
        // Told in the prompt, and stored with the first step.
        loaded.run.began_at = Some(self.ports.clock.now());
        let took = classified.ms;
        let mut first = vec![StepKind::Classified(classified.clone()).took(took)];
        first.extend(thread::before(&self.ports, &loaded.run).await);
        self.draw_up(loaded, first, Some(classified), deadline)
            .await
    }

    /// Goes on with the choice of teams where it stands in the journal.
    pub(crate) async fn plan_again(
        &self,
        loaded: LoadedRun,
        deadline: Deadline,
    ) -> Result<(), Failure> {
        self.draw_up(loaded, Vec::new(), None, deadline).await
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
            let began = self.ports.clock.now();
            if loaded.version > known && !deadline.allows(began, PLAN_TIMEOUT + RESERVE) {
                let hops = loaded.hops + 1;
                let queue = QueueName::Ingress;
                return dispatch::send(&self.ports, &loaded.run, queue, hops, None).await;
            }
            let steps = with_pending(loaded.steps.iter().map(|step| &step.did), &pending);
            let request = self.plan_request(&loaded.run, &steps, &earlier);
            let turn = match self.planned(&loaded.run, request).await {
                Some(turn) => turn,
                None => {
                    return match classified {
                        Some(found) if loaded.steps.is_empty() => {
                            self.to_utility(&loaded, found).await
                        }
                        _ => self.without_plan(loaded, pending).await,
                    };
                }
            };
            let found = self.plan_of(&turn.text, &earlier);
            let attempts = steps
                .iter()
                .filter(|did| matches!(did, StepKind::Planned(_)));
            let last = attempts.count() + 1 >= ATTEMPTS;
            let ms = elapsed_ms(began, self.ports.clock.now());
            pending.push(StepKind::Planned(turn).took(ms));
            match found {
                Ok(plan) if plan.tasks.is_empty() => {
                    tracing::info!(run.id = %loaded.run.id, "no team fits; one worker takes the request");
                    return self.without_plan(loaded, pending).await;
                }
                Ok(plan) => {
                    loaded.run.taint.absorb(&earlier.taint);
                    return self.start_teams(loaded, pending, plan, deadline).await;
                }
                Err(wrong) if last => {
                    tracing::warn!(run.id = %loaded.run.id, ?wrong, "no plan that could be used; one worker takes the request");
                    return self.without_plan(loaded, pending).await;
                }
                Err(wrong) => {
                    tracing::info!(run.id = %loaded.run.id, ?wrong, "a plan is sent back");
                    let unplanned = |run: &mut Run| run.plan = Some(Plan::default());
                    let steps = std::mem::take(&mut pending);
                    let journal = self.ports.journal();
                    journal
                        .commit(&mut loaded, steps, vec![], unplanned)
                        .await?;
                }
            }
        }
    }

    /// A turn of the model about the plan, as far as the request's budget pays for it.
    async fn planned(&self, run: &Run, request: TurnRequest) -> Option<Turn> {
        let left = self.budget().behind(&run.usage);
        let Some(request) = left.affords(request, &*self.ports.model) else {
            tracing::warn!(run.id = %run.id, "the budget doesn't pay for a plan; one worker takes the request");
            return None;
        };
        match self.ports.model.turn(&request, &mut |_| {}).await {
            Ok(turn) => Some(turn),
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
        plan.budget = Some(self.budget());
        loaded.run.plan = Some(plan);
        let mut cx = RunContext::new(&self.ports, &mut loaded, deadline);
        cx.start_children(steps).await?;
        progress::begin(&self.ports, &loaded.run).await;
        Ok(())
    }

    /// What a request may use of models, all its teams together.
    fn budget(&self) -> Budget {
        alfred_workers::limits(&self.programs.orchestrator).into()
    }

    /// Commits what was tried, and hands the request to the utility worker.
    async fn without_plan(
        &self,
        mut loaded: LoadedRun,
        steps: Vec<NewStep>,
    ) -> Result<(), Failure> {
        let alone = |run: &mut Run| run.plan = None;
        let journal = self.ports.journal();
        journal.commit(&mut loaded, steps, vec![], alone).await?;
        let (queue, hops) = (loaded.run.queue(), loaded.hops + 1);
        dispatch::send(&self.ports, &loaded.run, queue, hops, None).await
    }

    /// Goes on when teams have reported: puts everything together once all have.
    pub(crate) async fn advance_teams(
        &self,
        mut loaded: LoadedRun,
        deadline: Deadline,
    ) -> Result<(), Failure> {
        let mut cx = RunContext::new(&self.ports, &mut loaded, deadline);
        match cx.join_children().await? {
            Some(reports) => self.aggregate(cx, reports).await,
            None => Ok(()),
        }
    }
}
