//! The language model of a function, and any other that a worker's file names, with keys from the deployment's secrets.

use alfred_core::config::ALFRED_MODEL;
use alfred_core::ports::{
    Clock, Model, ModelError, ModelHost, ProviderPorts, SecretError, Secrets,
};
use alfred_models::{Open, Selection, WithOthers};
use async_trait::async_trait;
use secrecy::ExposeSecret;
use std::collections::HashMap;
use std::sync::Arc;

use crate::wiring::{SECRET_PREFIX, WireError};

/// A variable of the environment, unless it is empty.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The model of the settings, and others by their names, whose keys are read when they are asked for.
pub(crate) async fn wired(
    outside: &ProviderPorts,
    clock: &Arc<dyn Clock>,
) -> Result<Arc<dyn Model>, WireError> {
    let models = variable(ALFRED_MODEL).unwrap_or_default();
    let keys = keys(&*outside.secrets, &models).await?;
    let lookup = |name: &str| keys.get(name).cloned().or_else(|| variable(name));
    let model = Selection::read(lookup)?.open(outside.models.as_deref(), clock.clone())?;
    let named = Named {
        secrets: outside.secrets.clone(),
        host: outside.models.clone(),
        clock: clock.clone(),
    };
    Ok(Arc::new(WithOthers::new(model, named)))
}

/// Opens models by their names.
struct Named {
    secrets: Arc<dyn Secrets>,
    host: Option<Arc<dyn ModelHost>>,
    clock: Arc<dyn Clock>,
}

#[async_trait]
impl Open for Named {
    async fn open(&self, name: &str) -> Result<Arc<dyn Model>, ModelError> {
        let keys = keys(&*self.secrets, name).await;
        let keys = keys.map_err(|error| ModelError::Unavailable {
            detail: error.to_string(),
        })?;
        let lookup = |setting: &str| keys.get(setting).cloned().or_else(|| variable(setting));
        let opened = Selection::of(name, lookup)
            .and_then(|selection| selection.open(self.host.as_deref(), self.clock.clone()));
        opened.map_err(|error| ModelError::Refused {
            detail: error.to_string(),
        })
    }
}

/// The keys of these models, as far as there are secrets for them.
async fn keys(secrets: &dyn Secrets, models: &str) -> Result<HashMap<String, String>, SecretError> {
    let mut keys = HashMap::new();
    for name in Selection::key_variables(models) {
        if let Some(key) = secrets.get(&format!("{SECRET_PREFIX}{name}")).await? {
            let key = key.expose_secret().to_owned();
            if !key.is_empty() {
                keys.insert(name, key);
            }
        }
    }
    Ok(keys)
}
