//! The language model of a function, and any other that a worker's file names, with keys from the deployment's secrets.

use alfred_core::ConfigError;
use alfred_core::config::ALFRED_MODEL;
use alfred_core::ports::{
    Clock, Model, ModelError, ModelHost, ProviderPorts, Secrets, Turn, TurnRequest, Usage,
};
use alfred_http::CachedSecret;
use alfred_models::{Open, Selection, WithOthers};
use async_trait::async_trait;
use std::sync::Arc;

use crate::wiring::Lookup;

/// Opens models. No key is read before a model is asked.
struct Models {
    secrets: Arc<dyn Secrets>,
    host: Option<Arc<dyn ModelHost>>,
    clock: Arc<dyn Clock>,
    lookup: Lookup,
}

/// The model of the settings, and others by their names. One that can't be opened says so when it is asked: a function
/// that doesn't start would lose messages that need no model.
pub(crate) fn wired(
    outside: &ProviderPorts,
    clock: &Arc<dyn Clock>,
    lookup: &Lookup,
) -> Arc<dyn Model> {
    let models = Models {
        secrets: outside.secrets.clone(),
        host: outside.models.clone(),
        clock: clock.clone(),
        lookup: lookup.clone(),
    };
    let model = models.select(None);
    let model = model.unwrap_or_else(|error| Arc::new(NotConfigured(error.to_string())));
    Arc::new(WithOthers::new(model, models))
}

impl Models {
    /// The model of this name, otherwise the one of the settings.
    fn select(&self, name: Option<&str>) -> Result<Arc<dyn Model>, ConfigError> {
        let lookup = |variable: &str| match name {
            Some(name) if variable == ALFRED_MODEL => Some(name.to_owned()),
            _ => (self.lookup)(variable),
        };
        let keys = |names: &[&str]| {
            let (secrets, clock) = (self.secrets.clone(), self.clock.clone());
            let key = CachedSecret::from_settings(names, &*self.lookup, secrets, clock);
            Some(key)
        };
        let selection = Selection::with_keys(lookup, keys)?;
        selection.open(self.host.as_deref(), self.clock.clone())
    }
}

#[async_trait]
impl Open for Models {
    async fn open(&self, name: &str) -> Result<Arc<dyn Model>, ModelError> {
        let selected = self.select(Some(name)).map_err(|error| error.to_string());
        selected.map_err(|detail| ModelError::NotConfigured { detail })
    }
}

/// A model whose settings can't be used, and why.
struct NotConfigured(String);

#[async_trait]
impl Model for NotConfigured {
    async fn turn(&self, _: &TurnRequest, _: &mut Usage) -> Result<Turn, ModelError> {
        let detail = self.0.clone();
        Err(ModelError::NotConfigured { detail })
    }

    fn name(&self) -> String {
        "not configured".into()
    }
}
