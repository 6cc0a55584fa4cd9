//! Sandboxed views of files, and files in the store.

mod earlier;
mod sandbox;
mod stored;

pub use earlier::{EarlierFile, RESTORE, if_there, left};
pub use sandbox::{Narrowing, Sandbox};
pub use stored::StoredFiles;
