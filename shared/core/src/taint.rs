//! What a run has read: other people's words, and private data. Stored with
//! everything that was derived from it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

use crate::id::ChannelId;

/// Where untrusted words and private data came from, by name: a tool, "thread", "memory".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Taint {
    /// Sources of words that the owner didn't write.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub untrusted: BTreeSet<String>,
    /// Sources of data that only the owner may see.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub private: BTreeSet<String>,
    /// Conversations whose words were read. Those of one that isn't open to the workspace are its
    /// members' alone: they may go back there, and elsewhere only as private data does.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub conversations: BTreeSet<ChannelId>,
}

impl Taint {
    /// Whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.untrusted.is_empty() && self.private.is_empty() && self.conversations.is_empty()
    }

    /// Adds what another run, or a stored thing, has read.
    pub fn absorb(&mut self, other: &Self) {
        self.untrusted.extend(other.untrusted.iter().cloned());
        self.private.extend(other.private.iter().cloned());
        self.conversations
            .extend(other.conversations.iter().cloned());
    }
}
