use alfred_core::ports::Store;
use alfred_operations::trace::Tree;
use std::sync::Arc;

use crate::api::{Request, Trace};
use crate::app::LocalApp;
use crate::terminal::made;

impl Request for Trace {
    const PATH: &'static str = "/local/trace";
    type Answer = String;

    async fn answer(&self, app: &LocalApp) -> anyhow::Result<String> {
        render(app.ports.store.clone(), self).await
    }
}

/// The run of an id or trace id, as text or JSON.
pub async fn render(store: Arc<dyn Store>, asked: &Trace) -> anyhow::Result<String> {
    let team = asked.team.as_str().into();
    let Some(tree) = Tree::read(store, &team, &asked.id).await? else {
        return Ok("Answered with a notice; there was no run.".into());
    };
    Ok(made(asked.json, &tree.as_json(), || tree.to_string())?)
}
