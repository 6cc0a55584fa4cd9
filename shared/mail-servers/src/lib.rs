#![doc = include_str!("../README.md")]

mod accounts;
mod allowed;
mod check;
pub mod imap;
mod kept;
mod links;
mod named;
mod opening;

pub use accounts::{NotConnected, ServerAccounts};
pub use allowed::Allowed;
pub use check::{Field, Untaken, Wrong};
pub use named::Named;

use alfred_core::ports::AccountError;

pub(crate) type Result<T, E = AccountError> = std::result::Result<T, E>;
