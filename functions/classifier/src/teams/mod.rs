//! Complex requests: which teams work, in which order, and their outputs put
//! together (seed 002). Every step is committed before it is sent, so a
//! redelivery repeats the sending only.

mod aggregate;
mod choose;
mod programs;

pub(crate) use programs::Programs;

use alfred_agent::run::{Run, StepKind, elapsed_ms};
use alfred_agent::{Deadline, LoadedRun, RunContext};
use alfred_core::ports::Post;
use alfred_core::{Classified, Failure, text};
use std::time::Duration;

use crate::Classifier;

const PLAN_TIMEOUT: Duration = Duration::from_secs(60);
const OUTPUT_TOKENS: u32 = 8_000;

impl Classifier {
    /// Chooses teams, commits the plan with its first runs, and starts them.
    /// Without a usable plan the utility worker takes the request.
    pub(crate) async fn plan_teams(
        &self,
        mut loaded: LoadedRun,
        classified: Classified,
        deadline: Deadline,
    ) -> Result<(), Failure> {
        let began = self.ports.clock.now();
        let request = self.plan_request(&loaded.run);
        let turn = match self.ports.model.turn(&request, &mut |_| {}).await {
            Ok(turn) => turn,
            Err(error) => {
                tracing::warn!(run.id = %loaded.run.id, error = %error, "couldn't choose teams; one worker takes the request");
                return self.to_utility(&loaded, classified).await;
            }
        };
        let Some(plan) = self.plan_of(&turn) else {
            tracing::info!(run.id = %loaded.run.id, "no team fits; one worker takes the request");
            return self.to_utility(&loaded, classified).await;
        };
        let ms = elapsed_ms(began, self.ports.clock.now());
        let took = classified.ms;
        let names: Vec<String> = plan.tasks.iter().map(|task| task.team.clone()).collect();
        let steps = vec![
            StepKind::Classified(classified).took(took),
            StepKind::Planned(turn).took(ms),
        ];
        loaded.run.plan = Some(plan);
        let mut cx = RunContext::new(&self.ports, &mut loaded, deadline);
        cx.start_children(steps).await?;
        self.acknowledge(&loaded.run, &names).await;
        Ok(())
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

    /// Says that teams were brought in. A courtesy: nothing depends on it.
    async fn acknowledge(&self, run: &Run, teams: &[String]) {
        let slack = run.input.slack();
        let post = Post {
            channel: slack.channel_id.clone(),
            thread_ts: slack.thread_ts.clone(),
            text: text::taken_up(teams),
            blocks: Vec::new(),
            idempotency_key: format!("{}:ack", run.id),
        };
        if let Err(error) = self.ports.chat.post(&post).await {
            tracing::warn!(run.id = %run.id, error = %error, "couldn't acknowledge a request");
        }
    }
}
