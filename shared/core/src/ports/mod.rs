//! The ports: few and narrow. Each has a side on AWS and one on a single
//! machine; one conformance suite in `alfred-testkit` runs on both.

mod blobs;
mod chat;
mod clock;
mod model;
mod outside;
mod queue;
mod secrets;
mod shared;
mod spill;
mod store;
mod vault;

pub use blobs::{BlobError, Blobs};
pub use chat::{Chat, ChatChannel, ChatError, ChatMessage, ChatUser, Look, Post, Posted};
pub use clock::{Clock, Ids, SystemClock, SystemIds};
pub use model::{
    Delta, Finish, Message, Model, ModelError, Output, ToolCall, ToolSpec, Turn, TurnRequest, Usage,
};
pub use outside::Outside;
pub use queue::{Outgoing, Queue, QueueError, QueueName, Redelivery};
pub use secrets::{SecretError, Secrets};
pub use spill::{SPILL_BYTES, Spilling, spilled_digest};
pub use store::{
    Commit, Condition, Cursor, Direction, Item, Key, MAX_COMMIT_BYTES, MAX_ITEM_BYTES, MAX_WRITES,
    Op, Page, Query, Range, Store, StoreError, Table, Write,
};
pub use vault::{Vault, VaultError};
