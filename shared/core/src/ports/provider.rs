//! What a provider gives a function.

use std::sync::Arc;

use super::{Credentials, ModelHost, Queue, Redelivery, Secrets, Store};

/// The provider's side of a function behind a queue.
pub struct ProviderPorts {
    /// State.
    pub store: Arc<dyn Store>,
    /// Sending.
    pub queue: Arc<dyn Queue>,
    /// Putting off what goes back to the queue.
    pub redelivery: Arc<dyn Redelivery>,
    /// The deployment's secrets.
    pub secrets: Arc<dyn Secrets>,
    /// What lets it into people's accounts.
    pub credentials: Arc<dyn Credentials>,
    /// The models that it hosts, if they are built in.
    pub models: Option<Arc<dyn ModelHost>>,
}
