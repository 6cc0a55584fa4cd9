//! A clock that is set back or forward: work continues, and nothing expires because of it.

use alfred_agent::model::Status;
use alfred_agent::store::timer::{self, Timer};
use alfred_core::keys;
use alfred_core::ports::{Clock, Query, QueueName, Range, Store};
use alfred_embedded::SteadyClock;
use alfred_testkit::{ManualClock, ScriptedModel, When, says, unavailable};
use jiff::SignedDuration;
use std::sync::Arc;
use std::time::Duration;

use crate::in_memory::approvals::{click, sending_model, sent, stored, value, waiting};
use crate::in_memory::world::{World, by_progress, dm, simple, sweep, team};

const HOUR: SignedDuration = SignedDuration::from_hours(1);
const FAR: SignedDuration = SignedDuration::from_hours(24 * 400);
const MINUTE: Duration = Duration::from_secs(60);

async fn swept(world: &mut World) {
    world.queue.forget_dedup();
    world.receive(&sweep()).await;
    world.drain().await;
}

/// A request whose message was lost is answered soon after the clock was set back.
async fn answered_after(ahead: SignedDuration, back: SignedDuration) {
    let mut world = World::new(by_progress(vec![says("hi")])).await;
    swept(&mut world).await;
    world.clock.set(world.clock.now() + ahead);
    world.receive_and_lose(&dm("U1", "1.1", "hello")).await;
    swept(&mut world).await;
    world.clock.set(world.clock.now() - back);
    for _ in 0..6 {
        swept(&mut world).await;
        world.clock.advance(MINUTE);
    }
    assert_eq!(world.said(), ["hi"], "{ahead} and back by {back}");
}

#[tokio::test]
async fn what_was_armed_before_the_clock_was_set_back_is_looked_after() {
    answered_after(SignedDuration::ZERO, 2 * HOUR).await;
    answered_after(FAR, FAR).await;
    answered_after(FAR, FAR + 2 * HOUR).await;
}

#[tokio::test]
async fn a_long_jump_is_caught_up_with_step_by_step_and_loses_no_timer() {
    let mut world = World::new(by_progress(vec![says("hi")])).await;
    swept(&mut world).await;
    world.receive_and_lose(&dm("U1", "1.1", "hello")).await;
    let run = world.root().await;
    let half_way = world.clock.now() + FAR / 2;
    let wake = Timer::wake(&team(), &run.id);
    let watch = timer::disarm(run.watch_at, &Timer::watch(&team(), &run.id));
    for write in [timer::arm(half_way, &wake).unwrap(), watch] {
        world.write(vec![write]).await;
    }
    world.clock.set(world.clock.now() + FAR);
    let mut most = 0;
    for _ in 0..220 {
        let before = world.faults.calls("store.query");
        world.deliver(QueueName::Runs, &sweep()).await.ok();
        most = most.max(world.faults.calls("store.query") - before);
    }
    // Two days of timers, and a month of heads for the digests.
    let hours = 48 + 4 + 31;
    assert!(most <= hours * usize::from(keys::DUE_SHARDS), "{most}");
    for shard in 0..keys::DUE_SHARDS {
        let bucket = Query::state(keys::due_partition(half_way, shard), Range::All);
        let left = world.store.query(&bucket).await.unwrap().items;
        assert_eq!(left, [], "the timer was served");
    }
}

/// The machine's clock can be set, while true time advances.
struct Machine {
    world: World,
    shown: ManualClock,
}

impl Machine {
    async fn new(model: ScriptedModel) -> Self {
        let (shown, truly) = (ManualClock::default(), ManualClock::default());
        let (start, counted) = (truly.now(), truly.clone());
        let counter = move || counted.now().duration_since(start).unsigned_abs();
        let steady: Arc<dyn Clock> = Arc::new(SteadyClock::new(shown.clone(), Box::new(counter)));
        let world = World::by(model, truly, steady).await;
        world.register("U2", "Ben", alfred_core::Role::Member).await;
        Self { world, shown }
    }

    fn set(&self, by: SignedDuration) {
        self.shown.set(self.shown.now() + by);
    }

    /// Advances both clocks a minute and sweeps.
    async fn passes(&mut self) {
        self.shown.advance(MINUTE);
        self.world.clock.advance(MINUTE);
        swept(&mut self.world).await;
    }
}

#[tokio::test]
async fn a_clock_that_was_just_set_ends_and_locks_nothing() {
    for by in [FAR, -2 * HOUR, 30 * HOUR] {
        let mut machine = Machine::new(sending_model()).await;
        machine
            .world
            .ask(dm("U1", "1.1", "Ask Ben for lunch"))
            .await;
        let approval = waiting(&machine.world).await.remove(0);
        machine.passes().await;
        let locked = machine.world.vault.names();
        machine.set(by);
        for _ in 0..45 {
            machine.passes().await;
        }
        let status = stored(&machine.world, &approval).await.status;
        assert_eq!(status, Status::Pending);
        machine.set(-by);
        machine.passes().await;
        let days = machine.world.vault.names();
        assert_eq!(days, locked, "no day that isn't over");
        assert_eq!(waiting(&machine.world).await.len(), 1);
        machine.world.decide(&approval, "approval_approve").await;
        assert_eq!(sent(&machine.world).len(), 1, "{by}");
    }
}

#[tokio::test]
async fn requests_are_served_while_the_clock_is_wrong_and_behind_it() {
    let mut machine = Machine::new(simple(|_| Ok(says("hello there")))).await;
    for (number, by) in [FAR, -FAR, -2 * HOUR].into_iter().enumerate() {
        machine.set(by);
        let request = dm("U1", &format!("1.{number}"), "hi");
        machine.world.ask(request).await;
        machine.passes().await;
    }
    // The clock stays two hours behind until it is accepted.
    for _ in 0..90 {
        machine.passes().await;
    }
    machine.world.ask(dm("U1", "1.9", "hi")).await;
    assert_eq!(machine.world.said(), vec!["hello there"; 4]);
}

/// The result of an effect was lost, then the clock was set back. Its start is in the future, so the search for
/// its outcome has no start time. The owner is asked, and the effect isn't repeated.
#[tokio::test]
async fn an_effect_begun_in_what_is_the_future_now_is_put_to_its_owner() {
    let mut world = World::new(sending_model()).await;
    world.register("U2", "Ben", alfred_core::Role::Member).await;
    let approval = world.asked("Ask Ben for lunch").await;
    let approve = click("U1", "approval_approve", &value(&approval), "t1");
    world.receive(&approve).await;
    let (queue, message) = world.next().unwrap();
    // Fails the commit after the effect. The first commit is the intent's.
    let commits = world.faults.calls("store.commit");
    for number in commits + 2..commits + 30 {
        let (when, error) = (When::Before, unavailable());
        world.faults.fail_at("store.commit", number, when, error);
    }
    world.deliver(queue, &message).await.unwrap_err();
    assert_eq!(sent(&world).len(), 1);
    world.clock.set(world.clock.now() - 2 * HOUR);
    for _ in 0..40 {
        world.deliver_until_done(queue, message.clone()).await;
    }
    world.drain().await;
    assert_eq!(sent(&world).len(), 1, "not twice");
    let asked = waiting(&world).await.remove(0);
    assert_ne!(asked.question, approval.question);
}
