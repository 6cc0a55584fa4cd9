//! The ports on one machine, in a data folder that one process owns: a SQLite file, and a file for secrets.
//! For Unix: modes of files and folders keep other accounts out.

mod blobs;
mod clock;
mod database;
mod durable;
mod files;
mod folder;
mod queue;
mod secrets;
mod store;
mod vault;

pub use blobs::SqliteBlobs;
pub use clock::{Counter, SteadyClock};
pub use database::{Database, OpenError, Problem, SCHEMA_VERSION};
pub use files::DiskFolders;
pub use folder::{DATABASE, DataFolder, FolderError, SECRETS};
pub use queue::{
    Consumer, DEDUP_WINDOW, DeadLetter, Delivery, Handler, MAX_BODY_BYTES, SqliteQueue,
};
pub use secrets::FileSecrets;
pub use store::{Erasure, SqliteStore};
pub use vault::SqliteVault;
