//! The ports in memory, by the same contracts.

mod blobs;
mod queue;
mod secrets;
mod store;
mod vault;

pub use blobs::MemoryBlobs;
pub use queue::MemoryQueue;
pub use secrets::MemorySecrets;
pub use store::MemoryStore;
pub use vault::MemoryVault;
