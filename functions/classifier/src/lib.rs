#![doc = include_str!("../README.md")]

mod accounts;
mod administration;
mod again;
mod answering;
mod asked;
pub mod chats;
mod choosing;
mod clicks;
mod decisions;
pub mod direct;
mod forms;
mod home;
mod intake;
mod people;
mod predicate;
mod rating;
mod route;
mod stop;
mod sweep;

use alfred_agent::model::Session;
use alfred_agent::runner::{finish, resume};
use alfred_agent::store::dispatch;
use alfred_agent::{Deadline, LoadedRun, Ports, Run, RunContext, RunState};
use alfred_audit::digest;
use alfred_core::ports::Vault;
use alfred_core::{Envelope, Failure, Payload, Result};
use std::sync::Arc;

use alfred_teams::Teams;
use chats::Chats;

#[derive(Clone)]
pub struct Classifier {
    ports: Ports,
    teams: Teams,
    vault: Arc<dyn Vault>,
    chats: Chats,
}

impl Classifier {
    /// An unusable worker file is an error.
    pub fn new(ports: Ports, vault: Arc<dyn Vault>) -> Result<Self> {
        Ok(Self {
            teams: Teams::new(ports.clone())?,
            ports,
            vault,
            chats: Arc::new(chats::embedded),
        })
    }

    pub fn with_ports(self, ports: Ports, vault: Arc<dyn Vault>) -> Self {
        Self {
            teams: self.teams.with_ports(ports.clone()),
            ports,
            vault,
            ..self
        }
    }

    pub fn with_chats(mut self, chats: Chats) -> Self {
        self.chats = chats;
        self
    }

    pub async fn handle(&self, envelope: &Envelope, deadline: Deadline) -> Result<()> {
        if envelope.loops() {
            return Err(Failure::bug("the request went round too often"));
        }
        // Boxed: otherwise this future would be as large as the largest of them.
        match &envelope.payload {
            Payload::Message(message) => Box::pin(self.message(envelope, message, deadline)).await,
            Payload::Command(command) => Box::pin(self.command(envelope, command, deadline)).await,
            Payload::Click(click) => Box::pin(self.click(envelope, click, deadline)).await,
            Payload::View(view) => Box::pin(self.view(envelope, view, deadline)).await,
            Payload::Stop { reply_to } => Box::pin(self.stop(envelope, reply_to, deadline)).await,
            Payload::Home { opened } => Box::pin(self.home(envelope, *opened)).await,
            Payload::Run { run, .. } => {
                let loaded = resume::load(&self.ports, &envelope.team, run, envelope.hops).await?;
                Box::pin(self.go_on(loaded, deadline)).await
            }
            Payload::Sweep {} => {
                // A failure of the sweep doesn't stop the digests.
                let served = Box::pin(sweep::sweep(&self.ports, deadline)).await;
                let locked = self.lock_digests(deadline).await;
                served.and(locked).map_err(|failure| match failure {
                    // No redelivery: it would overlap with the next sweep, which is at most a minute away.
                    Failure::Retry { reason, .. } => {
                        tracing::warn!(reason, "a sweep failed; the next one is near");
                        Failure::Reject {
                            user_message: reason,
                        }
                    }
                    other => other,
                })
            }
        }
    }

    /// Digests of the audit that can't be locked now are locked by a later sweep.
    async fn lock_digests(&self, deadline: Deadline) -> Result<()> {
        if !deadline.allows(self.ports.clock.now(), sweep::ONE_TIMER) {
            return Ok(());
        }
        match Box::pin(digest::catch_up(&self.ports, &*self.vault)).await {
            Err(Failure::Retry { reason, .. }) => {
                tracing::warn!(reason, "couldn't lock the audit's digests");
                Ok(())
            }
            locked => locked,
        }
    }

    async fn go_on(&self, mut loaded: LoadedRun, deadline: Deadline) -> Result<()> {
        match (&loaded.run.state, &loaded.run.plan) {
            (RunState::Queued, _) => Box::pin(self.start_queued(loaded, deadline)).await,
            (RunState::Ready, None) if loaded.run.progress.steps == 0 => {
                Box::pin(self.route(loaded, deadline)).await
            }
            (
                RunState::Ready | RunState::Asking { shown: false } | RunState::Replying { .. },
                None,
            ) => {
                let (queue, hops) = (loaded.run.queue(), loaded.hops + 1);
                dispatch::send(&self.ports, &loaded.run, queue, hops, None).await
            }
            (RunState::Ready, Some(plan)) if plan.tasks.is_empty() => {
                Box::pin(self.teams.plan(loaded, None, deadline)).await
            }
            (RunState::Ready | RunState::Waiting, Some(_)) | (RunState::Waiting, None) => {
                Box::pin(self.teams.advance(loaded, deadline)).await
            }
            (RunState::Asking { .. }, _) => Ok(()),
            (RunState::Replying { .. }, Some(_)) => {
                let mut cx = RunContext::new(&self.ports, &mut loaded, deadline);
                finish::reply_and_close(&mut cx, false).await
            }
            (RunState::Done { .. }, _) => dispatch::follow_up(&self.ports, &loaded.run).await,
        }
    }

    async fn start_queued(&self, mut loaded: LoadedRun, deadline: Deadline) -> Result<()> {
        let run = &loaded.run;
        let session = Session::load(&*self.ports.store, &run.team, &run.user, &run.session).await?;
        if session.active.as_ref() != Some(&run.id) {
            tracing::info!(run.id = %run.id, "still behind another run");
            return Ok(());
        }
        let start = move |run: &mut Run| {
            run.state = RunState::Ready;
            run.remember(&session);
            // With others waiting, the session row must be read again before it is written.
            let is_alone = session.waiting.is_empty();
            run.before.session_version = if is_alone { session.version } else { 0 };
        };
        let journal = self.ports.journal();
        journal.commit(&mut loaded, vec![], vec![], start).await?;
        Box::pin(self.route(loaded, deadline)).await
    }
}
