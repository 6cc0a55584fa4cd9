//! The ports in memory, by the same contracts.

mod blobs;
mod calendar;
mod mail;
mod people;
mod queue;
mod secrets;
mod store;
mod vault;

pub use blobs::MemoryBlobs;
pub use calendar::MemoryCalendar;
pub use mail::MemoryMail;
pub use queue::MemoryQueue;
pub use secrets::MemorySecrets;
pub use store::MemoryStore;
pub use vault::MemoryVault;

use alfred_core::ports::AccountError;

pub(in crate::memory) type Result<T, E = AccountError> = std::result::Result<T, E>;
