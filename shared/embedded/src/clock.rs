//! A clock that ignores sudden changes of the machine's clock, so that nothing expires or locks by mistake.

use alfred_core::ports::{Clock, SystemClock};
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use rustix::time::{ClockId, clock_gettime};
use std::sync::{Mutex, MutexGuard, PoisonError};
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
    last: Mutex<Last>,
}

/// The last accepted time, its counter value, and any pending change of the machine's clock.
struct Last {
    time: Timestamp,
    counted: Duration,
    set: Option<Set>,
}

#[derive(Clone, Copy)]
struct Set {
    by: SignedDuration,
    at: Duration,
}

impl SteadyClock {
    pub fn new(machine: impl Clock + 'static, counter: Counter) -> Self {
        let last = Last {
            time: machine.now(),
            counted: counter(),
            set: None,
        };
        Self {
            machine: Box::new(machine),
            counter,
            last: Mutex::new(last),
        }
    }

    /// Follows this machine's clock. The counter includes time in sleep.
    pub fn of_machine() -> Self {
        Self::new(SystemClock, Box::new(since_boot))
    }

    fn last(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Clock for SteadyClock {
    fn now(&self) -> Timestamp {
        let mut last = self.last();
        last.see(self.machine.now(), (self.counter)())
    }

    async fn sleep(&self, duration: Duration) {
        self.machine.sleep(duration).await;
    }

    fn witness(&self, time: Timestamp) {
        let (machine, counted) = (self.machine.now(), (self.counter)());
        let mut last = self.last();
        last.see(machine, counted);
        if last.set.is_some() && machine.duration_since(time).abs() <= WITNESSED {
            last.believe(machine, counted);
        }
    }
}

impl Last {
    /// Returns the accepted time when the machine's clock shows `machine`.
    fn see(&mut self, machine: Timestamp, counted: Duration) -> Timestamp {
        let passed = SignedDuration::try_from(counted.saturating_sub(self.counted));
        let time = passed.and_then(|passed| self.time.checked_add(passed));
        let time = time.unwrap_or(machine);
        let by = machine.duration_since(time);
        if by.abs() <= CORRECTION {
            if self.set.is_some() {
                tracing::warn!("the machine's clock is back where it was");
            }
            self.follow(machine, counted);
            return machine;
        }
        match self.set {
            Some(set) if (set.by - by).abs() <= CORRECTION => {
                if counted.saturating_sub(set.at) < BELIEVED_AFTER {
                    return time;
                }
                self.believe(machine, counted);
                machine
            }
            Some(_) | None => {
                tracing::warn!(
                    clock.set_by_seconds = by.as_secs(),
                    "the machine's clock was set; Alfred counts on from before, and takes the new time over when it has stood for an hour, or when a request of Slack's agrees with it. Restart Alfred if it is right"
                );
                self.set = Some(Set { by, at: counted });
                time
            }
        }
    }

    fn believe(&mut self, machine: Timestamp, counted: Duration) {
        tracing::warn!(clock.now = %machine, "the machine's clock is believed again");
        self.follow(machine, counted);
    }

    fn follow(&mut self, machine: Timestamp, counted: Duration) {
        (self.time, self.counted, self.set) = (machine, counted, None);
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
        truly: ManualClock,
        steady: SteadyClock,
    }

    impl Machine {
        fn new() -> Self {
            let (shown, truly) = (ManualClock::default(), ManualClock::default());
            let (start, counted) = (truly.now(), truly.clone());
            let counter = move || counted.now().duration_since(start).unsigned_abs();
            let steady = SteadyClock::new(shown.clone(), Box::new(counter));
            Self {
                shown,
                truly,
                steady,
            }
        }

        fn passes(&self, time: SignedDuration) {
            self.shown.advance(time.unsigned_abs());
            self.truly.advance(time.unsigned_abs());
        }

        fn set(&self, by: SignedDuration) {
            self.shown.set(self.shown.now() + by);
        }

        fn is_right(&self) -> bool {
            self.steady.now() == self.truly.now()
        }
    }

    #[test]
    fn a_clock_set_forward_and_back_is_not_followed() {
        let machine = Machine::new();
        for by in [YEAR, -2 * HOUR, YEAR, -YEAR] {
            machine.set(by);
            for _ in 0..59 {
                machine.passes(HOUR / 60);
                assert!(machine.is_right(), "{by}");
            }
            machine.set(-by);
            machine.passes(HOUR);
            assert!(machine.is_right(), "{by}");
        }
    }

    #[test]
    fn corrections_are_followed() {
        let machine = Machine::new();
        for _ in 0..100 {
            machine.set(SignedDuration::from_secs(-59));
            machine.passes(HOUR);
            assert_eq!(machine.steady.now(), machine.shown.now());
        }
    }

    #[test]
    fn a_time_that_stands_for_an_hour_is_believed() {
        for by in [-2 * HOUR, 2 * HOUR, YEAR] {
            let machine = Machine::new();
            machine.set(by);
            assert!(machine.is_right());
            machine.passes(HOUR - SignedDuration::from_secs(1));
            assert!(machine.is_right());
            machine.passes(SignedDuration::from_secs(1));
            assert_eq!(machine.steady.now(), machine.shown.now());
        }
    }

    #[test]
    fn being_set_again_starts_the_hour_anew() {
        let machine = Machine::new();
        machine.set(YEAR);
        assert!(machine.is_right());
        machine.passes(HOUR / 2);
        machine.set(YEAR);
        assert!(machine.is_right());
        machine.passes(HOUR / 2);
        assert!(machine.is_right());
        machine.passes(HOUR / 2);
        assert_eq!(machine.steady.now(), machine.shown.now());
    }

    #[test]
    fn a_witness_decides_and_one_of_another_time_does_not() {
        let machine = Machine::new();
        machine.set(-2 * HOUR);
        machine.steady.witness(machine.truly.now());
        assert!(machine.is_right());
        machine.steady.witness(machine.shown.now() + WITNESSED);
        assert_eq!(machine.steady.now(), machine.shown.now());
    }

    #[test]
    fn the_machine_counts() {
        let before = since_boot();
        assert!(before > Duration::ZERO && since_boot() >= before);
        let now = SteadyClock::of_machine().now();
        assert!(now.duration_since(Timestamp::now()).abs() < CORRECTION);
    }
}
