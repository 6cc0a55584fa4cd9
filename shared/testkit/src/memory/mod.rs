//! The ports in memory, by the same contracts.

mod blobs;
mod calendar;
mod mail;
mod queue;
mod secrets;
mod store;
mod vault;

pub use blobs::MemoryBlobs;
pub use calendar::MemoryCalendar;
pub use mail::{MemoryMail, Sent};
pub use queue::MemoryQueue;
pub use secrets::MemorySecrets;
pub use store::MemoryStore;
pub use vault::MemoryVault;
