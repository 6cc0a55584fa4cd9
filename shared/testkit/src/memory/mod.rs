//! The ports in memory, by the same contracts.

mod blobs;
mod queue;
mod secrets;
mod store;

pub use blobs::MemoryBlobs;
pub use queue::MemoryQueue;
pub use secrets::MemorySecrets;
pub use store::MemoryStore;
