//! Models by name: the configured one, and others that a worker or a command line asks for.

use alfred_core::ports::{Model, ModelError, Turn, TurnRequest, Usage};
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

use super::price;

#[async_trait]
pub trait Open: Send + Sync {
    /// Opens `provider:model`. `Refused` without an address or key in the settings, `Unavailable` if they
    /// can't be read now.
    async fn open(&self, name: &str) -> Result<Arc<dyn Model>, ModelError>;
}

/// A model and others by name. Each other one is opened by its first turn, so unused ones cost nothing at start.
pub struct WithOthers {
    model: Arc<dyn Model>,
    open: Arc<dyn Open>,
    others: Mutex<HashMap<String, Arc<Other>>>,
}

impl WithOthers {
    pub fn new(model: Arc<dyn Model>, open: impl Open + 'static) -> Self {
        Self {
            model,
            open: Arc::new(open),
            others: Mutex::default(),
        }
    }
}

#[async_trait]
impl Model for WithOthers {
    async fn turn(&self, request: &TurnRequest, wasted: &mut Usage) -> Result<Turn, ModelError> {
        self.model.turn(request, wasted).await
    }

    fn name(&self) -> String {
        self.model.name()
    }

    fn costs_at_most(&self, usage: &Usage) -> Option<u64> {
        self.model.costs_at_most(usage)
    }

    fn named(&self, name: &str) -> Option<Arc<dyn Model>> {
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        let other = others.entry(name.to_owned()).or_insert_with(|| {
            Arc::new(Other {
                name: name.to_owned(),
                open: self.open.clone(),
                model: OnceCell::new(),
            })
        });
        Some(other.clone())
    }
}

/// Opened by its first turn. A failure is retried by the next turn.
struct Other {
    name: String,
    open: Arc<dyn Open>,
    model: OnceCell<Arc<dyn Model>>,
}

#[async_trait]
impl Model for Other {
    async fn turn(&self, request: &TurnRequest, wasted: &mut Usage) -> Result<Turn, ModelError> {
        let open = || self.open.open(&self.name);
        let model = self.model.get_or_try_init(open).await?;
        model.turn(request, wasted).await
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn costs_at_most(&self, usage: &Usage) -> Option<u64> {
        price::cost_of(&self.name, usage)
    }
}
