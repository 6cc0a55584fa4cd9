//! The ports on one machine, in a data folder that one process owns: a SQLite file for state and queues,
//! and files for large bodies and secrets.

mod blobs;
mod clock;
mod database;
mod durable;
#[cfg(unix)]
mod files;
mod folder;
mod queue;
mod secrets;
mod store;
mod vault;

pub use blobs::FileBlobs;
pub use clock::{Counter, SteadyClock};
pub use database::{Closed, Database, OpenError, SCHEMA_VERSION};
#[cfg(unix)]
pub use files::DiskFolders;
pub use folder::{DataFolder, FolderError};
pub use queue::{
    Consumer, Counts, DEDUP_WINDOW, DeadLetter, Delivery, Handler, MAX_BODY_BYTES, SqliteQueue,
};
pub use secrets::FileSecrets;
pub use store::{Erased, Erasure, SqliteStore};
pub use vault::FileVault;
