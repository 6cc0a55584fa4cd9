//! A clock that ignores sudden changes of the machine's clock, so that nothing expires or locks by mistake.

use alfred_core::ports::{Clock, SystemClock};
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use rustix::time::{ClockId, clock_gettime};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The largest step of a normal clock correction.
const CORRECTION: SignedDuration = SignedDuration::from_mins(1);
/// How long a set time must last before it is accepted without a witness.
const BELIEVED_AFTER: Duration = Duration::from_secs(3_600);
/// How far a witness's time may be from the machine's.
const WITNESSED: SignedDuration = SignedDuration::from_mins(5);

/// Monotonic time since any fixed moment.
pub type Counter = Box<dyn Fn() -> Duration + Send + Sync>;

/// Follows the machine's clock while it advances normally. When it is set, this clock counts on by its own
/// counter and logs a warning. It accepts the new time after an hour, or as soon as a witness (such as Slack)
/// confirms it. The time at the start is accepted unchecked.
pub struct SteadyClock {
    machine: Box<dyn Clock>,
    counter: Counter,
    accepted: Mutex<Accepted>,
}

/// The last accepted time, its counter value, and any pending change of the machine's clock.
struct Accepted {
    time: Timestamp,
    counted: Duration,
    change: Option<Change>,
}

struct Change {
    by: SignedDuration,
    at: Duration,
}

impl SteadyClock {
    pub fn new(machine: impl Clock + 'static, counter: Counter) -> Self {
        let accepted = Accepted {
            time: machine.now(),
            counted: counter(),
            change: None,
        };
        Self {
            machine: Box::new(machine),
            counter,
            accepted: Mutex::new(accepted),
        }
    }

    /// Follows this machine's clock. The counter includes time in sleep.
    pub fn of_machine() -> Self {
        Self::new(SystemClock, Box::new(since_boot))
    }

    fn look(&self, witness: Option<Timestamp>) -> Timestamp {
        let mut accepted = self.accepted.lock().unwrap_or_else(PoisonError::into_inner);
        accepted.look(self.machine.now(), (self.counter)(), witness)
    }
}

#[async_trait]
impl Clock for SteadyClock {
    fn now(&self) -> Timestamp {
        self.look(None)
    }

    async fn sleep(&self, duration: Duration) {
        self.machine.sleep(duration).await;
    }

    fn witness(&self, time: Timestamp) {
        self.look(Some(time));
    }
}

impl Accepted {
    /// Returns the accepted time when the machine's clock shows `machine`.
    fn look(
        &mut self,
        machine: Timestamp,
        counted: Duration,
        witness: Option<Timestamp>,
    ) -> Timestamp {
        let passed = SignedDuration::try_from(counted.saturating_sub(self.counted));
        let expected = passed.and_then(|passed| self.time.checked_add(passed));
        let expected = expected.unwrap_or(machine);
        let by = machine.duration_since(expected);
        let is_confirmed =
            witness.is_some_and(|witness| machine.duration_since(witness).abs() <= WITNESSED);
        let is_same = |change: &&Change| (change.by - by).abs() <= CORRECTION;
        let pending = self.change.as_ref().filter(is_same);
        let is_old =
            pending.is_some_and(|change| counted.saturating_sub(change.at) >= BELIEVED_AFTER);
        if by.abs() <= CORRECTION || is_old || is_confirmed {
            if self.change.is_some() || by.abs() > CORRECTION {
                tracing::warn!(clock.now = %machine, "the machine's clock is followed again");
            }
            (self.time, self.counted, self.change) = (machine, counted, None);
            return machine;
        }
        if pending.is_none() {
            tracing::warn!(
                clock.set_by_seconds = by.as_secs(),
                "the machine's clock was set; Alfred ignores that for an hour, or until a request from Slack confirms the new time. If the new time is right, restart Alfred"
            );
            self.change = Some(Change { by, at: counted });
        }
        expected
    }
}

/// Includes time in sleep (on Linux), so that a laptop waking up doesn't look like a set clock.
fn since_boot() -> Duration {
    #[cfg(target_os = "linux")]
    const COUNTED: ClockId = ClockId::Boottime;
    #[cfg(not(target_os = "linux"))]
    const COUNTED: ClockId = ClockId::Monotonic;
    Duration::try_from(clock_gettime(COUNTED)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_testkit::ManualClock;

    const HOUR: SignedDuration = SignedDuration::from_hours(1);
    const YEAR: SignedDuration = SignedDuration::from_hours(24 * 400);

    /// A settable machine clock, and true time.
    struct Machine {
        shown: ManualClock,
        truth: ManualClock,
        steady: SteadyClock,
    }

    impl Machine {
        fn new() -> Self {
            let (shown, truth) = (ManualClock::default(), ManualClock::default());
            let (start, counted) = (truth.now(), truth.clone());
            let counter = move || counted.now().duration_since(start).unsigned_abs();
            Self {
                steady: SteadyClock::new(shown.clone(), Box::new(counter)),
                shown,
                truth,
            }
        }

        fn pass(&self, time: SignedDuration) {
            self.shown.advance(time.unsigned_abs());
            self.truth.advance(time.unsigned_abs());
        }

        fn set(&self, by: SignedDuration) {
            self.shown.set(self.shown.now() + by);
        }

        fn is_right(&self) -> bool {
            self.steady.now() == self.truth.now()
        }

        fn follows(&self) -> bool {
            self.steady.now() == self.shown.now()
        }
    }

    #[test]
    fn set_clock_is_ignored_until_it_is_set_back() {
        let machine = Machine::new();
        for by in [YEAR, -2 * HOUR, YEAR, -YEAR] {
            machine.set(by);
            for _ in 0..59 {
                machine.pass(HOUR / 60);
                assert!(machine.is_right(), "{by}");
            }
            machine.set(-by);
            machine.pass(HOUR);
            assert!(machine.is_right(), "{by}");
        }
    }

    #[test]
    fn corrections_are_followed() {
        let machine = Machine::new();
        for _ in 0..100 {
            machine.set(SignedDuration::from_secs(-59));
            machine.pass(HOUR);
            assert!(machine.follows());
        }
    }

    #[test]
    fn set_time_is_accepted_after_an_hour_from_the_last_change() {
        for by in [-2 * HOUR, 2 * HOUR, YEAR] {
            let machine = Machine::new();
            machine.set(by);
            assert!(machine.is_right());
            machine.pass(HOUR / 2);
            machine.set(by);
            assert!(machine.is_right());
            machine.pass(HOUR - SignedDuration::from_secs(1));
            assert!(machine.is_right());
            machine.pass(SignedDuration::from_secs(1));
            assert!(machine.follows());
        }
    }

    #[test]
    fn only_a_witness_of_the_set_time_confirms_it() {
        let machine = Machine::new();
        machine.set(-2 * HOUR);
        machine.steady.witness(machine.truth.now());
        assert!(machine.is_right());
        machine.steady.witness(machine.shown.now() + WITNESSED);
        assert!(machine.follows());
    }

    #[test]
    fn counter_of_the_machine_advances() {
        let before = since_boot();
        assert!(before > Duration::ZERO && since_boot() >= before);
        let now = SteadyClock::of_machine().now();
        assert!(now.duration_since(Timestamp::now()).abs() < CORRECTION);
    }
}
