//! Ends or suspends a run: with an answer, with an error, sent to the next invocation, or waiting
//! for a time. The end and its follow-up work (reply, report to the parent, next run of the
//! conversation) are committed first and then done. A redelivery repeats only the follow-up work.

use alfred_core::ports::Account;
use alfred_core::{Failure, WorkerOutput};
use jiff::SignedDuration;
use serde_json::Value;
use std::time::Duration;

use crate::approval::withdraw::withdraw;
use crate::calls::context::RunContext;
use crate::history::ledger::Ledger;
use crate::history::{self, actions};
use crate::model::chat::Exchange;
use crate::model::run::{Run, RunState};
use crate::model::session::{OpenQuestion, Session};
use crate::model::step::{NewStep, StepKind};
use crate::model::version::ROW_VERSION;
use crate::schedule;
use crate::slack::respond::{self, ANSWER_REFUSED, Delivery};
use crate::slack::{connect, options, show, undo};
use crate::store::race::Race;
use crate::store::timer::{self, Timer};
use crate::store::{dispatch, usage};
use crate::teams::plan_time;

const JOB_PAUSED_FAILING: &str =
    "That was the third time in a row, so I've paused it. Tell me when I should go on with it.";

/// Waits up to this long happen in the process. Longer ones park the run.
const SHORT_WAIT: Duration = Duration::from_secs(20);

impl RunContext<'_> {
    /// Ends the run with its outcome and replies.
    pub async fn end(&mut self, steps: Vec<NewStep>, output: WorkerOutput) -> Result<(), Failure> {
        let ledger = Ledger::at_end(&self.loaded.run.id, &self.loaded.steps);
        self.end_with(steps, output, &ledger).await
    }

    /// Ends the run with an error message for the person.
    pub async fn fail(
        &mut self,
        steps: Vec<NewStep>,
        reason: impl Into<String>,
    ) -> Result<(), Failure> {
        let done = actions(&self.loaded.steps);
        let mut output = WorkerOutput::failed(reason, done);
        if self.run().parent.is_some() {
            output.partial = history::partial(&self.loaded.steps);
        }
        self.end(steps, output).await
    }

    /// Ends the run with an outcome and a given ledger, which may include other runs' effects.
    pub async fn end_with(
        &mut self,
        steps: Vec<NewStep>,
        mut output: WorkerOutput,
        ledger: &Ledger,
    ) -> Result<(), Failure> {
        output.effects = ledger.effects();
        if output.success {
            output.sources.extend(history::sources(&self.loaded.steps));
        }
        if let Some(parent) = self.run().parent.clone() {
            return self.report(&parent, steps, output).await;
        }
        let pictures = respond::pictures::timelines(&self.loaded.steps);
        // An answer in one turn has its steps in this commit, so their taint is added for the reply.
        let mut read = self.run().clone();
        steps.iter().for_each(|step| read.absorb(&step.did));
        let buttons = self.buttons().await?;
        let mut watch_at = self.run().watch_at;
        let mut watched = None;
        if matches!(self.run().state, RunState::Asking { .. }) {
            // The watchdog was off while the run waited for its owner.
            let (at, watch) = timer::watch_again(self.run(), self.now())?;
            (watch_at, watched) = (at, Some(watch));
        }
        let mut race = Race::over("an approval of the run");
        loop {
            let ended = schedule::ended(self.ports, self.run(), &output).await?;
            let mut behind = buttons.clone();
            if ended.paused {
                behind.push(respond::context(JOB_PAUSED_FAILING));
            }
            let reply = respond::render(&read, &output, ledger, pictures.clone(), behind);
            let output = output.clone();
            let replying = move |run: &mut Run| {
                run.watch_at = watch_at;
                run.state = RunState::Replying { output, reply };
            };
            let withdrawn = withdraw(self.ports, self.loaded).await?;
            let mut beside = withdrawn.writes.clone();
            beside.extend(watched.clone());
            beside.extend(ended.writes);
            beside.extend(plan_time::no_look(self.run()));
            if race.won(self.commit(steps.clone(), beside, replying).await)? {
                show::tell_withdrawn(self.ports, &withdrawn).await;
                self.status.settle().await;
                return self.reply_and_close(true).await;
            }
        }
    }

    /// Buttons for choices, for missing accounts and for missing files.
    async fn buttons(&self) -> Result<Vec<Value>, Failure> {
        let steps = &self.loaded.steps;
        let left = options::left(self.ports, self.loaded).await?;
        let choice = left.and_then(|(_, left)| options::buttons(self.run(), &left));
        let providers = self.ports.accounts.connect.providers();
        let connect = connect::button(providers, &connect::lacked(steps));
        let pick = self.pick_button().await;
        Ok(choice.into_iter().chain(connect).chain(pick).collect())
    }

    /// The button for a file that wasn't found. The owner's account may only expose files that they chose.
    async fn pick_button(&self) -> Option<Value> {
        if !connect::missed_a_file(&self.loaded.steps) {
            return None;
        }
        let run = self.run();
        let owner = Account::of(&run.team, &run.user);
        let known = self.ports.accounts.connect.connections(&owner);
        let known = known.await.inspect_err(|error| {
            tracing::warn!(%error, "a reply goes without the button for files");
        });
        let mut known = known.ok()?.into_iter();
        let connection = known.find(|one| !one.ended && !one.delegated)?;
        Some(connect::pick_button(connection.provider))
    }

    /// Sends the run to its queue, because this invocation is out of time. A classification that
    /// isn't committed yet goes along in the message.
    pub(crate) async fn hand_on(&self, pending: &[NewStep]) -> Result<(), Failure> {
        let classified = pending.iter().find_map(|step| match &step.did {
            StepKind::Classified(found) => Some(found.clone()),
            _ => None,
        });
        let (queue, hops) = (self.run().queue(), self.loaded.hops + 1);
        dispatch::send(self.ports, self.run(), queue, hops, classified).await
    }

    /// Parks the run, because the model's provider asked for a pause.
    pub async fn pause(&mut self, steps: Vec<NewStep>, after: Duration) -> Result<(), Failure> {
        let count = |run: &mut Run| run.pauses += 1;
        self.wake_after(steps, after, count).await
    }

    /// Posts the reply and closes the run. Closing stores the exchange, starts the conversation's next run
    /// and removes the watchdog. `fresh` means that nobody can have posted the reply yet.
    pub async fn reply_and_close(&mut self, mut fresh: bool) -> Result<(), Failure> {
        loop {
            let RunState::Replying { output, reply } = self.run().state.clone() else {
                return Ok(());
            };
            if reply.next_untried && !fresh {
                // Only one worker may use the knowledge that the next part is unposted; this commit
                // decides which.
                self.commit(vec![], vec![], tried).await?;
            }
            match respond::deliver(self.ports, self.run(), &reply, fresh).await {
                Delivery::Posted { question } => {
                    let question = question.map(|at| OpenQuestion {
                        run: self.run().id.clone(),
                        thread_ts: reply.parts.first().and_then(|part| part.thread_ts.clone()),
                        channel: at.channel,
                        ts: at.ts,
                    });
                    return self.close(output, question).await;
                }
                Delivery::Refused { code } => {
                    tracing::error!(run.id = %self.run().id, slack.error = code, "Slack refuses the reply in every form and place");
                    let effects = output.effects;
                    let failed = WorkerOutput::failed(ANSWER_REFUSED, output.actions_taken);
                    self.loaded.run.refused_reply = Some(code);
                    return self.close(WorkerOutput { effects, ..failed }, None).await;
                }
                Delivery::Later { after, missed } => {
                    let now = self.now();
                    let look = move |run: &mut Run| {
                        if let RunState::Replying { reply, .. } = &mut run.state {
                            let missed_at = reply.missed_at.or(Some(now));
                            reply.missed_at = missed_at.filter(|_| missed);
                            reply.next_untried = !missed;
                        }
                    };
                    if after > SHORT_WAIT || !self.deadline.allows(now, after + SHORT_WAIT) {
                        return self.wake_after(vec![], after, look).await;
                    }
                    self.commit(vec![], vec![], look).await?;
                    self.ports.clock.sleep(after).await;
                    fresh = false;
                }
            }
        }
    }

    /// Parks the run and sets a timer to wake it.
    pub(crate) async fn wake_after(
        &mut self,
        steps: Vec<NewStep>,
        after: Duration,
        change: impl FnOnce(&mut Run) + Send,
    ) -> Result<(), Failure> {
        let after = SignedDuration::try_from(after).unwrap_or(SignedDuration::MAX);
        let at = self.now().saturating_add(after).map_err(Failure::bug)?;
        let run = self.run();
        let wake = timer::arm(at, &Timer::wake(&run.team, &run.id).for_run(run))?;
        let waits = move |run: &mut Run| {
            run.wake_at = Some(at);
            change(run);
        };
        Ok(self.commit(steps, vec![wake], waits).await?)
    }

    /// Closes a run whose reply was posted or can't be. `question` is the message with choice buttons.
    pub(crate) async fn close(
        &mut self,
        output: WorkerOutput,
        question: Option<OpenQuestion>,
    ) -> Result<(), Failure> {
        let run = self.run();
        let answer = output.result.clone().or_else(|| output.error.clone());
        let exchange = Exchange {
            request: run.input.prompt().to_owned(),
            answer: respond::without_marks(&answer.unwrap_or_default()),
            taint: run.taint.clone(),
            // A request written by a model for a job doesn't count as the owner's words.
            quotes: run.input.carried().contains(&"quote") || run.job.is_some(),
            run: Some(run.id.clone()),
        };
        // A chat whose run took no model turn has no exchange to remember.
        let unsaid = run.chat.is_some() && run.iterations == 0;
        let silent = unsaid || (run.job.is_some() && exchange.answer.is_empty());
        let exchange = (!silent).then_some(exchange);
        // The expected row, if nobody changed it since this run began. Guessing it saves a read; a
        // wrong guess conflicts.
        let mut session = Session {
            v: ROW_VERSION,
            memory: run.history.clone(),
            chat: run.chat.clone(),
            active: Some(run.id.clone()),
            waiting: Vec::new(),
            answered: true,
            ..Session::default()
        };
        let (mut version, mut spent) = (run.session_version, run.spent_before);
        let (store, now) = (&*self.ports.store, self.now());
        let mut race = Race::over("the conversation's row");
        loop {
            let run = self.run();
            let next = session.finish(&run.id, exchange.clone());
            session.question = question.clone().filter(|_| next.is_none());
            let watch = Timer::watch(&run.team, &run.id);
            let mut beside = session.write(&run.team, &run.user, &run.session, version)?;
            beside.push(usage::spend(run, &spent, now)?);
            beside.push(timer::disarm(run.watch_at, &watch));
            let outcome = output.clone();
            let done = move |run: &mut Run| run.state = RunState::Done { output: outcome };
            if race.won(self.commit(vec![], beside, done).await)? {
                self.run().log_end(self.now());
                show::tell_outcomes(self.ports, self.loaded).await;
                undo::settle_buttons(self.ports, self.loaded).await;
                return match next {
                    Some(next) => dispatch::start_waiting(self.ports, self.run(), next).await,
                    None => Ok(()),
                };
            }
            let run = self.run();
            (session, version) = Session::load(store, &run.team, &run.user, &run.session).await?;
            run.give_back(&mut session);
            spent = usage::load(store, run).await?;
        }
    }
}

fn tried(run: &mut Run) {
    if let RunState::Replying { reply, .. } = &mut run.state {
        reply.next_untried = false;
    }
}
