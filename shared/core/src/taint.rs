//! Taint: which untrusted text and private data a run has read. Stored with everything derived from it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

use crate::id::ChannelId;

/// Names of sources: a tool, "thread", "memory".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Taint {
    /// Sources of text that the owner didn't write.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub untrusted: BTreeSet<String>,
    /// Sources of data that only the owner may see.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub private: BTreeSet<String>,
    /// Conversations that were read. Text from members-only conversations may go back there;
    /// elsewhere it counts as private.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub conversations: BTreeSet<ChannelId>,
}

impl Taint {
    pub fn is_empty(&self) -> bool {
        self.untrusted.is_empty() && self.private.is_empty() && self.conversations.is_empty()
    }

    /// Adds the taint of another run or stored object.
    pub fn absorb(&mut self, other: &Self) {
        self.untrusted.extend(other.untrusted.iter().cloned());
        self.private.extend(other.private.iter().cloned());
        self.conversations
            .extend(other.conversations.iter().cloned());
    }
}
