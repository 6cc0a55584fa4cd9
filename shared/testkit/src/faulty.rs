//! Ports that fail by plan.

use alfred_core::ports::{
    Commit, Item, Key, Outgoing, Page, Query, Queue, QueueError, Store, StoreError,
};
use async_trait::async_trait;
use jiff::Timestamp;
use std::collections::HashMap;
use std::future::Future;
use std::sync::Mutex;

/// A call of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StoreCall {
    /// `get`.
    Get,
    /// `query`.
    Query,
    /// `commit`.
    Commit,
    /// `add`.
    Add,
}

/// How a call of the store fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `Unavailable`, and nothing happened.
    Before,
    /// It took effect, and the answer was lost: `Unavailable`.
    After,
    /// `Contended`, and nothing happened.
    Contended,
}

/// How a send fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueFault {
    /// `Unavailable`, and nothing was sent.
    Before,
    /// It was sent, and the answer was lost: `Unavailable`.
    After,
    /// `Refused`, and nothing was sent.
    Refused,
}

/// Calls counted by kind, and what is to go wrong at which number.
#[derive(Debug)]
struct Plan<C, F>(Mutex<Tally<C, F>>);

#[derive(Debug)]
struct Tally<C, F> {
    calls: HashMap<C, usize>,
    faults: HashMap<(C, usize), F>,
}

impl<C: Copy + Eq + std::hash::Hash, F> Plan<C, F> {
    fn new() -> Self {
        Self(Mutex::new(Tally {
            calls: HashMap::new(),
            faults: HashMap::new(),
        }))
    }

    fn set(&self, call: C, number: usize, fault: F) {
        assert!(number > 0, "calls count from 1");
        self.0.lock().unwrap().faults.insert((call, number), fault);
    }

    fn set_next(&self, call: C, fault: F) {
        let next = self.count(call) + 1;
        self.set(call, next, fault);
    }

    fn count(&self, call: C) -> usize {
        let tally = self.0.lock().unwrap();
        tally.calls.get(&call).copied().unwrap_or(0)
    }

    fn next(&self, call: C) -> (usize, Option<F>) {
        let mut tally = self.0.lock().unwrap();
        let count = tally.calls.entry(call).or_insert(0);
        *count += 1;
        let number = *count;
        (number, tally.faults.remove(&(call, number)))
    }
}

/// A store that counts its calls and fails some of them.
#[derive(Debug)]
pub struct FaultyStore<S> {
    inner: S,
    plan: Plan<StoreCall, Fault>,
}

impl<S: Store> FaultyStore<S> {
    /// Without any fault yet.
    pub fn new(inner: S) -> Self {
        Self {
            inner,
            plan: Plan::new(),
        }
    }

    /// Fails the call of this kind with this number, counted from 1.
    #[must_use]
    pub fn on(self, call: StoreCall, number: usize, fault: Fault) -> Self {
        self.plan.set(call, number, fault);
        self
    }

    /// The same for a store that is shared already.
    pub fn fail_at(&self, call: StoreCall, number: usize, fault: Fault) {
        self.plan.set(call, number, fault);
    }

    /// Fails the next call of this kind.
    pub fn fail_next(&self, call: StoreCall, fault: Fault) {
        self.plan.set_next(call, fault);
    }

    /// How many calls of this kind there were, failed ones included.
    #[must_use]
    pub fn calls(&self, call: StoreCall) -> usize {
        self.plan.count(call)
    }

    /// How many calls of all kinds there were.
    #[must_use]
    pub fn all_calls(&self) -> usize {
        use StoreCall::{Add, Commit, Get, Query};
        [Get, Query, Commit, Add]
            .map(|call| self.calls(call))
            .iter()
            .sum()
    }

    /// The store behind it.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    async fn through<T>(
        &self,
        call: StoreCall,
        work: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, StoreError> {
        let (number, fault) = self.plan.next(call);
        let detail = format!("planned fault of {call:?} {number}");
        match fault {
            None => work.await,
            Some(Fault::Before) => Err(StoreError::Unavailable { detail }),
            Some(Fault::Contended) => Err(StoreError::Contended { detail }),
            Some(Fault::After) => {
                // The answer is lost, whatever it was.
                drop(work.await);
                Err(StoreError::Unavailable { detail })
            }
        }
    }
}

#[async_trait]
impl<S: Store> Store for FaultyStore<S> {
    async fn get(&self, key: &Key) -> Result<Option<Item>, StoreError> {
        self.through(StoreCall::Get, self.inner.get(key)).await
    }

    async fn query(&self, query: &Query) -> Result<Page, StoreError> {
        self.through(StoreCall::Query, self.inner.query(query))
            .await
    }

    async fn commit(&self, commit: &Commit) -> Result<(), StoreError> {
        self.through(StoreCall::Commit, self.inner.commit(commit))
            .await
    }

    async fn add(
        &self,
        key: &Key,
        field: &str,
        n: i64,
        ceiling: Option<i64>,
        expires_at: Option<Timestamp>,
    ) -> Result<i64, StoreError> {
        let work = self.inner.add(key, field, n, ceiling, expires_at);
        self.through(StoreCall::Add, work).await
    }
}

/// A queue that counts its sends and fails some of them.
#[derive(Debug)]
pub struct FaultyQueue<Q> {
    inner: Q,
    plan: Plan<(), QueueFault>,
}

impl<Q: Queue> FaultyQueue<Q> {
    /// Without any fault yet.
    pub fn new(inner: Q) -> Self {
        Self {
            inner,
            plan: Plan::new(),
        }
    }

    /// Fails the send with this number, counted from 1.
    #[must_use]
    pub fn on(self, number: usize, fault: QueueFault) -> Self {
        self.plan.set((), number, fault);
        self
    }

    /// The same for a queue that is shared already.
    pub fn fail_at(&self, number: usize, fault: QueueFault) {
        self.plan.set((), number, fault);
    }

    /// Fails the next send.
    pub fn fail_next(&self, fault: QueueFault) {
        self.plan.set_next((), fault);
    }

    /// How many sends there were, failed ones included.
    #[must_use]
    pub fn sends(&self) -> usize {
        self.plan.count(())
    }

    /// The queue behind it.
    pub fn inner(&self) -> &Q {
        &self.inner
    }
}

#[async_trait]
impl<Q: Queue> Queue for FaultyQueue<Q> {
    async fn send(&self, message: &Outgoing) -> Result<(), QueueError> {
        let (number, fault) = self.plan.next(());
        let detail = format!("planned fault of send {number}");
        match fault {
            None => self.inner.send(message).await,
            Some(QueueFault::Before) => Err(QueueError::Unavailable { detail }),
            Some(QueueFault::Refused) => Err(QueueError::Refused { detail }),
            Some(QueueFault::After) => {
                // The answer is lost, whatever it was.
                drop(self.inner.send(message).await);
                Err(QueueError::Unavailable { detail })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ManualClock, MemoryStore};
    use alfred_core::ports::Write;
    use serde_json::json;
    use std::sync::Arc;
    use uuid::Uuid;

    #[tokio::test]
    async fn each_fault_strikes_its_call_once_and_calls_are_counted() {
        let memory = MemoryStore::new(Arc::new(ManualClock::default()));
        let store = FaultyStore::new(memory)
            .on(StoreCall::Commit, 1, Fault::Contended)
            .on(StoreCall::Commit, 3, Fault::After)
            .on(StoreCall::Get, 2, Fault::Before);
        let create = |range: &str| Commit {
            id: Uuid::now_v7(),
            writes: vec![Write::create(Key::state("p", range), json!({}))],
        };
        let contended = store.commit(&create("a")).await;
        assert!(matches!(contended, Err(StoreError::Contended { .. })));
        store.commit(&create("a")).await.unwrap();
        let lost = store.commit(&create("b")).await;
        assert!(matches!(lost, Err(StoreError::Unavailable { .. })));
        assert!(store.get(&Key::state("p", "b")).await.unwrap().is_some());
        assert!(store.get(&Key::state("p", "b")).await.is_err());
        store.fail_next(StoreCall::Get, Fault::Before);
        assert!(store.get(&Key::state("p", "b")).await.is_err());
        assert!(store.get(&Key::state("p", "b")).await.is_ok());
        assert_eq!((store.calls(StoreCall::Commit), store.all_calls()), (3, 7));
    }
}
