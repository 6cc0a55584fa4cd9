//! Models by name: the one of the settings, and beside it those that a worker or a command line asks for.

use alfred_core::ports::{Delta, Model, ModelError, Turn, TurnRequest, Usage};
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

use super::price;

/// Opens models by their names.
#[async_trait]
pub trait Open: Send + Sync {
    /// The model `provider:model`.
    ///
    /// # Errors
    /// `Refused` when the settings have no address or key for it, `Unavailable` when they can't be read now.
    async fn open(&self, name: &str) -> Result<Arc<dyn Model>, ModelError>;
}

/// A model, and others by their names, each of which is opened once, by its first turn: a start that asks
/// for none of them pays for none.
pub struct WithOthers {
    model: Arc<dyn Model>,
    open: Arc<dyn Open>,
    others: Mutex<HashMap<String, Arc<Other>>>,
}

impl WithOthers {
    /// This model, beside those that can be opened.
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
    async fn turn(
        &self,
        request: &TurnRequest,
        deltas: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Turn, ModelError> {
        self.model.turn(request, deltas).await
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

/// A model that is opened by its first turn; what fails is tried again by the next one.
struct Other {
    name: String,
    open: Arc<dyn Open>,
    model: OnceCell<Arc<dyn Model>>,
}

#[async_trait]
impl Model for Other {
    async fn turn(
        &self,
        request: &TurnRequest,
        deltas: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Turn, ModelError> {
        let open = || self.open.open(&self.name);
        let model = self.model.get_or_try_init(open).await?;
        model.turn(request, deltas).await
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn costs_at_most(&self, usage: &Usage) -> Option<u64> {
        price::cost_of(&self.name, usage)
    }
}
