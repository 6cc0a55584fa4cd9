//! Views of files, and files among what is stored.

mod earlier;
mod sandbox;
mod stored;

pub use earlier::{EarlierFile, RESTORE, if_there, left};
pub use sandbox::{Narrowing, Sandbox};
pub use stored::StoredFiles;
