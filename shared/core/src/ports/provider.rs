//! The ports that a platform (AWS, or a single machine) provides to a function.

use std::sync::Arc;

use super::{Credentials, ModelHost, Queue, Redelivery, Secrets, Store};

/// The platform's ports for a function with a queue.
pub struct ProviderPorts {
    pub store: Arc<dyn Store>,
    pub queue: Arc<dyn Queue>,
    /// Delays and settles messages that weren't handled.
    pub redelivery: Arc<dyn Redelivery>,
    pub secrets: Arc<dyn Secrets>,
    pub credentials: Arc<dyn Credentials>,
    /// The models that the platform hosts, if any.
    pub models: Option<Arc<dyn ModelHost>>,
}
