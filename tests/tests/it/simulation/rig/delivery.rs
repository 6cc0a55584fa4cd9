//! Delivers messages with the planned faults.

use alfred_agent::Deadline;
use alfred_agent::runner::give_up::give_up;
use alfred_core::ports::{Clock, Outgoing, QueueName};
use alfred_core::redelivery::{self, Fate, Received};
use alfred_core::{Envelope, Failure};
use alfred_tests::on_the_wire;
use futures_util::future::LocalBoxFuture;
use std::task::Poll;
use std::time::Duration;

use super::{DELIVERIES, Ended, Home, INVOCATION, POLLS, Rig, WAITED_OUT};
use crate::simulation::faults::{Fault, Intrusion};
use crate::simulation::person as owner;

type Work<'a> = LocalBoxFuture<'a, Result<(), Failure>>;
type Delivery<'a> = LocalBoxFuture<'a, Ended>;

impl Rig {
    fn handle<'a>(&'a self, queue: QueueName, envelope: &'a Envelope) -> Work<'a> {
        let deadline = match self.home.get() {
            Home::OneMachine => Deadline::none(),
            Home::Lambda => Deadline::after(self.clock.now(), INVOCATION),
        };
        let functions = match self.embedded_teams.get() {
            true => &self.embedded,
            false => &self.functions,
        };
        Box::pin(functions.handle(queue, envelope, deadline))
    }

    /// Delivers a message once, with the faults planned for its calls.
    pub fn deliver<'a>(&'a self, queue: QueueName, envelope: &'a Envelope) -> Delivery<'a> {
        self.deliveries.set(self.deliveries.get() + 1);
        let endless = self.deliveries.get() > DELIVERIES;
        assert!(!endless, "messages come for ever: {envelope:?}");
        self.drive(queue, envelope, self.handle(queue, envelope))
    }

    fn drive<'a>(
        &'a self,
        queue: QueueName,
        envelope: &'a Envelope,
        work: Work<'a>,
    ) -> Delivery<'a> {
        Box::pin(async move {
            let gate = &self.sim.gate;
            let mut handler = Some(work);
            let mut other: Option<Delivery<'a>> = None;
            let (mut first, mut ended) = (None, Vec::new());
            let mut polls = 0_u32;
            let mut strikes = gate.strikes();
            while handler.is_some() || other.is_some() {
                polls += 1;
                assert!(
                    polls < POLLS,
                    "a handler hangs ({}, {}): {envelope:?}",
                    handler.is_some(),
                    other.is_some()
                );
                if let Some(work) = &mut handler {
                    let end = match futures_util::poll!(work) {
                        Poll::Ready(Ok(()) | Err(Failure::Reject { .. })) => Some(Ended::Done),
                        Poll::Ready(Err(failure)) => Some(Ended::Failed(failure)),
                        Poll::Pending if gate.take_crash() => Some(Ended::Crashed),
                        Poll::Pending => None,
                    };
                    if let Some(end) = end {
                        handler = None;
                        self.sim.process_ended(matches!(end, Ended::Crashed));
                        first = Some(end);
                    }
                }
                if strikes < gate.strikes() {
                    strikes = gate.strikes();
                    self.trouble();
                }
                if let Some((call, intrusion)) = gate.take_intrusion() {
                    match intrusion {
                        Intrusion::SecondWorker => ended.push(self.deliver(queue, envelope).await),
                        // A third worker would replace the second one and what waits for it.
                        Intrusion::SideBySide if other.is_some() => {}
                        Intrusion::SideBySide => {
                            gate.side_by_side(true);
                            other = Some(self.deliver(queue, envelope));
                        }
                        // These clicks run to completion while the call hangs.
                        Intrusion::ForeignClicks => {
                            self.foreign_clicks().await;
                            self.trouble();
                        }
                        Intrusion::Stop => {
                            let stop = owner::stop(self);
                            self.deliver_until_done(QueueName::Ingress, &stop).await;
                            self.trouble();
                        }
                        Intrusion::Time(time) => self.pass(time).await,
                    }
                    gate.release(call);
                }
                if let Some(work) = &mut other
                    && let Poll::Ready(end) = futures_util::poll!(work)
                {
                    gate.side_by_side(false);
                    other = None;
                    ended.push(end);
                }
                tokio::task::yield_now().await;
            }
            // The latest receiver settles the message.
            ended.pop().or(first).unwrap()
        })
    }

    /// Advances time during a call, with its sweeps.
    async fn pass(&self, time: Duration) {
        let end = self.clock.now().checked_add(time).unwrap();
        while self.clock.now() < end {
            // Sweeps are at least 30 s apart, or they would dominate the simulation.
            let step = self.home.get().sweeps_every().max(Duration::from_secs(30));
            let left = Duration::try_from(end.duration_since(self.clock.now())).unwrap();
            self.clock.advance(step.min(left));
            self.sweep().await;
        }
    }

    /// Delivers a message until it is handled or dead, by the redelivery policy of the home.
    pub async fn deliver_until_done(&self, queue: QueueName, envelope: &Envelope) {
        let mut receives = 0;
        loop {
            receives += 1;
            let received = Received {
                id: envelope.trace_id.as_str(),
                receives,
                deaths: 0,
                until: self.clock.now().checked_add(WAITED_OUT).unwrap(),
            };
            let work = async |_| self.once(queue, envelope).await;
            let give_up = async |why: String| {
                let last = give_up(&self.functions.ports, envelope, &why);
                let ended = self.drive(queue, envelope, Box::pin(last));
                self.outcome(ended.await)
            };
            match redelivery::handle(&self.clock, received, work, give_up).await {
                Fate::Done | Fate::Rejected => return,
                Fate::Back { after, .. } => self.clock.advance(after),
                Fate::Anew { .. } => receives = 0,
                Fate::Aside { reason } => return self.dead.borrow_mut().push(reason),
            }
        }
    }

    async fn once(&self, queue: QueueName, envelope: &Envelope) -> Result<(), Failure> {
        let ended = self.deliver(queue, envelope).await;
        self.sim.gate.delivered();
        match self.sim.gate.take_again() {
            Some(Fault::RedeliveredLate) => {
                let (group, dedup) = ("late".into(), "late".into());
                let late = Outgoing::new(queue, envelope.clone(), group, dedup);
                self.sim.queue.repeat(late);
            }
            Some(_) => drop(self.deliver(queue, envelope).await),
            None => {}
        }
        self.outcome(ended)
    }

    fn outcome(&self, ended: Ended) -> Result<(), Failure> {
        match ended {
            Ended::Done => Ok(()),
            Ended::Failed(failure) => Err(failure),
            Ended::Crashed => Err(Failure::Retry {
                reason: "the process died".into(),
                after: Some(self.home.get().comes_back()),
            }),
        }
    }

    /// Delivers everything queued. Only retries advance the clock.
    pub async fn drain(&self) {
        let choose = |many| match &mut *self.dice.borrow_mut() {
            Some(dice) => dice.usize(..many),
            None => 0,
        };
        while let Some(message) = self.sim.queue.take_any(choose) {
            let envelope = on_the_wire(&message.envelope);
            self.deliver_until_done(message.queue, &envelope).await;
        }
    }
}
