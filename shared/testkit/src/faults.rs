//! Calls of ports that are counted, and fail by plan.

use alfred_core::ports::{Call, Intercept, Intercepted, QueueError, StoreError};
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Before,
    /// It happened, and the answer was lost.
    After,
}

#[derive(Debug)]
struct Fault {
    call: &'static str,
    /// From 1.
    number: usize,
    when: When,
    error: Box<dyn Any + Send>,
}

#[derive(Debug, Default)]
struct Tally {
    calls: HashMap<&'static str, usize>,
    faults: Vec<Fault>,
}

/// What is to go wrong at which call: `store.commit`, `chat.post`, `mail.send`. Clones share it, so that one plan
/// serves all ports of a world.
#[derive(Clone, Debug, Default)]
pub struct Faults(Arc<Mutex<Tally>>);

impl Faults {
    pub fn before<P: ?Sized>(&self, port: Arc<P>) -> Arc<Intercepted<P, Self>> {
        intercepted(self.clone(), port)
    }

    /// Fails the call with this number, counted from 1, once.
    pub fn fail_at(&self, call: &'static str, number: usize, when: When, error: impl Any + Send) {
        assert!(number > 0, "calls count from 1");
        self.tally().faults.push(Fault {
            call,
            number,
            when,
            error: Box::new(error),
        });
    }

    /// Fails the next call that has no fault yet.
    pub fn fail_next(&self, call: &'static str, when: When, error: impl Any + Send) {
        let mut number = self.calls(call) + 1;
        while self.tally().fault(call, number).is_some() {
            number += 1;
        }
        self.fail_at(call, number, when, error);
    }

    /// How many calls of this name there were, failed ones included; of a whole port for `store.`.
    pub fn calls(&self, name: &str) -> usize {
        let fits = |call: &str| call == name || name.ends_with('.') && call.starts_with(name);
        let tally = self.tally();
        let fitting = tally.calls.iter().filter(|(call, _)| fits(call));
        fitting.map(|(_, count)| count).sum()
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.0.lock().unwrap()
    }
}

/// A port whose calls `by` carries out.
pub fn intercepted<P: ?Sized, I>(by: I, port: Arc<P>) -> Arc<Intercepted<P, I>> {
    Arc::new(Intercepted { by, port })
}

impl Tally {
    fn fault(&self, call: &str, number: usize) -> Option<usize> {
        let mut faults = self.faults.iter();
        faults.position(|fault| fault.call == call && fault.number == number)
    }

    /// Counts the call, and gives what strikes it.
    fn next(&mut self, call: Call<'_>) -> Option<Fault> {
        let count = self.calls.entry(call.name).or_default();
        *count += 1;
        let number = *count;
        let at = self.fault(call.name, number)?;
        Some(self.faults.remove(at))
    }
}

impl Intercept for Faults {
    async fn call<T: Send, E: Send + 'static>(
        &self,
        call: Call<'_>,
        work: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        let fault = self.tally().next(call);
        let Some(fault) = fault else {
            return work.await;
        };
        if fault.when == When::After {
            // The answer is lost, whatever it was.
            drop(work.await);
        }
        match fault.error.downcast::<E>() {
            Ok(error) => Err(*error),
            Err(_) => panic!("{} has errors of another type", call.name),
        }
    }
}

/// The ways in which a call of a store fails.
pub const STORE_FAULTS: [(When, fn() -> StoreError); 3] = [
    (When::Before, unavailable),
    (When::After, unavailable),
    (When::Before, contended),
];

pub fn unavailable() -> StoreError {
    let detail = "planned".into();
    StoreError::Unavailable { detail }
}

fn contended() -> StoreError {
    let detail = "planned".into();
    StoreError::Contended { detail }
}

pub fn unsent() -> QueueError {
    let detail = "planned".into();
    QueueError::Unavailable { detail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ManualClock, MemoryStore};
    use alfred_core::ports::{Commit, Key, Store, SystemIds, Write};
    use serde_json::json;

    #[tokio::test]
    async fn each_fault_strikes_its_call_once_and_calls_are_counted() {
        let faults = Faults::default();
        let clock = Arc::new(ManualClock::default());
        let store = faults.before(Arc::new(MemoryStore::new(clock)));
        faults.fail_at("store.commit", 1, When::Before, contended());
        faults.fail_at("store.commit", 3, When::After, unavailable());
        faults.fail_at("store.get", 2, When::Before, unavailable());
        let create = |range: &str| {
            let write = Write::create(Key::state("p", range), json!({}));
            Commit::new(&SystemIds, vec![write])
        };
        let contended = store.commit(&create("a")).await;
        assert!(matches!(contended, Err(StoreError::Contended { .. })));
        store.commit(&create("a")).await.unwrap();
        let lost = store.commit(&create("b")).await;
        assert!(matches!(lost, Err(StoreError::Unavailable { .. })));
        let b = Key::state("p", "b");
        assert!(store.get(&b).await.unwrap().is_some());
        assert!(store.get(&b).await.is_err());
        faults.fail_next("store.get", When::Before, unavailable());
        faults.fail_next("store.get", When::Before, unavailable());
        assert!(store.get(&b).await.is_err());
        assert!(store.get(&b).await.is_err());
        assert!(store.get(&b).await.is_ok());
        assert_eq!(faults.calls("store.commit"), 3);
        assert_eq!(faults.calls("store."), 8);
    }
}
