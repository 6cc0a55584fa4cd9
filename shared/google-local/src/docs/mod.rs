//! Docs v1 (<https://developers.google.com/workspace/docs/api/reference/rest>).

use serde::{Deserialize, Serialize};

/// What is in a document.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Document {}
