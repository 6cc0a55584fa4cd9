//! The language model of this process, and others by name.

use alfred_core::ConfigError;
use alfred_core::config::ALFRED_MODEL;
use alfred_core::ports::{Clock, Model, ModelError};
use alfred_demo_model::DemoModel;
use alfred_models::{Fallbacks, Open, Selection, Wire, WithOthers};
use async_trait::async_trait;
use std::fmt::Display;
use std::sync::Arc;

use super::{hosted, variable};
use crate::exit::Usage;

/// The configured model, and others by name.
pub async fn open(clock: &Arc<dyn Clock>) -> anyhow::Result<Arc<dyn Model>> {
    let model = of(Selection::read(variable).map_err(Usage::error)?, clock).await?;
    let clock = clock.clone();
    Ok(Arc::new(WithOthers::new(model, Named { clock })))
}

/// The value of `ALFRED_MODEL`, unless it is blank.
pub fn set() -> Option<String> {
    variable(ALFRED_MODEL).filter(|names| !names.trim().is_empty())
}

/// Why this process can't use `provider:model`, or `None` if it can.
pub fn refused(name: &str) -> Option<String> {
    match Selection::of(name, variable) {
        Err(ConfigError::Invalid { reason, .. }) => Some(reason),
        Err(error) => Some(error.to_string()),
        Ok(Selection::Endpoints(endpoints))
            if !cfg!(feature = "aws") && endpoints.iter().any(|one| one.wire == Wire::Hosted) =>
        {
            let needs = "needs the AWS SDK: build alfred with --features aws";
            Some(format!("{name} {needs}"))
        }
        Ok(_) => None,
    }
}

/// Opens models from the environment of this process.
struct Named {
    clock: Arc<dyn Clock>,
}

#[async_trait]
impl Open for Named {
    async fn open(&self, name: &str) -> Result<Arc<dyn Model>, ModelError> {
        let selection = Selection::of(name, variable).map_err(no_model)?;
        of(selection, &self.clock).await.map_err(no_model)
    }
}

fn no_model(error: impl Display) -> ModelError {
    let detail = error.to_string();
    ModelError::Refused { detail }
}

async fn of(selection: Selection, clock: &Arc<dyn Clock>) -> anyhow::Result<Arc<dyn Model>> {
    let Selection::Endpoints(endpoints) = selection else {
        return Ok(Arc::new(DemoModel::new()?));
    };
    let host = hosted::models(&endpoints).await?;
    let model = Fallbacks::new(endpoints, host.as_deref(), clock.clone())?;
    Ok(Arc::new(model))
}
